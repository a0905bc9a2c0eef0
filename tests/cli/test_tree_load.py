"""`fsconsole tree load`."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.shares.scenario.actions import StartProcess
from fsconsole.shares.scenario.read import read_scenario
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded


def test_all_users_get_processes_in_their_hours(cli: Cli, examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.yaml"
    ended = cli(
        "tree", "load", examples / "navoceano-c916.yaml", "--each", "2", "--profile", "day",
        "--user", "Army", "--until", "1 d", "--out", out,
    )  # fmt: skip
    assert ended.status == 0
    assert "times what 16 processors can do" in ended.out
    made = read_scenario(out)
    assert made.plot.until_s == 86400
    again = cli("tree", "load", examples / "navoceano-c916.yaml", "--out", out)
    assert again.status == 1
    assert "--force" in again.err


def test_a_trace_says_what_goes_where_and_what_is_left_out(
    cli: Cli, examples: Path, shared: Path, tmp_path: Path
) -> None:
    out, trace = tmp_path / "s.yaml", shared / "traces" / "KTH-SP2-1996-2.swf.gz"
    asked = ["tree", "load", examples / "navoceano-c916.yaml", "--from-trace", trace, "--out", out]
    ended = cli(*asked)
    assert ended.status == 1
    assert "--map NAME=PATH, or --unmatched deal" in ended.err
    assert not out.exists()
    ended = cli(*asked, "--map", "84=p2101", "--from", "137 d")
    assert ended.status == 0
    assert "1 user matched by hand: " in ended.out
    assert "22 users left out: " in ended.out
    made = read_scenario(out)
    starts = [event.action for event in made.events if isinstance(event.action, StartProcess)]
    assert {start.node for start in starts} == {made.tree.find("p2101").id}


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--map", "nobody=p2101"], worded("cli.trace-has-no", name_2="'nobody'")),
        (["--map", "84"], naming("NAME=PATH")),
        (["--from", "4000 d"], worded("app.load.no-job-of-trace-is")),
        (["--by", "accounts"], worded("batch.traces.trace-in-standard-workload-format")),
        (["--report", "May 1995"], naming("exclude each other")),
    ],
)
def test_wrong_use_says_what_would_be_right(
    cli: Cli, examples: Path, shared: Path, tmp_path: Path, option: list[str], message: Expected
) -> None:
    trace = shared / "traces" / "KTH-SP2-1996-2.swf.gz"
    ended = cli(
        "tree", "load", examples / "navoceano-c916.yaml", "--from-trace", trace,
        "--out", tmp_path / "s.yaml", *option,
    )  # fmt: skip
    assert ended.status != 0
    assert says(ended.err, message)
    assert "Traceback" not in ended.err
