"""Brady, Ciuffini, Hardy, Figure 6: idle time in thirty days of dedicated and of near-dedicated nights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import PAPER, bar_figure, night_of, with_jobs
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import as_fitted, curve_figure
from fsconsole.figures.spec import Axis, Expected, FigureSpec

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

FEW, MONTH = 3, 30
NIGHT_S = 8.5 * 3600.0  # The night lasts from 21:00 to 05:30, the end of the third job.
SAMPLE_S = 60.0
NORMAL_S = (600.0, 6600.0)
SERIAL, SPREAD = 0.11, 0.03
STRIDE = 7  # Coprime to 3 and 30, so that each part of the spread occurs once.
JOBS = 3
DEDICATED, NEAR = 9.65, 2.38
FALL = DEDICATED - NEAR
POINTS, NEAR_POINTS = 0.5, 0.3
NEAR_WHY = (
    "The idle time of a night varies by 0.15 points (standard deviation of 30 nights). The tolerance "
    "is twice that."
)
NORMAL = (3.0, 6.0)
KINDS = ("user", "system", "idle")
MODES = ("dedicated", "near-dedicated")
FITTED = "serial time and batch processes, to these idle times"
NOTES = (
    Note(
        "paper",
        "In a sample of 30 days idle time fell from 9.65 % to 2.38 %. In normal operation it is 3 to "
        "6 %. The text does not give the counted parts of the days or the load.",
    ),
    Note(
        "ours",
        "Fitted: 11 % serial time in the jobs, which leaves 0.11 * 7/8 = 9.6 % idle if nothing else "
        "runs. Also 12 batch processes, runnable 70 % of the time, of which 8 are in memory beside a "
        "job. Their number and size also give the 3 to 6 % of normal operation.",
    ),
    Note(
        "ours",
        "The measured time runs from the start of the first job of a night to the end of the last "
        "one. It includes preemption and changes of jobs, but not the checkpoints before dedicated "
        "time (see Near-dedicated against dedicated). In dedicated mode jobs need no setup, as their "
        "data were staged. Serial time differs from night to night, 9.5 to 12.5 %.",
    ),
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The use of the processors, in fractions of all their time."""

    user: float
    system: float

    @property
    def idle(self) -> float:
        """Idle fraction of the time."""
        return 1 - self.user - self.system

    @property
    def values(self) -> tuple[float, ...]:
        """Values in the order of KINDS."""
        return self.user, self.system, self.idle


class Usage:
    """CPU seconds used up to each sample."""

    def __init__(self) -> None:
        """Start without samples."""
        self._seen: list[tuple[float, float, float]] = []

    def __call__(self, machine: Machine) -> None:
        """Record the usage of a machine."""
        used, hz = machine.meter.totals(machine.processes), machine.spec.hz
        self._seen.append((machine.now_s, used.user / hz, used.system / hz))

    def parts(self, start_s: float, end_s: float, cpus: int) -> Parts:
        """Return the use of the time between the samples nearest to two times."""
        times = np.array([seen[0] for seen in self._seen])
        first, last = (self._seen[int(np.argmin(np.abs(times - at)))] for at in (start_s, end_s))
        there = (last[0] - first[0]) * cpus
        return Parts((last[1] - first[1]) / there, (last[2] - first[2]) / there)


@dataclass(frozen=True, eq=False)
class Night:
    """A night: the use of its processors while jobs ran and before, and the number of ended jobs."""

    run: Measured
    with_jobs: Parts
    before: Parts
    jobs: int


