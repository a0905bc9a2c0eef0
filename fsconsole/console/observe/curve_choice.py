"""Which curves are drawn, chosen all at once: a menu in the legend's header."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMenu

from fsconsole.console.observe.plots.drawn import users_with_work
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.dock import Dock
from fsconsole.shares.tree import ROOT_ID


class CurveChoice(QObject):
    """The button that says how many curves there are; the plots' dock offers some where there are none."""

    def __init__(self, session: ConsoleSession, legend_dock: Dock, plots_dock: Dock) -> None:
        super().__init__(legend_dock)
        self._session = session
        self._plots = plots_dock.body
        self._chosen_for: object = None
        self.button = menu_button("0 curves", "Which curves are drawn", self._menu())
        legend_dock.header.add_widget(self.button)
        session.shown_changed.connect(self._count)
        session.edited.connect(self._count)
        session.document_changed.connect(self._start_anew)
        self._count()

    @Slot()
    def draw_users_with_work(self) -> None:
        """Draw the curves of all users with work."""
        document = self._session.document
        if document is not None:
            nodes = users_with_work(document.scenario, document.tree, self._session.snapshot)
            self._session.show_nodes(nodes)

    def _draw_or_offer(self) -> None:
        """Draw users with work, or say that there are none."""
        self.draw_users_with_work()
        document = self._session.document
        if self._session.shown or document is None:
            return
        if any(not node.is_group for node in document.tree.walk()):
            sentence = "No user has work. Log a user in, or draw all users."
            self._plots.show_empty(sentence, "Draw all users", lambda: self._draw(groups=False))
        else:
            self._plots.show_empty("The tree has no users. Add one in Design.")

    def draw_something(self) -> None:
        """Where the scenario names no nodes, the users with work are drawn, once in each run."""
        target = self._session.target
        if not self._session.shown and self._chosen_for is not target:
            self._chosen_for = target
            self.draw_users_with_work()

    def _menu(self) -> QMenu:
        menu = QMenu()
        menu.addAction("Users with work", self.draw_users_with_work)
        menu.addAction("All users", lambda: self._draw(groups=False))
        menu.addAction("Groups", lambda: self._draw(groups=True))
        menu.addAction("Selected nodes", lambda: self._session.show_nodes(self._session.selection))
        menu.addSeparator()
        menu.addAction("None", lambda: self._session.show_nodes(()))
        return menu

    def _draw(self, *, groups: bool) -> None:
        document = self._session.document
        if document is None:
            return
        tree = document.tree
        self._session.show_nodes(
            node.id
            for node in tree.walk()
            if node.is_group == groups and node.id != ROOT_ID and not tree.is_system(node.id)
        )

    @Slot()
    def _start_anew(self) -> None:
        self._chosen_for = None
        self._count()

    @Slot()
    def _count(self) -> None:
        count = len(self._session.shown)
        self.button.setText("1 curve" if count == 1 else f"{count} curves")
        if count or self._session.document is None:
            self._plots.show_content()
        else:
            self._plots.show_empty("No curve is drawn.", "Draw users with work", self._draw_or_offer)
