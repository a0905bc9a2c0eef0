"""The trace on which Vasupongayya's findings are re-tested, and policies run on months or on all of it.

Imports tables and engines, so it is imported when an experiment is run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.measures.policy_runs import PolicyRun
from fsconsole.batch.measures.summary import Summary, summarise
from fsconsole.batch.measures.users import user_table
from fsconsole.batch.months import MonthRun, Period, months_of, simulate_month
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.batch.simulate import simulate
from fsconsole.batch.traces.read import read_trace
from fsconsole.experiments.measure import Steps
from fsconsole.figures.spec import FigureSpec, Provenance
from fsconsole.figures.study_numbers import StudyNumbers
from fsconsole.resources import resource

TRACE = "KTH-SP2-1996-2"
NODES = 100
WHOLE = "whole trace"

FCFS, LXF, DAILY = BatchPolicy("fcfs"), BatchPolicy("lxf"), BatchPolicy("relshare")
WITHOUT = BatchPolicy("relshare", expected_usage=False)

_THANKS = (
    "The KTH SP2 workload log was graciously provided by Lars Malinowsky through the Parallel Workloads "
    "Archive; conversion to the Standard Workload Format: Dror Feitelson. See D. Feitelson, D. Tsafrir, "
    "D. Krakov, Experience with using the Parallel Workloads Archive, J. Parallel and Distributed Computing "
    "74(10), 2014."
)
_RULES = "fsconsole's own rules fill what the paper leaves open: see fsconsole batch simulate --help"


@dataclass(frozen=True, eq=False, slots=True)
class Workload:
    """A month to simulate, the jobs of it and around it, and the nodes of the machine."""

    jobs: JobTable
    period: Period
    nodes: int


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """Jobs of a real machine.

    Attributes:
        jobs: those that can be simulated.
        digest: short hash of the file.
        dropped: how many jobs of the file cannot be.
    """

    jobs: JobTable
    digest: str
    dropped: int

    def months(self) -> tuple[Workload, ...]:
        """Return the whole months of the trace."""
        return tuple(Workload(self.jobs, month, NODES) for month in whole_months(self.jobs))

    def provenance(self, what: str) -> Provenance:
        """Return what figures say of where they come from; `what` was simulated of the trace, in words."""
        return Provenance(
            scenario=f"{TRACE}, {what}",
            scenario_digest=self.digest,
            settings={"nodes": NODES, "jobs": len(self.jobs), "dropped": self.dropped, "shares": "equal"},
            origin="Parallel Workloads Archive, IBM SP2 of KTH, September 1996 to August 1997",
            remarks=(_THANKS, _RULES),
        )


def read_kth() -> Trace:
    """Return the trace that comes with the program; OSError or ValueError where its file is damaged."""
    path = resource(f"traces/{TRACE}.swf.gz")
    found = read_trace(path, cluster_nodes=NODES)
    return Trace(found.jobs, hashlib.sha256(path.read_bytes()).hexdigest()[:12], len(found.report.dropped))


def whole_months(jobs: JobTable) -> tuple[Period, ...]:
    """Calendar months that the trace has from beginning to end; of KTH's trace ten, as many as the paper has.

    The others are left out: what was submitted before its first second, or after its last one, is missing.
    """
    return tuple(month for month in months_of(jobs) if month.is_whole)


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """A policy on a month, measured: in one row, and by user."""

    month: MonthRun
    summary: Summary
    users: pl.DataFrame

    @property
    def schedule(self) -> Schedule:
        """All jobs that were simulated for it."""
        return self.month.schedule


@dataclass(frozen=True, eq=False, slots=True)
class MonthRuns:
    """Policies on months: runs by label of the policy, in the order of months."""

    policies: Mapping[str, BatchPolicy]
    runs: Mapping[str, Sequence[Run]]

    def of(self, policy: BatchPolicy) -> Sequence[Run]:
        """Return the runs of a policy, month by month."""
        return self.runs[policy.label]

    def pairs(self, base: BatchPolicy, other: BatchPolicy) -> list[tuple[Run, Run]]:
        """Return runs of two policies on the same month, month by month."""
        return list(zip(self.of(base), self.of(other), strict=True))

    def values(self, policy: BatchPolicy, measure: str) -> list[float]:
        """Return a measure of the summary, month by month."""
        return [float(getattr(run.summary, measure)) for run in self.of(policy)]

    @property
    def months(self) -> tuple[str, ...]:
        """Names of the months."""
        return tuple(run.month.period.name for run in next(iter(self.runs.values())))

    def numbers(self) -> StudyNumbers:
        """As figures take them."""
        return study_numbers(
            self.policies,
            [
                (run.month.period.name, label, run.summary)
                for label, runs in self.runs.items()
                for run in runs
            ],
        )

    def policy_runs(self) -> list[PolicyRun]:
        """As tables take them, month by month."""
        return [
            PolicyRun(run.month.period.name, run.users, self.policies[label], label)
            for runs in zip(*self.runs.values(), strict=True)
            for label, run in zip(self.runs, runs, strict=True)
        ]


def study_numbers(
    policies: Mapping[str, BatchPolicy], found: Sequence[tuple[str, str, Summary]]
) -> StudyNumbers:
    """Summaries by workload and label of a policy, as figures take them."""
    rows = [
        {"workload": name, "policy": label, "seed": None, **summary.to_json()}
        for name, label, summary in found
    ]
    workloads = tuple(dict.fromkeys(name for name, _, _ in found))
    return StudyNumbers(workloads, policies, pl.DataFrame(rows, infer_schema_length=None))


def by_month(spec: FigureSpec, caption: str, origin: Provenance) -> FigureSpec:
    """Return a figure over workloads that are months, with where it comes from."""
    axis = replace(spec.x_axis, title="month")
    return replace(spec, x_axis=axis, caption=caption, provenance=origin)


def run_months(
    months: Sequence[Workload],
    policies: Iterable[BatchPolicy],
    steps: Steps,
    *,
    logged: BatchPolicy | None = None,
) -> MonthRuns:
    """Simulate months under policies; Cancelled once somebody asks for it.

    Keeps who held reservations under `logged`.
    """
    by_label = {policy.label: policy for policy in policies}
    runs: dict[str, list[Run]] = {label: [] for label in by_label}
    for number, month in enumerate(months):
        for place, (label, policy) in enumerate(by_label.items()):
            steps.at((number * len(by_label) + place) / (len(months) * len(by_label)))
            found = simulate_month(
                month.jobs, month.period, month.nodes, policy, reservations=policy == logged
            )
            runs[label].append(_measured(found))
    steps.at(1.0)
    return MonthRuns(by_label, runs)


def run_whole(trace: Trace, policies: Iterable[BatchPolicy], steps: Steps) -> dict[str, Schedule]:
    """Simulate the whole trace under policies, by their labels; Cancelled once somebody asks for it."""
    every = tuple(policies)
    found = {}
    for number, policy in enumerate(every):
        steps.at(number / len(every))
        found[policy.label] = simulate(trace.jobs, NODES, policy)
    steps.at(1.0)
    return found


def _measured(found: MonthRun) -> Run:
    return Run(
        found,
        summarise(found.schedule, found.measured, found.period),
        user_table(found.schedule, found.measured, found.period),
    )
