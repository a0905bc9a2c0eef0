"""`fsconsole compare`: tables and files, and what wrong use is told."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording

TWO = ("--policy", "share", "--variant", "integral:policy.adjgroups=integral")
SHORT = ("--until", "60")


@pytest.fixture
def scenario(examples: Path) -> Path:
    return examples / "two-organisations.yaml"


def test_json_has_every_variant_and_node(cli: Cli, scenario: Path) -> None:
    ended = cli("compare", scenario, *TWO, *SHORT, "--from", "10s", "--nodes", "B,u4", "--json")
    assert (ended.status, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert [(one["letter"], one["name"]) for one in found["variants"]] == [("A", "share"), ("B", "integral")]
    assert found["variants"][1]["settings"] == "policy.adjgroups=integral"
    assert (found["from_s"], found["until_s"], found["seed"]) == (10, 60, 1)
    assert [node["path"] for node in found["nodes"]] == ["root/B", "root/B/u4"]
    assert found["nodes"][1]["cpu_fraction"] == [1.0, 1.0]  # u4 is alone
    assert found["nodes"][1]["difference"] == [0.0]


def test_the_table_says_which_letter_is_which(cli: Cli, scenario: Path) -> None:
    ended = cli("compare", scenario, *TWO, *SHORT)
    assert ended.status == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert ["B", "integral:", "policy.adjgroups=integral"] in lines
    assert any({"B", "-", "A"} <= set(line) for line in lines)


def test_table_and_curves_go_to_files(cli: Cli, scenario: Path, tmp_path: Path) -> None:
    table, plot = tmp_path / "t.csv", tmp_path / "p.svg"
    assert cli("compare", scenario, *TWO, *SHORT, "--csv", table, "--plot", plot).status == 0
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert [row["node"] for row in rows][:2] == ["root", "root/A"]
    answer = float(rows[0]["B integral cpu_fraction"])
    assert answer == 1.0
    assert ET.parse(plot).getroot().tag.endswith("svg")
    again = cli("compare", scenario, *TWO, *SHORT, "--csv", table)
    assert again.status == 1
    assert "--force" in again.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--policy", "share"),
            worded(
                "experiments.two-to-four-variants-can",
                count="1",
                what=wording("experiments.add-policy-variant-or-run"),
            ),
        ),
        (("--policy", "shar", "--policy", "flat"), worded("figures.did-you-mean", near="share")),
        (("--policy", "flat", "--variant", "x:policy.adjgrups=off"), naming("Did you mean policy.adjgroups")),
        (
            ("--policy", "flat", "--variant", "policy.adjgroups=off"),
            worded("cli.is-not-variant-write-name"),
        ),
        ((*TWO, "--nodes", "u9"), worded("shares.node-not-found-in-tree", path="'u9'")),
        ((*TWO, "--until", "60", "--from", "60"), worded("cli.from-s-must-be-before")),
        ((*TWO, "--plot", "x.gif"), worded("cli.suffix-of-must-be-one", forms="svg")),
        ((*TWO, "--quantity", "cpu"), naming("Did you mean cpu_")),
    ],
)
def test_wrong_use_says_what_would_be_right(
    cli: Cli, scenario: Path, arguments: tuple[str, ...], message: Expected
) -> None:
    ended = cli("compare", scenario, *arguments)
    assert ended.status == 2
    assert says(ended.err, message)


def test_variants_that_may_hunt_are_warned_of_once(cli: Cli, scenario: Path) -> None:
    hunts = "policy.name=feedback,policy.nu=1.001"
    ended = cli("compare", scenario, "--variant", f"a:{hunts}", "--variant", f"b:{hunts}", "--until", "10")
    assert ended.status == 0
    answer = ended.err.count("feedback may hunt")
    assert answer == 1


def test_a_recorded_run_is_the_same_as_one_that_runs_now(cli: Cli, scenario: Path, tmp_path: Path) -> None:
    out = tmp_path / "x.run"
    assert cli("simulate", scenario, *SHORT, "--out", out).status == 0
    found = json.loads(cli("compare", scenario, "--policy", "share", "--run", out, *SHORT, "--json").out)
    assert found["variants"][1]["settings"] == wording("experiments.recorded-in", folder=out)
    assert all(node["difference"] == [0.0] for node in found["nodes"])
    assert any(node["cpu_fraction"][1] > 0 for node in found["nodes"])
    assert found["remarks"] == []
    longer = cli("compare", scenario, "--policy", "share", "--run", out, "--until", "120", "--json")
    assert json.loads(longer.out)["remarks"] == [
        wording("app.ends-at-all-variants-are", name="x.run", last_s="1 min")
    ]
    ended = cli("compare", scenario, "--policy", "share", "--run", tmp_path / "no.run")
    assert ended.status != 0
    assert "no.run" in ended.err


def test_a_run_and_its_branch_are_compared_where_both_are(cli: Cli, scenario: Path, tmp_path: Path) -> None:
    run, branch = tmp_path / "a.run", tmp_path / "b.run"
    assert cli("simulate", scenario, "--until", "60", "--out", run).status == 0
    assert cli("run", "branch", run, "--at", "30s", "--out", branch).status == 0
    found = json.loads(cli("compare", scenario, "--run", run, "--run", branch, "--until", "60", "--json").out)
    assert all(node["difference"] == [0.0] for node in found["nodes"])
    assert found["remarks"][0] == wording("app.begins-at-all-variants-are", name="b.run", began_s="30 s")


def test_a_report_is_written_beside_the_table(cli: Cli, scenario: Path, tmp_path: Path) -> None:
    target = tmp_path / "c.pdf"
    ended = cli("compare", scenario, *TWO, *SHORT, "--report", target)
    assert ended.status == 0
    assert ended.out.endswith(f"Wrote {target}\n")
    assert target.read_bytes().startswith(b"%PDF-")
    refused = cli("compare", scenario, *TWO, *SHORT, "--report", target)
    assert refused.status == 1
    assert "exists already" in refused.err
