"""The samples of two runs held against each other, part by part, so that runs may be longer than memory."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fsconsole.recording.run import RunReader

if TYPE_CHECKING:
    import polars as pl

_KEYS = ("time_s", "path")


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference in a quantity of a node: its times, and the values in each run.

    Attributes:
        amount: of the difference; infinite where one of the values is not a number.
    """

    quantity: str
    path: str
    time_s: float
    amount: float
    a: float
    b: float


@dataclass(slots=True)
class SamplesDiff:
    """Differences between the samples of two runs at the instants that both have.

    Attributes:
        since_s, until_s: the first and the last of these instants; None where there is none.
        instants: how many there are.
        only_a, only_b: instants between these two that one run has.
        first: what differs at the first instant at which anything does, the largest of each quantity.
        largest: the largest difference of each quantity and node, by both.
        ranges: the smallest and the largest value of each quantity in both runs at these instants.
        nodes_a, nodes_b: paths of nodes that one run has at some of these instants, with the first of them.
    """

    since_s: float | None = None
    until_s: float | None = None
    instants: int = 0
    only_a: int = 0
    only_b: int = 0
    first: list[Difference] = field(default_factory=list)
    largest: dict[tuple[str, str], Difference] = field(default_factory=dict)
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)
    nodes_a: dict[str, float] = field(default_factory=dict)
    nodes_b: dict[str, float] = field(default_factory=dict)

    @property
    def is_same(self) -> bool:
        """True if the samples of both runs are equal."""
        return not (self.largest or self.nodes_a or self.nodes_b)

    @property
    def first_s(self) -> float | None:
        """The instant of the first difference."""
        known = [one.time_s for one in self.first] + [*self.nodes_a.values(), *self.nodes_b.values()]
        return min(known, default=None)

    def weight(self, one: Difference) -> float:
        """Return a difference as a part of the range of its quantity, 0 to 1; 1 where a value is missing."""
        low, high = self.ranges.get(one.quantity, (0.0, 0.0))
        return min(one.amount / (high - low), 1.0) if high > low and math.isfinite(one.amount) else 1.0

    def by_weight(self, differences: Iterable[Difference]) -> list[Difference]:
        """Return differences by their weight, the greatest first; equal ones in the order of their paths."""
        return sorted(differences, key=lambda one: (-self.weight(one), one.path))


def samples_diff(a: RunReader, b: RunReader, quantities: Sequence[str], period_s: float = 0.0) -> SamplesDiff:
    """Compare quantities of nodes, which are matched by their paths.

    Args:
        a: the first run.
        b: the second one.
        quantities: names of columns that both have.
        period_s: samples of one period count as those of its start, the last of several; 0 for exact times.

    Raises:
        RunError: a run is damaged.
    """
    import polars as pl

    found = SamplesDiff()
    columns = [*_KEYS, *quantities]
    left, right = (_Feed(run.frames(columns), period_s) for run in (a, b))
    since = max(left.first, right.first)
    while left.is_open and right.is_open:
        until = min(left.last, right.last)
        ours, theirs = left.take(until), right.take(until)
        if until >= since:
            is_late = pl.col("time_s") >= since
            _compare(found, ours.filter(is_late), theirs.filter(is_late), quantities)
    return found


