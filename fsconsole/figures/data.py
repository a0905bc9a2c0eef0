"""The data of a figure as CSV and Parquet: recorded values in full precision, with units in the header."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from fsconsole.figures.spec import Curve, FigureSpec, Floats
from fsconsole.text.csv_text import csv_cell, tsv_cell

Column = tuple[str, Floats]
TextColumn = tuple[str, list[str]]
_BLOCK_ROWS = 256
_DIGITS = 7


def columns_of(
    spec: FigureSpec, x_range: tuple[float, float] | None = None, *, with_edges: bool = False
) -> list[Column]:
    """Return the time and one column per curve at all recorded times, NaN where a curve has no value.

    Headers read `time_s` and `PATH QUANTITY [UNIT]`. `with_edges` appends the ends of bands and whiskers, two
    columns each, in the order of the curves.
    """
    drawn = [(part, curve) for part in spec.parts for curve in part.curves]
    if x_range:
        drawn = [(part, _between(curve, *x_range)) for part, curve in drawn]
    places = {id(curve.x): curve.x for _, curve in drawn}  # Most curves share their x.
    times = np.unique(np.concatenate(list(places.values()))) if places else np.empty(0)
    first = f"{spec.x_axis.title}_{spec.x_axis.data_unit or spec.x_axis.unit}".rstrip("_")
    result: list[Column] = [(first, times)]
    if with_edges:
        drawn += [(part, edge) for part, curve in drawn for edge in edges_of(curve)]
    for part, curve in drawn:
        unit, what = part.y_axis.data_unit or part.y_axis.unit, part.quantity or part.y_axis.title
        values = curve.y
        if len(curve.x) != len(times) or (curve.x != times).any():
            values = np.full(len(times), np.nan)
            values[np.searchsorted(times, curve.x)] = curve.y
        name = " ".join(word for word in (curve.path or curve.name, what) if word)
        result.append((f"{name} [{unit}]" if unit else name, values))
    return _with_unique_names(result)


def edges_of(curve: Curve) -> Iterator[Curve]:
    """Yield the ends of a curve's band and of its whiskers as curves, named after it."""
    for what, ends in (("", curve.band), ("whisker ", curve.whiskers)):
        for side, values in zip(("low", "high"), ends, strict=False):
            yield Curve(f"{curve.path or curve.name} {what}{side}", curve.x, values)


def in_shown_units(spec: FigureSpec) -> FigureSpec:
    """Return a figure with its values in the units of its axes, rounded to seven digits."""
    axis = spec.y_axis
    return replace(
        spec,
        curves=tuple(replace(one, y=rounded(one.y * axis.scale), path="") for one in spec.curves),
        y_axis=replace(axis, scale=1.0, data_unit=axis.unit),
        below=tuple(map(in_shown_units, spec.below)),
    )


def rounded(values: Floats) -> Floats:
    """Return values, float64 [places], rounded to the digits that are written."""
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values])


def with_kinds(columns: Sequence[Column], kinds: Sequence[str]) -> list[TextColumn | Column]:
    """Return the columns of a figure; if its x axis has names, they replace the first column."""
    if not kinds or not columns:
        return list(columns)
    (title, places), *others = columns
    return [(title, [kinds[int(place)] for place in places]), *others]


def _between(curve: Curve, low: float, high: float) -> Curve:
    kept = (curve.x >= low) & (curve.x <= high)
    band, whiskers = (tuple(end[kept] for end in ends) for ends in (curve.band, curve.whiskers))
    return Curve(
        curve.name, curve.x[kept], curve.y[kept], path=curve.path,
        band=band, whiskers=whiskers,  # type: ignore[arg-type] # two or none, as before
    )  # fmt: skip


def _with_unique_names(columns: list[Column]) -> list[Column]:
    seen: dict[str, int] = {}
    result = []
    for name, values in columns:
        seen[name] = seen.get(name, 0) + 1
        result.append((name if seen[name] == 1 else f"{name} ({seen[name]})", values))
    return result


def csv_blocks(columns: Sequence[Column | TextColumn]) -> Iterator[bytes]:
    """Yield CSV in UTF-8 after RFC 4180, some rows at a time: a dot for decimals, empty cells for NaN."""
    yield _block([",".join(_quoted(csv_cell(name)) for name, _ in columns)])
    height = len(columns[0][1]) if columns else 0
    for at in range(0, height, _BLOCK_ROWS):
        parts = [values[at : at + _BLOCK_ROWS] for _, values in columns]
        lists = [part if isinstance(part, list) else part.tolist() for part in parts]
        yield _block(",".join(_cell(value) for value in row) for row in zip(*lists, strict=True))


def tsv_text(columns: Sequence[Column | TextColumn]) -> str:
    """Return tab-separated lines for the clipboard: a dot for decimals, empty cells for NaN."""
    texts = [
        values if isinstance(values, list) else ["" if one != one else repr(one) for one in values.tolist()]
        for _, values in columns
    ]
    lines = [[name for name, _ in columns], *zip(*texts, strict=True)]
    return "".join("\t".join(map(tsv_cell, line)) + "\n" for line in lines)


def _block(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\r\n" for line in lines).encode()


def _quoted(text: str) -> str:
    if any(char in text for char in ',"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _cell(value: float | str) -> str:
    if isinstance(value, str):
        return _quoted(csv_cell(value))
    return "" if value != value else repr(value)


def parquet_bytes(columns: Sequence[Column | TextColumn], metadata: dict[str, str] | None = None) -> bytes:
    """Return Parquet with the same columns: NaN as null, metadata as key-value pairs of the file."""
    import polars as pl

    frame = pl.DataFrame({name: pl.Series(values, nan_to_null=True) for name, values in columns})
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata=metadata)
    return buffer.getvalue()
