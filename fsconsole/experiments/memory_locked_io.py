"""Locked I/O holds memory, and a remedy (Brady, Ciuffini, Hardy, section 3.1.3)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Steps, measure
from fsconsole.experiments.memory_faults import LARGE, Watched, memory_figure, run_watched
from fsconsole.experiments.near_dedicated import (
    PAPER,
    accounts_of,
    mean_of,
    with_jobs,
    with_loads,
)
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.figures.spec import Axis, Expected, FigureSpec

LOCKED_S = 600.0
HELD_MW, WANTED_MW, MW_PER_S = 30.0, 50.0, 2.5
FRACTIONS = (0.0, 0.1, 0.2, 0.3)
# The reference simulator, without the remedies, gives these seconds by fraction of time in locked I/O.
REFERENCE_S = {0.2: 52.0, 0.3: 85.0}
MENDS = ("memory.lckswp", "memory.persistence")
NIGHT_S = 4 * 3600.0
NIGHT_SAMPLE_S = 60.0
SWIFT_S = 25.0
LOCKED_NOTES = (
    Note(
        "paper",
        "Some processes do locked I/O constantly, so that they cannot be preempted. The paper gives "
        "no number.",
    ),
    Note(
        "ours",
        "Locked I/O is drawn for each process and second. Diamonds: a separate reference simulator "
        "without LCKSWP and persistence had 52 s at 20 % and 85 s at 30 %. Its rules for drawing I/O "
        "and for giving up differ from ours, and are guesses too. Both show that the remedies are "
        "needed, but they differ on the length of the fault.",
    ),
)


def _locked_io(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("memory-locked-io")
    fault = run_watched(example, LOCKED_S, steps.next(0.1))
    mended = run_watched(example, LOCKED_S, steps.next(0.1), {"memory.lckswp": True})
    waits = {on: [_job_wait_s(part, steps.next(0.1), on=on) for part in FRACTIONS] for on in (False, True)}
    both = (HELD_MW + WANTED_MW) / MW_PER_S
    claims = (
        Claim(
            (
                "Beside a process always in locked I/O, without LCKSWP: memory that a process with 300 "
                "times its shares gets in 9 min"
            ),
            0.0,
            float(fault.memory.of(LARGE)[1].max()),
            0.0,
            "MW",
            origin=Origin.law("section 3.1.3.3: what never leaves makes no room"),
        ),
        Claim(
            "With LCKSWP: wait for both transfers, one pass, and the end of the current I/O",
            both + 1.5,
            mended.waited_s(),
            1.5,
            "s",
            origin=Origin.law("30 and 50 MW at 2.5 MW/s"),
        ),
        Claim(
            "Locked I/O in up to 30 % of the time, with the remedies: a job of 27.3 MW is in memory within "
            f"{SWIFT_S:g} s",
            expected=True,
            measured=max(waits[True]) <= SWIFT_S,
            origin=Origin.words("section 3.1.3.3", "The paper gives no numbers."),
        ),
        Claim(
            "Without them it waits twice as long at 30 %",
            expected=True,
            measured=waits[False][-1] > 2 * waits[True][-1],
            origin=Origin.words("section 3.1.3.3", "The paper gives no numbers."),
        ),
    )
    return Result("memory-locked-io", claims, _locked_figures(fault, mended, waits), LOCKED_NOTES)


def _locked_figures(
    fault: Watched, mended: Watched, waits: Mapping[bool, list[float]]
) -> tuple[FigureSpec, ...]:
    parts = np.array(FRACTIONS)
    return (
        memory_figure(
            "memory",
            "Memory of a process beside one in locked I/O",
            "50 MW of 60. The other process has 30 MW and always does locked I/O.",
            {"LCKSWP off (the fault)": fault, "LCKSWP on": mended},
        ),
        curve_figure(
            "waits",
            "Wait of a near-dedicated job for 27.3 MW of memory",
            "Mean of 27 starts. Diamonds: a reference simulator, without the remedies.",
            {
                "without LCKSWP, persistence": (parts, np.array(waits[False])),
                "with both": (parts, np.array(waits[True])),
            },
            fault.run.provenance,
            x_axis=Axis("time in locked I/O", "%", 100.0, "fraction"),
            y_axis=Axis("wait", "s", 1.0, "s", (0.0, 100.0)),
            expected=[Expected(part, seconds, is_papers=False) for part, seconds in REFERENCE_S.items()],
        ),
    )


def _job_wait_s(part: float, steps: Steps, *, on: bool) -> float:
    """Return the mean wait for memory of a night's jobs next to a background with this much locked I/O."""
    night = with_jobs(Example.named("near-dedicated-preemption"), "jobs without SDS", sds_mw=0.0)
    words = f"background in locked I/O for {part:g} of the time"
    night = with_loads(night, words, locked_fraction=part, sds_clicks=0)
    settings = dict.fromkeys(MENDS, on)
    run = measure(night, NIGHT_S, steps, settings=settings, sample_s=NIGHT_SAMPLE_S)
    return mean_of(accounts_of(run), "swap_s")


def memory_locked_io() -> Experiment:
    """Return the experiment on locked I/O, without and with the remedy."""
    return Experiment(
        "memory-locked-io",
        "Memory: locked I/O",
        PAPER,
        "A process that always does locked I/O cannot be preempted unless it is marked (LCKSWP).",
        _locked_io,
    )
