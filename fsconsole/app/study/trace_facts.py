"""What a trace has, in a sentence, for those who choose one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fsconsole.batch.months import months_of
from fsconsole.batch.study.bundled import bundled_traces
from fsconsole.batch.traces.read import read_trace
from fsconsole.text.numbers import thousands

_SHOWN_MONTHS = 2


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """A trace as a whole.

    Attributes:
        name: its file's name.
        jobs: how many can be simulated.
        users: how many people they are of.
        months: names of the months that it has.
        procs: processors of its machine; None where its header does not name them.
        largest: processors of its largest job.
    """

    name: str
    jobs: int
    users: int
    months: tuple[str, ...]
    procs: int | None
    largest: int

    @property
    def words(self) -> str:
        """Jobs, users, span and processors."""
        ends = dict.fromkeys((self.months[0], self.months[-1])) if self.months else {}
        procs = "processors not named" if self.procs is None else f"{thousands(self.procs)} processors"
        counts = f"{thousands(self.jobs)} jobs, {thousands(self.users)} users"
        return ", ".join(filter(None, (counts, " to ".join(ends), procs)))

    @property
    def example(self) -> str:
        """Months of this trace as they can be typed; empty where they have no names of one word."""
        return " ".join(month for month in self.months[:_SHOWN_MONTHS] if " " not in month)

    @property
    def missing_procs(self) -> str:
        """What to do where nobody knows the processors; empty where the header names them."""
        if self.procs is not None:
            return ""
        return f"{self.name} does not name its processors. Enter them, at least {self.largest:,}."


def trace_path(trace: str) -> Path:
    """The file of a bundled trace by its name, or of one by its path."""
    return bundled_traces().get(trace) or Path(trace)


def trace_facts(trace: str) -> TraceFacts:
    """Read a trace; OSError or TraceError where it cannot be."""
    path = trace_path(trace)
    found = read_trace(path)
    jobs = found.jobs
    months = tuple(month.name for month in months_of(jobs))
    return TraceFacts(
        path.name, len(jobs), len(jobs.users), months, found.cluster_nodes, int(jobs.nodes.max())
    )
