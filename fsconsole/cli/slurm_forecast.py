"""`fsconsole slurm forecast`: usage and fairshare to come, from planned jobs and what others use."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.failure import Unusable
from fsconsole.cli.values import duration, moment, sshare_source

if TYPE_CHECKING:
    from fsconsole.slurm.associations import Associations
    from fsconsole.slurm.decay import Spell
    from fsconsole.slurm.forecast import Outlook
    from fsconsole.slurm.parsers.sshare import Sshare
    from fsconsole.slurm.share_change import SharesChange

_HALF_LIVES_SHOWN = 3
_PARTS_OF_JOB = (2, 3)
_MOST_CORES = 1e9


def _job(text: str) -> tuple[float, float, float]:
    """Cores, start and end of CORES,START,END; without an end it goes on."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in _PARTS_OF_JOB:
        msg = f"{text!r} is not CORES,START,END, such as 28,0,14d (CORES,START for a job that goes on)"
        raise click.BadParameter(msg)
    start, end = moment(parts[1]), moment(parts[2]) if len(parts) > _PARTS_OF_JOB[0] else math.inf
    if end <= start:
        msg = f"{text!r} ends no later than it starts"
        raise click.BadParameter(msg)
    return _cores(parts[0]), start, end


def _cores(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found <= _MOST_CORES:
        msg = f"{text!r} is no number of cores: it needs one from 0 to {_MOST_CORES:g}, such as 28"
        raise click.BadParameter(msg)
    return found


def _load(text: str) -> tuple[str, float]:
    """USER=CORES, or CORES of all others, whose name is empty."""
    name, equals, cores = text.rpartition("=")
    if equals and not name:
        msg = f"{text!r} names nobody: write USER=CORES, or CORES of all others together"
        raise click.BadParameter(msg)
    return name, _cores(cores)


def _shares(text: str) -> tuple[str, int]:
    name, _, shares = text.rpartition("=")
    if name and shares == "parent":
        from fsconsole.shares.foreign import PARENT_SHARES

        return name, PARENT_SHARES
    if not (name and shares.isascii() and shares.isdigit() and int(shares) < 2**31 - 1):
        msg = f"{text!r} is not ACCOUNT=SHARES or ACCOUNT/USER=SHARES, with whole shares or `parent`"
        raise click.BadParameter(msg)
    return name, int(shares)


@click.command("forecast")
@click.argument("capture", type=sshare_source, metavar="SSHARE")
@click.option("--user", required=True, metavar="USER", help="Whose fairshare; ACCOUNT/USER if in several.")
@click.option("--job", "jobs", type=_job, multiple=True, metavar="CORES,START,END",
              help="A job the user is to run, times from now; may be repeated.")  # fmt: skip
@click.option("--others", "loads", type=_load, multiple=True, metavar="[USER=]CORES",
              help="What all others use together, or one of them. Without it they go on as now.")  # fmt: skip
@click.option("--against", "rivals", multiple=True, metavar="USER",
              help="A user to be compared with; may be repeated.")  # fmt: skip
@click.option("--share", "shares", type=_shares, multiple=True, metavar="NAME=SHARES",
              help="Other raw shares from now on, of ACCOUNT or ACCOUNT/USER; may be repeated.")  # fmt: skip
@click.option("--target", type=click.FloatRange(0, 1, min_open=True), metavar="F",
              help="Say when fairshare is at least F again, and stays so.")  # fmt: skip
@click.option("--half-life", "half_life_s", type=duration, default="7d", show_default=True, metavar="TIME",
              help="PriorityDecayHalfLife.")  # fmt: skip
@click.option("--period", "period_s", type=duration, default="5min", show_default=True, metavar="TIME",
              help="PriorityCalcPeriod.")  # fmt: skip
@click.option("--damp", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
              metavar="D", help="FairShareDampeningFactor.")  # fmt: skip
@click.option("--until", "until_s", type=duration, metavar="TIME",
              help="How far to look; by default three half-lives beyond the last job.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all times.")
def command(
    capture: Path,
    user: str,
    jobs: tuple[tuple[float, float, float], ...],
    loads: tuple[tuple[str, float], ...],
    rivals: tuple[str, ...],
    shares: tuple[tuple[str, int], ...],
    target: float | None,
    half_life_s: float,
    period_s: float,
    damp: float,
    until_s: float | None,
    as_json: bool,
) -> None:
    """Forecast usage and classic fairshare of a user in SSHARE.

    SSHARE is a file with what `sshare -l -a -P` printed, - for stdin, or a capture folder.

    It starts from RawUsage, which sshare cuts to whole seconds. Jobs run at the times they are given, a core
    counts as one billing unit, and what others will use is an assumption. While jobs run, the columns of a
    capture lag one another, and the first fairshare here may differ from the printed one by up to 0.1.
    """
    from fsconsole.cli.slurm_fairshare import read_capture
    from fsconsole.cli.slurm_forecast_words import Asked, report
    from fsconsole.slurm.decay import Spell
    from fsconsole.slurm.share_change import with_shares

    if target is not None and math.isnan(target):
        msg = "--target is a number above 0 and at most 1"
        raise click.UsageError(msg)
    read = read_capture(capture)
    now = _with_raw_usage(read)
    row, against = _row_of(now, user), tuple(_row_of(now, name) for name in rivals)
    changes = tuple(_change(now, name, value) for name, value in shares)
    outlook = _outlook(
        with_shares(now, changes), row, [Spell(*job) for job in jobs], loads, (half_life_s, period_s, damp)
    )
    until = until_s or outlook.last_end_s + _HALF_LIVES_SHOWN * half_life_s
    report(Asked(now, outlook, row, against, changes, target, until), as_json=as_json)
    if read.is_fair_tree:
        click.echo("note: the cluster used Fair Tree; this is a forecast of classic fairshare", err=True)


def _with_raw_usage(read: Sshare) -> Associations:
    from dataclasses import replace

    import numpy as np

    if np.isnan(read.raw_usage).all():
        msg = "the capture has no RawUsage, from which a forecast starts; `sshare -l -a -P` prints it"
        raise Unusable(msg)
    if np.isinf(read.raw_usage).any():
        msg = "the capture has an infinite RawUsage; is it what sshare printed?"
        raise Unusable(msg)
    return replace(read.tree, usage=np.nan_to_num(read.raw_usage))


def _outlook(
    tree: Associations,
    row: int,
    spells: Sequence[Spell],
    loads: Sequence[tuple[str, float]],
    settings: tuple[float, float, float],
) -> Outlook:
    """What is forecast from; `settings` are half-life and period in s, and the dampening factor."""
    from fsconsole.slurm.decay import SlurmDecay, Spell
    from fsconsole.slurm.forecast import Outlook, Planned

    planned = [Planned(row, spell) for spell in spells]
    together = [cores for name, cores in loads if not name]
    for name, cores in loads:
        if name:
            other = _row_of(tree, name)
            if other == row:
                msg = f"--others names {name} himself; what he runs is said by --job"
                raise click.UsageError(msg)
            planned.append(Planned(other, Spell(cores)))
    half_life_s, period_s, damp = settings
    try:
        return Outlook(
            tree,
            tuple(planned),
            sum(together) if together else None,
            frozenset({row}),
            SlurmDecay(half_life_s, period_s),
            damp,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _row_of(tree: Associations, name: str) -> int:
    """The row of USER or ACCOUNT/USER; wrong use where there is none, or more than one."""
    account, _, user = name.rpartition("/")
    found = [
        row
        for row in range(len(tree))
        if tree.user[row] and tree.user[row] == user and account in ("", tree.account[row])
    ]
    if len(found) == 1:
        return found[0]
    if found:
        several = ", ".join(f"{tree.account[row]}/{user}" for row in found)
        msg = f"{user} is in several accounts; say which: {several}"
        raise click.UsageError(msg)
    from fsconsole.text.nearest import nearest_or_all

    known = [_name_of(tree, row) if account else tree.user[row] for row in range(len(tree)) if tree.user[row]]
    msg = f"the capture has no user {name!r}{nearest_or_all(name, dict.fromkeys(known))}"
    raise click.UsageError(msg)


def _change(tree: Associations, name: str, shares: int) -> SharesChange:
    """New shares of ACCOUNT or ACCOUNT/USER; wrong use for the root or what is not there."""
    from fsconsole.slurm.share_change import SharesChange

    if "/" in name:
        return SharesChange(_row_of(tree, name), shares)
    found = [row for row in range(1, len(tree)) if tree.account[row] == name and not tree.user[row]]
    if found:
        return SharesChange(found[0], shares)
    from fsconsole.text.nearest import nearest_or_all

    if name == tree.account[0]:
        msg = f"{name} is the root account, which has no shares"
        raise click.UsageError(msg)
    known = dict.fromkeys(tree.account[row] for row in range(1, len(tree)) if not tree.user[row])
    msg = f"the capture has no account {name!r}{nearest_or_all(name, known)}; a user is ACCOUNT/USER"
    raise click.UsageError(msg)


def _name_of(tree: Associations, row: int) -> str:
    return f"{tree.account[row]}/{tree.user[row]}"
