"""Unknown results of the audit log, decided once the cluster can be read again.

The rows of the log suffice, so that results are also decided that an earlier session or the command line left
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.slurm.change_set import OF_USERS, Entry, Verb, entries_of, entry_words
from fsconsole.slurm.cluster_tree import ClusterTree
from fsconsole.slurm.job_change import JobChange, JobVerb, Seen, jobs_status, seen
from fsconsole.slurm.job_labels import JobIndex
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limits import limit_named
from fsconsole.slurm.names import in_words
from fsconsole.slurm.node_change import NodeChange, NodeVerb, is_done
from fsconsole.slurm.node_change import status_words as node_words
from fsconsole.targets.slurm.audit_rows import SEND, Author
from fsconsole.targets.slurm.readback import UnreadableError
from fsconsole.targets.slurm.reports import ApplyReport, result_counts
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.text import moments
from fsconsole.text.words import capitalised, count_words

CONSOLE = "console"
"""Author of rows that no user has asked for."""
CHECK = "check "
_LATE_S = 10.0  # A command without an effect after this time is not expected to have one any more.
TREE_VERBS = {verb.lower(): verb for verb in Verb}
JOB_VERBS = {f"{verb} job": verb for verb in JobVerb}
NODE_VERBS = {f"{verb} node": verb for verb in NodeVerb}
_SEEN = {Seen.DONE: Result.DONE, Seen.NOT_YET: Result.NOT_SENT, Seen.OTHERWISE: Result.DIFFERENT}

Defaults = Callable[[Collection[str]], Mapping[str, str]]
Verdict = tuple[Result, str]


def unknown_rows(rows: Iterable[AuditRow]) -> tuple[AuditRow, ...]:
    """Return the rows with an unknown result that no later row decides."""
    found: dict[tuple[int, str, str, str, str], AuditRow] = {}
    for row in rows:
        if row.checks:
            found.pop((row.checks, row.action.removeprefix(CHECK), row.on, row.after, row.act), None)
        elif row.result is Result.UNKNOWN and _part_of(row) is not None:
            found[row.tick, row.action, row.on, row.after, row.act] = row
    return tuple(found.values())


def decide(
    state: ClusterState, part: PartName, began_s: float, author: Author, defaults: Defaults
) -> tuple[AuditRow, ...]:
    """Return a row for each unknown result that a fresh reading decides.

    Args:
        state: the cluster, with the reading and the audit log.
        part: what was read.
        began_s: when that began, seconds since 1970.
        author: author of the rows.
        defaults: reads the default accounts of some users.
    """
    waiting = [row for row in unknown_rows(state.audit) if _part_of(row) is part and began_s > row.tick]
    if not waiting:
        return ()
    judge = _judge_of(part, state, waiting, defaults)
    made = []
    for row in waiting:
        verdict = judge(row)
        if verdict is None or (verdict[0] is Result.NOT_SENT and began_s < row.tick + _LATE_S):
            continue
        result, now = verdict
        text = f"Sent at {moments.clock(row.tick)} by {row.author}, result unknown. Read now: {now}"
        check = author.row(f"{CHECK}{row.action}", row.on, row.before, row.after, result, text)
        made.append(replace(check, checks=row.tick, act=row.act))
    return tuple(made)


def checked_words(rows: Sequence[AuditRow]) -> str:
    """Return a sentence on decided results: `2 changes of 11:02 checked: both were made.`"""
    times = list(dict.fromkeys(moments.clock(at)[:5] for at in sorted(row.checks for row in rows)))
    when = times[0] if len(times) == 1 else f"{times[0]} to {times[-1]}"
    results = [row.result for row in rows]
    return f"{count_words(len(rows), 'change')} of {when} checked: {_results_words(results)}"


def resolved(report: ApplyReport, checked: Iterable[AuditRow]) -> ApplyReport:
    """Return a report with the results that have been decided since."""
    known = {(row.action.removeprefix(CHECK), row.on, row.after): row for row in checked}

    def now(action: str, on: str, after: str) -> AuditRow | None:
        return known.get((action.lower(), on, after))

    rows = tuple(
        replace(row, result=found.result, text=found.text)
        if row.result is Result.UNKNOWN
        and (found := now(row.change.verb, row.change.on, row.change.after)) is not None
        else row
        for row in report.rows
    )
    return report if rows == report.rows else replace(report, rows=rows)


def stored_verdict(row: AuditRow, tree: ClusterTree) -> Verdict | None:
    """Judge a change of the tree by the stored one; None if that does not show it."""
    verb = TREE_VERBS.get(row.action.removeprefix(SEND))
    if verb is None or verb in OF_USERS or not tree.is_complete:
        return None
    name = row.after.removeprefix("no ").partition(" ")[0]
    is_of_qos = row.on.startswith("QOS ")
    limit = limit_named(name, of_qos=is_of_qos) if verb is Verb.LIMIT else None
    if verb is Verb.LIMIT and (limit is None or (tree.qos if is_of_qos else tree.stored.own) is None):
        return None
    entries = {in_words(key): entry for key, entry in entries_of(tree).items()}
    return _compared(row, entry_words(verb, entries.get(row.on), limit))


def _compared(row: AuditRow, now: str) -> Verdict:
    shown = now or "not there"
    if now == row.after:
        return Result.DONE, shown
    return (Result.NOT_SENT if now == row.before else Result.DIFFERENT), shown


def _part_of(row: AuditRow) -> PartName | None:
    """Return the part that shows the result of an action; None for actions that change nothing there."""
    if row.action in TREE_VERBS:
        return PartName.QOS if row.on.startswith("QOS ") else PartName.TREE
    if row.action in JOB_VERBS:
        return PartName.JOBS
    return PartName.NODES if row.action in NODE_VERBS else None


def _judge_of(
    part: PartName, state: ClusterState, rows: Sequence[AuditRow], defaults: Defaults
) -> Callable[[AuditRow], Verdict | None]:
    if part is PartName.JOBS:
        index = JobIndex(state.jobs)
        return lambda row: _job_verdict(row, index.find(row.on))
    if part is PartName.NODES:
        return lambda row: _node_verdict(row, state)
    tree, of_default = state.tree, Verb.DEFAULT.lower()
    users = {row.on for row in rows if row.action == of_default}
    try:
        now = defaults(users) if users else {}
    except UnreadableError:
        now = {}

    def of_tree(row: AuditRow) -> Verdict | None:
        if row.action == of_default:
            found = now.get(row.on)
            return None if found is None else _compared(row, entry_words(Verb.DEFAULT, Entry(found, 0)))
        return None if tree is None else stored_verdict(row, tree)

    return of_tree


def _job_verdict(row: AuditRow, jobs: Sequence[Job]) -> Verdict:
    change = JobChange(JOB_VERBS[row.action], (row.on,))
    words = jobs_status(change, jobs) or "no longer in the queue"
    if not jobs and change.verb is not JobVerb.KILL:
        return Result.UNKNOWN, words
    if change.verb is JobVerb.EXTEND:
        return _compared(row, words)
    if change.verb is JobVerb.REQUEUE:
        again = all(job.is_pending or (job.start_s or 0) > row.tick for job in jobs)
        return (Result.DONE if again else Result.NOT_SENT), words
    signs = {seen(change, job, job) for job in jobs} or {Seen.DONE}
    return _SEEN[next(sign for sign in (Seen.NOT_YET, Seen.OTHERWISE, Seen.DONE) if sign in signs)], words


def _node_verdict(row: AuditRow, state: ClusterState) -> Verdict:
    node = next((one for one in state.nodes if one.name == row.on), None)
    if node is None:
        return Result.UNKNOWN, "no such node"
    if is_done(NodeChange(NODE_VERBS[row.action], (row.on,)), node):
        return Result.DONE, node_words(node)
    return (Result.NOT_SENT if node_words(node) == row.before else Result.DIFFERENT), node_words(node)


def _results_words(results: Sequence[Result]) -> str:
    count = len(results)
    if all(result.is_done for result in results):
        return {1: "it was made.", 2: "both were made."}.get(count, "all were made.")
    if all(result is Result.NOT_SENT for result in results):
        return {1: "it was not made.", 2: "neither was made."}.get(count, "none was made.")
    return f"{capitalised(result_counts(results))}. See Records."
