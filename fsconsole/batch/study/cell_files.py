"""The folder of one cell: the contents of its files, and their integrity."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Bools, Ints, JobTable
from fsconsole.batch.measures.summary import Summary
from fsconsole.batch.months import MonthRun
from fsconsole.batch.study.spec import Cell
from fsconsole.batch.study.task import RESULTS_VERSION
from fsconsole.shares.input_files import read_json, read_limited, typed
from fsconsole.shares.stored_format import OtherProgramError, StoredFormat

SUMMARY = "summary.json"
JOBS = "jobs.parquet"
USERS = "users.parquet"
FAILURE = "failure.json"
FORMAT = StoredFormat(
    "fsconsole study cell", "the results of a cell", RESULTS_VERSION, RESULTS_VERSION, was_bare=True
)
_LATEST_S = 10**15
_SUMMARY_FIELDS = tuple(item.name for item in fields(Summary))


class Damaged(Exception):  # noqa: N818 (an answer: the cell is recomputed)
    """A cell's folder has changed since it was written."""


class OtherVersion(Damaged):
    """The results of a cell are sound, and of another version than this program computes.

    Attributes:
        version: their version; `RESULTS_VERSION` is this program's.
    """

    def __init__(self, folder: Path, version: int) -> None:
        """Take the cell's folder, and the version that its summary gives."""
        self.version = version
        super().__init__(f"{folder.name}: the results are of version {version}, not {RESULTS_VERSION}")


def packed(
    cell: Cell, run: MonthRun, jobs: JobTable, summary: Summary, users: pl.DataFrame, took_s: float
) -> dict[str, bytes]:
    """Return the files of a cell's folder by name; `jobs` is the table of the run's jobs."""
    schedule = run.schedule
    starts = pl.DataFrame(
        {
            "row": _rows_in(jobs, schedule.jobs).astype(np.uint32),
            "start_s": schedule.start_s,
            "measured": run.measured,
        }
    )
    files = {JOBS: _parquet(starts), USERS: _parquet(users)}
    record = {
        **FORMAT.header(),
        "key": cell.key,
        "cell": cell.words,
        "summary": asdict(summary),
        "took_s": took_s,
        "simulation_s": schedule.simulation_s,
        "files": {name: [len(data), _digest(data)] for name, data in files.items()},
    }
    return {**files, SUMMARY: json.dumps(record, ensure_ascii=False, indent=1).encode()}


def failure_text(cell: Cell, text: str, details: str) -> bytes:
    """Return the stored text on a failed cell."""
    return json.dumps(
        {"key": cell.key, "cell": cell.words, "failure": text, "details": details}, indent=1
    ).encode()


def read_summary(folder: Path, key: str) -> dict[str, Any]:
    """Return the contents of `summary.json`; Damaged if it is missing or incomplete, OtherVersion if it is of
    another version.
    """
    try:
        record = read_json(folder / SUMMARY)
        FORMAT.check(record, folder / SUMMARY)
        if record["key"] != key:
            msg = f"{folder.name}: {SUMMARY} is of another cell"
            raise Damaged(msg)
        # A later program may have measured more.
        record["summary"] = {name: record["summary"][name] for name in _SUMMARY_FIELDS}
        typed(Summary, record["summary"])
        if not isinstance(record["took_s"], float):
            msg = f"{folder.name}: took_s is {record['took_s']!r:.40}"
            raise Damaged(msg)
    except OtherProgramError:
        raise OtherVersion(folder, record["version"]) from None
    except (OSError, ValueError, TypeError, KeyError) as error:
        msg = f"{folder.name}: {SUMMARY} cannot be read: {error}"
        raise Damaged(msg) from None
    found: dict[str, Any] = record
    return found


def check_files(folder: Path, record: Mapping[str, Any]) -> None:
    """Raise Damaged if a file differs from the summary's digest."""
    for name, (size, digest) in record["files"].items():
        try:
            data = read_limited(folder / name)
        except OSError as error:
            msg = f"{folder.name}: {name}: {error.strerror or error}"
            raise Damaged(msg) from None
        if len(data) != size or _digest(data) != digest:
            msg = f"{folder.name}: {name} differs from its checksum"
            raise Damaged(msg)


def measured_starts(frame: pl.DataFrame, jobs: JobTable) -> tuple[Bools, JobTable, Ints]:
    """Return a mask of the measured jobs of a stored schedule, the jobs, and their starts in s, [jobs] each.

    Raises:
        ValueError: rows or starts are out of the workload's range.
    """
    row, start_s = (np.array(frame[name].to_numpy(), dtype=np.int64) for name in ("row", "start_s"))
    if len(row) and not 0 <= row.min() <= row.max() < len(jobs):
        msg = f"row is {row.min()} to {row.max()}, expected 0 to {len(jobs) - 1}"
        raise ValueError(msg)
    own = jobs.rows(row)
    if (start_s < own.submit_s).any() or start_s.max(initial=0) > _LATEST_S:
        msg = "start_s contains times before the submission of jobs, or times that are too late"
        raise ValueError(msg)
    return np.array(frame["measured"].to_numpy(), dtype=np.bool_), own, start_s


def _rows_in(whole: JobTable, part: JobTable) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the rows of a part's jobs in the whole table."""
    if len(whole) == len(part):
        return np.arange(len(part))
    order = np.argsort(whole.job_id, kind="stable")
    return order[np.searchsorted(whole.job_id, part.job_id, sorter=order)]


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
