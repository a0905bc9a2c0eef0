"""Grid Engine 8.1.9 itself: tickets of waiting jobs, and whose come first, against our rule.

No usage: no host runs jobs. What usage does is held against the formulas in test_decaying.
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


def _tree() -> ShareTree:
    """Projects p1 30 and p2 10 in a group of 60, proj 40."""
    tree = ShareTree("Root")
    group = tree.add(0, "g", 60, Kind.GROUP)
    for parent, name, shares in ((group.id, "p1", 30), (group.id, "p2", 10), (0, "proj", 40)):
        tree.add(parent, name, shares, Kind.ACCOUNT)
    return tree


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GridEngine]:
    name = tmp_path_factory.mktemp("sge").name
    folder = rootfs() / "tmp" / f"fsconsole-{name}-{random.SystemRandom().randrange(10**9)}"
    folder.mkdir(mode=0o755)
    made = GridEngine(f"/{folder.relative_to(rootfs())}")
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
