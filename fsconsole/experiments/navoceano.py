"""Everitt, Jones, Knesel, section 1.5: a favoured nice value, and a half-life of a third of a day."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.navoceano_tables import BUSY
from fsconsole.experiments.navoceano_tables import TARGET as TARGET_OF_EACH
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure, diamonds, node_figure, squares
from fsconsole.experiments.unicos_flat import PAPER, POINTS
from fsconsole.figures.spec import Axis, FigureSpec, Floats

GROUPS = BUSY

_REFERENCE = Origin.ours("a separate reference simulator", "The paper does not describe how work was spread.")
_WAVE = Origin.law("a low-pass filter of that half-life", "The paper gives no amplitude.")

# -- the favoured nice value ------------------------------------------------------------------------------

NICE_SETTLED_S = 6_000.0
NICE_LENGTH_S = 24_000.0
NICE_SAMPLE_S = 200.0
SITE_NICE, BEST_NICE = 28, 20
FAVOURED = (35.5, 46.25)
PRICED = (38.1, 43.8)
ONE_FAVOURED = (39.5, 42.4)
PRINTED = (35.12, 46.78)  # Source: Table 1-1, May 1995.
ADJUSTED: dict[str, object] = {"policy.adjgroups": "share"}
TARGET = (TARGET_OF_EACH,) * 2
NICE_NOTES = (
    Note(
        "paper",
        "Table 1-1 has 35.12 % for Navy R&D and 46.78 % for Air Force in May 1995, 5.83 points off "
        "the target each. The paper attributes most of it to one user with a favoured nice value.",
    ),
    Note(
        "ours",
        "Nice acts through the decay of priorities. Under usage feedback the square root of its "
        "advantage remains permanently. One of four equal users cannot explain the whole difference; "
        "all Air Force work can.",
    ),
    Note(
        "ours",
        "Expected values are 40.952 %, the paper's target, and the results of a separate reference "
        "simulator for the three mixes of nice values. The paper does not describe how work was "
        "spread over nice values.",
    ),
    Note(
        "ours",
        "The ceiling of normalised usage is 1e15. At 60 ticks per second and so long a half-life, "
        "accounts of so large a machine reach the usual 1e12. In that band their usage no longer "
        "counts, and nice alone decides (see Edge effects).",
    ),
    Note(
        "ours",
        "The site had Adjust Groups on (sections 1.3 and 1.4); these runs have it off. Another experiment, "
        "navoceano-adjgroups, has it on.",
    ),
)


def _nice(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("navoceano-nice")
    favoured = _settle(example, steps)
    priced = _settle(example, steps, {"machine.nice_cost": "share"})
    one = _settle(with_site_nice(example, {"a2", "a3", "a4"}), steps)
    alike = _settle(with_site_nice(example, {"a1", "a2", "a3", "a4"}), steps)
    claims = (
        _claim("CPU, all Air Force work at nice 20", FAVOURED, favoured),
        _claim("The same if a tick costs less at nice 28 (nice_cost: share)", PRICED, priced),
        _claim("CPU, one of four Air Force users at nice 20", ONE_FAVOURED, one),
        _claim("CPU, all at nice 28: the target", TARGET, alike, Origin.paper("section 1.4")),
        _claim_of_decay(example, favoured),
    )
    figures = (
        _nice_figure(favoured, "all", "All Air Force work at nice 20: CPU rate", FAVOURED),
        _nice_figure(one, "one", "One Air Force user in four at nice 20: CPU rate", ONE_FAVOURED),
        _nice_figure(alike, "none", "All work at nice 28: CPU rate", TARGET),
    )
    return Result("navoceano-nice", claims, figures, NICE_NOTES)


def _settle(example: Example, steps: Steps, settings: dict[str, object] | None = None) -> Measured:
    return measure(example, NICE_LENGTH_S, steps.next(0.25), settings=settings, sample_s=NICE_SAMPLE_S)


def with_site_nice(example: Example, users: set[str]) -> Example:
    """Return an example with the site's nice value for all work of some users."""
    tree = example.scenario.tree
    loads = tuple(
        replace(load, nice=SITE_NICE) if tree.node(load.node).name in users else load
        for load in example.scenario.workloads
    )
    return example.changed(f"nice {SITE_NICE} for {', '.join(sorted(users))}", workloads=loads)


