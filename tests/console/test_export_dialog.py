"""The export dialog writes what its preview shows."""

from __future__ import annotations

import csv
import errno
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from fsconsole.console.export_choice import ExportChoice, base_of
from fsconsole.console.export_dialog import ExportDialog
from fsconsole.console.export_plots import PlotChoice
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.figures.spec import Axis, Curve, EventMark, Expected, FigureSpec, Provenance
from fsconsole.figures.stack import stacked
from tests.texts import says, wording

TIMES = np.arange(0.0, 600.0, 10.0)
SPEC = FigureSpec(
    "cpu-rate",
    "CPU rate",
    Axis("CPU rate", "%", 100.0, "fraction"),
    (Curve("u1", TIMES, TIMES / 600, path="root/u1"),),
    quantity="cpu_rate",
    provenance=Provenance("Two users", "0123456789ab", 7),
)
Make = Callable[..., ExportDialog]


@pytest.fixture
def make(qtbot: QtBot, look: ConsoleStyle, tmp_path: Path) -> Make:
    def made(**options: Any) -> ExportDialog:
        dialog = ExportDialog(lambda: SPEC, **options)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(dialog)
        dialog.file.setText(str(tmp_path / "figure"))
        dialog.show()
        return dialog

    return made


def rows_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as stream:
        return list(csv.reader(stream))


def press(dialog: ExportDialog) -> None:
    QTest.mouseClick(dialog.export_button, Qt.MouseButton.LeftButton)


