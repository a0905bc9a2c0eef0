"""Everitt, Jones, Knesel, section 3.2.1: swapping without and with regard to shares."""

from __future__ import annotations

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import MEMORY_AXIS, MemoryWatch, images_of
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.experiments.unicos_flat import PAPER
from fsconsole.figures.spec import FigureSpec

LARGE, SMALL = "Navy R&D", "DoD Other"
GROUPS = (LARGE, SMALL)
COMMAND = "ocean"
ENTITLED = (75.0, 25.0)
LENGTH_S = 7200.0
SETTLED_S = 1800.0
SAMPLE_S = 10.0
POINTS = 1.0
LABELS = {False: "by turns", True: "by share"}
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
    watches = {aware: MemoryWatch() for aware in LABELS}
    runs = {
        aware: measure(
            example,
            LENGTH_S,
            steps.next(1 / len(watches)),
            settings={"memory.share_aware": aware},
            sample_s=SAMPLE_S,
            beside=watch,
        )
        for aware, watch in watches.items()
    }
    return Result("navoceano-memory", _claims(runs), _figures(runs, watches), NOTES)


def _claims(runs: dict[bool, Measured]) -> tuple[Claim, ...]:
    turns, share = (runs[aware].cpu_percent(GROUPS, SETTLED_S, LENGTH_S) for aware in LABELS)
    return (
        Claim(
            "By turns the group of large processes gets less than a group with a third of its entitlement",
            expected=True,
            measured=turns[0] < turns[1],
            origin=Origin.paper("section 3.2.1", "The paper gives no numbers."),
        ),
        Claim(
            "It misses its entitlement of 75 % by over 20 points",
            expected=True,
            measured=turns[0] < ENTITLED[0] - 20,
            origin=Origin.ours("section 3.2.1, given without numbers"),
        ),
        Claim(
            "By share: CPU of the groups",
            ENTITLED,
            share,
            POINTS,
            "%",
            GROUPS,
            origin=Origin.ours("entitlements"),
        ),
        Claim(
            "Swaps of a large process in two hours, by turns, and by share",
            expected=True,
            measured=_swaps(runs[False]) > 10 * max(1.0, _swaps(runs[True])),
            origin=Origin.ours("section 3.2.1, given without numbers"),
        ),
    )


def _swaps(run: Measured) -> float:
    images = images_of(run.machine, COMMAND)
    return sum(image.swaps for image in images) / len(images)


def _figures(runs: dict[bool, Measured], watches: dict[bool, MemoryWatch]) -> tuple[FigureSpec, ...]:
    origin = runs[False].provenance
    series = {LABELS[aware]: run.series("cpu_rate") for aware, run in runs.items()}
    node = runs[False].node(LARGE)
    return (
        curve_figure(
            "cpu-rate",
            "CPU of a group of large processes with an entitlement of 75 %",
            "Swapping by turns, and by share; 16 processors.",
            {name: (found.times, found.values[node]) for name, found in series.items()},
            origin,
        ),
        curve_figure(
            "memory",
            "Memory of its twelve processes",
            "They need 900 of 1000 MW; 40 small processes of the other group want 600 MW.",
            {LABELS[aware]: watch.of(COMMAND) for aware, watch in watches.items()},
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
        "otherwise.",
        _memory,
    )
