"""Dialogs that act on a cluster, with text of 200 %: by keys alone, whole, and small enough for a screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QDialog, QFileDialog, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.operate.jobs.workspace import JobsWorkspace
from fsconsole.console.style.sizes import set_sizes
from fsconsole.console.window import ConsoleWindow
from tests.console.assistive import is_reached, unspoken
from tests.console.words_in_sight import cut_in, settle

_SCREEN = QSize(1280, 800)
_LARGEST_PX = 26


@pytest.fixture
def large(qapp: QApplication) -> Iterator[None]:
    set_sizes(qapp, _LARGEST_PX, "normal")
    yield
    set_sizes(qapp, 0, "normal")


@pytest.mark.usefixtures("large")
def test_dialogs_that_act_are_whole_and_reached_by_keys(
    qtbot: QtBot, window: ConsoleWindow, armed: JobsWorkspace
) -> None:
    assert window.table.trigger("cluster.show_nodes")
    qtbot.waitUntil(lambda: armed.nodes.table.rows.rowCount() > 0)
    armed.nodes.table.selectRow(0)
    armed.find_jobs()
    qtbot.waitUntil(lambda: armed.jobs.table.jobs.rowCount() > 0)
    armed.jobs.table.selectRow(0)
    qtbot.waitUntil(lambda: bool(armed.controller.jobs))
    window.table.refresh()
    faults, seen = [], set()
    for action in [one for one in window.table if one.acts and one.name.endswith("…")]:
        if not window.table.trigger(action.id):
            continue
        for dialog in _opened():
            seen.add(type(dialog).__name__)
            settle(dialog)
            faults += [f"{action.id}: {fault}" for fault in _faults(dialog)]
            QTest.keyClick(dialog, Qt.Key.Key_Escape)
            assert not dialog.isVisible(), action.id
    assert not faults, "\n".join(faults)
    assert {"NodeDialog"} <= seen
    assert len(seen) >= 3


def _opened() -> list[QDialog]:
    QApplication.processEvents()
    tops = QApplication.topLevelWidgets()
    return [
        one
        for one in tops
        if isinstance(one, QDialog) and one.isVisible() and not isinstance(one, QFileDialog)
    ]


def _faults(dialog: QDialog) -> Iterator[str]:
    yield from cut_in(dialog)
    yield from unspoken(dialog)
    least = dialog.minimumSizeHint().expandedTo(dialog.size())
    if least.width() > _SCREEN.width() or least.height() > _SCREEN.height():
        yield f"needs {least.toTuple()}"
    stops = [one for one in dialog.findChildren(QWidget) if one.isEnabled() and _is_stop(one)]
    walked = {QApplication.focusWidget()}
    for _ in range(3 * len(stops)):  # hours and minutes of a length are stops of their own
        QTest.keyClick(QApplication.focusWidget() or dialog, Qt.Key.Key_Tab)
        walked.add(QApplication.focusWidget())
    yield from (f"Tab does not reach {one.accessibleName() or one}" for one in stops if one not in walked)


def _is_stop(one: QWidget) -> bool:
    is_part = isinstance(one.parentWidget(), QAbstractSpinBox | QComboBox)
    return one.isVisible() and is_reached(one) and not is_part