def test_enter_writes_figure_data_and_metadata(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    dialog = make()
    dialog.form.form.choose("svg")
    dialog.form.data.choose("csv")
    QTest.keyClick(dialog.file, Qt.Key.Key_Return)
    assert dialog.result() == ExportDialog.DialogCode.Accepted
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.csv", "figure.json", "figure.svg"]
    root = ET.fromstring((tmp_path / "figure.svg").read_bytes())
    assert (root.get("width"), root.get("height")) == ("174mm", "112mm")
    rows = rows_of(tmp_path / "figure.csv")
    assert len(rows) == 1 + len(TIMES)
    assert json.loads((tmp_path / "figure.json").read_text())["seed"] == 7


def test_the_parts_shown_can_be_exported_alone(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    dialog = make(shown=(100.0, 200.0))
    dialog.form.data.choose("csv")
    dialog.form.part.setCurrentIndex(1)
    dialog.form.rows.setCurrentIndex(1)
    assert dialog.form.part.currentText().split() == ["As", "shown,", "100", "to", "200", "s"]
    assert dialog.form.rows.currentText() == wording("console.as-shown", shown="11")
    press(dialog)
    rows = rows_of(tmp_path / "figure.csv")
    assert [row[0] for row in rows] == ["time_s", *(str(float(at)) for at in range(100, 201, 10))]


def test_size_and_resolution_make_the_pixels_of_a_png(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    dialog = make()
    dialog.form.form.choose("png")
    dialog.form.width_mm.setValue(50.8)
    dialog.form.height_mm.setValue(25.4)
    dialog.form.dpi.setCurrentIndex(dialog.form.dpi.findData(300))
    dialog.form.metadata.setChecked(False)
    assert dialog.form.size_.currentText() == "Own size"
    press(dialog)
    assert [path.name for path in tmp_path.iterdir()] == ["figure.png"]
    image = QImage(str(tmp_path / "figure.png"))
    assert (image.width(), image.height()) == (600, 300)


def test_only_png_has_a_resolution_and_only_data_have_rows(make: Make) -> None:
    dialog = make()
    form = dialog.form
    assert (form.dpi.isEnabled(), form.rows.isEnabled()) == (False, False)
    form.form.choose("png")
    form.data.choose("parquet")
    assert (form.dpi.isEnabled(), form.rows.isEnabled()) == (True, True)


def test_the_preview_keeps_the_true_ratio(qtbot: QtBot, make: Make) -> None:
    dialog = make()
    for width, height in ((100.0, 200.0), (300.0, 60.0)):
        dialog.form.width_mm.setValue(width)
        dialog.form.height_mm.setValue(height)
        paper = dialog.preview.paper()
        assert paper.width() / paper.height() == pytest.approx(width / height)
        assert dialog.preview.rect().contains(paper.toAlignedRect())
    qtbot.waitUntil(lambda: "kB" in dialog._right.text())


def test_the_zoom_said_is_that_of_the_preview(qtbot: QtBot, make: Make) -> None:
    dialog = make()
    qtbot.waitUntil(lambda: dialog.preview.width() > 400)
    for width in (940, 1300):
        dialog.resize(width, 700)
        qtbot.waitUntil(lambda width=width: dialog.preview.width() > width - 500)  # type: ignore[misc]
        (zoom,) = re.findall(r"(\d+)\xa0%", dialog._left.text())
        assert zoom == f"{100 * dialog.preview.zoom:.0f}" != "0"


def test_long_names_do_not_widen_the_dialog(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    dialog = make()
    least = dialog.minimumSizeHint().width()
    for name in ("a" * 200, "a figure of a run, " * 10 + "end"):
        (tmp_path / f"{name}.pdf").write_text("")
        dialog.file.setText(str(tmp_path / name))
        assert "replaces" in dialog.remark.text()
        assert dialog.minimumSizeHint().width() == least


def test_a_name_that_is_too_long_is_reported_while_it_is_typed(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    dialog = make()
    dialog.file.setText(str(tmp_path))
    dialog.file.end(False)
    QTest.keyClicks(dialog.file, "/" + "a" * 300)
    assert dialog.remark.text() == wording(
        "console.cannot-write-there-choose-another", trouble=os.strerror(errno.ENAMETOOLONG)
    )
    assert not dialog.export_button.isEnabled()
    for _ in range(290):
        QTest.keyClick(dialog.file, Qt.Key.Key_Backspace)
    assert dialog.remark.text().startswith("Writes aaaaaaaaaa.pdf")
    assert dialog.export_button.isEnabled()


def test_a_folder_without_permission_is_reported(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.stat

    def stat(path: Path, **how: bool) -> object:
        if "closed" in path.parts:
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **how)

    monkeypatch.setattr(Path, "stat", stat)  # root may look anywhere
    dialog = make()
    dialog.file.setText(str(tmp_path / "closed" / "figure"))
    assert dialog.remark.text() == wording(
        "console.cannot-write-there-choose-another", trouble="Permission denied"
    )
    assert not dialog.export_button.isEnabled()


def test_it_says_what_was_written_where(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    dialog = make()
    dialog.form.data.choose("csv")
    with qtbot.waitSignal(dialog.message) as signal:
        press(dialog)
    assert signal.args == [
        ("figure.pdf, " + wording("console.written-to", written="figure.json, figure.csv", parent=tmp_path))
    ]


def test_only_parts_that_the_figure_has_are_offered(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = make()
    assert [name for name, check in bare.form.checks.items() if not check.isHidden()] == ["title", "names"]
    marks = (EventMark(10.0, "u1 logs in"),)
    full = replace(SPEC, events=marks, notes=marks, expected=(Expected(10.0, 0.5),))
    monkeypatch.setitem(globals(), "SPEC", full)
    rich = make()
    assert not any(check.isHidden() for check in rich.form.checks.values())


def test_the_last_choice_name_and_folder_are_remembered_for_the_figure(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    preferences = Preferences(tmp_path / "settings")
    folder = tmp_path / "figures"
    folder.mkdir()
    first = make(preferences=preferences)
    first.form.theme.choose("print")
    first.form.font_pt.setCurrentIndex(first.form.font_pt.findData(12.0))
    first.file.setText(str(folder / "mine"))
    press(first)
    again = ExportDialog(lambda: SPEC, preferences=preferences)
    qtbot.addWidget(again)
    again.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    assert again.choice == first.choice
    assert base_of(again.file.text()) == folder / "mine"


def test_the_look_of_the_last_export_is_that_of_the_next_figure(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    preferences = Preferences(tmp_path / "settings")
    first = make(preferences=preferences)
    first.form.theme.choose("print")
    first.form.width_mm.setValue(84.0)
    first.form.checks["title"].setChecked(False)
    first.file.setText(str(tmp_path / "first"))
    first.export_button.click()
    other = ExportDialog(lambda: replace(SPEC, name="another"), preferences=preferences)
    qtbot.addWidget(other)
    assert (other.choice.theme, other.choice.width_mm) == ("print", 84.0)
    # Parts of a figure are that figure's own.
    assert other.choice.title


def test_kinds_are_named_in_ranges_and_values_counted(qtbot: QtBot) -> None:
    def offered(kinds: tuple[str, ...]) -> tuple[str, str]:
        places = np.arange(float(len(kinds)))
        spec = FigureSpec(
            "bars", "Bars", Axis("wait"), (Curve("a", places, places),), Axis("window", kinds=kinds)
        )
        dialog = ExportDialog(lambda: spec)
        qtbot.addWidget(dialog)
        return dialog.form.part.itemText(0), dialog.form.rows.itemText(0)

    assert offered(("KTH",)) == ("All, KTH", wording("console.1-value-per-curve"))
    part, rows = offered(("4h", "1d", "7d"))
    assert part.split() == ["All,", "4h", "to", "7d"]
    assert rows == wording("console.all-values", count="3")


def test_cancel_writes_nothing_and_remembers_nothing(qtbot: QtBot, make: Make, tmp_path: Path) -> None:
    preferences = Preferences(tmp_path / "settings")
    dialog = make(preferences=preferences)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isHidden()
    assert list(tmp_path.iterdir()) == []
    assert preferences.value("export/cpu-rate") is None


def test_a_place_that_cannot_be_written_is_reported_and_the_dialog_stays(
    qtbot: QtBot, make: Make, tmp_path: Path
) -> None:
    dialog = make()
    dialog.file.setText(str(tmp_path / "absent" / "figure.pdf"))
    press(dialog)
    assert dialog.isVisible()
    assert dialog.trouble.isVisibleTo(dialog)
    assert says(dialog.trouble.text(), "console.files.cannot-write", name="")
    dialog.file.setText(str(tmp_path / "figure.pdf"))
    assert not dialog.trouble.isVisibleTo(dialog)
    press(dialog)
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("typed", ["", "  ", "/", "figures/", ".pdf/.."])
def test_a_name_is_needed(make: Make, typed: str) -> None:
    dialog = make()
    dialog.file.setText(typed)
    assert not dialog.export_button.isEnabled()


def test_it_says_which_files_will_be_replaced(make: Make, tmp_path: Path) -> None:
    dialog = make()
    (tmp_path / "old.pdf").write_text("")
    dialog.file.setText(str(tmp_path / "old"))
    assert re.split("[,;] ", dialog.remark.text()) == [
        "Writes old.pdf",
        "old.json",
        "replaces old.pdf",
    ]


def test_a_typed_ending_chooses_the_format_and_another_format_takes_it_off(
    make: Make, tmp_path: Path
) -> None:
    dialog = make()
    dialog.form.form.choose("pdf")
    dialog.file.clear()
    QTest.keyClicks(dialog.file, str(tmp_path / "x.svg"))
    assert dialog.choice.form == "svg"
    assert dialog.remark.text().split(", ") == ["Writes x.svg", "x.json"]
    dialog.form.form.choose("png")
    assert dialog.file.text() == str(tmp_path / "x")
    assert dialog.remark.text().split(", ") == ["Writes x.png", "x.json"]
    QTest.keyClicks(dialog.file, ".svg")
    press(dialog)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.json", "x.svg"]


def test_browse_takes_the_format_from_the_system_dialog(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = make()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "there.svg"), ""))
    dialog.browse()
    assert dialog.paths[0] == tmp_path / "there.svg"


def test_browse_takes_the_name_from_the_system_dialog(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = make()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "there.pdf"), ""))
    dialog.browse()
    assert dialog.paths[0] == tmp_path / "there.pdf"


def test_copy_puts_the_figure_on_the_clipboard_in_its_size(make: Make) -> None:
    dialog = make()
    dialog.form.width_mm.setValue(50.8)
    dialog.copy()
    image = QGuiApplication.clipboard().image()
    assert image.width() == 400  # 2 inches at 200 dpi


@pytest.mark.parametrize(
    "remembered",
    [None, [], {"form": "gif"}, {"width_mm": -3}, {"names": "maybe"}, {"unknown": 1, "dpi": 7}],
)
def test_what_cannot_be_remembered_counts_as_the_default(remembered: object) -> None:
    assert ExportChoice.from_json(remembered) == ExportChoice()


def test_a_choice_survives_being_remembered() -> None:
    choice = ExportChoice(form="png", data="csv", width_mm=84, theme="print", dpi=600, names=False)
    assert ExportChoice.from_json(json.loads(json.dumps(choice.to_json()))) == choice


@pytest.mark.parametrize(
    ("typed", "base"),
    [("a/b", "a/b"), ("a/b.pdf", "a/b"), ("series-6.v2", "series-6.v2"), (" c.CSV ", "c")],
)
def test_endings_of_ours_are_taken_off_a_typed_name(typed: str, base: str) -> None:
    assert base_of(typed) == Path(base)


def test_plots_are_chosen_in_the_dialog_and_stand_in_one_figure(qtbot: QtBot, tmp_path: Path) -> None:
    figures = {"cpu_rate": SPEC, "charge": replace(SPEC, name="charge", quantity="charge", title="Charge")}

    def figure_of(names: Sequence[str]) -> FigureSpec:
        return stacked([figures[name] for name in names], "plots", "The run")

    plots = PlotChoice({"cpu_rate": "CPU rate", "charge": "Charge"}, ["cpu_rate"], figure_of)
    dialog = ExportDialog(plots.figure, plots=plots)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)
    dialog.file.setText(str(tmp_path / "cpu-rate"))
    dialog.show()
    assert dialog.plots is not None
    height = dialog.choice.height_mm
    dialog.plots.switches["charge"].click()
    assert plots.chosen == ("cpu_rate", "charge")
    assert dialog.choice.height_mm > height
    assert dialog.file.text() == str(tmp_path / "plots")
    dialog.form.data.choose("csv")
    press(dialog)
    header = rows_of(tmp_path / "plots.csv")[0]
    assert [column.split() for column in header] == [
        ["time_s"],
        ["root/u1", "cpu_rate", "[fraction]"],
        ["root/u1", "charge", "[fraction]"],
    ]


def test_the_last_plot_stays_chosen(qtbot: QtBot, look: ConsoleStyle) -> None:
    plots = PlotChoice({"cpu_rate": "CPU rate"}, ["cpu_rate"], lambda _names: SPEC)
    dialog = ExportDialog(plots.figure, plots=plots)
    qtbot.addWidget(dialog)
    assert dialog.plots is not None
    dialog.plots.switches["cpu_rate"].click()
    assert dialog.plots.switches["cpu_rate"].isChecked()


def test_all_figures_are_written_in_the_look_of_the_one_shown(make: Make, tmp_path: Path) -> None:
    known = [replace(SPEC, name=f"figure-{place}", title=f"Figure {place}") for place in range(6)]
    assert not make().all_figures.isVisible()
    dialog = make(others=("All figures of the study", lambda: known))
    assert "figure" in dialog.remark.text()
    assert "files" not in dialog.remark.text()
    dialog.form.form.choose("png")
    dialog.form.width_mm.setValue(100.0)
    dialog.all_figures.setFocus()
    QTest.keyClick(dialog.all_figures, Qt.Key.Key_Space)
    messages: list[str] = []
    dialog.message.connect(messages.append)
    expected = sorted(path.name for path in dialog.paths)
    assert dialog.remark.text() == f"Writes {len(expected)} files"
    press(dialog)
    assert sorted(path.name for path in tmp_path.glob("figure-*")) == expected
    assert {f"figure-{place}" for place in range(6)} == {Path(name).stem for name in expected}
    assert messages[0].split()[:3] == [str(len(expected)), "files", "written"]
    widths = {QImage(str(path)).width() for path in tmp_path.glob("figure-*.png")}
    assert widths == {dialog.choice.pixels()[0]}
