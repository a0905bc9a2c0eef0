"""The script for matplotlib draws the data of the CSV beside it; a stand-in of matplotlib keeps the calls."""

from __future__ import annotations

import runpy
import sys
import types
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from fsconsole.figures.export import export_figure
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle

NASTY = "it's \"odd\" \\ {x} \n'''"


@pytest.fixture
def axes(monkeypatch: pytest.MonkeyPatch) -> list[MagicMock]:
    """What was drawn into each plot."""
    plots = [MagicMock(name="first"), MagicMock(name="second")]
    pyplot: Any = types.ModuleType("matplotlib.pyplot")
    pyplot.subplots = lambda rows, **_: (MagicMock(), [[plot] for plot in plots[:rows]])
    pyplot.rcParams = {}
    package: Any = types.ModuleType("matplotlib")
    package.pyplot = pyplot
    monkeypatch.setitem(sys.modules, "matplotlib", package)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    return plots


def test_lines_have_the_values_shown_and_their_looks(axes: list[MagicMock], tmp_path: Path) -> None:
    x = np.array([0.0, 3600.0, 7200.0])
    share = Curve(NASTY, x, np.array([0.25, np.nan, 0.5]), "c4", (5.0, 2.0))
    usage = Curve("usage", x, np.array([1e7, 2e7, 3e7]))
    below = FigureSpec("b", "Usage", Axis("usage", "cost units"), (usage,))
    spec = FigureSpec(
        "f", NASTY, Axis("share", "%", 100.0, "fraction", (0.0, 100.0)), (share,),
        Axis("time", "h", 1 / 3600, "s"), below=(below,),
    )  # fmt: skip
    written = export_figure(spec, tmp_path / "f.py", "py", FigureStyle(), metadata=False)
    assert [path.name for path in written] == ["f.py", "f.csv"]
    runpy.run_path(str(written[0]))
    (hours, values), look = axes[0].plot.call_args
    assert hours == [0.0, 1.0, 2.0]
    assert values[0] == 25.0
    assert np.isnan(values[1])
    assert (look["label"], look["linestyle"]) == (NASTY, (0, (5.0, 2.0)))
    axes[0].set_ylim.assert_called_once_with(0.0, 100.0)
    axes[0].set_ylabel.assert_called_once_with("share (%)")
    assert axes[1].plot.call_args.args[1] == [1e7, 2e7, 3e7]


def test_bars_stand_side_by_side_with_ticks_and_levels(axes: list[MagicMock], tmp_path: Path) -> None:
    x = np.array([0.0, 1.0])
    curves = (
        Curve("a", x, np.array([1.0, 2.0])),
        Curve("b", x, np.array([3.0, 4.0])),
        Curve("t", x, np.array([5.0, 6.0]), shape="tick"),
        Curve("l", x, np.array([7.0, 7.0]), shape="level"),
    )
    spec = FigureSpec("f", "Bars", Axis("wait", "h"), curves, Axis("user", kinds=("#1", "#2")))
    export_figure(spec, tmp_path / "f.py", "py")
    runpy.run_path(str(tmp_path / "f.py"))
    first, second = axes[0].bar.call_args_list
    assert first.args == ([-0.2, 0.8], [1.0, 2.0], 0.4)
    assert second.args == ([0.2, 1.2], [3.0, 4.0], 0.4)
    assert axes[0].plot.call_args.args[:2] == ([0, 1], [5.0, 6.0])
    assert axes[0].axhline.call_args.args == (7.0,)
    assert axes[0].set_xticks.call_args.args == ([0, 1], ["#1", "#2"])


def test_bars_and_lines_without_colours_differ_by_hatching_and_dashes(
    axes: list[MagicMock], tmp_path: Path
) -> None:
    """On paper four bars were black alike; the PDF of the same figure has them hatched."""
    x = np.array([0.0, 1.0])
    for shape in ("bar", "line"):
        curves = tuple(Curve(name, x, np.array([1.0, 2.0]), "c2", shape=shape) for name in "abc")
        spec = FigureSpec("f", "F", Axis("wait", "h"), curves, Axis("user", kinds=("#1", "#2")))
        export_figure(spec, tmp_path / "f.py", "py", FigureStyle(theme="print"))
        runpy.run_path(str(tmp_path / "f.py"))
    assert [call.kwargs.get("hatch") for call in axes[0].bar.call_args_list] == [None, "", "///"]
    assert [call.kwargs.get("linestyle") for call in axes[0].plot.call_args_list] == [
        None,
        (0, (5, 2)),
        (0, (2, 2)),
    ]


@pytest.mark.parametrize(
    ("many", "width_mm", "shown", "is_turned"), [(4, 174.0, 4, False), (40, 84.0, 20, True)]
)
def test_labels_of_kinds_do_not_overlap(
    axes: list[MagicMock], tmp_path: Path, many: int, width_mm: float, shown: int, is_turned: bool
) -> None:
    x = np.arange(float(many))
    axis = Axis("user", kinds=tuple(f"#{number}" for number in range(many)))
    spec = FigureSpec("f", "F", Axis("wait", "h"), (Curve("a", x, x, shape="bar"),), axis)
    export_figure(spec, tmp_path / "f.py", "py", FigureStyle(width_mm=width_mm))
    runpy.run_path(str(tmp_path / "f.py"))
    call = axes[0].set_xticks.call_args
    assert len(call.args[1]) == shown
    assert ("rotation" in call.kwargs) is is_turned


def test_intervals_of_bars_bands_of_lines_and_boxes_are_in_the_data_and_drawn(
    axes: list[MagicMock], tmp_path: Path
) -> None:
    x = np.array([0.0, 1.0])

    def spec(*curves: Curve) -> FigureSpec:
        return FigureSpec("e", "Ends", Axis("wait", "h", 2.0), curves, Axis("kind", kinds=("x", "y")))

    ends = (np.array([0.5, 1.0]), np.array([1.5, 3.0]))
    bars = (Curve("a", x, np.array([1.0, 2.0]), band=ends), Curve("b", x, np.array([1.0, 2.0])))
    path, data = export_figure(spec(*bars), tmp_path / "e.py", "py", FigureStyle(), metadata=False)
    head, *rows = data.read_text().splitlines()
    assert [name.split() for name in head.split(",")] == [
        ["kind"],
        ["a", "wait", "[h]"],
        ["b", "wait", "[h]"],
        ["a", "low", "wait", "[h]"],
        ["a", "high", "wait", "[h]"],
    ]
    assert rows == ["x,1.0,1.0,0.5,1.5", "y,2.0,2.0,1.0,3.0"]
    runpy.run_path(str(path))
    assert axes[0].vlines.call_args.args == ([-0.2, 0.8], [1.0, 2.0], [3.0, 6.0])
    line = Curve("c", x, np.array([1.0, 2.0]), shape="line", band=ends)
    runpy.run_path(str(export_figure(spec(line), tmp_path / "l.py", "py", FigureStyle(), metadata=False)[0]))
    assert axes[0].fill_between.call_args.args == ([0, 1], [1.0, 2.0], [3.0, 6.0])
    box = Curve("", x, np.array([1.0, 2.0]), path="users", shape="box", band=ends, whiskers=ends)
    axes[0].reset_mock()
    runpy.run_path(str(export_figure(spec(box), tmp_path / "b.py", "py", FigureStyle(), metadata=False)[0]))
    assert axes[0].vlines.call_args.args == ([0, 1], [1.0, 2.0], [3.0, 6.0])
    assert axes[0].bar.call_args.args == ([0, 1], [2.0, 4.0], 0.5, [1.0, 2.0])
    axes[0].legend.assert_not_called()
