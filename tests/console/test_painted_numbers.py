"""Painted numbers are whole or elided with a mark at any width: a cut one reads as another number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

import fsconsole
from fsconsole.console.window import ConsoleWindow
from fsconsole.console.workspace_stack import WORKSPACES
from fsconsole.figures.painted_text import draw_text
from tests.console.test_accessibility import PLACES, opened
from tests.console.words_in_sight import settle

_NARROW_PX = (40, 90, 180, 320)
_SLACK_PX = 2.0
_ALIGN = Qt.AlignmentFlag


def _place(room: QRectF, flags: int, width: float) -> tuple[float, float]:
    """Return the left and right edge of a text of a width that is aligned in a room."""
    if flags & int(_ALIGN.AlignRight):
        left = room.right() - width
    elif flags & int(_ALIGN.AlignHCenter):
        left = room.center().x() - width / 2
    else:
        left = room.left()
    return left, left + width


@contextmanager
def painted(cut: list[str]) -> Iterator[None]:
    """Note numbers that are painted in part: beyond their room, their widget or what is clipped."""
    draw = QPainter.drawText

    def spy(painter: QPainter, *args: Any) -> Any:
        first, text = args[0], args[-1]
        if isinstance(text, str) and re.search(r"\d", text):
            width = QFontMetricsF(painter.font(), painter.device()).horizontalAdvance(text)
            seen = [QRectF(0.0, 0.0, painter.device().width(), painter.device().height())]
            if isinstance(first, QRect | QRectF):
                flags = int(args[1])
                left, right = _place(QRectF(first), flags, width)
                if not flags & int(Qt.TextFlag.TextDontClip):
                    seen.append(painter.worldTransform().mapRect(QRectF(first)))
            else:
                at = QPointF(first) if not isinstance(first, int | float) else QPointF(first, args[1])
                left, right = at.x(), at.x() + width
            if painter.hasClipping():
                seen.append(painter.worldTransform().mapRect(painter.clipBoundingRect()))
            box = painter.worldTransform().mapRect(QRectF(left, 0.0, right - left, 1.0))
            if any(box.left() < one.left() - _SLACK_PX and box.right() > one.left() for one in seen):
                device = painter.device()
                cut.append(f"{type(device).__name__}, {device.width()} px wide: {text!r} at {box.left():.0f}")
        return draw(painter, *args)

    QPainter.drawText = spy  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        QPainter.drawText = draw  # type: ignore[method-assign]


def test_all_texts_are_painted_by_the_functions_that_elide_them() -> None:
    root, faults = Path(fsconsole.__file__).parent, []
    for path in sorted((root / "console").rglob("*.py")) + sorted((root / "figures").rglob("*.py")):
        text = path.read_text("utf-8")
        calls = re.finditer(r"\.drawText\(", text)
        lines = [text.count("\n", 0, call.start()) + 1 for call in calls if path.name != "painted_text.py"]
        faults += [f"{path.relative_to(root)}: line {line}" for line in lines]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("side", [_ALIGN.AlignLeft, _ALIGN.AlignHCenter, _ALIGN.AlignRight])
def test_a_number_without_room_loses_its_end_or_goes(qapp: QApplication, side: _ALIGN) -> None:
    image, drawn = QImage(200, 30, QImage.Format.Format_RGB32), list[str]()
    draw = QPainter.drawText
    QPainter.drawText = lambda _painter, *args: drawn.append(args[-1])  # type: ignore[method-assign,assignment]
    try:
        painter = QPainter(image)
        for width in range(200):
            drawn.append("")
            draw_text(painter, QRect(0, 0, width, 30), side, "512 / 122112")
        painter.end()
    finally:
        QPainter.drawText = draw  # type: ignore[method-assign]
    shown = [one for one in drawn if one]
    assert shown[-1] == "512 / 122112"
    assert all("512 / 122112".startswith(one.removesuffix("…")) for one in shown)
    assert all(one.endswith("…") and one != "…" for one in shown if one != "512 / 122112")
    assert len(set(shown)) > 3


@pytest.mark.watch_allows(
    "focus", reason="the page of welcome drops the focus when a capture is read", issue="calm"
)
@pytest.mark.parametrize("place", PLACES)
def test_no_painted_number_loses_its_first_digit(
    qtbot: QtBot, empty_window: ConsoleWindow, place: str
) -> None:
    empty_window.resize(1000, 700)
    opened(qtbot, empty_window, PLACES[place])
    cut = list[str]()
    with painted(cut):
        for workspace in WORKSPACES:
            empty_window.show_workspace(workspace)
            assert empty_window.current is not None
            settle(empty_window)
            for dock in empty_window.current.docks:
                dock.bring_forward()
                QApplication.processEvents()
            painters = [one for one in empty_window.current.findChildren(QWidget) if _paints(one)]
            for one in painters:
                size = one.size()
                for width in _NARROW_PX:
                    one.resize(width, size.height())
                    one.grab()
                one.resize(size)
    assert not cut, "\n".join(sorted(set(cut)))


def _paints(one: QWidget) -> bool:
    """Whether a widget is painted by the console itself."""
    return any(
        "paintEvent" in vars(kind) for kind in type(one).__mro__ if kind.__module__.startswith("fsconsole")
    )
