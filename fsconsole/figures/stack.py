"""Several figures of the same times on one page, one below the other: equal plots, one time axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fsconsole.figures.arrange import UNITS_PER_PT, arrange
from fsconsole.figures.spec import FigureSpec, FigureStyle

_TRIAL = 1000.0  # This trial height serves to measure the room around a plot, in heights of a letter.
# A placed figure has its style, top and height in tenths of a point.
Placed = tuple[FigureSpec, FigureStyle, float, float]


def stacked(figures: Sequence[FigureSpec], name: str, title: str) -> FigureSpec:
    """Join several figures into one page; a single figure is returned unchanged.

    Args:
        figures: at least one.
        name: name of the page, fit for a file name.
        title: title of the page.
    """
    first, *others = figures
    return replace(first, name=name, title=title, below=tuple(others)) if others else first


def placed(spec: FigureSpec, style: FigureStyle, width: float, height: float) -> list[Placed]:
    """Return the parts of a figure with their places on a page, width x height in tenths of a point."""
    parts = spec.parts
    spans = [part.x_span() for part in parts]
    shared = style.x_range or (min(low for low, _ in spans), max(high for _, high in spans))
    em = style.font_pt * UNITS_PER_PT
    looks = [
        replace(style, x_range=shared, title=style.title and at == 0, x_labels=at == len(parts) - 1)
        for at in range(len(parts))
    ]
    trials = [arrange(part, look, width, _TRIAL * em).plot for part, look in zip(parts, looks, strict=True)]
    left = max(trial.left() for trial in trials) / em
    right = max(width - trial.right() for trial in trials) / em
    around = [_TRIAL * em - trial.height() for trial in trials]
    plot = max((height - sum(around)) / len(parts), em)
    found, top = [], 0.0
    for at, (part, look, room) in enumerate(zip(parts, looks, around, strict=True)):
        shown = part if at == 0 else _without_words(part)
        found.append((shown, replace(look, edges_em=(left, right)), top, plot + room))
        top += plot + room
    return found


def _without_words(figure: FigureSpec) -> FigureSpec:
    """Return a figure with event lines but without their labels, which are in the figure on top."""
    events = tuple(replace(event, text="") for event in figure.events)
    notes = tuple(replace(note, text="") for note in figure.notes)
    return replace(figure, events=events, notes=notes)
