"""The near-dedicated class of a real cluster (captures/preempted), and of clusters that are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.slurm.jobs import Sort
from fsconsole.slurm.near_dedicated import DedicatedView, NdKind, Phase, RowKind
from fsconsole.slurm.near_dedicated_of import billing_words, dedicated_view
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from tests.slurm.captured import captured_nodes
from tests.slurm.test_preemption import JOBS, PARTITIONS, SETTINGS
from tests.texts import says, span, wording

NOW_S = 1795347982.0
NODES = captured_nodes("preempted/sinfo.txt")
DED = Reservation(
    name="ded",
    start_s=1795347962,
    end_s=1795351562,
    nodes="n4",
    node_count=1,
    users=("fs_ida",),
    flags=frozenset(("SPEC_NODES", "IGNORE_JOBS")),
)
NIGHT = Reservation(
    name="night", start_s=1795351562, end_s=1795358762, nodes="n[1-2]", node_count=2, accounts=("bio",)
)


def _view(now_s: float = NOW_S) -> DedicatedView:
    return dedicated_view(SETTINGS, PARTITIONS, NODES, JOBS, (NIGHT, DED), now_s)


def test_classes_are_what_preempts_and_what_is_reserved() -> None:
    classes = _view().classes
    assert [(one.name, one.is_near_dedicated) for one in classes] == [
        ("dedicated", True),
        ("batch", False),
        ("ded", True),
        ("night", True),
    ]
    dedicated = classes[0]
    assert (dedicated.tier, dedicated.billing, dedicated.cpus) == (20, "CPU ×2", 32)
    assert dedicated.preempts == ("batch", "scavenge")
    assert dedicated.nodes == ("n1", "n2", "n3", "n4")


def test_jobs_are_with_their_class() -> None:
    dedicated, batch, ded, night = _view().classes
    assert [(one.job.job_id, one.nodes) for one in dedicated.running] == [(43, ("n1",))]
    assert dedicated.counts == {Sort.RUNNING: 1, Sort.WAITING: 1}
    assert [one.job.job_id for one in dedicated.displaced] == [39]
    assert batch.counts[Sort.SUSPENDED] == 2
    assert [one.job.job_id for one in batch.displaced] == [42]
    assert [one.job.job_id for one in ded.running] == [45]
    assert not night.running


def test_elapsed_and_end_are_those_that_slurm_printed() -> None:
    (running,) = _view().classes[0].running
    shown = next(job for job in JOBS if job.job_id == 43)
    assert running.end_s == shown.end_s
    assert shown.elapsed_s is not None
    assert abs(running.elapsed_s - shown.elapsed_s) <= 1


@pytest.mark.parametrize(
    ("now_s", "phase", "left_s"),
    [
        (1795347962.0 - 60, Phase.COMING, 60),
        (1795347962.0, Phase.NOW, 3600),
        (1795351562.0, Phase.OVER, 0),
    ],
)
def test_a_reservation_has_its_phase(now_s: float, phase: Phase, left_s: float) -> None:
    ded = next(one for one in _view(now_s).classes if one.name == "ded")
    assert (ded.kind, ded.phase, ded.left_s) == (NdKind.RESERVATION, phase, left_s)
    assert ded.users == ("fs_ida",)
    assert ded.flags == ("IGNORE_JOBS", "SPEC_NODES")


def test_nodes_are_counted_by_state() -> None:
    assert [(count.state, count.nodes, count.cpus, count.busy_cpus) for count in _view().nodes] == [
        ("allocated", 2, 16, 16),
        ("mixed", 2, 16, 8),
    ]
    unsaid = tuple(replace(node, busy_cpus=None) for node in NODES)
    view = dedicated_view(SETTINGS, PARTITIONS, unsaid, JOBS, (NIGHT, DED), NOW_S)
    assert [count.busy_cpus for count in view.nodes] == [None, None]


def test_the_timeline_has_reservations_jobs_and_who_was_displaced() -> None:
    rows = _view().rows
    assert [(row.kind, row.label, row.of) for row in rows] == [
        (RowKind.RESERVATION, "ded", "ded"),
        (RowKind.RESERVATION, "night", "night"),
        (RowKind.RUNNING, "43", "dedicated"),
        (RowKind.RUNNING, "45", "ded"),
        (RowKind.DISPLACED, "39", "dedicated"),
    ]
    assert all(row.end_s is None or row.end_s > row.start_s for row in rows)


def test_all_in_all_it_is_reported_in_a_sentence() -> None:
    left = span(min=59, s=40)
    one, none = (wording("slurm.running-pending", running=running, pending="0") for running in ("1", "0"))
    assert _view().sentence.split("; ") == [
        "dedicated: " + wording("slurm.running-pending", running="1", pending="1"),
        wording("slurm.reservation", name="ded", when="ends in ", left=left, jobs=one),
        wording("slurm.reservation", name="night", when="begins in ", left=left, jobs=none),
        wording("slurm.probably-displaced", job_count="2 jobs") + ".",
    ]


def test_where_there_is_none_it_is_reported_why() -> None:
    plain = replace(SETTINGS, preempt_type="preempt/none", cluster="lab")
    view = dedicated_view(plain, PARTITIONS, NODES, JOBS, (), NOW_S)
    assert view.is_empty
    assert view.sentence == wording("slurm.no-partition-of-preempts-another", where="lab")
    assert view.notes == ()


def test_what_is_not_known_is_noted() -> None:
    by_qos = dedicated_view(replace(SETTINGS, preempt_type="preempt/qos"), PARTITIONS, (), (), (), 0.0)
    assert "preempt/qos" in by_qos.notes[0]
    assert says(dedicated_view(None, (), (), (), (), 0.0).notes[0], "slurm.settings-have-not-been-read")
    batch, dedicated, _ = PARTITIONS
    damaged = dedicated_view(SETTINGS, (replace(batch, nodes="n[1"), dedicated), (), (), (), 0.0)
    assert says(damaged.notes[0], "slurm.cannot-read-node-list-of", unread="batch")


def test_a_job_that_slurm_stopped_for_nobody_to_be_seen_is_noted() -> None:
    without = [job for job in JOBS if job.job_id != 43]
    view = dedicated_view(SETTINGS, PARTITIONS, NODES, without, (), NOW_S)
    assert "1 " + wording("slurm.more-suspended-job") in view.notes[0]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("", "CPU ×1"),
        ("CPU=2.0", "CPU ×2"),
        ("CPU=0.5,Mem=0.25G,GRES/gpu=2.0", "CPU ×0.5, Mem ×0.25G, GRES/gpu ×2"),
        ("odd=1.2.3", "odd=1.2.3"),
    ],
)
def test_billing_is_reported_in_words(weights: str, words: str) -> None:
    assert billing_words(weights) == words
