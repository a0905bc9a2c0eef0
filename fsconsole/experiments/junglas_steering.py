"""Junglas 1991, section 2: half-life and costs as means to influence the times of computing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.effects import cpu_of_deltas
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.junglas import PAPER
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure, node_figure
from fsconsole.figures.spec import Axis, FigureSpec, Floats
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.spec import Event
from fsconsole.text.numbers import percent, short_percent

HOUR_S, DAY_S = 3600.0, 86_400.0
_SECTION = "section 2"

# -- half-life --------------------------------------------------------------------------------------------

TWO = ("once", "spread")
OTHERS = "others"
FEW_HOURS_S, TWO_DAYS_S = 3 * HOUR_S, 2 * DAY_S
SAMPLE_S = 120.0
NOTHING_PERCENT = 2.0
LAW_STEP_S = 60.0
LAW_PART = 0.05  # Times may differ by this fraction of the longer one.
LAW_WHY = "The end of work is measured at samples of 2 min, and a tick is 0.2 s."
_SHARES = (0.25, 0.25, 0.5)
_LEAST_S = 1e-4
STEERING_NOTES = (
    Note(
        "paper",
        "The paper says that half-lives of a few hours make users spread their work over the day, and two "
        "days over the week. It gives no numbers.",
    ),
    Note(
        "ours",
        "The experiment measures the user's gain from spreading work. It compares the time until "
        "that work is done with the time of a user with the same share who starts all work at once. "
        "It does not simulate how users react.",
    ),
    Note(
        "ours",
        "Expected times are the equations of t1 and t3 in steps of a minute. Shares and work are "
        "ours; other values change the numbers.",
    ),
)


@dataclass(frozen=True, slots=True)
class Plan:
    """Work of both users: `pieces` of `each_s` CPU s, `apart_s` from one start to the next if spread."""

    name: str
    pieces: int
    each_s: float
    apart_s: float
    length_s: float

    @property
    def whole_s(self) -> float:
        """CPU seconds of all pieces."""
        return self.pieces * self.each_s

    def wanted_s(self, times: Floats) -> tuple[Floats, Floats]:
        """Return the CPU time requested by `once` and `spread` up to these times, s [k] each."""
        started = np.minimum(self.pieces, 1 + times // self.apart_s)
        return np.full_like(times, self.whole_s), self.each_s * started


DAY = Plan("day", 4, HOUR_S, 6 * HOUR_S, 30 * HOUR_S)
WEEK = Plan("week", 5, 4 * HOUR_S, DAY_S, 5 * DAY_S)
HALF_LIVES_S = {"3 h": FEW_HOURS_S, "2 d": TWO_DAYS_S}


def _half_life(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("convex-half-life")
    runs = {
        (words, plan.name): _planned(example, half_life_s, plan, steps.next(part))
        for words, half_life_s in HALF_LIVES_S.items()
        for plan, part in ((DAY, 0.1), (WEEK, 0.4))
    }
    plans = {plan.name: plan for plan in (DAY, WEEK)}
    found = {key: _hours_at_work(run, plans[key[1]]) for key, run in runs.items()}
    saved = {key: 100 * (1 - spread / once) for key, (once, spread) in found.items()}
    claims = [
        _time_claim(words, plans[name], HALF_LIVES_S[words], hours) for (words, name), hours in found.items()
    ]
    paper = Origin.words(_SECTION, "The paper gives no numbers.")
    claims += [
        Claim(text, expected=True, measured=so, origin=paper)
        for text, so in (
            (
                "3 h: spreading work over the day saves more time than spreading it over the week",
                saved["3 h", "day"] > saved["3 h", "week"] > 0,
            ),
            (
                f"2 d: spreading work over the day saves under {short_percent(NOTHING_PERCENT / 100)}",
                abs(saved["2 d", "day"]) < NOTHING_PERCENT,
            ),
            ("2 d: spreading work over the week saves a tenth or more", saved["2 d", "week"] >= 10),
        )
    ]
    return Result("junglas-half-life", tuple(claims), _figures(runs, saved), STEERING_NOTES)


def _planned(example: Example, half_life_s: float, plan: Plan, steps: Steps) -> Measured:
    """Run the example with the work of a plan, and a settled usage of the others."""
    scenario = example.scenario
    once, spread, others = (scenario.tree.find(name).id for name in (*TWO, OTHERS))
    starts = [Event(0.0, StartProcess(once, Work(cpu_s=plan.whole_s)))]
    starts += [
        Event(number * plan.apart_s, StartProcess(spread, Work(cpu_s=plan.each_s)))
        for number in range(plan.pieces)
    ]
    settled = half_life_s / math.log(2) * scenario.machine.cost_per_cpu_s
    changed = example.with_usage({OTHERS: settled}).changed(
        f"work of a {plan.name}",
        workloads=tuple(load for load in scenario.workloads if load.node == others),
        events=tuple(starts),
    )
    settings = {"policy.half_life_s": half_life_s}
    return measure(changed, plan.length_s, steps, settings=settings, sample_s=SAMPLE_S)


def _hours_at_work(run: Measured, plan: Plan) -> tuple[float, float]:
    """Return the hours in which each of the two users has unfinished work."""
    wanted = plan.wanted_s(run.times)
    once, spread = (
        float(np.sum(run.cpu_s(name) < asked - 1.0)) * SAMPLE_S / HOUR_S
        for name, asked in zip(TWO, wanted, strict=True)
    )
    return once, spread


def _time_claim(words: str, plan: Plan, half_life_s: float, measured: tuple[float, float]) -> Claim:
    expected = _law_hours(plan, half_life_s)
    whole = plan.whole_s / HOUR_S
    return Claim(
        f"Half-life {words}: hours at {whole:g} h of CPU, at once and spread over the {plan.name}",
        expected,
        measured,
        round(LAW_PART * max(expected), 2),
        "h",
        TWO,
        origin=Origin.law("usage feedback, minute by minute without ticks"),
        why_tolerance=LAW_WHY,
    )


def _law_hours(plan: Plan, half_life_s: float) -> tuple[float, float]:
    """Return the hours by the equations of t1 and t3: users with work get CPU by share^2/usage."""
    k1 = 0.5 ** (LAW_STEP_S / half_life_s)
    usage, done, busy = [0.0, 0.0, half_life_s / math.log(2)], [0.0, 0.0], [0, 0]
    times = np.arange(0.0, plan.length_s, LAW_STEP_S)
    once, spread = (asked.tolist() for asked in plan.wanted_s(times))
    for asked in zip(once, spread, strict=True):
        works = [has < most - 1.0 for has, most in zip(done, asked, strict=True)]
        parts = [
            share**2 / max(used, _LEAST_S * share**2) if work else 0.0
            for share, used, work in zip(_SHARES, usage, (*works, True), strict=True)
        ]
        given = [LAW_STEP_S * part / sum(parts) for part in parts]
        busy = [time + work for time, work in zip(busy, works, strict=True)]
        done = [has + more for has, more in zip(done, given, strict=False)]
        usage = [k1 * used + more for used, more in zip(usage, given, strict=True)]
    return busy[0] * LAW_STEP_S / HOUR_S, busy[1] * LAW_STEP_S / HOUR_S


def _figures(
    runs: dict[tuple[str, str], Measured], saved: dict[tuple[str, str], float]
) -> tuple[FigureSpec, ...]:
    drawn = {}
    for words in HALF_LIVES_S:
        run = runs[words, "day"]
        for name in TWO:
            drawn[f"{name}, {words}"] = (run.times, run.cpu_s(name) / HOUR_S)
    return (
        curve_figure(
            "work-done",
            "Work done in a day: at once from 8 o'clock, and spread",
            f"Spread, 3 h: {percent(saved['3 h', 'day'] / 100, 0)} less time with unfinished work. 2 "
            "d: not less.",
            drawn,
            runs["3 h", "day"].provenance,
            x_axis=Axis("time since 8 o'clock", "h", 1 / HOUR_S, "s"),
            y_axis=Axis("CPU time", "h", 1.0, "h"),
        ),
    )


# -- costs by the hour ------------------------------------------------------------------------------------

WORKERS = ("day", "night")
BOTH_S, END_S = 24 * HOUR_S, 32 * HOUR_S
WORKED_S, COST_HALF_LIFE_S = 8 * HOUR_S, 12 * HOUR_S
WAITED_S = {"day": 16 * HOUR_S, "night": 4 * HOUR_S}  # The work waits from its end to 8 o'clock.
CHEAP, DELTA_S = 0.25, 4.0
POINTS = 1.0
# Hours count from 8 o'clock of the second day.
FIRST, LATER = (0.0, 1.0), (6.0, 8.0)
COST_NOTES = (
    Note("paper", "The paper names lower costs outside peak hours as a reward, and gives no numbers."),
    Note(
        "ours",
        "Both computed alone for eight hours, so they took no CPU from others. Without the calendar "
        "the night worker is behind, because that usage is more recent.",
    ),
    Note(
        "ours",
        "From 8 o'clock of the second day both compute at the same rate. Expected values are the "
        "equations delta by delta without ticks.",
    ),
)


def _costs(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("convex-cost-calendar")
    cheap = measure(example, END_S, steps.next(0.5), sample_s=300.0)
    plain = measure(example, END_S, steps.next(0.5), settings={"machine.calendar": ()}, sample_s=300.0)
    charges = _charges(cheap)
    claims = (
        Claim(
            "Charge for eight hours of CPU, by day and by night at a quarter",
            (WORKED_S, CHEAP * WORKED_S),
            charges,
            1.0,
            "CPU s",
            WORKERS,
            origin=Origin.law("the calendar of the example"),
        ),
        *(
            Claim(
                f"{words}: CPU in the first hour in which both compute",
                _law_percent(rate, *FIRST),
                _percent(run, *FIRST),
                POINTS,
                "%",
                WORKERS,
                origin=Origin.law("usage feedback, delta by delta without ticks"),
            )
            for words, rate, run in (("Night at a quarter", CHEAP, cheap), ("Equal costs", 1.0, plain))
        ),
        Claim(
            "Work outside peak hours is rewarded: the night worker gets more CPU than the day worker, "
            "and more than without lower costs",
            expected=True,
            measured=_percent(cheap, *FIRST)[1] > max(50.0, _percent(plain, *FIRST)[1]),
            origin=Origin.words(_SECTION, "The paper gives no numbers."),
        ),
        Claim(
            "The reward fades as usage decays: CPU from 6 to 8 h after",
            _law_percent(CHEAP, *LATER),
            _percent(cheap, *LATER),
            POINTS,
            "%",
            WORKERS,
            origin=Origin.law("usage feedback, delta by delta without ticks"),
        ),
    )
    night = {"night at a quarter": cheap.cpu_parts("night"), "the same costs": plain.cpu_parts("night")}
    figures = (
        node_figure(
            cheap,
            WORKERS,
            "usage",
            "Night at a quarter of the cost: usage",
            "Each computes alone for eight hours, and both compute from 24 h on.",
            quantity="usage",
        ),
        curve_figure(
            "night-cpu-rate",
            "CPU rate of the night worker",
            "From 24 h on both compute. A lower cost at night reverses the order.",
            {words: (times[times > BOTH_S], part[times > BOTH_S]) for words, (times, part) in night.items()},
            cheap.provenance,
        ),
    )
    return Result("junglas-cost-calendar", claims, figures, COST_NOTES)


def _charges(run: Measured) -> tuple[float, ...]:
    """Return the charges of both users at 8 o'clock of the second day, in CPU s."""
    series = run.series("charge")
    row = int(np.argmin(np.abs(series.times - BOTH_S)))
    return tuple(float(series.values[node][row]) for node in run.nodes(WORKERS))


