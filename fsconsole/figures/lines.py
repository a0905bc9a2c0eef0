"""Polylines cut to the visible range, since QSvgGenerator cannot clip. No Qt."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from fsconsole.figures.spec import Floats


def cut_to_x(x: Floats, y: Floats, low: float, high: float) -> tuple[Floats, Floats]:
    """Return the part of a curve, [k] each, between two x, with values computed at the cuts; x must rise."""
    first, last = np.searchsorted(x, low, "left"), np.searchsorted(x, high, "right")
    inner_x, inner_y = x[first:last], y[first:last]
    if first > 0 and (first == len(x) or x[first] > low) and first < len(x):
        inner_x = np.concatenate(([low], inner_x))
        inner_y = np.concatenate(([_between(x, y, int(first), low)], inner_y))
    if 0 < last < len(x) and x[last - 1] < high:
        inner_x = np.concatenate((inner_x, [high]))
        inner_y = np.concatenate((inner_y, [_between(x, y, int(last), high)]))
    return inner_x, inner_y


def _between(x: Floats, y: Floats, right: int, at: float) -> float:
    x0, x1, y0, y1 = x[right - 1], x[right], y[right - 1], y[right]
    return float(y0 + (y1 - y0) * (at - x0) / (x1 - x0))


def thin(x: Floats, y: Floats, columns: int) -> tuple[Floats, Floats]:
    """Return first, least, largest and last value of each column, [kept] of [k], if paper cannot show all."""
    if len(x) <= 4 * columns:
        return x, y
    edges = np.linspace(0, len(x), columns + 1).astype(np.int64)
    keep: set[int] = set()
    for start, end in pairwise(edges.tolist()):
        part = y[start:end]
        keep.update((start, end - 1))
        if not np.isnan(part).all():
            keep.update((int(start + np.nanargmin(part)), int(start + np.nanargmax(part))))
    rows = np.array(sorted(keep))
    return x[rows], y[rows]


def straightened(x: Floats, y: Floats, off: float) -> tuple[Floats, Floats]:
    """Return the points, [kept] of [k], whose polyline passes all others within `off`, measured along y.

    x must rise, and no value be NaN. The first and the last point stay.
    """
    keep, low, high = [0], -np.inf, np.inf
    xs, ys = x.tolist(), y.tolist()
    for row in range(1, len(xs)):
        width, rise = xs[row] - xs[keep[-1]], ys[row] - ys[keep[-1]]
        if not low * width <= rise <= high * width:  # The line to here would miss a point between.
            keep.append(row - 1)
            low, high = -np.inf, np.inf
            width, rise = xs[row] - xs[row - 1], ys[row] - ys[row - 1]
        if width > 0:
            low, high = max(low, (rise - off) / width), min(high, (rise + off) / width)
    rows = np.unique([*keep, len(xs) - 1])
    return x[rows], y[rows]


def pieces(x: Floats, y: Floats, low: float, high: float) -> list[tuple[Floats, Floats]]:
    """Return connected pieces, x and y [k] each, inside low <= y <= high.

    NaN or leaving the range ends a piece.
    """
    if len(y) and np.all((y >= low) & (y <= high)):
        return [(x, y)]
    result: list[list[tuple[float, float]]] = [[]]
    for index in range(len(x)):
        here = (float(x[index]), float(y[index]))
        if np.isnan(here[1]):
            result.append([])
            continue
        before = (float(x[index - 1]), float(y[index - 1])) if index else here
        segment = None if np.isnan(before[1]) else _inside(before, here, low, high)
        if segment is None:
            result.append([here] if low <= here[1] <= high else [])
            continue
        start, end = segment
        if not result[-1] or result[-1][-1] != start:
            result.append([start])
        if end != start:
            result[-1].append(end)
    long_enough = (piece for piece in result if piece)
    return [(np.array([p[0] for p in piece]), np.array([p[1] for p in piece])) for piece in long_enough]


def _inside(
    start: tuple[float, float], end: tuple[float, float], low: float, high: float
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """Return the part of a segment with low <= y <= high."""
    (x0, y0), (x1, y1) = start, end
    if y0 == y1:
        return (start, end) if low <= y0 <= high else None
    at_low, at_high = (low - y0) / (y1 - y0), (high - y0) / (y1 - y0)
    enter, leave = max(0.0, min(at_low, at_high)), min(1.0, max(at_low, at_high))
    if enter > leave:
        return None
    first = start if enter == 0 else (x0 + enter * (x1 - x0), y0 + enter * (y1 - y0))
    last = end if leave == 1 else (x0 + leave * (x1 - x0), y0 + leave * (y1 - y0))
    return first, last
