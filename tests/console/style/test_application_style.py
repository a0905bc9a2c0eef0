from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QMainWindow,
    QMenu,
    QProgressBar,
    QPushButton,
    QRadioButton,
    QScrollBar,
    QSlider,
    QSpinBox,
    QSplitter,
    QTabWidget,
    QToolBar,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.style.controls import set_control_height, set_look
from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.style.palette import DARK, LIGHT, Palette

pytestmark = pytest.mark.usefixtures("look")
both = pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])


def _pixel(widget: QWidget, x: int, y: int) -> QColor:
    return widget.grab().toImage().pixelColor(x, y)


def _shows(widget: QWidget, token: str) -> bool:
    image = widget.grab().toImage()
    wanted = colour(token).rgb()
    return any(image.pixel(x, y) == wanted for x in range(image.width()) for y in range(image.height()))


def _tree() -> QTreeWidget:
    tree = QTreeWidget()
    tree.setHeaderLabels(["Name", "Shares"])
    group = QTreeWidgetItem(tree, ["DoD", "85"])
    for name, state in (("Army", Qt.CheckState.Checked), ("Navy", Qt.CheckState.PartiallyChecked)):
        QTreeWidgetItem(group, [name, "30"]).setCheckState(0, state)
    tree.expandAll()
    tree.setSortingEnabled(True)
    group.child(0).setSelected(True)
    return tree


def _group(tree: QTreeWidget) -> QTreeWidgetItem:
    item = tree.topLevelItem(0)
    assert item is not None
    return item


def _everything() -> QMainWindow:
    window = QMainWindow()
    window.menuBar().addMenu("File").addAction("Open")
    bar = QToolBar()
    window.addToolBar(bar)
    bar.addAction("Undo")
    bar.addSeparator()
    for look in ("tab", "boxed", "primary", ""):
        button = QToolButton()
        button.setText("Design")
        button.setCheckable(True)
        button.setChecked(True)
        set_look(button, look)
        bar.addWidget(button)
    form = QWidget()
    layout = QFormLayout(form)
    wrong, off = QLineEdit("wrong"), QLineEdit("off")
    set_look(wrong, "error")
    off.setEnabled(False)
    editable, chosen, radio, default = QComboBox(), QComboBox(), QRadioButton("Light"), QPushButton("Export")
    editable.setEditable(True)
    chosen.addItems(["174 mm"])
    radio.setChecked(True)
    default.setDefault(True)
    tabs = QTabWidget()
    tabs.setDocumentMode(True)
    tabs.addTab(QWidget(), "Problems")
    tabs.addTab(QWidget(), "Source")
    progress = QProgressBar()
    progress.setValue(40)
    for widget in (
        wrong,
        off,
        editable,
        chosen,
        radio,
        default,
        tabs,
        progress,
        QSpinBox(),
        QCheckBox("Names"),
    ):
        layout.addRow(widget)
    layout.addRow(QSlider(Qt.Orientation.Horizontal))
    layout.addRow(QSlider(Qt.Orientation.Vertical))
    splitter = QSplitter()
    splitter.addWidget(_tree())
    splitter.addWidget(form)
    window.setCentralWidget(splitter)
    window.statusBar().showMessage("27 nodes")
    window.resize(900, 700)
    return window


@both
def test_everything_is_drawn_in_both_themes_without_a_warning(qtbot: QtBot, palette: Palette) -> None:
    theme().set_mode(palette.name)  # type: ignore[arg-type]
    window = _everything()
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    image = window.grab().toImage()
    seen = {image.pixelColor(x, y).name().upper() for x in range(900) for y in range(0, 700, 2)}
    assert {palette.surface, palette.raised, palette.sel, palette.accent, palette.edge, palette.line} <= seen


def test_windows_are_drawn_anew_when_the_theme_changes(qtbot: QtBot) -> None:
    window = _everything()
    qtbot.addWidget(window)
    window.grab()
    theme().set_mode("dark")
    # Qt posts the new palette to the widgets.
    qtbot.waitUntil(lambda: _pixel(window, 300, window.height() - 30) == QColor(DARK.surface))


def test_rows_and_controls_have_their_heights(qtbot: QtBot, look: ConsoleStyle) -> None:
    tree = _tree()
    qtbot.addWidget(tree)
    assert tree.visualItemRect(_group(tree)).height() == 24
    assert tree.header().sizeHint().height() == 24
    for control in (QPushButton("Run"), QLineEdit(), QComboBox(), QSpinBox()):
        qtbot.addWidget(control)
        assert control.sizeHint().height() == 28


def test_controls_are_lower_inside_docks(qtbot: QtBot) -> None:
    dock = QWidget()
    qtbot.addWidget(dock)
    set_control_height(dock, 24)
    layout = QVBoxLayout(dock)
    button = QPushButton("Run")
    layout.addWidget(button)
    assert button.sizeHint().height() == 24