class _Feed:
    """Rows of a run in order of time; those of one instant, or of one period, are never parted."""

    def __init__(self, frames: Iterator[pl.DataFrame], period_s: float) -> None:
        self._period_s = period_s
        self._frames = (self._by_period(frame) for frame in frames if frame.height)
        self._next = next(self._frames, None)
        self._rows = self._parts()
        self.first = _first_s(self._rows) if self._rows is not None else math.inf

    @property
    def is_open(self) -> bool:
        """True if there are rows left."""
        return self._rows is not None

    @property
    def last(self) -> float:
        """Time of the last row at hand."""
        return _last_s(self._rows) if self._rows is not None else math.inf

    def take(self, until: float) -> pl.DataFrame:
        """Give the rows up to a time, which are at hand, and forget them."""
        import polars as pl

        rows = self._rows
        if rows is None:
            msg = "all rows were handed out"
            raise ValueError(msg)
        taken, left = rows.filter(pl.col("time_s") <= until), rows.filter(pl.col("time_s") > until)
        self._rows = left if left.height else self._parts()
        return taken

    def _by_period(self, frame: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        if not self._period_s:
            return frame
        return frame.with_columns((pl.col("time_s") / self._period_s).floor() * self._period_s)

    def _parts(self) -> pl.DataFrame | None:
        """Join the next frames, as long as they go on with the same instant; None after the last one."""
        import polars as pl

        parts: list[pl.DataFrame] = []
        while self._next is not None:
            if parts and _first_s(self._next) > _last_s(parts[-1]):
                break
            parts.append(self._next)
            self._next = next(self._frames, None)
        rows = pl.concat(parts) if parts else None
        if rows is None or not self._period_s:
            return rows
        return rows.unique(_KEYS, keep="last", maintain_order=True)


def _first_s(rows: pl.DataFrame) -> float:
    return float(str(rows["time_s"].min()))


def _last_s(rows: pl.DataFrame) -> float:
    return float(str(rows["time_s"].max()))


def _compare(found: SamplesDiff, ours: pl.DataFrame, theirs: pl.DataFrame, quantities: Sequence[str]) -> None:
    """Add the differences between rows of the same stretch of time."""
    import polars as pl

    times, other = ours.select("time_s").unique(), theirs.select("time_s").unique()
    common = times.join(other, on="time_s")
    found.only_a += times.height - common.height
    found.only_b += other.height - common.height
    if not common.height:
        return
    found.instants += common.height
    first, last = _first_s(common), _last_s(common)
    found.since_s, found.until_s = first if found.since_s is None else found.since_s, last
    ours, theirs = (rows.join(common, on="time_s", how="semi") for rows in (ours, theirs))
    _note_nodes(found.nodes_a, ours.join(theirs, on=_KEYS, how="anti"))
    _note_nodes(found.nodes_b, theirs.join(ours, on=_KEYS, how="anti"))
    both = ours.join(theirs, on=_KEYS, suffix="\0b", maintain_order="left")
    here: list[Difference] = []
    for quantity in quantities:
        a, b = pl.col(quantity).fill_null(math.nan), pl.col(f"{quantity}\0b").fill_null(math.nan)
        amount = (a - b).abs().fill_nan(math.inf)
        # Polars treats NaN as equal to NaN, so a value that is missing in both runs does not differ.
        rows = both.select(*_KEYS, a.alias("a"), b.alias("b"), amount.alias("amount")).filter(
            pl.col("a") != pl.col("b")
        )
        _note_range(found, both.select(a.alias("a"), b.alias("b")), quantity)
        if rows.height:
            here += _note_largest(found, rows, quantity)
    if here and not found.first:
        at = min(one.time_s for one in here)
        found.first = [one for one in here if one.time_s == at]


def _note_range(found: SamplesDiff, values: pl.DataFrame, quantity: str) -> None:
    import numpy as np

    known = values.to_numpy()
    known = known[np.isfinite(known)]
    if known.size:
        low, high = found.ranges.get(quantity, (math.inf, -math.inf))
        found.ranges[quantity] = min(low, float(known.min())), max(high, float(known.max()))


def _note_nodes(known: dict[str, float], rows: pl.DataFrame) -> None:
    for time_s, path in rows.select(_KEYS).unique("path", keep="first", maintain_order=True).iter_rows():
        known.setdefault(path, time_s)


def _note_largest(found: SamplesDiff, rows: pl.DataFrame, quantity: str) -> list[Difference]:
    """Keep the largest difference of each node; gives the largest of all at the first instant."""
    import polars as pl

    by_size = rows.sort("amount", descending=True, maintain_order=True)
    for time_s, path, a, b, amount in by_size.unique("path", keep="first").iter_rows():
        known = found.largest.get((quantity, path))
        if known is None or amount > known.amount:
            found.largest[quantity, path] = Difference(quantity, path, time_s, amount, a, b)
    first = rows["time_s"].min()
    time_s, path, a, b, amount = by_size.filter(pl.col("time_s") == first).row(0)
    return [Difference(quantity, path, time_s, amount, a, b)]
