"""`fsconsole slurm forecast`: future usage and fairshare, effects of changes, and necessary changes."""

from __future__ import annotations

import math
import time
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import in_thread, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.values import duration, moment, sshare_or_folder
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fsconsole.app.forecast.cluster import Cluster
    from fsconsole.app.forecast.jobs import Job
    from fsconsole.app.forecast.question import Question
    from fsconsole.slurm.parsers.sprio import JobPriority
    from fsconsole.slurm.priority_outlook import JobMix, JobShape
    from fsconsole.slurm.staged_changes import Changes

_PARTS_OF_JOB = (2, 3)
_TIMES = ("start", "end")
_MOST_CORES = 1e9
_MOST_NAMED = 8
_OWN = {"nothing": "NOTHING", "to-limits": "TO_LIMITS", "running-jobs": "RUNNING", "same-usage": "SAME_USAGE"}


def _job(text: str) -> Job:
    """Read what a job uses, its start and its end; without an end it continues.

    Either CORES,START,END or KEY=VALUE,…,start=START,end=END, as a new job is written.
    """
    from fsconsole.app.forecast.jobs import Job

    parts = [part.strip() for part in text.split(",")]
    if "=" in parts[0]:
        asked: dict[str, str] = {}
        for part in parts:
            key, _, value = part.partition("=")
            asked |= {key.strip(): value.strip()} if key.strip() in _TIMES else {}
        requests = ",".join(part for part in parts if part.partition("=")[0].strip() not in _TIMES)
        _shape(requests)
        return Job(math.nan, *_span(text, asked.get("start", "0"), asked.get("end", "")), requests)
    if len(parts) not in _PARTS_OF_JOB:
        msg = (
            f"{text!r} is not CORES,START,END. Example: 28,0,14d, or CORES,START for a job without end, or "
            "cpus=8,gres=gpu:2,start=0,end=14d"
        )
        raise click.BadParameter(msg)
    return Job(_cores(parts[0]), *_span(text, *parts[1:]))


def _span(text: str, begin: str, until: str = "") -> tuple[float, float]:
    start, end = moment(begin), moment(until) if until else math.inf
    if end <= start:
        msg = f"{text!r}: the end must be after the start"
        raise click.BadParameter(msg)
    return start, end


def _cores(text: str) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found <= _MOST_CORES:
        msg = f"{text!r} is not a number of cores. Write a number from 0 to {_MOST_CORES:g}. Example: 28"
        raise click.BadParameter(msg)
    return found


def _load(text: str) -> tuple[str, float]:
    """Read USER=CORES, or CORES with an empty name for all other users."""
    name, equals, cores = text.rpartition("=")
    if equals and not name:
        msg = f"{text!r}: the user is missing. Write USER=CORES, or CORES for all others together"
        raise click.BadParameter(msg)
    return name, _cores(cores)


def _work(text: str) -> tuple[str, float]:
    name, _, cores = text.rpartition("=")
    if not name:
        msg = f"{text!r} is not NAME=CORES. Example: hep=64 or hep/ben=8"
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


