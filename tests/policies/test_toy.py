"""A new policy is added in three places: its file, the registry and its settings. Nothing else knows it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.texts import says

SCENARIO = """\
version: 1
title: Shares to a power
policy: {name: power, power: 3, half_life_s: 120, adjgroups: share}
tree:
  name: root
  children:
    - {name: big, shares: 2}
    - {name: small, shares: 1}
workloads: [{user: big}, {user: small}]
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("toy") / "toy.yaml"
    path.write_text(SCENARIO)
    root = Path(__file__).parents[2]
    command = (sys.executable, "-m", "tests.policies.toy", str(path))
    ended = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_its_step_rules_a_machine_by_its_own_setting(printed: dict[str, Any]) -> None:
    assert printed["ratio"] == pytest.approx(8.0, rel=0.05)
    assert printed["settings"] == 3.0
    assert printed["after a checkpoint"] == [3.0]


def test_it_explains_itself(printed: dict[str, Any]) -> None:
    assert printed["title"] == "Shares to a power"
    assert printed["product"] == pytest.approx(1.0, rel=1e-6)
    assert printed["ratio of causes"] == pytest.approx(1 / 8)
    assert says(printed["verdict"], "machine.insight.goes-before-over-time", name="big", name_2="small")
    assert says(printed["verdict"], "policies.their-paths-separate-below")
    assert printed["formula"] == "1 / share^power"


def test_its_warnings_are_reported_and_switches_that_it_does_not_look_at(printed: dict[str, Any]) -> None:
    assert "power 3 starves the small" in printed["warnings"]
    assert "adjgroups has no effect under power: only share adjusts groups" in printed["warnings"]


def test_files_the_command_line_and_words_know_it(printed: dict[str, Any]) -> None:
    assert printed["written"] is True
    assert "policy.power: needs a number from 0.1 to 4" in printed["refused"]
    assert printed["schema"] == "power of the share."
    assert printed["typed"] == ["policy.power", 2.5]
    assert printed["words"] == "policy Share, hierarchical → Shares to a power"
    assert "POWERPRI" in printed["flags"]
