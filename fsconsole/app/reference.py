"""Reference curves below live plots, from a run folder, a CSV or the present recording."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from fsconsole.app.runs.series import places_of, recorded_run
from fsconsole.figures.quantities import QUANTITY_NAMES, quantity_named
from fsconsole.figures.spec import Floats
from fsconsole.recording.run import RunReader
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.yaml_nodes import text_in
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import without_system
from fsconsole.text.words import count_words

POINTS = 1200
_HEADER = re.compile(r"(?P<path>.+?)(?: (?P<quantity>[a-z_]+))?(?: \[(?P<unit>[^\]]*)\])?")
# This many nodes and points are requested at a time when checking whether there are samples.
_AT_ONCE, _GLANCE = 512, 50
_TIME = re.compile(r"time(_s| since .*_s)?|time_s.*")
_PLAIN = "cpu_rate"
_LARGEST = 1.5  # Larger fractions are taken as per cent. A rate over a short span can slightly exceed 1.

# Each quantity has times [k] and, by node, values [k].
Lines = Mapping[str, tuple[Floats, Mapping[int, Floats]]]


class UnusableReference(ValueError):  # noqa: N818 (ReferenceError is one of Python)
    """A file has no reference curves; the message gives the place and the reason."""


@dataclass(frozen=True, eq=False, slots=True)
class ReferenceCurves:
    """Constant curves by quantity and node, with the methods of a target.

    Attributes:
        name: name of the curves.
        lines: times in s and values in recorded units, NaN for gaps; quantities without system groups have
            separate names.
        left_out: columns of a file with nodes that the tree lacks.
    """

    name: str
    lines: Lines
    left_out: tuple[str, ...] = ()

    @property
    def nodes(self) -> frozenset[int]:
        """The nodes that have a curve."""
        return frozenset(node for _, lines in self.lines.values() for node in lines)

    def revision(self, _quantity: str) -> int:
        """Return 0: recorded curves do not grow."""
        return 0

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, _points: int, /
    ) -> tuple[Floats, Floats]:
        """Return times in s, [k], and values, [nodes, k], between two times and one beyond each; NaN for what
        is not known.
        """
        times, lines = self.lines.get(quantity, (np.empty(0), {}))
        first = max(0, int(np.searchsorted(times, start_s, "left")) - 1)
        last = int(np.searchsorted(times, end_s, "right")) + 1
        inside = times[first:last]
        nothing = np.full(len(inside), np.nan)
        values = [lines[node][first:last] if node in lines else nothing for node in nodes]
        return inside, np.array(values).reshape(len(nodes), len(inside))

    def band(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats, Floats]:
        """Return times in s, smallest and largest values over nodes, [k] each; NaN if no node has a value."""
        times, values = self.curves(quantity, nodes, start_s, end_s, points)
        if not len(nodes):
            return times, np.full(len(times), np.nan), np.full(len(times), np.nan)
        return times, np.fmin.reduce(values, axis=0), np.fmax.reduce(values, axis=0)


class _Curves(Protocol):
    """A target, as far as this needs it."""

    @property
    def quantities(self) -> tuple[str, ...]: ...

    @property
    def rescaled(self) -> frozenset[str]: ...

    def curves(
        self, quantity: str, nodes: Sequence[int], start_s: float, end_s: float, points: int, /
    ) -> tuple[Floats, Floats]: ...


def reference_of_run(path: Path, tree: ShareTree) -> ReferenceCurves:
    """Read a run folder; nodes are matched by their paths.

    Raises:
        RunError: it is damaged or empty.
    """
    run = recorded_run(RunReader(path), places_of(tree))
    lines: dict[str, tuple[Floats, Mapping[int, Floats]]] = {}
    for name in run.quantities:
        for column, leave_out in ((name, False), (without_system(name), True)):
            series = run.series(name, leave_out_system=leave_out)
            known = {node: values for node, values in series.values.items() if node in tree}
            lines[column] = (series.times, known)
    return _with_nodes(path.name, lines)


def reference_of_csv(path: Path, tree: ShareTree) -> ReferenceCurves:
    """Read a CSV as Export writes it: a column of times, then `PATH QUANTITY [UNIT]`, a node each.

    A column without a quantity is a CPU rate; one in `[%]` is taken as fractions. UnusableReference says
    which line or column is wrong.
    """
    try:
        rows = list(csv.reader(text_in(path).splitlines()))
    except (ScenarioError, csv.Error) as error:
        msg = f"{path.name} is not a CSV file: {error}. Export writes one."
        raise UnusableReference(msg) from error
    if not rows or not rows[0] or not _TIME.fullmatch(rows[0][0].strip()):
        first = rows[0][0] if rows and rows[0] else ""
        msg = f"{path.name}:1: the first column is '{first:.40}'. It must be time_s, in seconds."
        raise UnusableReference(msg)
    values = _numbers(path.name, rows)
    lines: dict[str, dict[int, Floats]] = {}
    left_out = []
    for at, header in enumerate(map(str.strip, rows[0][1:]), 1):
        quantity, node, unit = _meant(header, tree)
        if node is None:
            left_out.append(header)
            continue
        line = _as_recorded(path.name, header, quantity, unit, values[:, at])
        # A file does not show whether system groups were left out, so its values apply to both.
        for column in (quantity, without_system(quantity)):
            lines.setdefault(column, {})[node] = line
    found = {column: (values[:, 0], some) for column, some in lines.items()}
    return _with_nodes(path.name, found, tuple(left_out))


def reference_of_target(target: _Curves, name: str, nodes: Sequence[int]) -> ReferenceCurves:
    """Store the recorded curves of a target's nodes."""
    lines: dict[str, tuple[Floats, Mapping[int, Floats]]] = {}
    known = _with_values(target, nodes)
    for column in (*target.quantities, *map(without_system, target.rescaled)):
        times, values = target.curves(column, known, 0.0, float("inf"), POINTS // 2)
        lines[column] = (times, dict(zip(known, values, strict=True)))
    return _with_nodes(name, lines)


def _with_values(target: _Curves, nodes: Sequence[int]) -> list[int]:
    """Return nodes that the target has values of: of large trees it keeps the curves of few nodes."""
    found: list[int] = []
    for first in range(0, len(nodes), _AT_ONCE):
        some = nodes[first : first + _AT_ONCE]
        has = np.zeros(len(some), bool)
        for column in target.quantities:  # Some quantities, such as a rate, are unknown at the beginning.
            has |= np.isfinite(target.curves(column, some, 0.0, float("inf"), _GLANCE)[1]).any(axis=1)
        found += [node for node, is_known in zip(some, has.tolist(), strict=True) if is_known]
    return found


def _with_nodes(name: str, lines: Lines, left_out: tuple[str, ...] = ()) -> ReferenceCurves:
    found = ReferenceCurves(name, lines, left_out)
    if not found.nodes:
        msg = f"{name} has no curve for a node of this tree. Nodes are matched by their paths."
        raise UnusableReference(msg)
    return found


def _meant(header: str, tree: ShareTree) -> tuple[str, int | None, str]:
    """Return the quantity, node and unit of a column; no node if the tree lacks it."""
    match = _HEADER.fullmatch(header)
    if match is None:
        return _PLAIN, None, ""
    path, quantity, unit = match["path"], match["quantity"] or _PLAIN, match["unit"] or ""
    if quantity not in QUANTITY_NAMES:
        path, quantity = f"{path} {quantity}", _PLAIN
    try:
        return quantity, tree.find(path).id, unit
    except LookupError:
        return quantity, None, unit


def _as_recorded(name: str, header: str, quantity: str, unit: str, values: Floats) -> Floats:
    """Return values in recorded units: of percentages these are fractions."""
    if quantity_named(quantity).unit != "%":
        return values
    if unit == "%":
        return values / 100
    largest = float(np.nanmax(values, initial=0.0))
    if largest > _LARGEST:
        msg = (
            f"{name}:1: '{header:.60}' reaches {largest:g}, but fractions from 0 to 1 are "
            "expected. Write [%] after the name if the values are per cent."
        )
        raise UnusableReference(msg)
    return values


def _numbers(name: str, rows: list[list[str]]) -> Floats:
    """Return cells below the header as numbers (rows, columns), NaN where they are empty; times rise."""
    width = len(rows[0])
    values = np.full((len(rows) - 1, width), np.nan)
    for number, row in enumerate(rows[1:], 2):
        if len(row) != width:
            cells = count_words(len(row), "cell")
            msg = f"{name}:{number}: {cells}, but the header has {width}."
            raise UnusableReference(msg)
        for at, cell in enumerate(row):
            values[number - 2, at] = _number(cell, f"{name}:{number}")
    times = values[:, 0]
    if np.isnan(times).any() or (np.diff(times) < 0).any():
        late = np.isnan(times) | np.concatenate([[False], np.diff(times) < 0])
        line = int(np.argmax(late)) + 2
        msg = f"{name}:{line}: the time '{rows[line - 1][0]:.40}' is not after the one above."
        raise UnusableReference(msg)
    return values


def _number(cell: str, place: str) -> float:
    if not cell.strip():
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        msg = f"{place}: '{cell:.40}' is not a number. Write a number such as 0.25, or leave the cell empty."
        raise UnusableReference(msg) from None