def _utilisation(nights: int, progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("near-dedicated-utilisation")
    made = {"dedicated": _dedicated(example), "near-dedicated": example}
    costs = {"dedicated": 0.2, "near-dedicated": 0.8}
    found = {
        mode: [
            _night(_of_night(made[mode], number, nights), steps.next(costs[mode] / nights))
            for number in range(nights)
        ]
        for mode in MODES
    }
    return Result(
        "near-dedicated-utilisation",
        _claims(found),
        tuple(as_fitted(figure, FITTED) for figure in _figures(found)),
        NOTES,
    )


def _dedicated(example: Example) -> Example:
    section = example.scenario.near_dedicated
    assert section is not None  # noqa: S101 (the example is a near-dedicated one)
    changed = example.changed("dedicated mode", near_dedicated=replace(section, mode="dedicated"))
    return with_jobs(changed, "jobs without setup", setup_s=0.0)


def _of_night(example: Example, number: int, nights: int) -> Example:
    """Return an example with another seed and a serial time from 0.095 to 0.125, on average 0.11."""
    place = (STRIDE * number % nights + 0.5) / nights
    serial = SERIAL + SPREAD * (place - 0.5)
    changed = with_jobs(example, f"serial time {serial:.4g}", serial_fraction=serial)
    return changed.changed(f"seed {number + 1}", seed=number + 1)


def _night(example: Example, steps: Steps) -> Night:
    usage = Usage()
    run = measure(example, NIGHT_S, steps, sample_s=SAMPLE_S, beside=usage)
    jobs, cpus = night_of(run).jobs, run.machine.spec.cpus
    ends = (jobs[0].start_s, jobs[-1].start_s + jobs[-1].wall_s) if jobs else (0.0, NIGHT_S)
    ended = sum(job.how == "ended" for job in jobs)
    return Night(run, usage.parts(*ends, cpus), usage.parts(*NORMAL_S, cpus), ended)


def _percent(nights: list[Night], of: Callable[[Night], float]) -> float:
    return 100 * float(np.mean([of(night) for night in nights]))


def _claims(found: dict[str, list[Night]]) -> tuple[Claim, ...]:
    idle = {mode: _percent(nights, lambda night: night.with_jobs.idle) for mode, nights in found.items()}
    normal = _percent(found["near-dedicated"], lambda night: night.before.idle)
    days = len(found["near-dedicated"])
    low, high = NORMAL
    return (
        Claim(
            f"Jobs that have ended in {days} nights of each mode",
            (float(JOBS * days),) * 2,
            tuple(float(sum(night.jobs for night in found[mode])) for mode in MODES),
            0.0,
            names=MODES,
            origin=Origin.ours("jobs of the example"),
            kind="input",
        ),
        Claim(
            f"Idle time, dedicated, mean of {days} nights",
            DEDICATED,
            idle["dedicated"],
            POINTS,
            "%",
            origin=Origin.fitted("section 4, Figure 6", "Serial time of the jobs is set to give that."),
        ),
        Claim(
            f"Idle time, near-dedicated, mean of {days} nights",
            NEAR,
            idle["near-dedicated"],
            NEAR_POINTS,
            "%",
            origin=Origin.fitted(
                "section 4, Figure 6",
                "Number, size and activity of the batch processes are set to give that.",
            ),
            why_tolerance=NEAR_WHY,
        ),
        Claim(
            "Decrease of idle time",
            FALL,
            idle["dedicated"] - idle["near-dedicated"],
            POINTS + NEAR_POINTS,
            "points",
            origin=Origin.fitted("section 4, Figure 6", "Both idle times are fitted."),
            why_tolerance="The sum of the tolerances of both idle times.",
        ),
        Claim(
            "Idle time in normal operation",
            (low + high) / 2,
            normal,
            (high - low) / 2,
            "%",
            origin=Origin.fitted("section 4", "Number and size of the batch processes are set to give that."),
            why_tolerance="The paper prints 3 to 6 %.",
        ),
        Claim(
            "Idle time is lowest near-dedicated",
            expected=True,
            measured=idle["near-dedicated"] < normal < idle["dedicated"],
            origin=Origin.words("section 4"),
        ),
    )


def _figures(found: dict[str, list[Night]]) -> tuple[FigureSpec, ...]:
    origin = found["near-dedicated"][0].run.provenance
    days = len(found["near-dedicated"])
    means = {
        mode: np.mean([night.with_jobs.values for night in nights], axis=0).tolist()
        for mode, nights in found.items()
    }
    places = np.arange(1.0, days + 1)
    idle = {
        mode: (places, np.array([night.with_jobs.idle for night in nights])) for mode, nights in found.items()
    }
    idle["before the window"] = (places, np.array([night.before.idle for night in found["near-dedicated"]]))
    return (
        bar_figure(
            "utilisation",
            "Figure 6: use of the processors, dedicated and near-dedicated",
            f"Mean of {days} nights while jobs run. Squares: the paper's idle times.",
            KINDS,
            means,
            Axis("fraction of all processors", "%", 100.0, "fraction", (0.0, 100.0)),
            origin,
            {"dedicated": {"idle": DEDICATED / 100}, "near-dedicated": {"idle": NEAR / 100}},
        ),
        curve_figure(
            "idle-by-night",
            "Idle time, night by night",
            "Serial time differs from night to night. Squares: the paper's means.",
            idle,
            origin,
            x_axis=Axis("night"),
            y_axis=Axis("idle", "%", 100.0, "fraction"),
            expected=[Expected((1 + days) / 2, value / 100) for value in (DEDICATED, NEAR)],
        ),
    )


def near_dedicated_utilisation() -> Experiment:
    """Return the experiment on Figure 6, with three nights of each mode or, in full, thirty."""
    return Experiment(
        "near-dedicated-utilisation",
        "Near-dedicated: idle time",
        PAPER,
        "The idle fraction of the processors in dedicated time, near-dedicated, and in normal operation.",
        partial(_utilisation, FEW),
        partial(_utilisation, MONTH),
    )
