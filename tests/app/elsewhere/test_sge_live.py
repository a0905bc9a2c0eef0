"""Grid Engine 8.1.9 itself: tickets of waiting jobs, and whose come first, against our rule.

No host runs jobs: usage is written into the files of its projects.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from fsconsole.app.tree.elsewhere.sge import RULE, targets
from fsconsole.shares.formats import format_named
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, ShareTree
from tests.app.elsewhere.dividing import asked, by_name
from tests.shares.formats.grid_engine import GridEngine, rootfs, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
_TICKETS = 1_000_000
_SLOTS = 20


def _tree(proj: int = 40) -> ShareTree:
    """Projects p1 30 and p2 10 in a group of 60, and proj."""
    tree = ShareTree("Root")
    group = tree.add(0, "g", 60, Kind.GROUP)
    for parent, name, shares in ((group.id, "p1", 30), (group.id, "p2", 10), (0, "proj", proj)):
        tree.add(parent, name, shares, Kind.ACCOUNT)
    return tree


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GridEngine]:
    """A Grid Engine with three projects and a tree of them, in files."""
    name = tmp_path_factory.mktemp("sge").name
    folder = rootfs() / "tmp" / f"fsconsole-{name}-{random.SystemRandom().randrange(10**9)}"
    folder.mkdir(mode=0o755)
    made = GridEngine(f"/{folder.relative_to(rootfs())}", in_files=True)
    try:
        made.start()
        for project in ("p1", "p2", "proj"):
            made.add_project(project)
        assert made.set_tree(format_named("sge").write(Scenario(_tree())), is_new=True) == ""
        made.schedule_by_share_tree(_TICKETS)
        yield made
    finally:
        made.stop()


@pytest.mark.parametrize(
    "jobs",
    [{"p1": 16, "p2": 16, "proj": 16}, {"p1": 20, "p2": 1, "proj": 20}, {"p1": 2, "p2": 2, "proj": 18}],
    ids=["saturated", "p2 has one job", "g has four jobs"],
)
def test_tickets_and_the_first_jobs(engine: GridEngine, jobs: dict[str, int]) -> None:
    engine.forget_jobs()
    engine.submit(jobs)
    found = engine.tickets(sum(jobs.values()))
    of = asked(_tree(), {name: count / _SLOTS for name, count in jobs.items()})
    short = targets(of.flat, np.zeros(len(of.flat)), of.wanted > 0).short_overall
    rows = {of.tree.node(node).name: row for row, node in enumerate(of.flat.ids.tolist())}
    of_group = [tickets for tickets, project in found if project != "proj"]
    of_project = [tickets for tickets, project in found if project == "proj"]
    for tickets, name in ((of_group, "g"), (of_project, "proj")):
        expected = [_TICKETS * short[rows[name]] / (place + 1) for place in range(len(tickets))]
        assert tickets == pytest.approx(expected, abs=2)
    first = Counter(project for _, project in found[:_SLOTS])
    parts = by_name(of, RULE.divide(of), _SLOTS)
    assert all(abs(first[name] - parts[name]) <= 1 for name in jobs)


@pytest.mark.parametrize(
    ("proj", "used"),
    [(40, {"p1": 100_000.0, "p2": 10_000.0, "proj": 500_000.0}), (10, {"p1": 1e5, "p2": 1e4, "proj": 100.0})],
    ids=["targets by usage", "compensation is cut back"],
)
def test_targets_follow_usage(engine: GridEngine, proj: int, used: dict[str, float]) -> None:
    engine.forget_jobs()
    tree = _tree(proj)
    assert engine.set_tree(format_named("sge").write(Scenario(tree))) == ""
    engine.set_usage(used)
    engine.submit({"p1": 3, "p2": 3, "proj": 3})
    found = engine.tickets(9)
    of = asked(tree)
    usage = np.array([used.get(tree.node(node).name, 0.0) for node in of.flat.ids.tolist()])
    expected = targets(of.flat, of.flat.group_sum(usage), of.wanted > 0)
    names = {tree.node(node).name: row for row, node in enumerate(of.flat.ids.tolist())}
    most = {name: max(tickets for tickets, project in found if project == name) for name in used}
    # Usage has decayed by some seconds of a week since.
    short = expected.short_overall
    assert max(most["p1"], most["p2"]) == pytest.approx(_TICKETS * short[names["g"]], rel=1e-3)
    assert most["proj"] == pytest.approx(_TICKETS * short[names["proj"]], rel=1e-3)
    assert most["p2"] > most["p1"]
