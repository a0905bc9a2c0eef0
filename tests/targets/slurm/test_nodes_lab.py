"""Nodes drained and resumed, and jobs that have ended, on a real cluster."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.recording.audit import Result
from fsconsole.slurm.node_change import NodeChange, NodeVerb
from fsconsole.slurm.parsers import sinfo
from fsconsole.slurm.parsers.findings import Listing
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_node import COMMAND, ClusterNode, read_scontrol_node
from fsconsole.targets.slurm.action_callbacks import ActionCallbacks
from fsconsole.targets.slurm.finished_jobs import read_finished
from fsconsole.targets.slurm.job_files import read_output, read_script
from fsconsole.targets.slurm.node_actions import act
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.tools import ToolError, Tools
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE
from tests.slurm.lab.lab import Lab
from tests.texts import refuses, says, wording

USER, OTHER = SYSTEM_PEOPLE[:2]


@pytest.fixture
def lab(slurm_lab: Lab) -> Iterator[Lab]:
    """A cluster on which nothing runs, before and after."""
    slurm_lab.cancel_all()
    yield slurm_lab
    slurm_lab.cancel_all()


def _do(lab: Lab, verb: NodeVerb, *nodes: str, reason: str = "") -> tuple[ActionReport, ...]:
    return act(Tools(lab.place, lab.environment).run, NodeChange(verb, nodes, reason))


def _reason(lab: Lab, node: str) -> str:
    return lab.run("sinfo", "-h", "-N", "-p", "batch", "-n", node, "-o", "%T %E").stdout.strip()


def _shown(
    lab: Lab, command: Sequence[str], read: Callable[[str], Listing[ClusterNode]]
) -> list[ClusterNode]:
    nodes = read(lab.run(*command).stdout).items
    ordered = sorted(nodes, key=lambda node: node.name)
    return [replace(node, partitions=tuple(sorted(node.partitions))) for node in ordered]


def test_drain_and_resume(lab: Lab) -> None:
    job = lab.submit(USER, "ocean", "--nodelist=n1")
    lab.wait_until(lambda: lab.job_states()[job] == "RUNNING", "the job runs")
    reason = "fan 2 | is = loud; $(id)"
    reports = _do(lab, NodeVerb.DRAIN, "n1", "n2", "n99", reason=reason)
    assert [report.result for report in reports] == [Result.DONE, Result.DONE, Result.REFUSED]
    assert reports[0].after == f"draining ({reason})"
    assert reports[2].text == wording("targets.slurm.slurmctld-has-no-such-node")
    assert _reason(lab, "n2") == f"drained {reason}"
    assert lab.job_states()[job] == "RUNNING"
    assert _shown(lab, COMMAND, read_scontrol_node) == _shown(lab, sinfo.COMMAND, sinfo.read_sinfo)
    again = _do(lab, NodeVerb.DRAIN, "n1", reason="again")[0]
    assert (again.result, again.command) == (Result.REFUSED, ())
    back = _do(lab, NodeVerb.RESUME, "n1", "n2", "n3")
    assert [report.result for report in back] == [Result.DONE, Result.DONE, Result.REFUSED]
    assert back[1].after == "idle"
    assert _reason(lab, "n2").startswith("idle")


def test_what_is_not_allowed_is_reported(lab: Lab) -> None:
    """An ordinary user may not drain; nothing is changed."""
    run = Tools(lab.place_of(USER), lab.environment).run
    called: list[str] = []

    def begin(node: str, _command: tuple[str, ...]) -> str:
        called.append(node)
        return ""

    (report,) = act(run, NodeChange(NodeVerb.DRAIN, ("n3",), "fan"), ActionCallbacks(begin=begin))
    assert (report.result, called) == (Result.REFUSED, ["n3"])
    assert says(report.text, "targets.slurm.invalid-user-id")
    assert _reason(lab, "n3").startswith("idle")


def test_nothing_is_sent_that_is_not_logged(lab: Lab) -> None:
    callbacks = ActionCallbacks(begin=lambda _node, _command: "Cannot write the audit log")
    run = Tools(lab.place, lab.environment).run
    (report,) = act(run, NodeChange(NodeVerb.DRAIN, ("n3",), "fan"), callbacks)
    assert report.result is Result.NOT_SENT
    assert _reason(lab, "n3").startswith("idle")


def test_jobs_that_ended_are_found(lab: Lab) -> None:
    """This cluster measures no CPU time, which is said; what sacct prints for it is not shown as 0."""
    well, other = lab.submit(USER, "ocean", seconds=0), lab.submit(USER, "ocean", seconds=600)
    lab.wait_until(lambda: lab.job_states()[other] == "RUNNING", "the second job runs")
    lab.run("scancel", str(other))
    lab.wait_until(
        lambda: {lab.job_states()[one] for one in (well, other)} == {"COMPLETED", "CANCELLED"}, "both end"
    )
    run = Tools(lab.place, lab.environment).run
    settings = read_scontrol_config(lab.run("scontrol", "show", "config").stdout)

    def ended() -> dict[int, tuple[str, int | None, float | None]]:
        kept = read_finished(run, 3600.0, time.time(), settings)
        gathered = "jobacct_gather/none" if lab.version < (24, 11) else "(null)"
        assert kept.notes == (wording("targets.slurm.cpu-time-is-not-measured", gathered=gathered),)
        return {one.job.job_id: (one.job.state, one.cancelled_by, one.used_s) for one in kept.jobs}

    lab.wait_until(lambda: {well, other} <= ended().keys(), "slurmdbd knows of both")
    assert ended()[well] == ("COMPLETED", None, None)
    assert ended()[other] == ("CANCELLED", 0, None)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that belongs to the user, and that others may enter, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        shutil.chown(name, USER)
        yield Path(name)


def test_script_and_end_of_the_output(lab: Lab, folder: Path) -> None:
    file = folder / "of a job.txt"
    run = Tools(lab.place, lab.environment).run
    other = Tools(lab.place_of(OTHER), lab.environment).run
    job = str(lab.submit(USER, "ocean", f"--output={file}", seconds=600))
    lab.wait_until(file.exists, "the job runs")
    assert read_output(run, job).remark == f"{file} is empty: no output yet."
    file.write_text("".join(f"line {number}\n" for number in range(1000)))
    assert read_script(run, job).endswith("exec sleep 600\n")
    found = read_output(run, job, 100)
    assert (found.path, found.is_cut) == (str(file), True)
    assert found.text.startswith("line 9")
    assert found.text.endswith("line 998\nline 999\n")
    with pytest.raises(ToolError, match="only its user, operators and root may read it"):
        read_script(other, job)
    file.unlink()
    missing = f"Job {job} has no output yet: {file} does not exist where Slurm's tools run. It may be on n"
    assert read_output(run, job).remark.startswith(missing)
    with pytest.raises(ToolError, match="discards its output \\(/dev/null\\)\\."):
        read_output(run, str(lab.submit(USER, "ocean")))
    with pytest.raises(ToolError, match="slurmctld has no such job"):
        read_script(run, "999999")
    with pytest.raises(ToolError, match="is not a job number\\. Example: 7, 7_3, 7_\\[1-5\\] or 7\\+1"):
        read_output(run, "-h")


@pytest.mark.parametrize("path", ["/etc/shadow", "/dev/zero"])
def test_a_path_to_what_others_may_not_read_shows_nothing(lab: Lab, path: str) -> None:
    job = str(lab.submit(USER, "ocean", f"--output={path}"))
    lab.wait_until(lambda: lab.job_states()[int(job)] != "PENDING", "the job was begun")
    with refuses(ToolError, "targets.slurm.it-is-not-shown-because"):
        read_output(Tools(lab.place, lab.environment).run, job)


def test_fields_in_a_name_or_path_do_not_choose_the_file(lab: Lab) -> None:
    forged = "   UserId=root(0) GroupId=root(0) MCS_label=N/A\n   StdOut=/etc/shadow"
    job = str(lab.submit(USER, "ocean", f"--job-name=x\n{forged}", f"--output=/tmp/a\n{forged}"))
    with refuses(ToolError, "targets.slurm.slurm-gives-no-single-output"):
        read_output(Tools(lab.place, lab.environment).run, job)
    broken = str(lab.submit(USER, "ocean", "--output=/tmp/a\nb"))
    with refuses(ToolError, "targets.slurm.path-of-output-of-job"):
        read_output(Tools(lab.place, lab.environment).run, broken)
