"""Question about a simulated machine, and its answer: curves, ways, sentences, figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fsconsole.app.forecast.cluster_figures import STYLES
from fsconsole.app.forecast.machine import NodeCurve, PartGoal, Present, ShareWay, curves, share_ways
from fsconsole.app.forecast.sentences import basis_words
from fsconsole.app.runs.changes import ChangeTexts
from fsconsole.figures.spec import TIME_AXIS, Axis, Curve, EventMark, FigureSpec, Provenance
from fsconsole.figures.style.curves import DASHED, DOTTED
from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.tree import ShareTree
from fsconsole.text.durations import clock, length_words
from fsconsole.text.numbers import percent

SHARES_ONLY = (
    "Only shares are solved for: of the node, and of each group above it. "
    "Try another policy, settings and load as changes."
)
ASSUMES = "Assumes that everything in the scenario happens as planned, and nothing else."
_MINUTES_S, _HOURS_S = 300.0, 2 * 3600.0
_TITLE = "time from now"


@dataclass(frozen=True, eq=False, slots=True)
class MachineQuestion:
    """Question about a machine.

    Attributes:
        start: present state of the machine.
        nodes: nodes to draw, the main one first.
        until_s: end of the forecast.
        changes: changes from now on; the forecast is with and without them.
        goal: value to reach by a time; the ways to it are solved for.
        name: name of the machine.
    """

    start: Present
    nodes: tuple[int, ...]
    until_s: float
    changes: ChangeTexts = field(default_factory=ChangeTexts)
    goal: PartGoal | None = None
    name: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class MachineAnswer:
    """Curves with and without changes, and the ways to the goal if there is one.

    `ways` is None until they are found.
    """

    question: MachineQuestion
    curves: tuple[NodeCurve, ...]
    unchanged: tuple[NodeCurve, ...] = ()
    ways: tuple[ShareWay, ...] | None = None


def answer(
    asked: MachineQuestion,
    go_on: Callable[[], object] = lambda: None,
    report: Callable[[MachineAnswer], object] = lambda _: None,
) -> MachineAnswer:
    """Run copies of the machine; the curves are reported before the search for ways.

    `go_on` is called now and then, and may raise. ValueError or LookupError where the question cannot be.
    """
    start = asked.start
    gone = next((node for node in asked.nodes if node not in start.tree), None)
    if gone is not None:
        msg = "A node of the forecast is not in the tree at this instant"
        raise ValueError(msg)
    actions = asked.changes.actions_on(start.scenario, start.tree)
    found = curves(start, asked.nodes, actions, asked.until_s, go_on=go_on)
    unchanged = curves(start, asked.nodes, (), asked.until_s, go_on=go_on) if actions else ()
    result = MachineAnswer(asked, found, unchanged)
    if asked.goal is None:
        return result
    report(result)
    return replace(result, ways=share_ways(start, asked.goal, actions, go_on))


def sentences(found: MachineAnswer) -> tuple[str, ...]:
    """Describe the results in sentences, the main node first."""
    asked, first = found.question, found.curves[0]
    name, when = _names(asked.start.tree, asked.nodes)[0], length_words(asked.until_s)
    now, end = (_part(value) for value in first.part[[0, -1]])
    goes_for = percent(float(first.allocated[-1]), 1)
    if not found.unchanged:
        sentence = f"{name} has {now} of the machine now, {end} in {when}; {goes_for} is its allocated share."
    else:
        as_is = _part(found.unchanged[0].part[-1])
        then = f"{end} in {when} with the changes, {as_is} without them"
        sentence = f"{name} has {now} of the machine now, {then}; {goes_for} is its allocated share then."
    return (sentence, f"Shares are averaged over the last {length_words(asked.start.window_s)}.", ASSUMES)


def goal_words(found: MachineAnswer) -> str:
    """Describe the goal, and the value at that time before any way."""
    asked = found.question
    goal = asked.goal
    if goal is None:
        return ""
    (name,) = _names(asked.start.tree, (goal.node,))
    wished, when = percent(goal.part, 1), length_words(goal.time_s)
    if found.ways is None:
        return f"Looking for shares that give {name} {wished} in {when}"
    is_then = goal_part_words(name, found.curves[0], goal, has_changes=bool(found.unchanged))
    return f"{is_then or f'The goal is {wished} for {name} in {when}.'} {SHARES_ONLY}"


def shares_resting(found: MachineAnswer, way: ShareWay) -> tuple[dict[int, int], bool]:
    """Return all shares on which the result of a way rests, and whether it rests on other changes too."""
    asked = found.question
    shares: dict[int, int] = {}
    actions = asked.changes.actions_on(asked.start.scenario, asked.start.tree)
    for action in actions:
        for edit in action.edits if isinstance(action, ChangeTree) else ():
            shares |= dict(edit.shares) if isinstance(edit, SetShares) else {}
    texts = asked.changes
    return shares | {way.node: way.shares}, bool(texts.settings or texts.policy or texts.events)


def goal_part_words(name: str, curve: NodeCurve, goal: PartGoal, *, has_changes: bool) -> str:
    """Describe the node's part by the time of the goal, before any way; empty where the curve ends first."""
    if goal.node != curve.node or curve.times_s[-1] < goal.time_s:
        return ""
    at = int(np.searchsorted(curve.times_s, goal.time_s - 1e-9))
    when, basis = length_words(goal.time_s), basis_words(has_changes=has_changes)
    return f"{name} has {_part(curve.part[at])} in {when} {basis}. The goal is {percent(goal.part, 1)}."


