"""Everitt, Jones, Knesel, section 2.1.2: what the decay of usage is for, by equations 3 to 8."""

from __future__ import annotations

import math

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.effects import cpu_of_deltas
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.experiments.unicos_flat import PAPER
from fsconsole.figures.spec import Axis, Floats, Provenance

HOUR_S, DAY_S = 3600.0, 86_400.0
HALF_LIFE_S = 120.0
ALONE_DAYS, DAYS = 182, 240
DOMINATES = 0.55
NEVER_S, WEEK_S = 1e15, 7 * DAY_S
NOTES = (
    Note(
        "ours",
        "A works alone for half a year, then B works too; both are entitled to half. Computed from usage "
        "feedback hour by hour without ticks. B dominates while it gets over 55 %.",
    ),
)


def _decay(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("three-users").with_usage({"one": 1e9})
    rested = example.changed("two and four alone work", workloads=example.scenario.workloads[1:])
    run = measure(rested, 10 * HALF_LIFE_S, steps.next(0.8))
    idle = run.series("usage").values[run.node("one")]
    busy = run.series("usage").values[run.machine.tree.root.id] - idle
    tau_s = HALF_LIFE_S / math.log(2)
    decayed = float(idle[len(idle) // 2] / idle[0])
    # Equation 8 for a constant charge: the integral is charge * tau * (1 - exp(-t / tau)).
    spec = run.scenario.machine
    charge = spec.cpus * spec.hz * spec.tick_cost
    integral = charge * tau_s * (1 - math.exp(-float(run.times[-1]) / tau_s))
    never, week = (_part_of_b(half_life_s) for half_life_s in (NEVER_S, WEEK_S))
    steps.at(1.0)
    claims = (
        Claim(
            "Usage of an idle user after five half-lives, of what it was (equations 3 to 5)",
            2.0**-5,
            decayed,
            1e-6,
            origin=Origin.paper("equations 3 to 5"),
        ),
        Claim(
            "Decayed usage of those who work, in parts of the integral of equation 8",
            1.0,
            float(busy[-1]) / integral,
            0.02,
            origin=Origin.paper("equations 7 and 8"),
        ),
        Claim(
            "It stays below its bound, the charge times tau",
            expected=True,
            measured=bool(busy.max() < charge * tau_s * 1.02),
            origin=Origin.paper("section 2.1.2", "It says that decay bounds usage."),
        ),
        Claim(
            "Without decay B dominates for over three months after half a year of A alone",
            expected=True,
            measured=_days_dominated(never) > 90,
            origin=Origin.paper("section 2.1.2", "It says several months."),
        ),
        Claim(
            "With a half-life of a week it dominates for less than a month",
            expected=True,
            measured=_days_dominated(week) < 30,
            origin=Origin.paper("section 2.1.2", "It gives no numbers."),
        ),
    )
    days = HOUR_S * np.arange(len(never), dtype=np.float64)
    figure = curve_figure(
        "half-a-year",
        "CPU of B after half a year of A alone",
        "Both are entitled to half.",
        {"no decay": (days, never), "half-life 7 d": (days, week)},
        Provenance("Usage feedback hour by hour, two users"),
        x_axis=Axis("time", "d", 1 / DAY_S, "s"),
    )
    return Result("unicos-decay", claims, (figure,), NOTES)


def _part_of_b(half_life_s: float) -> Floats:
    """B's part of the CPU, hour by hour."""
    decay = 0.5 ** (HOUR_S / half_life_s)
    hours = ALONE_DAYS * 24
    used = HOUR_S * (hours if decay == 1 else (1 - decay**hours) / (1 - decay))
    parts = cpu_of_deltas((0.5, 0.5), (used, 1.0), deltas=DAYS * 24, delta_s=HOUR_S, half_life_s=half_life_s)
    return parts[:, 1]


def _days_dominated(part: Floats) -> float:
    return float((part > DOMINATES).sum()) / 24


def unicos_decay() -> Experiment:
    """Why usage decays."""
    return Experiment(
        "unicos-decay",
        "What the decay of usage is for",
        PAPER,
        "Idle users, the bound of usage, and half a year without decay.",
        _decay,
    )
