"""The layout of a sweep's cells: a row for each workload, a column for each policy. No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.batch.study.spec import Cell
from fsconsole.figures.study_numbers import brief_name, short_workloads

HEAD_PX = 18
GAP_PX = 2
LABEL_GAP_PX = 8
_TALLEST, _LOWEST = 14, 8
_SLIMMEST, _WIDEST = 6, 72

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class SweepGrid:
    """The cells by row and column; places where a study has no cell are None."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell | None, ...], ...]

    @classmethod
    def of(cls, cells: Sequence[Cell]) -> SweepGrid:
        """Return the grid of a study's cells; a row for each seed where there are several."""
        keys = tuple(dict.fromkeys((cell.workload, cell.seed) for cell in cells))
        policies = tuple(dict.fromkeys(cell.policy for cell in cells))
        by_place = {(cell.workload, cell.seed, cell.policy): cell for cell in cells}
        workloads = tuple(dict.fromkeys(workload for workload, _ in keys))
        short = dict(zip(workloads, short_workloads(workloads), strict=True))
        many = len(keys) > len(workloads)
        return cls(
            tuple(f"{short[workload]}, {seed}" if many else short[workload] for workload, seed in keys),
            tuple(map(brief_name, policies)),
            tuple(
                tuple(by_place.get((workload, seed, policy)) for policy in policies)
                for workload, seed in keys
            ),
        )

    def place_of(self, cell: Cell) -> tuple[int, int] | None:
        """Return row and column of a cell."""
        for row, cells in enumerate(self.cells):
            if cell in cells:
                return row, cells.index(cell)
        return None

    def cell(self, row: int, column: int) -> Cell | None:
        """Return the cell at a place; None outside and where there is none."""
        if 0 <= row < len(self.rows) and 0 <= column < len(self.columns):
            return self.cells[row][column]
        return None


@dataclass(frozen=True, slots=True)
class SweepLayout:
    """The grid in a room of so many pixels; the names of rows take `label_px` at the left.

    `grown` is by how many pixels a line of text is higher than in the specification.
    """

    grid: SweepGrid
    width: float
    height: float
    label_px: float
    grown: float = 0

    @property
    def head_px(self) -> float:
        """Height of the names of columns."""
        return HEAD_PX + self.grown

    @property
    def has_labels(self) -> bool:
        """Whether rows are named: one alone needs no name."""
        return len(self.grid.rows) > 1

    @property
    def left(self) -> float:
        """Left edge of the cells in px."""
        return self.label_px + LABEL_GAP_PX if self.has_labels else 0.0

    @property
    def cell_px(self) -> tuple[float, float]:
        """Width and height of a cell, the gap left out."""
        columns, rows = max(len(self.grid.columns), 1), max(len(self.grid.rows), 1)
        wide = (self.width - self.left) / columns - GAP_PX
        high = (self.height - self.head_px) / rows - GAP_PX
        return min(max(wide, _SLIMMEST), _WIDEST), min(max(high, _LOWEST), _TALLEST + self.grown)

    @property
    def needed_height(self) -> float:
        """Height at which the lowest cells fit."""
        return self.head_px + len(self.grid.rows) * (_LOWEST + GAP_PX)

    def box(self, row: int, column: int) -> Box:
        """Return left, top, width and height of a cell."""
        wide, high = self.cell_px
        return self.left + column * (wide + GAP_PX), self.head_px + row * (high + GAP_PX), wide, high

    def head(self, column: int) -> Box:
        """Return the place of a policy's name."""
        x, _, wide, _ = self.box(0, column)
        return x - GAP_PX, 0.0, wide + 2 * GAP_PX, self.head_px

    def label(self, row: int) -> Box:
        """Return the place of a workload's name."""
        _, y, _, high = self.box(row, 0)
        return 0.0, y - GAP_PX, self.label_px, high + 2 * GAP_PX

    def named_rows(self, line_px: float) -> range:
        """Rows whose names are shown: all, or every second or third, so that lines of so many pixels fit."""
        if not self.has_labels:
            return range(0)
        pitch = self.cell_px[1] + GAP_PX
        return range(0, len(self.grid.rows), max(1, math.ceil(line_px / pitch - 1e-9)))

    def place_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return row and column of the cell at a point."""
        wide, high = self.cell_px
        column, row = int((x - self.left) // (wide + GAP_PX)), int((y - self.head_px) // (high + GAP_PX))
        return (row, column) if self.grid.cell(row, column) is not None else None
