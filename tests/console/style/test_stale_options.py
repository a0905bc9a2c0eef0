"""Painting with Python objects that keep the frames of earlier paints, as tracebacks and samplers do."""

from __future__ import annotations

import sys
from types import FrameType

from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSlider,
    QSpinBox,
    QTabBar,
    QTableWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from fsconsole.console.style.application_style import ConsoleStyle


def test_everything_is_painted_while_frames_of_paints_are_kept(look: ConsoleStyle, qtbot: QtBot) -> None:
    """PySide then gives options of earlier parts: an exception in a paint would fail the test."""
    window = QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for _ in range(3):
        choice, tabs = QComboBox(), QTabBar()
        choice.addItems(["a", "b"])
        tabs.addTab("tab")
        first = (choice, QSpinBox(), QPushButton("x"), QSlider(), QCheckBox("c"), QTableWidget(30, 3))
        rest = (QToolButton(), tabs, QLineEdit("x"), QProgressBar())
        made: list[QWidget] = [*first, *rest]
        for widget in made:
            column.addWidget(widget)
    window.show()
    kept: list[FrameType] = []

    def keep(frame: FrameType, event: str, _what: object) -> None:
        if event == "call" and frame.f_code.co_filename.endswith("style.py"):
            kept.append(frame)

    sys.setprofile(keep)
    try:
        for width in range(6):
            window.grab()
            window.resize(400 + width, 900)
    finally:
        sys.setprofile(None)
    assert len(kept) > 1000
