"""The values at the cursor of the plots, as a table for a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.figures.data import Column, TextColumn, tsv_text
from fsconsole.figures.quantities import quantity_named


def values_table(panel: PlotsPanel, names: Sequence[str]) -> str:
    """Curves by quantities as tab-separated text, in full; with a mark, values there and differences too.

    Empty cells are values that are not known. Times stand in the headers, in seconds.
    """
    now, at_mark = panel.values_at_cursor(), panel.values_at_mark()
    if now is None:
        return ""
    time_s, values = now
    nodes = list(panel.names)
    columns: list[Column | TextColumn] = [("node", [panel.names[node] for node in nodes])]
    for name in names:
        axis = quantity_named(name).axis
        unit = f" [{axis.unit}]" if axis.unit else ""
        there = np.array([values[name].get(node, np.nan) for node in nodes]) * axis.scale
        columns.append((f"{name}{unit} at {time_s:g} s", there))
        if at_mark is not None:
            mark_s, marked = at_mark
            before = np.array([marked[name].get(node, np.nan) for node in nodes]) * axis.scale
            columns.append((f"{name}{unit} at {mark_s:g} s", before))
            columns.append((f"{name}{unit} difference", there - before))
    return tsv_text(columns)
