"""Finished jobs in words and figures: how they ended, how much of their CPU time they used, and in all."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fsconsole.app.jobs.columns import Ints, JobColumns
from fsconsole.app.jobs.filter import Term, chosen
from fsconsole.slurm.parsers.sacct import FinishedJob
from fsconsole.text.numbers import fixed, thousands
from fsconsole.text.words import count_words

SPANS_S = {"hour": 3600.0, "day": 86400.0, "7 days": 7 * 86400.0, "30 days": 30 * 86400.0}
"""Spans of time that are offered."""

_HOUR_S = 3600.0
_SIGNALLED = 128  # A shell adds this to the number of the signal that ended a command.
# Signals of Linux, from 1 on: those of this computer may have other numbers. Source: signal(7).
_SIGNALS = (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN "
    "TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
)
_NAMES = {number: f"SIG{name}" for number, name in enumerate(_SIGNALS.split(), 1)} | {
    34: "SIGRTMIN",
    64: "SIGRTMAX",
}
_STATUS = {126: "a command cannot be run", 127: "a command was not found"}


@dataclass(frozen=True, slots=True)
class FinishedSum:
    """Totals of finished jobs.

    Attributes:
        count: number of jobs; by_state: number by Slurm's state, the most frequent first.
        allocated_s: allocated CPU seconds.
        measured_s: allocated CPU seconds of jobs with known use; used_s: CPU seconds that these used.
    """

    count: int
    by_state: tuple[tuple[str, int], ...]
    allocated_s: float
    measured_s: float
    used_s: float

    @property
    def efficiency(self) -> float:
        """CPU time used of CPU time allocated, 0 to 1; NaN where it is not known of any job."""
        return self.used_s / self.measured_s if self.measured_s > 0 else math.nan


def efficiency(one: FinishedJob) -> float:
    """Divide CPU time used by CPU time allocated, 0 to 1; NaN where either is not known or 0."""
    if one.used_s is None or one.allocated_s <= 0:
        return math.nan
    return one.used_s / one.allocated_s


def end_words(one: FinishedJob) -> str:
    """Describe the end of the job beyond its state: `exit status 3`, `killed by SIGKILL`, `cancelled
    by root`.
    """
    job = one.job
    if job.state == "CANCELLED":
        who = one.cancelled_by
        return "" if who is None else "cancelled by root" if who == 0 else f"cancelled by user number {who}"
    if job.state == "TIMEOUT":
        return "reached its time limit"
    if job.state == "OUT_OF_MEMORY":
        return "used more memory than allocated"
    if job.state == "NODE_FAIL":
        return "a node of it failed"
    if job.state == "PREEMPTED":
        return "was preempted by another job"
    words = exit_words(job.exit_code)
    if not words and one.step_exit_code is not None and any(one.step_exit_code):
        return f"a step: {exit_words(one.step_exit_code)}"
    return words


def exit_words(code: tuple[int, int] | None) -> str:
    """Return an exit status and signal in words; empty if unknown or successful."""
    if code is None or not any(code):
        return ""
    status, by = code
    if by:
        return f"killed by {signal_name(by)}"
    if status in _STATUS:
        return f"exit status {status}: {_STATUS[status]}"
    if _SIGNALLED < status <= _SIGNALLED + max(_NAMES):
        return f"exit status {status}: signal {signal_name(status - _SIGNALLED)} killed a command"
    return f"exit status {status}"


def signal_name(number: int) -> str:
    """Return the Linux name of a signal, or its number if unknown."""
    return _NAMES.get(number, f"signal {number}")


def columns_of_finished(jobs: Sequence[FinishedJob], now_s: float) -> JobColumns:
    """Return the jobs as the columns that filters look at; they have no association and no fairshare."""
    count = len(jobs)
    plain = tuple(one.job for one in jobs)
    return JobColumns(plain, now_s, np.full(count, -1, np.int64), np.full(count, np.nan))


@dataclass(frozen=True, eq=False, slots=True)
class ArrangedJobs:
    """Finished jobs that match a filter, in the requested order.

    Attributes:
        ids: number of each job; sum: totals of the jobs.
    """

    jobs: tuple[FinishedJob, ...]
    ids: list[int]
    sum: FinishedSum


@dataclass(frozen=True, eq=False, slots=True)
class Arranger:
    """Finds and orders finished jobs, 100,000 of them in some 0.1 s: so for a thread.

    Attributes:
        jobs: all of them; columns: the same.
    """

    jobs: tuple[FinishedJob, ...]
    columns: JobColumns
    _orders: dict[object, Ints] = field(default_factory=dict)

    @classmethod
    def of(cls, jobs: tuple[FinishedJob, ...], now_s: float) -> Arranger:
        """Compute all that a search looks at."""
        columns = columns_of_finished(jobs, now_s)
        while columns.warm_up():
            pass
        return cls(jobs, columns)

    def arranged(
        self,
        terms: tuple[Term, ...],
        by: Callable[[FinishedJob], Any] | None = None,
        *,
        is_down: bool = False,
    ) -> ArrangedJobs:
        """Return jobs that match all terms, sorted by a value of each job; unsorted if `by` is None."""
        places = np.arange(len(self.jobs)) if by is None else self._order(by, is_down=is_down)
        if terms and self.jobs:
            places = places[chosen(self.columns, terms)[places]]
        jobs = tuple(self.jobs[place] for place in places.tolist())
        return ArrangedJobs(jobs, self.columns.ids[places].tolist(), sum_of(jobs))

    def _order(self, by: Callable[[FinishedJob], Any], *, is_down: bool) -> Ints:
        """Return places in order; equal ones stay as given. Numpy sorts without holding up other threads."""
        if by not in self._orders:
            values = [by(one) for one in self.jobs]
            rank = {value: number for number, value in enumerate(sorted(set(values)))}
            self._orders[by] = np.fromiter((rank[value] for value in values), np.int64, len(values))
        ranks = self._orders[by]
        return np.argsort(-ranks if is_down else ranks, kind="stable")


def found(
    jobs: Sequence[FinishedJob], terms: tuple[Term, ...], columns: JobColumns
) -> tuple[FinishedJob, ...]:
    """Return jobs that all terms hold for; `columns` are those of `jobs`."""
    if not terms or not jobs:
        return tuple(jobs)
    holds = chosen(columns, terms)
    return tuple(one for one, is_found in zip(jobs, holds, strict=True) if is_found)


def sum_of(jobs: Sequence[FinishedJob]) -> FinishedSum:
    """Return the totals of the jobs."""
    measured = [one for one in jobs if one.used_s is not None]
    return FinishedSum(
        count=len(jobs),
        by_state=tuple(Counter(_state(one) for one in jobs).most_common()),
        allocated_s=float(sum(one.allocated_s for one in jobs)),
        measured_s=float(sum(one.allocated_s for one in measured)),
        used_s=sum(one.used_s or 0.0 for one in measured),
    )


def sum_words(of: FinishedSum, span: str, until: str = "") -> str:
    """Describe the sum, such as `12 jobs ended in the last day: 9 completed, 3 failed.` and the CPU used.

    With `until`, a moment, `in 1 d until 25 Nov 18:00`.
    """
    when = f"in {span} until {until}" if until else f"in the last {span}"
    if not of.count:
        return f"No job ended {when}."
    states = ", ".join(f"{thousands(count)} {words}" for words, count in of.by_state)
    in_hours = of.allocated_s >= _HOUR_S
    hours = (
        f"{fixed(of.allocated_s / _HOUR_S, 1)} CPU hours" if in_hours else f"{of.allocated_s:.0f} CPU seconds"
    )
    used = f"had {hours}" if math.isnan(of.efficiency) else f"used {of.efficiency:.0%} of {hours}"
    subject = "It" if of.count == 1 else "They"
    return f"{count_words(of.count, 'job')} ended {when}: {states}. {subject} {used}."


def _state(one: FinishedJob) -> str:
    return one.job.state.lower().replace("_", " ")
