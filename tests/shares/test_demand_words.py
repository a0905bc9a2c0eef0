"""Demands in words."""

from __future__ import annotations

import pytest

from fsconsole.shares.demand_words import demand_from, demand_text
from fsconsole.shares.saturation import SATURATED
from tests.texts import refuses


@pytest.mark.parametrize(
    ("text", "demand"),
    [("saturated", SATURATED), (" Idle ", 0), ("2.08 %", 0.0208), ("limit 10%", 0.1), ("100", 1), ("0", 0)],
)
def test_what_people_write(text: str, demand: float) -> None:
    assert demand_from(text) == pytest.approx(demand)
    assert demand_from(demand_text(demand)) == pytest.approx(demand)


@pytest.mark.parametrize("text", ["", "much", "101 %", "-1 %", "nan", "1e3"])
def test_what_is_no_demand_is_answered_with_what_is(text: str) -> None:
    with refuses(ValueError, "shares.saturated-idle-or-limit-from"):
        demand_from(text)
