"""The forecast of a simulated machine: run on from an instant, with and without changes, and solved for.

The machine of the scenario is its own forecast, to the tick: what is planned happens, nothing else does. The
part of a node is the CPU time that it had over the machine's, in the window before. What must change is found
by bisection; a part grows with the shares of a node and of the groups above it, but for the grain of the
scheduler, so that what is found is run once more before it is called enough.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fsconsole.machine.checkpoint import load, save
from fsconsole.machine.insight.step_response import Watch, act_on
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.neardedicated.build import makers_of
from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import Floats, Ints
from fsconsole.shares.scenario.actions import Action, ChangeTree
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.text.durations import typed_seconds

POINTS = 200
_POINTS_BEFORE_NOW = 20
MOST_SHARES = 1_000_000
_NEAREST = 5e-4  # Three digits do not show a smaller share of the machine.
_FEW = 4  # With this many steps only the last value counts.
_MOST_USELESS_DOUBLINGS = 3
_WISH = re.compile(r"(?:part\s*(?:=|>=)?\s*)?([0-9.]+)\s*(%?)\s+(?:in|by|after)\s+(.+)", re.IGNORECASE)


@dataclass(frozen=True, eq=False, slots=True)
class Used:
    """CPU ticks that nodes have used since the machine began, float64 [nodes], by ids."""

    tick: int
    ids: Ints
    ticks: Floats


@dataclass(frozen=True, eq=False, slots=True)
class Present:
    """A machine at present, and the usage in the window before.

    Attributes:
        scenario: what it was made of.
        tree: as it is now.
        checkpoint: the machine.
        now: the tick that is now.
        window_s: over which parts are measured.
        past: the use in the window, oldest first; less than a window where it has not run for so long.
    """

    scenario: Scenario
    tree: ShareTree
    checkpoint: bytes
    now: int
    window_s: float
    past: tuple[Used, ...]


@dataclass(frozen=True, eq=False, slots=True)
class NodeCurve:
    """Forecast of a node from now on: times, s; its part of the machine; its allocation; each float64 [k].

    The part is NaN now if nothing has run yet.
    """

    node: int
    times_s: Floats
    part: Floats
    allocated: Floats


@dataclass(frozen=True, slots=True)
class PartGoal:
    """A part of the machine that a node is to have in the window that ends at a time from now."""

    node: int
    part: float
    time_s: float


@dataclass(frozen=True, slots=True)
class ShareWay:
    """Sufficient or nearest shares of a node, and the resulting part of the machine."""

    node: int
    now: int
    shares: int
    part: float
    is_enough: bool


def present(scenario: Scenario, at_s: float, window_s: float) -> Present:
    """Run a scenario to the instant that is now.

    Raises:
        ValueError: the window is not above 0.
    """
    if not 0 < window_s < math.inf:
        msg = f"the window is {window_s:g} s. It must be above 0"
        raise ValueError(msg)
    machine = machine_for(scenario, makers=makers_of(scenario))
    past = []
    for time_s in past_times(at_s, window_s):
        machine.advance(machine.spec.ticks(time_s))
        past.append(used(machine))
    machine.advance(machine.spec.ticks(at_s))
    return standing(machine, window_s, past)


def past_times(now_s: float, window_s: float) -> tuple[float, ...]:
    """Return times of the window before now for `used`, s; empty if nothing has run."""
    first = max(now_s - window_s, 0.0)
    return tuple(np.linspace(first, now_s, _POINTS_BEFORE_NOW, endpoint=False).tolist()) if now_s > 0 else ()


def used(machine: Machine) -> Used:
    """Return the CPU ticks that each node of a machine has used so far."""
    flat = machine.flat
    return Used(machine.tick, flat.ids.copy(), flat.group_sum(machine.ran.astype(np.float64)))


def standing(machine: Machine, window_s: float, past: Sequence[Used]) -> Present:
    """Return the present state of a machine as a copy; the machine itself is unchanged."""
    return Present(machine.scenario, machine.tree, save(machine), machine.tick, window_s, tuple(past))


def curves(
    start: Present,
    nodes: Sequence[int],
    changes: Sequence[Action],
    until_s: float,
    points: int = POINTS,
    go_on: Callable[[], object] = lambda: None,
) -> tuple[NodeCurve, ...]:
    """Compute each node's curve from now until a time, with changes made now.

    Raises ValueError where the changes cannot be made.

    The first values are of the window before now, and the same with any changes. `go_on` is called now and
    then, and may raise.
    """
    machine = load(start.checkpoint, start.scenario, makers_of(start.scenario))
    watches = [
        Watch(machine, node, start.now, window_s=start.window_s, past=_past_of(start, node)) for node in nodes
    ]
    for watch in watches:
        watch.take()
    hz = machine.spec.hz
    every = max(round(until_s * hz / points), 1)
    for action in changes:
        act_on(machine, action)
    end = start.now + round(until_s * hz)
    for stop in (end - machine.spec.ticks(start.window_s), end):  # The last window is then exact.
        _run(machine, watches, stop, every, go_on)
    return tuple(_curve(node, watch) for node, watch in zip(nodes, watches, strict=True))


def _past_of(start: Present, node: int) -> tuple[tuple[int, float], ...]:
    """Return ticks of the window, and the usage of a node by then; nothing before it was there."""
    return tuple((one.tick, float(one.ticks[one.ids == node].sum())) for one in start.past)


def part_at(
    start: Present, goal: PartGoal, changes: Sequence[Action], go_on: Callable[[], object] = lambda: None
) -> float:
    """Return the part of the goal's node in the window that ends at its time."""
    (found,) = curves(start, (goal.node,), changes, goal.time_s, _FEW, go_on)
    return float(found.part[-1])


