"""Schedules as files: a line for each job, `job_id,submit,start,end`, whole seconds of the trace."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Bools, JobTable
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.traces.content import content_of, workload_name
from fsconsole.shares.files import write_atomic
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed

COLUMNS = ("job_id", "submit", "start", "end")
_MOST_LISTED = 5
_LARGEST = 10**15  # Starts may be long after a trace's last time, but must be exact as floats.


def jobs_csv(schedule: Schedule, chosen: Bools | None = None) -> str:
    """Return the text of a schedule in the order of arrival; only the chosen jobs, bool [jobs], if given."""
    columns = (schedule.jobs.job_id, schedule.jobs.submit_s, schedule.start_s, schedule.end_s)
    frame = pl.DataFrame(dict(zip(COLUMNS, columns, strict=True)))
    return (frame if chosen is None else frame.filter(chosen)).write_csv()


def write_schedule(schedule: Schedule, path: Path, chosen: Bools | None = None) -> None:
    """Write the CSV of a schedule to a file atomically, gzipped if the name ends so.

    Args:
        schedule: the schedule; its jobs are written in the order of arrival.
        path: the file, which is replaced.
        chosen: jobs to write, bool [jobs]; all if None.

    Raises:
        OSError: the file cannot be written.
    """
    data = jobs_csv(schedule, chosen).encode()
    write_atomic(path, gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


@dataclass(frozen=True, eq=False, slots=True)
class ReadSchedule:
    """A schedule from a file.

    Attributes:
        schedule: schedule of the jobs that are in both workload and file.
        notes: jobs left out and differences from the workload, in words.
    """

    schedule: Schedule
    notes: tuple[str, ...]


def import_schedule(path: Path, jobs: JobTable, *, cluster_nodes: int | None = None) -> ReadSchedule:
    """Read imported starts of a workload's jobs from CSV with `job_id` and `start`, also gzipped.

    Runtimes are the workload's. Different submit times or ends in the file are noted but ignored; so are jobs
    that are missing from one of the two.

    Args:
        path: the file.
        jobs: the workload.
        cluster_nodes: nodes of the machine; by default the workload's number, or else its largest job's.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is not such a file, has no job of the workload or one twice, or a job starts before it
            is submitted; the message has the line.
    """
    frame = rows_of(path)
    place = pl.DataFrame({"job_id": jobs.job_id, "row": np.arange(len(jobs))})
    found = frame.join(place, on="job_id", how="inner").sort("row")
    if not len(found):
        msg = (
            f"{path}: none of its {thousands(len(frame))} jobs is among the {thousands(len(jobs))} of the "
            "workload"
        )
        raise ValueError(msg)
    known = jobs.rows(found["row"].to_numpy())
    start_s = found["start"].to_numpy()
    early = np.flatnonzero(start_s < known.submit_s)
    if len(early):
        line, job, submit = (
            column[int(early[0])] for column in (found["line"], known.job_id, known.submit_s)
        )
        msg = f"{path}:{line}: job {job} starts before its submission at {submit} s"
        raise ValueError(msg)
    nodes = cluster_nodes or jobs.cluster_nodes or int(jobs.nodes.max())
    source = workload_name(str(path))
    schedule = Schedule(known, nodes, None, np.ones(len(jobs.users)), start_s, source=source)
    return ReadSchedule(schedule, tuple(_notes(frame, found, jobs, schedule)))


def rows_of(path: Path) -> pl.DataFrame:
    """Return the columns among COLUMNS that a file has, and each job's line; no workload is needed.

    Raises:
        OSError: as for `import_schedule`.
        ValueError: as for `import_schedule`.
    """
    text = content_of(path)
    try:
        frame = pl.read_csv(text, infer_schema=False, truncate_ragged_lines=True)
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        msg = f"{path}: not a schedule. It must be CSV with the columns {', '.join(COLUMNS)} ({error})"
        raise ValueError(msg) from None
    missing = {"job_id", "start"} - {*frame.columns}
    if missing:
        msg = f"{path}:1: missing column {listed(sorted(missing))}. A schedule has {', '.join(COLUMNS)}"
        raise ValueError(msg)
    frame = frame.select(name for name in COLUMNS if name in frame.columns)
    frame = frame.with_columns(line=np.arange(len(frame), dtype=np.int64) + 2)
    numbers = frame.with_columns(pl.col(name).cast(pl.Float64, strict=False) for name in frame.columns)
    for name in frame.columns[:-1]:
        _check_whole(numbers[name], frame[name], name, path)
    whole = numbers.cast(pl.Int64)
    again = whole.filter(~pl.col("job_id").is_first_distinct())
    if len(again):
        msg = f"{path}:{again['line'][0]}: job {again['job_id'][0]} occurs twice"
        raise ValueError(msg)
    return whole


def _check_whole(numbers: pl.Series, texts: pl.Series, name: str, path: Path) -> None:
    """Raise ValueError for the first value that is not a whole number."""
    is_whole = (numbers.is_finite() & (numbers == numbers.floor()) & (numbers.abs() <= _LARGEST)).fill_null(
        value=False
    )
    if is_whole.all():
        return
    row = int((~is_whole).arg_true()[0])
    msg = f"{path}:{row + 2}: {name} is {texts[row]!r}. It must be a whole number"
    raise ValueError(msg)


def _notes(frame: pl.DataFrame, found: pl.DataFrame, jobs: JobTable, schedule: Schedule) -> Iterator[str]:
    """Yield notes on jobs left out and on differences."""
    others = frame.filter(~pl.col("job_id").is_in(found["job_id"].implode()))["job_id"].to_list()
    if others:
        count = count_words(len(others), "job")
        yield f"{count} of the file left out, because the workload does not have them: {_first(others)}"
    missing = np.setdiff1d(jobs.job_id, schedule.jobs.job_id, assume_unique=True).tolist()
    if missing:
        yield f"{count_words(len(missing), 'job')} of the workload missing from the file: {_first(missing)}"
    for name, ours in (("submit", schedule.jobs.submit_s), ("end", schedule.end_s)):
        if name in found.columns:
            differing = schedule.jobs.job_id[found[name].to_numpy() != ours].tolist()
            if differing:
                count = count_words(len(differing), "job")
                yield f"{count} with another {name} in the file: {_first(differing)}"


def _first(ids: list[int]) -> str:
    more = ", …" if len(ids) > _MOST_LISTED else ""
    return ", ".join(map(str, ids[:_MOST_LISTED])) + more
