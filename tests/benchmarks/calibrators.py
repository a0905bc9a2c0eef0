"""Work of known kinds, whose time is the unit of all times that are measured beside it.

A computer that is slower, or shared, takes longer for both. Each takes some milliseconds.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QGuiApplication, QImage, QPainter

LOOP, SORT, BOXES, PYTHON = "loop", "sort", "boxes", "python"


def _loop() -> int:
    """Look up, compare, append and call, as most Python does."""
    known = {number: number * 7 % 1009 for number in range(2000)}
    found: list[int] = []
    for number in range(20_000):
        value = known[number % 2000]
        if value & 1:
            found.append(max(value, number))
    return len(found)


@cache
def _numbers() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.random.default_rng(1).random(100_000)


def _sort() -> None:
    """Order numbers by a sort that does not depend on the processor's vectors."""
    np.argsort(_numbers(), kind="stable")


def _boxes() -> None:
    """Paint 200 boxes, each with a border and a letter."""
    assert QGuiApplication.instance() is not None
    image = QImage(1000, 600, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for number in range(200):
        box = QRectF(number % 20 * 50 + 0.5, number // 20 * 60 + 0.5, 45, 50)
        painter.setBrush(QColor.fromHsv(number, 120, 220))
        painter.drawRoundedRect(box, 4, 4)
        painter.drawText(box, "Ag")
    painter.end()


def _python() -> None:
    subprocess.run([sys.executable, "-I", "-c", "import json"], check=True)


CALIBRATORS: dict[str, Callable[[], object]] = {LOOP: _loop, SORT: _sort, BOXES: _boxes, PYTHON: _python}
