"""`fsconsole tree load`."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.shares.scenario.actions import StartProcess
from fsconsole.shares.scenario.read import read_scenario
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording


def test_all_users_get_processes_in_their_hours(cli: Cli, examples: Path, tmp_path: Path) -> None:
    out = tmp_path / "s.yaml"
    ended = cli(
        "tree", "load", examples / "navoceano-c916.yaml", "--each", "2", "--profile", "day",
        "--user", "Army", "--until", "1 d", "--out", out,
    )  # fmt: skip
    assert ended.status == 0
    assert says(ended.out, "app.load.can-do", cpus="16", processors="processors")
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
    assert wording("cli.no-name-of-trace-matches") in ended.err
    assert not out.exists()
    ended = cli(*asked, "--map", "84=p2101", "--from", "137 d")
    assert ended.status == 0
    words = [line.split() for line in ended.out.splitlines()]
    by_hand = wording("app.load.matched-by-hand").split()
    assert ["1", "user", *by_hand[:-1], by_hand[-1] + ":"] in [line[:5] for line in words]
    assert ["22", "users", "left", "out:"] in [line[:4] for line in words]
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
