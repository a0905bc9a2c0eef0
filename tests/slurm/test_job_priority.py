"""What priorities are made of, and whose turn is next."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.slurm.job_priority import Factor, Turn, factors_of, moved, row_of_each, title_of, turn_of
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.sprio import JobPriority, read_sprio
from fsconsole.slurm.parsers.squeue import read_squeue
from tests.slurm.captured import captured

WEIGHTS = read_scontrol_config(captured("plain/scontrol-show-config.txt")).weights
PRINTED = {row.job_id: row for row in read_sprio(captured("plain/sprio-l.txt")).items}


def _row(priority: float | None, **parts: float) -> JobPriority:
    return JobPriority(job_id=1, partition="batch", user="anna", priority=priority, parts=parts)


def _waits(
    number: int, priority: int, partition: str = "batch", reason: str = "Priority", **more: Any
) -> Job:
    fields = {"user": "anna", "states": ("PENDING",), **more}
    return Job(job_id=number, priority=priority, partition=partition, reason=reason, **fields)


def test_factors_are_points_by_their_weights() -> None:
    factors = {factor.title: factor for factor in factors_of(PRINTED[19], WEIGHTS)}
    fairshare = factors["Fairshare"]
    assert (fairshare.points, fairshare.weight) == (10594, 100_000)
    assert fairshare.value == pytest.approx(0.105937, abs=1e-5)  # FAIRSHARE.md: that of sshare
    # sprio-norm.txt of the same moment: partition 0.5 of 1000
    assert factors["Partition"] == Factor("Partition", 500, 1000, 0.5)
    assert sum(factor.points for factor in factors.values()) == PRINTED[19].priority


def test_a_nice_value_takes_points_off() -> None:
    factors = factors_of(_row(900.0, age=1000.0, nice=100.0), {"age": 2000})
    assert factors == (Factor("Age", 1000.0, 2000, 0.5), Factor("Nice", -100.0))


def test_what_is_printed_as_text_is_what_is_left() -> None:
    others = {"assoc": 0, "jobsize": 0, "partition": 0, "qos": 0}
    row = _row(1500.0, age=1000.0, fairshare=0.0, site=0.0, nice=0.0)
    factors = factors_of(row, {"age": 2000, "fairshare": 0, **others})
    assert factors == (Factor("Age", 1000.0, 2000, 0.5), Factor("Resources (TRES)", 500.0))


def test_what_is_left_may_be_any_factor_that_was_not_printed() -> None:
    """All columns of sprio, but for each in turn; a factor with the weight 0 adds nothing."""
    weights = {"age": 1, "assoc": 0, "fairshare": 1, "jobsize": 1, "partition": 1, "qos": 1}
    names = (*weights, "site", "nice")
    row = _row(1000.0 * (len(names) - 3) + 600, **{name: 1000.0 for name in names if name != "assoc"})
    for name in names:
        less = replace(row, parts={key: value for key, value in row.parts.items() if key != name})
        (*_, rest) = factors_of(less, weights)
        known = "Resources (TRES)"
        assert rest.title == (known if name == "assoc" else f"{title_of(name)} or {known}")
        assert sum(one.points for one in factors_of(less, weights)) == row.priority


def test_rounding_is_no_factor() -> None:
    assert factors_of(_row(1001.0, age=1000.0, fairshare=0.0), {}) == (Factor("Age", 1000.0),)
    assert factors_of(_row(None, age=1000.0), {}) == (Factor("Age", 1000.0),)


def test_the_turn_is_by_priority_then_by_number() -> None:
    first, second, third = _waits(9, 500), _waits(3, 400), _waits(5, 400)
    turn = turn_of(second, (third, first, second))
    assert turn is not None
    assert (turn.place, turn.count, turn.before, turn.after) == (2, 3, first, third)


def test_only_those_that_wait_for_their_turn_in_the_partition_count() -> None:
    mine = _waits(1, 400, "batch,scavenge")
    others = (
        _waits(2, 900, "dedicated"),
        _waits(3, 800, "scavenge,dedicated"),
        _waits(4, 700, reason="Dependency"),
        _waits(5, 0, reason="JobHeldUser"),
        _waits(6, 900, states=("RUNNING",)),
        _waits(7, 100),
    )
    turn = turn_of(mine, (*others, mine))
    assert turn is not None
    assert (turn.place, turn.count) == (2, 3)
    assert [one.job_id for one in (turn.before, turn.after) if one] == [3, 7]


@pytest.mark.parametrize("number", [4, 5, 6])
def test_what_does_not_wait_for_its_turn_has_none(number: int) -> None:
    odd = {
        4: _waits(4, 700, reason="BeginTime"),
        5: _waits(5, 0),
        6: _waits(6, 900, states=("RUNNING",)),
    }[number]
    assert turn_of(odd, (odd, _waits(7, 100))) is None


def test_the_only_one_that_waits_is_the_first_and_the_last() -> None:
    jobs = read_squeue(captured("plain/squeue.json")).items
    emma = next(job for job in jobs if job.job_id == 19)
    assert turn_of(emma, jobs) == Turn(1, 1, None, None)  # the others run


@given(st.lists(st.integers(1, 5), min_size=1, max_size=12))
def test_every_job_has_a_place_of_its_own_and_neighbours_agree(priorities: list[int]) -> None:
    jobs = [_waits(number, priority) for number, priority in enumerate(priorities)]
    turns = {job.job_id: turn for job in jobs if (turn := turn_of(job, jobs)) is not None}
    assert sorted(turn.place for turn in turns.values()) == list(range(1, len(jobs) + 1))
    for job in jobs:
        after = turns[job.job_id].after
        if after is not None:
            assert turns[after.job_id].before is job
            assert (after.priority or 0) <= (job.priority or 0)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["a", "b"]), st.integers(-4, 4)), max_size=9))
def test_places_change_as_turns_do(rows: list[tuple[int, str, int]]) -> None:
    before = [_waits(number, 10 * points, name) for number, (points, name, _) in enumerate(rows)]
    gains = {number: 10 * gain for number, (*_, gain) in enumerate(rows)}
    waiting = [job for job in before if job.priority]
    after = [replace(job, priority=(job.priority or 0) + gains[job.job_id] + 100) for job in waiting]
    places = [(turn_of(job, waiting), turn_of(new, after)) for job, new in zip(waiting, after, strict=True)]
    others = sum(was.place != will.place for was, will in places if was is not None and will is not None)
    assert moved(before, lambda job: gains[job.job_id]) == (others, len(waiting))


def test_each_task_of_an_array_changes_its_place() -> None:
    jobs = [_waits(1, 30), _waits(2, 20, array_job_id=2, array_tasks="1-5"), _waits(3, 10, "other")]
    assert moved(jobs, lambda job: 20 if job.job_id == 2 else 0) == (6, 7)
    assert moved([], lambda _: 1) == (0, 0)


def test_a_place_counts_the_tasks_before_it() -> None:
    first, tasks, last = _waits(1, 30), _waits(2, 20, array_job_id=2, array_tasks="1-5"), _waits(3, 10)
    turns = [turn_of(job, (first, tasks, last)) for job in (first, tasks, last)]
    assert [(turn.place, turn.count) for turn in turns if turn is not None] == [(1, 7), (2, 7), (7, 7)]
    # One stays second of three records, but five tasks go before it instead of one.
    swapped = [_waits(1, 30), last, _waits(4, 5, array_job_id=4, array_tasks="1-5")]
    assert moved(swapped, lambda job: {1: -28, 4: 26}.get(job.job_id, 0)) == (7, 7)


# Printed by sprio 26.05.5 of a job with --qos=qlow,qhigh in two partitions.
_LISTS = """\
          JOBID PARTITION     USER  ACCOUNT   PRIORITY       SITE        AGE      ASSOC  FAIRSHARE    JOBSIZE  PARTITION    QOSNAME        QOS        NICE                 TRES
             55 second     fs_anna     phys      40693          0          0          0      40000        143        500       qlow         50           0              cpu=125
             55 second     fs_anna     phys      45643          0          0          0      40000        143        500      qhigh       5000           0              cpu=125
             55 batch      fs_anna     phys      46143          0          0          0      40000        143       1000      qhigh       5000           0              cpu=125
             55 batch      fs_anna     phys      41193          0          0          0      40000        143       1000       qlow         50           0              cpu=125
"""  # noqa: E501


def test_of_rows_for_each_partition_and_qos_the_highest_counts() -> None:
    rows = read_sprio(_LISTS).items
    assert [(row.partition, row.qos, row.parts["qos"]) for row in rows] == [
        ("second", "qlow", 50), ("second", "qhigh", 5000), ("batch", "qhigh", 5000), ("batch", "qlow", 50),
    ]  # fmt: skip
    both = Job(job_id=55, user="fs_anna", partition="batch,second", states=("PENDING",))
    for order in (rows, rows[::-1]):
        assert row_of_each(order, [both])[55].priority == row_of_each(order, ())[55].priority == 46143
        of_second = row_of_each(order, [replace(both, partition="second")])[55]
        assert (of_second.partition, of_second.qos, of_second.priority) == ("second", "qhigh", 45643)
        assert sum(one.points for one in factors_of(of_second, {})) == of_second.priority
