"""Options of the dialog for a new study, facts on traces, and the resulting study."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from fsconsole.batch.job_table import JobTable
from fsconsole.batch.months import Period, jobs_in, months_of
from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.study.bundled import bundled_traces
from fsconsole.batch.study.spec import (
    MODEL_USERS,
    ModelWorkload,
    MonthWorkload,
    StudySpec,
    TraceWorkload,
    Workload,
    expanded,
)
from fsconsole.batch.study.study_file import parse_study, study_text
from fsconsole.batch.traces.not_modelled import not_modelled_in
from fsconsole.batch.traces.read import read_trace
from fsconsole.shares.files import is_there
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.text.durations import seconds
from fsconsole.text.numbers import percent, thousands
from fsconsole.text.words import capitalised, count_words

Part = Literal["whole", "all", "some"]
Users = Literal["own", "resampled"]
WINDOWS = "4h 12h 1d 2d 7d"
SEEDS = "1"
POLICY_SETTINGS = ("weights", "multifactor")
_USUAL = BatchPolicy()
CHOSEN = ("fcfs-backfill", "lxf-backfill", "relshare")
_MOST_SEEDS = 1000
_MOST_LETTERS_OF_FILE = 80
_MOST_NAMES = 1000
_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class StudyChoice:
    """Choices of the user for a new study, as typed.

    Attributes:
        trace: a bundled trace by name, or a file; empty for generated jobs.
        month: a month of Table I, generated; empty for others.
        jobs: how many a model has, by itself or beside a trace; 0 without one.
        people: whose they are.
        load: of a model, in percent; 0 for what it gives.
        procs: nodes of the machine; 0 for what the trace's header says.
        model_procs: nodes of the machine of a model beside a trace.
        part: the whole trace in one run, all its months, or those named in `months`.
        users: those of the trace, or drawn from these, once for each seed.
        policies: names of the command line.
        weights, multifactor: settings of the policies for which they mean something.
        windows, seeds, months: lists as typed, parted by blanks or commas; seeds may be `1-5`.
        shares: file of a share tree; empty for equal shares.
    """

    name: str
    trace: str = ""
    month: str = ""
    jobs: int = 0
    people: int = MODEL_USERS
    load: float = 0.0
    procs: int = 0
    model_procs: int = 0
    part: Part = "whole"
    months: str = ""
    users: Users = "own"
    policies: tuple[str, ...] = CHOSEN
    windows: str = WINDOWS
    seeds: str = SEEDS
    shares: str = ""
    weights: UsageWeights = _USUAL.weights
    multifactor: Multifactor = _USUAL.multifactor

    def spec(self, folder: Path) -> StudySpec:
        """Return the study, to be kept in a folder; ValueError or ScenarioError with the reason if wrong."""
        if not self.name.strip():
            raise ValueError("Give the study a name.")
        if not self.policies:
            raise ValueError("Choose at least one policy.")
        spec = StudySpec(
            self.name.strip(),
            self._workloads(),
            self._policies(),
            self._seeds(),
            expanded_home(Path(self.shares.strip())).absolute() if self.shares.strip() else None,
            folder=folder,
        )
        return parse_study(study_text(spec, folder), folder, self.name)

    def runs(self) -> int:
        """Return the number of runs on one workload with one seed; 0 where something is wrong."""
        try:
            return len(self._policies())
        except ValueError:
            return 0

    def repeats(self) -> int | None:
        """Return the number of seeds or months; None if only the trace has it, or it is invalid."""
        try:
            seeds = len(self._seeds()) if self.has_seeds else 1
        except ValueError:
            return None
        if self.is_generated or self.part == "whole":
            return seeds
        named = len(set(months_in(self.months)))
        return seeds * named if self.part == "some" and named else None

    @property
    def has_seeds(self) -> bool:
        """True if there is a run for each seed."""
        return self.is_generated or self.jobs > 0 or self.users == "resampled"

    @property
    def is_generated(self) -> bool:
        """True if all jobs are generated, and none are from a trace."""
        return bool(self.month) or (self.jobs > 0 and not self.trace)

    def each(self) -> tuple[StudyChoice, ...]:
        """Return the workloads one by one: a trace, and its model if there is one."""
        if not (self.trace and self.jobs):
            return (self,)
        return replace(self, jobs=0), replace(self, trace="", procs=self.model_procs)

    def _policies(self) -> tuple[BatchPolicy, ...]:
        """Return the policies with their settings, those by user with each window."""
        chosen = [
            replace(policy, **{name: getattr(self, name) for name in POLICY_SETTINGS if policy.means(name)})
            for policy in map(POLICIES.__getitem__, self.policies)
        ]
        return expanded(chosen, self._windows_s())

    def _workloads(self) -> tuple[Workload, ...]:
        return tuple(map(_workload, self.each()))

    def _windows_s(self) -> tuple[int, ...]:
        found = []
        for text in parts_of(self.windows):
            try:
                found.append(round(seconds(text)))
            except (ValueError, OverflowError):
                msg = f"Fair-share windows: {text!r} is not a time. Write times. Example: 4h 12h 1d"
                raise ValueError(msg) from None
            if found[-1] < 1:
                raise ValueError("Fair-share windows: each must be at least 1 s.")
        return tuple(found)

    def _seeds(self) -> tuple[int, ...]:
        found: list[int] = []
        for text in parts_of(self.seeds):
            match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", text)
            if match is None:
                msg = f"Seeds: {text!r} is not a whole number. Write numbers. Example: 1 2 3, or 1-5"
                raise ValueError(msg)
            first, last = int(match[1]), int(match[2] or match[1])
            if not 0 <= last - first < _MOST_SEEDS:
                msg = f"Seeds: {text!r} is not a range of at most {_MOST_SEEDS} numbers."
                raise ValueError(msg)
            found += range(first, last + 1)
        return tuple(dict.fromkeys(found)) or (1,)


def _workload(one: StudyChoice) -> Workload:
    """Return the only workload of a choice.

    Raises:
        ValueError: there is none; the message names what is missing.
    """
    if one.jobs:
        if not one.procs:
            raise ValueError("Enter the number of processors of the model's machine.")
        return ModelWorkload(one.jobs, one.procs, one.people, one.load / 100 or None)
    if one.month:
        return MonthWorkload(one.month)
    if not one.trace.strip():
        raise ValueError("Choose a trace.")
    is_bundled = one.trace in bundled_traces()
    trace = one.trace if is_bundled else str(expanded_home(Path(one.trace.strip())).absolute())
    is_resampled = one.users == "resampled"
    if one.part != "some":
        return TraceWorkload(trace, one.procs or None, one.part, resample=is_resampled)
    months = months_in(one.months)
    if not months:
        raise ValueError("Enter months. Example: 1996-10 1996-11")
    return TraceWorkload(trace, one.procs or None, months, resample=is_resampled)


def problem_of(error: ValueError) -> str:
    """Return the problems of the choice in one sentence or more."""
    if isinstance(error, ScenarioError):
        return " ".join(_sentence(problem) for problem in error.problems[:3])
    return str(error)


def _sentence(problem: Problem) -> str:
    text = problem.text.rstrip(".")
    return f"{problem.path}: {text}." if problem.path else f"{capitalised(text)}."


def file_name(name: str) -> str:
    """Return a name for the file of a study: `kth-by-month.yaml`."""
    words = re.sub(r"[^a-z0-9]+", "-", name.casefold())[:_MOST_LETTERS_OF_FILE]
    return f"{words.strip('-') or 'study'}.yaml"


def placed(typed: Path, what: str, agreed: Path | None = None) -> Path:
    """Complete the path of a study's or a search's file: `~` becomes the home folder, a suffix is added.

    Args:
        typed: the path that a person typed.
        what: the thing that is kept there, such as `study`.
        agreed: the file that may be replaced.

    Raises:
        ValueError: that is nowhere, or another file is there already.
    """
    if not typed.name:
        msg = f"Enter a file for the {what}."
        raise ValueError(msg)
    path = expanded_home(typed)
    if path.suffix.casefold() not in _SUFFIXES:
        path = path.with_name(f"{path.name}{_SUFFIXES[0]}")
    if is_there(path) and path != agreed:
        msg = f"{path.name} already exists in {path.parent}. Choose another name, or open that file."
        raise ValueError(msg)
    return path


def free_path(path: Path) -> Path:
    """Return the path, or one with a number after its name if a file or results already have it."""
    tried = path
    for number in range(2, _MOST_NAMES):
        if not (is_there(tried) or is_there(tried.with_name(f"{tried.stem}.results"))):
            break
        tried = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return tried


def expanded_home(path: Path) -> Path:
    """Replace `~` by the home folder.

    Raises:
        ValueError: the user of the home is unknown.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        msg = f"{path.parts[0]} is not a user's home folder here. Write the whole path of the folder."
        raise ValueError(msg) from None


