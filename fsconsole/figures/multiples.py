"""Small multiples: a figure whose curves overlap as one panel a curve, all on the same axes. No Qt."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.figures.spec import Curve, FigureSpec

FEWEST = 3  # Fewer curves do not hide each other.
_BEHIND = "g3"


def has_lines(spec: FigureSpec) -> bool:
    """Return True if a figure consists of lines only."""
    return bool(spec.curves) and all(spec.shape_of(curve) in ("line", "level") for curve in spec.curves)


def multiples_of(spec: FigureSpec) -> tuple[FigureSpec, ...]:
    """Return a panel for each curve, with the others grey behind it and equal scales.

    A figure with bars or few curves is returned alone.
    """
    if len(spec.curves) < FEWEST or not has_lines(spec):
        return (spec,)
    return tuple(_panel(spec, place) for place in range(len(spec.curves)))


def is_panel(spec: FigureSpec) -> bool:
    """Return True if a figure is one of several panels, in which only one curve has a name."""
    return any(not curve.name for curve in spec.curves)


def on_log_axis(spec: FigureSpec) -> FigureSpec:
    """Return the figure with a logarithmic y axis; percentages and bars stay as they are."""
    if spec.y_axis.is_log or spec.y_axis.unit == "%" or not has_lines(spec):
        return spec
    return replace(spec, y_axis=replace(spec.y_axis, is_log=True, limits=None))


def _panel(spec: FigureSpec, place: int) -> FigureSpec:
    own = spec.curves[place]
    behind = [_grey(curve) for at, curve in enumerate(spec.curves) if at != place]
    return replace(
        spec, name=f"{spec.name}-{place + 1}", title=own.name, caption=spec.title, curves=(*behind, own)
    )


def _grey(curve: Curve) -> Curve:
    path = curve.path or curve.name
    return replace(curve, name="", path=path, colour=_BEHIND, dash=(), marks=False, labels=(), band=())
