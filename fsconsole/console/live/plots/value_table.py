"""The values at the cursor of the plots, as a table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsconsole.console.live.plots.curve_values import CurveValues
from fsconsole.figures.data import Column, TextColumn, columns_of, in_shown_units, rounded, tsv_text
from fsconsole.figures.quantities import quantity_named
from fsconsole.figures.spec import FigureSpec


def values_table(curves: CurveValues, names: Sequence[str]) -> str:
    """Return curves by quantities as tab-separated text; with a mark, its values and differences too.

    Values are in the units of the plots, to the seven digits that are kept. Empty cells are values that are
    not known. Times stand in the headers, in seconds.
    """
    now, at_mark = curves.at_cursor(names), curves.at_mark(names)
    if now is None:
        return ""
    time_s, values = now
    nodes = list(curves.names)
    columns: list[Column | TextColumn] = [("node", [curves.names[node] for node in nodes])]
    for name in names:
        axis = quantity_named(name).axis
        unit = f" [{axis.unit}]" if axis.unit else ""
        there = np.array([values[name].get(node, np.nan) for node in nodes]) * axis.scale
        columns.append((f"{name}{unit} at {time_s:g} s", rounded(there)))
        if at_mark is not None:
            mark_s, marked = at_mark
            before = np.array([marked[name].get(node, np.nan) for node in nodes]) * axis.scale
            columns.append((f"{name}{unit} at {mark_s:g} s", rounded(before)))
            columns.append((f"{name}{unit} difference", rounded(there - before)))
    return tsv_text(columns)


def range_table(figure: FigureSpec, span: tuple[float, float]) -> tuple[str, int]:
    """Return the curves of a plot between two times as tab-separated text, and how many times there are.

    Names, units and digits are those of `values_table`.
    """
    columns = columns_of(in_shown_units(figure), span)
    return tsv_text(columns), len(columns[0][1])
