"""KAI's division against the tables of its own tests, and down a tree.

Source: KAI-Scheduler, pkg/scheduler/plugins/proportion/resource_division/resource_division_test.go ("two
queues", "divides the remainder even when using priorities", "three queues") and
cmd/fairshare-simulator/README.md.
"""

from __future__ import annotations

from typing import Any

import pytest

from fsconsole.app.tree.elsewhere.kai import RULE, Queue, divide_among
from fsconsole.shares.tree import Kind, ShareTree
from tests.app.elsewhere.dividing import asked, divided
from tests.texts import says

_TWO = {"request": 6.0, "deserved": 2.0, "weight": 2.0}


@pytest.mark.parametrize(
    ("total", "changes", "left", "shares"),
    [
        (15, ({}, {}), 3, (6, 6)),
        (12, ({}, {}), 0, (6, 6)),
        (8, ({"weight": 1.0}, {"weight": 3.0}), 0, (3, 5)),
        (12, ({"limit": 5.0}, {}), 1, (5, 6)),
        (11, ({"weight": 1.0, "request": 10.0}, {"weight": 4.0, "request": 10.0}), 0, (3, 8)),
        (11, ({}, {}), 0, (6, 5)),
        (4, ({"priority": 1}, {"priority": 2}), 0, (2, 2)),
        (6, ({"priority": 1}, {"priority": 2}), 0, (2, 4)),
        (6, ({"priority": 1, "weight": 100.0}, {"priority": 2, "weight": 1.0}), 0, (2, 4)),
    ],
)
def test_two_queues(
    total: float, changes: tuple[dict[str, Any], dict[str, Any]], left: float, shares: tuple[float, float]
) -> None:
    queues = [Queue(**(_TWO | change)) for change in changes]
    assert divide_among(total, queues) == left
    assert tuple(queue.fair_share for queue in queues) == shares


def test_a_remainder_goes_to_the_highest_priority() -> None:
    queues = [Queue(5, 2, 2, priority=2), Queue(5, 2, 2, priority=2), Queue(0, 1, 2, priority=1)]
    assert divide_among(5, queues) == 0
    assert [queue.fair_share for queue in queues] == [3, 2, 0]


@pytest.mark.parametrize(
    ("total", "requests", "shares"),
    [
        (10_000, (5000, 5000, 5000), (5000, 5000, 5000)),  # they deserve more than there is
        (18_000, (6000, 6000, 6000), (6000, 6000, 6000)),
        (10_000, (7000, 2000, 2000), (6000, 2000, 2000)),
        (10_000, (7000, 5000, 2000), (5000, 5000, 2000)),
    ],
)
def test_three_queues(total: float, requests: tuple[int, ...], shares: tuple[int, ...]) -> None:
    queues = [Queue(request, 5000, 5000) for request in requests]
    divide_among(total, queues)
    assert tuple(queue.fair_share for queue in queues) == shares


def _queues(*nodes: tuple[str, int, str]) -> ShareTree:
    tree = ShareTree("all")
    for name, weight, quota in nodes:
        group = tree.add(0, name, weight, Kind.GROUP)
        group.foreign["kai.quota gpu"] = quota
        tree.add(group.id, f"{name}1", 1, Kind.ACCOUNT)
        tree.add(group.id, f"{name}2", 1, Kind.ACCOUNT)
    return tree


def test_quota_first_then_weight_down_the_tree() -> None:
    got = divided(RULE, _queues(("a", 3, "10"), ("b", 1, "10")), size=100)
    assert (got["a"], got["b"]) == pytest.approx((70, 30))  # the simulator's example
    assert (got["a1"], got["a2"], got["b1"], got["b2"]) == pytest.approx((35, 35, 15, 15))
    got = divided(RULE, _queues(("a", 3, "10"), ("b", 1, "10")), {"a1": 0.2, "a2": 0.1}, size=100)
    assert (got["a"], got["a1"], got["a2"], got["b"]) == pytest.approx((30, 20, 10, 70))


def test_more_deserved_than_there_is_is_scaled_and_said() -> None:
    of = asked(_queues(("a", 1, "60"), ("b", 1, "90")), size=100)
    division = RULE.divide(of)
    assert division.parts[0] == pytest.approx(1)
    assert any(says(note, "app.tree.elsewhere.queues-deserved-shares-are-of") for note in division.notes)


@pytest.mark.parametrize("quota", ["0", "-1"])
def test_quotas_below_a_queue_without_one_are_seen(quota: str) -> None:
    tree = _queues(("a", 1, quota), ("b", 1, "3"))
    for name, own in (("a1", "4"), ("a2", "1")):
        tree.writable(tree.find(name).id).foreign["kai.quota gpu"] = own
    division = RULE.divide(asked(tree))
    assert any(
        says(note, "app.tree.elsewhere.machine-has-gpus-sum-of", deserved="8") for note in division.notes
    )
