"""`fsconsole run notes`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsconsole.recording.run import RunReader
from tests.cli.conftest import Cli
from tests.cli.test_resume import recorded
from tests.texts import Expected, naming, says, worded, wording


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "x.run"
    recorded(path, 120, killed=False)
    return path


def test_notes_are_added_listed_exported_and_removed(cli: Cli, run: Path) -> None:
    before = RunReader(run).samples()
    assert cli("run", "notes", run).out == (wording("cli.no-notes-yet-add-one") + "\n")
    assert cli("run", "notes", run, "--add", "late", "--at", "100s").status == 0
    result = cli("run", "notes", run, "--add", "early", "--at", "1min", "--until", "90s", "--json")
    rows = json.loads(result.out)
    assert [(row["number"], row["time_s"], row["until_s"], row["text"]) for row in rows] == [
        (2, 60.0, 90.0, "early"),
        (1, 100.0, None, "late"),
    ]
    span_words = wording("app.runs.to-2", since_s="00:01:00", until_s="00:01:30")
    assert span_words in cli("run", "notes", run).out
    title, blank, first, *_ = cli("run", "notes", run, "--markdown").out.splitlines()
    assert (title, blank) == (wording("app.runs.notes-on", title="A run"), "")
    assert first.startswith("## " + span_words)
    assert [row["text"] for row in json.loads(cli("run", "notes", run, "--remove", "2", "--json").out)] == [
        "late"
    ]
    assert RunReader(run).samples().equals(before, null_equal=True)
    assert cli("run", "branch", run, "--at", "0", "--out", run, "--force").status == 2
    assert cli("simulate", "--resume", run, "--until", "150s").status == 0
    assert "late" in cli("run", "notes", run).out


@pytest.mark.parametrize(("at_s", "status"), [(0, 2), (20, 2), (59, 2), (60, 0), (120, 0), (121, 2)])
def test_notes_on_a_branch_are_within_it(cli: Cli, run: Path, tmp_path: Path, at_s: int, status: int) -> None:
    out = tmp_path / "b.run"
    assert cli("run", "branch", run, "--at", "60s", "--out", out).status == 0
    added = cli("run", "notes", out, "--add", "x", "--at", f"{at_s}s")
    assert added.status == status
    assert says(added.err, "cli.is-outside-run-which-begins", begin_s="1 min") is (at_s < 60)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--add", "x"], 2, worded("cli.add-needs-at-time-example")),
        (["--at", "3s"], 2, naming("--at and --until need --add TEXT")),
        (["--add", "x", "--at", "1h"], 2, worded("cli.is-outside-run-which-ends", at="1 h", end_s="2 min")),
        (["--add", " ", "--at", "1s"], 2, worded("recording.note-is-empty-write-text")),
        (["--remove", "4"], 2, worded("cli.has-no-notes")),
        (["--json", "--markdown"], 2, naming("exclude each other")),
    ],
)
def test_what_cannot_be_is_reported(
    cli: Cli, run: Path, arguments: list[str], status: int, message: Expected
) -> None:
    ended = cli("run", "notes", run, *arguments)
    assert (ended.status, ended.out) == (status, "")
    assert says(ended.err, message)
    assert not (run / "notes.json").exists()


def test_an_export_shows_notes_if_wanted(cli: Cli, run: Path, tmp_path: Path) -> None:
    assert cli("run", "notes", run, "--add", "look here", "--at", "60s").status == 0
    for name, more in (("with.svg", ["--notes"]), ("without.svg", [])):
        out = tmp_path / name
        assert cli("export", run, "--plot", "charge", "--node", "b", "--out", out, *more).status == 0
        assert ("look here" in out.read_text()) is bool(more)
