"""Kueue's fair sharing against its integration tests and KEP 1714.

Source: Kueue, test/integration/singlecluster/scheduler/fairsharing/fair_sharing_test.go;
keps/1714-fair-sharing.
"""

from __future__ import annotations

import pytest

from fsconsole.app.tree.elsewhere.kueue import RULE
from fsconsole.app.tree.elsewhere.rule import CannotDivideError
from fsconsole.shares.formats.resource_quotas import quantity
from fsconsole.shares.tree import Kind, ShareTree
from tests.app.elsewhere.dividing import Object, asked, divided, kueue
from tests.texts import refuses_naming, says, wording


def _cohort(
    name: str, parent: str | None = None, quota: int | None = None, weight: float | None = None
) -> Object:
    return "Cohort", name, parent, "" if quota is None else f"nominalQuota: {quota}", weight


def _queue(name: str, cohort: str, quota: str, weight: float | None = None) -> Object:
    return "ClusterQueue", name, cohort, f"nominalQuota: {quota}", weight


def test_what_is_above_quotas_is_shared() -> None:
    """«Terminating 4 running workloads in cqA: shared quota is fair-shared»: 5 of a, 3 of b; both at 250."""
    tree = kueue(_queue("a", "all", "3"), _queue("b", "all", "1"), _queue("shared", "all", "4"))
    of = asked(tree, {"b": 5 / 8, "shared": 0.0}, size=8)
    division = RULE.divide(of)
    names = [tree.node(node).name for node in of.flat.ids.tolist()]
    assert [round(8 * division.parts[names.index(name)]) for name in ("a", "b", "shared")] == [5, 3, 0]
    assert says(division.why[names.index("a")], "app.tree.elsewhere.share-value", value="250")
    assert says(division.why[names.index("b")], "app.tree.elsewhere.share-value", value="250")
    got = divided(RULE, tree, {"a": 4 / 8, "b": 5 / 8, "shared": 0.0}, size=8)
    assert (got["a"], got["b"]) == (4, 4)


def test_who_comes_back_reclaims_its_quota() -> None:
    tree = kueue(_queue("a", "all", "3"), _queue("b", "all", "3"), _queue("c", "all", "3"))
    got = divided(RULE, tree, {"b": 5 / 9, "c": 0.0}, size=9)
    assert (got["a"], got["b"], got["c"]) == (5, 4, 0)
    got = divided(RULE, tree, {"b": 5 / 9, "c": 1 / 9}, size=9)
    assert (got["a"], got["b"], got["c"]) == (4, 4, 1)


def test_shares_are_fair_with_respect_to_each_parent() -> None:
    """«preempts workloads to enforce fair share»: 12 CPUs of the root, 4 2 2 4."""
    tree = kueue(
        _cohort("root-cohort", quota=12), _cohort("research", "root-cohort"),
        _cohort("chemistry", "research"), _cohort("physics", "research"),
        _cohort("llm", "research", weight=2.0), _cohort("best-effort", "root-cohort", weight=0.5),
        _queue("cq", "chemistry", "0"),
        _queue("pq", "physics", "0"), _queue("lq", "llm", "0"), _queue("bq", "best-effort", "0"),
    )  # fmt: skip
    got = divided(RULE, tree, size=12)
    assert (got["bq"], got["cq"], got["pq"], got["lq"]) == pytest.approx((4, 2, 2, 4))


def test_the_bank_of_another_branch_is_lent() -> None:
    """«admits workloads respecting fair share»: both queues below first-left have 5 of 14."""
    tree = kueue(
        _cohort("top"), _cohort("fl", "top"), _cohort("fr", "top"), _cohort("sl", "fl"), _cohort("sr", "fl"),
        _cohort("bank", "fr", quota=10), _queue("ql", "sl", "2"), _queue("qr", "sr", "2"),
    )  # fmt: skip
    of = asked(tree, {"ql": 5 / 14, "qr": 5 / 14}, size=14)
    division = RULE.divide(of)
    names = [tree.node(node).name for node in of.flat.ids.tolist()]
    assert division.parts[names.index("ql")] * 14 == pytest.approx(5)
    for name, value in (("fl", 6 / 14), ("sl", 3 / 14), ("sr", 3 / 14)):
        assert says(
            division.why[names.index(name)], "app.tree.elsewhere.share-value", value=f"{1000 * value:.0f}"
        )


def test_story_3_of_the_proposal() -> None:
    """KEP 1714: 300 GPUs: 150 each, in C1 30, 30 and 90."""
    tree = kueue(
        _cohort("top"), _cohort("cs", "top"), _cohort("c1", "top"), _cohort("c2", "top"),
        _queue("bank", "cs", "300"), _queue("1a", "c1", "0"), _queue("1b", "c1", "0"),
        _queue("1c", "c1", "0", 3.0), _queue("2a", "c2", "0"),
    )  # fmt: skip
    got = divided(RULE, tree, {"bank": 0.0}, size=300)
    assert [round(got[name]) for name in ("c1", "c2", "1a", "1b", "1c", "2a")] == [150, 150, 30, 30, 90, 150]


def test_limits_hold() -> None:
    tree = kueue(
        _queue("a", "all", "2, borrowingLimit: 3"),
        _queue("b", "all", "8, lendingLimit: 4"),
        _queue("c", "all", "0"),
    )
    got = divided(RULE, tree, {"b": 0.0}, size=10)
    assert got["a"] + got["c"] == pytest.approx(6)  # 4 of b's are never lent
    assert got["b"] == 0
    assert divided(RULE, tree, {"b": 0.0, "c": 0.0}, size=10)["a"] == pytest.approx(5)


def test_weight_0_comes_last_and_a_queue_without_a_cohort_borrows_nothing() -> None:
    tree = kueue(
        _queue("a", "all", "0", 0),
        _queue("b", "all", "0"),
        _queue("bank", "all", "6"),
        _queue("alone", "", "4"),
    )
    got = divided(RULE, tree, {"bank": 0.0, "b": 0.4}, size=10)
    assert (got["a"], got["b"], got["alone"]) == pytest.approx((2, 4, 4))


def test_a_wrong_quota_is_named() -> None:
    tree = ShareTree("all")
    tree.add(0, "a", 1, Kind.ACCOUNT).foreign["kueue.nominalQuota cpu x"] = "much"
    with refuses_naming(
        CannotDivideError, "all/a:", "cpu:", wording("shares.formats.is-not-quantity", text="'much'")
    ):
        RULE.divide(asked(tree))
    assert quantity("500m") == 0.5
    assert quantity("36Gi") == 36 * 2**30
