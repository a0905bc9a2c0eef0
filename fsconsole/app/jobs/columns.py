"""Jobs of a cluster as columns: each is computed once on demand, so that tables sort and search fast.

No Qt. numpy processes 20,000 jobs by their distinct values, not job by job.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from fsconsole.app.jobs.dependencies import dependency_search, dependency_words
from fsconsole.app.jobs.words import reason_key, reason_search, reason_words, state_search, state_words
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.job_labels import task_count
from fsconsole.slurm.jobs import Job, Sort
from fsconsole.targets.slurm.state import ClusterState, PartName

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Field(StrEnum):
    """A displayed value of a job, and its use in a filter."""

    JOB = "job"
    STATE = "state"
    USER = "user"
    ACCOUNT = "account"
    NAME = "name"
    PARTITION = "partition"
    QOS = "qos"
    NODES = "nodes"
    CPUS = "cpus"
    ELAPSED = "elapsed"
    LEFT = "left"
    LIMIT = "limit"
    SUBMITTED = "submitted"
    START = "start"
    PRIORITY = "priority"
    FAIRSHARE = "fairshare"
    REASON = "reason"
    DEPENDS = "depends"
    RESERVATION = "reservation"


# Most jobs share a key, so each text is made once for each key: these are the key and the function for the
# text.
_TEXTS: dict[Field, tuple[Callable[[Job], Hashable], Callable[[Job], str]]] = {
    Field.JOB: (attrgetter("label"), attrgetter("label")),
    Field.STATE: (lambda job: (job.states, job.is_held, job.has_held), state_words),
    Field.USER: (attrgetter("user"), attrgetter("user")),
    Field.ACCOUNT: (attrgetter("account"), attrgetter("account")),
    Field.NAME: (attrgetter("name"), attrgetter("name")),
    Field.PARTITION: (attrgetter("partition"), attrgetter("partition")),
    Field.QOS: (attrgetter("qos"), attrgetter("qos")),
    Field.NODES: (attrgetter("nodes"), attrgetter("nodes")),
    Field.REASON: (reason_key, reason_words),
    Field.DEPENDS: (attrgetter("dependency"), lambda job: dependency_words(job.dependency)),
    Field.RESERVATION: (attrgetter("reservation"), attrgetter("reservation")),
}
_FOUND_BY: dict[Field, Callable[[Job, str], str]] = {
    Field.STATE: lambda job, words: state_search(job.states, words),
    Field.REASON: lambda job, _: reason_search(job),
    Field.DEPENDS: lambda job, _: dependency_search(job.dependency),
}
TEXT_FIELDS = tuple(_TEXTS)
# What actions look at, besides the priority.
_OF_ACTIONS = attrgetter(
    "states", "time_limit_s", "may_requeue", "het_job_id", "het_offset", "is_held", "has_held"
)
_PLAIN_NUMBERS = {
    Field.CPUS: attrgetter("cpus"),
    Field.PRIORITY: attrgetter("priority"),
    Field.SUBMITTED: attrgetter("submit_s"),
    Field.LIMIT: attrgetter("time_limit_s"),
    Field.NODES: attrgetter("node_count"),
}
TIME_FIELDS = (Field.SUBMITTED, Field.START)
RECENT_S = 3600.0  # Ended jobs remain visible for this many seconds.
_QUEUE = (Sort.RUNNING, Sort.SUSPENDED, Sort.WAITING, Sort.HELD, Sort.FINISHED)
LENGTH_FIELDS = (Field.ELAPSED, Field.LEFT, Field.LIMIT)


@dataclass(frozen=True, eq=False, slots=True)
class Words:
    """A column of text.

    Attributes:
        values: those that differ; folded: the same without regard to capitals, and a line more for each other
            name that it is found by, such as Slurm's own.
        codes: which of them each job has, int64 [jobs].
    """

    values: tuple[str, ...]
    folded: tuple[str, ...]
    codes: Ints

    def holding(self, found: Callable[[str], bool]) -> Bools:
        """Return a mask of the jobs that have a folded value in a column, under any of its names, bool
        [jobs].
        """
        names = (value.split("\n") for value in self.folded)
        of_value = np.fromiter((any(map(found, one)) for one in names), bool, len(self.folded))
        return of_value[self.codes]


@dataclass(eq=False)
class JobColumns:
    """Jobs at one time, with data of their associations.

    Attributes:
        jobs: jobs in the order of the reading.
        now_s: time of the reading, seconds since 1970; elapsed times refer to it.
        nodes: node of the share tree that each job is charged to, int64 [jobs]; -1 if unknown.
        fairshare: fairshare of the association, float64 [jobs]; NaN if unknown.
    """

    jobs: tuple[Job, ...]
    now_s: float
    nodes: Ints
    fairshare: Floats
    _words: dict[Field, Words] = field(default_factory=dict, repr=False)
    _numbers: dict[Field, Floats] = field(default_factory=dict, repr=False)
    _sorts: NDArray[np.int8] | None = field(default=None, repr=False)
    _ids: Ints | None = field(default=None, repr=False)
    _tasks: Ints | None = field(default=None, repr=False)
    _arrays: Ints | None = field(default=None, repr=False)
    _members: dict[int, list[int]] | None = field(default=None, repr=False)
    _action_kinds: Ints | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.jobs)

    @property
    def ids(self) -> Ints:
        """Each record's own number, int64 [jobs]."""
        if self._ids is None:
            self._ids = np.fromiter((job.job_id for job in self.jobs), np.int64, len(self.jobs))
        return self._ids

    @property
    def tasks(self) -> Ints:
        """Number of jobs in each record, such as pending tasks of an array, int64 [jobs]."""
        if self._tasks is None:
            self._tasks = np.fromiter(map(task_count, self.jobs), np.int64, len(self.jobs))
        return self._tasks

    @property
    def arrays(self) -> Ints:
        """Array number of each record, int64 [jobs]; 0 for an only record or without an array."""
        if self._arrays is None:
            of = np.fromiter((job.array_job_id for job in self.jobs), np.int64, len(self.jobs))
            numbers, counts = np.unique(of, return_counts=True)
            self._arrays = np.where(np.isin(of, numbers[counts > 1]), of, 0)
        return self._arrays

    def members(self, array: int) -> list[int]:
        """Return the places of an array's records; empty for a number that `arrays` does not have."""
        if self._members is None:
            self._members = {}
            places = np.flatnonzero(self.arrays)
            for place, number in zip(places.tolist(), self.arrays[places].tolist(), strict=True):
                self._members.setdefault(number, []).append(place)
        return self._members.get(array, [])

    @property
    def sorts(self) -> NDArray[np.int8]:
        """Kind of state of each job, as its place in `Sort`, int8 [jobs]."""
        if self._sorts is None:
            place = {sort: number for number, sort in enumerate(Sort)}
            values, codes = _coded(self.jobs, _TEXTS[Field.STATE][0])
            kinds = np.array([place[self.jobs[first].sort] for first in values], np.int8)
            self._sorts = kinds[codes]
        return self._sorts

    @property
    def action_kinds(self) -> Ints:
        """Kind of each job, int64 [jobs]: jobs of one kind allow the same actions, for the same reasons."""
        if self._action_kinds is None:
            _, codes = _coded(self.jobs, _OF_ACTIONS)
            priority = self.numbers(Field.PRIORITY)
            is_unknown = np.isnan(priority)
            self._action_kinds = codes * 3 + np.where(is_unknown, 2, priority == 0)
        return self._action_kinds

    def places_of(self, job_ids: Sequence[int]) -> Ints:
        """Return the places of jobs by their numbers, int64 [found], in their order; others are left out."""
        wanted, order = np.array(job_ids, np.int64), np.argsort(self.ids, kind="stable")
        if not len(order):
            return order
        at = np.minimum(np.searchsorted(self.ids, wanted, sorter=order), len(order) - 1)
        places: Ints = order[at]
        return np.asarray(places[self.ids[places] == wanted], np.int64)

    def words(self, of: Field) -> Words:
        """Return a column of text."""
        if of not in self._words:
            made_of, say = _TEXTS[of]
            firsts, codes = _coded(self.jobs, made_of)
            values = tuple(say(self.jobs[first]) for first in firsts)
            found_by = _FOUND_BY.get(of, lambda _, value: value.casefold())
            jobs = (self.jobs[first] for first in firsts)
            self._words[of] = Words(values, tuple(map(found_by, jobs, values)), codes)
        return self._words[of]

    def parts(self) -> list[list[object]]:
        """Return large contents as separate lists, so that the caller can free them one by one."""
        words = (part for one in self._words.values() for part in (one.values, one.folded))
        return [list(self.jobs), *(list[object](part) for part in words)]

    def warm_up(self) -> bool:
        """Compute one more column of text; return whether one was missing."""
        left = next((of for of in _TEXTS if of not in self._words), None)
        if left is not None:
            self.words(left)
        return left is not None

    def numbers(self, of: Field) -> Floats:
        """Return a column of numbers, float64 [jobs]: seconds, seconds since 1970, counts; NaN where
        unknown.
        """
        if of is Field.FAIRSHARE:
            return self.fairshare
        if of not in self._numbers:
            plain = _PLAIN_NUMBERS.get(of)
            if of in (Field.ELAPSED, Field.LEFT):
                self._numbers[of] = self._of_begun(of)
                return self._numbers[of]
            values = map(plain, self.jobs) if plain else (self._by_now(job, of) for job in self.jobs)
            self._numbers[of] = np.array(list(values), np.float64)  # NumPy converts None to NaN.
        return self._numbers[of]

    def _of_begun(self, of: Field) -> Floats:
        """Return run times or times left, float64 [jobs]; pending jobs, which are most, have none."""
        found = np.full(len(self.jobs), np.nan)
        begun = ~np.isin(self.sorts, [list(Sort).index(sort) for sort in (Sort.WAITING, Sort.HELD)])
        for place in np.flatnonzero(begun).tolist():
            value = self._by_now(self.jobs[place], of)
            found[place] = np.nan if value is None else value
        return found

    def number(self, job: Job, of: Field) -> float:
        """Return a job's value in a numeric column other than fairshare; NaN if unknown."""
        plain = _PLAIN_NUMBERS.get(of)
        value = plain(job) if plain is not None else self._by_now(job, of)
        return math.nan if value is None else float(value)

    def fairshare_of(self, job: Job) -> float:
        """Return the fairshare of one job's association; NaN where it is not known."""
        places = np.flatnonzero(self.ids == job.job_id)
        return float(self.fairshare[places[0]]) if len(places) else math.nan

    def _by_now(self, job: Job, of: Field) -> float | None:
        if of is Field.START:
            return job.expected_start_s(self.now_s) if job.is_pending else job.start_s
        if job.is_pending or (job.start_s is None and not job.is_finished):
            return None
        if of is Field.ELAPSED:
            return job.ran_s(self.now_s)
        return None if job.is_finished else job.left_s(self.now_s)

    def order(self, by: Field, *, is_down: bool) -> Ints:
        """Return positions of the jobs sorted by a column, int64 [jobs]; unknown last, ties by number."""
        first = np.argsort(self.ids, kind="stable")
        if by is Field.JOB:
            return first[::-1] if is_down else first
        keys = self._keys(by)[first]
        unknown = np.isnan(keys)
        keys = np.where(unknown, np.inf, -keys if is_down else keys)
        return first[np.lexsort((keys, unknown))]

    def queue_order(self) -> Ints:
        """Return positions of the jobs by kind of state, pending ones by priority, int64 [jobs]."""
        waits = np.isin(self.sorts, [list(Sort).index(sort) for sort in (Sort.WAITING, Sort.HELD)])
        ahead = np.where(waits, -np.nan_to_num(self.numbers(Field.PRIORITY)), 0.0)
        rank = np.array([_QUEUE.index(sort) for sort in Sort])[self.sorts]
        return np.lexsort((self.ids, ahead, rank))

    def _keys(self, by: Field) -> Floats:
        if by in _TEXTS and by is not Field.NODES:
            words = self.words(by)
            ranks = np.empty(len(words.values))
            order = sorted(range(len(words.values)), key=words.folded.__getitem__)
            ranks[order] = np.arange(len(order))
            empty = np.fromiter((not value for value in words.values), bool, len(words.values))
            ranks[empty] = np.nan
            return np.asarray(ranks[words.codes])
        return self.numbers(by)


