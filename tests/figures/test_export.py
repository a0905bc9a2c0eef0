from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PySide6.QtGui import QImage

from fsconsole.figures.export import FORMATS, export_figure, export_run, file_blocks, file_bytes
from fsconsole.figures.quantities import QUANTITY_NAMES, quantity_named
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle
from fsconsole.machine.machine import machine_for
from fsconsole.recording.run import RunError, RunReader
from fsconsole.recording.run_writer import RunWriter
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import ChangeTree, SetSetting
from fsconsole.shares.scenario.read import parse_scenario
from tests.texts import refuses, refuses_naming, says

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Convex series 6 over its login, 10 s a sample."""
    text = (examples() / "convex-series-6.yaml").read_text()
    path = tmp_path_factory.mktemp("runs") / "six.run"
    machine = machine_for(parse_scenario(text), sample_s=10.0)
    writer = RunWriter(machine, path, scenario_text=text)
    machine.listeners.append(writer)
    machine.advance_to(600)
    writer.close()
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_a_run_is_exported_in_every_format_with_its_provenance_beside(
    run: Path, tmp_path: Path, form: str
) -> None:
    written = export_run(run, "cpu_rate", form, tmp_path / f"cpu.{form}")  # type: ignore[arg-type]
    data = [tmp_path / "cpu.csv"] if form == "py" else []  # a script draws a file
    assert written == [tmp_path / f"cpu.{form}", *data, tmp_path / "cpu.json"]
    assert written[0].stat().st_size > 500
    beside = json.loads(written[-1].read_text())
    assert beside["scenario_digest"] == RunReader(run).manifest["scenario_digest"]
    assert beside["settings"]["policy.half_life_s"] == 120


def test_data_are_all_nodes_as_recorded_in_full_precision(run: Path, tmp_path: Path) -> None:
    out, *_ = export_run(run, "allocated_share", "parquet", tmp_path / "a.parquet")
    frame = pl.read_parquet(out)
    times, values = RunReader(run).series("allocated_share")
    assert len(frame.columns) == 1 + len(values)
    np.testing.assert_array_equal(frame["time_s"].to_numpy(), times)
    u11 = frame["root/gr1/u11 allocated_share [fraction]"].to_numpy()
    assert u11[-1] == 0.05  # half of the tenth that the system groups leave


def test_a_figure_shows_what_the_scenario_plots_and_its_events(run: Path, tmp_path: Path) -> None:
    out, *_ = export_run(run, "cpu_rate", "svg", tmp_path / "cpu.svg")
    text = out.read_text()
    assert says(text, "shares.scenario.logs-in", who="u21")
    assert ">u22<" in text.replace(" ", "").replace("\n", "")


def test_nodes_can_be_chosen_by_name(run: Path, tmp_path: Path) -> None:
    out, *_ = export_run(run, "charge", "csv", tmp_path / "c.csv", nodes=["gr1", "root/gr2/u21"])
    time, *columns = out.read_text().splitlines()[0].split(",")
    assert time == "time_s"
    assert [column.split(maxsplit=2) for column in columns] == [
        ["root/gr1", "charge", "[CPU s]"],
        ["root/gr2/u21", "charge", "[CPU s]"],
    ]
    with refuses(LookupError, "shares.node-not-found-in-tree", path="'u99'"):
        export_run(run, "charge", "csv", tmp_path / "d.csv", nodes=["u99"])
    assert not (tmp_path / "d.csv").exists()


def test_unknown_quantities_formats_and_runs_are_reported(
    run: Path, tmp_path: Path, spec: FigureSpec
) -> None:
    with refuses(ValueError, "figures.run-has-no-quantity-it", quantity="'cpu'", recorded="cpu_rate"):
        export_run(run, "cpu", "csv", tmp_path / "x.csv")
    with refuses_naming(ValueError, "'gif'", "png", "svg", "pdf", "csv", "parquet"):
        export_figure(spec, tmp_path / "x.gif", "gif")  # type: ignore[arg-type]
    with pytest.raises(RunError):
        export_run(tmp_path / "none.run", "cpu_rate", "csv", tmp_path / "x.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path: Path, spec: FigureSpec) -> None:
    with refuses_naming(OSError, "absent"):
        export_figure(spec, tmp_path / "absent" / "x.png", "png")
    old = tmp_path / "old.png"
    old.write_bytes(b"old")
    with refuses(ValueError, "figures.image-of-x-pixels-is"):
        export_figure(spec, old, "png", FigureStyle(width_mm=9000, height_mm=9000), 2400)
    assert old.read_bytes() == b"old"


def test_metadata_beside_can_be_left_out(tmp_path: Path, spec: FigureSpec) -> None:
    assert export_figure(spec, tmp_path / "x.csv", "csv", metadata=False) == [tmp_path / "x.csv"]
    assert [item.name for item in tmp_path.iterdir()] == ["x.csv"]


def test_figures_are_drawn_without_a_display_and_data_without_qt(run: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from fsconsole.figures.export import export_run\n"
        "run, out = Path(sys.argv[1]), Path(sys.argv[2])\n"
        "export_run(run, 'charge', 'csv', out / 'c.csv'); assert 'PySide6.QtGui' not in sys.modules\n"
        "export_run(run, 'charge', 'png', out / 'c.png')\n"
    )
    unset = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
    environment = {key: value for key, value in os.environ.items() if key not in unset}
    command = [sys.executable, "-c", code, str(run), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert QImage(str(tmp_path / "c.png")).width() > 1000


def test_what_was_changed_on_the_way_stands_beside_the_figure(tmp_path: Path) -> None:
    text = (examples() / "convex-series-6.yaml").read_text()
    machine = machine_for(parse_scenario(text), sample_s=10.0)
    writer = RunWriter(machine, tmp_path / "six.run", scenario_text=text)
    machine.listeners.append(writer)
    u22 = machine.tree.find("u22").id
    before = machine.tree.node(u22).shares
    machine.advance_to(100)
    machine.act(ChangeTree((SetShares.of(u22, 800),)))
    machine.advance_to(200)
    machine.act(SetSetting("policy.half_life_s", 30.0))
    machine.act(SetSetting("policy.name", "feedback"))
    machine.advance_to(300)
    writer.close()
    changes = [
        {"time_s": 100.0, "what": "shares of root/gr2/u22", "from": before, "to": 800},
        {"time_s": 200.0, "what": "policy.half_life_s", "from": 120.0, "to": 30.0},
        {"time_s": 200.0, "what": "policy.name", "from": "share", "to": "feedback"},
    ]
    for x_range, half_life_s, one in ((None, 120.0, 3), ((0.0, 150.0), 120.0, 1), ((250.0, 300.0), 30.0, 3)):
        style = FigureStyle(x_range=x_range)
        _, beside = export_run(writer.path, "cpu_rate", "csv", tmp_path / "cpu.csv", style=style)
        found = json.loads(beside.read_text())
        assert found["settings"]["policy.half_life_s"] == half_life_s
        assert found["changes"] == changes[:one]


@pytest.mark.parametrize("name", QUANTITY_NAMES)
def test_axis_and_data_file_agree_on_the_unit(run: Path, tmp_path: Path, name: str) -> None:
    out, *_ = export_run(run, name, "csv", tmp_path / "x.csv", nodes=["u11"])
    header = out.read_text().splitlines()[0]
    unit = header.rpartition("[")[2].rstrip("]")
    assert quantity_named(name).axis.unit == {"fraction": "%"}.get(unit, unit)


def test_a_long_run_goes_out_as_csv_in_blocks_of_a_bounded_size() -> None:
    """A month of many users must not stand in memory as text."""
    rows = 100_000
    curves = tuple(Curve(f"u{at}", np.arange(float(rows)), np.arange(float(rows))) for at in range(3))
    spec = FigureSpec("x", "x", Axis("usage"), curves)
    blocks = list(file_blocks(spec, "csv", FigureStyle()))
    assert max(map(len, blocks)) < len(b"".join(blocks)) / 100
    assert b"".join(blocks) == file_bytes(spec, "csv", FigureStyle())
    assert b"".join(blocks).count(b"\r\n") == rows + 1
