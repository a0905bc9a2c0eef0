"""Sessions from a trace: the leaf of each owner's jobs, the jobs in the chosen time, and losses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fsconsole.app.load.plan import MOST_SESSIONS, Session
from fsconsole.batch.job_table import JobTable
from fsconsole.batch.policy import DAY_S
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.tree import ShareTree
from fsconsole.text.numbers import percent, thousands
from fsconsole.text.words import count_words, listed, plural

How = Literal["by name", "by hand", "dealt out", "left out", "ambiguous"]
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Owner:
    """A user or an account of a trace: its name, its jobs in the chosen time and their usage."""

    name: str
    jobs: int
    node_s: int


@dataclass(frozen=True, slots=True)
class Match:
    """Node for the jobs of an owner: a leaf, or a group with leaves that take turns; None to leave them out.

    `how` is the reason; `ambiguous` are owners with the same name as several leaves.
    """

    owner: Owner
    node: int | None
    how: How


@dataclass(frozen=True, eq=False, slots=True)
class Extract:
    """The jobs of a trace that are submitted in a length of time.

    Attributes:
        jobs: of the whole trace.
        from_s, length_s: the time, in seconds of the trace.
        chosen: the rows of `jobs` in it.
    """

    jobs: JobTable
    from_s: float
    length_s: float
    chosen: JobTable

    @classmethod
    def of(cls, jobs: JobTable, from_s: float, length_s: float) -> Extract:
        """Take the jobs from a time on.

        Raises:
            ValueError: there are no jobs or too many.
        """
        first, last = np.searchsorted(jobs.submit_s, [from_s, from_s + length_s])
        count = int(last - first)
        if not count:
            days = (int(jobs.submit_s[0]) / DAY_S, int(jobs.submit_s[-1]) / DAY_S)
            msg = (
                "No job of the trace is submitted in that time. Its jobs are from day "
                f"{days[0]:.1f} to day {days[1]:.1f}. Example: {days[0]:.0f} d"
            )
            raise ValueError(msg)
        if count > MOST_SESSIONS:
            msg = (
                f"That time has {thousands(count)} jobs, but at most {thousands(MOST_SESSIONS)} are "
                "allowed. Choose a "
                "shorter time."
            )
            raise ValueError(msg)
        return cls(jobs, from_s, length_s, jobs.rows(slice(int(first), int(last))))

    @property
    def owners(self) -> list[Owner]:
        """Owners of the jobs, by descending use."""
        chosen, size = self.chosen, len(self.jobs.users)
        counts = np.bincount(chosen.user, minlength=size)
        used = np.bincount(chosen.user, weights=chosen.node_seconds, minlength=size)
        found = [
            Owner(name, int(counts[at]), int(used[at]))
            for at, name in enumerate(self.jobs.users)
            if counts[at]
        ]
        return sorted(found, key=lambda one: (-one.node_s, one.name))


def busiest_day(jobs: JobTable) -> float:
    """Return the begin of the day with the largest use by jobs, in seconds of the trace."""
    days = jobs.submit_s // DAY_S
    used = np.bincount(days - days.min(), weights=jobs.node_seconds)
    return float((int(used.argmax()) + int(days.min())) * DAY_S)


def match_owners(
    tree: ShareTree,
    leaves: Sequence[int],
    owners: Sequence[Owner],
    given: Mapping[str, int | None],
    *,
    deal: bool,
) -> list[Match]:
    """Find the node of each owner among leaves and the groups above them, in the order of `owners`.

    It is the given node, or the node of that name in any case. With `deal`, owners without a match are
    assigned to the remaining leaves: the largest use to the largest part of the machine. If there are too few
    leaves, the assignment starts again.
    """
    named: dict[str, list[int]] = defaultdict(list)
    for node in _with_above(tree, leaves):
        named[tree.node(node).name.casefold()].append(node)
    found = [_match(owner, given, _best(tree, named.get(owner.name.casefold(), []))) for owner in owners]
    if not deal:
        return found
    taken = {match.node for match in found}
    ranked = by_share(tree, leaves)
    order = [leaf for leaf in ranked if leaf not in taken] or ranked
    dealt: list[Match] = []
    place = 0
    for match in found:
        if match.how == "left out" and match.owner.name not in given and order:
            match = Match(match.owner, order[place % len(order)], "dealt out")
            place += 1
        dealt.append(match)
    return dealt


def _with_above(tree: ShareTree, leaves: Iterable[int]) -> dict[int, None]:
    """Return leaves and the groups above them, without the root."""
    found: dict[int, None] = {}
    for leaf in leaves:
        found[leaf] = None
        found |= {up.id: None for up in tree.ancestors(leaf) if up.parent is not None}
    return found


def _best(tree: ShareTree, nodes: list[int]) -> list[int]:
    """Choose the best match; a leaf comes before a group of the same name."""
    leaves = [node for node in nodes if not tree.node(node).is_group]
    return leaves or nodes


def _match(owner: Owner, given: Mapping[str, int | None], nodes: Sequence[int]) -> Match:
    if owner.name in given:
        node = given[owner.name]
        return Match(owner, node, "left out" if node is None else "by hand")
    if len(nodes) > 1:
        return Match(owner, None, "ambiguous")
    return Match(owner, nodes[0], "by name") if nodes else Match(owner, None, "left out")


def by_share(tree: ShareTree, leaves: Sequence[int]) -> list[int]:
    """Return leaves, those with the largest part of the machine first; without system groups where others
    are.
    """
    flat = FlatTree.of(tree)
    shares = flat.machine_share()
    of_users = [leaf for leaf in leaves if not flat.is_system[flat.row_of[leaf]]]
    return sorted(of_users or leaves, key=lambda leaf: -shares[flat.row_of[leaf]])


def sessions_of_trace(
    tree: ShareTree,
    leaves: Sequence[int],
    extract: Extract,
    matches: Sequence[Match],
    cpus: int,
    cluster_nodes: int | None,
) -> dict[int, tuple[Session, ...]]:
    """Return sessions of leaves from the jobs that go to them or to a group above them, whose leaves take
    turns.

    Each begins when its job was submitted, and ends by itself.

    A job of n nodes that ran for t comes to n processes of CPU time t. With `cluster_nodes` it is made
    smaller as the machine is: n * cpus / cluster_nodes processes, at least one, with the CPU time of that
    part of the job in all, so that the machine is asked for what the cluster was.
    """
    scale = cpus / cluster_nodes if cluster_nodes else 1.0
    goes_to = {match.owner.name: match.node for match in matches}
    turns = _Turns(tree, leaves)
    made: dict[int, list[Session]] = {leaf: [] for leaf in leaves}
    chosen = extract.chosen
    columns = (chosen.job_id, chosen.submit_s, chosen.runtime_s, chosen.nodes, chosen.user)
    for job_id, submit_s, runtime_s, nodes, user in zip(*(one.tolist() for one in columns), strict=True):
        node = goes_to.get(chosen.users[user])
        if node is None:
            continue
        leaf = turns.next_of(node)
        count = max(1, round(nodes * scale))
        cpu_s = round(runtime_s * nodes * scale / count, 3)
        process = StartProcess(leaf, Work(cpu_s=max(cpu_s, 0.001)), f"job {job_id}", count)
        made[leaf].append(Session(leaf, float(submit_s - extract.from_s), None, process, logs_in=False))
    return {leaf: tuple(sessions) for leaf, sessions in made.items()}


class _Turns:
    """Which leaf of a group is next."""

    def __init__(self, tree: ShareTree, leaves: Sequence[int]) -> None:
        self._below: dict[int, list[int]] = defaultdict(list)
        for leaf in leaves:
            for node in (leaf, *(up.id for up in tree.ancestors(leaf))):
                self._below[node].append(leaf)
        self._count: Counter[int] = Counter()

    def next_of(self, node: int) -> int:
        """Return the next leaf below a node; a leaf itself."""
        below = self._below[node]
        self._count[node] += 1
        return below[(self._count[node] - 1) % len(below)]


def match_lines(matches: Sequence[Match], *, owners: str = "user") -> list[str]:
    """Return the number of owners and their work by node, and the names of omitted owners."""
    whole = sum(match.owner.node_s for match in matches)
    lines = []
    words: dict[How, str] = {
        "by name": "matched by name",
        "by hand": "matched by hand",
        "dealt out": "without a match: assigned, the largest user to the largest share",
        "ambiguous": "left out, because several nodes have that name",
        "left out": "left out",
    }
    for how, text in words.items():
        found = [match.owner for match in matches if match.how == how]
        if found:
            jobs, part = sum(one.jobs for one in found), _part(found, whole)
            names = f"{count_words(len(found), owners)} {text}"
            line = f"{names}: {count_words(jobs, 'job')}, {part} of the CPU time"
            is_lost = how in ("ambiguous", "left out")
            lines.append(f"{line} ({listed([one.name for one in found], _NAMED)})" if is_lost else line)
    return lines


def left_out_lines(extract: Extract) -> list[str]:
    """Return lines on the jobs of the trace that are outside the chosen time."""
    jobs, chosen = extract.jobs, extract.chosen
    before = int((jobs.submit_s < extract.from_s).sum())
    running = int(
        ((jobs.submit_s < extract.from_s) & (jobs.submit_s + jobs.runtime_s > extract.from_s)).sum()
    )
    after = len(jobs) - len(chosen) - before
    lines = [f"{count_words(len(chosen), 'job')} of {thousands(len(jobs))} submitted in that time"]
    if before or after:
        lines[0] += f", without {thousands(before)} earlier and {thousands(after)} later ones"
    if running:
        lines.append(
            plural(
                running, "1 earlier job has not ended when that time begins",
                f"{thousands(running)} earlier jobs have not ended when that time begins",
            )
        )  # fmt: skip
    return lines


def _part(owners: Iterable[Owner], whole: int) -> str:
    return percent(sum(one.node_s for one in owners) / whole if whole else 0)