def columns_of(state: ClusterState, known: Mapping[Key, int] | None = None) -> JobColumns:
    """Return the columns of a state's jobs; `known` is what `nodes_by_key` says of its tree, if that is
    there.
    """
    part = state.parts.get(PartName.JOBS)
    now_s = part.as_of_s if part is not None and part.as_of_s is not None else 0.0
    nodes, fairshare = _associations(state, known)
    return JobColumns(state.jobs, now_s, nodes, fairshare)


class RecentJobs:
    """Remembers jobs that have ended, for some time after the cluster has forgotten them."""

    def __init__(self) -> None:
        self._ended: dict[int, Job] = {}

    def joined(self, jobs: tuple[Job, ...], now_s: float) -> tuple[Job, ...]:
        """Return the jobs of a reading, followed by those that ended lately and are not among them."""
        self._ended |= {job.job_id: job for job in jobs if job.is_finished}
        since_s = now_s - RECENT_S
        self._ended = {number: job for number, job in self._ended.items() if (job.end_s or now_s) >= since_s}
        there = {job.job_id for job in jobs}
        gone = tuple(job for number, job in self._ended.items() if number not in there)
        return jobs + gone


def nodes_by_key(tree: ClusterTree) -> Mapping[Key, int]:
    """Return the node of every association."""
    return {key: node for node, key in tree.keys.items()}


