"""`fsconsole slurm limit`: set or clear limits of an association or a QOS, and see whether they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fsconsole.cli.cluster import Sending, log_option, via_option
from fsconsole.cli.cluster_changes import plan_between, read_whole
from fsconsole.cli.errors import UserError
from fsconsole.cli.plan import plan_option
from fsconsole.cli.slurm_apply import carry_out
from fsconsole.cli.values import change_options, yes_option
from fsconsole.text.nearest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from fsconsole.shares.tree import ShareTree
    from fsconsole.slurm.cluster_tree import ClusterTree

_QOS = "qos:"


@click.command("limit")
@click.argument("who", metavar="ACCOUNT | USER@ACCOUNT | qos:NAME")
@click.argument("values", nargs=-1, required=True, metavar="LIMIT=VALUE...")
@via_option
@change_options()
@yes_option
@plan_option
@log_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end, without questions.")
@click.pass_context
def command(
    ctx: click.Context, who: str, values: tuple[str, ...], via: tuple[str, ...], dry_run: bool, yes: bool,
    planned: str, without_log: bool, reason: str, as_json: bool,
) -> None:  # fmt: skip
    """Set limits of an account, a user in an account, or a QOS.

    A VALUE of -1 clears a limit; TRES are merged with those that are set, as sacctmgr does: GrpTRES=cpu=8
    leaves memory as it is, GrpTRES=cpu=-1 clears CPUs alone. Values that sacctmgr would alter without a
    word, such as MaxJobs=2.5, are refused. Works as `slurm apply`: shows what changes, asks, reads back.
    """
    from fsconsole.slurm.limits import tres_of

    how = Sending(dry_run, as_json, without_log, yes, planned)
    reading = read_whole(via)
    tree = reading.tree()
    if tree.stored.own is None:
        raise UserError(
            "cannot set limits: the limits stored for associations were not read. Check `sacctmgr show assoc`"
        )
    try:
        wanted = _wanted(tree, who, values, tres_of(reading.settings))
    except ValueError as error:
        raise click.UsageError(f"{who}: {error}") from None
    carry_out(ctx, plan_between(reading, tree, wanted), reason, how)


def _wanted(tree: ClusterTree, who: str, values: Sequence[str], tres: Collection[str]) -> ShareTree:
    """Return a copy of the tree with other limits; ValueError with the reason for one it cannot have."""
    from fsconsole.shares.edits import SetField
    from fsconsole.slurm import limits

    qos = who.removeprefix(_QOS) if who.startswith(_QOS) else ""
    if qos and qos not in [one.name for one in tree.qos or ()]:
        raise ValueError(_no_such(qos, [one.name for one in tree.qos or ()], "QOS"))
    wanted = tree.shares.copy()
    node = wanted.root if qos else wanted.node(_node(tree, who))
    foreign = dict(node.foreign)
    for text in values:
        name, equals, value = text.partition("=")
        if not equals:
            msg = f"{text!r} is not LIMIT=VALUE. Example: MaxJobs=8"
            raise ValueError(msg)
        limit = limits.limit_or_fault(name, of_qos=bool(qos))
        key = limits.qos_key(qos, limit) if qos else limit.name
        try:
            kept = limits.merged(limit, foreign.get(key, ""), value, tres)
        except ValueError as error:
            raise ValueError(f"{limit.label}: {error}") from None
        foreign = limits.with_limit(foreign, limit, kept, qos)
    SetField(node.id, "foreign", foreign).apply(wanted)
    return wanted


def _node(tree: ClusterTree, who: str) -> int:
    user, at, rest = who.rpartition("@")
    account, _, partition = rest.partition("/") if at else (rest, "", "")
    found = next((node for node, key in tree.keys.items() if key == (account, user, partition)), None)
    if found is not None:
        return found
    places = [f"{who}@{key[0]}" for key in tree.keys.values() if key[1] == who]
    if places:
        raise ValueError(f"give the account too: {', '.join(places)}")
    names = [f"{user}@{account}" if user else account for account, user, _ in tree.keys.values()]
    raise ValueError(_no_such(who, names, "association"))


def _no_such(name: str, known: Sequence[str], what: str) -> str:
    return f"{what} {name} not found{did_you_mean(name, known)}"
