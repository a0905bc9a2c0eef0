"""The record of earlier runs, and what is held against it."""

from __future__ import annotations

import csv
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import Value

RECORD = Path(__file__).with_name("record.csv")
LIMIT = 1.3
NEWEST = 10
_COLUMNS = ("benchmark", "date", "commit", "unit", "value")


def read_record(path: Path = RECORD) -> dict[tuple[str, str], list[float]]:
    """Return the recorded values, oldest first, by benchmark and unit."""
    found = defaultdict(list)
    if path.is_file():
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                found[row["benchmark"], row["unit"]].append(float(row["value"]))
    return dict(found)


def usual(record: Mapping[tuple[str, str], list[float]], value: Value) -> float | None:
    """Return the median of the newest records of a benchmark; None without any."""
    earlier = record.get((value.name, value.unit), [])[-NEWEST:]
    return median(earlier) if earlier else None


def times_usual(record: Mapping[tuple[str, str], list[float]], value: Value) -> float | None:
    """Return a value as a multiple of the usual one; None without a record."""
    known = usual(record, value)
    return None if known is None else value.value / known


def append(path: Path, values: Iterable[Value], checkout: Path) -> None:
    """Append values with the date and the commit of the checkout."""
    command = ("git", "describe", "--always", "--dirty", "--exclude", "*")
    commit = subprocess.run(command, cwd=checkout, check=True, capture_output=True, text=True).stdout.strip()
    is_new = not path.exists() or not path.stat().st_size
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        if is_new:
            writer.writerow(_COLUMNS)
        for one in values:
            writer.writerow((one.name, date.today().isoformat(), commit, one.unit, f"{one.value:.4g}"))  # noqa: DTZ011
