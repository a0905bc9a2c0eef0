"""A tree of 5,929 nodes: find one user, give her another share, and see who pays."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.walks.walker import Walker, number

_FACULTIES, _INSTITUTES, _USERS = 8, 10, 73


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """A university as a file."""
    lines = ["version: 1", "title: University", "tree:", "  name: root", "  shares: 1000", "  children:"]
    for faculty in range(_FACULTIES):
        lines += [f"    - name: f{faculty}", "      shares: 100", "      children:"]
        for institute in range(_INSTITUTES):
            name = f"f{faculty}i{institute}"
            lines += [f"        - name: {name}", "          shares: 10", "          children:"]
            lines += [f"            - {{name: {name}u{at:02}, shares: 1}}" for at in range(_USERS)]
    path = tmp_path / "university.yaml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_large_tree(user: Walker) -> None:
    user.wait(8)
    user.press("Ctrl+1")
    user.wait(10)
    user.picture("opened")
    user.press("Ctrl+F")
    user.type("f5i3u42")
    user.wait(5)
    user.picture("found")
    user.click("f5i3u42", within="Share tree")
    user.type("10")
    user.wait(3)
    user.picture("typed")
    user.press("Return")
    user.wait(5)
    part = 10 / (_USERS - 1 + 10) / (_FACULTIES * _INSTITUTES)
    share = number(user.cell("f5i3u42", "Share of machine", within="Share tree"))
    assert share == pytest.approx(100 * part, abs=0.001)
    user.press("Escape")
    user.wait(10)
    user.press("Ctrl+2")
    user.wait(10)
    user.press("Space")
    user.wait(15)
    user.picture("running")
    user.press("Ctrl+1")
    user.press("Ctrl+Z")
    user.wait(5)
    user.press("Ctrl+F")
    user.type("f5i3u42")
    user.wait(2)
    user.picture("undone")
    share = number(user.cell("f5i3u42", "Share of machine", within="Share tree"))
    assert share == pytest.approx(100 / _FACULTIES / _INSTITUTES / _USERS, abs=0.001)
