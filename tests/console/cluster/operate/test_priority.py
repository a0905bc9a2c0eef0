"""What the priority of the selected job is made of, and between which jobs it waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.console.operate.jobs import priority_view
from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.targets.slurm.reports import PriorityReport
from fsconsole.targets.slurm.state import Link, PartName
from tests.console.cluster import play
from tests.texts import says, wording

Publish = Callable[..., None]
_NARROW = "\u202f"  # between thousands


def facts(operate: JobsWorkspace) -> dict[str, str]:
    return dict(operate.job.why.facts)


def shown(operate: JobsWorkspace) -> list[tuple[str, ...]]:
    labels = operate.job.priority._labels
    return [tuple(label.text() for label in row) for row in labels if not row[0].isHidden()]


def choose(qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget, *jobs: int) -> None:
    """Select jobs, and wait until the cluster was asked of the one."""
    target.priorities.clear()
    operate.jobs.table.select(list(jobs))
    qtbot.waitUntil(lambda: bool(target.priorities) and not operate.job._asking.is_asking)


def test_factors_of_a_waiting_job_are_shown(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget
) -> None:
    choose(qtbot, operate, target, 19)
    assert target.priorities == ["19"]
    # sprio -l of the capture, and PriorityWeight… of its settings
    assert shown(operate) == [
        ("Fairshare", "0.1059", f"100{_NARROW}000", f"10{_NARROW}594"),
        ("Age", "0.0000", f"1{_NARROW}000", "0"),
        ("Job size", "0.2500", f"1{_NARROW}000", "250"),
        ("Partition", "0.5000", f"1{_NARROW}000", "500"),
        ("QOS", "0.0000", f"1{_NARROW}000", "0"),
    ]
    assert operate.job.priority.heading.text() == f"Priority 11{_NARROW}344"
    assert operate.job.priority._bars[0].part == 1.0
    assert operate.job.priority.remark.text() == wording(
        "console.operate.jobs.as-of", also="", as_of_s="09:40:42"
    )


def test_the_neighbours_in_its_partition_are_named(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget
) -> None:
    choose(qtbot, operate, target, 19)  # 33 has a priority of 20000; the held one has no turn
    answer = facts(operate)
    assert answer["Turn"] == wording(
        "console.operate.jobs.of-pending-in", place="7", count="7", where="batch"
    )
    assert says(
        answer["Goes after"],
        "console.operate.jobs.priority",
        job=wording("app.jobs.of-2", label="33_[4-9%2]", user="fs_anna"),
        priority=f"20{_NARROW}000",
    )
    assert ", fairshare" in answer["Goes after"]
    assert "Goes before" not in answer


def test_before_the_cluster_answers_the_factors_stand_there_without_points(
    operate: JobsWorkspace,
) -> None:
    operate.jobs.table.select([19])
    assert operate.job._asking.is_asking
    assert [row[0] for row in shown(operate)] == ["Fairshare", "Age", "Job size", "Partition", "QOS"]
    assert {row[3] for row in shown(operate)} == {""}
    assert operate.job.priority.remark.text() == wording("console.operate.jobs.asking-cluster")


def test_nobody_is_asked_of_jobs_that_do_not_wait_or_of_several(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget
) -> None:
    choose(qtbot, operate, target, 19)
    assert operate.job.priority.isVisible()
    target.priorities.clear()
    for jobs in ([7], [19, 33], []):
        operate.jobs.table.select(jobs)
        assert not operate.job._asking.is_asking
        assert not operate.job.priority.isVisible()
    assert target.priorities == []


def test_it_is_asked_again_only_after_a_while(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget, publish: Publish,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    choose(qtbot, operate, target, 19)
    publish(jobs=target.now.jobs)
    publish(jobs=target.now.jobs)
    assert target.priorities == ["19"]
    monkeypatch.setattr(priority_view, "OFTEN_S", 0.0)
    publish(jobs=target.now.jobs)
    assert target.priorities == ["19", "19"]


def test_going_through_the_table_asks_only_of_the_last_one(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget
) -> None:
    operate.jobs.table.select([33])
    operate.jobs.table.select([34])
    choose(qtbot, operate, target, 19)
    assert target.priorities == ["19"]


def test_why_there_is_none_is_reported(qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget) -> None:
    target.answer_priority = lambda job: PriorityReport(job, reason="Held.")
    choose(qtbot, operate, target, 32)
    assert operate.job.priority.remark.text() == "Held."
    assert shown(operate) == []
    assert not operate.job.priority.rows.isVisible()


def test_the_other_partitions_of_a_job_are_reported(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget
) -> None:
    def row(partition: str, priority: float, points: float) -> JobPriority:
        parts = {"fairshare": 100_000.0, "partition": points, "nice": 77.0}
        return JobPriority(job_id=33, partition=partition, user="anna", priority=priority, parts=parts)

    rows = (row("batch", 100_423.0, 500.0), row("scavenge", 99_973.0, 50.0))
    target.answer_priority = lambda job: PriorityReport(job, rows, as_of_s=play.NOW_S)
    choose(qtbot, operate, target, 33)
    others = wording("console.operate.jobs.in", priority=f"99{_NARROW}973", partition="scavenge")
    also = wording("console.operate.jobs.in-2", partition="batch", priorities=others)
    assert operate.job.priority.remark.text() == wording(
        "console.operate.jobs.as-of", also=also, as_of_s="09:40:42"
    )
    assert shown(operate)[-1] == ("Nice", "", "", "−77")
    assert operate.job.priority._bars[len(shown(operate)) - 1].part < 0


def test_nothing_is_asked_while_jobs_cannot_be_read(
    qtbot: QtBot, operate: JobsWorkspace, target: play.PlayTarget, publish: Publish
) -> None:
    failed = replace(play.parts_read()[PartName.JOBS], problem="slurmctld does not respond")
    publish(link=Link.PARTLY, parts={**play.parts_read(), PartName.JOBS: failed})
    operate.jobs.table.select([19])
    qtbot.waitUntil(lambda: not operate.job._asking.is_asking)
    assert target.priorities == []
    publish(link=Link.ANSWERS, parts=play.parts_read())
    qtbot.waitUntil(lambda: target.priorities == ["19"])
