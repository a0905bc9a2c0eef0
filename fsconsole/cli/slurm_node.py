"""`fsconsole slurm node`: nodes of a cluster with their jobs, drained and resumed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli import plan, slurm_action
from fsconsole.cli.cluster import Sending, log_option, read, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import change_options, yes_option
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import count_words, jobs_words, listed

if TYPE_CHECKING:
    from fsconsole.app.jobs.nodes import NodeView
    from fsconsole.cli.cluster import Reading
    from fsconsole.slurm.node_change import NodeChange

_TITLES = ("Node", "State", "CPUs", "Partitions", "Jobs", "Reason")
_MOST_NAMED = 3  # Of partitions and jobs in a line; with --json all are printed.


@click.group("node")
def command() -> None:
    """List, drain or resume nodes of a Slurm cluster.

    NODE is a name or a list as Slurm writes it, such as n[1-4]. Each node is read before and afterwards. A
    command that its state does not allow is refused, and the result is reported.
    """


@command.command("list")
@via_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def list_nodes(via: tuple[str, ...], as_json: bool) -> None:
    """List nodes with state, CPUs in use, jobs and reason.

    Of many partitions and jobs of a node the first ones are listed; --json prints all of them.
    """
    from fsconsole.app.jobs.nodes import hidden_words, node_views

    reading = read(via, PartName.NODES, PartName.JOBS)
    if PartName.NODES not in reading.found:
        raise UserError(reading.problems[PartName.NODES])
    if PartName.JOBS in reading.problems:
        print_problem(f"note: {reading.problems[PartName.JOBS]}")
    views = node_views(reading.found[PartName.NODES], reading.found.get(PartName.JOBS, ()))
    if PartName.JOBS in reading.found and (hidden := hidden_words(views)):
        print_problem(f"note: {hidden}")
    if as_json:
        print_json([_plain_node(view) for view in views])
    else:
        print_table(_TITLES, [_row(view) for view in views], numbers=False)


@command.command("drain")
@click.argument("nodes", nargs=-1, required=True, metavar="NODE...")
@change_options(place="sinfo and the audit log", is_required=True)
@via_option
@yes_option
@plan.plan_option
@log_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list, without questions.")
@click.pass_context
def drain(ctx: click.Context, /, **options: Any) -> None:
    """Let no more jobs start on nodes; jobs that run there go on."""
    ctx.exit(_do("drain", **options))


@command.command("resume")
@click.argument("nodes", nargs=-1, required=True, metavar="NODE...")
@via_option
@change_options()
@yes_option
@plan.plan_option
@log_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list, without questions.")
@click.pass_context
def resume(ctx: click.Context, /, **options: Any) -> None:
    """Let jobs start again on nodes that are drained or down."""
    ctx.exit(_do("resume", **options))


def _do(
    named: str, nodes: tuple[str, ...], reason: str, via: tuple[str, ...], dry_run: bool, yes: bool,
    planned: str, without_log: bool, as_json: bool,
) -> int:  # fmt: skip
    """Read the cluster and change the nodes; return the exit status."""
    from fsconsole.slurm.host_list import expand_hosts
    from fsconsole.slurm.node_change import NodeChange, NodeVerb, fault_of_reason, status_words
    from fsconsole.slurm.parsers.findings import DamagedError

    how = Sending(dry_run, as_json, without_log, yes, planned)
    try:
        names = tuple(dict.fromkeys(name for text in nodes for name in expand_hosts(text)))
    except DamagedError as error:
        raise click.UsageError(f"{error}.") from None
    change = NodeChange(NodeVerb(named), names, reason)
    if change.verb is NodeVerb.DRAIN and (fault := fault_of_reason(reason)):
        raise click.UsageError(f"--reason: {fault}")
    reading = read(via, PartName.NODES, PartName.JOBS)
    if change.verb is NodeVerb.RESUME:
        here = reading.found.get(PartName.NODES, ())
        was = {node.name: status_words(node) for node in here if node.name in set(names)}
        change = replace(change, was=was)
    return carry_out(reading, change, reason, how)


def carry_out(reading: Reading, change: NodeChange, why: str, how: Sending) -> int:
    """Ask for confirmation, change the nodes, and print the results; return the exit status."""
    from fsconsole.targets.slurm.node_actions import act, audited, sent

    _note_nodes(reading, change)
    return slurm_action.carry_out(
        reading,
        f"{change.verb.capitalize()} {count_words(len(change.nodes), 'node')} of {reading.name}?",
        why,
        how,
        partial(act, reading.tools.run, change, known=reading.captured(PartName.NODES)),
        partial(audited, change),
        partial(sent, change),
    )


def _note_nodes(reading: Reading, change: NodeChange) -> None:
    """Print on stderr the jobs on nodes to drain, or the states that a resume ends, with their reasons."""
    from fsconsole.app.jobs.nodes import node_views, nodes_by_status
    from fsconsole.slurm.node_change import NodeVerb

    nodes, names = reading.found.get(PartName.NODES, ()), set(change.nodes)
    if change.verb is NodeVerb.RESUME:
        for line in nodes_by_status(node for node in nodes if node.name in names):
            print_problem(f"note: {line}.")
        return
    views = node_views(nodes, reading.found.get(PartName.JOBS, ()))
    jobs = {job.label for view in views if view.node.name in names for job in view.jobs}
    if jobs:
        print_problem(f"note: a drain does not end {jobs_words(sorted(jobs))} there.")


def _row(view: NodeView) -> list[str]:
    from fsconsole.app.jobs.nodes import cpus_of_node, state_of_node

    node = view.node
    jobs = listed([f"{job.label} ({job.user})" for job in view.jobs], _MOST_NAMED)
    partitions = listed(sorted(node.partitions), _MOST_NAMED)
    return [node.name, state_of_node(node), cpus_of_node(node), partitions, jobs, node.reason]


def _plain_node(view: NodeView) -> dict[str, Any]:
    node = view.node
    return {
        "node": node.name, "state": node.state, "responds": "*" not in node.marks, "cpus": node.cpus,
        "busy_cpus": node.busy_cpus, "partitions": sorted(node.partitions), "reason": node.reason,
        "jobs": [job.label for job in view.jobs],
    }  # fmt: skip
