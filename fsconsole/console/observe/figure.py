"""A live plot as a figure for paper: the curves that are shown, with where they come from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.console.observe.plots.drawn import Drawn
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.changes import changes_of
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.spec import Curve, EventMark, FigureSpec, Provenance
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.prune import pruned
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.spec import Scenario, digest, settings_of
from fsconsole.shares.scenario.write import write_text
from fsconsole.targets.base import Target
from fsconsole.targets.events import Event
from fsconsole.targets.live import SHARE_COLUMNS, live_column

# More than any tier of the series holds: what is exported is not thinned out further.
_ALL_POINTS = 1 << 20


def figure_of_plot(
    session: ConsoleSession,
    quantity: str,
    drawn: Drawn,
    span: tuple[float, float],
    flags: list[Event],
) -> FigureSpec | None:
    """The figure of a plot over its range in time; None while there is nothing."""
    document, target, machine = session.document, session.target, session.machine
    if document is None or target is None or machine is None or not drawn.nodes:
        return None
    found = quantity_named(quantity)
    left_out = session.leave_out_system
    tree = document.tree
    nodes = [node for node in (*drawn.nodes, *drawn.rest) if node in tree]
    column = live_column(quantity, leave_out_system=left_out)
    times, values = target.curves(column, nodes, *span, _ALL_POINTS)
    inside = (times >= span[0]) & (times <= span[1])
    curves = []
    for node, line in zip(nodes, values[:, inside], strict=True):
        style = session.curves.style(node)
        path = tree.path(node)
        name = tree.node(node).name
        curves.append(Curve(name, times[inside], _shortest(line), style.colour_token, style.dash, path))
    axis = found.axis
    if axis.unit == "%":
        axis = replace(axis, limits=(0.0, 100.0))
    return FigureSpec(
        name=f"{document.name.rsplit('.', 1)[0]}-{quantity.replace('_', '-')}",
        title=f"{document.scenario.title}: {found.title}",
        y_axis=axis,
        curves=tuple(curves),
        caption="System groups left out." if left_out and quantity in SHARE_COLUMNS else "",
        quantity=quantity,
        events=tuple(EventMark(flag.time_s, flag.text) for flag in flags if _is_inside(flag, span)),
        provenance=_provenance(session, _kept_as(target)),
    )


def _is_inside(flag: Event, span: tuple[float, float]) -> bool:
    return not flag.is_planned and span[0] < flag.time_s <= span[1]


def _shortest(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The live series keeps seven digits: write those and not the noise behind them."""
    return np.array([float(str(np.float32(value))) for value in values])


def _kept_as(target: Target) -> str:
    """How a live series keeps what was sampled; a recorded run has it exactly."""
    finest, known = target.times(0.0, float("inf")), target.times(0.0, float("inf"), _ALL_POINTS)
    is_thinned = len(finest) > 0 and finest[0] > known[0]
    thinned = ", smallest and largest of every few samples" if is_thinned else ""
    return f"values to 7 digits{thinned}"


def _provenance(session: ConsoleSession, kept: str) -> Provenance:
    document, machine, snapshot = session.document, session.machine, session.snapshot
    if document is None or machine is None:
        return Provenance()
    now = 0.0 if snapshot is None else snapshot.time_s
    journal = () if snapshot is None else snapshot.journal
    by_hand = ", with actions by hand" if journal else ""
    begun = machine.scenario
    settings = settings_of(begun.machine, begun.policy)
    done = [(entry.tick / begun.machine.hz, entry.action) for entry in journal]
    return Provenance(
        scenario=begun.title,
        scenario_digest=_digest_of(begun, document.text),
        seed=begun.seed,
        settings=settings,
        origin=f"live run of {document.name} up to {now:.0f} s{by_hand}, {kept}",
        changes=tuple(change for change in changes_of(begun, done, settings) if change.time_s <= now),
    )


def _digest_of(begun: Scenario, text: str) -> str:
    """Digest of the file where the run is of that, else of the scenario as the run began with it."""
    written = write_text(begun)
    try:
        is_of_file = written == write_text(pruned(parse_scenario(text)))
    except ScenarioError:  # a document that was never in a file has no text
        is_of_file = False
    return digest(text if is_of_file else written)
