"""The index of a run folder: the spans of its chunks, tier by tier, and its gaps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from fsconsole.recording import run_format as form
from fsconsole.recording.chunk import Chunk, ChunkError, read_parquet
from fsconsole.recording.sample_writer import index_line, numbers_in
from fsconsole.recording.series import TIERS
from fsconsole.shares.input_files import parsed_json, read_limited

# A damaged line of the index raises one of these errors.
_WRONG = (KeyError, TypeError, ValueError, OverflowError)


@dataclass(frozen=True, slots=True)
class Span:
    """The extent of a chunk: tier, number, times of its first and last sample, numbers of times and nodes."""

    tier: int
    number: int
    first_s: float
    last_s: float
    count: int
    nodes: int

    @property
    def name(self) -> str:
        """Name of the file."""
        return form.chunk_name(self.number, self.tier)


@dataclass(frozen=True, slots=True)
class Gap:
    """An interval without samples, from its start up to but without its end, and the reason."""

    start_s: float
    end_s: float
    why: str


@dataclass(frozen=True, slots=True)
class RunIndex:
    """The index of a run folder.

    Attributes:
        tiers: spans by tier, in order of time; tier 0 has the samples.
        tails: numbers of the chunks that are not written yet.
        gaps: intervals without samples, in order of time.
    """

    tiers: tuple[tuple[Span, ...], ...]
    tails: tuple[int, ...] = ()
    gaps: tuple[Gap, ...] = ()
    starts: tuple[tuple[float, ...], ...] = field(default=())

    def within(self, tier: int, start_s: float, end_s: float) -> tuple[Span, ...]:
        """Return spans of a tier with times or buckets between two times, and the span before them."""
        starts = self.starts[tier]
        first, last = bisect_right(starts, start_s) - 1, bisect_right(starts, end_s)
        return self.tiers[tier][max(0, first) : last]

    def count(self, tier: int, start_s: float, end_s: float) -> float:
        """Estimate the number of samples or buckets of a tier between two times."""
        found = 0.0
        for span in self.within(tier, start_s, end_s):
            length = span.last_s - span.first_s
            common = min(end_s, span.last_s) - max(start_s, span.first_s)
            found += span.count * (1.0 if length <= 0 else max(0.0, common / length))
        return found


def read_index(path: Path) -> RunIndex:
    """Read the index of a folder, and the chunks that it lacks.

    Raises:
        OSError: the folder cannot be read.
    """
    lines = lines_of_index(path)
    there = numbers_in(path)
    spans = {(span.tier, span.number): span for span in map(_span, lines) if span is not None}
    tiers: list[list[Span]] = [[] for _ in range(TIERS)]
    gaps = [gap for gap in map(_gap, lines) if gap is not None]
    damaged: dict[int, str] = {}
    for tier, number in there:
        if not 0 <= tier < TIERS:
            continue
        span = spans.get((tier, number))
        if span is None:
            try:
                span = span_of(path, tier, number)
            except ChunkError as error:
                if not tier:
                    damaged[number] = str(error)
                continue
        tiers[tier].append(span)
    numbers = {number for tier, number in there if not tier}
    newest = max(numbers, default=0)
    lost = {number: span for (tier, number), span in spans.items() if not tier and number not in numbers}
    # A kill may leave a tail beside its chunk.
    tails = tuple(number for tier, number in there if tier < 0 and number > newest)
    gaps += _missing(tiers[0], lost, damaged)
    return index_of(tiers, tails, gaps)


def index_of(tiers: Iterable[Iterable[Span]], tails: Iterable[int], gaps: Iterable[Gap]) -> RunIndex:
    """Put spans and gaps in order."""
    ordered = tuple(tuple(sorted(spans, key=lambda span: (span.first_s, span.number))) for spans in tiers)
    starts = tuple(tuple(span.first_s for span in spans) for spans in ordered)
    return RunIndex(ordered, tuple(tails), tuple(sorted(gaps, key=lambda gap: gap.start_s)), starts)


def span_of(path: Path, tier: int, number: int) -> Span:
    """Read the index entry of a chunk from the chunk itself.

    Raises:
        ChunkError: the chunk is damaged.
    """
    chunk = read_parquet(path / form.chunk_name(number, tier), ())
    found = _span(index_line(number, tier, chunk))
    assert found is not None  # noqa: S101 (it has what a line has)
    return found


def read_span(path: Path, span: Span, names: Sequence[str]) -> Chunk:
    """Read columns of a chunk of a folder.

    Raises:
        ChunkError: the chunk is damaged or differs from its index entry.
    """
    chunk = read_parquet(path / span.name, names)
    if (chunk.times[0], chunk.ends[-1], len(chunk.times)) != (span.first_s, span.last_s, span.count):
        msg = f"{path / span.name} covers other times than {form.INDEX} lists"
        raise ChunkError(msg)
    return chunk


def gap_of(hole: tuple[float, float], before_s: float, name: str) -> Gap:
    """Return the gap of a hole in a tail; samples before the tail end at `before_s`."""
    start_s, end_s = hole
    began_s = max(after_s(max(start_s, before_s)), 0.0)
    return Gap(began_s, max(began_s, end_s), f"{name} is damaged")


def _missing(spans: list[Span], lost: Mapping[int, Span], damaged: Mapping[int, str]) -> list[Gap]:
    """Return the gaps of missing chunks, from their index entries or from the chunks beside them."""
    spans = sorted(spans, key=lambda span: span.number)
    there = [span.number for span in spans]
    known = [*there, *lost, *damaged]
    gaps: list[Gap] = []
    for first, last in _absent(there, known):
        at = bisect_right(there, first)
        span = lost.get(first)
        start_s = span.first_s if span else after_s(spans[at - 1].last_s) if at else 0.0
        end_s = spans[at].first_s if at < len(spans) else after_s(span.last_s) if span else start_s
        why = damaged.get(first, _words_of_missing(first, last))
        if gaps and gaps[-1].end_s == end_s and not span:  # It follows a gap directly, so both become one.
            gaps[-1] = Gap(gaps[-1].start_s, end_s, f"{gaps[-1].why}, {why}")
        elif end_s > start_s or first in damaged:
            gaps.append(Gap(start_s, end_s, why))
    return gaps


def _absent(there: Iterable[int], known: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield first and last of the missing numbers from 1 on: known ones one by one, others together."""
    present, expected = set(there), 1
    for number in sorted(set(known)):
        if number > expected:
            yield expected, number - 1
        if number not in present:
            yield number, number
        expected = max(expected, number + 1)


