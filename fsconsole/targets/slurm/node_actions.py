"""Drains and resumes nodes of a cluster, and looks whether it was done: exit status 0 does not prove it."""

from __future__ import annotations

import shlex
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from fsconsole.recording.audit import AuditRow
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.node_change import NodeChange, command, is_done, status_words, why_not
from fsconsole.slurm.parsers.sinfo import FORMAT, ClusterNode, read_sinfo
from fsconsole.targets.slurm.reports import NodeReport, Result
from fsconsole.targets.slurm.tool_errors import last_line
from fsconsole.targets.slurm.tools import Run

_LIMIT_S = 30.0
_GAPS_S = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)  # a node that is resumed reports within a second or two
WAIT_S = 10.0

Begin = Callable[[str, tuple[str, ...]], str]
Report = Callable[[NodeReport], None]


@dataclass(frozen=True, slots=True)
class NodeCallbacks:
    """What is called on the way.

    Attributes:
        report_done: is called with every report.
        begin: is called with the node and the command before each; why not to send it, or empty.
        pause: waits so many seconds; True where the user wants to stop.
    """

    report_done: Report = lambda _report: None
    begin: Begin = lambda _node, _command: ""
    pause: Callable[[float], bool] = threading.Event().wait


def act(
    run: Run, change: NodeChange, callbacks: NodeCallbacks | None = None, *, dry_run: bool = False
) -> tuple[NodeReport, ...]:
    """Do it to all nodes of the change, one after the other; nothing that Slurm says is an exception.

    Each node is read before, and read again until it shows what was wanted.
    """
    callbacks = callbacks or NodeCallbacks()
    before, problem = _read(run)
    reports = []
    for name in dict.fromkeys(change.nodes):
        if problem:
            words = f"Its state could not be read: {problem.rstrip('.')}."
            report = NodeReport(name, Result.NOT_TRIED, words, ())
        else:
            report = _one(run, change, before.get(name), name, callbacks, dry_run=dry_run)
        callbacks.report_done(report)
        reports.append(report)
    return tuple(reports)


def audited(change: NodeChange, report: NodeReport, who: str, why: str, now_s: float) -> AuditRow:
    """The row of the audit log: what was called, and what came of it."""
    parts = (shlex.join(report.command), str(report.result), report.text)
    return AuditRow(
        tick=int(now_s),
        who=who,
        action=f"{change.verb} node",
        on=report.node,
        before=report.before,
        after=report.after,
        done=report.result is Result.DONE,
        text=". ".join(text.rstrip(".") for text in parts if text),
        why=why,
    )


def sent(change: NodeChange, node: str, called: Sequence[str], who: str, why: str) -> AuditRow:
    """The row of the audit log before a command."""
    action = f"send {change.verb} node"
    return AuditRow(int(time.time()), who, action, node, "", "", done=True, text=shlex.join(called), why=why)


def _one(
    run: Run,
    change: NodeChange,
    node: ClusterNode | None,
    name: str,
    callbacks: NodeCallbacks,
    *,
    dry_run: bool,
) -> NodeReport:
    if node is None:
        return NodeReport(name, Result.REFUSED, "slurmctld knows no such node.", ())
    called, before = command(change, (name,)), status_words(node)
    reason = why_not(change, node)
    if dry_run:
        words = f"It would be refused: {reason}" if reason else ""
        return NodeReport(name, Result.DRY_RUN, words, called, before)
    if reason:
        return NodeReport(name, Result.REFUSED, reason, (), before)
    if callbacks.pause(0.0):
        return NodeReport(name, Result.NOT_TRIED, "It was stopped before.", (), before)
    if unlogged := callbacks.begin(name, called):
        return NodeReport(name, Result.NOT_TRIED, f"Not sent: {unlogged}.", (), before)
    answer = run(called, limit_s=_LIMIT_S)
    said = last_line(f"{answer.stdout}\n{answer.stderr}") if answer.problem else ""
    return _look_after(run, change, node, callbacks, (called, said or answer.problem))


def _look_after(
    run: Run,
    change: NodeChange,
    before: ClusterNode,
    callbacks: NodeCallbacks,
    done: tuple[tuple[str, ...], str],
) -> NodeReport:
    """Read the node until it shows what was wanted, or the time is up."""
    called, said = done
    began_s, after, problem, turn = time.monotonic(), None, "", 0
    while True:
        is_stopped = callbacks.pause(_GAPS_S[min(turn, len(_GAPS_S) - 1)])
        nodes, problem = _read(run)
        after, turn = nodes.get(before.name), turn + 1
        if after is not None and is_done(change, after):
            return NodeReport(
                before.name, Result.DONE, said, called, status_words(before), status_words(after)
            )
        if said or is_stopped or time.monotonic() - began_s >= WAIT_S:
            break
    if after is None:
        words = f"{said} It could not be read back: {problem or 'slurmctld knows no such node'}.".strip()
        return NodeReport(before.name, Result.UNKNOWN, words, called, status_words(before))
    result = Result.REFUSED if said else Result.DIFFERENT
    words = said or f"It is still {after.state} after {WAIT_S:g} s."
    return NodeReport(before.name, result, words, called, status_words(before), status_words(after))


def _read(run: Run) -> tuple[Mapping[str, ClusterNode], str]:
    """All nodes by name, or why they cannot be read."""
    answer = run(("sinfo", "-a", "-N", "-h", "-o", FORMAT), limit_s=_LIMIT_S)
    if answer.problem:
        return {}, answer.problem
    try:
        return {node.name: node for node in read_sinfo(answer.stdout).items}, ""
    except ScenarioError as error:
        return {}, error.problems[0].text
