"""The trace for re-testing Vasupongayya's findings, and runs of policies on its months or all of it.

It imports tables and engines, so it is imported only to run an experiment.
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
    """A month to simulate, its jobs and those around it, and the number of nodes of the machine."""

    jobs: JobTable
    period: Period
    nodes: int


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """Jobs of a real machine.

    Attributes:
        jobs: jobs that can be simulated.
        digest: short hash of the file.
        dropped: number of the file's other jobs.
    """

    jobs: JobTable
    digest: str
    dropped: int

    def months(self) -> tuple[Workload, ...]:
        """Return the complete months of the trace."""
        return tuple(Workload(self.jobs, month, NODES) for month in whole_months(self.jobs))

    def provenance(self, what: str) -> Provenance:
        """Return the provenance for figures; `what` describes the simulated part of the trace."""
        return Provenance(
            scenario=f"{TRACE}, {what}",
            scenario_digest=self.digest,
            settings={"nodes": NODES, "jobs": len(self.jobs), "dropped": self.dropped, "shares": "equal"},
            origin="Parallel Workloads Archive, IBM SP2 of KTH, September 1996 to August 1997",
            remarks=(_THANKS, _RULES),
        )


def read_kth() -> Trace:
    """Return the trace that comes with the program.

    Raises:
        OSError: its file cannot be read.
        ValueError: its file is damaged.
    """
    path = resource(f"traces/{TRACE}.swf.gz")
    found = read_trace(path, cluster_nodes=NODES)
    return Trace(found.jobs, hashlib.sha256(path.read_bytes()).hexdigest()[:12], len(found.report.dropped))


def whole_months(jobs: JobTable) -> tuple[Period, ...]:
    """Return the complete calendar months of a trace; KTH's trace has ten, as many as the paper.

    The other months lack jobs submitted before the trace's first second or after its last one.
    """
    return tuple(month for month in months_of(jobs) if month.is_whole)


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """A measured run of a policy on a month: in one row, and by user."""

    month: MonthRun
    summary: Summary
    users: pl.DataFrame

    @property
    def schedule(self) -> Schedule:
        """Schedule of all simulated jobs."""
        return self.month.schedule


@dataclass(frozen=True, eq=False, slots=True)
class MonthRuns:
    """Runs of policies on months, by label of the policy, in the order of months."""

    policies: Mapping[str, BatchPolicy]
    runs: Mapping[str, Sequence[Run]]

    def of(self, policy: BatchPolicy) -> Sequence[Run]:
        """Return the runs of a policy, month by month."""
        return self.runs[policy.label]

    def pairs(self, base: BatchPolicy, other: BatchPolicy) -> list[tuple[Run, Run]]:
        """Return the runs of two policies on the same month, month by month."""
        return list(zip(self.of(base), self.of(other), strict=True))

    def values(self, policy: BatchPolicy, measure: str) -> list[float]:
        """Return a measure of the summary, month by month."""
        return [float(getattr(run.summary, measure)) for run in self.of(policy)]

    @property
    def months(self) -> tuple[str, ...]:
        """Names of the months."""
        return tuple(run.month.period.name for run in next(iter(self.runs.values())))

    def numbers(self) -> StudyNumbers:
        """Return the summaries in the form for figures."""
        return study_numbers(
            self.policies,
            [
                (run.month.period.name, label, run.summary)
                for label, runs in self.runs.items()
                for run in runs
            ],
        )

    def policy_runs(self) -> list[PolicyRun]:
        """Return the runs in the form for tables, month by month."""
        return [
            PolicyRun(run.month.period.name, run.users, self.policies[label], label)
            for runs in zip(*self.runs.values(), strict=True)
            for label, run in zip(self.runs, runs, strict=True)
        ]


def study_numbers(
    policies: Mapping[str, BatchPolicy], found: Sequence[tuple[str, str, Summary]]
) -> StudyNumbers:
    """Return summaries by workload and label of a policy in the form for figures."""
    rows = [
        {"workload": name, "policy": label, "seed": None, **summary.to_json()}
        for name, label, summary in found
    ]
    workloads = tuple(dict.fromkeys(name for name, _, _ in found))
    return StudyNumbers(workloads, policies, pl.DataFrame(rows, infer_schema_length=None))


def by_month(spec: FigureSpec, caption: str, origin: Provenance) -> FigureSpec:
    """Return a figure over monthly workloads with its origin."""
    axis = replace(spec.x_axis, title="month")
    return replace(spec, x_axis=axis, caption=caption, provenance=origin)


def run_months(
    months: Sequence[Workload],
    policies: Iterable[BatchPolicy],
    steps: Steps,
    *,
    logged: BatchPolicy | None = None,
) -> MonthRuns:
    """Simulate months under policies, with a log of reservations under `logged`.

    Raises:
        Cancelled: the run was cancelled.
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
    """Simulate the whole trace under policies, by their labels.

    Raises:
        Cancelled: the run was cancelled.
    """
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
