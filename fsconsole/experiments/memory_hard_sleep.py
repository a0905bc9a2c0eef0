"""Hard sleepers lose their memory, and a remedy (Brady, Ciuffini, Hardy, section 3.1.3)."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Steps
from fsconsole.experiments.memory_faults import LARGE, OFTEN, Watched, memory_figure, run_watched
from fsconsole.experiments.near_dedicated import (
    PAPER,
    images_of,
)
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.figures.spec import Axis
from fsconsole.shares.scenario.actions import SubmitJob
from fsconsole.shares.scenario.job_spec import JobSpec, QueueSpec
from fsconsole.shares.scenario.spec import Event

BOUNCE_S = 900.0
BURST_S, SLEEP_S = 3.0, 1.5
LONG_S, LATE_S = 1100.0, 600.0
OTHERS = "batch"
# From 1000 points for 300 shares and 1000/300 for one, this many seconds asleep make both equal.
LEAVES_S = 1000.0 - 1000.0 / 300.0
SLEEP_NOTES = (
    Note(
        "paper",
        "UNICOS swaps a hard sleeper out unconditionally if memory is needed. The paper gives no "
        "number. Its remedy is pri_in = old_pri_in - tfactor_in_hs * sleep_time.",
    ),
    Note(
        "ours",
        "How processes inside and outside memory are compared is our reconstruction. All sizes and times "
        "here are ours too. A sleep that is not at a device is hard, however short.",
    ),
)


def _hard_sleep(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("memory-hard-sleep")
    fault = run_watched(example, BOUNCE_S, steps.next(0.35))
    mended = run_watched(example, BOUNCE_S, steps.next(0.3), {"memory.hard_sleep": "priority"})
    # Without the minimum residence of all images, only priorities decide.
    alone = {"memory.hard_sleep": "priority", "memory.min_residence_s": 0.0}
    sleeper = run_watched(_asleep(example), LONG_S, steps.next(0.2), alone)
    late = run_watched(_begins_asleep(example), LATE_S + LONG_S, steps.next(0.15), alone)
    asked = 100 * BURST_S / (BURST_S + SLEEP_S)
    claims = (
        Claim(
            f"Hard sleepers first: the large process leaves memory over {OFTEN} times in 15 min",
            expected=True,
            measured=fault.swaps(LARGE)[0] > OFTEN,
            origin=Origin.words("section 3.1.3.2", "The paper gives no numbers."),
        ),
        Claim(
            "It gets less than a quarter of the CPU that it could use",
            expected=True,
            measured=fault.large_percent() < asked / 4,
            origin=Origin.words("section 3.1.3.2", "The paper gives no numbers."),
        ),
        Claim(
            "Hard sleep by priority: number of times it leaves memory",
            0.0,
            mended.swaps(LARGE)[0],
            0.0,
            origin=Origin.law("swap priorities of section 3.1.3.2"),
        ),
        Claim(
            "Its CPU then, of one processor",
            asked,
            mended.large_percent(),
            1.0,
            "%",
            origin=Origin.law("bursts of 3 s and sleeps of 1.5 s"),
        ),
        Claim(
            "A process that keeps sleeping leaves too: time asleep until the others' priority is higher",
            LEAVES_S,
            _left_s(sleeper),
            2.0,
            "s",
            origin=Origin.law("swap priorities of section 3.1.3.2"),
        ),
        Claim(
            f"The same for a job that begins at {LATE_S:g} s and sleeps from then on: time in memory",
            LEAVES_S,
            _stayed_s(late),
            2.0,
            "s",
            origin=Origin.law("swap priorities of section 3.1.3.2"),
        ),
    )
    runs = {"first (the fault)": fault, "by priority": mended}
    figures = (
        memory_figure(
            "memory",
            "Memory of a large process that sleeps 1.5 s after each 3 s",
            "40 MW of 60. Two others of 15 MW and two small ones always have work.",
            runs,
        ),
        curve_figure(
            "cpu-time",
            "CPU time of the same process",
            "It could use two thirds of a processor.",
            {label: watched.cpu_s() for label, watched in runs.items()},
            fault.run.provenance,
            y_axis=Axis("CPU time", "s", 1.0, "s"),
        ),
    )
    return Result("memory-hard-sleep", claims, figures, SLEEP_NOTES)


def _asleep(example: Example) -> Example:
    """Return an example with a large process that continues to sleep after a tenth of a second."""
    loads = tuple(
        replace(load, work=replace(load.work, burst_s=0.1, sleep_s=2 * LONG_S))
        if load.command == LARGE
        else load
        for load in example.scenario.workloads
    )
    return example.changed("the large process keeps sleeping", workloads=loads)


def _left_s(watched: Watched) -> float:
    """Return the time at which the large process began to leave: its processes are held, a transfer
    is under way.
    """
    (image,) = images_of(watched.run.machine, LARGE)
    return image.left_tick / watched.run.machine.spec.hz if image.swaps else LONG_S


def _begins_asleep(example: Example) -> Example:
    """Return an example with a job that fetches data for a long time in place of the large process.

    The two others that want its memory begin after it, so that it has found room.
    """
    queue = QueueSpec("nd", example.scenario.tree.find("PRI_ND").id)
    job = JobSpec(LARGE, "nd", LONG_S, setup_s=2 * LONG_S, setup_mw=40.0, memory_mw=40.0)
    loads = example.scenario.workloads
    return example.changed(
        f"in place of the large process, a job begins at {LATE_S:g} s and sleeps, then the two others begin",
        workloads=tuple(load for load in loads if load.command not in (LARGE, OTHERS)),
        queues=(queue,),
        events=(
            Event(LATE_S, SubmitJob(job)),
            *(Event(LATE_S + SLEEP_S, load) for load in loads if load.command == OTHERS),
        ),
    )


def _stayed_s(watched: Watched) -> float:
    """Return the time from which the job was in memory until it began to leave."""
    (image,) = images_of(watched.run.machine, LARGE)
    hz = watched.run.machine.spec.hz
    return (image.left_tick - image.in_since) / hz if image.left_tick > image.in_since else LONG_S


def memory_hard_sleep() -> Experiment:
    """Return the experiment on hard sleepers, without and with the remedy."""
    return Experiment(
        "memory-hard-sleep",
        "Memory: frequent swaps of hard sleepers",
        PAPER,
        "A large process of high priority sleeps briefly. It loses its memory each time, or keeps it.",
        _hard_sleep,
    )
