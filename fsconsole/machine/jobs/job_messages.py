"""Messages about jobs: their ends, and faults of request numbers."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from fsconsole.machine.jobs.job import Job
from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused


def job_of(jobs: Mapping[int, Job], request: int) -> Job:
    """Return a job by its request.

    Raises:
        LookupError: the request is unknown; the message lists the known ones.
    """
    if request not in jobs:
        known = f"jobs are numbered {min(jobs)} to {max(jobs)}" if jobs else "there are no jobs yet"
        msg = f"job {request} not found; {known}"
        raise LookupError(msg)
    return jobs[request]


def clock(machine: Machine, tick: int) -> str:
    """Return the machine's time of day at a tick, with the date if it is not today."""
    at = machine.spec.start + timedelta(seconds=tick / machine.spec.hz)
    now = machine.spec.start + timedelta(seconds=machine.now_s)
    return f"{at:%H:%M:%S}" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M:%S}"


def ended_text(machine: Machine, job: Job) -> str:
    """Return a message on the time and the way in which a job ended."""
    status = "" if job.exit_status is None else f", exit status {job.exit_status}"
    return f"{job.request} {job.label} has ended at {clock(machine, job.ended_tick or 0)}: {job.how}{status}"


def not_waiting(machine: Machine, job: Job) -> Refused:
    """Return the reason why an action on waiting jobs is impossible for this one."""
    if job.state == "ended":
        return Refused(ended_text(machine, job))
    at = clock(machine, job.started_tick or 0)
    return Refused(f"{job.request} {job.label} no longer waits: it is {job.state}, started at {at}")
