"""A user of a cluster complains that her job waits: find it, and answer her ticket."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QGuiApplication

from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.walks.walker import Walker, number


@pytest.fixture
def opened(fake_slurm: FakeSlurm) -> tuple[str, ...]:
    """A cluster whose tools are on this machine."""
    return ()


@pytest.mark.dear("a minute and a half of the console at real speed")
@pytest.mark.watch_allows(
    "focus", reason="the answer of Why takes the focus when it is computed", issue="calm"
)
@pytest.mark.watch_allows(
    "place",
    reason="the answer of Why and the empty plots of Observe come when they are computed",
    issue="calm",
)
def test_job_waits(user: Walker) -> None:
    user.find("fs_emma")
    user.wait(5)
    user.press("Ctrl+3")
    user.click("Find jobs", within="Jobs")
    user.type("user:fs_emma state:pending")
    user.until(lambda: not user.sees("fs_finn", within="Jobs"))
    user.wait(10)  # the cluster is read again
    user.picture("filtered")
    priority = number(user.cell("fs_emma", "Priority", within="Jobs"))
    job = user.cell("fs_emma", "Job", within="Jobs")

    user.click("fs_emma", within="Jobs")
    user.wait(10)
    user.picture("selected")
    assert user.sees("Fairshare", within="Job")
    user.right_click("fs_emma", within="Jobs")
    user.picture("menu")
    user.click("Why this job waits, for a ticket")
    user.until(lambda: job in user.field("Answer"))
    answer = user.field("Answer")
    user.picture("answer")
    user.click("Copy for ticket")
    user.wait(20)
    user.press("Escape")
    user.wait(10)
    user.picture("back")

    assert QGuiApplication.clipboard().text() == answer
    rows = re.findall(r"^(?:\w+ ?)+?  +([0-9,]+)  +[0-9,]+$", answer, re.MULTILINE)
    assert sum(int(points.replace(",", "")) for points in rows) == priority
