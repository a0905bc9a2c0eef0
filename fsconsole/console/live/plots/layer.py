"""Another run under the curves of a live plot: its curves, paler, and the differences shaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from PySide6.QtGui import QColor

from fsconsole.console.live.plots.plot_annotations import LATER
from fsconsole.console.live.plots.plot_curves import CurveItem, Curves, curve_pen
from fsconsole.console.style.theme import colour, pale
from fsconsole.figures.spec import BranchOrigin
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.flat import Floats

_SHADE = 0.2
_DOTS = (2.0, 2.0)
_CURVE_Z, _SHADE_Z = -2, -5


class Reference:
    """Another run that plots show beneath their own.

    Attributes:
        name: what it is called.
        curves: its values.
        since_s: from when on it is shown.
        branches: of a branch, itself and then those that it leaves.
    """

    def __init__(
        self, name: str, curves: Curves, since_s: float, branches: tuple[BranchOrigin, ...] = ()
    ) -> None:
        self.name, self.curves, self.since_s, self.branches = name, curves, since_s, branches


class Layer:
    """What one plot draws of a reference.

    Attributes:
        items: all that is in the plot for it.
        largest: of the values that it shows.
    """

    def __init__(
        self,
        reference: Callable[[], Reference | None],
        style_of: Callable[[int], CurveStyle],
        is_second: Callable[[], bool] = lambda: False,
    ) -> None:
        """Draw what `reference` gives just now, if anything.

        `style_of` gives the style of a node. While there `is_second`, another run is drawn beneath too:
        the curves are thin dots then, and the differences are those of the other run.
        """
        self._reference, self._style_of, self._is_second = reference, style_of, is_second
        self._lines: dict[int, CurveItem] = {}
        self._shades: dict[int, CurveItem] = {}
        self.largest = 0.0

    @property
    def items(self) -> list[CurveItem]:
        """All items, seen or not."""
        return [*self._lines.values(), *self._shades.values()]

    def revision(self, column: str) -> tuple[int, int, bool]:
        """Return values that change when the drawing must change."""
        reference, is_second = self._reference(), self._is_second()
        known = (0, 0) if reference is None else (id(reference), reference.curves.revision(column))
        return (*known, is_second)

    def draw(
        self,
        column: str,
        nodes: Sequence[int],
        span: tuple[float, float],
        points: int,
        times: Floats,
        values: Floats,
        places: Callable[[Floats], Floats] = np.asarray,
    ) -> list[CurveItem]:
        """Draw curves and differences in a span of time; return the items that are new.

        Args:
            column: the quantity that is drawn.
            nodes: those with a curve; what stands for a partner is left out.
            span: first and last time, s.
            points: how many are drawn.
            times: of the plot's own curves, s [k].
            values: of these, [nodes, k].
            places: gives where values stand on the value axis.
        """
        reference = self._reference()
        for item in self.items:
            item.hide()
        self.largest = 0.0
        own = [node for node in nodes if node >= 0]
        if reference is None or not own or span[1] <= reference.since_s:
            return []
        fresh: list[CurveItem] = []
        start_s = max(span[0], reference.since_s)
        at, lines = reference.curves.curves(column, own, start_s, span[1], points)
        inside = at >= reference.since_s
        at, lines = at[inside], lines[:, inside]
        if not len(at):
            return []
        for row, node in enumerate(own):
            line = places(lines[row])
            fresh += self._show_line(node, at, line)
            if not self._is_second():
                fresh += self._show_shade(node, at, line, times, places(values[list(nodes).index(node)]))
        known = lines[np.isfinite(lines)]
        self.largest = float(known.max()) if known.size else 0.0
        return fresh

    def follow_theme(self) -> None:
        """Use the colours of the present theme."""
        for node, line in self._lines.items():
            self._dress(node, line, self._shades.get(node))

    # -- inside ----------------------------------------------------------------------------------------------

    def _show_line(self, node: int, at: Floats, line: Floats) -> list[CurveItem]:
        has_gap = bool(np.isnan(line).any())
        fresh = self._made(self._lines, node, _CURVE_Z)
        self._lines[node].setData(
            at, line, connect="finite" if has_gap else "all", skipFiniteCheck=not has_gap, antialias=True
        )
        self._lines[node].show()
        self._dress(node, self._lines[node], None)
        return fresh

    def _show_shade(
        self, node: int, at: Floats, line: Floats, times: Floats, values: Floats
    ) -> list[CurveItem]:
        """Fill what lies between the two curves where both are known."""
        fresh = self._made(self._shades, node, _SHADE_Z)
        outline = between(times, values, at, line)
        if outline is not None:
            shade = self._shades[node]
            shade.setData(*outline, skipFiniteCheck=True)
            shade.show()
        self._dress(node, None, self._shades[node])
        return fresh

    def _made(self, kept: dict[int, CurveItem], node: int, z: int) -> list[CurveItem]:
        if node in kept:
            return []
        kept[node] = CurveItem()
        kept[node].setZValue(z)
        return [kept[node]]

    def _dress(self, node: int, line: CurveItem | None, shade: CurveItem | None) -> None:
        style = self._style_of(node)
        if line is not None:
            is_second = self._is_second()
            dash, width = (_DOTS, 1) if is_second else (style.dash, 2)
            line.setPen(curve_pen(pale(style.colour_token, LATER), dash, width))
        if shade is not None:
            fill = QColor(colour(style.colour_token))
            fill.setAlphaF(_SHADE)
            shade.setPen(None)
            shade.setBrush(fill)
            shade.setFillLevel("enclosed")


def between(times_a: Floats, a: Floats, times_b: Floats, b: Floats) -> tuple[Floats, Floats] | None:
    """Return times in s and values of the outline around what lies between two curves, [2 * points] each.

    None where that is nothing. Curves are times and values, [k] each; NaN where nothing is known.
    """
    found = _together(times_a, a, times_b, b)
    if found is None:
        return None
    times, upper, lower = found
    return np.concatenate([times, times[::-1]]), np.concatenate([upper, lower[::-1]])


def largest_difference(times_a: Floats, a: Floats, times_b: Floats, b: Floats) -> tuple[float, float] | None:
    """Return the time at which two curves, [k] each, differ most, and the height of b above a then; None
    where they never do.
    """
    found = _together(times_a, a, times_b, b)
    if found is None:
        return None
    times, ours, theirs = found
    at = int(np.abs(theirs - ours).argmax())
    return float(times[at]), float(theirs[at] - ours[at])


def _together(times_a: Floats, a: Floats, times_b: Floats, b: Floats) -> tuple[Floats, Floats, Floats] | None:
    """Give two curves at the times of both, where both are known; None where they are the same there."""
    in_a, in_b = np.isfinite(a), np.isfinite(b)
    times_a, a, times_b, b = times_a[in_a], a[in_a], times_b[in_b], b[in_b]
    if not len(times_a) or not len(times_b):
        return None
    start, end = max(times_a[0], times_b[0]), min(times_a[-1], times_b[-1])
    if start >= end:
        return None
    times = np.union1d(times_a, times_b)
    times = times[(times >= start) & (times <= end)]
    upper, lower = np.interp(times, times_a, a), np.interp(times, times_b, b)
    if np.array_equal(upper, lower):
        return None
    return times, upper, lower
