"""`fsconsole slurm fairshare`: recalculate fairshare from the output of sshare."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import sshare_or_folder
from fsconsole.shares.scenario.problems import ScenarioError

if TYPE_CHECKING:
    from fsconsole.slurm.associations import Associations, Fairshare
    from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
    from fsconsole.slurm.parsers.sshare import Sshare

_COLUMNS = ("norm_shares", "effective_usage", "fairshare", "level_fs")
_TITLES = ("NormShares", "EffectvUsage", "FairShare", "LevelFS")


@click.command("fairshare")
@click.argument("capture", type=sshare_or_folder, metavar="SSHARE")
@click.option(
    "--damp", type=click.FloatRange(min=0, min_open=True), metavar="D",
    help="FairShareDampeningFactor of classic fairshare. Default: from the capture folder, else 1.",
)  # fmt: skip
@click.option(
    "--fair-tree/--classic", "by_rank", default=None,
    help="Algorithm. Default: from the capture folder, else as SSHARE shows it.",
)  # fmt: skip
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON list, with an object for each association."
)
def command(capture: Path, damp: float | None, by_rank: bool | None, as_json: bool) -> None:
    """Recalculate fairshare from RawShares and NormUsage in SSHARE.

    SSHARE is a file with what `sshare -l -a -P` printed, - for stdin, or a capture folder. Where NormUsage is
    blank, or missing as in `sshare -a -P`, RawUsage over that of root stands for it.

    What sshare printed beside them is not used, so that both can be compared. While jobs run, account columns
    of Slurm lag those of users by up to one calculation period.
    """
    from fsconsole.slurm.fairshare import fairshare_of

    read, settings = read_capture(capture), _settings(capture)
    if settings is not None and settings.is_depth_oblivious and by_rank is None:
        from fsconsole.slurm.parsers.scontrol_config import UNKNOWN_RULE

        raise UserError(
            f"cannot recalculate fairshare: {UNKNOWN_RULE}. --fair-tree or --classic computes another"
        )
    is_fair_tree = read.is_fair_tree if settings is None else settings.is_fair_tree
    by_rank = is_fair_tree if by_rank is None else by_rank
    if by_rank and damp is not None:
        msg = "--damp needs classic fairshare: Fair Tree has no dampening factor. Add --classic"
        raise click.UsageError(msg)
    factor = damp or (1.0 if settings is None else float(max(settings.dampening, 1)))
    found = fairshare_of(read.tree, factor, by_rank=by_rank)
    if not (by_rank or damp or settings):
        print_problem("note: FairShareDampeningFactor is unknown and taken as 1. --damp sets another")
    for remark in read.remarks:
        print_problem(f"note: {remark}")
    if as_json:
        print_json(_rows(read.tree, found))
        return
    _print(read.tree, found, "Fair Tree" if by_rank else f"Classic fairshare, dampening factor {factor:g}")
    if is_fair_tree is not by_rank:
        _say_other(by_rank=by_rank)


def _settings(capture: Path) -> SlurmConfig | None:
    """Return the settings of a capture folder; None if it is none, or they cannot be read."""
    if not capture.is_dir():
        return None
    from fsconsole.app.forecast.captured import known_of

    return known_of(capture).config


def read_capture(capture: Path) -> Sshare:
    """Return the output of sshare from a file, stdin or a capture folder.

    Raises:
        ScenarioError: lines are damaged; it lists all of them.
    """
    from fsconsole.app.kinds import Kind, kind_named
    from fsconsole.cli.reading import name_of, read_text
    from fsconsole.slurm.parsers.sshare import read_whole_sshare
    from fsconsole.targets.slurm.replay import sshare_file

    capture = sshare_file(capture) if capture.is_dir() else capture
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


def _print(tree: Associations, found: Fairshare, rule: str) -> None:
    shown = [index for index, name in enumerate(_COLUMNS) if not all(map(math.isnan, getattr(found, name)))]
    depth = tree.depths()
    rows = []
    for row, (account, user) in enumerate(zip(tree.account, tree.user, strict=True)):
        numbers = [getattr(found, _COLUMNS[index])[row] for index in shown]
        cells = ["" if math.isnan(number) else f"{number:.6f}" for number in numbers]
        rows.append(["  " * depth[row] + (user or account), *cells])
    print_table(["Association", *(_TITLES[index] for index in shown)], rows, f"Recalculated: {rule}")


def _say_other(*, by_rank: bool) -> None:
    now, other = ("classic fairshare", "Fair Tree") if by_rank else ("Fair Tree", "classic fairshare")
    print_problem(f"note: the cluster itself used {now} when this was printed. The table shows {other}")
