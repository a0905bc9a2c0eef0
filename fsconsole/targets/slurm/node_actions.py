"""Drains and resumes nodes of a cluster, and checks the effect: exit status 0 does not prove it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.node_change import NodeChange, command, is_done, status_words, why_not
from fsconsole.slurm.parsers.scontrol_node import COMMAND, ClusterNode, read_scontrol_node
from fsconsole.targets.slurm.action_callbacks import ActionCallbacks
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.delivery import SETTLE_S
from fsconsole.targets.slurm.reports import ActionReport
from fsconsole.targets.slurm.tool_errors import last_line
from fsconsole.targets.slurm.tools import Answer, Run

_LIMIT_S = 30.0
_NODES_OF_COMMAND = 100
_GAPS_S = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0)  # A node that is resumed reports within a second or two.
WAIT_S = 10.0
_NOT_ALLOWED = "Invalid user id"

_Node = partial(ActionReport, kind="node")


def act(
    run: Run,
    change: NodeChange,
    callbacks: ActionCallbacks | None = None,
    *,
    dry_run: bool = False,
    known: Sequence[ClusterNode] | None = None,
) -> tuple[ActionReport, ...]:
    """Carry out the change on all nodes, several in one command; errors of Slurm are results, not exceptions.

    All nodes are read before, and read again until those of a command show what was wanted. A dry run reads
    nothing where they are `known`.
    """
    callbacks = callbacks or ActionCallbacks()
    names = tuple(dict.fromkeys(change.nodes))
    is_known = dry_run and known is not None
    before, problem = ({node.name: node for node in known or ()}, "") if is_known else _read(run)
    found: list[ActionReport | None]
    if problem:
        words = f"Cannot read its state: {problem.rstrip('.')}."
        found = [_Node(name, Result.NOT_SENT, words, ()) for name in names]
    else:
        foreseen = tuple(_foreseen(change, name, before.get(name)) for name in names)
        if not dry_run:
            callbacks.check(foreseen)
        found = [*foreseen] if dry_run else [_refused(change, name, before.get(name)) for name in names]
    reports: dict[str, ActionReport] = {}

    def take(some: Iterable[ActionReport]) -> None:
        for report in some:
            reports[report.on] = report
            callbacks.report_done(report)

    take(report for report in found if report is not None)
    rest = [before[name] for name in names if name not in reports]
    for start in range(0, len(rest), _NODES_OF_COMMAND):
        _some(run, change, rest[start : start + _NODES_OF_COMMAND], callbacks, take)
    return tuple(reports[name] for name in names)


def audited(change: NodeChange, report: ActionReport, author: Author) -> AuditRow:
    """Return the row of the audit log: the command and its result."""
    action = f"{change.verb} node"
    states = (report.before, report.after)
    return author.result(action, report.on, *states, report.command, report.result, report.text)


def sent(change: NodeChange, node: str, called: Sequence[str], author: Author) -> AuditRow:
    """Return the row of the audit log before a command."""
    return author.sent(f"{change.verb} node", node, "", "", called)


def _foreseen(change: NodeChange, name: str, node: ClusterNode | None) -> ActionReport:
    """Return the report of a dry run."""
    if (refused := _refused(change, name, node)) is None:
        return _Node(name, Result.DRY_RUN, "", command(change, (name,)), status_words(node) if node else "")
    if node is None:
        return refused
    words = f"This would be refused: {refused.text}"
    return replace(refused, result=Result.DRY_RUN, text=words, command=command(change, (name,)))


def _refused(change: NodeChange, name: str, node: ClusterNode | None) -> ActionReport | None:
    """Return the report for a node that needs no command; None where a command is to be sent."""
    if node is None:
        return _Node(name, Result.REFUSED, "slurmctld has no such node.", ())
    reason = why_not(change, node)
    return _Node(name, Result.REFUSED, reason, (), status_words(node)) if reason else None


def _some(
    run: Run,
    change: NodeChange,
    nodes: Sequence[ClusterNode],
    callbacks: ActionCallbacks,
    take: Callable[[Iterable[ActionReport]], None],
) -> None:
    """Send one command for some nodes, and look after them."""

    def untried(node: ClusterNode, why: str) -> ActionReport:
        return _Node(node.name, Result.NOT_SENT, why, (), status_words(node))

    if callbacks.is_stopped() or callbacks.pause(0.0):
        take(untried(node, "Stopped before it was run.") for node in nodes)
        return
    called = command(change, [node.name for node in nodes])
    for place, node in enumerate(nodes):
        if unlogged := callbacks.begin(node.name, called):
            take(untried(one, f"Not sent: {unlogged}.") for one in nodes[place:])
            nodes = nodes[:place]
            called = command(change, [one.name for one in nodes])
            break
    if not nodes:
        return
    answer = run(called, limit_s=_LIMIT_S)
    refusal = last_line(f"{answer.stdout}\n{answer.stderr}") if answer.problem else ""
    if _NOT_ALLOWED in refusal:
        refusal = f"Only operators and administrators may {change.verb} nodes ({refusal})."
    _look_after(
        run,
        change,
        nodes,
        callbacks,
        replace(answer, command=called, problem=refusal or answer.problem),
        take,
    )


def _look_after(
    run: Run,
    change: NodeChange,
    nodes: Sequence[ClusterNode],
    callbacks: ActionCallbacks,
    answer: Answer,
    take: Callable[[Iterable[ActionReport]], None],
) -> None:
    """Read nodes until all show the wanted state, or the time is up."""
    called, refusal = answer.command, answer.problem
    wait_s = SETTLE_S if answer.was_lost else 0.0 if refusal and not answer.is_open else WAIT_S
    began_s, turn, left = time.monotonic(), 0, {node.name: node for node in nodes}
    while True:
        is_stopped = callbacks.pause(_GAPS_S[min(turn, len(_GAPS_S) - 1)])
        seen, problem = _read(run)
        turn += 1
        for name in [name for name in left if name in seen and is_done(change, seen[name])]:
            both = status_words(left.pop(name)), status_words(seen[name])
            take([_Node(name, Result.DESPITE if refusal else Result.DONE, refusal, called, *both)])
        if not left or is_stopped or time.monotonic() - began_s >= wait_s:
            break
    for name, node in left.items():
        after = seen.get(name)
        if answer.was_not_sent or (after is not None and answer.was_lost and not is_stopped):
            states = (status_words(node), status_words(after) if after is not None else "")
            take([_Node(name, Result.NOT_SENT, refusal, called, *states)])
            continue
        if after is None:
            unread = f"Cannot read it back: {problem or 'slurmctld has no such node'}."
            words = f"{refusal.rstrip('.')}. {unread}" if refusal else unread
            take([_Node(name, Result.UNKNOWN, words, called, status_words(node))])
            continue
        result = Result.UNKNOWN if answer.is_open else Result.REFUSED if refusal else Result.DIFFERENT
        words = refusal or f"It is still {after.state} after {WAIT_S:g} s."
        take([_Node(name, result, words, called, status_words(node), status_words(after))])


def _read(run: Run) -> tuple[Mapping[str, ClusterNode], str]:
    """Read all nodes by name, or return why they cannot be read."""
    answer = run(COMMAND, limit_s=_LIMIT_S)
    if answer.problem:
        return {}, answer.problem
    try:
        return {node.name: node for node in read_scontrol_node(answer.stdout).items}, ""
    except ScenarioError as error:
        return {}, error.problems[0].text