def _now(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        msg = f"{text!r} is not a time. Example: 2026-11-26T12:00"
        raise click.BadParameter(msg) from None


def _shape(text: str) -> JobShape:
    """Return a new job: KEY=VALUE, separated by commas."""
    from fsconsole.app.forecast.job_shape import read_shape

    try:
        return read_shape(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


@click.command("forecast")
@click.argument("capture", type=sshare_or_folder, metavar="[SSHARE]", required=False)
@via_option
@click.option(
    "--user", metavar="USER", help="User to forecast. Write ACCOUNT/USER for a user in several accounts."
)
@click.option(
    "--account", metavar="ACCOUNT", help="Account to forecast instead of a user: all below it together."
)
@click.option("--job", "jobs", type=_job, multiple=True, metavar="CORES,START,END",
              help="Planned job: CORES are billing units a second, times count from now; or "
                  "cpus=8,mem=64G,gres=gpu:a100:2,partition=gpu,"
                  "qos=high,start=0,end=14d, charged as there. May be repeated. Jobs of an account are "
                  "spread over its users.")  # fmt: skip
@click.option("--own", type=click.Choice([*_OWN]),
              help="Use beside the jobs. Default for a user: to-limits, the running jobs until their time "
                  "limits; for an account: running-jobs, which go on. Where none are known: nothing and "
                  "same-usage.")  # fmt: skip
@click.option("--others", "loads", type=_load, multiple=True, metavar="[USER=]CORES",
              help="Cores in use by all others together, or by one of them. Default: they keep their "
                  "usage.")  # fmt: skip
@click.option("--against", "rivals", multiple=True, metavar="NAME",
              help="User or account to compare with. May be repeated.")  # fmt: skip
@click.option("--share", "shares", type=_shares, multiple=True, metavar="NAME=SHARES",
              help="Change: raw shares of an account or a user from now on. May be repeated.")  # fmt: skip
@click.option("--work", "works", type=_work, multiple=True, metavar="NAME=CORES",
              help="Change: cores in use by a user or an account from now on. May be repeated.")  # fmt: skip
@click.option("--reset-usage", "resets", multiple=True, metavar="NAME",
              help="Change: usage of an account or a user set to 0. May be repeated.")  # fmt: skip
@click.option("--new-half-life", type=duration, metavar="TIME", help="Change: another half-life from now on.")
@click.option("--new-damp", type=click.FloatRange(min=0, min_open=True), metavar="D",
              help="Change: another dampening factor from now on.")  # fmt: skip
@click.option("--target", type=click.FloatRange(0, 1, min_open=True), metavar="F",
              help="Fairshare to reach: print when it is at least F for good.")  # fmt: skip
@click.option("--solve", metavar="WISH",
              help=(
                  "Goal, such as 'F=0.5 by Monday' or 'LevelFS=1 in 3 d': print the changes that reach "
                  "it."
              ))  # fmt: skip
@click.option("--priority-of", type=click.IntRange(1), metavar="JOBID",
              help=(
                  "Pending job to forecast the priority of, from sprio's "
                  "output in a capture folder."
              ))  # fmt: skip
@click.option("--new-job", type=_shape, metavar="KEY=VALUE,…",
              help=(
                  "New job to forecast the priority of, and its charge: cpus, "
                  "nodes, mem, gres, partition, qos, nice."
              ))  # fmt: skip
@click.option("--half-life", "half_life_s", type=duration, metavar="TIME",
              help="PriorityDecayHalfLife. Default: from the capture folder, else 7d.")  # fmt: skip
@click.option("--period", "period_s", type=duration, metavar="TIME",
              help="PriorityCalcPeriod. Default: from the capture folder, else 5min.")  # fmt: skip
@click.option("--damp", type=click.FloatRange(min=0, min_open=True),
              metavar="D", help=(
                  "FairShareDampeningFactor. Default: from the capture "
                  "folder, else 1."
              ))  # fmt: skip
@click.option("--until", "until_s", type=duration, metavar="TIME",
              help=(
                  "Length of the forecast. Default: 3 half-lives after the last "
                  "job, or until the goal."
              ))  # fmt: skip
@click.option(
    "--now",
    type=_now,
    metavar="TIME",
    help="Time from which `by Monday` counts. Default: the capture's time.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all times.")
def command(
    capture: Path | None, via: tuple[str, ...], *, as_json: bool, now: datetime | None, **typed: Any
) -> None:
    """Forecast usage and fairshare of a user or an account, and what changes do to them.

    SSHARE is a file with what `sshare -l -a -P` printed, - for stdin, or a capture folder. Without it the
    cluster is read now, through the prefix of --via if given. Fairshare is classic or Fair Tree, as the
    cluster has it. All changes are in force together from now on; what is shown without them starts from the
    same now.

    It starts with the next calculation, from RawUsage, or from NormUsage where both agree, which has more
    digits. Jobs run at the times they are given, and what others will use is an assumption. CORES are billing
    units a second; a job in KEY=VALUE is charged by the TRESBillingWeights of its partition, PriorityFlags
    and the UsageFactor of its QOS. Running jobs are those that have started, suspended ones too, since Slurm
    charges them. While jobs run, the columns of a capture lag one another, and fairshare at the next
    calculation may differ from the printed one by up to 0.1.
    """
    from fsconsole.app.forecast.question import answer
    from fsconsole.cli.slurm_forecast_words import report
    from fsconsole.targets.slurm.location import captured_folder
    from fsconsole.text.moments import local

    _check(typed)
    if capture is not None and via:
        raise click.UsageError("SSHARE excludes --via and --capture")
    capture = capture or captured_folder(via)
    cluster = _live(via) if capture is None else _cluster(capture)
    captured_s = cluster.known.captured_s
    begin = now or local(time.time() if captured_s is None else captured_s)
    try:
        found = answer(_question(cluster, begin, typed))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    report(found, begin, as_json=as_json)


def _check(typed: dict[str, Any]) -> None:
    if (typed["user"] is None) == (typed["account"] is None):
        msg = "give either --user or --account"
        raise click.UsageError(msg)
    if typed["target"] is not None and math.isnan(typed["target"]):
        msg = "--target must be a number above 0 and at most 1"
        raise click.UsageError(msg)
    if typed["priority_of"] is not None and typed["new_job"] is not None:
        msg = "--priority-of and --new-job exclude each other"
        raise click.UsageError(msg)


def _live(via: tuple[str, ...]) -> Cluster:
    """Read the cluster now, as a capture does."""
    from fsconsole.app.forecast.cluster import read_capture
    from fsconsole.targets.slurm.location import Location
    from fsconsole.targets.slurm.reading import capture as write_capture
    from fsconsole.targets.slurm.tools import ToolError, Tools

    tools = Tools(Location(via))
    with TemporaryDirectory(prefix="fsconsole-") as folder:
        place = Path(folder) / "capture"
        try:
            kept = in_thread(lambda: write_capture(tools, place), tools)
        except ToolError as error:
            raise UserError(str(error)) from error
        for problem in kept.problems:
            print_problem(problem)
        try:
            return read_capture(place, kept.cluster)
        except ValueError as error:
            raise UserError(f"cannot forecast: {kept.problems[0] if kept.problems else error}") from error


def _cluster(capture: Path) -> Cluster:
    from fsconsole.app.forecast.cluster import cluster_in, read_capture
    from fsconsole.app.kinds import Kind, kind_named
    from fsconsole.cli.reading import name_of, read_text

    if capture.is_dir():
        return read_capture(capture)
    with kind_named(capture, "output of sshare", Kind.SSHARE):
        return cluster_in(read_text(capture), name_of(capture))


def _question(cluster: Cluster, now: datetime, typed: dict[str, Any]) -> Question:
    """Return the question of the command line.

    Raises:
        ValueError: it cannot be answered.
    """
    from fsconsole.app.forecast.job_shape import read_shape, unchecked
    from fsconsole.app.forecast.jobs import priced
    from fsconsole.app.forecast.question import Own, Question, usual_own
    from fsconsole.app.forecast.wish import read_goal
    from fsconsole.slurm.decay import SlurmDecay

    is_user = typed["user"] is not None
    row = cluster.user_row(typed["user"]) if is_user else cluster.account_row(typed["account"])
    together = [cores for name, cores in typed["loads"] if not name]
    set_to = cluster.settings or SlurmDecay()
    own = Own[_OWN[typed["own"]]] if typed["own"] else usual_own(cluster, row)
    for job in typed["jobs"]:
        if job.requests and (words := unchecked(cluster, read_shape(job.requests))):
            print_problem(f"note: {words}")
    return Question(
        cluster,
        row,
        rivals=tuple(cluster.row(name) for name in typed["rivals"]),
        jobs=tuple(priced(job, cluster) for job in typed["jobs"]),
        others_rate=sum(together) if together else None,
        wished=typed["target"],
        decay=SlurmDecay(typed["half_life_s"] or set_to.half_life_s, typed["period_s"] or set_to.period_s),
        damping=typed["damp"] or cluster.damping,
        until_s=typed["until_s"],
        changes=_changes(cluster, typed),
        loads=tuple(_load_of(cluster, row, name, cores) for name, cores in typed["loads"] if name),
        own=own,
        goal=None if typed["solve"] is None else read_goal(typed["solve"], row, now),
        mix=_mix(cluster, row, typed),
    )


def _changes(cluster: Cluster, typed: dict[str, Any]) -> Changes:
    from fsconsole.slurm.fairshare import SharesChange
    from fsconsole.slurm.staged_changes import Changes, RateChange

    return Changes(
        tuple(SharesChange(cluster.row(name), value) for name, value in typed["shares"]),
        tuple(RateChange(cluster.row(name), cores) for name, cores in typed["works"]),
        tuple(cluster.row(name) for name in typed["resets"]),
        typed["new_half_life"],
        typed["new_damp"],
    )


def _mix(cluster: Cluster, asked: int, typed: dict[str, Any]) -> JobMix | None:
    from fsconsole.app.forecast.job_shape import config_of, new_mix
    from fsconsole.slurm.job_priority import row_of_each
    from fsconsole.slurm.priority_outlook import mix_of_waiting

    known, job_id, shape = cluster.known, typed["priority_of"], typed["new_job"]
    if job_id is None and shape is None:
        return None
    if not cluster.tree.user[asked]:
        msg = "jobs belong to users: use --user to forecast a priority"
        raise ValueError(msg)
    if shape is not None:
        return new_mix(cluster, shape)
    config = config_of(cluster, "priority")
    rows = row_of_each(known.waiting, known.jobs or ())
    row = rows.get(job_id)
    if row is None:
        raise ValueError(_no_priority(cluster, job_id, cluster.tree.user[asked], rows))
    user = row.user or next((job.user for job in known.jobs or () if job.job_id == job_id), "")
    if not user:
        msg = f"the user of job {job_id} is unknown: neither sprio nor squeue shows one"
        raise ValueError(msg)
    if user != cluster.tree.user[asked]:
        msg = f"job {job_id} belongs to {user}. Use --user {user}"
        raise ValueError(msg)
    return mix_of_waiting(row, config)


def _no_priority(cluster: Cluster, job_id: int, user: str, rows: Mapping[int, JobPriority]) -> str:
    """Return the reason that a job has no priority to forecast, and the pending jobs of its user."""
    known = cluster.known
    job = next((one for one in known.jobs or () if one.job_id == job_id), None)
    own = listed(sorted(one for one, row in rows.items() if row.user == user), _MOST_NAMED)
    others = f"Pending jobs of {user}: {own}" if own else f"{user} has no pending job with a priority"
    others += f" ({known.waiting_gap})" if known.waiting_gap else ""
    if job is None:
        return f"{cluster.name} has no job {job_id}. {others}"
    if job.is_pending:
        return f"sprio shows no priority of job {job_id} ({job.reason}). {others}"
    return f"job {job_id} is {job.state.lower()}, not pending. {others}"


def _load_of(cluster: Cluster, asked: int, name: str, cores: float) -> tuple[int, float]:
    """Return the row of another user, and the cores used there."""
    row = cluster.user_row(name)
    if row == asked:
        msg = f"--others names {name}, the subject of the forecast. Give the jobs of {name} with --job"
        raise click.UsageError(msg)
    return row, cores
