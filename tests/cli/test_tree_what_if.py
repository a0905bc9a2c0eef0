"""`fsconsole tree what-if`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fsconsole.text.words import listed
from tests.cli.conftest import Cli
from tests.texts import Expected, naming, says, worded, wording

# Table 1-1 of the NAVOCEANO paper, CPU hours in percent; the printed ones have two digits.
DEMANDS = ("Army=4.1936%", "DoD Other=0.8429%", "NAVOCEANO=10.9765%", "System=2.0838%", "Staff=idle")


def _with(*demands: str) -> list[str]:
    return [part for demand in demands for part in ("--demand", demand)]


def test_the_target_of_the_paper(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "what-if", examples / "navoceano-c916.yaml", *_with(*DEMANDS), "--json")
    assert ended.status == 0
    found = json.loads(ended.out)
    nodes = {node["path"].rpartition("/")[2]: node for node in found["nodes"]}
    for name in ("Navy R&D", "Air Force"):
        assert round(100 * nodes[name]["what_if"], 3) == pytest.approx(40.952, abs=0.001)
        assert nodes[name]["saturated"]
    assert round(100 * nodes["Army"]["left"], 2) == 14.93
    taken = sum(flow["amount"] for flow in found["flows"] if flow["to"].endswith("Air Force"))
    assert taken == pytest.approx(nodes["Air Force"]["received"])


def test_the_table_names_who_leaves_what_to_whom(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "what-if", examples / "navoceano-c916.yaml", *_with(*DEMANDS))
    assert ended.status == 0
    start = wording("shares.cannot-use-its-and-leaves", name="Army", entitled="19.1 %", amount="14.9 points")
    assert wording("shares.to", start=start, who=listed(["Navy R&D", "Air Force"])) in ended.out
    assert "40.952" in ended.out


def test_a_demand_within_a_group_opens_it(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "what-if", examples / "navoceano-c916.yaml", "--demand", "p2107=idle")
    assert says(ended.out, "shares.cannot-use-its-and-leaves", name="p2107")
    assert wording("shares.to", start="", who=listed(["p2101", "p2104"])) in ended.out


@pytest.mark.parametrize(
    ("demand", "message"),
    [
        ("Army", naming("PATH=DEMAND")),
        ("Army=lots", naming("saturated, idle")),
        ("Amry=idle", worded("figures.did-you-mean", near="Army")),
    ],
)
def test_wrong_demands_are_reported(cli: Cli, examples: Path, demand: str, message: Expected) -> None:
    ended = cli("tree", "what-if", examples / "navoceano-c916.yaml", "--demand", demand)
    assert ended.status == 2
    assert says(ended.err, message)


def test_a_report_that_is_not_there(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "what-if", examples / "convex-series-1.yaml", "--report", "May")
    assert ended.status == 1
    assert says(ended.err, "cli.report-not-found", title="'May'", hint="")


def test_it_is_written_as_a_report(cli: Cli, examples: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.html"
    ended = cli("tree", "what-if", examples / "navoceano-c916.yaml", *_with(*DEMANDS), "--out", target)
    assert ended.status == 0
    text = target.read_text("utf-8")
    start = wording(
        "shares.cannot-use-its-and-leaves", name="Army", entitled="19.1\xa0%", amount="14.9 points"
    )
    assert wording("shares.to", start=start, who=listed(["Navy R&amp;D", "Air Force"])) in text
    assert "--demand Machine/User/DoD/Army=4.1936%" in text
