from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.batch.search.small_search import TEXT, write_search
from tests.cli.conftest import Cli
from tests.texts import Expected, says, worded

pytestmark = pytest.mark.usefixtures("no_workers")


@pytest.fixture
def search(tmp_path: Path) -> Path:
    return write_search(tmp_path, TEXT.replace("budget: 60", "budget: 20"))


def test_a_search_is_run_shown_and_a_point_handed_over(cli: Cli, search: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    ended = cli("study", "search", search, "--out", out, "--workers", 1)
    assert (ended.status, ended.err) == (0, "")
    assert says(ended.out, "app.study.tried-on", tried="20 settings", train="2 months")
    assert cli("study", "search", out).out == cli("study", "search", out, "--show").out == ended.out
    facts = json.loads(cli("study", "search", out, "--json").out)
    assert (facts["tried"], facts["is_done"]) == (20, True)
    number = facts["points"][1]["number"]
    to = tmp_path / "point"
    made = json.loads(cli("study", "search", out, "--point", number, "--out", to, "--json").out)
    assert made == {"study": str(to / "study.yaml")}
    found = json.loads(cli("study", "run", to / "study.yaml", "--out", to / "results", "--json").out)
    policies = {row["policy"] for row in found["results"]}
    assert policies == {"FCFS-backfill", facts["points"][1]["policy"]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["nothing.yaml", "--out", "x"],
            worded("cli.file-not-found-and-program", text="'nothing.yaml'", text_2="search"),
        ),
        (["{search}"], worded("cli.give-folder-for-results-out")),
        (["{search}", "--show"], worded("cli.is-not-results-folder-of")),
        (
            ["{search}", "--out", "x", "--workers", "1", "--cluster", "tcp://x:1"],
            worded("cli.workers-is-for-this-machine"),
        ),
        (
            ["{folder}", "--out", "x"],
            worded("cli.is-folder-give-search-file"),
        ),
        (["{folder}", "--point", "3"], worded("cli.give-folder-for-study-out")),
    ],
)
def test_wrong_use_is_reported(
    cli: Cli, search: Path, tmp_path: Path, arguments: list[str], message: Expected
) -> None:
    given = [text.format(search=search, folder=tmp_path) for text in arguments]
    ended = cli("study", "search", *given)
    assert ended.status == 2
    assert says(" ".join(ended.err.split()), message)


def test_wrong_folders_and_points_are_reported(cli: Cli, search: Path, tmp_path: Path) -> None:
    ended = cli("study", "search", tmp_path)
    assert ended.status == 1
    assert says(ended.err, "batch.search.is-not-search-folder-is", plan="search.json")
    out = tmp_path / "out"
    cli("study", "search", search, "--out", out, "--workers", 1)
    ended = cli("study", "search", out, "--point", 21, "--out", tmp_path / "p")
    assert says(ended.err, "app.study.setting-not-found-write-number", number="21", tried="20")
    assert says(cli("study", "show", out).err, "batch.study.is-search-folder-show-it")


def test_what_is_wrong_with_a_file_is_reported_by_line(cli: Cli, search: Path) -> None:
    search.write_text(TEXT.replace("scale: log", "scale: lg", 1))
    ended = cli("study", "search", search, "--out", search.parent / "out")
    assert ended.status == 1
    assert f"{search}:14:37:" in ended.err


def test_other_commands_name_the_one_for_searches(cli: Cli, search: Path) -> None:
    for command in (("check", search), ("run", search, "--out", "x"), ("check", "kth-group-share")):
        ended = cli("study", *command)
        assert ended.status == 2
        assert says(" ".join(ended.err.split()), "cli.is-search-run-it-with")
