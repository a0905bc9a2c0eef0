"""The performance report, in the layout of Brady et al. Figure 3, and as CSV."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from statistics import fmean
from typing import Literal

from fsconsole.neardedicated.times import clock, moment
from fsconsole.neardedicated.view import JobRow, ReportView, UseRow
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.text.csv_text import csv_of_rows
from fsconsole.text.durations import duration, short_duration

Table = Literal["jobs", "use"]
TABLES: tuple[Table, ...] = ("jobs", "use")

_RULE = "=" * 75
# Only the order of the paper's columns is known, so we chose these widths.
_JOB_HEAD = "  User      Start      Wall  Setup   Eff  Sbrk  Swap  SwpTm  MxMem  MxSDS  ExSt"
_JOB_LINE = "  {:<8}  {:>5}  {:>8}  {:>5}  {:>4}  {:>4}  {:>4}  {:>5}  {:>5}  {:>5}  {:>4}"
_USE_TITLE = "                System Usage                       Job Profile"
_USE_HEAD = "  Time      Usr  Sys  Idl   Mflp      User       Eff   Mem     SDS  Sbrk  Swaps"
_USE_LINE = "  {:<5}    {:>4} {:>4} {:>4}  {:>5}      {:<8}  {:>4}  {:>4}  {:>6}  {:>4}  {:>5}"
_IN_SETUP = "-1.0"


def report_text(report: ReportView, start: datetime) -> str:
    """Return the report of a night; `start` is the date of the machine's 0.

    Efficiency is -1.0 while a job prepares; SDS is in clicks of 512 words in the profile and in MW in the
    summary, as on paper.
    """
    lines = [_RULE, _title(report, start), _RULE, "Job Summary:", _JOB_HEAD, "  " + "-" * 77]
    lines += [_job_line(row, start) for row in report.jobs] or ["  no job has ended"]
    if report.jobs:
        lines.append(_average_line(report.jobs))
    lines += ["", "System Utilization:"]
    lines += _utilization(report)
    lines += ["", _USE_TITLE, "", _USE_HEAD, "  " + "-" * 77]
    lines += [_use_line(row, start) for row in report.use]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def report_csv(report: ReportView, start: datetime, table: Table = "jobs") -> str:
    """Return one table of the report as CSV: a line for each ended job, or for each interval of use.

    Column names contain units; `mw` are megawords, `start` and `end` are dates of the machine's clock.
    """
    columns = _COLUMNS[table]
    rows = report.jobs if table == "jobs" else report.use
    cells = ([_cell(row, name, start) for name in columns.values()] for row in rows)
    return csv_of_rows([list(columns), *cells])


# Each column has its title and its attribute.
_COLUMNS: dict[Table, dict[str, str]] = {
    "jobs": {
        "request": "request",
        "user": "person",
        "name": "name",
        "start": "start_s",
        "wall_s": "wall_s",
        "setup_s": "setup_s",
        "efficiency_fraction": "efficiency",
        "sbrk_count": "sbrk",
        "swap_count": "swaps",
        "swap_s": "swap_s",
        "sds_wait_s": "sds_wait_s",
        "max_memory_mw": "most_memory_mw",
        "max_sds_mw": "most_sds_mw",
        "cpu_s": "cpu_s",
        "exit_status": "exit_status",
        "how": "how",
    },
    "use": {
        "end": "time_s",
        "cpu_user_fraction": "user",
        "cpu_system_fraction": "system",
        "cpu_idle_fraction": "idle",
        "mflop_per_s": "mflops",
        "job_user": "person",
        "job_efficiency_fraction": "efficiency",
        "job_memory_mw": "memory_mw",
        "job_sds_mw": "sds_clicks",
        "job_sbrk_count": "sbrk",
        "job_swap_count": "swaps",
    },
}
_DIGITS = 6


def _cell(row: JobRow | UseRow, name: str, start: datetime) -> str:
    value = getattr(row, name)
    if name in ("start_s", "time_s"):
        return moment(start, value).isoformat(sep=" ")
    if name == "sds_clicks":
        value /= CLICKS_PER_MW
    if value is None:
        return ""
    return _plain(value) if isinstance(value, float) else str(value)


def _plain(value: float) -> str:
    """Return a number without an exponent and without rounding errors."""
    return f"{round(value, _DIGITS) + 0.0:.{_DIGITS}f}".rstrip("0").rstrip(".")


def _title(report: ReportView, start: datetime) -> str:
    when = f"{moment(start, report.start_s):%a %b %d %H:%M:%S %Y}"
    return f"Near Dedicated Performance Report{when:>{len(_RULE) - 33}}"


def _job_line(row: JobRow, start: datetime) -> str:
    return _JOB_LINE.format(
        row.person[:8], clock(start, row.start_s), *_figures([row]), row.exit_status or ""
    )


def _average_line(rows: Sequence[JobRow]) -> str:
    return _JOB_LINE.format("Average", "", *_figures(rows), "")


def _figures(rows: Sequence[JobRow]) -> tuple[str, ...]:
    """Return the columns from Wall to MxSDS, each as the mean of the rows."""

    def mean(of: Callable[[JobRow], float]) -> float:
        return fmean(of(row) for row in rows)

    measured = [row.efficiency for row in rows if row.efficiency is not None]
    return (
        duration(mean(lambda row: row.wall_s)),
        short_duration(mean(lambda row: row.setup_s)),
        f"{100 * fmean(measured):.1f}" if measured else _IN_SETUP,
        # Means of counts are cut as in the paper, which has 1 for 1, 3 and 1.
        str(int(mean(lambda row: row.sbrk))),
        str(int(mean(lambda row: row.swaps))),
        f"{mean(lambda row: row.swap_s):.0f}",
        f"{mean(lambda row: row.most_memory_mw):.1f}",
        f"{mean(lambda row: row.most_sds_mw):.1f}",
    )


def _utilization(report: ReportView) -> list[str]:
    if not report.user + report.system + report.idle:  # The window opens at this tick.
        return ["  no time has passed"]
    names = ("User", "System", "Idle")
    return [f"  {name:<8}{part:>4}" for name, part in zip(names, _percents(report), strict=True)]


def _use_line(row: UseRow, start: datetime) -> str:
    system = (*_percents(row), f"{row.mflops:.0f}")
    if not row.person:
        return _USE_LINE.format(clock(start, row.time_s), *system, "", "", "", "", "", "")
    efficiency = _IN_SETUP if row.efficiency is None else f"{100 * row.efficiency:.1f}"
    job = (row.person[:8], efficiency, f"{row.memory_mw:.1f}", row.sds_clicks, row.sbrk, row.swaps)
    return _USE_LINE.format(clock(start, row.time_s), *system, *job)


def _percents(parts: UseRow | ReportView) -> tuple[int, int, int]:
    """Return user, system and idle in whole percent; idle is 100 minus the others."""
    user, system = round(100 * parts.user), round(100 * parts.system)
    return user, system, max(0, 100 - user - system)
