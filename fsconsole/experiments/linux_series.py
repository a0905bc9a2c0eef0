"""Junglas' series 1, 2, 4 and 6 on the machine itself: Linux without usage history, and with a sharer's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import diamonds
from fsconsole.figures.of_nodes import NodeSeries, figure_of
from fsconsole.figures.spec import EventMark, FigureSpec, Floats, Provenance
from fsconsole.linux.busy_leaves import BusyLeaves, Gained, busy_leaves, why_not
from fsconsole.linux.sharer import Sharer
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import ShareTree

PAPER = "Junglas 1991, on Linux"
SPEED_UP = 20.0
PLAIN_S, SETTLE_S, PLAIN_DELTA_S = 10.0, 0.5, 0.5
WINDOW_S, FOLLOWS_S = 20.0, 30.0  # The Convex had these time scales.
POINTS, CONVEX_POINTS = 0.5, 2.0
_ROOT = "fsconsole-series"
_SHARES = Origin.law("shares among active users, level by level")
_CONVEX = Origin.ours("the simulated Convex on the same series")
_WHY_CONVEX = (
    "Over 20 s of the Convex, from 30 s after users begin. Earlier, its priorities have not yet diverged"
)


@dataclass(frozen=True, slots=True)
class Series:
    """A series of the paper.

    Attributes:
        name: name of its example.
        begins_s: start of each user's work, s of the Convex.
        length_s: length, s of the Convex.
    """

    name: str
    begins_s: Mapping[str, float]
    length_s: float


_FIVE = dict.fromkeys(("u11", "u12", "u21", "u22", "u23"), 0.0)
SERIES = {
    1: Series("convex-series-1", _FIVE, 600.0),
    2: Series("convex-series-2", _FIVE, 600.0),
    4: Series("convex-series-4", _FIVE, 400.0),
    6: Series("convex-series-6", {"u11": 0.0, "u22": 0.0, "u21": 490.0}, 980.0),
}


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed and length of the measurements.

    Attributes:
        speed_up: factor by which usage decays and users begin faster than on the Convex.
        plain_s: time without usage history, for each set of active users.
        points, convex_points: tolerances, in percentage points.
    """

    speed_up: float = SPEED_UP
    plain_s: float = PLAIN_S
    points: float = POINTS
    convex_points: float = CONVEX_POINTS


def run_series(number: int, progress: Progress, cancelled: Asked, pace: Pace = Pace()) -> Result:
    """Measure a series; if groups cannot be changed here it is skipped, and the result has the reason."""
    name, problem = f"linux-series-{number}", why_not()
    if problem:
        return Result(name, (), skipped=problem)
    series, steps = SERIES[number], Steps(progress, cancelled)
    example = Example.named(series.name)
    tree = example.scenario.tree
    convex = measure(example, series.length_s, steps.next(0.1), sample_s=example.scenario.policy.delta_s)
    with busy_leaves(tree, f"{_ROOT}-{number}") as leaves:
        plain = _without_memory(series, tree, leaves, steps.next(0.3), pace)
    with busy_leaves(tree, f"{_ROOT}-{number}") as leaves:
        gained = _with_memory(series, example, leaves, steps.next(0.6), pace)
    claims = (*plain, _convex_claim(series, convex, gained, pace))
    return Result(name, claims, (_figure(series, number, convex, gained, pace),), (_note(pace),))


def _without_memory(
    series: Series, tree: ShareTree, leaves: BusyLeaves, steps: Steps, pace: Pace
) -> tuple[Claim, ...]:
    """Return claims on measurements with the weights of shares, for each set of active users."""
    starts = sorted(set(series.begins_s.values()))
    leaves.start([tree.find(name).id for name in series.begins_s])
    claims = []
    for at, start_s in enumerate(starts):
        leaves.begin(_beginning(series, tree, start_s))
        active = tuple(name for name, begins_s in series.begins_s.items() if begins_s <= start_s)
        gained = Gained(tuple(tree.find(name).id for name in active))
        length_s = SETTLE_S + pace.plain_s
        leaves.run(gained, length_s, PLAIN_DELTA_S, _share_of(steps, at, len(starts), length_s))
        claims.append(
            Claim(
                f"CPU of {' '.join(active)} without a memory{_when(at, len(starts))}",
                tuple(100 * share for share in _shares(tree, active)),
                tuple((100 * gained.parts(SETTLE_S, length_s)).tolist()),
                pace.points,
                "%",
                active,
                origin=_SHARES,
            )
        )
    return tuple(claims)


def _share_of(steps: Steps, at: int, count: int, length_s: float) -> Callable[[float], None]:
    """Return a function that reports the progress of one of several runs of the same length."""
    return lambda now_s: steps.at((at + min(now_s / length_s, 1.0)) / count)


def _beginning(series: Series, tree: ShareTree, start_s: float) -> list[int]:
    return [tree.find(name).id for name, begins_s in series.begins_s.items() if begins_s == start_s]


def _when(at: int, count: int) -> str:
    return "" if count == 1 else ", all" if at else ", at first"


def _shares(tree: ShareTree, active: tuple[str, ...]) -> list[float]:
    """Return hierarchical shares among the active users."""
    flat = FlatTree.of(tree)
    nodes = [tree.find(name).id for name in active]
    allocated = flat.allocated_share(flat.active(np.isin(flat.ids, nodes)))
    return [float(allocated[flat.row_of[node]]) for node in nodes]


