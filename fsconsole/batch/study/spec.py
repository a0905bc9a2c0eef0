"""What a study compares, and what it is computed in: workloads, policies and cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from fsconsole.batch.policy import BatchPolicy

if TYPE_CHECKING:
    from fsconsole.batch.months import Period

FIRST_SEED = 1
MODEL = "lublin"
MODEL_USERS = 50


class StudyError(Exception):
    """A study cannot be run or shown; the message says what, and what to do."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a trace: dates where the trace has a start time, else seconds of the trace."""

    start: str
    end: str
    name: str = ""


Months = Literal["whole", "all"] | tuple[str | Span, ...]


@dataclass(frozen=True, slots=True)
class TraceWorkload:
    """Jobs of a trace.

    Attributes:
        trace: a trace that comes with the program, by name, or a file; below the study's folder if relative.
        procs: nodes of the machine; None where the trace's header says it.
        months: the whole trace in one run, all its calendar months, or some, by name or from when to when.
        name: what tables call it; the trace's own name if empty.
        resample: whether its users are drawn, once for each seed (`resample_users`).
    """

    trace: str
    procs: int | None = None
    months: Months = "whole"
    name: str = ""
    resample: bool = False


@dataclass(frozen=True, slots=True)
class MonthWorkload:
    """Generated jobs like those of a month of the paper's Table I, once for each seed.

    Attributes:
        month: the month as Table I calls it, such as `7/03`.
        plant: users that are put among the others, as the generator calls them.
        name: what tables call it; the month if empty.
    """

    month: str
    plant: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class ModelWorkload:
    """Generated jobs of Lublin and Feitelson's model, once for each seed.

    Attributes:
        jobs: how many.
        procs: nodes of the machine.
        users: among how many people the jobs are divided.
        load: node-seconds asked for beside those that there are, above 0; None for what the model gives.
        name: what tables call it; the model if empty.
    """

    jobs: int
    procs: int
    users: int = MODEL_USERS
    load: float | None = None
    name: str = ""


Workload = TraceWorkload | MonthWorkload | ModelWorkload


@dataclass(frozen=True, slots=True)
class StudySpec:
    """Everything that a study compares.

    Attributes:
        name: what the study is called.
        workloads: what jobs there are.
        policies: who goes first, one entry for each policy with each window.
        seeds: seeds of generated and resampled workloads.
        shares: file of a share tree that has all users; equal shares if None.
        about: what it is for, in words.
        folder: where relative names of files begin.
    """

    name: str
    workloads: tuple[Workload, ...]
    policies: tuple[BatchPolicy, ...]
    seeds: tuple[int, ...] = (FIRST_SEED,)
    shares: Path | None = None
    about: str = ""
    folder: Path = field(default_factory=Path)


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a study: a policy on a period of a workload.

    Attributes:
        key: digest of all that its result depends on; its folder is called so.
        workload: what tables call the workload, with its period: `KTH-SP2-1996-2 1996-10`, `7/03`.
        policy: who goes first.
        seed: seed of the generated or resampled workload; None for a trace as it is.
        source: which of the study's job tables it takes its jobs from, by digest.
        cluster_nodes: nodes of the machine.
        period: when measured jobs are submitted; None for all jobs of the table.
    """

    key: str
    workload: str
    policy: BatchPolicy
    seed: int | None
    source: str
    cluster_nodes: int
    period: Period | None

    @property
    def words(self) -> str:
        """The cell as messages call it."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{self.policy.label} on {self.workload}{seed}"


def has_seeds(workload: Workload) -> bool:
    """Return whether there is a run of a workload for each seed."""
    return not isinstance(workload, TraceWorkload) or workload.resample


def resampled(spec: StudySpec, traces: int) -> StudySpec:
    """Return the study on so many resampled traces in place of each trace; StudyError where it has no
    trace.
    """
    if not any(isinstance(item, TraceWorkload) for item in spec.workloads):
        msg = f"{spec.name} does not have a trace whose users could be resampled: its workloads are generated"
        raise StudyError(msg)
    workloads = tuple(
        replace(item, resample=True) if isinstance(item, TraceWorkload) else item for item in spec.workloads
    )
    seeds = tuple(range(FIRST_SEED, FIRST_SEED + traces))
    return replace(spec, name=f"{spec.name}, users resampled", workloads=workloads, seeds=seeds)


def expanded(policies: Iterable[BatchPolicy], windows_s: Iterable[int]) -> tuple[BatchPolicy, ...]:
    """Each policy that goes by users with each window (its own where there are none), the others as they are.

    None comes twice; order is that of the policies, then of the windows.
    """
    windows = tuple(windows_s)
    made = (
        replace(policy, window_s=window_s)
        for policy in policies
        for window_s in (windows if policy.is_by_user and windows else (policy.window_s,))
    )
    return tuple(dict.fromkeys(made))
