"""Names from outside are plain words in labels, tooltips and boxes: no tag acts, no picture is opened."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QApplication,
    QFormLayout,
    QInputDialog,
    QLabel,
    QMessageBox,
    QToolTip,
    QWidget,
)
from pytestqt.qtbot import QtBot

import fsconsole.console
from fsconsole.console.help.viewer import PageBrowser
from fsconsole.console.style.application_style import ConsoleStyle
from fsconsole.console.widgets.labels import FactLabel, PlainLabel
from tests.console.hostile_names import Trap, shown_tip, trap

__all__ = ["trap"]

_CONSOLE = Path(fsconsole.console.__file__).parent
# What makes rich text, and the modules that may use it: the doors, and pages of the program itself.
_DOORS = {
    r"\bQLabel\(|class \w+\(QLabel\)": {"widgets/labels.py"},
    r"TextFormat\.(RichText|AutoText|MarkdownText)": {"widgets/labels.py", "style/plain_words.py"},
    r"\b(setHtml|insertHtml|appendHtml|setMarkdown)\(": {"help/dialogs.py", "help/viewer.py"},
    r"\b(QTextEdit|QErrorMessage|QGraphicsTextItem|QStaticText|TextItem|LabelItem|QWhatsThis)\(": set(),
}


def test_rich_text_is_made_at_its_doors_alone() -> None:
    for pattern, allowed in _DOORS.items():
        users = {
            path.relative_to(_CONSOLE).as_posix()
            for path in _CONSOLE.rglob("*.py")
            if re.search(pattern, path.read_text())
        }
        # Use a PlainLabel elsewhere.
        assert users <= allowed, (pattern, sorted(users - allowed))


@pytest.fixture
def parent(qtbot: QtBot, look: ConsoleStyle) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    made.resize(300, 200)
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_a_tooltip_shows_a_tag_and_opens_no_picture(parent: QWidget, trap: Trap) -> None:
    name = f"<img src='{trap.path}'>job\u202egnp"
    for text, words in ((name, name.replace("\u202e", r"\u202e")), (f"<b>b</b>\n{name}"[:10], "<b>b</b>\n<")):
        QToolTip.showText(parent.mapToGlobal(QPoint(5, 5)), text, parent)
        tip = shown_tip()
        assert (tip.text(), tip.textFormat()) == (words, Qt.TextFormat.PlainText)
    assert not trap.is_sprung


def test_a_long_name_is_not_wider_than_the_screen(parent: QWidget) -> None:
    QToolTip.showText(parent.mapToGlobal(QPoint(5, 5)), "<b>" + 2000 * "name", parent)
    assert shown_tip().width() < parent.screen().availableGeometry().width()
    assert "".join(shown_tip().text().split("\N{ZERO WIDTH SPACE}")) == "<b>" + 2000 * "name"


def test_boxes_inputs_and_rows_of_forms_show_tags(qtbot: QtBot, parent: QWidget, trap: Trap) -> None:
    name = f"<img src='{trap.path}'>job"
    more, label = f"More about {name}", f"Name of {name}"
    box = QMessageBox(QMessageBox.Icon.NoIcon, "fsconsole", f"Kill {name}?", parent=parent)
    box.setInformativeText(f"{more}\x1b[0m")
    asks = QInputDialog(parent)
    asks.setLabelText(label)
    form = QWidget(parent)
    QFormLayout(form).addRow(name, QWidget(form))
    words = set()
    for one in (box, asks, form):
        one.show()
        qtbot.waitUntil(one.isVisible)
        QApplication.processEvents()
        for shown in one.findChildren(QLabel):
            assert shown.textFormat() is Qt.TextFormat.PlainText
            words.add(shown.text())
    assert {f"Kill {name}?", rf"{more}\u001b[0m", label, name} <= words
    assert not trap.is_sprung


def test_labels_are_plain_before_they_are_shown(qtbot: QtBot, trap: Trap) -> None:
    for label in (PlainLabel(f"<img src='{trap.path}'>"), FactLabel()):
        qtbot.addWidget(label)
        label.setText(f"<img src='{trap.path}'>")
        label.setWordWrap(True)
        assert label.heightForWidth(40) > 0  # Qt lays the text out for it.
    assert not trap.is_sprung


def test_a_page_of_help_opens_no_other_file(qtbot: QtBot, parent: QWidget, trap: Trap) -> None:
    page = PageBrowser(parent)
    page.show()
    for place in (str(trap.path), f"file://{trap.path}", trap.path.name):
        page.setHtml(f"<img src='{place}'>Words")
        page.document().adjustSize()
        QApplication.processEvents()
        page.setMarkdown(f"![Words]({place}) and more")
        page.document().adjustSize()
        QApplication.processEvents()
    assert not trap.is_sprung
