"""Who benefits and who suffers: users of the paper's Table VI, and what is neither."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.measures.benefit import Benefit, benefit, changes

HOUR = 3600


def users(waits_h: Mapping[str, float | None]) -> pl.DataFrame:
    jobs = [0 if wait is None else 1 for wait in waits_h.values()]
    waits = pl.Series(list(waits_h.values()), dtype=pl.Float64)
    return pl.DataFrame({"user": list(waits_h), "jobs": jobs, "max_wait_h": waits})


def test_users_of_table_vi() -> None:
    fcfs = users({"71": 105.1, "24": 114.8, "70": 49.0, "107": 78.1})
    relshare = users({"71": 211.2, "24": 283.8, "70": 20.1, "107": 23.5})
    found = benefit(fcfs, relshare)
    assert found == Benefit(4, benefit=2, suffer=2, benefit_considerably=2, suffer_considerably=2)
    assert found.fraction(found.benefit) == 0.5
    seven_days = users({"71": 451.1, "24": 30.8, "70": 15.3, "107": 20.2})
    assert benefit(fcfs, seven_days) == Benefit(4, 3, 1, 3, 1)


def test_equal_waits_are_neither_and_ten_hours_not_yet_considerable() -> None:
    third = 1 / 3
    before = users({"equal": 5 + third, "ten less": 10 + third, "more": 0, "much more": 0, "no jobs": None})
    after = users(
        {"equal": 5 + third, "ten less": third, "more": 10, "much more": 10 + 1 / HOUR, "no jobs": None}
    )
    found = benefit(before, after)
    assert found == Benefit(4, benefit=1, suffer=2, benefit_considerably=0, suffer_considerably=1)
    assert found.neither == 1


def test_nobody() -> None:
    nobody = benefit(users({}), users({}))
    assert nobody == Benefit(0, 0, 0, 0, 0)
    assert nobody.fraction(0) == 0


@given(st.dictionaries(st.text("abc", min_size=1), st.tuples(st.integers(0, 10**7), st.integers(0, 10**7))))
def test_seconds_survive_hours_and_the_other_way_round_is_the_other_way_round(
    waits_s: dict[str, tuple[int, int]],
) -> None:
    before = users({name: one / HOUR for name, (one, _) in waits_s.items()})
    after = users({name: other / HOUR for name, (_, other) in waits_s.items()})
    expected = [other - one for one, other in waits_s.values()]
    assert changes(before, after)["change_s"].to_list() == expected
    there, back = benefit(before, after), benefit(after, before)
    assert (there.benefit, there.suffer) == (back.suffer, back.benefit)
    assert (there.benefit_considerably, there.neither) == (back.suffer_considerably, back.neither)
    assert there.fraction(there.benefit) + there.fraction(there.suffer) == pytest.approx(
        there.fraction(there.users - there.neither)
    )
