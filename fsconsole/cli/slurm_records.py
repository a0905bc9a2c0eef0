"""`fsconsole slurm records` and `roll-back`: what was done to a cluster, and the way back from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import Sending, audit_rows, log_option, read, unfinished_notes, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.plan import plan_option
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import change_options, yes_option
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import moments

if TYPE_CHECKING:
    from fsconsole.app.cluster.records import Record, Step
    from fsconsole.app.cluster.roll_back import Present, WayBack, Ways
    from fsconsole.cli.cluster import Reading
    from fsconsole.recording.audit import AuditRow

_TITLES = (
    *("Record", "Time", "Who", "Action", "On", "Before", "After", "Result", "Can be rolled back", "Reason"),
)
_MOST = 50


@click.command("records")
@via_option
@click.option(
    "--last", "most", type=click.IntRange(min=1), default=_MOST, show_default=True, metavar="N",
    help="Number of records.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def records(via: tuple[str, ...], most: int, as_json: bool) -> None:
    """List what was done to a Slurm cluster from here, newest first.

    Actions of all sessions are listed, from the console and the command line, an apply as one record.
    A record can be rolled back as long as the cluster has the values that it set: see `slurm roll-back`. For
    others the reason is shown.
    """
    from fsconsole.app.cluster.records import history_of
    from fsconsole.app.cluster.roll_back import Ways

    reading = _read(via)
    rows = audit_rows(reading)
    history = history_of(rows)
    for note in unfinished_notes(reading):
        print_problem(f"note: {note}")
    ways = Ways(history, _present(reading, rows))
    shown = [(record, ways.back(record)) for record in history.records[: -most - 1 : -1]]
    if as_json:
        print_json([_plain(record, way, ways) for record, way in shown])
        return
    lines = [
        [
            record.id, moments.whole(record.row.tick), record.row.author, record.action, record.on,
            record.before, record.after, record.result_words, way.words, record.row.why,
        ]
        for record, way in shown
    ]  # fmt: skip
    if lines:
        print_table(_TITLES, lines, numbers=False)
    else:
        print(f"No action on {reading.name} from here yet.")


@click.command("roll-back")
@click.argument("identity", metavar="RECORD")
@via_option
@change_options()
@yes_option
@plan_option
@log_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON at the end, without questions.")
@click.pass_context
def roll_back(
    ctx: click.Context, identity: str, via: tuple[str, ...], dry_run: bool, yes: bool, planned: str,
    without_log: bool, reason: str, as_json: bool,
) -> None:  # fmt: skip
    """Bring back what was before RECORD, an identity that `slurm records` prints.

    Shares, limits, accounts, users and default accounts, time limits, held and suspended jobs and drained
    nodes are rolled back. What was removed comes back with its limits and QOS lists, but without usage. Only
    what still has the value of the record is changed: what somebody else has set since is left out, and
    named. A roll back is shown, asked for, read back and recorded like any other change.
    """
    from fsconsole.app.cluster.records import history_of
    from fsconsole.app.cluster.roll_back import Ways
    from fsconsole.cli import slurm_apply, slurm_job, slurm_node
    from fsconsole.cli.cluster_changes import plan_by

    how = Sending(dry_run, as_json, without_log, yes, planned, undoes=identity)
    reading = _read(via)
    rows = audit_rows(reading)
    history = history_of(rows)
    record = history.record(identity)
    if record is None:
        raise UserError(f"no record {identity} of {reading.name}. `fsconsole slurm records` lists them")
    way = Ways(history, _present(reading, rows)).back(record)
    if not way.is_possible:
        why = way.why_not or "it did not change the cluster"
        raise UserError(f"record {identity} cannot be rolled back: {why}")
    for step, why in way.left:
        print_problem(f"note: {step.row.action} {step.row.on} is left out: {why}")
    if way.job is not None:
        ctx.exit(slurm_job.carry_out(reading, way.job, reason, how))
    if way.node is not None:
        ctx.exit(slurm_node.carry_out(reading, way.node, reason, how))
    slurm_apply.carry_out(ctx, plan_by(reading, reading.tree(), way.changes), reason, how)


def _read(via: tuple[str, ...]) -> Reading:
    reading = read(via)
    if PartName.SETTINGS in reading.problems and PartName.TREE in reading.problems:
        raise UserError(reading.problems[PartName.SETTINGS])
    for part, problem in reading.problems.items():
        if part in (PartName.TREE, PartName.JOBS, PartName.NODES, PartName.QOS):
            print_problem(f"note: {problem}")
    return reading


def _present(reading: Reading, rows: list[AuditRow]) -> Present:
    from fsconsole.app.cluster.roll_back import Present, users_of
    from fsconsole.cli.cluster_changes import defaults_of
    from fsconsole.targets.slurm.location import clock_of

    found = reading.found
    tree = reading.tree() if PartName.TREE in found else None
    now_s = clock_of(reading.place.prefix)()
    defaults = defaults_of(reading, users_of(rows))
    return Present(reading.name, tree, found.get(PartName.JOBS), found.get(PartName.NODES), now_s, defaults)


def _plain(record: Record, way: WayBack, ways: Ways) -> dict[str, Any]:
    from fsconsole.app.cluster.records import single

    row = record.row
    steps = [(step, ways.back(single(step))) for step in record.steps]
    return {
        "id": record.id, "time_s": row.tick, "who": row.author, "action": record.action, "on": record.on,
        "before": record.before, "after": record.after, "result": str(record.result), "reason": row.why,
        "done": record.done[0], "changes": record.done[1],
        "undoes": row.undoes, "is_finished": not record.is_open, **_plain_way(way),
        "steps": [_plain_step(step) | _plain_way(one) for step, one in steps],
    }  # fmt: skip


def _plain_step(step: Step) -> dict[str, Any]:
    row = step.row
    return {
        "id": step.id, "action": row.action, "on": row.on, "before": row.before, "after": row.after,
        "result": str(row.result),
    }  # fmt: skip


def _plain_way(way: WayBack) -> dict[str, Any]:
    return {"can_be_rolled_back": way.is_possible, "why_not": way.why_not}