def _groups(run: Measured) -> tuple[float, ...]:
    return run.cpu_percent(GROUPS, NICE_SETTLED_S, NICE_LENGTH_S)


def _claim(text: str, expected: tuple[float, float], run: Measured, origin: Origin = _REFERENCE) -> Claim:
    return Claim(text, expected, _groups(run), POINTS, "%", GROUPS, origin=origin)


def _claim_of_decay(example: Example, favoured: Measured) -> Claim:
    """Return the claim that a priority that decays sooner gives its owner more, by a root under feedback."""
    decay = example.scenario.machine.priority_decay
    navy, air_force = _groups(favoured)
    return Claim(
        f"CPU at nice {BEST_NICE} as a multiple of that at nice {SITE_NICE}",
        math.sqrt((1 - decay(BEST_NICE)) / (1 - decay(SITE_NICE))),
        air_force / navy,
        0.03,
        origin=Origin.law("prio := prio k2 (nice + k3), and usage feedback"),
    )


def _nice_figure(run: Measured, name: str, title: str, expected: tuple[float, float]) -> FigureSpec:
    is_papers = expected == TARGET
    marks = "Squares: the paper's target." if is_papers else "Diamonds: a reference simulator."
    return node_figure(
        run,
        (*GROUPS, "NAVOCEANO", "Army", "DoD Other"),
        f"nice-{name}-cpu-rate",
        title,
        f"16 processors, 24 processes each in Navy R&D and Air Force. {marks}",
        expected=(squares if is_papers else diamonds)(NICE_LENGTH_S, expected),
    )


# -- the 24-hour wave -------------------------------------------------------------------------------------

DAY_S = 86_400.0
DAYS = 3
WAVE_SAMPLE_S = 600.0
# Each half-life in hours has the amplitude of the wave in % of the mean, least and most, and the filter's
# gain.
WAVES = {8: (6.0, 8.5, 0.314), 168: (0.3, 0.4, 0.0158)}
SUPPLY = (19.0, 27.0)
ACCOUNTS = {"Navy R&D": ("n1", "n2"), "Air Force": ("a1", "a2")}
WAVE_NOTES = (
    Note(
        "paper",
        "The paper saw a period of about 24 hours in the decayed usage of groups that always had "
        "work. It called the half-life of 8 h too short and changed it to 168 h. It gives no "
        "amplitude.",
    ),
    Note(
        "ours",
        "Decayed usage is the CPU supply through a low-pass filter. It leaves 1/sqrt(1 + (2 pi tau / "
        "24 h)^2) of a daily swing, with tau = half-life/ln 2. The wave is the load of other groups, "
        "which leave less by day than by night.",
    ),
    Note(
        "ours",
        "The site had Adjust Groups on; these runs have it off. With policy.adjgroups=share all "
        "values of this experiment are the same, because both groups always have work.",
    ),
)