def node_of(job: Job, known: Mapping[Key, int]) -> int:
    """Return the node that a job is charged to, that of its partition if there is one; -1 if unknown."""
    own = known.get((job.account, job.user, job.partition))
    return own if own is not None else known.get((job.account, job.user, ""), -1)


def below(tree: ClusterTree, nodes: Sequence[int]) -> frozenset[int]:
    """Return some nodes of the tree with all below them; those that are not in it are left out."""
    found: set[int] = set()
    left = [node for node in nodes if node in tree.shares]
    while left:
        node = left.pop()
        if node not in found:
            found.add(node)
            left += tree.shares.node(node).children
    return frozenset(found)


def _associations(state: ClusterState, known: Mapping[Key, int] | None) -> tuple[Ints, Floats]:
    """Return each job's node, and its fairshare as printed."""
    tree, standing, count = state.tree, state.standing, len(state.jobs)
    if tree is None:
        return np.full(count, -1, np.int64), np.full(count, np.nan)
    known, found = nodes_by_key(tree) if known is None else known, {}
    nodes = np.empty(count, np.int64)
    for place, job in enumerate(state.jobs):
        key = (job.account, job.user, job.partition)
        if key not in found:
            found[key] = node_of(job, known)
        nodes[place] = found[key]
    if standing is None or len(standing.printed.fairshare) != len(tree.nodes):
        return nodes, np.full(count, np.nan)
    # The last entry is for jobs without a node.
    row_of = np.full(max(tree.nodes, default=0) + 2, -1, np.int64)
    row_of[list(tree.nodes)] = np.arange(len(tree.nodes))
    rows = row_of[nodes]
    fairshare = np.append(standing.printed.fairshare, np.nan)[rows]
    return nodes, np.asarray(fairshare, dtype=np.float64)


def _coded(jobs: Sequence[Job], made_of: Callable[[Job], Hashable]) -> tuple[list[int], Ints]:
    """Return the first job of each value, and which value each job has."""
    keys = list(map(made_of, jobs))
    code = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    codes = np.fromiter(map(code.__getitem__, keys), np.int64, len(keys))
    _, firsts = np.unique(codes, return_index=True)
    return [int(first) for first in firsts], codes
