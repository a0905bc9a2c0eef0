from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.scenario.fractions import fraction, in_percent
from tests.texts import refuses


@pytest.mark.parametrize(
    ("text", "value"),
    [("2.08 %", 0.0208), ("100%", 1.0), ("0 %", 0.0), ("46.78 %", 0.4678), ("1e-9 %", 1e-11)],
)
def test_percentages_are_exact(text: str, value: float) -> None:
    assert fraction(text) == value


@pytest.mark.parametrize("text", ["2.08", "%", "-1 %", "a %", "1 % %", "1e9999 %"])
def test_other_text_is_refused(text: str) -> None:
    with refuses(ValueError, "shares.scenario.is-not-share-of-machine"):
        fraction(text)


@pytest.mark.parametrize(("value", "text"), [(0.0208, "2.08 %"), (1.0, "100 %"), (0.0, "0 %"), (0.1, "10 %")])
def test_fractions_are_written_as_people_do(value: float, text: str) -> None:
    assert in_percent(value) == text


@given(st.floats(0, 1))
def test_what_is_written_is_read_back(value: float) -> None:
    assert fraction(in_percent(value)) == value
