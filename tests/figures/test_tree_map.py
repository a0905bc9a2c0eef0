"""The share map as a picture: its boxes are as wide as parts of the machine, its words are text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from fsconsole.app.reports.tree_report import tree_report
from fsconsole.app.tree.outlook import Outlook
from fsconsole.cli.main import run
from fsconsole.figures.export import export_map, picture_format
from fsconsole.figures.files import svg_bytes
from fsconsole.figures.spec import FigureStyle
from fsconsole.figures.tree_map import tree_map
from fsconsole.resources import examples
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import saturated
from fsconsole.shares.scenario.read import read_scenario
from tests.texts import refuses_naming, says, wording

C916 = examples() / "navoceano-c916.yaml"
THREE = examples() / "three-users.yaml"


def test_a_map_has_names_and_parts_as_text() -> None:
    spec = tree_map(read_scenario(THREE).tree, "Three users")
    drawn = svg_bytes(spec, FigureStyle(height_mm=spec.height_mm)).decode()
    words = {" ".join(word.split()) for word in re.findall(r">([^<>]+)</text>", drawn)}
    assert {"one", "two", "four", "28.571 %", "57.143 %"} <= words  # the seventh has room for its name alone


def test_boxes_are_as_wide_as_parts_of_the_machine() -> None:
    spec = tree_map(read_scenario(THREE).tree, "Three users")
    drawn = svg_bytes(spec, FigureStyle(height_mm=spec.height_mm, width_mm=170)).decode()
    widths = [float(width) for width in re.findall(r'<rect [^>]*?width="([\d.]+)"', drawn)]
    whole = max(widths[1:])  # the first one is the ground
    for part in (1 / 7, 2 / 7, 4 / 7):
        assert any(width / whole == pytest.approx(part, abs=0.004) for width in widths)


def test_a_map_is_written_by_the_suffix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    for form, begin in begins.items():
        out = tmp_path / f"map.{form}"
        assert run(["tree", "show", str(C916), "--map", str(out)]) == 0
        assert out.read_bytes().startswith(begin)
    assert run(["tree", "show", str(C916), "--map", str(tmp_path / "map.svg")]) == 1
    assert "exists already" in capsys.readouterr().err
    assert run(["tree", "show", str(C916), "--map", str(tmp_path / "map.gif")]) == 2
    assert says(capsys.readouterr().err, "cli.share-map-must-end-in")


def test_a_map_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    assert picture_format(Path("a.SVG")) == "svg"
    assert picture_format(Path("a")) is None
    with refuses_naming(OSError, "nowhere"):
        export_map(read_scenario(THREE).tree, "x", tmp_path / "nowhere" / "a.svg", "svg")


def test_the_report_of_a_tree_has_maps_of_both() -> None:
    scenario = read_scenario(C916)
    flat = FlatTree.of(scenario.tree)
    unknown = np.full(len(flat), np.nan)
    army = {scenario.tree.find("Army").id: 0.02}
    plain, less = (
        tree_report(scenario, Outlook.of(scenario.tree, flat, saturated(flat), stated, unknown))
        for stated in ({}, army)
    )
    assert [figure.spec.title for figure in plain.figures] == [
        wording("app.reports.entitlement-of-each-node")
    ]
    assert [figure.spec.title for figure in less.figures][1:] == [
        wording("app.reports.cpu-time-of-each-node")
    ]
    words = plain.figures[0].about.replace(",", "").split()
    assert ("System", "12.5", "%") in zip(words, words[1:], words[2:], strict=False)
