"""Users with given jobs: what they have, and that fair share makes them suffer."""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.batch.generate import generate_month, period_of_month, printed_month
from fsconsole.batch.generate.planted import planted
from fsconsole.batch.insight.user_types import find_user_types
from fsconsole.batch.months import simulate_month
from fsconsole.batch.policy import POLICIES


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kind", ["S1", "S2"])
def test_the_user_is_found_among_those_of_july_2003(kind: str, seed: int) -> None:
    jobs, july = generate_month("7/03", seed, (kind,)), period_of_month("7/03")
    base, fair = (
        simulate_month(jobs, july, 128, POLICIES[name], reservations=True)
        for name in ("fcfs-backfill", "relshare")
    )
    found = find_user_types(base.schedule, fair.schedule, fair.measured, july, base_measured=base.measured)
    (user,) = (user for user in found if user.user == kind)
    assert user.kind == kind
    assert user.max_wait_h > user.base_max_wait_h + 10
    if kind == "S1":
        assert "reservation" in user.reason
        assert user.dev_nh < user.base_dev_nh < -50


@pytest.mark.parametrize("name", ["7/03", "10/03", "1/04"])
def test_they_have_jobs_like_those_of_table_ii(name: str) -> None:
    month = printed_month(name)
    mixed, heavy = planted(month, ("S1", "S2"), np.random.default_rng(1))
    assert len(mixed.bodies.nodes) == 53  # as #8
    assert mixed.bodies.nodes.max() == 128
    assert np.median(mixed.bodies.nodes) <= 32  # as #24
    sizes = heavy.bodies.nodes
    assert len(sizes) == 58  # as #71, whose jobs have 32 to 100 nodes, most of them 32
    assert (sizes.min(), sizes.max()) == (32, 100)
    assert np.median(sizes) == 32
    assert sizes.mean() == pytest.approx(48.8, abs=0.5)
    total = float(heavy.bodies.node_hours.sum())
    assert total == pytest.approx(min(11693, 0.9 * month.user_nh.largest), rel=0.01)
    for user in (mixed, heavy):
        assert user.bodies.runtime_s.min() >= 1
        assert user.bodies.runtime_s.max() <= month.limit_s
        assert user.bodies.node_hours.max() <= month.size_nh.largest
        assert user.submit_s.min() >= 0
        assert user.submit_s.max() < month.length_s


def test_several_of_one_type_are_told_apart() -> None:
    made = planted(printed_month("9/03"), ("S2", "S1", "S2"), np.random.default_rng(1))
    assert [one.name for one in made] == ["S2", "S1", "S2-2"]
