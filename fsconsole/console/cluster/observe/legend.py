"""The dock of associations: the tree, which curves are drawn, and which at first."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QObject, QSize, QTimer, Slot
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from fsconsole.console.cluster.observe.legend_model import AssociationModel, Column
from fsconsole.console.cluster.observe.watch import Watch
from fsconsole.console.look.theme import theme
from fsconsole.console.observe.legend import LegendView
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.buttons import menu_button
from fsconsole.console.widgets.dock import Dock
from fsconsole.shares.edits import Edit, SetShares
from fsconsole.shares.flat import Floats
from fsconsole.targets.slurm.digest import Digest

_FIRST_CURVES = 5
_LEAST_NAME_PX = 150
_MOST_NAME_PX = 240
_SLACK_PX = 16
_WIDTHS: dict[int, int] = {
    Column.SHARES: 54,
    Column.NORM_SHARES: 66,
    Column.NORM_USAGE: 66,
    Column.EFFECTIVE: 56,
    Column.FAIRSHARE: 74,
    Column.LEVEL_FS: 68,
    Column.USAGE: 66,
    Column.CPUS: 50,
    Column.WAITING: 64,
}
# What goes first where there is no room.
_LESS_NEEDED = (Column.NORM_USAGE, Column.USAGE, Column.EFFECTIVE, Column.WAITING, Column.NORM_SHARES)


class AssociationView(LegendView):
    """The tree with what the cluster says."""

    widths = _WIDTHS
    names = tuple(column.name.lower() for column in Column)
    key = "cluster.observe/associations"

    def __init__(self, session: ConsoleSession, watch: Watch, parent: QWidget | None = None) -> None:
        self._watch = watch
        self._soon = QTimer()
        self._soon.setSingleShot(True)
        super().__init__(session, parent)
        self._soon.timeout.connect(self.fit_now)
        self.setAccessibleName("Associations")

    def _made_model(self) -> AssociationModel:
        return AssociationModel(self._session, self._watch, self)

    def fit_columns(self) -> None:
        """Once, however many accounts are opened or closed at a stroke."""
        if not self._soon.isActive():
            self._soon.start(0)

    @Slot()
    def fit_now(self) -> None:
        """LevelFS shows under Fair Tree alone; others go where names would else be cut."""
        hidden: set[int] = set() if self._is_fair_tree() else {Column.LEVEL_FS}
        wanted = min(max(self.name_px() + _SLACK_PX, _LEAST_NAME_PX), _MOST_NAME_PX)
        for column in _LESS_NEEDED:
            values = sum(
                self.columnWidth(one) or width for one, width in _WIDTHS.items() if one not in hidden
            )
            if self.viewport().width() - values >= wanted:
                break
            hidden.add(column)
        self.columns.squeeze(hidden)

    def _is_fair_tree(self) -> bool:
        digest = self._watch.digest
        settings = None if digest is None else digest.state.settings
        return settings is not None and settings.is_fair_tree


class AssociationPanel(QWidget):
    """The associations; values follow while they are in sight."""

    def __init__(self, session: ConsoleSession, watch: Watch, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._watch = session, watch
        self.view = AssociationView(session, watch, self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        watch.begun.connect(self._start_anew)
        watch.changed.connect(self.refresh)
        session.edited.connect(self._heed_edits)
        session.shown_changed.connect(self._show_checks)
        session.selection_changed.connect(self.view.show_selection)
        session.curves.changed.connect(self._show_checks)
        theme().changed.connect(self.view.viewport().update)
        self._start_anew()

    @Slot()
    def refresh(self) -> None:
        """Show the newest values."""
        if not self.isVisible():
            return
        self.view.legend.take_values()
        self.view.fit_now()
        self.view.legend.tell_values(self.view.visible_ranges())
        self.view.viewport().update()

    @Slot()
    def _start_anew(self) -> None:
        self.view.start_anew()
        self.refresh()

    @Slot(object)
    def _heed_edits(self, edits: Iterable[Edit]) -> None:
        if not all(isinstance(edit, SetShares) for edit in edits):
            self.view.reset_keeping_state()
        self.refresh()

    @Slot()
    def _show_checks(self) -> None:
        self.view.legend.count_shown()
        self.view.legend.tell_checks(self.view.visible_ranges())

    def sizeHint(self) -> QSize:
        """As wide as most columns want."""
        return QSize(560, 400)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.refresh()


class CurveChoice(QObject):
    """The button that says how many curves there are, and which are drawn at first."""

    def __init__(self, session: ConsoleSession, watch: Watch, dock: Dock, plots_dock: Dock) -> None:
        super().__init__(dock)
        self._session, self._watch, self._plots = session, watch, plots_dock.body
        self._chosen_for: object = None
        self.button = menu_button("0 curves", "Which curves are drawn", self._menu())
        dock.header.add_widget(self.button)
        session.shown_changed.connect(self._count)
        watch.begun.connect(self._count)
        watch.changed.connect(self._draw_something)
        self._draw_something()
        self._count()

    @Slot()
    def draw_largest(self) -> None:
        """Draw the users who have used most."""
        digest = self._watch.digest
        standing = None if digest is None else digest.state.standing
        if digest is not None and standing is not None:
            self._draw_users(digest, np.nan_to_num(standing.norm_usage))
        if not self._session.shown:
            self.draw_working()  # nobody has used anything yet

    @Slot()
    def draw_working(self) -> None:
        """Draw the users with most CPUs, then with most jobs that wait."""
        digest = self._watch.digest
        if digest is not None:
            self._draw_users(digest, digest.cpus + digest.waiting / (1 + digest.waiting.max(initial=0)))

    @Slot()
    def draw_accounts(self) -> None:
        """Draw all accounts but the root; of very many only sixteen have a curve of their own."""
        document = self._session.document
        if document is not None:
            tree = document.tree
            self._session.show_nodes(
                node.id for node in tree.walk() if node.is_group and node.parent is not None
            )

    def _draw_users(self, digest: Digest, weight: Floats) -> None:
        if digest.index is None or len(weight) != len(digest.index.tree.nodes):
            return
        tree = digest.index.tree
        users = np.flatnonzero(tree.stored.tree.is_user & (weight > 0))
        most = users[np.argsort(-weight[users], kind="stable")[:_FIRST_CURVES]]
        self._session.show_nodes(tree.nodes[row] for row in np.sort(most).tolist())

    def _menu(self) -> QMenu:
        menu = QMenu()
        menu.addAction(f"{_FIRST_CURVES} users with most usage", self.draw_largest)
        menu.addAction(f"{_FIRST_CURVES} users with most work", self.draw_working)
        menu.addAction("Accounts", self.draw_accounts)
        menu.addAction("Selected associations", lambda: self._session.show_nodes(self._session.selection))
        menu.addSeparator()
        menu.addAction("None", lambda: self._session.show_nodes(()))
        return menu

    @Slot()
    def _draw_something(self) -> None:
        """Once for each cluster, as soon as somebody has used something or has work."""
        digest, cluster = self._watch.digest, self._watch.cluster
        if digest is None or digest.state.standing is None or self._chosen_for is cluster:
            return
        if not self._session.shown:
            self.draw_largest()
        if self._session.shown:
            self._chosen_for = cluster

    @Slot()
    def _count(self) -> None:
        count = len(self._session.shown)
        self.button.setText("1 curve" if count == 1 else f"{count} curves")
        if count or self._watch.cluster is None:
            self._plots.show_content()
        else:
            self._plots.show_empty("No curve is drawn.", "Draw users with most usage", self.draw_largest)
