"""A first result in two minutes, as the README gives its steps."""

from __future__ import annotations

import pytest

from tests.walks.walker import Walker, number


@pytest.mark.dear("a minute and a half of the console at real speed")
@pytest.mark.watch_allows("place", reason="the tab of Problems grows with its count", issue="calm")
def test_readme(user: Walker) -> None:
    def rate(name: str) -> float:
        return number(user.cell(name, "CPU %", within="Nodes and legend"))

    user.find("Paused")  # the machine is there
    user.picture("start")
    user.press("Space")
    user.wait(12)
    user.picture("running")
    assert [rate("u11"), rate("u12")] == pytest.approx([25, 25], abs=1)
    assert [rate("u21"), rate("u22"), rate("u23")] == pytest.approx([100 / 6] * 3, abs=1)

    user.press("Ctrl+1")
    user.click("gr1", within="Share tree")
    user.type("2000")
    assert user.readout()
    user.picture("typed")
    user.press("Return")
    assert number(user.cell("gr1", "Shares", within="Share tree")) == 2000

    user.press("Ctrl+2")
    user.wait(12)  # two minutes of the machine
    user.until(lambda: rate("gr1") == pytest.approx(200 / 3, abs=2))
    user.picture("two-thirds")

    user.press("Ctrl+Z")
    user.until(lambda: rate("gr1") == pytest.approx(50, abs=2))
    user.wait(10)
    user.picture("undone")
    for control in ("Step", "×10", "Record"):
        user.rest(control)
