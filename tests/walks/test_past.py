"""Scrub back on the time strip, and try another share from there in a branch."""

from __future__ import annotations

import re

import pytest

from tests.walks.walker import Walker, number

_ENDS_S = 1200
_AXIS_PX = 12  # between the edge of the strip and either end of its axis


@pytest.mark.watch_allows(
    "place",
    reason="the dialog goes when the branch is computed, and Branches comes to the front",
    issue="calm",
)
def test_past(user: Walker) -> None:
    user.find("Paused")
    user.press("Space", "]")
    user.wait(4)
    user.press("Space")
    user.picture("recorded")
    strip = user.find("Time strip")
    now = user.clock()
    there = user.screen_place(strip.part(300 / _ENDS_S, _AXIS_PX))
    user.drag_from(strip.part(_seconds(now) / _ENDS_S, _AXIS_PX), there)
    user.wait(8)
    user.picture("past")
    then = user.clock()
    assert abs(_seconds(then) - 300) < 30
    user.press("B")
    user.wait(4)
    user.click("Kind of change")
    user.click("Shares")
    user.click("Parameter or node to change")
    user.type("gr1")
    user.picture("completion")
    user.press("Tab")
    user.type("3000")
    user.picture("branch")
    user.click("Add change")
    user.wait(2)
    user.picture("added")
    user.click("Run branch")
    user.until(lambda: user.sees("Observe"))  # the dialog is gone
    user.wait(10)
    user.picture("run")
    assert user.cell("Branch 1", "Begin", within="Branches") == then
    said = " ".join(user.texts("Branches"))
    differs = re.search(r"([+\u2212][0-9.]+) points", said)
    assert differs is not None
    # Three quarters for gr1 instead of a half: 12.5 points more for each of two users, at first more.
    assert 12.5 - 1 < number(differs[1]) < 25
    user.press("Ctrl+End")
    user.wait(25)
    user.picture("present")
    assert user.clock() == now


def _seconds(clock: str) -> int:
    hours, minutes, seconds = map(int, clock.split(":"))
    return 3600 * hours + 60 * minutes + seconds
