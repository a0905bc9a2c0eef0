"""One user starves: who, why, and a mend that the running machine obeys."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.resources import examples
from tests.walks.walker import Walker, number


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """Convex series 1 with one hundredth of the shares that u23 was meant to have."""
    text = (examples() / "convex-series-1.yaml").read_text(encoding="utf-8")
    path = tmp_path / "starving.yaml"
    path.write_text(text.replace("{name: u23, shares: 100}", "{name: u23, shares: 1}"), encoding="utf-8")
    return path


@pytest.mark.watch_allows("place", reason="the tab of problems widens with their number", issue="calm")
def test_starving(user: Walker) -> None:
    def rate(name: str) -> float:
        return number(user.cell(name, "CPU %", within="Nodes and legend"))

    user.find("Paused")
    user.click("Run")
    user.wait(20)
    user.picture("running")
    assert rate("u23") < 1 < rate("u22")

    user.click("u23", within="Nodes and legend")
    user.press("W")
    user.wait(8)
    user.picture("why")
    assert user.sees("the shares", within="Why")

    user.press("Ctrl+1")
    user.click("u23", within="Share tree")
    user.type("100")
    user.picture("typed")
    user.press("Return")
    user.press("Ctrl+2")
    user.wait(20)
    user.until(lambda: rate("u23") > 16)
    user.wait(15)
    user.picture("mended")
    assert rate("u23") >= rate("u22") - 1
