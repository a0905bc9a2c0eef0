"""The plan of a search from its file: the trace read, months found, users and shares resolved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property

from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.months import Period
from fsconsole.batch.search.judge import Asked, Case, weights_of
from fsconsole.batch.search.space import Space, node_named, space_of
from fsconsole.batch.search.spec import Axis, Choice, Goal, SearchSpec
from fsconsole.batch.study.plan import plan_of
from fsconsole.batch.study.spec import Cell, StudyError
from fsconsole.batch.study.task import RESULTS_VERSION
from fsconsole.shares.flat import FlatTree

# Raise the version whenever the same search gives other settings or other values.
SEARCH_VERSION = 1
VERSIONS = [RESULTS_VERSION, SEARCH_VERSION]


@dataclass(frozen=True, eq=False)
class SearchPlan:
    """A search on its trace.

    Attributes:
        spec: the search.
        space: space of settings.
        source: digest of the trace's jobs.
        users: users of the trace.
        train, test: cases for choosing settings, and for testing the chosen ones.
        weights: weights of the months of `train` in means, [goals, months].
        report: report on the trace's jobs, in words.
    """

    spec: SearchSpec
    space: Space
    source: str
    users: tuple[str, ...]
    train: Case
    test: Case | None
    weights: Floats
    report: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Digest of all inputs of the results."""
        spec, tree = self.spec, self.space.tree
        facts = {
            "versions": VERSIONS,
            "source": self.source,
            "cases": [asdict(self.train), None if self.test is None else asdict(self.test)],
            "goals": [asdict(goal) for goal in spec.goals],
            "axes": [axis_facts(axis) for axis in spec.axes],
            "tree": None if tree is None else FlatTree.of(tree).machine_share().tolist(),
            "rest": [spec.budget, spec.population, spec.seed, spec.method, spec.points],
        }
        return hashlib.blake2b(json.dumps(facts, sort_keys=True).encode(), digest_size=16).hexdigest()


def axis_facts(axis: Axis) -> dict[str, object]:
    """Return an axis as plain values, with its kind."""
    return {"kind": "choice" if isinstance(axis, Choice) else "range"} | asdict(axis)


def plan_search(
    spec: SearchSpec, keep: Callable[[str, JobTable], None] = lambda _digest, _jobs: None
) -> SearchPlan:
    """Read the trace and find its months, users and nodes; `keep` gets the job table and its digest.

    Raises:
        StudyError: the trace, months, users or shares cannot be used.
        ScenarioError: the share tree cannot be used.
        OSError: a file cannot be read.
    """
    kept: dict[str, JobTable] = {}

    def take(digest: str, jobs: JobTable) -> None:
        kept[digest] = jobs

    train, report = _months(spec, is_test=False, keep=take)
    test, _ = _months(spec, is_test=True, keep=take)
    test = _held_out(spec, train, test)
    (source,) = {cell.source for cell in train}
    jobs = kept[source]
    keep(source, jobs)
    space = space_of(spec, jobs.users)
    asked = tuple(_asked(goal, spec, space, jobs) for goal in spec.goals)
    shares = None if space.tree is None else tuple(space.user_shares(()).tolist())

    def case_of(cells: list[Cell]) -> Case:
        periods = tuple(cell.period for cell in cells if cell.period is not None)
        return Case(cells[0].cluster_nodes, periods, asked, spec.baseline, shares)

    cases = case_of(train), case_of(test) if test else None
    weights = weights_of(cases[0], jobs)
    return SearchPlan(spec, space, source, jobs.users, cases[0], cases[1], weights, report)


def _months(
    spec: SearchSpec, *, is_test: bool, keep: Callable[[str, JobTable], None]
) -> tuple[list[Cell], tuple[str, ...]]:
    """Return runs of the baseline on the named months, as in a study."""
    months = spec.train if not is_test else "all" if spec.test is None else spec.test
    if months == "whole":
        msg = f"{spec.name}: a search needs months to choose on and others to test on. Write a list"
        raise StudyError(msg)
    from dataclasses import replace

    plan = plan_of(replace(spec.study((spec.baseline,), months), shares=None), keep)
    return list(plan.cells), next(iter(plan.sources.values())).report


def _held_out(spec: SearchSpec, train: list[Cell], test: list[Cell]) -> list[Cell]:
    """Return the months to test on.

    Raises:
        StudyError: one is also a month to choose on.
    """
    own = [cell.period for cell in train if cell.period is not None]

    def is_seen(cell: Cell) -> bool:
        period = cell.period
        return period is not None and any(
            period.start_s < other.end_s and other.start_s < period.end_s for other in own
        )

    seen = [cell for cell in test if is_seen(cell)]
    if seen and spec.test is not None:
        period: Period | None = seen[0].period
        name = period.name if period is not None else ""
        msg = (
            f"{name} is in train and in test. Settings must be tested on months on which they were not chosen"
        )
        raise StudyError(msg)
    return [cell for cell in test if cell not in seen]


def _asked(goal: Goal, spec: SearchSpec, space: Space, jobs: JobTable) -> Asked:
    users = None if not goal.of else _users(goal.of, spec, space, jobs.users)
    return Asked(goal.measure, users, goal.target, goal.days, goal.fewest_jobs, goal.floor_s)


def _users(name: str, spec: SearchSpec, space: Space, users: tuple[str, ...]) -> tuple[int, ...]:
    """Return numbers of the users of a group, or of the single user of that name."""
    number = {user: place for place, user in enumerate(users)}
    tree = space.tree
    if tree is None:
        if name in number:
            return (number[name],)
        msg = f"goal of {name!r}: the trace has no such user, and the search has no groups"
        raise StudyError(msg)
    if name in number and name not in spec.groups and spec.shares is None:
        return (number[name],)
    node = node_named(tree, name)
    found = {number[leaf.name] for leaf in tree.walk(node) if not leaf.is_group and leaf.name in number}
    if not found:
        msg = f"goal of {name!r}: the group has no user of the trace"
        raise StudyError(msg)
    return tuple(sorted(found))
