"""A university's share tree from a sheet of 40 people: paste it, check a share, save it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from fsconsole.shares.scenario.read import read_scenario
from tests.walks.walker import Walker, number

_INSTITUTES = ("Physics", "Chemistry", "Biology", "History", "Law")
_PEOPLE = tuple((_INSTITUTES[at // 8], f"p{at:02}", 10 + at) for at in range(40))


@pytest.mark.watch_allows("place", reason="the tab of problems widens with their number", issue="calm")
def test_university(user: Walker, tmp_path: Path) -> None:
    user.find("Paused")
    user.press("Ctrl+N")
    user.press("Ctrl+1")
    user.wait(8)
    user.picture("new")
    sheet = [("Institute", "Login", "Shares"), *_PEOPLE]
    # A spreadsheet has put this on the clipboard.
    QGuiApplication.clipboard().setText("\n".join("\t".join(map(str, row)) for row in sheet))
    user.click("root", within="Share tree")
    user.press("Ctrl+Shift+V")
    user.wait(5)
    user.picture("columns")
    user.click("Import")
    user.wait(10)
    user.picture("pasted")
    user.click("Find node", within="Share tree")
    user.type("p39")
    shares = [row[2] for row in _PEOPLE if row[0] == "Law"]
    part = shares[-1] / sum(shares) / len(_INSTITUTES)
    share = number(user.cell("p39", "Share of machine", within="Share tree"))
    assert share == pytest.approx(100 * part, abs=0.001)
    user.picture("found")
    user.press("Escape")
    user.wait(25)
    user.name_file(tmp_path / "university.yaml")
    user.press("Ctrl+S")
    user.until((tmp_path / "university.yaml").exists)
    user.wait(10)
    user.picture("saved")
    tree = read_scenario(tmp_path / "university.yaml").tree
    kept = [
        (tree.node(node.parent).name, node.name, node.shares)
        for node in tree.walk()
        if node.parent is not None and node.name.startswith("p")
    ]
    assert kept == list(_PEOPLE)
