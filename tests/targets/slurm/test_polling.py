"""When parts are read, and how a cluster looks by how that goes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.targets.slurm.link_words import PART_TITLES, at, link_words
from fsconsole.targets.slurm.polling import BACK_OFF_S, MOST_BUSY, ORDER, PaceOptions, Polling
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.state_store import link_of
from tests.texts import wording

NOW_S = 1000.0
_PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "slurm-cluster.md"
ALL = frozenset(PartName)


def _read(
    polling: Polling, part: PartName, began_s: float, took_s: float = 0.01, *, failed: bool = False
) -> float:
    polling.began(part, began_s)
    polling.ended(part, began_s + took_s, failed=failed)
    return polling.next_s(part)


def test_all_is_due_at_first_settings_before_what_needs_them() -> None:
    polling = Polling()
    first = polling.due(NOW_S)
    assert first[0] is PartName.SETTINGS
    assert set(first) == ALL - {PartName.TREE, PartName.USAGE}
    _read(polling, PartName.SETTINGS, NOW_S, failed=True)
    assert set(polling.due(NOW_S)) == ALL - {PartName.SETTINGS, PartName.USAGE}
    _read(polling, PartName.TREE, NOW_S, failed=True)
    assert PartName.USAGE in polling.due(NOW_S)


def test_usage_need_not_wait_until_the_tree_is_put_together() -> None:
    polling = Polling()
    _read(polling, PartName.SETTINGS, NOW_S)
    polling.began(PartName.TREE, NOW_S)
    assert PartName.USAGE not in polling.due(NOW_S)
    polling.tried(PartName.TREE)
    assert PartName.USAGE in polling.due(NOW_S)
    assert PartName.TREE not in polling.due(NOW_S)


def test_each_part_has_its_period_from_beginning_to_beginning() -> None:
    polling = Polling()
    after = {part: _read(polling, part, NOW_S) - NOW_S for part in ORDER}
    assert after == {
        PartName.SETTINGS: 600,
        PartName.TREE: 60,
        PartName.USAGE: 60,
        PartName.JOBS: 5,
        PartName.PARTITIONS: 30,
        PartName.NODES: 30,
        PartName.RESERVATIONS: 30,
        PartName.QOS: 600,
    }
    rows = re.findall(r"^\| (\w+) \| `.*` \| .*?([0-9]+) s \|$", _PAGE.read_text("utf-8"), re.MULTILINE)
    assert dict(rows) == {PART_TITLES[part]: f"{period_s:g}" for part, period_s in after.items()}
    assert polling.due(NOW_S + 4.9) == []
    assert polling.due(NOW_S + 5) == [PartName.JOBS]


def test_a_person_may_choose_slower() -> None:
    polling = Polling(PaceOptions(jobs_s=60))
    assert _read(polling, PartName.JOBS, NOW_S) == NOW_S + 60
    polling.options = PaceOptions(jobs_s=120)
    assert _read(polling, PartName.JOBS, NOW_S) == NOW_S + 120


def test_usage_is_not_asked_for_oftener_than_the_site_works_it_out() -> None:
    polling = Polling(calc_period_s=300)
    assert _read(polling, PartName.USAGE, NOW_S) == NOW_S + 300
    polling.want((PartName.USAGE, PartName.TREE), NOW_S + 10)
    assert polling.next_s(PartName.USAGE) == NOW_S + 300
    assert polling.next_s(PartName.TREE) <= NOW_S + 10


def test_usage_that_could_not_be_read_may_be_asked_for_at_once() -> None:
    polling = Polling(calc_period_s=300)
    _read(polling, PartName.USAGE, NOW_S, failed=True)
    polling.want((PartName.USAGE,), NOW_S + 1)
    assert polling.next_s(PartName.USAGE) <= NOW_S + 1


def test_back_off_doubles_to_five_minutes() -> None:
    polling, now_s, rests = Polling(), NOW_S, []
    for _ in range(9):
        due_s = _read(polling, PartName.JOBS, now_s, 9.0, failed=True)
        rests.append(due_s - now_s - 9.0)
        now_s = due_s
    assert rests == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    polling.want((PartName.JOBS,), now_s)
    assert polling.next_s(PartName.JOBS) <= now_s


def test_what_goes_well_again_lets_the_others_be_tried() -> None:
    polling = Polling()
    for part in ORDER:
        _read(polling, part, NOW_S, 9.0, failed=True)
    _read(polling, PartName.JOBS, NOW_S + 30)
    assert set(polling.due(NOW_S + 31)) == ALL - {PartName.JOBS}


def test_what_begins_to_fail_makes_the_others_be_looked_at() -> None:
    polling = Polling()
    for part in ORDER:
        _read(polling, part, NOW_S)
    _read(polling, PartName.JOBS, NOW_S + 20, failed=True)
    assert set(polling.due(NOW_S + 21)) == ALL - {PartName.JOBS, PartName.USAGE}
    _read(polling, PartName.TREE, NOW_S + 21)
    _read(polling, PartName.JOBS, NOW_S + 25, failed=True)
    assert PartName.TREE in polling.due(NOW_S + 21 + 60)
    assert PartName.TREE not in polling.due(NOW_S + 30)


def test_what_is_wanted_while_it_is_read_is_read_once_more() -> None:
    polling = Polling()
    polling.began(PartName.JOBS, NOW_S)
    assert PartName.JOBS not in polling.due(NOW_S + 1)
    polling.want((PartName.JOBS,), NOW_S + 1)
    polling.ended(PartName.JOBS, NOW_S + 2, failed=False)
    assert PartName.JOBS in polling.due(NOW_S + 2)


@given(
    part=st.sampled_from(ORDER),
    readings=st.lists(st.tuples(st.floats(0, 200), st.booleans(), st.booleans()), max_size=30),
)
def test_never_more_than_a_tenth_of_the_time_and_never_later_than_five_minutes(
    part: PartName, readings: list[tuple[float, bool, bool]]
) -> None:
    polling, now_s = Polling(calc_period_s=120), NOW_S
    well_s = -1e9
    for took_s, failed, is_wanted in readings:
        if is_wanted:
            polling.want((part,), now_s)
        began_s = max(now_s, polling.next_s(part))
        if part is PartName.USAGE:
            assert began_s >= well_s + 120
        polling.began(part, began_s)
        now_s = began_s + took_s
        polling.ended(part, now_s, failed=failed)
        if failed:
            assert now_s < polling.next_s(part) <= now_s + BACK_OFF_S
        else:
            well_s = began_s
            assert took_s <= (polling.next_s(part) - began_s) * MOST_BUSY * (1 + 1e-9) + 1e-6


def _parts(**how: Part) -> dict[PartName, Part]:
    well = Part(as_of_s=NOW_S - 3, took_s=0.1)
    return {part: how.get(part.value, well) for part in PartName}


DOWN = Part(as_of_s=NOW_S - 60, began_s=NOW_S - 20, problem="slurmctld does not respond")


@pytest.mark.parametrize(
    ("parts", "link"),
    [
        ({part: Part() for part in PartName}, Link.CONNECTING),
        ({part: Part() for part in PartName} | {PartName.SETTINGS: Part(problem="no")}, Link.CONNECTING),
        (dict.fromkeys(PartName, Part(problem="no")), Link.NO_ANSWER),
        (_parts(), Link.ANSWERS),
        (_parts(tree=DOWN), Link.PARTLY),
        (_parts(**{part.value: DOWN for part in PartName if part is not PartName.TREE}), Link.PARTLY),
        (_parts(**{part.value: DOWN for part in PartName}), Link.NO_ANSWER),
        (
            _parts(**{part.value: DOWN for part in PartName} | {"usage": Part(as_of_s=NOW_S - 70)}),
            Link.NO_ANSWER,
        ),
        (_parts(jobs=Part(as_of_s=NOW_S - 9, took_s=5.5)), Link.SLOW),
        (_parts(jobs=Part(as_of_s=NOW_S - 9, took_s=0.9)), Link.ANSWERS),
        (_parts(jobs=Part(as_of_s=NOW_S - 9, took_s=1.3)), Link.SLOW),
        (_parts(jobs=Part(as_of_s=NOW_S - 9, is_reading=True, began_s=NOW_S - 6)), Link.SLOW),
        (_parts(jobs=Part(is_reading=True, began_s=NOW_S - 0.5)), Link.ANSWERS),
        (_parts(partitions=Part(as_of_s=NOW_S - 20, took_s=8.0)), Link.ANSWERS),  # others were quick since
        (_parts(partitions=Part(as_of_s=NOW_S - 15, took_s=8.0)), Link.SLOW),  # of a moment ago
        (_parts(tree=Part(as_of_s=NOW_S - 20, took_s=8.0)), Link.SLOW),  # nothing else asks slurmdbd
        (
            {part: Part(as_of_s=NOW_S - 25, took_s=0.1) for part in PartName}
            | {PartName.PARTITIONS: Part(as_of_s=NOW_S - 20, took_s=8.0)},
            Link.SLOW,  # nobody has asked since
        ),
        (
            _parts(partitions=Part(as_of_s=NOW_S - 20, took_s=8.0, is_reading=True, began_s=NOW_S - 6)),
            Link.SLOW,
        ),
    ],
)
def test_how_a_cluster_answers(parts: dict[PartName, Part], link: Link) -> None:
    assert link_of(parts, dict.fromkeys(PartName, 0.1), NOW_S) is link


def test_what_is_slow_always_is_usual() -> None:
    parts = _parts(jobs=Part(as_of_s=NOW_S - 9, took_s=3.0))
    assert link_of(parts, {PartName.JOBS: 2.5}, NOW_S) is Link.ANSWERS


def test_slowness_is_dated_since_its_words_stand_still() -> None:
    """Box and status bar are renewed with another state alone, which a silent cluster does not give."""
    parts = _parts(jobs=Part(as_of_s=NOW_S - 9, is_reading=True, began_s=NOW_S))
    state = ClusterState(1, "lab", Link.SLOW, parts)
    early, late = (link_words(state, NOW_S + waited_s) for waited_s in (2.0, 13.0))
    assert early.remark == late.remark == wording("targets.slurm.slow-s", began=at(NOW_S))
    assert early.remark in early.status == late.status
    assert link_words(state, NOW_S).remark == "slow"
