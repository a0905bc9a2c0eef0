"""`fsconsole slurm fairshare`: recalculate fairshare from the output of sshare."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import sshare_source
from fsconsole.shares.scenario.problems import ScenarioError

if TYPE_CHECKING:
    from fsconsole.slurm.associations import Associations, Fairshare
    from fsconsole.slurm.parsers.sshare import Sshare

_COLUMNS = ("norm_shares", "effective_usage", "fairshare", "level_fs")
_TITLES = ("NormShares", "EffectvUsage", "FairShare", "LevelFS")


@click.command("fairshare")
@click.argument("capture", type=sshare_source, metavar="SSHARE")
@click.option(
    "--damp", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True, metavar="D",
    help="FairShareDampeningFactor of classic fairshare.",
)  # fmt: skip
@click.option("--fair-tree", "by_rank", is_flag=True, help="Use Fair Tree instead of classic fairshare.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON list, with an object for each association."
)
def command(capture: Path, damp: float, by_rank: bool, as_json: bool) -> None:
    """Recalculate fairshare from RawShares and NormUsage in SSHARE.

    SSHARE is a file with what `sshare -l -a -P` printed, - for stdin, or a capture folder. Where NormUsage is
    blank, or missing as in `sshare -a -P`, RawUsage over that of root stands for it.

    What sshare printed beside them is not used, so that both can be compared. While jobs run, account columns
    of Slurm lag those of users by up to one calculation period.
    """
    from fsconsole.slurm.fairshare import fairshare_of

    if by_rank and damp != 1.0:
        msg = "--damp needs classic fairshare: Fair Tree has no dampening factor"
        raise click.UsageError(msg)
    read = read_capture(capture)
    found = fairshare_of(read.tree, damp, by_rank=by_rank)
    for remark in read.remarks:
        print_problem(f"note: {remark}")
    if as_json:
        print_json(_rows(read.tree, found))
        return
    _print(read.tree, found)
    if read.is_fair_tree is not by_rank:
        _say_other(by_rank=by_rank)


def read_capture(capture: Path) -> Sshare:
    """Return the output of sshare from a file or stdin.

    Raises:
        ScenarioError: lines are damaged; it lists all of them.
    """
    from fsconsole.app.kinds import Kind, kind_named
    from fsconsole.cli.reading import name_of, read_text
    from fsconsole.slurm.parsers.sshare import read_whole_sshare

    try:
        with kind_named(capture, "output of sshare", Kind.SSHARE):
            return read_whole_sshare(read_text(capture))
    except ScenarioError as error:
        raise ScenarioError(error.problems, error.name or name_of(capture)) from None


def _rows(tree: Associations, found: Fairshare) -> list[dict[str, Any]]:
    columns = {name: getattr(found, name).tolist() for name in _COLUMNS}
    return [
        {"account": account, "user": user, **{name: _plain(columns[name][row]) for name in _COLUMNS}}
        for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True))
    ]


def _plain(value: float) -> float | str | None:
    """Return a number as JSON has it; infinite level fairshare is written as sshare prints it."""
    if math.isnan(value):
        return None
    return "inf" if math.isinf(value) else value


def _print(tree: Associations, found: Fairshare) -> None:
    shown = [index for index, name in enumerate(_COLUMNS) if not all(map(math.isnan, getattr(found, name)))]
    depth = tree.depths()
    rows = []
    for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
        numbers = [getattr(found, _COLUMNS[index])[row] for index in shown]
        cells = ["" if math.isnan(number) else f"{number:.6f}" for number in numbers]
        rows.append(["  " * depth[row] + (user or account), *cells])
    print_table(["Association", *(_TITLES[index] for index in shown)], rows)


def _say_other(*, by_rank: bool) -> None:
    now, other = ("classic fairshare", "Fair Tree") if by_rank else ("Fair Tree", "classic fairshare")
    print_problem(f"note: the cluster itself used {now} when this was printed. The table shows {other}")