def test_selected_text_stays_text_on_sel(qtbot: QtBot) -> None:
    tree = _tree()
    qtbot.addWidget(tree)
    tree.resize(300, 200)
    row = tree.visualItemRect(_group(tree).child(0))
    at = tree.viewport().mapTo(tree, QPoint(290, row.center().y()))
    assert _pixel(tree, at.x(), at.y()) == QColor(LIGHT.sel)


def test_the_default_button_is_filled_with_accent(qtbot: QtBot) -> None:
    button = QPushButton("Export")
    qtbot.addWidget(button)
    assert not _shows(button, "accent")
    button.setDefault(True)
    assert _pixel(button, 8, 8) == QColor(LIGHT.accent)


def test_an_editor_in_error_has_a_danger_border(qtbot: QtBot) -> None:
    editor = QLineEdit("3x")
    qtbot.addWidget(editor)
    assert not _shows(editor, "danger")
    set_look(editor, "error")
    assert _shows(editor, "danger")


def test_the_current_workspace_tab_has_an_accent_edge(qtbot: QtBot) -> None:
    tab = QToolButton()
    qtbot.addWidget(tab)
    tab.setText("Design")
    tab.setCheckable(True)
    set_look(tab, "tab")
    tab.resize(100, 40)
    assert _pixel(tab, 50, 39) != QColor(LIGHT.accent)
    tab.setChecked(True)
    assert _pixel(tab, 50, 39) == QColor(LIGHT.accent)
    assert _pixel(tab, 50, 38) == QColor(LIGHT.accent)
    assert _pixel(tab, 50, 37) != QColor(LIGHT.accent)


def test_boxed_tool_buttons_have_their_box_without_the_pointer(qtbot: QtBot) -> None:
    button = QToolButton()
    qtbot.addWidget(button)
    button.setText("Read-only")
    button.setAutoRaise(True)
    assert not _shows(button, "edge")
    set_look(button, "boxed")
    assert _shows(button, "edge")


def _bar(qtbot: QtBot, orientation: Qt.Orientation = Qt.Orientation.Vertical) -> QScrollBar:
    bar = QScrollBar(orientation)
    qtbot.addWidget(bar)
    bar.setRange(0, 100)
    bar.setPageStep(100)
    bar.setSingleStep(1)
    across = bar.sizeHint().width() if orientation is Qt.Orientation.Vertical else bar.sizeHint().height()
    assert across == 10
    bar.resize(*((10, 200) if orientation is Qt.Orientation.Vertical else (200, 10)))
    return bar


@pytest.mark.parametrize("orientation", list(Qt.Orientation))
def test_scroll_bars_are_thin_and_page_beside_the_slider(qtbot: QtBot, orientation: Qt.Orientation) -> None:
    bar = _bar(qtbot, orientation)
    far = QPoint(5, 190) if orientation is Qt.Orientation.Vertical else QPoint(190, 5)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=far)
    assert bar.value() == 100
    near = QPoint(far.x() and 5, 5)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=near)
    assert bar.value() == 0


def test_the_slider_of_a_scroll_bar_can_be_dragged_to_its_end(qtbot: QtBot) -> None:
    bar = _bar(qtbot)
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(5, 20))
    QTest.mouseMove(bar, QPoint(5, 130))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(5, 130))
    assert bar.value() == 100


def test_chips_keep_their_colours_in_selected_rows(qtbot: QtBot) -> None:
    mark = QPixmap(16, 16)
    mark.fill(QColor(LIGHT.c5))
    tree = _tree()
    qtbot.addWidget(tree)
    tree.resize(300, 200)
    _group(tree).child(0).setData(0, Qt.ItemDataRole.DecorationRole, mark)
    assert _shows(tree, "c5")
    assert QIcon(mark).pixmap(16, 16).toImage().pixelColor(3, 3) == QColor(LIGHT.c5)


def test_menus_are_drawn_raised_with_their_rules(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    menu.addAction("Undo")
    menu.addSeparator()
    tick: Any = menu.addAction("Dark")
    tick.setCheckable(True)
    tick.setChecked(True)
    menu.adjustSize()
    assert _shows(menu, "raised")
    assert _shows(menu, "accent")
    rects = [menu.actionGeometry(action) for action in menu.actions()]
    assert rects[0].height() == 26
    assert QRect(rects[1]).height() < 12


def test_a_box_elides_what_it_has_no_room_for(qtbot: QtBot) -> None:
    """A long word looks as if its beginning, with an ellipsis, had been put in."""
    words, box = "short (Batch users)", QComboBox()
    qtbot.addWidget(box)
    box.setFixedWidth(110)
    box.addItem(words)
    long = box.grab().toImage()
    shorter = []
    for length in range(1, 11):  # with an ellipsis these have room
        box.setItemText(0, words[:length] + "\N{HORIZONTAL ELLIPSIS}")
        shorter.append(box.grab().toImage())
    assert long in shorter
    box.setFixedWidth(300)
    box.setItemText(0, words)
    assert box.grab().toImage() not in shorter
