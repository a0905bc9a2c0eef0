"""Comparison of two schedules for a page: their origin, the findings, and the change of each job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from fsconsole.batch.study.spec import Cell
from fsconsole.figures.spec import Axis, Curve, FigureSpec
from fsconsole.text.durations import duration
from fsconsole.text.numbers import MINUS, thousands

if TYPE_CHECKING:
    from fsconsole.batch.insight.differences import Totals
    from fsconsole.batch.schedule import Schedule
    from fsconsole.batch.study.folder import StudyFolder

_H = 3600
# Jobs without a shift form a class beside those between these edges.
_EDGES_S = (60, 600, _H, 6 * _H, 24 * _H, 72 * _H)
_WORDS = ("1 min", "10 min", "1 h", "6 h", "1 d", "3 d")


@dataclass(frozen=True, eq=False, slots=True)
class Compared:
    """Comparison of two schedules of the same jobs.

    Attributes:
        first, second: what they are called.
        frame: a row for each job, as `compare_schedules` has it, with `user_order` to sort users by.
        totals: counted.
        notes: what was left out of files, in words.
    """

    first: str
    second: str
    frame: pl.DataFrame
    totals: Totals
    notes: tuple[str, ...] = ()


def compared(first: Schedule, second: Schedule, notes: tuple[str, ...] = ()) -> Compared:
    """Compare two schedules; to be called in a thread."""
    from fsconsole.batch.insight.differences import compare_schedules

    found = compare_schedules(first, second)
    return Compared(first.label, second.label, with_user_order(found.frame), found.totals, notes)


def with_user_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Add a column `user_order`: numbered users by their numbers, then the others by name."""
    names = frame["user"].unique()
    numbers = names.cast(pl.Int64, strict=False)
    ordered = pl.DataFrame({"user": names, "number": numbers}).sort("number", "user", nulls_last=True)
    place = ordered.select("user").with_row_index("user_order")
    return frame.join(place, on="user", how="left", maintain_order="left")


def totals_words(found: Compared) -> str:
    """Describe the totals: `12 825 of 28 481 jobs start at another time: …`."""
    totals = found.totals
    both = totals.same + totals.earlier + totals.later
    moved = totals.earlier + totals.later
    counts = f"{thousands(totals.earlier)} earlier, {thousands(totals.later)} later"
    moved_words = f"{thousands(moved)} of {thousands(both)} jobs start at another time"
    words = [f"{moved_words} under {found.second}: {counts}"]
    farthest = [
        f"job {job} {duration(by_s)} {way}"
        for job, by_s, way in (
            (totals.most_earlier_job, totals.most_earlier_s, "earlier"),
            (totals.most_later_job, totals.most_later_s, "later"),
        )
        if job is not None
    ]
    if farthest:
        words.append(f"farthest (h:mm:ss): {', '.join(farthest)}")
    if totals.mean_shift_s is not None and moved:
        later = "later" if totals.mean_shift_s >= 0 else "earlier"
        words.append(f"on average {duration(abs(totals.mean_shift_s))} {later}")
    for count, which in ((totals.only_first, found.first), (totals.only_second, found.second)):
        if count:
            words.append(f"{thousands(count)} only in {which}")
    if totals.unlike:
        words.append(f"{thousands(totals.unlike)} with another submit time or runtime")
    return "; ".join([*words, *found.notes]) + "."


def shift_figure(found: Compared) -> FigureSpec:
    """Return a figure of the numbers of jobs that start earlier or later, in classes."""
    shift = found.frame["shift_s"].drop_nulls().to_numpy()
    earlier, later = (np.histogram(side, (1, *_EDGES_S, np.inf))[0] for side in (-shift, shift))
    kinds = ("1 s", *_WORDS)
    counts = np.concatenate([earlier[::-1], later]).astype(np.float64)
    places = np.arange(len(counts), dtype=np.float64)
    return FigureSpec(
        "shift-of-starts",
        f"Jobs by shift of their start, {found.first} to {found.second}",
        Axis("jobs"),
        (Curve("jobs", places, counts, "c2", shape="bar"),),
        Axis("start earlier or later by at least", kinds=kinds_of(kinds)),
        f"Not shown: {thousands(found.totals.same)} that start at the same time.",
        "jobs",
    )


def kinds_of(sizes: Sequence[str]) -> tuple[str, ...]:
    """Return the classes of jobs that start earlier, the largest first, then of those that start later."""
    earlier = (f"{MINUS}{size}" for size in reversed(sizes))
    return (*earlier, *(f"+{size}" for size in sizes))


def search_mask(frame: pl.DataFrame, typed: str, *, differing_only: bool) -> NDArray[np.bool_]:
    """Return rows of a job or user, or whose verdict begins so, bool [rows]; those that differ alone if
    wished.
    """
    chosen = np.ones(len(frame), dtype=np.bool_)
    if differing_only:
        chosen &= (frame["verdict"] != "same").to_numpy()
    typed = typed.strip().casefold()
    if not typed:
        return chosen
    user = typed.removeprefix("#")
    fits = pl.col("user").str.to_lowercase() == user
    if not typed.startswith("#"):
        fits |= pl.col("job_id").cast(pl.String).str.starts_with(typed)
        fits |= pl.col("verdict").str.starts_with(typed)
    found: NDArray[np.bool_] = chosen & frame.select(fits.fill_null(value=False)).to_series().to_numpy()
    return found


def trace_of(folder: StudyFolder, cell: Cell) -> Path | None:
    """Return the file that a run's jobs are from; None where they were generated or it is unknown.

    To be called in a thread; ScenarioError where the study's file is damaged.
    """
    from fsconsole.batch.study.bundled import bundled_traces
    from fsconsole.batch.study.spec import TraceWorkload

    found: dict[str, Path] = {}
    for workload in folder.spec.workloads:
        if isinstance(workload, TraceWorkload):
            bundled = bundled_traces().get(workload.trace)
            path = bundled or (folder.path / workload.trace)
            name = workload.name or (workload.trace if bundled else path.name.partition(".")[0])
            if f"{cell.workload} ".startswith(f"{name} ") and path.is_file():
                found[name] = path
    return found[max(found, key=len)] if found else None


def as_it_ran(path: Path, schedule: Schedule) -> Schedule:
    """Return the jobs of a schedule as they ran in the trace.

    Raises:
        ValueError: the trace has no waits.
    """
    from fsconsole.batch.schedule import Schedule as Made
    from fsconsole.batch.traces.read import own_schedule, read_trace

    own = own_schedule(read_trace(path, cluster_nodes=schedule.cluster_nodes))
    if own is None:
        msg = f"{path.name} does not contain waits of jobs"
        raise ValueError(msg)
    chosen = np.isin(own.jobs.job_id, schedule.jobs.job_id)
    return Made(
        own.jobs.rows(chosen),
        own.cluster_nodes,
        None,
        own.shares,
        own.start_s[chosen],
        source=own.source,
    )


def from_file(path: Path, schedule: Schedule) -> tuple[Schedule, tuple[str, ...]]:
    """Return a schedule from CSV of a schedule's jobs, and the rows left out.

    Raises:
        ValueError: the file has no schedule.
        OSError: the file cannot be read.
    """
    from fsconsole.batch.job_files import import_schedule

    read = import_schedule(path, schedule.jobs, cluster_nodes=schedule.cluster_nodes)
    return read.schedule, read.notes
