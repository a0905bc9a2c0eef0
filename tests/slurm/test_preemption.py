"""Who displaces whom, on what a real cluster printed (captures/preempted) and on jobs that are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_job import read_scontrol_job
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.preemption import (
    Certainty,
    Effect,
    Preemption,
    displaced,
    displaced_words,
    is_stopped_by_slurm,
    preemptions,
)
from tests.slurm.captured import captured
from tests.texts import says, wording

SETTINGS = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
PARTITIONS = read_scontrol_partition(captured("plain/scontrol-show-partition.txt")).items
JOBS = read_scontrol_job(captured("preempted/scontrol-show-job-oneline.txt")).items
RULES = preemptions(SETTINGS, PARTITIONS)


def _job(number: int, partition: str, state: str = "RUNNING", **text: object) -> Job:
    fields: dict[str, object] = {"nodes": "n1", "start_s": 1000, "priority": 9, **text}
    return Job(job_id=number, user="ann", partition=partition, states=(state,), **fields)  # type: ignore[arg-type]


def test_tiers_and_modes_say_who_may_displace_whom() -> None:
    assert list(RULES) == [
        Preemption("dedicated", "batch", Effect.SUSPEND, 4),
        Preemption("dedicated", "scavenge", Effect.REQUEUE, 4),
        Preemption("batch", "scavenge", Effect.REQUEUE, 4),
    ]


def test_nobody_is_displaced_where_preemption_goes_otherwise() -> None:
    assert preemptions(None, PARTITIONS) == ()
    assert preemptions(replace(SETTINGS, preempt_type="preempt/qos"), PARTITIONS) == ()


def test_partitions_without_a_common_node_leave_each_other_alone() -> None:
    batch, dedicated, _ = PARTITIONS
    apart = (replace(batch, nodes="n[1-2]"), replace(dedicated, nodes="n[3-4]"))
    assert preemptions(SETTINGS, apart) == ()


def test_a_partition_that_says_nothing_follows_the_cluster() -> None:
    batch, dedicated, _ = PARTITIONS
    rule = preemptions(SETTINGS, (replace(batch, preempt_mode=""), dedicated))
    assert [one.effect for one in rule] == [Effect.SUSPEND]
    assert preemptions(SETTINGS, (replace(batch, preempt_mode="GANG"), dedicated)) == ()


def test_a_real_cluster_says_who_was_displaced() -> None:
    found = {one.job.job_id: one for one in displaced(JOBS, RULES)}
    assert sorted(found) == [39, 42]
    assert [job.job_id for job in found[39].by] == [43]
    assert [job.job_id for job in found[42].by] == [44, 43, 45]  # they began in one second
    assert (found[39].effect, found[42].effect) == (Effect.SUSPEND, Effect.REQUEUE)
    assert (found[39].certainty, found[42].certainty) == (Certainty.LIKELY, Certainty.POSSIBLE)


def test_what_an_operator_suspended_was_not_displaced() -> None:
    of_slurm = {job.job_id: is_stopped_by_slurm(job) for job in JOBS if job.state == "SUSPENDED"}
    assert of_slurm == {39: True, 41: False}


def test_times_that_do_not_fit_make_it_no_more_than_possible() -> None:
    lost = _job(1, "batch", "SUSPENDED", suspend_s=1500)
    (one,) = displaced((lost, _job(2, "dedicated", start_s=1400)), RULES)
    assert one.certainty is Certainty.POSSIBLE
    by = {"how": "possibly", "label_2": "2", "user_2": "ann", "partition": "dedicated", "more": ""}
    assert says(displaced_words(one), "slurm.of-was-by-of-in", **by)
    assert says(displaced_words(one), "slurm.which-has-nodes-of-it")


def test_squeue_says_not_since_when_but_how_long_it_has_run() -> None:
    lost = _job(1, "batch", "SUSPENDED", start_s=900, elapsed_s=100)
    (one,) = displaced((lost, _job(2, "dedicated")), RULES)
    assert (one.since_s, one.certainty) == (1000, Certainty.LIKELY)


@pytest.mark.parametrize(
    "taker",
    [
        _job(2, "dedicated", nodes="n2"),
        _job(2, "dedicated", "SUSPENDED"),
        _job(2, "batch"),
        _job(2, "scavenge"),
    ],
)
def test_only_a_running_job_of_a_higher_tier_on_its_nodes_can_have_done_it(taker: Job) -> None:
    assert displaced((_job(1, "batch", "SUSPENDED", suspend_s=1000), taker), RULES) == ()


def test_of_several_the_one_that_began_then_comes_first() -> None:
    lost = _job(1, "batch", "SUSPENDED", suspend_s=1000, nodes="n[1-4]")
    early, then, also, later = (
        _job(number, "dedicated", nodes=f"n{number - 1}", start_s=start_s)
        for number, start_s in ((2, 100), (3, 1001), (4, 1001), (5, 1003))
    )
    (one,) = displaced((early, also, later, then, lost), RULES)
    assert (one.by, one.certainty) == ((then, also), Certainty.LIKELY)
    by = {"how": "probably", "label_2": "3", "user_2": "ann", "partition": "dedicated"}
    more = wording("slurm.or-by", others="1 other")
    why = wording("slurm.which-has-held-since-then", nodes="n2")
    assert says(displaced_words(one), "slurm.of-was-by-of-in", **by, more=more, why=why)


def test_a_requeued_job_fits_to_what_began_in_that_second() -> None:
    lost = _job(1, "scavenge", "PENDING", nodes="", start_s=None, submit_s=1000, restarts=1)
    (one,) = displaced((lost, _job(2, "batch")), RULES)
    assert (one.effect, one.since_s, one.certainty) == (Effect.REQUEUE, 1000, Certainty.LIKELY)
    assert displaced((lost, _job(2, "batch", start_s=900)), RULES) == ()
    assert displaced((replace(lost, restarts=0), _job(2, "batch")), RULES) == ()


def test_a_cancelled_one_is_reported_too() -> None:
    batch, dedicated, _ = PARTITIONS
    rules = preemptions(SETTINGS, (replace(batch, preempt_mode="CANCEL"), dedicated))
    lost = _job(1, "batch", "PREEMPTED", start_s=10, end_s=999)
    (one,) = displaced((lost, _job(2, "dedicated")), rules)
    assert (one.effect, one.since_s) == (Effect.CANCEL, 999)
