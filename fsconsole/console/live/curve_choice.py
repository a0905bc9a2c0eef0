"""Which curves are drawn: a menu in the legend's header, and what the menu of a node has of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QMenu

from fsconsole.console.live.legend_model import users_below
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.plain_words import menu_words
from fsconsole.console.widgets.buttons import flat_button, menu_button
from fsconsole.console.widgets.dock import Dock
from fsconsole.shares.tree import ROOT_ID
from fsconsole.targets.base import Choice
from fsconsole.text.words import count_words


class CurveChoice(QObject):
    """The button with the number of curves; the plots' dock offers some if there are none."""

    def __init__(
        self,
        session: ConsoleSession,
        legend_dock: Dock,
        plots_dock: Dock,
        plan_load: Callable[[], object],
    ) -> None:
        """`plan_load` asks what users shall run, where none has work."""
        super().__init__(legend_dock)
        self._session, self._plan_load = session, plan_load
        self._plots = plots_dock.body
        self._chosen_for: object = None
        self._menu = QMenu(legend_dock)
        self._menu.aboutToShow.connect(self._fill)
        self.button = menu_button("0 curves", "Curves to draw", self._menu)
        legend_dock.header.add_widget(self.button)
        self.solo = flat_button("Solo", "Draw only the selected nodes (Shift+S)", self.toggle_solo)
        self.solo.setCheckable(True)
        self.solo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        legend_dock.header.add_widget(self.solo)
        self._before: tuple[int, ...] = ()
        self._alone: tuple[int, ...] = ()
        session.selection_changed.connect(self._on_selection_changed)
        session.shown_changed.connect(self._on_shown_changed)
        session.shown_changed.connect(self._count)
        session.edited.connect(self._count)
        session.document_changed.connect(self._on_document_changed)
        session.target_changed.connect(self._count)
        session.frame.connect(self._draw_something)
        self._count()
        self._show_solo()

    @property
    def choices(self) -> tuple[Choice, ...]:
        """Possible choices; the first one is the default."""
        target = self._session.target
        return () if target is None else target.choices()

    def draw(self, choice: Choice) -> None:
        """Draw the curves of a choice."""
        document = self._session.document
        if document is not None:
            self._session.show_nodes(choice.nodes(document.tree))

    @property
    def can_solo(self) -> bool:
        """Whether there is something to draw alone, or it is done."""
        return self.is_solo or next(self._selected_curves(), None) is not None

    @property
    def is_solo(self) -> bool:
        """Whether only the selected nodes are drawn for now."""
        return bool(self._alone)

    def toggle_solo(self) -> None:
        """Draw the selected nodes alone, whichever those are, until this is done again."""
        if self.is_solo:
            self._alone = ()
            self._session.show_nodes(self._before)
        elif chosen := tuple(self._selected_curves()):
            self._before, self._alone = self._session.shown, chosen
            self._session.show_nodes(chosen)
        self._show_solo()

    def _selected_curves(self) -> Iterator[int]:
        """Yield the selected nodes; the machine itself has no curve among those of its users."""
        document = self._session.document
        if document is not None:
            chosen = self._session.selection
            yield from (node for node in chosen if node in document.tree and node != ROOT_ID)

    @Slot()
    def _on_selection_changed(self) -> None:
        if self.is_solo and (chosen := tuple(self._selected_curves())):
            self._alone = chosen
            self._session.show_nodes(chosen)
        self._show_solo()

    @Slot()
    def _on_shown_changed(self) -> None:
        """Leave the isolated curves if others were chosen elsewhere, which stay chosen."""
        if self.is_solo and self._session.shown != self._alone:
            self._alone = ()
        self._show_solo()

    def _show_solo(self) -> None:
        self.solo.setChecked(self.is_solo)
        self.solo.setEnabled(self.can_solo)
        tip = "Draw only the selected nodes (Shift+S)" if self.can_solo else "Select a node first"
        self.solo.setToolTip("Draw all curves again (Shift+S)" if self.is_solo else tip)

    def _draw_or_offer(self) -> None:
        """Draw the first choice, or show that it is empty, and offer the second."""
        first, *others = self.choices
        self.draw(first)
        document = self._session.document
        if self._session.shown or document is None:
            return
        other = next((one for one in others if one.nodes(document.tree)), None)
        if other is not None and self._session.playback is not None:
            self._plots.show_empty(first.nobody, "Plan load…", self._plan_load)
        elif other is not None:
            self._plots.show_empty(first.nobody, f"Draw: {other.title}", partial(self.draw, other))
        else:
            self._plots.show_empty("The tree has no users. Add one in Design.")

    @Slot()
    def _draw_something(self) -> None:
        """Draw the first choice if no nodes were chosen, once for each target with any."""
        target = self._session.target
        if target is None or self._chosen_for is target or target.at() is None:
            return
        if not self._session.shown and self.choices:
            self.draw(self.choices[0])
        if self._session.shown or target.clock.epoch_s is None:
            self._chosen_for = target

    @Slot()
    def _fill(self) -> None:
        menu, session = self._menu, self._session
        menu.clear()
        for choice in self.choices:
            menu.addAction(choice.title, partial(self.draw, choice))
        menu.addAction("Selected nodes", lambda: session.show_nodes(session.selection))
        menu.addSeparator()
        menu.addAction("None", lambda: session.show_nodes(()))

    @Slot()
    def _on_document_changed(self) -> None:
        self._chosen_for = None
        self._before = self._alone = ()
        self._count()
        self._show_solo()

    @Slot()
    def _count(self) -> None:
        count = len(self._session.shown)
        self.button.setText(count_words(count, "curve"))
        if count or not self.choices:
            self._plots.show_content()
        else:
            words = f"Draw: {self.choices[0].title}"
            self._plots.show_empty("No curve to draw.", words, self._draw_or_offer)


def add_curve_actions(menu: QMenu, session: ConsoleSession, node: int) -> None:
    """Add what can be done with the curves of a node and of those below it."""
    document, target = session.document, session.target
    if document is None or node not in document.tree:
        return
    found = document.tree.node(node)
    root = target.root_title if target is not None and node == ROOT_ID else ""
    name = menu_words(root or found.name)
    if found.is_group and node != ROOT_ID:
        draw = menu.addAction(f"Draw the curve of {name} itself", lambda: _toggle(session, node))
        draw.setCheckable(True)
        draw.setChecked(node in session.shown)
    users = users_below(document.tree, node)
    words = f"Draw only the users of {name}" if found.is_group else f"Draw only {name}"
    menu.addAction(words, lambda: session.show_nodes(users))


def _toggle(session: ConsoleSession, node: int) -> None:
    shown = session.shown
    others = tuple(other for other in shown if other != node)
    session.show_nodes(others if node in shown else (*shown, node))
