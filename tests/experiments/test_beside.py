"""What stands beside the policies: the law of usage feedback without ticks, and the printed forms."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.experiments import printed_forms
from fsconsole.experiments.effects import cpu_of_deltas
from tests.laws import tries

SHARES = (1 / 7, 2 / 7, 4 / 7)


@given(shares=st.lists(st.integers(1, 9), min_size=2, max_size=5))
@tries(30)
def test_feedback_of_usage_over_the_square_of_shares_leads_to_the_shares(shares: list[int]) -> None:
    parts = [share / sum(shares) for share in shares]
    law = cpu_of_deltas(parts, [0.0] * len(parts), deltas=600, delta_s=4.0, half_life_s=120.0)
    assert law[-1] == pytest.approx(parts, abs=1e-6)
    assert law.sum(axis=1) == pytest.approx(1.0)


def test_differences_of_squared_normalised_usage_decay_with_half_the_half_life() -> None:
    """The law of FORMULAS for small deltas: n_i^2 - n_j^2 decays as exp(-2 t ln 2 / half-life)."""
    half_life, delta = 600.0, 0.5
    tau = half_life / math.log(2)
    usage = [0.5 * tau * 1.2, 0.5 * tau * 0.8]  # both together what a busy CPU leaves in the long run
    law = cpu_of_deltas((0.5, 0.5), usage, deltas=1200, delta_s=delta, half_life_s=half_life)
    first = (law[0, 1] / law[0, 0], law[600, 1] / law[600, 0], law[1199, 1] / law[1199, 0])

    # CPU parts are as 1/usage, so that usages are as the parts of the other.
    def difference(ratio: float) -> float:
        mine, other = ratio / (1 + ratio), 1 / (1 + ratio)
        return mine**2 - other**2

    assert difference(first[1]) / difference(first[0]) == pytest.approx(0.5, abs=0.005)
    assert difference(first[2]) / difference(first[0]) == pytest.approx(0.25, abs=0.005)


def test_one_factor_of_share_gives_square_roots() -> None:
    parts = printed_forms.cpu_parts(printed_forms.usage_over_share(SHARES), 3, 1200, 120.0)
    roots = [math.sqrt(share) for share in SHARES]
    assert parts == pytest.approx([root / sum(roots) for root in roots], abs=0.002)


@pytest.mark.parametrize("nu", [1.1, 1.5, 2.0])
def test_the_squared_terminator_settles_where_its_equations_say(nu: float) -> None:
    """With x CPU parts and r = (x/s) / max(x/s): x is as (s (nu - r))^2, and r as x/s."""
    rows = [1.0] * 3
    for _ in range(2000):
        wanted = [share * (nu - r) ** 2 for share, r in zip(SHARES, rows, strict=True)]
        largest = max(wanted)
        rows = [0.9 * r + 0.1 * value / largest for r, value in zip(rows, wanted, strict=True)]
    parts = [share * r for share, r in zip(SHARES, rows, strict=True)]
    expected = [part / sum(parts) for part in parts]
    rule = printed_forms.redistributed(SHARES, nu, 2, every=5)
    assert printed_forms.cpu_parts(rule, 3, 1200, 120.0) == pytest.approx(expected, abs=0.005)
