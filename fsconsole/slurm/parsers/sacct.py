"""`sacct -P`: jobs that ran, from the database, as single jobs for people to look at.

Reading traces for simulation is another thing (`batch/traces/sacct.py`): millions of lines as columns, where
what counts is which of them can be simulated. Neither room may know the other.
Source: sacct(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

import re
import sys
from datetime import UTC, tzinfo

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing, shown
from fsconsole.slurm.parsers.pipes import Row, rows
from fsconsole.slurm.parsers.values import count, exit_code, length_s, moment_s, named, resource, said

_NEEDED = ("jobid", "user", "state")
_JOB = re.compile(r"([0-9]{1,15})(?:_([0-9]+|\[.*\])|\+([0-9]{1,9}))?")

ASKED = (
    "JobID,JobIDRaw,User,Account,Partition,QOS,State,Submit,Eligible,Start,End,ElapsedRaw,Timelimit,"
    "AllocCPUS,ReqCPUS,NNodes,NodeList,AllocTRES,ExitCode,Priority,JobName"
)
"""The fields for `sacct -X -P -o` that say all that is read; the name is last, because it may hold a |."""


def read_sacct(text: str, zone: tzinfo = UTC) -> Listing[Job]:
    """Read the jobs, without their steps; ScenarioError where none can be read for what is wrong.

    Args:
        text: what sacct printed, with any fields.
        zone: the clock of the process that printed it; none matters with SLURM_TIME_FORMAT=%s.
    """
    found = Findings()
    jobs = []
    for number, row in rows(text, found, _NEEDED, "sacct -P"):
        if "." in row["jobid"]:
            continue
        try:
            jobs.append(_job(row, zone))
        except DamagedError as error:
            found.add(number, f"a job was left out: {error}")
    return found.listing(jobs)


def _job(row: Row, zone: tzinfo) -> Job:
    match = _JOB.fullmatch(row["jobid"].strip())
    states = row["state"].split()
    if match is None or not states:
        told = f"its number is {shown(row['jobid'])}, its state {shown(row['state'])}"
        msg = f"{told}, expected such as 7 and RUNNING"
        raise DamagedError(msg)

    def name(key: str) -> str:
        return sys.intern(named(row.get(key, "")))

    def when_s(key: str) -> int | None:
        return moment_s(row.get(key, ""), zone)

    return Job(
        job_id=count(row.get("jobidraw", "")) or int(match[1]),
        name=row.get("jobname", ""),
        user=name("user"),
        account=name("account"),
        partition=name("partition"),
        qos=name("qos"),
        states=(sys.intern(states[0]),),  # without the number of the one who cancelled it
        reason=said(row.get("reason", "")),
        array_job_id=int(match[1]) if match[2] else 0,
        array_tasks=(match[2] or "").strip("[]"),
        het_job_id=int(match[1]) if match[3] else 0,
        het_offset=int(match[3] or 0),
        nodes=said(row.get("nodelist", "")),
        node_count=count(row.get("nnodes", "") or row.get("allocnodes", "")),
        cpus=count(row.get("alloccpus", "")) or count(row.get("reqcpus", "")),
        billing=resource(row.get("alloctres", ""), "billing"),
        time_limit_s=length_s(row.get("timelimitraw") or row.get("timelimit", "")),
        submit_s=when_s("submit"),
        eligible_s=when_s("eligible"),
        start_s=when_s("start"),
        end_s=when_s("end"),
        elapsed_s=_elapsed_s(row),
        priority=count(row["priority"]) if said(row.get("priority", "")) else None,
        exit_code=exit_code(row.get("exitcode", "")),
        association_id=count(row.get("associd", "")) or None,
    )


def _elapsed_s(row: Row) -> int | None:
    """Seconds of ElapsedRaw, or of Elapsed."""
    elapsed_s = length_s(row.get("elapsedraw") or row.get("elapsed", ""), bare_unit_s=1.0)
    return None if elapsed_s is None else int(min(elapsed_s, 2**53))
