"""Text descriptions of figures, for readers who cannot see them."""

from __future__ import annotations

from fsconsole.figures.spec import FigureSpec
from fsconsole.text.numbers import fixed

_MOST = 12


def seen(spec: FigureSpec) -> str:
    """Describe the curves with their least and largest values in the unit shown."""
    words = []
    for curve in spec.curves[:_MOST]:
        values = curve.y[curve.y == curve.y] * spec.y_axis.scale
        if len(values):
            words.append(f"{curve.name} {fixed(values.min(), 1)} to {fixed(values.max(), 1)}")
    more = [f"and {len(spec.curves) - _MOST} more"] if len(spec.curves) > _MOST else []
    unit = f" in {spec.y_axis.unit}" if spec.y_axis.unit else ""
    return f"{spec.title}{unit}: {'; '.join([*words, *more])}."
