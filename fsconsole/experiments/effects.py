"""Everitt, Jones, Knesel, section 3.4: edge effects, and the scheduler's resolution of shares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure, diamonds, node_figure
from fsconsole.experiments.unicos_flat import PAPER, POINTS
from fsconsole.figures.spec import Axis, EventMark, FigureSpec, Floats

DELTA_S = 4.0

_KERNEL = Origin.law("limits of the Share kernel")
_LAW = Origin.law("usage feedback, delta by delta without ticks")

# -- edge effects -----------------------------------------------------------------------------------------

COMES_S = 600.0
EDGE_LENGTH_S = 2400.0
EDGE_HALF_LIFE_S = 600.0
# Times are seconds after the newcomer's login.
WINDOWS = ((0, 40), (40, 120), (120, 300), (300, 1800))
LAW_POINTS, GRAIN_POINTS = 1.0, 0.25
LIMITED = ((2.0, 50.0), (1.5, 37.5))  # Each maxushare has its effective share in %.
LIMITED_S = (10.0, 40.0)
# These usages in cost units are far beyond a ceiling of 1e12, for users with half of the active shares.
HUGE = {"u1": 1e12, "u2": 4e12}
EDGE_NOTES = (
    Note(
        "paper",
        "The paper gives no numbers. A user with very low decayed usage can dominate for a time that "
        "depends on the half-life.",
    ),
    Note(
        "ours",
        "Expected values are the equations of usage feedback computed delta by delta without ticks. "
        "LIMSHARE and the ceiling of normalised usage are those of the Share kernel. All users above "
        "the ceiling are in the background band, where earlier usage makes no difference.",
    ),
)


def _edge(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("edge-effects")
    free = measure(example, EDGE_LENGTH_S, steps.next(0.3))
    limited = {most: _limited(example, most, steps.next(0.2)) for most, _ in LIMITED}
    band, above = (_heavy(example, ceiling, steps.next(0.15)) for ceiling in (1e12, 1e15))
    claims = [_newcomer(free)]
    claims += [
        Claim(
            f"LIMSHARE, maxushare {most:g}: CPU of the newcomer from 10 to 40 s",
            percent,
            limited[most].cpu_percent(("late",), *(COMES_S + at for at in LIMITED_S))[0],
            POINTS,
            "%",
            origin=_KERNEL,
        )
        for most, percent in LIMITED
    ]
    claims += [
        Claim(
            "Two users above the ceiling of normalised usage, one with 4 times the usage: CPU",
            (50.0, 50.0),
            band.cpu_percent(("u1", "u2"), 0.0, 60.0),
            POINTS,
            "%",
            ("u1", "u2"),
            origin=_KERNEL,
        ),
        Claim(
            "The same with a higher ceiling, 1e15",
            (80.0, 20.0),
            above.cpu_percent(("u1", "u2"), 0.0, 60.0),
            LAW_POINTS,
            "%",
            ("u1", "u2"),
            origin=Origin.law("usage feedback: CPU is inversely proportional to usage"),
        ),
    ]
    return Result("edge-effects", tuple(claims), _edge_figures(free, limited), EDGE_NOTES)


def _limited(example: Example, most: float, steps: Steps) -> Measured:
    settings = {"policy.limshare": True, "policy.maxushare": most}
    return measure(example, EDGE_LENGTH_S, steps, settings=settings)


def _heavy(example: Example, ceiling: float, steps: Steps) -> Measured:
    """Run only u1 and u2, with huge usages."""
    scenario = example.scenario
    there = [scenario.tree.find(name).id for name in HUGE]
    alone = example.with_usage(HUGE).changed(
        "u1 and u2 alone",
        logins=tuple(there),
        workloads=tuple(load for load in scenario.workloads if load.node in there),
        events=(),
    )
    return measure(alone, 60.0, steps, settings={"policy.max_kusage": ceiling})


def _newcomer(run: Measured) -> Claim:
    """Return the claim on the CPU of a newcomer without usage beside three users with equal usages."""
    tau = EDGE_HALF_LIFE_S / math.log(2)
    used = tau * (1 - 0.5 ** (COMES_S / EDGE_HALF_LIFE_S)) / 3
    deltas = int((EDGE_LENGTH_S - COMES_S) / DELTA_S)
    law = cpu_of_deltas(
        (0.25,) * 4, (used,) * 3 + (0.0,), deltas=deltas, delta_s=DELTA_S, half_life_s=EDGE_HALF_LIFE_S
    )[:, 3]
    expected = tuple(100 * float(law[int(a / DELTA_S) : int(b / DELTA_S)].mean()) for a, b in WINDOWS)
    measured = tuple(run.cpu_percent(("late",), COMES_S + a, COMES_S + b)[0] for a, b in WINDOWS)
    names = tuple(f"{a} to {b} s" for a, b in WINDOWS)
    text = "CPU of a newcomer without usage at 0 to 40, 40 to 120, 120 to 300 and 300 to 1800 s"
    return Claim(text, expected, measured, LAW_POINTS, "%", names, origin=_LAW)


def _edge_figures(free: Measured, limited: dict[float, Measured]) -> tuple[FigureSpec, ...]:
    curves = {"no limit": free.cpu_parts("late")}
    curves |= {f"maxushare {most:g}": run.cpu_parts("late") for most, run in limited.items()}
    return (
        node_figure(
            free,
            ("u1", "u2", "u3", "late"),
            "edge-cpu-rate",
            "A newcomer without usage: CPU rate",
            (
                "Four users with equal shares. One logs in at 600 s and gets almost all CPU. Diamond: "
                "its share."
            ),
            expected=diamonds(EDGE_LENGTH_S, (25.0,)),
        ),
        curve_figure(
            "limshare",
            "LIMSHARE: CPU rate of the newcomer",
            "Its effective share never exceeds maxushare times the allocated one (diamonds).",
            curves,
            free.provenance,
            expected=[mark for _, percent in LIMITED for mark in diamonds(COMES_S + 30, (percent,))],
            events=(EventMark(COMES_S, "late logs in"),),
        ),
    )


# -- granularity ------------------------------------------------------------------------------------------

THREE = ("large", "middle", "small")
SHARES = (0.66, 0.33, 0.01)
DELTAS_S = (4.0, 20.0, 60.0, 120.0, 240.0)
GRAIN_LENGTH_S = 1200.0
GRAIN_HALF_LIFE_S = 120.0
QUANTUM = 0.05
GRAIN_NOTES = (
    Note(
        "paper",
        "The paper names three limits of the resolution: delta over half-life, the share quantum "
        "sharemin and the group error quantum mingshare. It gives no numbers.",
    ),
    Note(
        "ours",
        "Usages change only at deltas. A user without usage runs a whole delta before it counts. So "
        "the smallest share that can be resolved in a time grows with delta. Expected values are the "
        "equations computed delta by delta without ticks.",
    ),
)


def _granularity(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("granularity")
    part = 0.5 / len(DELTAS_S)
    runs = {delta: _with_delta(example, delta, steps.next(part)) for delta in DELTAS_S}
    quantum = measure(example, GRAIN_LENGTH_S, steps.next(0.2), settings={"policy.sharemin": QUANTUM})
    bands = {
        mingshare: measure(
            Example.named("two-against-one"),
            GRAIN_LENGTH_S,
            steps.next(0.15),
            settings={
                "policy.name": "share",
                "policy.adjgroups": "share",
                "policy.mingshare": mingshare,
                "machine.count_inactive": True,
            },
        )
        for mingshare in (0.75, 1.0)
    }
    raised = [max(share, QUANTUM) for share in SHARES]
    claims = [_grain(delta, run) for delta, run in runs.items()]
    claims += [
        Claim(
            f"sharemin {QUANTUM:g}: CPU of users with 66, 33 and 1 of 100 shares",
            tuple(100 * share / sum(raised) for share in raised),
            quantum.cpu_percent(THREE, 300.0, GRAIN_LENGTH_S),
            POINTS,
            "%",
            THREE,
            origin=Origin.law("shares after sharemin has raised the smallest"),
        ),
        *(
            Claim(
                f"mingshare {mingshare:g}: CPU of a group of two users against one",
                expected,
                bands[mingshare].cpu_percent(("A",), 600.0, GRAIN_LENGTH_S)[0],
                points,
                "%",
                origin=origin,
            )
            for mingshare, expected, points, origin in (
                (0.75, 66.7, POINTS, Origin.law("two of three processes: 4/3 of a half is not adjusted")),
                (
                    1.0,
                    62.0,
                    1.0,
                    Origin.ours("a separate reference simulator", "The paper gives no numbers."),
                ),
            )
        ),
    ]
    return Result("granularity", tuple(claims), _grain_figures(runs, quantum), GRAIN_NOTES)


def _with_delta(example: Example, delta_s: float, steps: Steps) -> Measured:
    settings: dict[str, Any] = {"policy.delta_s": delta_s, "policy.redistribution_s": max(20.0, delta_s)}
    return measure(example, GRAIN_LENGTH_S, steps, settings=settings)


def _grain(delta_s: float, run: Measured) -> Claim:
    """Return the claim on 20 minutes without initial usage."""
    law = cpu_of_deltas(
        SHARES,
        (0.0,) * 3,
        deltas=int(GRAIN_LENGTH_S / delta_s),
        delta_s=delta_s,
        half_life_s=GRAIN_HALF_LIFE_S,
    )
    expected = tuple(100 * float(part) for part in law.mean(axis=0))
    ratio = delta_s / GRAIN_HALF_LIFE_S
    text = f"Delta {delta_s:g} s, {ratio:.2g} half-lives: CPU in 20 minutes, from zero usage"
    return Claim(
        text, expected, run.cpu_percent(THREE, 0.0, GRAIN_LENGTH_S), GRAIN_POINTS, "%", THREE, origin=_LAW
    )


def _grain_figures(runs: dict[float, Measured], quantum: Measured) -> tuple[FigureSpec, ...]:
    curves = {f"delta {delta:g} s": run.cpu_parts("large") for delta, run in runs.items()}
    deltas = np.array(DELTAS_S)
    excess = [100 * SHARES[2]] * len(runs)
    excess = [
        run.cpu_percent(("small",), 0.0, GRAIN_LENGTH_S)[0] - base
        for run, base in zip(runs.values(), excess, strict=True)
    ]
    first = runs[DELTAS_S[0]].provenance
    return (
        curve_figure(
            "delta-cpu-rate",
            "Delta: CPU rate of the user with 66 of 100 shares",
            "With a long delta the scheduler sees usage too late, and the rate swings.",
            curves,
            first,
        ),
        curve_figure(
            "delta-excess",
            "Delta: CPU of the smallest user above its share",
            "In 20 minutes from zero usage, with 1 of 100 shares.",
            {"excess": (deltas, np.array(excess))},
            first,
            x_axis=Axis("delta", "s", 1.0, "s"),
            y_axis=Axis("CPU above the share", "points", 1.0, "points"),
        ),
        node_figure(
            quantum,
            THREE,
            "sharemin-cpu-rate",
            "sharemin 0.05: CPU rate",
            "The user with 1 of 100 shares counts as one twentieth of the machine.",
        ),
    )


def effects() -> tuple[Experiment, ...]:
    """Return the experiment on section 3.4 of the paper."""
    return (
        Experiment(
            "edge-effects",
            "Edge effects",
            PAPER,
            "A newcomer without usage dominates until LIMSHARE stops it. Huge usages fall into one band.",
            _edge,
        ),
        Experiment(
            "granularity",
            "Granularity",
            PAPER,
            "Limits of resolution from delta over half-life, sharemin and mingshare.",
            _granularity,
        ),
    )


# A kernel has a lower limit of kusage too, so that no usage counts as 0.
_LEAST_S = 1e-4


def cpu_of_deltas(
    shares: Sequence[float], usage_s: Sequence[float], *, deltas: int, delta_s: float, half_life_s: float
) -> Floats:
    """Return fractions of the CPU, [deltas, users], by usage feedback from usages at 0 in CPU s.

    This is a calculation without ticks. Within a delta user i gets CPU in proportion to share_i^2 / usage_i;
    then usage_i = k1 * usage_i + CPU of the delta. All users have work all the time.

    Source: Junglas 1991, section 3, equations of t1 and t3.
    """
    squares = np.square(np.array(shares))
    usage = np.array(usage_s, np.float64)
    k1 = 0.5 ** (delta_s / half_life_s)
    parts = np.empty((deltas, len(usage)))
    for delta in range(deltas):
        wanted = squares / np.maximum(usage, _LEAST_S * squares)
        parts[delta] = wanted / wanted.sum()
        usage = k1 * usage + delta_s * parts[delta]
    return parts
