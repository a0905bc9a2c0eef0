"""Records of two or three actions at the same time: their rows alternate in the log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.cluster.records import Record, history_of
from fsconsole.app.cluster.roll_back import Present, Ways
from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.edits import SetShares
from fsconsole.slurm.change_set import ChangeSet, change_set
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.slurm.node_change import NodeChange, NodeVerb
from fsconsole.targets.slurm import job_actions, node_actions
from fsconsole.targets.slurm.apply_rows import newest
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.unknown_outcomes import CHECK
from tests.app.audited_log import Log
from tests.laws import tries
from tests.slurm.clusters import small_cluster

Rows = tuple[AuditRow, ...]
_NAMES = ("bio", "physics")


def _changes(log: Log, shares: int) -> ChangeSet:
    tree = log.tree
    wanted = tree.shares.copy()
    for name in _NAMES:
        SetShares(((wanted.find(f"root/{name}").id, shares),)).apply(wanted)
    return change_set(tree, wanted)


def _apply(who: str, shares: int, *, ends: bool = True) -> Rows:
    log = Log(small_cluster())
    log.apply(_changes(log, shares), who, ends=ends)
    return tuple(log.rows)


def _roll_back(who: str) -> Rows:
    log = Log(small_cluster())
    report = log.apply(_changes(log, 31))
    record = log.history.records[-1]
    log.apply(report.rollback, who, record.id)
    return tuple(row for row in log.rows if row.undoes)


def _of_jobs(who: str, result: Result) -> Rows:
    author, change = Author(who), JobChange(JobVerb.HOLD, ("7", "8"))
    reports = [ActionReport(job, result, "", ("scontrol",), "PENDING", "") for job in change.jobs]
    sent = job_actions.sent(change, "7, 8", ("scontrol", "hold", "7,8"), author)
    return sent, *(job_actions.audited(change, report, author) for report in reports)


def _of_array(who: str, parts: int = 3) -> Rows:
    """An array whose parts have a command each, and one result."""
    author, change = Author(who), JobChange(JobVerb.EXTEND, ("7",), 600.0)
    words = [("scontrol", "update", f"JobId=7_{part}", "TimeLimit=+10") for part in range(parts)]
    report = ActionReport("7", Result.DONE, "", words[0], "1:00:00", "1:10:00")
    return *(job_actions.sent(change, "7", one, author) for one in words), job_actions.audited(
        change, report, author
    )


def _of_node(who: str) -> Rows:
    author, change = Author(who, "fan"), NodeChange(NodeVerb.DRAIN, ("n1",), "fan")
    report = ActionReport("n1", Result.DONE, "", ("scontrol",), "idle", "drained (fan)")
    return node_actions.sent(change, "n1", ("scontrol",), author), node_actions.audited(
        change, report, author
    )


def _unknown(who: str) -> Rows:
    """A change with an unknown result that the console decides later."""
    *rows, ended = _apply(who, 31)
    lost = replace(rows[-1], result=Result.UNKNOWN)
    check = replace(lost, action=f"{CHECK}{lost.action}", result=Result.NOT_SENT, checks=lost.tick)
    return *rows[:-1], lost, replace(ended, result=Result.UNKNOWN), check


@cache
def _kinds(who: str) -> tuple[Rows, ...]:
    """What one author does; two of them at the same second, as equal as they can be."""
    applies = (_apply(who, 31), _apply(who, 31), _apply(who, 50), _apply(who, 31, ends=False), _unknown(who))
    jobs = (_of_jobs(who, Result.DONE), _of_jobs(who, Result.UNKNOWN), _of_jobs(who, Result.DONE))
    actions = (
        *applies,
        _roll_back(who),
        _roll_back(who),
        *jobs,
        _of_node(who),
        _of_node(who),
        _of_array(who),
        _of_array(who),
    )
    return tuple(tuple(replace(row, tick=1_795_000_000, checks=row.checks and 1_795_000_000) for row in rows)
                 for rows in actions)  # fmt: skip


_ACTIONS = [*_kinds("hale"), *_kinds("olsen")]


@st.composite
def _at_once(draw: st.DrawFn, actions: Sequence[Rows] = _ACTIONS) -> tuple[list[AuditRow], list[AuditRow]]:
    """Rows of two or three actions one after the other, and the same rows as they may alternate."""
    chosen = draw(st.lists(st.sampled_from(range(len(actions))), min_size=2, max_size=3, unique=True))
    turns = draw(st.permutations([one for one in chosen for _ in actions[one]]))
    left = {one: iter(actions[one]) for one in chosen}
    return [row for one in chosen for row in actions[one]], [next(left[one]) for one in turns]


def _by_id(rows: Sequence[AuditRow]) -> dict[str, Record]:
    return {record.id: record for record in history_of(rows).records}


@tries(400)
@given(_at_once())
def test_actions_at_once_are_the_records_of_one_after_the_other(
    case: tuple[list[AuditRow], list[AuditRow]],
) -> None:
    one_after_the_other, alternating = case
    assert _by_id(alternating) == _by_id(one_after_the_other)


@tries(200)
@given(_at_once(), st.integers(0, 30))
def test_no_record_of_the_newest_rows_is_cut_apart(
    case: tuple[list[AuditRow], list[AuditRow]], most: int
) -> None:
    _, rows = case
    known, shown = _by_id(rows), _by_id(newest(rows, most))
    assert {identity: record for identity, record in shown.items() if record != known.get(identity)} == {}
    applies = [record for record in known.values() if record.is_apply]
    assert not applies or applies[-1].id in shown


@pytest.mark.parametrize("count", range(1, 5))
def test_an_array_with_some_commands_is_one_record(count: int) -> None:
    rows = _of_array("hale", parts=4)
    (record,) = history_of(rows[:count]).records
    assert (len(record.steps), record.result) == (1, Result.UNKNOWN)
    (record,) = history_of((*rows[:count], rows[-1])).records
    assert [(step.is_answered, step.row.result) for step in record.steps] == [(True, Result.DONE)]


_OLDER = [
    tuple(replace(row, act="", why=why) for row in rows)
    for who in ("hale", "olsen")
    for why in ("", "board")
    for rows in (*_kinds(who)[:3], *_kinds(who)[5:7])
]


@tries(400)
@given(_at_once(_OLDER))
def test_older_applies_at_once_are_told_apart_or_said_to_be_mixed(
    case: tuple[list[AuditRow], list[AuditRow]],
) -> None:
    one_after_the_other, alternating = case
    known = history_of(one_after_the_other).records
    assert not any(record.is_mixed for record in known)

    def seen(record: Record) -> tuple[object, ...]:
        texts = [
            (one.row.action, one.row.on, one.row.before, one.row.after, one.row.result)
            for one in record.steps
        ]
        return record.row, texts, record.end, record.is_open

    for record in history_of(alternating).records:
        assert record.is_mixed or seen(record) in map(seen, known)
    ways = Ways(history_of(alternating), Present("lab", Log(small_cluster()).tree, defaults={}))
    for record in history_of(alternating).records:
        if record.is_mixed:
            assert not ways.back(record).is_possible
            assert ways.back(record).why_not


def test_one_of_two_applies_at_once_goes_back_alone() -> None:
    log = Log(small_cluster())
    applied: list[list[AuditRow]] = []
    for name in _NAMES:
        tree = log.tree
        wanted = tree.shares.copy()
        SetShares(((wanted.find(f"root/{name}").id, 31),)).apply(wanted)
        log.rows = []
        log.apply(change_set(tree, wanted))
        applied.append(log.rows)
    one, other = applied
    log.rows = [row for pair in zip(one, other, strict=True) for row in pair]
    first, second = log.history.records
    log.roll_back(first)
    assert log.database.entries["bio", "", ""].shares == 30
    assert log.database.entries["physics", "", ""].shares == 31
    log.roll_back(log.history.record(second.id))
    assert log.database.entries["physics", "", ""].shares == 40


def test_what_was_set_last_counts_not_whose_apply_was_begun_last() -> None:
    """The one that was begun first sets the property last."""
    one, other = _kinds("hale")[0], _kinds("olsen")[2]
    rows = [one[0], *other, *one[1:]]
    history = history_of(rows)
    first, second = (history.record(row.act) for row in (one[0], other[0]))
    assert first is not None
    assert second is not None
    assert [history.overwritten_by(step) for step in first.steps] == [None, None]
    assert all(history.overwritten_by(step) in first.steps for step in second.steps)


@pytest.mark.parametrize("later", [0, 4], ids=["it ended", "it runs on"])
def test_an_apply_without_an_end_is_found_among_others(later: int) -> None:
    """Until another apply is begun after its last row: that looks after the cluster as it is then."""
    killed, other = _kinds("hale")[3], _kinds("olsen")[0]
    assert history_of(killed).unfinished is not None
    alternating = [killed[0], other[0], *killed[1:], *other[1 : len(other) - later]]
    found = history_of(alternating).unfinished
    assert found is not None
    assert (found.id == killed[0].act) is (later == 0)
    after = history_of([*killed, *other]).unfinished
    assert after is None
