"""`fsconsole slurm control`: usage that halves fairshare every so many hours, and its effect on all users."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import duration, sshare_source

if TYPE_CHECKING:
    from fsconsole.slurm.population import Population

_FIELDS = 4
_MOST_USERS = 10_000_000


def _generated(text: str) -> tuple[int, int, float, float]:
    """Read USERS,ACTIVE,TOP,MEAN."""
    parts = text.split(",")
    try:
        users, active, top_h, mean_h = int(parts[0]), int(parts[1]), float(parts[2]), float(parts[3])
    except (ValueError, IndexError):
        users = active = 0
        top_h = mean_h = 0.0
    if len(parts) != _FIELDS or not (
        2 <= active <= users <= _MOST_USERS and top_h > 1 and 0 < mean_h < top_h
    ):
        msg = (
            f"{text!r} is not USERS,ACTIVE,TOP,MEAN: all users, users with usage (2 or more), "
            "core-hours of the first, and the mean of all. Example: 2500,380,147787,700"
        )
        raise click.BadParameter(msg)
    return users, active, top_h, mean_h


@click.command("control")
@click.argument("capture", type=sshare_source, metavar="SSHARE", required=False)
@click.option("--target", "target_h", required=True, metavar="HOURS",
              type=click.FloatRange(min=0, min_open=True, max=1e12),
              help="Core-hours at which fairshare becomes one half.")  # fmt: skip
@click.option("--generate", "generated", type=_generated, metavar="USERS,ACTIVE,TOP,MEAN",
              help="Pareto-like population: users, users with usage, core-hours of the first, and the "
                  "mean of all.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed for --generate.")
@click.option("--half-life", "half_life_s", type=duration, default="7d", show_default=True, metavar="TIME",
              help="PriorityDecayHalfLife, for the daily loss of the padding.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    capture: Path | None,
    target_h: float,
    generated: tuple[int, int, float, float] | None,
    seed: int,
    half_life_s: float,
    as_json: bool,
) -> None:
    """Compute padding and dampening that make classic fairshare halve every HOURS, for the users in SSHARE.

    Compares the paper's models (Yalim 2020): 0, nothing is done; 1, d = users/active users; 2, d =
    HOURS/mean usage; and an artificial user whose usage pads that of all. They take all users for having one
    share each; SSHARE is a file with what `sshare -l -a -P` printed, - for stdin, or a
    capture folder; its RawUsage is taken.
    """
    if (capture is None) == (generated is None):
        msg = "give an SSHARE file, or a population with --generate"
        raise click.UsageError(msg)
    if math.isnan(target_h):
        msg = "--target must be a number of hours above 0"
        raise click.UsageError(msg)
    people = _captured(capture) if capture is not None else _drawn(generated, seed)
    found = _work_out(people, target_h, half_life_s)
    if as_json:
        print_json(found)
        return
    _print(found)


def _captured(capture: Path) -> Population:
    from fsconsole.cli.slurm_fairshare import read_capture
    from fsconsole.slurm.population import population_of

    read = read_capture(capture)
    try:
        return population_of(read)
    except ValueError:
        msg = f"users of {capture} need a finite RawUsage, one above 0. `sshare -l -a -P` prints it"
        raise UserError(msg) from None


def _drawn(generated: tuple[int, int, float, float] | None, seed: int) -> Population:
    from fsconsole.slurm.population import bounded_pareto

    assert generated is not None  # noqa: S101 (one of both is given)
    try:
        return bounded_pareto(*generated, seed)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _work_out(people: Population, target_h: float, half_life_s: float) -> dict[str, Any]:
    from fsconsole.slurm.damping import damping_for
    from fsconsole.slurm.padding import lost_s, padding_s
    from fsconsole.slurm.population import MODELS, model_damping, model_fairshare

    users = len(people.usage_h)
    choice = damping_for(target_h, people.mean_h)
    padding = padding_s(target_h, users + 1)
    models = [
        _row(model, model_damping(people, model, target_h), model_fairshare(people, model, target_h))
        for model in MODELS
    ]
    return {
        "users": users,
        "active": people.active,
        "mean_h": people.mean_h,
        "target_h": target_h,
        "damp": {"exact": choice.exact, "whole": choice.whole, "halves_at_h": choice.halves_at_h},
        "padding": {"usage_s": padding, "lost_a_day_s": lost_s(padding, 86400.0, half_life_s)},
        "models": [*models, _padded(people, padding)],
    }


def _padded(people: Population, padding: float) -> dict[str, Any]:
    from fsconsole.slurm.padding import HOUR_S
    from fsconsole.slurm.population import padded_fairshare

    return _row("padded", 1.0, padded_fairshare(people, padding / HOUR_S))


def _row(name: str, damp: float, fairshare: Any) -> dict[str, Any]:
    from fsconsole.slurm.population import counts_of

    counts = counts_of(fairshare)
    return {"name": name, "damp": damp, "zero": counts.zero, "half_or_less": counts.half_or_less}


def _print(found: dict[str, Any]) -> None:
    damp, padding = found["damp"], found["padding"]
    print(
        f"{found['users']} users, {found['active']} with usage; mean usage {found['mean_h']:.6g} core-hours."
    )
    print(
        f"FairShareDampeningFactor for {found['target_h']:g} h: {damp['exact']:.6g}. "
        f"Slurm takes whole numbers: {damp['whole']} halves at {damp['halves_at_h']:.6g} h."
    )
    print(
        f"Padding by an artificial user: {padding['usage_s']:.6g} core-seconds, of which "
        f"{padding['lost_a_day_s']:.6g} decay each day."
    )
    rows = [
        (one["name"], f"{one['damp']:.6g}", str(one["zero"]), str(one["half_or_less"]))
        for one in found["models"]
    ]
    print_table(("Model", "Factor d", "Users shown as 0", "At most 0.5"), rows)
