"""`squeue -O` as text, against `squeue --json` of the same second; reservations; nodes with busy CPUs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_reservation import read_scontrol_reservation
from fsconsole.slurm.parsers.sinfo import read_sinfo
from fsconsole.slurm.parsers.squeue import read_squeue
from fsconsole.slurm.parsers.squeue_text import FIELDS, FIELDS_BEFORE, read_squeue_text
from tests.slurm.captured import captured
from tests.texts import refuses, says, wording

NOW_S = 1_795_349_180
TEXT = captured("odd/squeue-O.txt")
RESUMED, SUSPENDED, ENDLESS = 45, 51, 44


def _by_id(text: str) -> dict[int, Job]:
    listing = read_squeue_text(text, NOW_S, fields=FIELDS_BEFORE)
    assert not listing.problems
    return {job.job_id: job for job in listing.items}


def test_it_says_what_json_says() -> None:
    fields = {job.job_id: job for job in read_squeue(captured("odd/squeue-O.json")).items}
    jobs = _by_id(TEXT)
    assert jobs.keys() == fields.keys()
    for number, job in jobs.items():
        other = fields[number]
        if number == ENDLESS:  # of which JSON of 22.05 says null
            assert (job.time_limit_s, other.time_limit_s) == (float("inf"), None)
        same = replace(
            job,
            elapsed_s=None,
            suspend_s=other.suspend_s,
            ran_before_s=other.ran_before_s,
            time_limit_s=job.time_limit_s if other.time_limit_s else None,
            billing=other.billing,
            tres=other.tres,
            dependency=other.dependency,  # which was not asked for
        )
        assert same == other
        assert other.tres in ("", job.tres)  # JSON of 22.05 has none of running jobs
        assert job.billing is not None
        assert other.billing is not None
        assert job.billing == int(other.billing)  # squeue cuts it off
        assert job.label == other.label


def test_how_long_jobs_have_run() -> None:
    fields = {job.job_id: job for job in read_squeue(captured("odd/squeue-O.json")).items}
    for number, job in _by_id(TEXT).items():
        assert job.elapsed_s is not None
        assert job.ran_s(NOW_S) == job.elapsed_s
        for later_s in (0, 1, 3600):
            assert job.ran_s(NOW_S + later_s) == pytest.approx(fields[number].ran_s(NOW_S + later_s), abs=1)
    assert _by_id(TEXT)[SUSPENDED].state == "SUSPENDED"
    assert _by_id(TEXT)[RESUMED].ran_s(NOW_S) == 20


def test_a_name_may_be_anything() -> None:
    jobs = _by_id(TEXT)
    assert {*(tuple(job.name.split()) for job in jobs.values())} == {
        ("wrap",),
        ("het.sh",),
        ("a|b", "=x", '"q"'),
    }


def test_lines_that_are_damaged_are_left_out_and_said() -> None:
    lines = TEXT.splitlines()
    lines[1] = lines[1][:40]
    lines[3] = lines[3].replace("49|", "4x|", 1)
    lines[4] = lines[4].replace("1795349150", "17953491xx", 1)
    listing = read_squeue_text("\n".join(lines), NOW_S, fields=FIELDS_BEFORE)
    assert len(listing.items) == len(lines) - 3
    assert [problem.line for problem in listing.problems] == [2, 4, 5]
    assert says(listing.problems[0].text, "slurm.parsers.fields-instead-of-line-may", fields_2="28")
    with refuses(ScenarioError, "slurm.parsers.fields-instead-of", fields="29"):
        read_squeue_text("squeue: nonsense\n", NOW_S)


def test_no_jobs_at_all() -> None:
    assert read_squeue_text("", NOW_S).items == ()
    assert len(FIELDS) == len(set(FIELDS))


def test_reservations() -> None:
    listing = read_scontrol_reservation(captured("odd/scontrol-show-reservation.txt"))
    assert not listing.problems
    by_name = {one.name: one for one in listing.items}
    assert list(by_name) == ["ded", "maint", "part2", "part3"]
    ded, maint = by_name["ded"], by_name["maint"]
    assert (ded.start_s, ded.end_s, ded.nodes, ded.node_count) == (1795349150, 1795352750, "n4", 1)
    assert (ded.users, ded.accounts, ded.state) == (("fs_anna", "fs_ben"), (), "ACTIVE")
    assert ded.flags == {"IGNORE_JOBS", "SPEC_NODES"}
    assert (maint.state, maint.nodes, maint.partition) == ("INACTIVE", "n[1-4]", "")
    assert by_name["part2"].accounts == ("hep", "astro")
    assert by_name["part2"].partition == "batch"
    assert by_name["part3"].users == ("-fs_anna",)
    assert by_name["part3"].flags == frozenset()


def test_no_reservations() -> None:
    answer = read_scontrol_reservation("No reservations in the system\n").items
    assert answer == ()
    command = wording("slurm.parsers.scontrol-show", what="reservation")
    with refuses(ScenarioError, "slurm.parsers.is-not-output-of-record", command=command):
        read_scontrol_reservation("slurm_load_reservations error\n")


def test_nodes_with_their_busy_cpus() -> None:
    listing = read_sinfo(captured("odd/sinfo-o.psv"))
    assert not listing.problems
    by_name = {node.name: node for node in listing.items}
    assert {name: node.busy_cpus for name, node in by_name.items()} == {"n1": 3, "n2": 0, "n3": 6, "n4": 1}
    assert (by_name["n2"].state, by_name["n2"].reason.split()) == ("drained", ["bad", "|", "disk"])
    assert by_name["n1"].partitions == ("batch", "dedicated", "scavenge")
    assert (by_name["n1"].reason, by_name["n1"].cpus) == ("", 8)
    assert read_sinfo("n1|batch|down*|8+|0/0/8/8|Not responding\n").items[0].marks == ("*",)
