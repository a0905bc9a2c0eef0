"""Everitt, Jones, Knesel, section 2.1.2: the purpose of the decay of usage, by equations 3 to 8."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.effects import cpu_of_deltas
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.experiments.unicos_flat import PAPER
from fsconsole.figures.spec import Axis, FigureSpec, Floats, Provenance
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.spec import Event

HOUR_S, DAY_S = 3600.0, 86_400.0
HALF_LIFE_S = 120.0
ALONE_DAYS, DAYS = 182, 240
DOMINATES = 0.55
NEVER_S, WEEK_S = 1e15, 7 * DAY_S
NOTES = (
    Note(
        "ours",
        "A works alone for half a year, then B works too. Both are entitled to half. Computed from "
        "usage feedback hour by hour without ticks. B dominates while it gets over 55 %.",
    ),
    Note(
        "ours",
        "The machine shows the same with 600 s in place of half a year. Without decay only the ratio "
        "of the times counts. Rates equal the other's usage, so the difference of the squares of "
        "usage stays constant. At time t after B returns from an absence of T, it has 1/2 + T^2 / (2 "
        "(T + t)^2) of the machine. That is above 60 % for 1.24 T, and always above half.",
    ),
)
AWAY_S, WINDOW_S = 600.0, 60.0
HOURS = (8.0, 24.0, 168.0)
DELTA_S = 4.0
REDISTRIBUTION_S, REDISTRIBUTIONS = 300.0, 2000
WAIT_S, UNNOTICED = 0.02, 1e-6


def _decay(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("three-users").with_usage({"one": 1e9})
    rested = example.changed("only two and four work", workloads=example.scenario.workloads[1:])
    run = measure(rested, 10 * HALF_LIFE_S, steps.next(0.4))
    kept = measure(_b_comes_late(), 3.5 * AWAY_S, steps.next(0.5), settings={"policy.half_life_s": NEVER_S})
    constants = [_constant(hours, steps.next(0.01)) for hours in HOURS]
    idle = run.series("usage").values[run.node("one")]
    busy = run.series("usage").values[run.machine.tree.root.id] - idle
    tau_s = HALF_LIFE_S / math.log(2)
    decayed = float(idle[len(idle) // 2] / idle[0])
    # Equation 8 for a constant charge has the integral charge * tau * (1 - exp(-t / tau)).
    spec = run.scenario.machine
    charge = spec.cpus * spec.hz * spec.tick_cost
    integral = charge * tau_s * (1 - math.exp(-float(run.times[-1]) / tau_s))
    never, week = (_part_of_b(half_life_s) for half_life_s in (NEVER_S, WEEK_S))
    steps.at(1.0)
    claims = (
        Claim(
            "Usage of an idle user after five half-lives, as a fraction of the original (equations 3 to 5)",
            2.0**-5,
            decayed,
            1e-6,
            origin=Origin.paper("equations 3 to 5"),
        ),
        Claim(
            "Decayed usage of working users, as a fraction of the integral of equation 8",
            1.0,
            float(busy[-1]) / integral,
            0.02,
            origin=Origin.paper("equations 7 and 8"),
        ),
        Claim(
            "It stays below its limit, the charge times tau",
            expected=True,
            measured=bool(busy.max() < charge * tau_s * 1.02),
            origin=Origin.words("section 2.1.2", "The paper says that decay bounds usage."),
        ),
        Claim(
            "Without decay B dominates for over three months after half a year of A alone",
            expected=True,
            measured=_days_dominated(never) > 90,
            origin=Origin.words("section 2.1.2", "The paper says several months."),
        ),
        Claim(
            "With a half-life of a week it dominates for less than a month",
            expected=True,
            measured=_days_dominated(week) < 30,
            origin=Origin.words("section 2.1.2", "The paper gives no numbers."),
        ),
        *_of_machine(kept, constants),
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
    return Result("unicos-decay", claims, (figure, _figure(kept)), NOTES)


def _of_machine(kept: Measured, constants: Sequence[float]) -> tuple[Claim, ...]:
    """Return claims on the machine without decay, and on its constants."""
    after = (WINDOW_S / 2, AWAY_S, 2 * AWAY_S)
    half = WINDOW_S / 2
    hours = tuple(f"{one:.0f} h" for one in HOURS)
    return (
        Claim(
            "B's share of the machine without decay, at times after its return from an absence of T",
            tuple(100 * _part_without_decay(at) for at in after),
            tuple(kept.cpu_percent(("two",), AWAY_S + at - half, AWAY_S + at + half)[0] for at in after),
            1.0,
            "%",
            tuple(f"{at / AWAY_S:.3g} T" for at in after),
            origin=Origin.law("equation 2, computed"),
        ),
        Claim(
            "Sigma of equation 4 from the machine's K, with ln(0.5) in place of ln(5)",
            tuple(math.log(2) / one for one in HOURS),
            tuple(-math.log(k) * HOUR_S / DELTA_S for k in constants),
            1e-9,
            "1/h",
            hours,
            origin=Origin.law("equation 4 as it is meant, computed"),
        ),
        Claim(
            "More than 2000 redistributions in a half-life of seven days, one each five minutes",
            expected=True,
            measured=WEEK_S / REDISTRIBUTION_S > REDISTRIBUTIONS,
            origin=Origin.words("section 2.2.2.2"),
        ),
        Claim(
            "A wait of 20 ms decays less than a millionth of a usage, for each of these half-lives",
            expected=True,
            measured=all(1 - k ** (WAIT_S / DELTA_S) < UNNOTICED for k in constants),
            origin=Origin.words(
                "section 3.2.2", "The paper says milliseconds against hours; the 20 ms are ours."
            ),
        ),
    )


def _b_comes_late() -> Example:
    """Return an example of two users with equal shares, the second without a process at first."""
    example = Example.named("three-users")
    scenario = example.scenario
    tree = scenario.tree.copy()
    for name in ("one", "two"):
        tree.writable(tree.find(name).id).shares = 1
    away, late = tree.find("four").id, tree.find("two").id
    return example.changed(
        f"one and two have equal shares; two works from {AWAY_S:.0f} s on",
        tree=tree,
        logins=tuple(node for node in scenario.logins if node != away),
        workloads=tuple(load for load in scenario.workloads if load.node not in (away, late)),
        events=(*scenario.events, Event(AWAY_S, StartProcess(late, Work()))),
    )


def _part_without_decay(after_s: float) -> float:
    """Return B's fraction of the machine at a time after its return, by the law in the notes."""
    return 0.5 + AWAY_S**2 / (2 * (AWAY_S + after_s) ** 2)


