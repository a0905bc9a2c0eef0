"""Numbers beside bars: one without room is cut at its end, where it shows."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QStyleOptionViewItem, QTableView
from pytestqt.qtbot import QtBot

from fsconsole.console.widgets.share_bar import ShareBarDelegate


def _painted(qtbot: QtBot, text: str, width: int, widest: str) -> QImage:
    view = QTableView()
    qtbot.addWidget(view)
    model = QStandardItemModel(1, 1, view)
    model.setItem(0, 0, QStandardItem(text))
    view.setModel(model)
    option = QStyleOptionViewItem()
    view.initViewItemOption(option)
    option.rect = QRect(0, 0, width, 24)
    image = QImage(width, 24, QImage.Format.Format_ARGB32)
    image.fill(0)
    with QPainter(image) as painter:
        ShareBarDelegate(view, 70, widest).paint(painter, option, model.index(0, 0))
    return image


@pytest.mark.parametrize("width", [130, 170, 300])
@pytest.mark.parametrize("widest", ["00 / 00", "0000 / 0000"])
def test_the_first_digit_of_a_number_is_always_shown(qtbot: QtBot, width: int, widest: str) -> None:
    first, second = (_painted(qtbot, f"{digit} 512 / 122 112", width, widest) for digit in (3, 8))
    assert first != second