def figures_of(found: MachineAnswer) -> tuple[FigureSpec, FigureSpec]:
    """Return figures of the nodes' parts and allocations of the machine; without the changes dashed."""
    asked = found.question
    goal = asked.goal
    parts = [*_both(found, lambda one: one.part)]
    by: tuple[EventMark, ...] = ()
    if goal is not None:
        words = f"{percent(goal.part, 1)} wished"
        ends = np.array([0.0, asked.until_s])
        parts.append(Curve(words, ends, np.full(2, goal.part), "g1", DASHED, shape="level"))
        by = (EventMark(goal.time_s, words),) if goal.time_s <= asked.until_s else ()
    part = FigureSpec(
        "forecast-machine-part",
        "Forecast of the machine",
        Axis("share of machine", "%", 100.0),
        tuple(parts),
        time_axis(asked.until_s),
        _caption(asked),
        "share of machine",
        events=by,
        provenance=_provenance(asked),
    )
    allocated = replace(
        part,
        name="forecast-machine-allocated",
        title="Forecast of allocated shares",
        y_axis=Axis("allocated share", "%", 100.0),
        curves=tuple(_both(found, lambda one: one.allocated)),
        quantity="allocated share",
        events=(),
    )
    return part, allocated


def time_axis(until_s: float) -> Axis:
    """Choose seconds, minutes or hours, as a person would take them."""
    if until_s <= _MINUTES_S:
        return replace(TIME_AXIS, title=_TITLE)
    if until_s <= _HOURS_S:
        return Axis(_TITLE, "min", 1 / 60, "s")
    return Axis(_TITLE, "hours", 1 / 3600, "s")


def _both(found: MachineAnswer, values: Callable[[NodeCurve], Floats]) -> Iterator[Curve]:
    names = _names(found.question.start.tree, found.question.nodes)
    paths = found.question.start.tree.paths()
    for place, (one, name) in enumerate(zip(found.curves, names, strict=True)):
        ink, dash = STYLES[place % len(STYLES)]
        yield Curve(name, one.times_s, values(one), ink, dash, path=paths[one.node])
    for place, (one, name) in enumerate(zip(found.unchanged, names, strict=False)):
        ink, dash = STYLES[place % len(STYLES)]
        path = f"{paths[one.node]}, unchanged"
        yield Curve(
            f"{name}, unchanged", one.times_s, values(one), ink, DOTTED if dash else DASHED, path=path
        )


def _names(tree: ShareTree, nodes: Sequence[int]) -> tuple[str, ...]:
    index = Names(tree)
    return tuple(index.shortest(node) for node in nodes)


def _part(value: float) -> str:
    return "nothing yet" if math.isnan(value) else percent(float(value), 1)


def _caption(asked: MachineQuestion) -> str:
    start = asked.start
    return f"{asked.name} from {clock(start.now / start.scenario.machine.hz)} on. {ASSUMES}"


def _provenance(asked: MachineQuestion) -> Provenance:
    start, changes = asked.start, asked.changes
    settings: dict[str, object] = {
        "now_s": start.now / start.scenario.machine.hz,
        "window_s": start.window_s,
        "until_s": asked.until_s,
    }
    written = {
        "set": changes.settings,
        "policy": (changes.policy,) if changes.policy else (),
        "share": changes.shares,
        "event": changes.events,
    }
    settings |= {name: "; ".join(texts) for name, texts in written.items() if texts}
    return Provenance(asked.name, settings=settings, origin="the simulated machine", remarks=(ASSUMES,))