def share_ways(
    start: Present,
    goal: PartGoal,
    changes: Sequence[Action] = (),
    go_on: Callable[[], object] = lambda: None,
) -> tuple[ShareWay, ...]:
    """Return shares of the node, and of each group above it by itself, that give the wished part; all else as
    it is.

    `go_on` is called now and then, and may raise.
    """
    return tuple(_way(start, goal, changes, node, go_on) for node in _path(start.tree, goal.node))


def read_part_goal(text: str, node: int) -> PartGoal:
    """Return the goal of a node, such as `part=0.5 in 10 min` or `50 % in 1 h`.

    ValueError with a sentence that describes a valid goal.
    """
    found = _WISH.fullmatch(text.strip())
    try:
        part = float(found[1]) / (100 if found[2] else 1) if found else math.nan
        time_s = typed_seconds(found[3]) if found else math.nan
    except ValueError:
        part = math.nan
    if not (0 < part <= 1 and 0 < time_s < math.inf):
        msg = f"{text!r} is not a goal. Write a share up to 1 and a time. Example: part=0.5 in 10 min"
        raise ValueError(msg)
    return PartGoal(node, part, time_s)


def _way(
    start: Present, goal: PartGoal, changes: Sequence[Action], node: int, go_on: Callable[[], object]
) -> ShareWay:
    def part(shares: int) -> float:
        return part_at(start, goal, [*changes, ChangeTree((SetShares(((node, shares),)),))], go_on)

    now = _shares_of(start, changes, node)
    high = max(now, 1)
    as_is = best = part(high)
    stale = 0
    while best < goal.part and high < MOST_SHARES and stale < _MOST_USELESS_DOUBLINGS:
        high = min(2 * high, MOST_SHARES)
        before, best = best, part(high)
        stale = stale + 1 if best < before + _NEAREST else 0
    if best < goal.part and best - as_is < _NEAREST:
        return ShareWay(node, now, now, as_is, is_enough=False)  # More shares have no effect.
    wished = goal.part if best >= goal.part else best - _NEAREST
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if part(middle) >= wished else (middle, high)
    reached = part(high)
    return ShareWay(node, now, high, reached, reached >= goal.part)


def _shares_of(start: Present, changes: Sequence[Action], node: int) -> int:
    """Return the shares of a node after the changes."""
    found = start.tree.node(node).shares
    for action in changes:
        for edit in action.edits if isinstance(action, ChangeTree) else ():
            if isinstance(edit, SetShares):
                found = dict(edit.shares).get(node, found)
    return found


def _path(tree: ShareTree, node: int) -> Iterator[int]:
    """Yield the node and the groups above it, without the root, which has no siblings."""
    at: int | None = node
    while at is not None and tree.node(at).parent is not None:
        yield at
        at = tree.node(at).parent


def _run(
    machine: Machine, watches: Sequence[Watch], until: int, every: int, go_on: Callable[[], object]
) -> None:
    """Watch until a tick, whose values are taken."""
    while machine.tick < until:
        go_on()
        machine.advance(min(machine.tick + every, until))
        for watch in watches:
            watch.take()


def _curve(node: int, watch: Watch) -> NodeCurve:
    times, part, allocated, _ = np.array(watch.taken).T
    return NodeCurve(node, times, part, allocated)
