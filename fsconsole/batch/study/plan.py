"""The plan of a study from its file: workloads read, months found, cells listed with their keys."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.months import Period, months_of, period_of
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.study.spec import (
    Cell,
    ModelWorkload,
    Months,
    MonthWorkload,
    Span,
    StudyError,
    StudySpec,
    TraceWorkload,
)
from fsconsole.batch.study.stored_jobs import digest_of
from fsconsole.batch.study.study_file import missing_trace, trace_file
from fsconsole.batch.study.task import RESULTS_VERSION, Task
from fsconsole.batch.traces.not_modelled import not_modelled_in
from fsconsole.batch.traces.read import read_trace
from fsconsole.batch.user_shares import shares_of
from fsconsole.shares.input_files import MAX_FILE_BYTES, typed
from fsconsole.shares.stored_format import FormatError, OtherProgramError, StoredFormat
from fsconsole.shares.tree import ShareTree

# We chose the least fraction of an incomplete month that the trace must have.
NEARLY_WHOLE = 0.9
FORMAT = StoredFormat("fsconsole study plan", "the plan of a study", was_bare=True)


class OtherPlanError(StudyError):
    """The plan is of another version of the program."""


@dataclass(frozen=True, slots=True)
class Source:
    """A job table of a study.

    Attributes:
        digest: its name.
        dropped: number of jobs left out when it was read.
        report: report on the trace's jobs, in words.
        shares: shares of each of its users; None if all are equal.
        is_resampled: whether its users were drawn from those of a trace.
    """

    digest: str
    dropped: int = 0
    report: tuple[str, ...] = ()
    shares: tuple[float, ...] | None = None
    is_resampled: bool = False

    @property
    def not_modelled(self) -> str:
        """Sentence on what the runs leave out of the trace; empty if nothing."""
        return not_modelled_in(self.report)


@dataclass(frozen=True, slots=True)
class Plan:
    """All cells of a study, in the order of its tables, and the sources of their jobs."""

    cells: tuple[Cell, ...]
    sources: dict[str, Source]

    def task(self, cell: Cell) -> Task:
        """Return an executor's task for a cell."""
        source = self.sources[cell.source]
        return Task(cell, source.shares, source.dropped)

    def to_json(self) -> str:
        """Return the plan as text for the study's folder."""
        cells = [asdict(cell) for cell in self.cells]
        sources = [asdict(item) for item in self.sources.values()]
        return json.dumps({**FORMAT.header(), "cells": cells, "sources": sources})

    @staticmethod
    def read(path: Path) -> Plan:
        """Return the plan of a file that has a text of `to_json`.

        Raises:
            OSError: it cannot be read.
            OtherPlanError: another version of the program wrote it.
            StudyError: it is damaged.
        """
        try:
            return FORMAT.read(path, Plan._from_record, MAX_FILE_BYTES)
        except OtherProgramError as error:
            raise OtherPlanError(f"{error}. Use that one, or another folder") from None
        except FormatError as error:
            raise StudyError(f"{error}. Run the study again into this folder") from None

    @staticmethod
    def _from_record(record: Any) -> Plan:
        sources = [
            Source(
                item["digest"],
                item["dropped"],
                tuple(item["report"]),
                None if item["shares"] is None else tuple(item["shares"]),
                item.get("is_resampled", False),
            )
            for item in record["sources"]
        ]
        return Plan(tuple(map(_cell, record["cells"])), {source.digest: source for source in sources})


def _cell(record: dict[str, Any]) -> Cell:
    policy = typed(BatchPolicy, record["policy"])
    period = None if record["period"] is None else typed(Period, record["period"])
    cell = Cell(**record | {"policy": policy, "period": period})
    texts, numbers = (cell.key, cell.workload, cell.source), (cell.cluster_nodes, cell.seed or 0)
    if not all(isinstance(text, str) for text in texts) or not all(type(value) is int for value in numbers):
        msg = f"a cell holds {str(record)[:80]}"
        raise TypeError(msg)
    return cell


