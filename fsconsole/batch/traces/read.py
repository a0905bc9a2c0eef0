"""Traces of real machines, from files of several formats, as tables of jobs with a report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fsconsole.batch.job_table import Ints, JobTable
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.traces.content import content_of, unpacked, workload_name
from fsconsole.batch.traces.filtering import Rule, applied, by_line, filtered
from fsconsole.batch.traces.not_modelled import not_modelled
from fsconsole.batch.traces.raw import MOST_NODE_SECONDS, RawJobs, RawTrace
from fsconsole.batch.traces.report import Finding, ImportReport, TraceError
from fsconsole.batch.traces.sacct import Counted, Owners, is_sacct, parse_sacct
from fsconsole.batch.traces.swf import parse_swf

NOBODY = "unknown"  # Jobs without a user belong to this one.


@dataclass(frozen=True, eq=False, slots=True)
class Imported:
    """The result of reading a trace.

    Attributes:
        jobs: jobs that can be simulated.
        report: report on all jobs of the trace.
        cluster_nodes: nodes of the machine, as requested or from the header; None if neither is known.
        wait_s: wait of each job on the real machine, int64 [jobs]; -1 if unknown.
    """

    jobs: JobTable
    report: ImportReport
    cluster_nodes: int | None
    wait_s: Ints


def read_trace(path: Path, *, cluster_nodes: int | None = None, counted: Counted | None = None) -> Imported:
    """Read a trace in the Standard Workload Format, or the output of Slurm's `sacct -P`; gzipped or not.

    Jobs without a submit time, without a runtime above 0, with 0 nodes or more than the machine, and with a
    repeated number are dropped; all of them are in the report, with their lines.

    Args:
        path: the file.
        cluster_nodes: nodes of the machine; by default the header's number.
        counted: only for sacct: the unit that counts as a node, a CPU (if None) or a node of the cluster.

    Raises:
        OSError: the file cannot be read.
        TraceError: it is damaged, of no known format, or without any job that can be simulated.
    """
    return parse_trace(content_of(path), str(path), cluster_nodes=cluster_nodes, counted=counted)


def parse_trace(
    data: bytes,
    name: str,
    *,
    cluster_nodes: int | None = None,
    counted: Counted | None = None,
    owners: Owners = "users",
) -> Imported:
    """Read the bytes of a trace as `read_trace` does, gzipped or not; `name` is their name in messages.

    A job is its user's, or with `owners` its account's, which only sacct has.

    Raises:
        TraceError: it is damaged, of no known format, or without any job that can be simulated.
    """
    text = unpacked(data, name)
    trace = _parsed(text, name, counted, owners)
    machine = trace.cluster_nodes if cluster_nodes is None else cluster_nodes
    raw, result = trace.jobs, filtered(trace.jobs, machine, trace.unit)
    rows = result.rows
    user, users = _users(raw.owner[rows], trace.user_names)
    dropped = tuple(by_line(trace.dropped, result.dropped))
    repaired = tuple(by_line(trace.repaired, result.repaired, _ownerless(raw, rows)))
    pools = {"partition": raw.partition} | ({} if "QOS limits" in raw.left_out else {"queue": raw.qos})
    left_out = not_modelled(raw.left_out, pools, rows)
    notes = (*trace.notes, *([left_out] if left_out else []))
    report = ImportReport(name, trace.found, len(rows), dropped, repaired, notes)
    if not len(rows):
        msg = "\n".join([f"{name}: no job of this trace can be simulated", *report.lines()])
        raise TraceError(msg)
    _check_sum(raw, rows, name)
    jobs = JobTable(
        raw.job_id[rows],
        raw.submit_s[rows],
        raw.runtime_s[rows],
        raw.nodes[rows],
        user,
        users,
        workload_name(name),
        trace.unix_start_s,
        trace.cluster_nodes,
        trace.time_zone,
        *(None if labels is None else labels.rows(rows) for labels in (raw.partition, raw.qos)),
    )
    return Imported(jobs, report, machine, np.maximum(raw.wait_s[rows], -1))


def _parsed(text: bytes, name: str, counted: Counted | None, owners: Owners) -> RawTrace:
    if is_sacct(text):
        return parse_sacct(text, name, counted or "cpus", owners)
    if owners == "accounts":
        msg = f"{name}: a trace in the Standard Workload Format does not name accounts. Read it by user"
        raise TraceError(msg)
    if counted is not None:
        msg = f"{name} counts processors. The choice between cpus and nodes applies only to sacct's output"
        raise TraceError(msg)
    return parse_swf(text, name)


def _check_sum(raw: RawJobs, rows: Ints, name: str) -> None:
    """Raise TraceError if the jobs together exceed the range of sums."""
    asked = float((raw.nodes[rows].astype(np.float64) * raw.runtime_s[rows]).sum())
    if asked > MOST_NODE_SECONDS:
        msg = (
            f"{name}: its jobs have {asked:.1e} node-seconds in all. The sum must be below "
            f"{MOST_NODE_SECONDS:.1e}"
        )
        raise TraceError(f"{msg}. Check that runtimes (in seconds) and processors are in their columns")


def own_schedule(imported: Imported) -> Schedule | None:
    """Return the real machine's schedule of the jobs with known waits; None without any.

    Runtimes and waits are the trace's own, so that starts are exact; reservations are unknown.
    """
    known = imported.wait_s >= 0
    if not known.any():
        return None
    jobs = imported.jobs.rows(known)
    nodes = imported.cluster_nodes or int(jobs.nodes.max())
    start_s = jobs.submit_s + imported.wait_s[known]
    return Schedule(jobs, nodes, None, np.ones(len(jobs.users)), start_s, source=f"{jobs.name} as it ran")


def _users(owner: Ints, names: dict[int, str]) -> tuple[Ints, tuple[str, ...]]:
    """Return each job's user as an index, and the names, in the order of the users' numbers."""
    numbers, which = np.unique(owner, return_inverse=True)
    called = [NOBODY if number < 0 else names.get(number, str(number)) for number in numbers.tolist()]
    users = tuple(dict.fromkeys(called))
    place = {name: index for index, name in enumerate(users)}
    return np.array([place[name] for name in called], dtype=np.int64)[which], users


def _ownerless(raw: RawJobs, rows: Ints) -> list[Finding]:
    """Return findings on jobs without a user in the trace."""
    reason = f"it has no user and counts as a job of user {NOBODY!r}"
    return applied(
        [Rule(raw.owner[rows] < 0, "no user", lambda _: reason)], raw.job_id[rows], raw.line[rows]
    )[1]