def _percent(run: Measured, first_h: float, last_h: float) -> tuple[float, ...]:
    return run.cpu_percent(WORKERS, BOTH_S + first_h * HOUR_S, BOTH_S + last_h * HOUR_S)


def _law_percent(night_rate: float, first_h: float, last_h: float) -> tuple[float, ...]:
    """Return the CPU of both users from 8 o'clock on by the equations, in %."""
    tau = COST_HALF_LIFE_S / math.log(2)
    worked = tau * (1 - 0.5 ** (WORKED_S / COST_HALF_LIFE_S))
    rates = (1.0, night_rate)
    used = [
        rate * worked * 0.5 ** (WAITED_S[name] / COST_HALF_LIFE_S)
        for rate, name in zip(rates, WORKERS, strict=True)
    ]
    first, last = (int(hours * HOUR_S / DELTA_S) for hours in (first_h, last_h))
    law = cpu_of_deltas((0.5, 0.5), used, deltas=last, delta_s=DELTA_S, half_life_s=COST_HALF_LIFE_S)
    return tuple(100 * float(part) for part in law[first:].mean(axis=0))


def junglas_steering() -> tuple[Experiment, ...]:
    """Return the experiment on section 2 of the paper."""
    return (
        Experiment(
            "junglas-half-life",
            "Half-life as a means to spread work",
            PAPER,
            "The gain from spreading work over the day or the week, with half-lives of 3 h and 2 d.",
            _half_life,
        ),
        Experiment(
            "junglas-cost-calendar",
            "Cheaper outside peak hours",
            PAPER,
            "Work at night is charged at a quarter. The night worker gets more of the machine the next day.",
            _costs,
        ),
    )
