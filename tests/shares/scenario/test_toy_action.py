"""An action is declared once: files read, write, check, leave out and rename a toy one by its declaration."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.shares.scenario.toy_action"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_is_read_and_written_as_it_was(said: dict[str, Any]) -> None:
    assert said["read"] == "ShelveJob(request=41871, by='anna', for_s=300.0)"
    assert said["written"] == "  - {at: 60 s, shelve_job: {request: 41871, asked_by: anna, for_s: 5 min}}"
    assert said["same"]


def test_it_is_in_the_schema_and_the_journal(said: dict[str, Any]) -> None:
    assert said["in schema"]
    assert said["back"]
    assert said["journal"] == {"action": "shelve_job", "request": 41871, "by": "anna", "for_s": 300.0}
    assert said["words"] == "shelve job"
    assert said["mark"] == "anna shelves job 41871"


def test_what_it_refers_to_and_its_limits_are_checked_with_the_line(said: dict[str, Any]) -> None:
    assert said["no such user"] == ["19: node dora not found in the tree"]
    assert said["no such request"] == [
        "19: no request 41880: jobs of this file have the numbers 41870 to 41871"
    ]
    assert said["bad time"] == ["19: needs a number above 0 to 3600 s"]
    assert said["no windows"] == ["16: shelve_job needs the section near_dedicated, which is missing"]


def test_it_follows_new_names_and_goes_with_what_it_refers_to(said: dict[str, Any]) -> None:
    assert "asked_by: maria" in said["renamed"]
    assert "request: 41870" in said["without ben"]
    assert said["without anna"] == ""
