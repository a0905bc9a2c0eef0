from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QMainWindow,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from pytestqt.qtbot import QtBot

from fsconsole.console.style import marks
from fsconsole.console.widgets.buttons import SegmentedButtons, Switch
from fsconsole.console.widgets.chips import Chip
from fsconsole.console.widgets.dock import Dock, DockHeader
from fsconsole.console.widgets.dock_states import ErrorStrip, LoadingStrip
from fsconsole.console.widgets.elided import RichLine
from fsconsole.console.widgets.readout import Readout, ReadoutLine
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.console.widgets.share_bar import GROUP_BAR_WIDTH, ShareBarDelegate, ShareBarRole
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.figures.style.palette import LIGHT
from tests.texts import wording

pytestmark = pytest.mark.usefixtures("look")


def _show(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    widget.activateWindow()


def _row(widget: QWidget, y: int) -> list[str]:
    image = widget.grab().toImage()
    return [image.pixelColor(x, y).name().upper() for x in range(image.width())]


def _bar_tree(qtbot: QtBot, fraction: float | None, old: float | None = None) -> QTreeWidget:
    tree = QTreeWidget()
    tree.setFrameShape(QFrame.Shape.NoFrame)
    tree.setHeaderHidden(True)
    tree.setRootIsDecorated(False)
    tree.setItemDelegate(ShareBarDelegate(tree, GROUP_BAR_WIDTH))
    item = QTreeWidgetItem(tree, ["25.00 %"])
    item.setData(0, ShareBarRole.FRACTION, fraction)
    item.setData(0, ShareBarRole.OLD_FRACTION, old)
    item.setData(0, ShareBarRole.COLOUR, "c5")
    item.setData(0, ShareBarRole.DIFFERENCE, "+5.00" if old is not None else None)
    qtbot.addWidget(tree)
    tree.resize(400, 100)
    return tree


def test_a_share_bar_fills_its_part_of_the_track(qtbot: QtBot) -> None:
    pixels = _row(_bar_tree(qtbot, 0.25), 12)
    assert pixels.count(LIGHT.c5) == GROUP_BAR_WIDTH // 4
    assert pixels.count(LIGHT.track) == GROUP_BAR_WIDTH - GROUP_BAR_WIDTH // 4 - 1  # the last marks its end


def test_more_than_all_fills_the_track_and_no_more(qtbot: QtBot) -> None:
    pixels = _row(_bar_tree(qtbot, 1.7), 12)
    assert pixels.count(LIGHT.c5) == GROUP_BAR_WIDTH
    assert LIGHT.track not in pixels


def test_a_mark_shows_the_value_before_the_change(qtbot: QtBot) -> None:
    tree = _bar_tree(qtbot, 0.25, old=0.5)
    above_the_bar = _row(tree, 6)
    assert [x for x, pixel in enumerate(above_the_bar) if pixel == LIGHT.text] == [8 + GROUP_BAR_WIDTH // 2]


def test_no_fraction_no_bar(qtbot: QtBot) -> None:
    assert LIGHT.track not in _row(_bar_tree(qtbot, None), 12)


def test_a_cell_with_a_change_asks_for_more_room(qtbot: QtBot) -> None:
    plain, changed = (_bar_tree(qtbot, 0.25, old).sizeHintForColumn(0) for old in (None, 0.5))
    assert changed > plain > GROUP_BAR_WIDTH


def test_a_chip_says_its_state(qtbot: QtBot) -> None:
    chip = Chip("Running", "ok", "run")
    qtbot.addWidget(chip)
    assert chip.sizeHint().height() == 20
    assert chip.accessibleName() == "Running"
    width = chip.sizeHint().width()
    chip.show_state("Does not fit", "danger", "kill")
    assert chip.text == chip.accessibleName() == wording("console.operate.nights.does-not-fit")
    assert chip.sizeHint().width() > width
    chip.resize(chip.sizeHint())
    assert LIGHT.dangerbg in _row(chip, 10)


def test_segments_offer_one_of_several(qtbot: QtBot) -> None:
    speeds = SegmentedButtons([(1, "\u00d71"), (10, "\u00d710"), (None, "max")], "Speed")
    _show(qtbot, speeds)
    assert speeds.value == 1
    with qtbot.waitSignal(speeds.chosen) as blocker:
        QTest.mouseClick(speeds.button(10), Qt.MouseButton.LeftButton)
    assert blocker.args == [10]
    with qtbot.waitSignal(speeds.chosen) as blocker:
        speeds.choose(None)
    assert blocker.args == [None]
    speeds.choose(10)
    speeds.choose(7)
    assert not any(speeds.button(value).isChecked() for value in (1, 10, None))
    speeds.choose(10)
    assert speeds.value == 10
    assert speeds.button(10).accessibleName() == "Speed \u00d710"


def test_arrows_move_along_the_segments(qtbot: QtBot) -> None:
    speeds = SegmentedButtons([(1, "\u00d71"), (10, "\u00d710")], "Speed")
    _show(qtbot, speeds)
    speeds.button(1).setFocus()
    QTest.keyClick(speeds.button(1), Qt.Key.Key_Right)
    assert speeds.value == 10
    assert LIGHT.accent in _row(speeds, speeds.height() // 2)


def test_a_switch_is_worked_by_key_and_click(qtbot: QtBot) -> None:
    switch = Switch("Leave out system groups")
    _show(qtbot, switch)
    switch.setFocus()
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert switch.isChecked()
    assert LIGHT.accent in _row(switch, switch.height() // 2)
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert not switch.isChecked()
    assert switch.sizeHint().height() >= 24


def test_escape_empties_the_search_box(qtbot: QtBot) -> None:
    box = SearchBox("Find node")
    _show(qtbot, box)
    QTest.keyClicks(box, "army")
    QTest.keyClick(box, Qt.Key.Key_Escape)
    assert box.text() == ""
    assert box.isVisible()


def _dock(qtbot: QtBot) -> tuple[QMainWindow, Dock]:
    window = QMainWindow()
    content = QTreeWidget()
    content.setHeaderLabels(["Severity", "Line"])
    dock = Dock("problems", "Problems", content, window)
    window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
    window.resize(600, 400)
    _show(qtbot, window)
    return window, dock


def _button(dock: Dock, text: str) -> QPushButton:
    return next(b for b in dock.findChildren(QPushButton) if b.text() == text and b.isVisible())


def test_a_dock_has_a_header_of_28(qtbot: QtBot) -> None:
    window, dock = _dock(qtbot)
    assert window.isVisible()
    assert dock.header.height() == 28
    search = SearchBox("Find problem")
    dock.header.add_widget(search)
    assert search.sizeHint().height() == 24
    dock.header.set_remark("3")
    assert not dock.grab().isNull()


def test_a_dock_collapses_to_its_header(qtbot: QtBot) -> None:
    window, dock = _dock(qtbot)
    collapse = dock.header.menu.actions()[0]
    collapse.trigger()
    qtbot.waitUntil(lambda: dock.height() == 28)
    assert dock.is_collapsed
    dock.header.menu.aboutToShow.emit()
    assert collapse.text() == "Expand"
    collapse.trigger()
    qtbot.waitUntil(dock.content.isVisible)
    assert window.isVisible()


def test_an_empty_dock_says_why_and_what_to_do(qtbot: QtBot) -> None:
    window, dock = _dock(qtbot)
    pressed: list[int] = []
    dock.body.show_empty("No job is running.", "Start window\u2026", lambda: pressed.append(1))
    QTest.mouseClick(_button(dock, "Start window\u2026"), Qt.MouseButton.LeftButton)
    assert pressed == [1]
    content = dock.content
    assert isinstance(content, QTreeWidget)
    assert content.header().isVisible()
    dock.body.show_content()
    assert not any(b.isVisible() for b in dock.findChildren(QPushButton))
    assert window.isVisible()


def test_the_notice_stays_in_the_middle(qtbot: QtBot) -> None:
    window, dock = _dock(qtbot)
    dock.body.show_empty("No problems.")
    notice = dock.body.findChild(QWidget, options=Qt.FindChildOption.FindChildrenRecursively)
    assert notice is not None
    window.resize(900, 700)
    content = dock.content
    assert isinstance(content, QTreeWidget)
    overlay = next(c for c in content.viewport().children() if isinstance(c, QWidget) and c.isVisible())
    qtbot.waitUntil(lambda: overlay.size() == content.viewport().size())


def test_an_error_stands_over_the_content_with_what_can_be_done(qtbot: QtBot) -> None:
    window, dock = _dock(qtbot)
    tried: list[str] = []
    sentence = "mercury did not answer for 3 s. Last values are from 14:31:20."
    dock.body.show_error(sentence, lambda: tried.append("retry"))
    strip = dock.findChild(ErrorStrip)
    assert strip is not None
    assert strip.text == strip.accessibleName() == sentence
    assert strip.height() == 28
    assert dock.content.isVisible()
    QTest.mouseClick(_button(dock, "Retry"), Qt.MouseButton.LeftButton)
    assert tried == ["retry"]
    assert strip.isHidden()
    dock.body.show_error(sentence, details=lambda: tried.append("details"))
    QTest.mouseClick(_button(dock, "Details"), Qt.MouseButton.LeftButton)
    assert tried == ["retry", "details"]
    dock.body.clear_error()
    assert strip.isHidden()
    assert window.isVisible()


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fsconsole.console.widgets.dock_states.LINE_AFTER_MS", 1)
    monkeypatch.setattr("fsconsole.console.widgets.dock_states.TEXT_AFTER_MS", 30)


@pytest.mark.usefixtures("hurried")
def test_loading_shows_a_line_then_words_and_cancel(qtbot: QtBot) -> None:
    window, dock = _dock(qtbot)
    cancelled: list[int] = []
    strip = LoadingStrip(dock.content, dock)
    strip.setFixedWidth(300)
    strip.start("Reading 412 accounts", lambda: cancelled.append(1))
    assert strip.isHidden()
    qtbot.waitUntil(strip.isVisible)
    qtbot.waitUntil(lambda: strip.height() == 28)
    assert not dock.content.isEnabled()
    QTest.mouseClick(_button(dock, "Cancel"), Qt.MouseButton.LeftButton)
    assert cancelled == [1]
    assert dock.content.isEnabled()
    assert strip.isHidden()
    assert window.isVisible()


def test_what_loads_quickly_shows_nothing(qtbot: QtBot) -> None:
    _window, dock = _dock(qtbot)
    strip = LoadingStrip(dock.content, dock)
    strip.setFixedWidth(300)
    strip.start("Reading 3 accounts", None)
    strip.finish()
    assert strip.isHidden()
    assert dock.content.isEnabled()


LINES = [ReadoutLine("Army", "30", "26 shares", "c2"), ReadoutLine("Share of machine", "6.375 %", "9.107 %")]


def test_a_readout_says_what_an_edit_will_do(qtbot: QtBot) -> None:
    window = QMainWindow()
    _show(qtbot, window)
    readout = Readout(window)
    readout.say("Army", LINES, "Esc reverts.")
    army, share, hint = readout.text().splitlines()[1:]
    assert army.split() == ["Army", "30", "26", "shares"]
    assert share.split()[-4:] == ["6.375", "%", "9.107", "%"]
    assert hint == "Esc reverts."
    assert readout.accessibleName() == readout.text()
    readout.say("", LINES[:1])
    assert readout.text().split() == ["Army", "30", "26", "shares"]
    assert not readout.grab().isNull()


@pytest.mark.parametrize("y", [0, 400])
def test_a_readout_never_lies_over_its_target(qtbot: QtBot, y: int) -> None:
    window = QMainWindow()
    _show(qtbot, window)
    readout = Readout(window)
    readout.say("Army", LINES)
    target = QRect(100, y, 60, 24)
    readout.show_above(target)
    assert not readout.geometry().intersects(target)
    assert QGuiApplication.primaryScreen().availableGeometry().contains(readout.geometry())
    assert readout.focusPolicy() is Qt.FocusPolicy.NoFocus


def test_lines_of_a_readout_that_go_are_never_windows(qtbot: QtBot) -> None:
    window = QMainWindow()
    _show(qtbot, window)
    readout = Readout(window)
    readout.show()
    for line in LINES:
        readout.say("Army", [line])  # before the layout has shown the labels of the line before
    QApplication.sendPostedEvents()
    assert {shown for shown in QApplication.topLevelWidgets() if shown.isVisible()} == {window, readout}


def test_marks_have_the_colours_of_their_tokens(qapp: QApplication) -> None:
    assert marks.chip("c5").toImage().pixelColor(4, 8) == QColor(LIGHT.c5)
    assert marks.chip_and_icon("c5", "group").width() == 28
    makes: list[Callable[[float], int]] = [
        lambda ratio: marks.chip("c5", ratio).height(),
        lambda ratio: marks.curve_sample(CurveStyle("c3", (5, 2)), ratio).height(),
    ]
    assert [make(2.0) for make in makes] == [32, 32]


def test_a_long_title_does_not_widen_a_dock_and_its_tooltip_has_it_whole(qtbot: QtBot) -> None:
    short, long = (
        DockHeader("Sweep"),
        DockHeader("Sweep: what the length of the fair-share window does at KTH"),
    )
    for header in (short, long):
        qtbot.addWidget(header)
        header.show()
    assert long.minimumSizeHint().width() < 200
    assert long.sizeHint().width() > short.sizeHint().width() > short._title.sizeHint().width()
    assert long._title.toolTip().startswith("Sweep: what")


def test_a_line_shows_the_longest_text_that_has_room(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    line = RichLine(parent)
    long, short = "Actions go to <b>lab</b> after you confirm.", "Actions go to <b>lab</b>."
    line.setText(long, short)
    long_px = line.sizeHint().width()
    line.resize(2 * max(long_px, 400), 30)
    parent.show()
    qtbot.waitExposed(parent)
    assert line.text() == long
    line.resize(line.sizeHint().width() - 10, 30)
    assert line.text() == short
    assert line.toolTip() == re.sub("<.*?>", "", long)
