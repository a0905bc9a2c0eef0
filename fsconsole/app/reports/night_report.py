"""The report of a near-dedicated night: jobs, use of the machine, efficiency (Brady et al. Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.app.reports.document import Figure, Report, Section, Table, provenance, to_redo
from fsconsole.app.reports.in_words import seen
from fsconsole.figures.spec import Axis, Curve, FigureSpec, Floats
from fsconsole.neardedicated.times import clock, moment
from fsconsole.shares.quoting import quoted
from fsconsole.text.durations import duration
from fsconsole.text.numbers import UNKNOWN, fixed, percent
from fsconsole.text.words import capitalised, count_words, listed

if TYPE_CHECKING:
    from fsconsole.neardedicated.view import ReportView, UseRow

_HOURS = Axis("time since the window began", "h", 1 / 3600, "s")
_PERCENT = Axis("share of all CPU time", "%", 100.0, "fraction", (0.0, 100.0))


def night_report(
    night: ReportView,
    start: datetime,
    *,
    required_efficiency: float,
    scenario: str = "",
    facts: dict[str, object] | None = None,
    again: Section | None = None,
) -> Report:
    """Report on a night.

    Args:
        night: jobs that ended and lines of use.
        start: the date of the machine's 0.
        required_efficiency: fraction that operators require of a job.
        scenario: what the machine is called.
        facts: where it comes from.
        again: how it is made again, as `night_again` says.
    """
    begun = f"{moment(start, night.start_s):%A %d %B %Y, %H:%M}"
    ended = "still open" if night.end_s is None else f"to {clock(start, night.end_s)}"
    return Report(
        f"Near-dedicated night of {begun}",
        "Near-dedicated performance report",
        tuple(_findings(night, required_efficiency, f"{begun}, {ended}")),
        (
            Section("Figures", figures=tuple(_figures(night))),
            Section("Jobs and use", tables=(_jobs(night, start), _use(night, start))),
            provenance({"Scenario": scenario, **(facts or {})}),
            *([again] if again is not None else []),
        ),
    )


def night_again(
    source: str, at_s: float | None, *, last: bool = False, files: Sequence[tuple[str, str]] = ()
) -> Section:
    """Return the commands that make the report of a night again.

    Args:
        source: file name of the scenario, or of the run folder.
        at_s: the machine's time of the report, seconds; the end of the run if None.
        last: whether it is of the night before.
        files: names and texts of the files that the command reads.
    """
    at = [] if at_s is None else ["--at", f"{at_s:.10g}s"]
    words = ["fsconsole", "nd", "report", source, *at, *["--last"] * last, "--out", "report.pdf"]
    return to_redo((" ".join(map(quoted, words)),), files)


def _findings(night: ReportView, required: float, when: str) -> Iterator[str]:
    yield f"Window: {when}."
    rate = f", at {fixed(night.mflops)} Mflop/s on average" if night.mflops else ""
    yield (
        f"The machine was {percent(night.user, 1)} user, {percent(night.system, 1)} system and "
        f"{percent(night.idle, 1)} idle{rate}."
    )
    jobs = night.jobs
    if not jobs:
        yield "No near-dedicated job ended."
        return
    measured = [row.efficiency for row in jobs if row.efficiency is not None]
    mean = f", mean efficiency {percent(fmean(measured), 1)}" if measured else ""
    yield (
        f"{count_words(len(jobs), 'near-dedicated job')} ended{mean}, mean wall time "
        f"{duration(fmean(row.wall_s for row in jobs))}, of which "
        f"{duration(fmean(row.setup_s for row in jobs))} setup."
    )
    poor = [row for row in jobs if row.efficiency is not None and row.efficiency < required]
    if poor:
        named = [f"{row.name or row.request} ({percent(row.efficiency, 1)})" for row in poor]
        yield f"Below the {percent(required, 0)} that is required: {listed(named)}."
    for how in dict.fromkeys(row.how for row in jobs if row.how != "ended"):
        named = [row.name or str(row.request) for row in jobs if row.how == how]
        yield f"{capitalised(how)}: {listed(named)}."
    swaps = sum(row.swaps for row in jobs)
    if swaps:
        lost = sum(row.swap_s for row in jobs)
        yield f"{count_words(swaps, 'swap')} of these jobs took {fixed(lost)} s in total."


def _figures(night: ReportView) -> Iterator[Figure]:
    if not night.use:
        return
    since_s = np.array([row.time_s - night.start_s for row in night.use])

    def of(name: str) -> Floats:
        values = [getattr(row, name) for row in night.use]
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

    used = FigureSpec(
        "use", "Use of the machine", _PERCENT,
        tuple(Curve(name, since_s, of(name), colour) for name, colour in
              (("user", "c2"), ("system", "c4"), ("idle", "g2"))),
        _HOURS, quantity="cpu",
    )  # fmt: skip
    efficiency = FigureSpec(
        "efficiency", "Efficiency of the near-dedicated job, without its preparation",
        Axis("efficiency", "%", 100.0, "fraction", (0.0, 100.0)),
        (Curve("efficiency", since_s, of("efficiency"), "c8"),), _HOURS, quantity="efficiency",
    )  # fmt: skip
    rate = FigureSpec(
        "mflops", "Rate of the machine", Axis("rate", "Mflop/s", 1.0, "Mflop/s"),
        (Curve("machine", since_s, of("mflops"), "c5"),), _HOURS, quantity="mflops",
    )  # fmt: skip
    has_rate = any(row.mflops for row in night.use)  # A scenario may have no jobs that count operations.
    for spec in (used, efficiency, *[rate] * has_rate):
        yield Figure(spec, seen(spec), 70.0)


def _jobs(night: ReportView, start: datetime) -> Table:
    rows = tuple(
        (
            row.name or str(row.request),
            row.person,
            row.how,
            clock(start, row.start_s),
            duration(row.wall_s),
            duration(row.setup_s),
            UNKNOWN if row.efficiency is None else fixed(100 * row.efficiency, 1),
            str(row.swaps),
            fixed(row.swap_s),
            fixed(row.most_memory_mw, 1),
            fixed(row.most_sds_mw, 1),
        )
        for row in night.jobs
    )
    headers = (
        "Job", "User", "State at the end", "Start", "Wall", "Setup", "Efficiency, %", "Swaps", "Swap, s",
        "Memory, MW", "SDS, MW",
    )  # fmt: skip
    return Table("Near-dedicated jobs that ended", headers, rows, "" if rows else "No job has ended.", 3)


def _use(night: ReportView, start: datetime) -> Table:
    def line(row: UseRow) -> tuple[str, ...]:
        parts = (row.user, row.system, row.idle)
        return (
            clock(start, row.time_s),
            *(fixed(100 * part) for part in parts),
            fixed(row.mflops),
            row.person or UNKNOWN,
            UNKNOWN if row.efficiency is None else fixed(100 * row.efficiency, 1),
            fixed(row.memory_mw, 1),
            str(row.swaps),
        )

    headers = (
        "Until", "User, %", "System, %", "Idle, %", "Mflop/s", "Job of", "Efficiency, %", "Memory, MW",
        "Swaps",
    )  # fmt: skip
    return Table("Use of the machine by interval", headers, tuple(map(line, night.use)))