def _half_life(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("navoceano-half-life")
    runs = {hours: _days(example, hours, steps.next(1 / len(WAVES))) for hours in WAVES}
    claims = [claim for hours, run in runs.items() for claim in _wave_claims(hours, run)]
    low, high = SUPPLY
    supply = tuple(_amplitude(*_supply(runs[8], group)) for group in GROUPS)
    middle = (low + high) / 2
    claims.insert(
        0,
        Claim(
            "First harmonic of the CPU supply, in % of its mean",
            (middle,) * 2,
            supply,
            (high - low) / 2,
            "%",
            GROUPS,
            origin=Origin.ours("a daily load of ours"),
        ),
    )
    return Result("navoceano-half-life", tuple(claims), _wave_figures(runs), WAVE_NOTES)


def _days(example: Example, hours: int, steps: Steps) -> Measured:
    """Run three days that begin with about the usages of the long run."""
    spec = example.scenario.machine
    # A group has this load, as the mean of day and night.
    per_s = 0.435 * spec.cpus * spec.hz * spec.tick_cost
    usage = per_s * hours * 3600 / math.log(2)
    started = example.with_usage({user: usage / len(both) for both in ACCOUNTS.values() for user in both})
    settings = {"policy.half_life_s": 3600.0 * hours}
    return measure(started, DAYS * DAY_S, steps, settings=settings, sample_s=WAVE_SAMPLE_S)


def _usage(run: Measured, group: str) -> tuple[Floats, Floats]:
    return run.times, run.series("usage").values[run.node(group)]


def _supply(run: Measured, group: str) -> tuple[Floats, Floats]:
    return run.cpu_parts(group, of_machine=True)


def _amplitude(times: Floats, values: Floats) -> float:
    """Return the first harmonic of the last day, in % of the mean."""
    last = times > (DAYS - 1) * DAY_S
    phase = np.exp(-2j * np.pi * times[last] / DAY_S)
    return float(200 * abs((values[last] * phase).mean()) / values[last].mean())


def _wave_claims(hours: int, run: Measured) -> tuple[Claim, ...]:
    low, high, gain = WAVES[hours]
    waves = tuple(_amplitude(*_usage(run, group)) for group in GROUPS)
    supplies = [_amplitude(*_supply(run, group)) for group in GROUPS]
    gains = tuple(wave / supply for wave, supply in zip(waves, supplies, strict=True))
    text = f"half-life {hours} h: 24-hour wave in decayed usage"
    return (
        Claim(
            f"{text}, in % of its mean",
            ((low + high) / 2,) * 2,
            waves,
            (high - low) / 2,
            "%",
            GROUPS,
            origin=_WAVE,
        ),
        Claim(
            f"{text}, as a fraction of that of the supply",
            (gain,) * 2,
            gains,
            0.05 * gain,
            names=GROUPS,
            origin=_WAVE,
        ),
    )


def _wave_figures(runs: dict[int, Measured]) -> tuple[FigureSpec, ...]:
    first = runs[8]
    hours = Axis("time", "h", 1 / 3600, "s")
    waves = {}
    for half_life, run in runs.items():
        times, values = _usage(run, GROUPS[0])
        waves[f"half-life {half_life} h"] = (times, values / values.mean())
    return (
        curve_figure(
            "usage-wave",
            "Decayed usage of Navy R&D, as a fraction of its mean",
            "The same load with both half-lives: others work from 8 to 18 o'clock.",
            waves,
            first.provenance,
            y_axis=Axis("usage", "% of the mean", 100.0, "fraction", (88.0, 112.0)),
            x_axis=hours,
        ),
        curve_figure(
            "cpu-supply",
            "CPU that Navy R&D and Air Force get",
            "They always have work; the load of the other groups follows the day.",
            {group: _supply(first, group) for group in GROUPS},
            first.provenance,
            x_axis=hours,
        ),
    )


def navoceano() -> tuple[Experiment, ...]:
    """Return the experiment on the site's findings and changes."""
    return (
        Experiment(
            "navoceano-nice",
            "NAVOCEANO: a favoured nice value",
            PAPER,
            "Two groups with equal entitlements, one with a nice value 8 below the other's.",
            _nice,
        ),
        Experiment(
            "navoceano-half-life",
            "NAVOCEANO: the 24-hour wave",
            PAPER,
            (
                "Effect of a daily load on the usage of groups that always have work, with half-lives of "
                "8 h and 168 h."
            ),
            _half_life,
        ),
    )
