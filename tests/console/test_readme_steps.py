"""The steps of the README, word by word, with the keyboard where it names keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from fsconsole.console.actions import is_editor
from fsconsole.console.design.workspace import DesignWorkspace
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.operate.nights.workspace import NightsWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.machine.insight import Explanation
from fsconsole.targets.snapshot import Snapshot

Until = Callable[[Callable[[], bool]], None]
_CONTROL = Qt.KeyboardModifier.ControlModifier
_CONTROL_SHIFT = _CONTROL | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def until(qtbot: QtBot) -> Until:
    return qtbot.waitUntil


@pytest.fixture
def observe(window: ConsoleWindow, qtbot: QtBot) -> LiveWorkspace:
    window.resize(1280, 800)
    window.show_workspace("observe")
    found = window.workspace("observe")
    assert isinstance(found, LiveWorkspace)
    qtbot.waitUntil(found.panel.isVisible)
    window.activateWindow()
    window.workspace("design")  # made a moment after the window stands
    return found


def focused() -> QWidget:
    """The widget that a person types into."""
    found = QApplication.focusWidget()
    assert found is not None
    return found


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(focused(), key, modifiers)


def now(session: ConsoleSession) -> Snapshot:
    assert session.snapshot is not None
    return session.snapshot


def explained(observe: LiveWorkspace) -> str:
    """Name of the first user that Why explains."""
    found = observe.why_panel.explanation
    return found.first.name if isinstance(found, Explanation) else ""


def is_running(session: ConsoleSession) -> bool:
    return session.playback is not None and session.playback.is_running


def rates(session: ConsoleSession) -> dict[str, float]:
    """CPU rates without system groups, by name."""
    assert session.document is not None
    sample = now(session).sample
    column = sample.columns["cpu_rate_without_system"]
    tree = session.document.tree
    return {tree.node(int(node)).name: float(value) for node, value in zip(sample.ids, column, strict=True)}


def open_example(window: ConsoleWindow, name: str, until: Until) -> None:
    """File > Open example."""
    assert window.table.trigger(f"example_{name}")
    session = window.session
    until(lambda: session.document is not None and session.document.name == f"{name}.yaml")
    until(lambda: session.snapshot is not None)


def row_of(view: QTreeView, name: str) -> QModelIndex:
    """The row of a node; its groups are open."""
    model = view.model()
    found = model.match(
        model.index(0, 0), Qt.ItemDataRole.DisplayRole, name, 1,
        Qt.MatchFlag.MatchExactly | Qt.MatchFlag.MatchRecursive,
    )  # fmt: skip
    assert found
    return found[0]


def test_steps_two_and_three(
    window: ConsoleWindow, observe: LiveWorkspace, session: ConsoleSession, until: Until
) -> None:
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_BracketRight)
    assert is_running(session)
    until(lambda: abs(rates(session)["u11"] - 0.25) < 0.02 and abs(rates(session)["u21"] - 1 / 6) < 0.02)
    press(Qt.Key.Key_Period)
    assert not is_running(session)
    press(Qt.Key.Key_1, _CONTROL)
    design = window.workspace("design")
    assert isinstance(design, DesignWorkspace)
    assert session.document is not None
    gr1 = session.document.tree.find("gr1").id
    design.tree_view.setFocus()
    session.select([gr1])
    QTest.keyClicks(focused(), "2")
    editor = design.tree_view.viewport().findChild(QLineEdit)
    assert isinstance(editor, QLineEdit)
    QTest.keyClicks(editor, "000")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    until(lambda: session.document is not None and session.document.tree.node(gr1).shares == 2000)
    window.activateWindow()  # the read-out has gone, and no window manager gives the focus back
    until(lambda: QApplication.focusWidget() is not None)
    press(Qt.Key.Key_2, _CONTROL)
    assert window.current is observe
    session.step(60 * 240)
    until(lambda: abs(rates(session)["gr1"] - 2 / 3) < 0.03)
    press(Qt.Key.Key_Z, _CONTROL)
    until(lambda: session.document is not None and session.document.tree.node(gr1).shares == 1000)


def test_steps_four_to_seven(
    window: ConsoleWindow, observe: LiveWorkspace, session: ConsoleSession, until: Until
) -> None:
    open_example(window, "convex-series-6", until)
    legend = observe.legend.view
    place = legend.visualRect(row_of(legend, "u21"))
    assert legend.viewport().rect().contains(place.center())  # in sight in a window of 1280 x 800
    QTest.mouseClick(legend.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    press(Qt.Key.Key_W)
    until(lambda: observe.why_panel.verdict != "" and explained(observe) == "u21")

    QTest.mouseClick(observe.machine.console, Qt.MouseButton.LeftButton)
    for line in ("rates -u", "lim u22 shares=800"):
        QTest.keyClicks(focused(), line)
        press(Qt.Key.Key_Return)
    assert session.document is not None
    u22 = session.document.tree.find("u22").id
    until(lambda: session.document is not None and session.document.tree.node(u22).shares == 800)

    assert is_editor(focused())
    press(Qt.Key.Key_Space)
    assert is_running(session)
    assert observe.machine.console.input.text() == ""
    press(Qt.Key.Key_Space)
    assert not is_running(session)
    QTest.keyClicks(focused(), "rates -u")  # blanks inside a line are blanks
    assert observe.machine.console.input.text() == "rates -u"
    press(Qt.Key.Key_Escape)
    assert observe.machine.console.input.text() == ""
    press(Qt.Key.Key_Escape)
    assert not is_editor(focused())
    press(Qt.Key.Key_Space)
    assert is_running(session)
    assert window.table.trigger("policy.feedback")
    assert session.document.scenario.policy.name == "feedback"


def test_step_eight(
    window: ConsoleWindow, observe: LiveWorkspace, session: ConsoleSession, until: Until
) -> None:
    observe.machine.console.input.setFocus()  # as after step five
    open_example(window, "near-dedicated-ymp", until)
    press(Qt.Key.Key_3, _CONTROL)
    operate = window.workspace("operate")
    assert isinstance(operate, NightsWorkspace)
    assert window.current is operate
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_BracketRight)
    assert is_running(session)
    assert session.playback is not None
    assert session.playback.speed == 100.0
    until(lambda: operate.controller.night is not None and operate.controller.night.job is not None)
    press(Qt.Key.Key_Space)
    assert not is_running(session)
    paused = now(session).time_s
    assert 600.0 <= paused < 3600.0
    press(Qt.Key.Key_A, _CONTROL_SHIFT)
    until(lambda: window.table.qaction("operate.kill").isEnabled())
    press(Qt.Key.Key_Space)
    press(Qt.Key.Key_BracketRight)
    assert session.playback is not None
    assert session.playback.speed == 1000.0
    assert is_running(session)
