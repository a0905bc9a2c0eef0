"""A study of real jobs: run it, read an answer, hand its report to a committee."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fsconsole.resources import resource
from tests.walks.walker import Walker, number

# By a schedule of each computed apart from the console, `batch simulate --out`, and its means.
_WAITS_H = {"FCFS-backfill": 1.77, "RelShare(1d)": 1.76}


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """Eight policies on the bundled trace; results are stored beside it."""
    return Path(shutil.copy(resource("studies/kth-windows.yaml"), tmp_path))


@pytest.mark.watch_allows("place", reason="the table of a study comes once its cells are done", issue="calm")
def test_study(user: Walker, tmp_path: Path) -> None:
    user.wait(5)
    user.picture("opened")
    user.click("Run study")
    user.wait(10)
    user.picture("running")
    user.until(lambda: user.sees("8 of 8 cells", within="Sweep"), 240)
    user.wait(5)
    user.picture("done")
    waits_h = [number(user.cell(name, "Avg wait, h", within="Study table")) for name in _WAITS_H]
    assert waits_h == list(_WAITS_H.values())
    user.wait(20)
    user.name_file(tmp_path / "report.pdf")
    user.menu("File", "Export report")
    user.until((tmp_path / "report.pdf").exists, 180)
    user.wait(15)
    user.picture("report")
    data = (tmp_path / "report.pdf").read_bytes()
    assert data.startswith(b"%PDF")
    assert len(data) > 20_000