def months_in(text: str) -> tuple[str, ...]:
    """Return typed names of months, divided as in `parts_of`; `days 1 to 30` is one name."""
    return tuple(re.findall(r"days \d+ to \d+|[^\s,;]+", text))


def parts_of(text: str) -> tuple[str, ...]:
    """Return the parts of a typed text, separated by blanks, commas or semicolons."""
    return tuple(part for part in re.split(r"[\s,;]+", text) if part)


_SHOWN_MONTHS = 2
_HOUR_S = 3600


@dataclass(frozen=True, slots=True)
class MonthFacts:
    """A month of a trace: its jobs, their users and their node-hours."""

    name: str
    jobs: int
    users: int
    node_hours: float
    load: float | None


@dataclass(frozen=True, slots=True)
class TraceFacts:
    """A trace as a whole.

    Attributes:
        name: its file's name.
        jobs: how many can be simulated.
        users: how many people they are of.
        months: those that it has.
        load: node-seconds that its jobs use beside those there are; None where the processors are not known.
        faults: what was left out or repaired as it was read, in words.
        procs: processors of its machine; None where its header does not name them.
        largest: processors of its largest job.
    """

    name: str
    jobs: int
    users: int
    months: tuple[MonthFacts, ...]
    procs: int | None
    largest: int
    load: float | None = None
    faults: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Jobs, users, span and processors."""
        # The names are such as days 1 to 30, or 1996-10.
        names = [one.name.split(" to ") for one in self.months]
        ends = dict.fromkeys((names[0][0], names[-1][-1])) if names else {}
        procs = "processors unknown" if self.procs is None else f"{thousands(self.procs)} processors"
        counts = f"{thousands(self.jobs)} jobs, {thousands(self.users)} users"
        load = "" if self.load is None else f"load {percent(self.load, 0)}"
        first = ", ".join(filter(None, (counts, " to ".join(ends), procs, load)))
        return "\n".join((first, *self.faults))

    def jobs_of(self, part: Part, months: str) -> int:
        """Return the number of jobs of a run, or the average of several runs."""
        if part == "whole" or not self.months:
            return self.jobs
        named = set(months_in(months)) if part == "some" else set()
        counts = [one.jobs for one in self.months if not named or one.name in named]
        return round(sum(counts) / len(counts)) if counts else self.jobs

    @property
    def example(self) -> str:
        """Months of this trace as they can be typed."""
        return " ".join(one.name for one in self.months[:_SHOWN_MONTHS])

    @property
    def missing_procs(self) -> str:
        """Advice if the number of processors is unknown; empty if the header has it."""
        if self.procs is not None:
            return ""
        return (
            f"{self.name} does not give its number of processors. Enter it, at least "
            f"{thousands(self.largest)}."
        )


def trace_path(trace: str) -> Path:
    """Return the file of a bundled trace by its name, or of one by its path."""
    return bundled_traces().get(trace) or Path(trace)


def trace_facts(trace: str) -> TraceFacts:
    """Read a trace for its facts.

    Raises:
        OSError: the file cannot be read.
        TraceError: the trace is damaged.
    """
    path = trace_path(trace)
    found = read_trace(path)
    jobs = found.jobs
    nodes = found.cluster_nodes
    months = tuple(_month_facts(jobs, month, nodes) for month in months_of(jobs))
    span_s = int(jobs.submit_s.max()) - int(jobs.submit_s.min())
    load = _load(int(jobs.node_seconds.sum()), nodes, span_s)
    faults = [
        f"{count_words(count, 'job')} left out: {kind}" for kind, count in found.report.counts().items()
    ]
    faults += [
        f"{count_words(count, 'job')} repaired: {kind}" for kind, count in found.report.repairs().items()
    ]
    faults += filter(None, [not_modelled_in(found.report.notes)])
    largest = int(jobs.nodes.max())
    return TraceFacts(path.name, len(jobs), len(jobs.users), months, nodes, largest, load, tuple(faults))


def _month_facts(jobs: JobTable, month: Period, nodes: int | None) -> MonthFacts:
    inside = jobs_in(jobs, month)
    used_s = int(jobs.node_seconds[inside].sum())
    load = _load(used_s, nodes, month.end_s - month.start_s)
    users = len(np.unique(jobs.user[inside]))
    return MonthFacts(month.name, int(inside.sum()), users, used_s / _HOUR_S, load)


def _load(used_s: int, nodes: int | None, span_s: int) -> float | None:
    return used_s / (nodes * span_s) if nodes and span_s > 0 else None
