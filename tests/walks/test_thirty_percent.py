"""A professor wants 30 % of the cluster: see who pays, try it, then send it."""

from __future__ import annotations

import pytest

from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.walks.walker import Walker, number

_SIBLINGS = {"root": 1, "bio": 30, "physics": 40}


@pytest.fixture
def opened(fake_slurm: FakeSlurm) -> tuple[str, ...]:
    """A cluster whose tools are on this machine."""
    return ()


@pytest.mark.dear("a minute and a half of the console at real speed")
@pytest.mark.watch_allows(
    "place", reason="fields below the facts of a node move as they are read", issue="calm"
)
def test_thirty_percent(user: Walker, fake_slurm: FakeSlurm) -> None:
    others = sum(_SIBLINGS.values())
    shares = round(0.3 / 0.7 * others)
    user.find("fs_emma")
    user.wait(5)
    user.press("Ctrl+1")
    user.click("Find node", within="Share tree")
    user.type("ops")
    user.press("Return")
    user.wait(3)
    user.picture("found")
    user.click("ops", within="Share tree")
    user.type("30%")
    user.wait(5)
    user.picture("readout")
    assert all(name in user.readout() for name in ("bio", "physics"))
    user.press("Return")
    user.wait(2)
    assert number(user.cell("ops", "Shares", within="Share tree")) == shares
    assert number(user.cell("ops", "Share of cluster", within="Share tree")) == pytest.approx(
        100 * shares / (others + shares), abs=0.001
    )
    user.wait(10)
    user.picture("staged")
    assert not [one for one in fake_slurm.calls if "modify" in one.argv]

    user.click("Apply changes")
    user.type("30 % for a week")
    user.click("Dry run only")
    user.wait(5)
    user.picture("dry-run")
    assert not [one for one in fake_slurm.calls if "modify" in one.argv]
    user.click("Arm")
    user.wait(5)
    user.picture("armed")
    user.click("Apply")
    user.wait(10)
    user.picture("applied")
    user.click("Close")
    (sent,) = [one for one in fake_slurm.calls if "modify" in one.argv]
    assert "name=ops" in sent.argv
    assert f"fairshare={shares}" in sent.argv
    user.wait(15)
    user.picture("after")
    assert number(user.cell("ops", "Shares", within="Share tree")) == shares
