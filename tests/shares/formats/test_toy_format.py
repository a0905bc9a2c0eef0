"""A format of share trees costs its own file and a line in `FORMATS`: a toy one shows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.cli import tree as _tree_commands  # noqa: F401 — its help lists the formats at import
from fsconsole.cli.main import run
from fsconsole.shares import formats
from fsconsole.shares.formats.base import Format, without_work
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree
from tests.shares.example_files import EXAMPLES

SERIES_1 = next(path for path in EXAMPLES if path.stem == "convex-series-1")


def _read(text: str) -> Scenario:
    tree = ShareTree("root", 100)
    for number, line in enumerate(text.splitlines()[1:]):
        name, _, shares = line.partition(" ")
        if not shares.isdigit():
            raise ScenarioError([Problem(f"{line!r} is not NAME SHARES", line=number + 2, column=1)])
        tree.add(ROOT_ID, name, int(shares))
    return Scenario(tree, title="Toy")


def _write(scenario: Scenario) -> str:
    users = (node for node in scenario.tree.walk() if node.kind is Kind.USER)
    return "".join(["toy\n", *(f"{node.name} {node.shares}\n" for node in users)])


TOY = Format(
    "toy", "Toy tree", (".toy",), _read, _write, lambda text: text.startswith("toy\n"), without_work, "A toy"
)


@pytest.fixture(autouse=True)
def _one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put it into the registry, which is all that the program knows of formats."""
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, TOY))


def test_it_is_reported_by_suffix_and_by_text() -> None:
    assert formats.format_of(Path("a.toy")) is TOY
    assert formats.format_of(Path("a"), "toy\nanna 3\n") is TOY
    assert formats.format_named("toy") is TOY


def test_the_command_line_converts_both_ways(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scenario, toy, back = tmp_path / "s.yaml", tmp_path / "t.toy", tmp_path / "back.toy"
    toy.write_text("toy\nanna 3\nben 5\n")
    assert run(["tree", "convert", str(toy), str(scenario)]) == 0
    assert run(["tree", "convert", str(scenario), str(back)]) == 0
    assert back.read_text() == toy.read_text()
    assert run(["tree", "convert", str(SERIES_1), "-", "--to", "toy"]) == 0
    output = capsys.readouterr()
    assert output.out.startswith("toy\n")
    expected = "stdout (Toy tree) cannot contain\n  7 logins"
    assert expected in output.err


def test_faults_name_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    toy = tmp_path / "bad.toy"
    toy.write_text("toy\nanna many\n")
    assert run(["tree", "check", str(toy)]) == 1
    place, kind, text = "".join(capsys.readouterr()).partition("bad.toy")[2].split(": ")[:3]
    assert (place, kind) == (":2:1", "error")
    assert text.startswith("'anna many'")


def test_what_it_loses_is_reported() -> None:
    scenario = formats.read_tree(SERIES_1)
    bare = Scenario(scenario.tree)
    assert TOY.lost(bare) == []
    assert [loss.what for loss in TOY.lost(replace(bare, logins=scenario.logins))] == ["login"]
