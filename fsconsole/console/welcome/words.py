"""Headings of the Welcome page."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from fsconsole.console.style.fonts import ui_font


def heading(text: str, parent: QWidget) -> QLabel:
    """Title of a section."""
    made = QLabel(text, parent)
    made.setFont(ui_font("section", semibold=True))
    return made
