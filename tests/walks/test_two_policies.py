"""Two policies over a day of the machine: what a user loses where groups do not count."""

from __future__ import annotations

import pytest

from tests.walks.walker import Walker, number


@pytest.mark.watch_allows("place", reason="Cancel goes when a comparison is done", issue="calm")
def test_two_policies(user: Walker) -> None:
    user.find("Paused")
    user.press("Ctrl+4")
    user.wait(5)
    user.click("Compare policies")
    user.wait(5)
    user.picture("form")
    user.click("Simulated time")
    user.press("Ctrl+A")
    user.type("24 h")
    user.press("Return")
    user.click("Run comparison", within="Compare")
    user.wait(15)
    user.picture("running")
    user.until(lambda: user.sees("Run comparison", within="Compare"))
    user.picture("compared")

    def parts(name: str) -> list[float]:
        return [number(user.cell(name, column, within="Differences")) for column in ("A", "B", "B \u2212 A")]

    # Groups count in A: half of the machine for two users and for three. In B five users share alike.
    assert parts("u11") == pytest.approx([100 / 4, 100 / 5, -5], abs=0.1)
    assert parts("u23") == pytest.approx([100 / 6, 100 / 5, 10 / 3], abs=0.1)
    user.wait(15)
    user.click("u11", within="Differences")
    user.press("Ctrl+2")
    user.wait(15)
    user.press("Ctrl+4")
    user.wait(5)
    user.picture("back")
    assert parts("u11") == pytest.approx([100 / 4, 100 / 5, -5], abs=0.1)
