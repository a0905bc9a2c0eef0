"""`squeue -h -O FORMAT`, fields asked for here and apart by `|`: the jobs in a tenth of the text of JSON.

A width of 0 makes squeue print a field as it is, neither cut nor padded. What people write, the job's name,
stands last between two marks (see `marks`) and may hold anything; without marks, as in captures, anything but
the end of a line. Times are seconds since 1970 with
SLURM_TIME_FORMAT=%s in squeue's environment.
Not said here, and said by `squeue --json`: since when a job is suspended, and fractions of its billing.
Source: squeue(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, tzinfo

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing, shown
from fsconsole.slurm.parsers.marks import has_marks, in_one_line, records
from fsconsole.slurm.parsers.values import count, length_s, moment_s, named, non_null, resource

FIELDS: tuple[str, ...] = (
    *("JobID", "ArrayJobID", "ArrayTaskID", "HetJobID", "HetJobOffset", "UserName", "Account", "Partition"),
    *("QOS", "State", "Reason", "NodeList", "NumNodes", "NumCPUs", "TimeLimit", "SubmitTime", "EligibleTime"),
    *("StartTime", "EndTime", "TimeUsed", "PriorityLong", "RestartCnt", "Requeue", "exit_code", "AssocID"),
    *("Reservation", "tres-alloc", "Dependency", "Name"),
)
FIELDS_BEFORE = tuple(name for name in FIELDS if name != "Dependency")
"""Those of captures that earlier versions of this program made."""


def format_of(fields: Sequence[str] = FIELDS, mark: str = "") -> str:
    """Return the format for `squeue -h -O`, with a mark before and behind the last field."""
    before = f"{mark}|" if mark else ""
    return ",".join(f"{name}:0|" for name in fields[:-1]) + f"{before},{fields[-1]}:0{mark}"


FORMAT, FORMAT_BEFORE = format_of(), format_of(FIELDS_BEFORE)
"""For `squeue -h -O`, without marks."""

_SLACK_S = 5  # Clocks and roundings may differ by this much.


def read_squeue_text(
    text: str, now_s: float, zone: tzinfo = UTC, fields: Sequence[str] = FIELDS, mark: str = ""
) -> Listing[Job]:
    """Read the jobs; ScenarioError if problems prevent reading any of them.

    Args:
        text: output of squeue.
        now_s: time of the query, seconds since 1970. A running job whose run time is shorter than the time
            since its start was suspended in between. It counts as resumed at `now_s`, which keeps `Job.ran_s`
            right.
        zone: time zone of the process that printed it; irrelevant with SLURM_TIME_FORMAT=%s.
        fields: requested fields, `FIELDS` or `FIELDS_BEFORE`.
        mark: that of the format; empty if it has none.
    """
    found = Findings()
    jobs = []
    mark = mark if has_marks(text, mark) else ""
    for number, record in enumerate(records(text, mark), 1):
        if not record or record.isspace():
            continue
        try:
            jobs.append(_job(_whole_line(_values(record, mark, fields), fields), int(now_s), zone))
        except DamagedError as error:
            found.add(number, f"a job was left out: {error}")
    return found.listing(jobs)


def in_lines(text: str, mark: str) -> str:
    """Return the text without its marks, a line for each job; a record with a damaged account is left out."""
    if not has_marks(text, mark):
        return text
    rows = (_values(record, mark, FIELDS) for record in records(text, mark) if not record.isspace())
    return "".join(f"{in_one_line('|'.join(row))}\n" for row in rows if len(row) == len(FIELDS))


def _values(record: str, mark: str, fields: Sequence[str]) -> list[str]:
    """Return the fields of a record; too many if an account's name contains a `|`."""
    if not mark:
        return record.split("|", len(fields) - 1)
    head, found, name = record.partition(f"|{mark}|")
    values = head.split("|")
    if found:
        values.append(name)
    return values


def _whole_line(values: list[str], fields: Sequence[str]) -> list[str]:
    """Return the values of all of `FIELDS`."""
    if len(values) != len(fields):
        reason = "The line may be cut off" if len(values) < len(fields) else "An account's name contains |"
        msg = f"{len(values)} fields instead of {len(fields)}. {reason}"
        raise DamagedError(msg)
    return values if "Dependency" in fields else [*values[:-1], "", values[-1]]


