"""A study: workloads, policies and cells."""

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


class StudyError(ValueError):
    """A study cannot be run or shown; the message gives the reason, and a remedy."""


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a trace: dates if the trace has a start time, else seconds of the trace."""

    start: str
    end: str
    name: str = ""


Months = Literal["whole", "all"] | tuple[str | Span, ...]


@dataclass(frozen=True, slots=True)
class TraceWorkload:
    """Jobs of a trace.

    Attributes:
        trace: a trace that comes with the program, by name, or a file; below the study's folder if relative.
        procs: nodes of the machine; None for the number in the trace's header.
        months: the whole trace in one run, all its calendar months, or some, by name or by start and end.
        name: name in tables; the trace's own name if empty.
        resample: whether its users are drawn at random, once for each seed (`resample_users`).
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
        month: name of the month in Table I, such as `7/03`.
        plant: types of users to add, by their names in the generator.
        name: name in tables; the month if empty.
    """

    month: str
    plant: tuple[str, ...] = ()
    name: str = ""


@dataclass(frozen=True, slots=True)
class ModelWorkload:
    """Generated jobs of Lublin and Feitelson's model, once for each seed.

    Attributes:
        jobs: number of jobs.
        procs: nodes of the machine.
        users: number of users of the jobs.
        load: requested node-seconds divided by those of the machine, above 0; None for the model's own load.
        name: name in tables; the model if empty.
    """

    jobs: int
    procs: int
    users: int = MODEL_USERS
    load: float | None = None
    name: str = ""


Workload = TraceWorkload | MonthWorkload | ModelWorkload


@dataclass(frozen=True, slots=True)
class StudySpec:
    """A study.

    Attributes:
        name: name of the study.
        workloads: sources of jobs.
        policies: batch policies, one entry for each policy with each window.
        seeds: seeds of generated and resampled workloads.
        shares: file of a share tree that has all users; equal shares if None.
        about: purpose, in words.
        folder: base of relative file names.
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
    """A run of a study: a policy on a period of a workload.

    Attributes:
        key: digest of all inputs of its result, which is also the name of its folder.
        workload: name of the workload in tables, with its period: `KTH-SP2-1996-2 1996-10`, `7/03`.
        policy: the batch policy.
        seed: seed of the generated or resampled workload; None for an unchanged trace.
        source: digest of its job table in the study.
        cluster_nodes: nodes of the machine.
        period: period of submission of measured jobs; None for all jobs of the table.
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
        """Name of the cell in messages."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        return f"{self.policy.label} on {self.workload}{seed}"


def has_seeds(workload: Workload) -> bool:
    """Return True if a workload has a run for each seed."""
    return not isinstance(workload, TraceWorkload) or workload.resample


def resampled(spec: StudySpec, traces: int) -> StudySpec:
    """Return the study with resampled traces in place of each trace.

    Raises:
        StudyError: the study does not have a trace.
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
    """Return each policy by users with each window (by default its own), and the others unchanged.

    Duplicates are removed; the order is that of the policies, then of the windows.
    """
    windows = tuple(windows_s)
    made = (
        replace(policy, window_s=window_s)
        for policy in policies
        for window_s in (windows if policy.is_by_user and windows else (policy.window_s,))
    )
    return tuple(dict.fromkeys(made))