def _constant(hours: float, steps: Steps) -> float:
    """Return the K of a machine: the fraction of usage left after a delta."""
    settings = {"policy.half_life_s": HOUR_S * hours, "policy.delta_s": DELTA_S}
    machine = measure(Example.named("three-users"), 0.0, steps, settings=settings).machine
    return float(machine.parameters.usage_decay)


def _figure(kept: Measured) -> FigureSpec:
    """Return a figure of B's fraction of the CPU on the machine, and by the law."""
    law = np.linspace(AWAY_S, float(kept.times[-1]), 200)
    computed = np.array([_part_without_decay(at - AWAY_S) for at in law])
    return curve_figure(
        "half-a-year-on-the-machine",
        "CPU of B without decay, on the machine",
        "B works from 600 s on.",
        {"measured": kept.cpu_parts("two"), "computed": (law, computed)},
        kept.provenance,
        x_axis=Axis("time", "s", 1.0, "s"),
    )


def _part_of_b(half_life_s: float) -> Floats:
    """Return B's fraction of the CPU, hour by hour."""
    decay = 0.5 ** (HOUR_S / half_life_s)
    hours = ALONE_DAYS * 24
    used = HOUR_S * (hours if decay == 1 else (1 - decay**hours) / (1 - decay))
    parts = cpu_of_deltas((0.5, 0.5), (used, 1.0), deltas=DAYS * 24, delta_s=HOUR_S, half_life_s=half_life_s)
    return parts[:, 1]


def _days_dominated(part: Floats) -> float:
    return float((part > DOMINATES).sum()) / 24


def unicos_decay() -> Experiment:
    """Return the experiment on the reasons for decay."""
    return Experiment(
        "unicos-decay",
        "Purpose of the decay of usage",
        PAPER,
        "Idle users, the limit of usage, and half a year without decay.",
        _decay,
    )
