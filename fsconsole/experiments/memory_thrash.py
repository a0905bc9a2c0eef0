"""Small processes go out and come back, and remedies (Brady, Ciuffini, Hardy, section 3.1.3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Steps
from fsconsole.experiments.memory_faults import LARGE, OFTEN, START_S, Watched, memory_figure, run_watched
from fsconsole.experiments.near_dedicated import (
    MEMORY_AXIS,
    PAPER,
    with_loads,
)
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.figures.spec import EventMark, FigureSpec

THRASH_S = 600.0
SEEDS = range(1, 11)
OTHERS = "batch"
AT_ONCE = 0.2  # In this fraction of the passes the tenth image can leave.
ROUNDS_WHY = (
    "The mean of ten runs has a standard error of 1.4. Each run ends with an event that has a "
    "probability of one in five."
)
CURES: dict[str, dict[str, Any]] = {
    "neither (the fault)": {},
    "persistence": {"memory.persistence": True},
    "LCKSWP": {"memory.lckswp": True},
}
BEST_ALONE = 0.001  # With more runnable processes per processor, only the best image comes in.
THRASH_NOTES = (
    Note(
        "paper",
        "Nine of ten processes go out and come back until all ten can be swapped out at once. The "
        "remedy is a counter: swap-outs and marks raise it, passes lower it. The scheduler gives up "
        "at zero. The paper gives no number.",
    ),
    Note(
        "ours",
        "Locked I/O in 80 % of the seconds, drawn with ten seeds, keeps the tenth process. Nine "
        "swap-outs allow nine more passes. By chance these are too few in 13 of 100 cases.",
    ),
)


def _thrash(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("memory-thrash")
    part = 0.9 / (len(CURES) * len(SEEDS))
    runs = {
        name: [run_watched(_seeded(example, seed), THRASH_S, steps.next(part), cure) for seed in SEEDS]
        for name, cure in CURES.items()
    }
    fault, persistent, marked = runs.values()
    rounds = {name: [_rounds(run) for run in several] for name, several in runs.items()}
    claims = (
        Claim(
            "Neither remedy: mean number of times the nine are swapped out, ten runs; the tenth can "
            f"leave in one pass of {1 / AT_ONCE:g}",
            1 / AT_ONCE,
            float(np.mean(rounds["neither (the fault)"])),
            2.0,
            origin=Origin.law("one second in five in which the tenth can leave"),
            why_tolerance=ROUNDS_WHY,
        ),
        Claim(
            "With persistence",
            1.0,
            float(np.mean(rounds["persistence"])),
            0.3,
            origin=Origin.law("the remedy of section 3.1.3.4"),
            why_tolerance="By chance these passes are too few in 13 of 100 cases. 0.3 means three of "
            "ten runs.",
        ),
        Claim(
            "With LCKSWP instead",
            1.0,
            float(np.mean(rounds["LCKSWP"])),
            0.0,
            origin=Origin.law("the remedy of section 3.1.3.3"),
        ),
        Claim(
            "The large process gets in sooner with either, mean of ten runs",
            expected=True,
            measured=_wait_s(fault) > max(_wait_s(persistent), _wait_s(marked)),
            origin=Origin.words("section 3.1.3.4", "The paper gives no numbers."),
        ),
        *_claims_of_the_best_alone(example, steps),
    )
    return Result("memory-thrash", claims, _thrash_figures(example, runs), THRASH_NOTES)


def _claims_of_the_best_alone(example: Example, steps: Steps) -> tuple[Claim, ...]:
    """Return claims on a scheduler that brings in only the best image, with its tenth locked for good."""
    locked = with_loads(example, "the tenth never leaves", locked_fraction=1.0)
    loads = tuple(
        load if load.command == "tenth" else old
        for load, old in zip(locked.scenario.workloads, example.scenario.workloads, strict=True)
    )
    held = locked.changed("the nine are not locked", workloads=loads)
    best = run_watched(held, THRASH_S, steps.next(0.05), {"memory.cpu_factor": BEST_ALONE})
    all_ = run_watched(held, THRASH_S, steps.next(0.05))
    used = {name: _mean_mw(watched) for name, watched in (("best", best), ("all", all_))}
    return (
        Claim(
            "The tenth never leaves, and only the best image is brought in (cpu_factor): the nine go out",
            1.0,
            _rounds(best),
            0.0,
            "times",
            origin=Origin.law("no thrashing, section 3.1.3.4"),
        ),
        Claim(
            "Memory is used poorly then: MW of 50 in use from 2 min on, those of the tenth alone",
            5.0,
            used["best"],
            0.0,
            "MW",
            origin=Origin.law("section 3.1.3.4: only the tenth is in memory"),
        ),
        Claim(
            "Where all images are brought in, more than twice as much is held, and the nine go out "
            f"over {OFTEN} times",
            expected=True,
            measured=used["all"] > 2 * used["best"] and _rounds(all_) > OFTEN,
            origin=Origin.words("section 3.1.3.4", "The paper gives no numbers."),
        ),
    )


def _mean_mw(watched: Watched) -> float:
    """Return the mean memory of all processes from 2 min on."""
    times, nine = watched.memory.of(OTHERS)
    held = nine + watched.memory.of("tenth")[1] + watched.memory.of(LARGE)[1]
    return float(held[times >= 2 * START_S].mean())


def _seeded(example: Example, seed: int) -> Example:
    return example.changed(f"seed {seed}", seed=seed)


def _rounds(watched: Watched) -> float:
    """Return the mean number of swap-outs of the nine."""
    return float(np.mean(watched.swaps(OTHERS)))


def _wait_s(runs: list[Watched]) -> float:
    return float(np.mean([run.waited_s() for run in runs]))


def _thrash_figures(example: Example, runs: Mapping[str, list[Watched]]) -> tuple[FigureSpec, ...]:
    place = list(SEEDS).index(example.scenario.seed)
    chosen = {name: several[place] for name, several in runs.items()}
    first = chosen["neither (the fault)"]
    return (
        curve_figure(
            "memory-of-the-nine",
            "Memory of nine processes that make room for a large one",
            "They use 45 of 50 MW. A tenth process must leave too, and can do so in one second of five.",
            {name: watched.memory.of(OTHERS) for name, watched in chosen.items()},
            first.run.provenance,
            y_axis=MEMORY_AXIS,
            events=[EventMark(START_S, "starts")],
        ),
        memory_figure("memory", "Memory of the large process", "It wants all 50 MW.", chosen),
    )


def memory_thrash() -> Experiment:
    """Return the experiment on thrashing, without and with remedies."""
    return Experiment(
        "memory-thrash",
        "Memory: swap thrashing",
        PAPER,
        "Nine processes go out and come back, because the tenth cannot leave at once.",
        _thrash,
    )
