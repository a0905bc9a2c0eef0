"""`fsconsole slurm show`: the associations of a cluster, their shares, usage and fairshare."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import read, via_option
from fsconsole.cli.errors import print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import plural

if TYPE_CHECKING:
    from fsconsole.slurm.association_status import AssociationStatus
    from fsconsole.slurm.cluster_tree import ClusterTree

_TITLES = ("Shares", "NormShares", "RawUsage", "NormUsage", "FairShare", "LevelFS")
_PLACE_OF_RAW_USAGE = 1


@click.command("show")
@via_option
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON list, with an object for each association."
)
def command(via: tuple[str, ...], as_json: bool) -> None:
    """Show the share tree of a Slurm cluster with usage and fairshare, as sshare prints them."""
    reading = read(via, PartName.TREE, PartName.USAGE)
    tree = reading.tree()
    for problem in reading.problems.values():
        print_problem(f"{problem}")
    standing = reading.standing(tree, in_part=True)
    if as_json:
        print_json(_plain(tree, standing))
        return
    print_table(["Association", *_TITLES], _rows(tree, standing))
    _say_lag(tree, standing)


def _rows(tree: ClusterTree, standing: AssociationStatus | None) -> list[list[str]]:
    from fsconsole.slurm.sacctmgr import shares_value

    rows = []
    stored = tree.stored.tree
    for row, depth in enumerate(stored.depths()):
        name = _name(tree, row)
        shares = shares_value(int(stored.shares[row])) if row else ""
        numbers = [_shown(number, place) for place, number in enumerate(_numbers(standing, row))]
        rows.append(["  " * depth + name, shares, *numbers])
    return rows


def _name(tree: ClusterTree, row: int) -> str:
    """Return the name as Slurm has it: in the share tree `|` replaces `/`, which separates names there."""
    label = tree.shares.node(tree.nodes[row]).name
    own = tree.stored.tree.user[row] or tree.stored.tree.account[row]
    return label.replace("|", "/") if "/" in own else label


def _numbers(standing: AssociationStatus | None, row: int) -> list[float]:
    """Return NormShares, RawUsage, NormUsage, FairShare and LevelFS of a row; NaN if sshare has no value."""
    if standing is None:
        return [math.nan] * 5
    printed = standing.printed
    columns = (
        printed.norm_shares, standing.raw_usage, standing.norm_usage, printed.fairshare, printed.level_fs,
    )  # fmt: skip
    return [float(column[row]) for column in columns]


def _shown(number: float, place: int) -> str:
    if math.isnan(number):
        return ""
    return f"{number:.0f}" if place == _PLACE_OF_RAW_USAGE else f"{number:.6f}"


def _plain(tree: ClusterTree, standing: AssociationStatus | None) -> list[dict[str, Any]]:
    names = ("norm_shares", "raw_usage", "norm_usage", "fairshare", "level_fs")
    shares = tree.stored.tree.shares.tolist()
    rows = []
    for row, node in enumerate(tree.nodes):
        account, user, partition = tree.keys[node]
        numbers = {name: _number(value) for name, value in zip(names, _numbers(standing, row), strict=True)}
        lag = standing.lagging.get(node, "") if standing is not None else ""
        who = {"account": account, "user": user, "partition": partition}
        rows.append({**who, "shares": _plain_shares(shares[row]) if row else None, **numbers, "lag": lag})
    return rows


def _plain_shares(shares: int) -> int | str:
    from fsconsole.shares.foreign import PARENT_SHARES

    return "parent" if shares == PARENT_SHARES else shares


def _number(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return "inf" if math.isinf(value) else value


def _say_lag(tree: ClusterTree, standing: AssociationStatus | None) -> None:
    from fsconsole.slurm.names import in_words

    nodes_of: dict[str, list[int]] = {}
    for node, why in {} if standing is None else standing.lagging.items():
        nodes_of.setdefault(why, []).append(node)
    for why, nodes in nodes_of.items():
        more = f" (and {plural(len(nodes) - 1, '1 other', f'{len(nodes) - 1} others')})" if nodes[1:] else ""
        print_problem(f"note: {in_words(tree.keys[nodes[0]])}{more}: {why}")
