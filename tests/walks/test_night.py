"""A near-dedicated night: the job needs half an hour more than the watchdog gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.console.style.theme import ThemeMode
from fsconsole.resources import examples
from tests.walks.walker import Walker, number


@pytest.fixture
def opened() -> Path:
    """The paper's night."""
    return examples() / "near-dedicated-ymp.yaml"


@pytest.fixture
def mode() -> ThemeMode:
    """A dark room."""
    return "dark"


@pytest.mark.watch_allows(
    "place", reason="the dialog goes when the machine has answered, and tables get scroll bars", issue="calm"
)
def test_night(user: Walker) -> None:
    user.find("Paused")
    user.press("Ctrl+3")
    user.wait(4)
    user.press("Space", "]")
    user.find("Elapsed", within="Current job")
    user.wait(8)
    user.press("Space")
    user.picture("night")
    before = user.cell("ccm-0219b", "Why", within="Near-dedicated queue")
    assert user.sees("Watchdog in 3:", within="Current job")
    user.press("Ctrl+Shift+A")
    user.wait(2)
    user.picture("armed")
    user.click("Extend job", within="Current job")
    user.wait(5)
    user.type("half an hour more")
    user.picture("extend")
    user.click("Extend job")
    user.wait(5)
    user.picture("extended")
    assert user.sees("Watchdog in 4:", within="Current job")
    assert number(user.cell("ccm-0219b", "Why", within="Near-dedicated queue")) == number(before) - 30
    assert user.cell("extend job", "After", within="Records").endswith("03:30")
    assert user.cell("extend job", "Reason", within="Records") == "half an hour more"
    user.click("Run")
    user.wait(20)
    user.until(lambda: user.sees("Watchdog in 3:", within="Current job"))
    user.click("Pause")
    user.click("Disarm")
    user.wait(5)
    user.picture("later")
    assert user.sees("Read-only")
