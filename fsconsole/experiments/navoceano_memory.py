"""Everitt, Jones, Knesel, section 3.2.1: swapping by turns, by share, and by size and nice."""

from __future__ import annotations

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import MEMORY_AXIS, MemoryWatch, images_of
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.experiments.unicos_flat import PAPER
from fsconsole.figures.spec import FigureSpec
from fsconsole.shares.scenario.actions import ReniceUser
from fsconsole.shares.scenario.spec import Event

LARGE, SMALL = "Navy R&D", "DoD Other"
GROUPS = (LARGE, SMALL)
COMMAND, OTHER_COMMAND = "ocean", "batch"
ENTITLED = (75.0, 25.0)
LENGTH_S = 7200.0
SETTLED_S = 1800.0
SAMPLE_S = 10.0
POINTS = 1.0
TURNS, SHARE, SIZE, NICE = "by turns", "by share", "by size", "by size and nice"
BY_SIZE: dict[str, object] = {"memory.size_factor": 1.0, "memory.tfactor_in": 1.0}
RUNS: dict[str, dict[str, object]] = {
    TURNS: {},
    SHARE: {"memory.share_aware": True},
    SIZE: BY_SIZE,
    NICE: {**BY_SIZE, "memory.nice_factor": 5.0},
}
NOTES = (
    Note(
        "paper",
        "A large process of a user with a large entitlement can be out of memory far longer than a "
        "small process of a user with a lower one, and use less. The paper gives no number. It names "
        "memory scheduling by priority as the missing link.",
    ),
    Note(
        "ours",
        "By turns: a process that was in memory for 10 s makes room for one that was out as long, "
        "whatever the shares. By share: the swap priorities of Brady and others (near-dedicated "
        "scheduling, 3.1.3.1), with the favour of the share policy. Sizes and bandwidth are ours.",
    ),
    Note(
        "ours",
        "The paper says that swapping looks at size, time in memory or out of it, and nice. By size: each MW "
        "takes a point from the claim to stay, and each second in memory another one, so that a small "
        "process makes room for a large one only when it has been in for a minute longer. By size and nice: "
        "each step of nice takes 5 points, and the large processes have nice 0, the small ones 20. "
        "These numbers are ours.",
    ),
    Note(
        "ours",
        "By share, 34 small processes that find no room stay out for good. Their group gets its "
        "entitlement with the six others. The swap priorities rank groups of users; they do not "
        "rotate among the processes of a group.",
    ),
    Note(
        "ours",
        "The site had Adjust Groups on; these runs have it off. With policy.adjgroups=share all "
        "values of this experiment are the same, because no group is idle.",
    ),
)


def _memory(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("navoceano-memory")
    favoured = example.changed(
        f"nice of {LARGE} 0",
        events=(Event(0.0, ReniceUser(LARGE, 0)), *example.scenario.events),
    )
    watches = {name: MemoryWatch() for name in RUNS}
    runs = {
        name: measure(
            favoured if name == NICE else example,
            LENGTH_S,
            steps.next(1 / len(RUNS)),
            settings=RUNS[name],
            sample_s=SAMPLE_S,
            beside=watch,
        )
        for name, watch in watches.items()
    }
    return Result("navoceano-memory", _claims(runs), _figures(runs, watches), NOTES)


def _claims(runs: dict[str, Measured]) -> tuple[Claim, ...]:
    turns, share, size, nice = (runs[name].cpu_percent(GROUPS, SETTLED_S, LENGTH_S) for name in RUNS)
    return (
        Claim(
            "By turns the group of large processes gets less than a group with a third of its entitlement",
            expected=True,
            measured=turns[0] < turns[1],
            origin=Origin.words("section 3.2.1", "The paper gives no numbers."),
        ),
        Claim(
            "It misses its entitlement of 75 % by over 20 points",
            expected=True,
            measured=turns[0] < ENTITLED[0] - 20,
            origin=Origin.words("section 3.2.1", "The paper gives no numbers."),
        ),
        Claim(
            "By share: CPU of the groups",
            ENTITLED,
            share,
            POINTS,
            "%",
            GROUPS,
            origin=Origin.law("entitlements"),
        ),
        Claim(
            "Swaps of a large process in two hours, by turns, and by share",
            expected=True,
            measured=_swaps(runs[TURNS]) > 10 * max(1.0, _swaps(runs[SHARE])),
            origin=Origin.words("section 3.2.1", "The paper gives no numbers."),
        ),
        Claim(
            "By size a large process waits for memory over three times as long as a small one",
            expected=True,
            measured=_waited(runs[SIZE], COMMAND) > 3 * _waited(runs[SIZE], OTHER_COMMAND),
            origin=Origin.words("section 3.2.1", "The paper says considerably longer, without a number."),
        ),
        Claim(
            "By size the group of large processes gets less than by turns",
            expected=True,
            measured=size[0] < turns[0] - POINTS,
            origin=Origin.words("section 3.2.1", "The paper gives no numbers."),
        ),
        Claim(
            "With nice 0 against 20 it gets over 10 points more than by size alone",
            expected=True,
            measured=nice[0] > size[0] + 10,
            origin=Origin.words("section 3.2.1", "The paper names the nice value without numbers."),
        ),
    )


def _swaps(run: Measured) -> float:
    images = images_of(run.machine, COMMAND)
    return sum(image.swaps for image in images) / len(images)


def _waited(run: Measured, command: str) -> float:
    """Return the mean time in s for which an image of a command wanted to be in memory and was not."""
    images = images_of(run.machine, command)
    return sum(image.swap_wait_ticks for image in images) / len(images) / run.machine.spec.hz


def _figures(runs: dict[str, Measured], watches: dict[str, MemoryWatch]) -> tuple[FigureSpec, ...]:
    origin = runs[TURNS].provenance
    series = {name: run.series("cpu_rate") for name, run in runs.items()}
    node = runs[TURNS].node(LARGE)
    return (
        curve_figure(
            "cpu-rate",
            "CPU of a group of large processes with an entitlement of 75 %",
            "Swapping by turns, by share, by size, and by size and nice; 16 processors.",
            {name: (found.times, found.values[node]) for name, found in series.items()},
            origin,
        ),
        curve_figure(
            "memory",
            "Memory of its twelve processes",
            "They need 900 of 1000 MW; 40 small processes of the other group want 600 MW.",
            {name: watch.of(COMMAND) for name, watch in watches.items()},
            origin,
            y_axis=MEMORY_AXIS,
        ),
    )


def navoceano_memory() -> Experiment:
    """Return the experiment on memory without and with regard to shares."""
    return Experiment(
        "navoceano-memory",
        "NAVOCEANO: memory and shares",
        PAPER,
        "A group with large processes misses its entitlement if swapping ignores shares, and gets it "
        "by share. Swapping by size is worse for it.",
        _memory,
    )