def _with_memory(series: Series, example: Example, leaves: BusyLeaves, steps: Steps, pace: Pace) -> Gained:
    """Measure with weights by usage, faster than on the Convex; initial usages are the scenario's."""
    tree, policy = example.scenario.tree, example.scenario.policy
    delta_s, half_life_s = policy.delta_s / pace.speed_up, policy.half_life_s / pace.speed_up
    sharer = Sharer(tree, half_life_s)
    usage = {node.id: node.usage for node in tree.walk() if not node.is_group and node.usage}
    if usage:  # A busy processor has this steady usage.
        settles = delta_s / (1 - 0.5 ** (delta_s / half_life_s))
        sharer.usage = {node: settles * used / sum(usage.values()) for node, used in usage.items()}
    gained = Gained(tuple(tree.find(name).id for name in series.begins_s))
    length_s = series.length_s / pace.speed_up
    starts = sorted(set(series.begins_s.values()))
    leaves.start(gained.leaves)
    for start_s, end_s in zip(starts, [*starts[1:], series.length_s], strict=True):
        active = frozenset(tree.find(name).id for name, at_s in series.begins_s.items() if at_s <= start_s)
        weights = sharer.weights(active, leaves.groups.hierarchy.limits)
        leaves.groups.set_weights(tree, weights)
        leaves.begin(_beginning(series, tree, start_s))
        leaves.run(gained, end_s / pace.speed_up, delta_s, _share_of(steps, 0, 1, length_s), sharer)
    return gained


def _windows(series: Series, convex: Measured, gained: Gained, pace: Pace) -> tuple[Floats, Floats, Floats]:
    """Return times of the Convex [k], and users' fractions on the Convex and on Linux, [k, users] each.

    Fractions are over a window.
    """
    times, names = pace.speed_up * gained.times, tuple(series.begins_s)
    then = np.array([np.interp(times, convex.times, convex.cpu_s(name)) for name in names]).T
    first = np.searchsorted(times, times - WINDOW_S - 1e-6, "left")
    whole = times >= WINDOW_S
    found = []
    for used in (then, gained.cpu_s):
        given = used - used[first]
        found.append((given / np.maximum(given.sum(axis=1, keepdims=True), 1e-9))[whole])
    return times[whole], found[0], found[1]


def _convex_claim(series: Series, convex: Measured, gained: Gained, pace: Pace) -> Claim:
    times, simulated, measured = _windows(series, convex, gained, pace)
    starts = sorted(set(series.begins_s.values()))
    last = np.array([max(start for start in starts if start <= time_s) for time_s in times])
    counted = times - WINDOW_S >= last + FOLLOWS_S - WINDOW_S
    apart = 100 * np.abs(simulated - measured)[counted].max(axis=0)
    return Claim(
        "CPU with a memory: largest difference from the simulated Convex",
        (0.0,) * len(series.begins_s),
        tuple(apart.tolist()),
        pace.convex_points,
        "points",
        tuple(series.begins_s),
        origin=_CONVEX,
        why_tolerance=_WHY_CONVEX,
    )


def _figure(series: Series, number: int, convex: Measured, gained: Gained, pace: Pace) -> FigureSpec:
    times, simulated, measured = _windows(series, convex, gained, pace)
    tree = convex.machine.tree
    nodes = convex.nodes(tuple(series.begins_s))
    marked = np.linspace(0, len(times) - 1, 8).astype(int)[1:]
    begun = {at_s: [name for name, start in series.begins_s.items() if start == at_s] for at_s in
             sorted(set(series.begins_s.values())) if at_s}  # fmt: skip
    return figure_of(
        tree,
        NodeSeries("cpu_rate", times, dict(zip(nodes, measured.T, strict=True))),
        nodes,
        name=f"linux-series-{number}-cpu-rate",
        title=f"Series {number} on Linux, with a memory: CPU rate over 20 s",
        caption=(
            f"Time as on the Convex; the machine ran {pace.speed_up:g} times as fast. Diamonds: the "
            "simulated Convex."
        ),
        expected=tuple(
            mark
            for at in marked.tolist()
            for mark in diamonds(float(times[at]), tuple((100 * simulated[at]).tolist()))
        ),
        events=tuple(EventMark(at_s, f"{', '.join(names)} begins") for at_s, names in begun.items()),
        provenance=Provenance(
            scenario=convex.scenario.title,
            scenario_digest=convex.digest,
            seed=convex.scenario.seed,
            settings={"speed_up": pace.speed_up, "half_life_s": convex.scenario.policy.half_life_s},
            remarks=("measured on this machine's kernel, from its accounting",),
        ),
    )


def _note(pace: Pace) -> Note:
    return Note(
        "ours",
        "Measured on this machine's kernel: an endless process for each user, all on one CPU, as "
        "fractions of the tree's CPU time. The memory is that of `fsconsole linux share`. Usage "
        f"decays {pace.speed_up:g} times as fast as on the Convex, and users begin earlier by the "
        "same factor. Numbers differ a little between runs.",
    )


_TITLES = {
    1: ("Series 1 on Linux", "Hierarchical shares hold on the kernel itself, with and without a memory."),
    2: ("Series 2 on Linux", "Larger user shares in one group change nothing between the groups."),
    4: ("Series 4 on Linux", "Unequal usages even out with a memory. Without one they do not count."),
    6: ("Series 6 on Linux", "A late user catches up with a memory, and does not without one."),
}
_SLOW = Pace(speed_up=1.0)


def linux_series() -> tuple[Experiment, ...]:
    """Return the experiment with the paper's series on the machine itself.

    The full version takes as long as on the Convex.
    """
    return tuple(
        Experiment(
            f"linux-series-{number}",
            title,
            PAPER,
            about,
            partial(run_series, number),
            partial(run_series, number, pace=_SLOW),
        )
        for number, (title, about) in _TITLES.items()
    )
