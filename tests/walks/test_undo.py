"""Undo and redo edits made in several views, by keyboard alone."""

from __future__ import annotations

import pytest

from tests.walks.walker import Walker, number


@pytest.mark.watch_allows(
    "place", reason="the command line of the machine moves down with its answers", issue="calm"
)
def test_undo(user: Walker) -> None:
    def shares(name: str) -> float:
        _find(user, name)
        return number(user.cell(name, "Shares", within="Share tree"))

    user.find("Paused")
    user.press("Ctrl+1")
    user.wait(5)
    _find(user, "u11")
    user.press("F2")
    user.press("Ctrl+A")
    user.type("smith")
    user.press("Return")
    user.wait(5)
    user.picture("renamed")
    _find(user, "gr2")
    user.type("3000")
    user.press("Return")
    user.wait(5)
    user.picture("shares")
    assert shares("gr2") == 3000

    user.press("Ctrl+2")
    user.wait(5)
    user.press("Ctrl+K")
    user.type("Machine console")
    user.wait(1)
    user.press("Return")
    user.tab_to("Machine console, command")
    user.type("lim u22 shares=700")
    user.press("Return")
    user.wait(5)
    user.picture("console")
    user.press("Ctrl+1")
    user.wait(3)
    assert shares("u22") == 700

    user.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    user.wait(10)
    user.picture("undone")
    assert [shares("u11"), shares("u22"), shares("gr2")] == [100, 100, 1000]
    user.press("Ctrl+Shift+Z", "Ctrl+Shift+Z", "Ctrl+Shift+Z")
    user.wait(10)
    user.picture("redone")
    assert [shares("smith"), shares("u22"), shares("gr2")] == [100, 700, 3000]
    user.press("Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    user.wait(10)
    assert [shares("u11"), shares("u22"), shares("gr2")] == [100, 100, 1000]


def _find(user: Walker, name: str) -> None:
    """Go to a node with the keyboard."""
    user.press("Ctrl+K")
    user.type(name)
    user.wait(1)
    user.press("Return")
    user.tab_to("Share tree")
