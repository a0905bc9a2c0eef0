"""Tabs of pages."""

from __future__ import annotations

from PySide6.QtWidgets import QTabBar, QWidget


class PageTabs(QTabBar):
    """Tabs as wide as their words, without a line below; `name` is what a screen reader says."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
