"""A live plot as a figure for paper: the curves that are shown, with where they come from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fsconsole.console.live.plots.layer import Reference
from fsconsole.console.live.plots.plot_curves import Drawn
from fsconsole.console.session import ConsoleSession
from fsconsole.figures.changes import changes_of
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.spec import Axis, BranchOrigin, Curve, EventMark, FigureSpec, Provenance
from fsconsole.recording.notes import note_marks
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Scenario, digest, settings_of
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import Target, column_of
from fsconsole.text import moments
from fsconsole.text.durations import length_words

# More than any tier of the series contains, so exports are not thinned out further.
_ALL_POINTS = 1 << 20
_DOTS = (1.0, 3.0)
# Line styles of runs behind the current one, and their captions.
_BENEATH = ((_DOTS, "Dotted: {}, with the difference shaded."), ((6.0, 4.0), "Dashed: {}."))


def figure_of_plot(
    session: ConsoleSession, quantity: str, drawn: Drawn, references: Sequence[Reference] = ()
) -> FigureSpec | None:
    """Return a figure of a plot's curves and of the runs beneath them; None without curves.

    Times are those of the plots; times of day count from the beginning, which the axis names.
    """
    document, target = session.document, session.target
    if document is None or target is None or not drawn.nodes:
        return None
    found, clock = quantity_named(quantity), target.clock
    began = began_s(target)
    curves = _curves(session, target, quantity, drawn)
    if found.partner:
        curves += [
            replace(one, name=f"{one.name}: share", dash=_DOTS, path=f"{one.path} {found.partner}")
            for one in _curves(session, target, found.partner, drawn)
        ]
    beneath: list[Curve] = []
    words = []
    branches: dict[BranchOrigin, None] = {}
    for number, reference in enumerate(references[: len(_BENEATH)]):
        found_beneath = _beneath(session, target, quantity, reference, curves, is_second=number > 0)
        if found_beneath:
            words.append(_BENEATH[number][1].format(_named(reference)))
            branches |= dict.fromkeys(reference.branches)
        beneath += found_beneath
    is_whole = found.axis.unit == "%" and not found.is_sparse
    left_out = session.leave_out_system and quantity in target.rescaled
    figure = FigureSpec(
        name=f"{_stem(document.name)}-{quantity.replace('_', '-')}",
        title=f"{target.about().title}: {found.title}",
        y_axis=replace(found.axis, limits=(0.0, 100.0)) if is_whole else found.axis,
        curves=(*curves, *beneath),
        caption=" ".join((*_left_out_words(left_out), *words)),
        quantity=quantity,
        events=tuple(
            EventMark(event.time_s - began, event.label)
            for event in target.events()
            if not event.is_planned and clock.first_s < event.time_s <= max(target.now_s, 1.0)
        ),
        notes=tuple(
            EventMark(
                note.time_s - began,
                note.text,
                None if note.until_s is None else note.until_s - began,
                is_note=True,
            )
            for note in note_marks(session.notes.notes)
            if note.time_s <= max(target.now_s, 1.0)
        ),
        provenance=replace(_provenance(session, target), branches=tuple(branches)),
    )
    if clock.epoch_s is None:
        return figure
    day = moments.whole(clock.epoch_s + began)
    return replace(figure, x_axis=Axis(f"time since {day}", "s", 1.0, "s"))


def _named(reference: Reference) -> str:
    """Return the name of a run beneath; of a branch also what was changed, and when."""
    if not reference.branches:
        return reference.name
    origin = reference.branches[0]
    changes = "; ".join(origin.changes) or "no changes"
    return f"{reference.name} (at {length_words(origin.at_s)}: {changes})"


def _left_out_words(left_out: bool) -> tuple[str, ...]:
    return ("Without system groups.",) if left_out else ()


def _beneath(
    session: ConsoleSession,
    target: Target,
    quantity: str,
    reference: Reference,
    curves: Sequence[Curve],
    *,
    is_second: bool,
) -> list[Curve]:
    """Return curves of another run as in plots, with the area to the first one shaded."""
    document = session.document
    tree = ShareTree() if document is None else document.tree
    began = began_s(target)
    column = column_of(target, quantity, leave_out_system=session.leave_out_system)
    ids = {path: node for node, path in tree.paths().items()}
    found = []
    for curve in curves:
        node = ids.get(curve.path)
        if node is None:
            continue
        times, values = reference.curves.curves(column, [node], target.clock.first_s, math.inf, _ALL_POINTS)
        inside = (times >= max(reference.since_s, target.clock.first_s)) & np.isfinite(values[0])
        if not inside.any():
            continue
        x, y = times[inside] - began, values[0, inside]
        own = np.interp(x, curve.x, curve.y, left=np.nan, right=np.nan)
        band = () if is_second else (np.where(np.isnan(own), y, own), y)
        dash = _BENEATH[is_second][0]
        name = f"{curve.name}, {reference.name}"
        found.append(Curve(name, x, y, curve.colour, dash, f"{curve.path} {reference.name}", band=band))
    return found


def began_s(target: Target) -> float:
    """Return the time that is subtracted from times; for times of day, the first known time."""
    return 0.0 if target.clock.epoch_s is None else target.clock.first_s


def _stem(name: str) -> str:
    return name.removesuffix(" (Slurm)").rsplit(".", 1)[0]


def _curves(session: ConsoleSession, target: Target, quantity: str, drawn: Drawn) -> list[Curve]:
    document = session.document
    tree = ShareTree() if document is None else document.tree
    nodes = [node for node in (*drawn.nodes, *drawn.rest) if node in tree]
    began = began_s(target)
    first_s, end_s = target.clock.first_s, max(target.now_s, target.clock.first_s + 1.0)
    column = column_of(target, quantity, leave_out_system=session.leave_out_system)
    times, values = target.curves(column, nodes, first_s, end_s, _ALL_POINTS)
    inside = (times >= first_s) & (times <= end_s)
    made = []
    for node, line in zip(nodes, values[:, inside], strict=True):
        style = session.curves.style(node)
        made.append(
            Curve(
                tree.node(node).name,
                times[inside] - began,
                _shortest(line),
                style.colour_token,
                style.dash,
                tree.path(node),
            )
        )
    return made


def _shortest(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the shortest numbers that agree in seven digits, since the live series keeps no more."""
    return np.array([float(str(np.float32(value))) for value in values])


def _kept_as(target: Target) -> str:
    """Return the precision of values that a live series keeps; a recorded run has them exactly."""
    finest, known = target.times(0.0, float("inf")), target.times(0.0, float("inf"), _ALL_POINTS)
    is_thinned = len(finest) > 0 and finest[0] > known[0]
    thinned = ", minimum and maximum of every few samples" if is_thinned else ""
    return f"values to 7 digits{thinned}"


def _provenance(session: ConsoleSession, target: Target) -> Provenance:
    document, machine, snapshot = session.document, session.machine, session.snapshot
    if document is None or machine is None:
        about = target.about()
        return Provenance(scenario=about.source, settings=dict(about.settings), origin=about.origin)
    kept = _kept_as(target)
    now = 0.0 if snapshot is None else snapshot.time_s
    journal = () if snapshot is None else snapshot.journal
    by_hand = ", with manual actions" if journal else ""
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
    """Return the digest of the file if the run is of it, else of the scenario at the run's start."""
    written = write_text(begun)
    try:
        is_of_file = written == write_text(pruned(parse_scenario(text)))
    except ScenarioError:  # A document without a file does not have a text.
        is_of_file = False
    return digest(text if is_of_file else written)
