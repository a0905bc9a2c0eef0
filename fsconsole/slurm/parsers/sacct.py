"""`sacct -a -p --delimiter=MARK -o FIELDS` with SLURM_TIME_FORMAT=%s: jobs that slurmdbd remembers.

With -P and without a delimiter, a job is a line, and what its name holds behind the end of a line is lost.

Source: sacct(1), and its output of Slurm 22.05.8. Without -X it prints steps too, which are left out here:
with -X that version does not add up the CPU time that they used.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing
from fsconsole.slurm.parsers.marks import has_marks
from fsconsole.slurm.parsers.pipes import Row, marked_rows, rows
from fsconsole.slurm.parsers.values import exit_code, known_count, length_s, moment_s, named, non_null

FIELDS = (
    *("JobID", "JobIDRaw", "User", "Account", "Partition", "QOS", "State", "ExitCode", "DerivedExitCode"),
    *("Submit", "Start", "End", "ElapsedRaw", "TimelimitRaw", "AllocCPUS", "CPUTimeRAW", "TotalCPU"),
    *("NNodes", "NodeList", "JobName"),
)
"""For `sacct -o`; what people write stands last, as it may hold the sign that parts fields."""

_NEEDED = ("jobid", "jobidraw", "state", "elapsedraw")
_CANCELLED_BY = re.compile(r"CANCELLED by ([0-9]+)")
_LABEL = re.compile(r"(?P<number>[0-9]+)(?:_\[?(?P<tasks>[0-9,%:-]+)\]?|\+(?P<part>[0-9]+))?")


@dataclass(frozen=True, slots=True)
class FinishedJob:
    """Job in slurmdbd; each task of an array and each part of a het job is a separate one.

    Attributes:
        job: values common to all jobs.
        cancelled_by: number of the user who cancelled it; None if unknown.
        step_exit_code: highest exit status and signal of its steps.
        allocated_s: allocated seconds times the number of CPUs.
        used_s: CPU seconds of all its steps; None if sacct does not report them.
    """

    job: Job
    cancelled_by: int | None = None
    step_exit_code: tuple[int, int] | None = None
    allocated_s: int = 0
    used_s: float | None = None


def read_sacct(text: str, mark: str = "") -> Listing[FinishedJob]:
    """Read the jobs; ScenarioError if problems prevent reading any of them.

    Args:
        text: output of sacct.
        mark: what it was asked to print behind each field (see `marks`); empty for output of -P.
    """
    found, jobs = Findings(), []
    command = "sacct -P"
    is_marked = has_marks(text, mark)
    table = (
        marked_rows(text, mark, found, _NEEDED, command) if is_marked else rows(text, found, _NEEDED, command)
    )
    for number, row in table:
        if "." in row["jobid"]:
            continue  # Steps belong to their job.
        try:
            jobs.append(_finished(row))
        except DamagedError as error:
            found.add(number, f"job {row['jobid']} was left out: {error}")
    return found.listing(jobs)


def _finished(row: Row) -> FinishedJob:
    by = _CANCELLED_BY.fullmatch(row["state"].strip())
    return FinishedJob(
        job=_job(row, "CANCELLED" if by else non_null(row["state"]) or "UNKNOWN"),
        cancelled_by=int(by[1]) if by else None,
        step_exit_code=exit_code(row.get("derivedexitcode", "")),
        allocated_s=known_count(row, "cputimeraw"),
        used_s=_used_s(row.get("totalcpu", "")),
    )


def _used_s(text: str) -> float | None:
    """Return seconds of `00:04.737`; fractions matter for jobs with little usage."""
    whole_s = length_s(text)
    fraction = text.strip().partition(".")[2]
    return None if whole_s is None else whole_s + float(f"0.{fraction}" if fraction.isdigit() else 0)


def _job(row: Row, state: str) -> Job:
    label = _LABEL.fullmatch(row["jobid"].strip())
    if label is None:
        msg = f"its number {row['jobid']!r} is not a job number such as 7, 7_3 or 7+1"
        raise DamagedError(msg)
    return Job(
        job_id=known_count(row, "jobidraw"),
        user=named(row.get("user", "")),
        partition=named(row.get("partition", "")),
        states=(state,),
        name=row.get("jobname", ""),
        account=named(row.get("account", "")),
        qos=named(row.get("qos", "")),
        array_job_id=int(label["number"]) if label["tasks"] else 0,
        array_tasks=label["tasks"] or "",
        het_job_id=int(label["number"]) if label["part"] else 0,
        het_offset=int(label["part"] or 0),
        nodes=non_null(row.get("nodelist", "")),
        node_count=known_count(row, "nnodes"),
        cpus=known_count(row, "alloccpus"),
        time_limit_s=length_s(row.get("timelimitraw", "")),
        submit_s=_moment(row, "submit"),
        start_s=_moment(row, "start"),
        end_s=_moment(row, "end"),
        elapsed_s=known_count(row, "elapsedraw"),
        exit_code=exit_code(row.get("exitcode", "")),
    )


def _moment(row: Mapping[str, str], key: str) -> int | None:
    return moment_s(row.get(key, ""), UTC)
