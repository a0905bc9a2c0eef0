"""An action is declared once: files read, write, check, leave out and rename a toy one by its declaration."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.texts import wording


@pytest.fixture(scope="module")
def printed() -> dict[str, Any]:
    command = [sys.executable, "-m", "tests.shares.scenario.toy_action"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_is_read_and_written_as_it_was(printed: dict[str, Any]) -> None:
    expected = "ShelveJob(request=41871, by='anna', for_s=300.0)"
    assert printed["read"] == expected
    expected = "  - {at: 60 s, shelve_job: {request: 41871, asked_by: anna, for_s: 5 min}}"
    assert printed["written"] == expected
    assert printed["same"]


def test_it_is_in_the_schema_and_the_journal(printed: dict[str, Any]) -> None:
    assert printed["in schema"]
    assert printed["back"]
    assert printed["journal"] == {"action": "shelve_job", "request": 41871, "by": "anna", "for_s": 300.0}
    assert printed["words"] == "shelve job"
    assert printed["mark"].split() == ["anna", "shelves", "job", "41871"]


def test_what_it_refers_to_and_its_limits_are_checked_with_the_line(printed: dict[str, Any]) -> None:
    assert printed["unknown user"] == [
        ("19: " + wording("shares.scenario.node-not-found-in-tree", reference="dora", reference_2=""))
    ]
    assert printed["unknown request"] == [
        (
            "19: "
            + wording("shares.scenario.no-request", request="41880", there="")
            + wording("shares.scenario.jobs-of-this-file-have", first_request="41870", last="41871")
        )
    ]
    assert printed["bad time"] == [
        (
            "19: "
            + wording("shares.scenario.needs-number-to", first="above", lowest="0", highest="3600", unit="s")
        )
    ]
    assert printed["no windows"] == [
        wording("shares.scenario.needs-section-near-dedicated-which", key="16: shelve_job")
    ]


def test_it_follows_new_names_and_goes_with_what_it_refers_to(printed: dict[str, Any]) -> None:
    assert "asked_by: maria" in printed["renamed"]
    assert "request: 41870" in printed["without ben"]
    assert printed["without anna"] == ""