def _words_of_missing(first: int, last: int) -> str:
    if first == last:
        return f"{form.chunk_name(first)} is missing"
    return f"{form.chunk_name(first)} to {form.chunk_name(last)} are missing"


def after_s(time_s: float) -> float:
    """Return the next larger time."""
    return float(np.nextafter(time_s, np.inf))


def lines_of_index(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a folder's index, without one that a kill cut off."""
    try:
        text = read_limited(path / form.INDEX).decode("utf-8", "replace")
    except FileNotFoundError:
        return []
    found = []
    for line in text.split("\n"):
        try:
            data = parsed_json(line) if line else None
        except ValueError:  # A kill has cut it off.
            continue
        if isinstance(data, dict):
            found.append(data)
    return found


def begins_by(line: Mapping[str, Any], time_s: float) -> bool:
    """Return True if a line of the index is about an extent that begins at or before a time."""
    try:
        return _times(line)[0] <= time_s
    except _WRONG:
        return False


def _span(line: Mapping[str, Any]) -> Span | None:
    try:
        first_s, last_s = _times(line)
        found = Span(
            int(line["tier"]), int(line["number"]), first_s, last_s, int(line["count"]), int(line["nodes"])
        )
    except _WRONG:
        return None
    return found if found.number > 0 and found.count > 0 else None


def _gap(line: Mapping[str, Any]) -> Gap | None:
    try:
        return Gap(*_times(line), str(line["gap"]))
    except _WRONG:
        return None


def _times(line: Mapping[str, Any]) -> tuple[float, float]:
    first_s, last_s = float(line["first_s"]), float(line["last_s"])
    if not -np.inf < first_s <= last_s < np.inf:
        msg = f"{first_s} s to {last_s} s"
        raise ValueError(msg)
    return first_s, last_s