@dataclass(slots=True)
class _Planning:
    """A plan in the making."""

    spec: StudySpec
    keep: Callable[[str, JobTable], None]
    tree: ShareTree | None
    cells: list[Cell] = field(default_factory=list)
    sources: dict[str, Source] = field(default_factory=dict)
    called: dict[str, str] = field(default_factory=dict)  # Messages name the cell of a key by these words.

    def add(
        self, workload: str, jobs: JobTable, nodes: int, periods: list[Period | None], seed: int | None,
        report: tuple[str, ...] = (), dropped: int = 0, *, is_named: bool = True,
        owners: tuple[str, ...] | None = None,
    ) -> None:  # fmt: skip
        """Add every policy on every period of a job table; row names include periods if `is_named`.

        `owners` are the users of the trace from whom those of a resampled table were drawn.
        """
        shares = None if self.tree is None else _shares(self.tree, owners or jobs.users, workload)
        digest = digest_of(jobs)
        if digest not in self.sources:
            self.keep(digest, jobs)
            self.sources[digest] = Source(digest, dropped, report, shares, owners is not None)
        for period in periods:
            name = f"{workload} {period.name}" if period is not None and is_named else workload
            for policy in self.spec.policies:
                draw = None if owners is None else seed
                key = key_of(digest, nodes, period, policy, shares, dropped, draw)
                self._add(Cell(key, name, policy, seed, digest, nodes, period))

    def _add(self, cell: Cell) -> None:
        if cell.key in self.called:
            msg = f"{cell.words} is the same as {self.called[cell.key]}. Leave one of the workloads out"
            raise StudyError(msg)
        self.called[cell.key] = cell.words
        self.cells.append(cell)


def plan_of(spec: StudySpec, keep: Callable[[str, JobTable], None] = lambda _digest, _jobs: None) -> Plan:
    """Read or generate all workloads and list the cells; `keep` gets each job table and its digest.

    Raises:
        StudyError: a workload, its months or its shares cannot be used.
        ScenarioError: the share tree cannot be used.
        OSError: a file cannot be read.
    """
    from fsconsole.shares.formats import read_tree

    tree = None if spec.shares is None else read_tree(spec.shares, str(spec.shares)).tree
    planning = _Planning(spec, keep, tree)
    for workload in spec.workloads:
        if isinstance(workload, TraceWorkload):
            _add_trace(planning, workload)
        elif isinstance(workload, MonthWorkload):
            _add_month(planning, workload)
        else:
            _add_model(planning, workload)
    _check_names(planning.cells)
    return Plan(tuple(planning.cells), planning.sources)


def key_of(
    source: str,
    nodes: int,
    period: Period | None,
    policy: BatchPolicy,
    shares: tuple[float, ...] | None,
    dropped: int = 0,
    draw: int | None = None,
) -> str:
    """Return the digest of all inputs of a cell's result; equal draws of a small trace include the seed."""
    span = None if period is None else [period.start_s, period.end_s]
    parts = [RESULTS_VERSION, source, nodes, span, asdict(policy), shares, dropped]
    parts += [] if draw is None else [draw]
    return hashlib.blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=16).hexdigest()


