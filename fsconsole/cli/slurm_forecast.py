"""`fsconsole slurm forecast`: usage and fairshare to come, from planned jobs and what others use."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.values import duration, moment, sshare_source

if TYPE_CHECKING:
    from fsconsole.app.forecast.cluster import Cluster

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
        msg = f"{text!r} is not a number of cores: it needs one from 0 to {_MOST_CORES:g}, such as 28"
        raise click.BadParameter(msg)
    return found


def _load(text: str) -> tuple[str, float]:
    """USER=CORES, or CORES of all others, whose name is empty."""
    name, equals, cores = text.rpartition("=")
    if equals and not name:
        msg = f"{text!r} names no user: write USER=CORES, or CORES of all others together"
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
              help="Other raw shares from now on, of an account or a user; may be repeated.")  # fmt: skip
@click.option("--target", type=click.FloatRange(0, 1, min_open=True), metavar="F",
              help="Say when fairshare is at least F again, and stays so.")  # fmt: skip
@click.option("--half-life", "half_life_s", type=duration, default="7d", show_default=True, metavar="TIME",
              help="PriorityDecayHalfLife.")  # fmt: skip
@click.option("--period", "period_s", type=duration, default="5min", show_default=True, metavar="TIME",
              help="PriorityCalcPeriod.")  # fmt: skip
@click.option("--damp", type=click.FloatRange(min=0, min_open=True), default=1.0, show_default=True,
              metavar="D", help="FairShareDampeningFactor.")  # fmt: skip
@click.option("--until", "until_s", type=duration, metavar="TIME",
              help="How far to look; by default 3 half-lives beyond the last job or --target.")  # fmt: skip
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
    from fsconsole.app.forecast.cluster import cluster_in
    from fsconsole.app.forecast.jobs import Job
    from fsconsole.app.forecast.question import Question, answer
    from fsconsole.cli.reading import name_of, read_text
    from fsconsole.cli.slurm_forecast_words import report
    from fsconsole.slurm.decay import SlurmDecay
    from fsconsole.slurm.fairshare import SharesChange

    if target is not None and math.isnan(target):
        msg = "--target is a number above 0 and at most 1"
        raise click.UsageError(msg)
    cluster = cluster_in(read_text(capture), name_of(capture))
    together = [cores for name, cores in loads if not name]
    try:
        row = cluster.user_row(user)
        found = answer(
            Question(
                cluster,
                row,
                rivals=tuple(cluster.user_row(name) for name in rivals),
                jobs=tuple(Job(*job) for job in jobs),
                others_rate=sum(together) if together else None,
                wished=target,
                decay=SlurmDecay(half_life_s, period_s),
                damping=damp,
                until_s=until_s,
                changes=tuple(SharesChange(cluster.row(name), value) for name, value in shares),
                loads=tuple(_load_of(cluster, row, name, cores) for name, cores in loads if name),
            )
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    report(found, as_json=as_json)


def _load_of(cluster: Cluster, asked: int, name: str, cores: float) -> tuple[int, float]:
    """The row of another user, and the cores used there."""
    row = cluster.user_row(name)
    if row == asked:
        msg = f"--others names {name}, who is asked about: say with --job what {name} runs"
        raise click.UsageError(msg)
    return row, cores
