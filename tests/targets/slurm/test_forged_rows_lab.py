"""Jobs of a real cluster whose names and comments hold rows and records of others: nobody is taken in."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconsole.recording.audit import Result
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.targets.slurm.finished_jobs import read_finished
from fsconsole.targets.slurm.job_actions import act
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.reading import Reader, capture
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE
from tests.slurm.lab.lab import Lab
from tests.texts import wording

USER = SYSTEM_PEOPLE[0]
RECORD = "JobId=777 JobName=y UserId=root(0) GroupId=root(0) MCS_label=N/A JobState=RUNNING Partition=batch"


@pytest.fixture
def lab(slurm_lab: Lab) -> Iterator[Lab]:
    """A cluster on which nothing runs, before and after."""
    slurm_lab.cancel_all()
    yield slurm_lab
    slurm_lab.cancel_all()


@pytest.fixture
def tools(lab: Lab) -> Tools:
    """Its tools."""
    return Tools(lab.place, lab.environment)


def _row(lab: Lab) -> str:
    """What squeue prints of the first job, as that of another."""
    words = Reader(Tools(lab.place, lab.environment))._command(PartName.JOBS)
    return lab.run(*words).stdout.splitlines()[0].replace("|PENDING|", "|SUSPENDED|")


def test_jobs_nodes_and_finished_jobs_are_the_real_ones(lab: Lab, tools: Tools, tmp_path: Path) -> None:
    quiet = lab.submit(USER, "ocean", "--hold")
    name = f"x\n{_row(lab).replace(str(quiet), '777')}"
    forger = lab.submit(USER, "ocean", f"--job-name={name}")
    row = "NodeName=n9 CPUAlloc=0 CPUTot=8 State=IDLE Partitions=batch"
    lab.run("scontrol", "update", "NodeName=n1", "State=DRAIN", f"Reason=a\n{row}\n\n{row}")
    try:
        reader = Reader(tools)
        assert {job.job_id: job.name for job in reader.read(PartName.JOBS).value}[forger] == name
        assert 777 not in {job.job_id for job in reader.read(PartName.JOBS).value}
        nodes = {node.name: node.reason for node in reader.read(PartName.NODES).value}
        assert nodes["n1"].startswith("a NodeName=n9")
        assert "n9" not in nodes
        capture(tools, tmp_path / "kept")
        again = Reader(Tools(capture_place(tmp_path / "kept")))
        kept = {job.job_id: job.name for job in again.read(PartName.JOBS).value}
        assert kept[forger] == name.replace("\n", " ")
        assert 777 not in kept
        assert {node.name for node in again.read(PartName.NODES).value} == set(nodes)
    finally:
        lab.run("scontrol", "update", "NodeName=n1", "State=RESUME")
    lab.wait_until(lambda: lab.job_states()[forger] == "RUNNING", "it runs")
    lab.run("scancel", str(forger))

    def finished() -> dict[int, str]:
        found = read_finished(tools.run, 3600.0, time.time())
        return {one.job.job_id: one.job.name for one in found.jobs}

    lab.wait_until(lambda: forger in finished(), "slurmdbd knows the end of it")
    assert finished()[forger] == name
    assert 777 not in finished()


def test_actions_go_by_the_real_jobs(lab: Lab, tools: Tools) -> None:
    """Alone and together; by scontrol, and by squeue where scontrol's records are in doubt."""
    array = lab.submit(USER, "ocean", "--hold", "--array=1-3")
    claim = f"c\n   ArrayJobId={array} ArrayTaskId=1 TimeLimit=9-00:00:00"
    jobs = [
        lab.submit(USER, "ocean", "--hold", f"--job-name=x {RECORD[6:]}\n{RECORD}"),
        lab.submit(USER, "ocean", "--hold", f"--comment=c\n{RECORD}"),
        lab.submit(USER, "ocean", "--hold", f"--comment={claim}"),
        lab.submit(USER, "ocean", "--hold", "--job-name=x\n   TimeLimit=9-00:00:00"),
    ]
    for job in jobs:
        (report,) = act(tools.run, JobChange(JobVerb.EXTEND, (str(job),), 300.0))
        assert (report.result, report.before, report.after) == (Result.DONE, "1:00:00", "1:05:00")
    labels = (*map(str, jobs), f"{array}_[1-3]", "777")
    *reports, unknown = act(tools.run, JobChange(JobVerb.KILL, labels))
    assert [report.result for report in reports] == [Result.DONE] * 5
    assert unknown.text == wording("targets.slurm.slurmctld-has-no-such-job")
    assert {lab.job_states()[job] for job in jobs} == {"CANCELLED"}