def _add_trace(planning: _Planning, workload: TraceWorkload) -> None:
    path = trace_file(planning.spec.folder, workload.trace)
    if path is None:
        raise StudyError(missing_trace(planning.spec.folder, workload.trace))
    try:
        imported = read_trace(path, cluster_nodes=workload.procs)
        name = workload.name or imported.jobs.name or path.name
        periods = list(_periods(imported.jobs, workload.months))
    except ValueError as error:
        raise StudyError(_about(path.name, error)) from None
    if imported.cluster_nodes is None:
        msg = (
            f"{workload.trace}: its header does not give the number of nodes. Give the workload the key procs"
        )
        raise StudyError(msg)
    report = tuple(imported.report.lines())
    dropped = len(imported.report.dropped)
    if not workload.resample:
        planning.add(name, imported.jobs, imported.cluster_nodes, periods, None, report, dropped)
        return
    from fsconsole.batch.generate.resample import resample_users

    for seed in planning.spec.seeds:
        jobs, drawn = resample_users(imported.jobs, seed)
        owners = tuple(imported.jobs.users[number] for number in drawn.tolist())
        planning.add(name, jobs, imported.cluster_nodes, periods, seed, report, dropped, owners=owners)


def _about(name: str, error: Exception) -> str:
    text = str(error)
    return text if name in text else f"{name}: {text}"


def _periods(jobs: JobTable, months: Months) -> Iterator[Period | None]:
    """Yield the parts of a trace to run, None for all of it.

    Raises:
        ValueError: a part is missing.
    """
    if months == "whole":
        yield None
        return
    known = months_of(jobs)
    if months == "all":
        yield from [month for month in known if _is_nearly_whole(jobs, month)] or known
        return
    for month in months:
        if isinstance(month, Span):
            found = period_of(jobs, month.start, month.end)
            yield Period(found.start_s, found.end_s, month.name or found.name, found.is_whole)
        else:
            yield _named(known, month)


def _is_nearly_whole(jobs: JobTable, month: Period) -> bool:
    first, last = int(jobs.submit_s[0]), int(jobs.submit_s[-1])
    has_s = min(month.end_s, last) - max(month.start_s, first)
    return month.is_whole or has_s >= NEARLY_WHOLE * (month.end_s - month.start_s)


def _named(known: tuple[Period, ...], name: str) -> Period:
    for month in known:
        if month.name == name:
            return month
    ends = f"from {known[0].name} to {known[-1].name}" if known else "none"
    msg = f"the trace has no month {name!r}. It has months {ends}"
    raise ValueError(msg)


def _add_month(planning: _Planning, workload: MonthWorkload) -> None:
    """Add a month like one of Table I, with the necessary days before and after it."""
    from fsconsole.batch.generate import CLUSTER_NODES, generate_month, period_of_month

    name = workload.name or workload.month
    for seed in planning.spec.seeds:
        try:
            jobs = generate_month(workload.month, seed, workload.plant)
            period = period_of_month(workload.month)
        except (ValueError, LookupError) as error:
            raise StudyError(_about(workload.month, error)) from None
        planning.add(name, jobs, CLUSTER_NODES, [period], seed, is_named=False)


def _add_model(planning: _Planning, workload: ModelWorkload) -> None:
    """Add all jobs of the model as one run."""
    from fsconsole.batch.generate import generate_lublin, with_load

    load = "" if workload.load is None else f", load {workload.load:g}"
    name = workload.name or f"Lublin-Feitelson, {workload.jobs} jobs{load}"
    for seed in planning.spec.seeds:
        jobs = generate_lublin(workload.jobs, workload.procs, seed, users=workload.users)
        if workload.load is not None:
            jobs = with_load(jobs, workload.load)
        planning.add(name, jobs, workload.procs, [None], seed)


def _shares(tree: ShareTree, users: tuple[str, ...], workload: str) -> tuple[float, ...]:
    try:
        return tuple(map(float, shares_of(tree, users)))
    except (ValueError, LookupError) as error:
        raise StudyError(_about(workload, error)) from None


def _check_names(cells: list[Cell]) -> None:
    """Raise StudyError if workload, policy and seed do not identify each row of the tables."""
    seen: set[tuple[str, str, int | None]] = set()
    for cell in cells:
        row = (cell.workload, cell.policy.label, cell.seed)
        if row in seen:
            msg = f"two workloads have the name {cell.workload}. Rename one of them"
            raise StudyError(msg)
        seen.add(row)
