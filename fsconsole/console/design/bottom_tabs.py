"""The pages at the bottom of Design: problems, source and, in a narrow window, changes."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from fsconsole.app.tree.source import Source
from fsconsole.console.design.problems_panel import ProblemsPanel, SourcePanel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock

_PROBLEMS, _SOURCE, _CHANGES = range(3)


class LentContent(QWidget):
    """Content of a dock that is shown elsewhere now and then."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self.content = content
        QVBoxLayout(self).setContentsMargins(0, 0, 0, 0)
        self.take_back()

    def take_back(self) -> None:
        """Show it here again."""
        place = self.layout()
        if place is not None:
            place.addWidget(self.content)
        self.content.show()


class BottomPages(QStackedWidget):
    """One page at a time, chosen by tabs in the dock's header."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.problems = ProblemsPanel(session, self)
        self.source = SourcePanel(session, self)
        self.addWidget(self.problems)
        self.addWidget(self.source)
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Problems, source or changes")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab("Problems")
        self.tabs.addTab("Source")
        self.tabs.currentChanged.connect(self.setCurrentIndex)
        self.problems.line_wanted.connect(self.source.show_line)
        self._count = 0
        self._changes: LentContent | None = None

    def put_tabs(self, dock: Dock) -> None:
        """Put the tabs where the dock's title is."""
        dock.header.set_title("")
        layout = dock.header.layout()
        if isinstance(layout, QHBoxLayout):
            layout.insertWidget(0, self.tabs)

    def show_checked(self, source: Source) -> None:
        """Show text and problems."""
        self.problems.show_problems(source.problems)
        self.source.show_source(source)
        count = len(source.problems)
        self.tabs.setTabText(_PROBLEMS, f"Problems {count}" if count else "Problems")

    def take_changes(self, changes: LentContent | None) -> None:
        """Show the changes of a dock as a page, or give them back."""
        if self._changes is not None and self._changes is not changes:
            self.tabs.removeTab(_CHANGES)
            self._changes.take_back()
        if changes is not None and self._changes is not changes:
            self.addWidget(changes.content)
            self.tabs.addTab("Changes")
        self._changes = changes
        self.show_count(self._count)

    def show_count(self, count: int) -> None:
        """Say how many changes there are."""
        self._count = count
        if self.tabs.count() > _CHANGES:
            self.tabs.setTabText(_CHANGES, f"Changes {count}" if count else "Changes")
