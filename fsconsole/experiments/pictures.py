"""Figures of experiments: of nodes in a run, and of curves without nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fsconsole.experiments.measure import Measured
from fsconsole.figures.of_nodes import event_marks, figure_of
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.spec import TIME_AXIS, Axis, Curve, EventMark, Expected, FigureSpec, Floats, Provenance
from fsconsole.figures.style.curves import DASHED, DOTTED, SOLID

CPU_AXIS = quantity_named("cpu_rate").axis
# The heads of the four families come first, then their lighter members, dashed and dotted.
_LOOKS = tuple(
    (token, dash)
    for tokens, dash in (
        (("c1", "c4", "c7", "c10"), SOLID),
        (("c2", "c5", "c8", "c11"), DASHED),
        (("c3", "c6", "c9", "c12"), DOTTED),
    )
    for token in tokens
)


def node_figure(
    run: Measured,
    names: tuple[str, ...],
    name: str,
    title: str,
    caption: str,
    *,
    quantity: str = "cpu_rate",
    expected: Sequence[Expected] = (),
    marks: bool = True,
) -> FigureSpec:
    """Return a figure of a quantity of some nodes in one run, with the scenario's events if `marks`."""
    return figure_of(
        run.machine.tree,
        run.series(quantity),
        run.nodes(names),
        name=name,
        title=title,
        caption=caption,
        events=event_marks(run.scenario) if marks else (),
        expected=expected,
        provenance=run.provenance,
    )


def curve_figure(
    name: str,
    title: str,
    caption: str,
    curves: Mapping[str, tuple[Floats, Floats]],
    provenance: Provenance,
    *,
    y_axis: Axis = CPU_AXIS,
    x_axis: Axis = TIME_AXIS,
    expected: Sequence[Expected] = (),
    events: Sequence[EventMark] = (),
) -> FigureSpec:
    """Return a figure of at most twelve curves by name, x and y [k] each.

    An example is a quantity under several settings.
    """
    drawn = [Curve(label, x, y, *_LOOKS[index]) for index, (label, (x, y)) in enumerate(curves.items())]
    return FigureSpec(
        name=name,
        title=title,
        y_axis=y_axis,
        curves=tuple(drawn),
        x_axis=x_axis,
        caption=caption,
        events=tuple(events),
        expected=tuple(expected),
        provenance=provenance,
    )


def as_fitted(figure: FigureSpec, fitted: str) -> FigureSpec:
    """Mark a figure of a model with fitted parameters in its title, its caption and its metadata.

    Title and caption begin with the mark, because a narrow figure cuts off their ends.
    """
    to_what = "fitted to the squares" if figure.expected else "fitted"
    return replace(
        figure,
        title=f"[fitted] {figure.title}",
        caption=f"Model {to_what}. {figure.caption}",
        provenance=replace(figure.provenance, fitted=fitted),
    )


def squares(at: float, percent: Sequence[float]) -> tuple[Expected, ...]:
    """Return a paper's values, in percent, as open squares at a place."""
    return tuple(Expected(at, value / 100) for value in dict.fromkeys(percent))


def diamonds(at: float, percent: Sequence[float]) -> tuple[Expected, ...]:
    """Return expected values that are not the paper's, in percent, as open diamonds at a place."""
    return tuple(Expected(at, value / 100, is_papers=False) for value in dict.fromkeys(percent))