def _job(fields: list[str], now_s: int, zone: tzinfo) -> Job:
    (number, array, task, het, offset, user, account, partition, qos, state, reason, nodes, node_count) = (
        fields[:13]
    )
    (cpus, limit, submit, eligible, start, end, used, priority, restarts, requeue, code, assoc, resv) = (
        fields[13:26]
    )
    if not state or not (partition and user):
        msg = f"its state, user or partition is empty (it begins {shown('|'.join(fields)[:20])})"
        raise DamagedError(msg)
    counts = ((number, "number"), (node_count, "number of nodes"), (cpus, "number of CPUs"))
    needed = (
        *((non_null(text), what) for text, what in counts),
        (task.strip(), "array task"),
    )  # N/A: no array
    for text, what in needed:
        if not text:
            msg = f"its {what} is empty (it begins {shown('|'.join(fields)[:20])})"
            raise DamagedError(msg)
    job_id = _whole(number)
    start_s, elapsed_s = _when_s(start, zone), length_s(used)
    ran_s = None if elapsed_s is None else int(min(elapsed_s, 2**53))
    if state == "SUSPENDED" and (start_s is None or ran_s is None):
        msg = f"its start or run time is empty (it begins {shown('|'.join(fields)[:20])})"
        raise DamagedError(msg)
    suspend_s, before_s = _suspension(state, start_s, ran_s, now_s)
    is_array = task != "N/A"
    return Job(
        job_id=job_id,
        user=sys.intern(user),
        partition=sys.intern(partition),
        states=(sys.intern(state),),
        name=fields[28],
        account=sys.intern(named(account)),
        qos=sys.intern(named(qos)),
        reason=sys.intern("" if reason == "None" else reason),
        array_job_id=_whole(array) if is_array else 0,
        array_tasks=task if is_array else "",
        het_job_id=_whole(het),
        het_offset=_whole(offset),
        nodes=non_null(nodes),
        node_count=_whole(node_count),
        cpus=_whole(cpus),
        billing=resource(fields[26], "billing"),
        time_limit_s=length_s(limit),
        submit_s=_when_s(submit, zone),
        eligible_s=_when_s(eligible, zone),
        start_s=start_s,
        end_s=_when_s(end, zone),
        suspend_s=suspend_s,
        ran_before_s=before_s,
        elapsed_s=ran_s,
        priority=_whole(priority) if non_null(priority) else None,
        exit_code=_exit_code(code),
        restarts=_whole(restarts) if non_null(restarts) else None,
        may_requeue=requeue == "1" if requeue in ("0", "1") else None,
        association_id=_whole(assoc) or None,
        reservation=sys.intern(named(resv)),
        dependency=sys.intern(named(fields[27])),
        tres=sys.intern(non_null(fields[26])),
    )


def _suspension(state: str, start_s: int | None, ran_s: int | None, now_s: int) -> tuple[int | None, int]:
    """Return the time at which counting of run time began, and the run time by then; see
    `read_squeue_text`.
    """
    if start_s is None or ran_s is None or state == "PENDING":
        return None, 0
    if state == "SUSPENDED":
        return None, ran_s
    was_suspended = state == "RUNNING" and now_s - start_s - ran_s > _SLACK_S
    return (now_s, ran_s) if was_suspended else (None, 0)


def _whole(text: str) -> int:
    return int(text) if text.isdigit() and text.isascii() and len(text) < 16 else count(text)


def _when_s(text: str, zone: tzinfo) -> int | None:
    if text.isdigit() and text.isascii() and len(text) < 13:
        return int(text) or None
    return moment_s(text, zone)


def _exit_code(text: str) -> tuple[int, int] | None:
    """Read the exit code from the number that wait(2) gives, or from both parts with a colon between."""
    if ":" in text:
        status, _, signal = text.partition(":")
        return _whole(status), _whole(signal)
    both = _whole(text)
    return both >> 8 & 0xFF, both & 0x7F
