"""The form of a simulated machine's forecast: node, rival, changes, and a goal with its ways."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal, Slot
from PySide6.QtWidgets import QPushButton, QStackedWidget, QWidget

from fsconsole.app.forecast.machine import PartGoal, Present, ShareWay, read_part_goal
from fsconsole.app.forecast.machine_question import (
    SHARES_ONLY,
    MachineAnswer,
    MachineQuestion,
    goal_words,
    sentences,
)
from fsconsole.app.forecast.question import MOST_RIVALS
from fsconsole.console.analyse.forecast.names import NameField, RivalsBox
from fsconsole.console.kit.changes_field import Before, ChangesField
from fsconsole.console.kit.forms import FieldLine, TypedField, form_page
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.tabs import PageTabs
from fsconsole.shares.scenario.names import Names
from fsconsole.text.durations import in_words, length_words, typed_seconds
from fsconsole.text.numbers import percent

WINDOW_S, UNTIL_S = 60.0, 600.0
_LONGEST_S = 30 * 86_400.0
_FIELD_PX = 92
_NO_CHANGES = "No changes yet. The curves show the machine as it is."
_GOAL_EMPTY = f"Choose a node, a share and a time to see the shares that reach it. {SHARES_ONLY}"
_WISH = "50 % in 10 min"


class MachineForm(QWidget):
    """Three pages behind tabs.

    Signals: changed() with another question; now_wanted(); set_wanted(found, way) of shares in the tree.
    """

    changed = Signal()
    now_wanted = Signal()
    set_wanted = Signal(object, object)

    def __init__(self, before: Before, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tree, self._names = before.tree, Names(before.tree)
        self.bar, self._stack = PageTabs("Node, changes or goal", self), QStackedWidget(self)
        self.source = PlainLabel("", self)
        self.now = QPushButton("From now", self)
        self.node = NameField("User or group", "User or group, or part of the name", self)
        self.rivals = RivalsBox(self)
        self.window_s = TypedField(
            "Time over which shares of the "
            "machine are averaged", _length, _FIELD_PX,
            write=in_words, tip=(
                "A node's share is its CPU time divided by the "
                "machine's CPU time in this time"
            ),
        )  # fmt: skip
        self.until_s = TypedField("Time to look ahead", _length, _FIELD_PX, write=in_words)
        self.words = PlainLabel("", self)
        self.changes = ChangesField(before, self, empty=_NO_CHANGES, narrow=True)
        self.wish = TypedField(
            "Goal for the share, and its time", self._parse_wish, 150, placeholder=_WISH,
            tip="Share of the machine and a time from now. Example: 50 % in 10 min",
        )  # fmt: skip
        self.goal_words = MutedLabel(_GOAL_EMPTY, self, wraps=True)
        self.model: RowModel[ShareWay] = RowModel(self._columns(), self, key=lambda way: way.node)
        self.view = Table(self.model, "Ways to reach the goal", self)
        self.try_it, self.set_it = QPushButton("Try", self), QPushButton("Set shares", self)
        self.rivals.field.setPlaceholderText("Add a user or group to compare with")
        self._build_ui()
        self._connect_signals()
        self.window_s.fill(WINDOW_S)
        self.until_s.fill(UNTIL_S)
        self.show_machine(before, first=None, is_other=True)

    @property
    def is_right(self) -> bool:
        """Whether all that is typed means something."""
        return all(field.is_right for field in (self.window_s, self.until_s, self.wish, self.node))

    def show_machine(self, before: Before, first: int | None, *, is_other: bool) -> None:
        """Offer the nodes of a tree; for another machine, select the `first` one."""
        if before.tree is self._tree and not is_other:
            self.changes.offer(before, is_other=False)
            return
        self._tree, self._names = before.tree, Names(before.tree)
        nodes = [node.id for node in before.tree.walk() if node.parent is not None]
        offered = [self._names.shortest(node) for node in nodes]
        with QSignalBlocker(self.node), QSignalBlocker(self.rivals.field):
            if is_other:
                self.rivals.show_names(())
                self.node.setText(self._names.shortest(first) if first is not None else "")
            self.node.offer(offered, self._find)
            self.rivals.offer(offered, self._find)
        self.changes.offer(before, is_other=is_other)

    def question(self, start: Present, name: str) -> MachineQuestion | None:
        """Return the question of the form; None without a node or with a fault."""
        node = self.node.row
        if node is None or not self.is_right:
            return None
        nodes = tuple(dict.fromkeys((node, *self.rivals.rows())))[: 1 + MOST_RIVALS]
        goal = self._parse_wish(self.wish.text())
        texts = self.changes.listed_texts
        return MachineQuestion(start, nodes, self.until_s.read(), texts, goal, name)

    def show_answer(self, found: MachineAnswer | None) -> None:
        """Show what comes of it, and the ways."""
        self._found = found
        self.words.setText("\n".join(sentences(found)) if found is not None else "")
        has_goal = found is not None and found.question.goal is not None
        self.goal_words.setText(goal_words(found) if found is not None and has_goal else _GOAL_EMPTY)
        ways = (found.ways or ()) if found is not None else ()
        self.model.set_rows(ways)
        self.view.setVisible(bool(ways))
        self._show_buttons()

    def show_places(self, why_not: str) -> None:
        """Show whether shares can be set in the tree; `why_not` is empty if they can."""
        self._why_not = why_not
        self.set_it.setToolTip(
            why_not or "Set these shares in the tree. The machine follows, and Undo reverts them"
        )
        self._show_buttons()

    # -- inside -------------------------------------------------------------------------------------------

    _why_not = ""
    _found: MachineAnswer | None = None

    def _find(self, name: str) -> int:
        try:
            return self._names.find(name).id
        except LookupError as error:
            raise ValueError(str(error.args[0])) from None

    def _parse_wish(self, text: str) -> PartGoal | None:
        return read_part_goal(text, self.node.row or 0) if text.strip() else None

    def _columns(self) -> tuple[Column[ShareWay], ...]:
        def words(way: ShareWay) -> str:
            return f"Shares of {self._names.shortest(way.node)}: {way.now} \N{RIGHTWARDS ARROW} {way.shares}"

        return (
            Column(
                "Change", lambda way: f"Shares of {self._names.shortest(way.node)}",
                "Property that changes; everything else stays the same", tip=words, is_name=True,
                stretches=True,
            ),
            Column(
                "Becomes", lambda way: f"{way.now} \N{RIGHTWARDS ARROW} {way.shares}",
                "Value now, and the value needed", tip=words, width=104, is_number=True,
            ),
            Column(
                "Reaches",
                lambda way: percent(way.part, 1) if way.is_enough else f"only {percent(way.part, 1)}",
                "Share of the machine at the chosen time", tip=words, width=92, is_number=True,
            ),
        )  # fmt: skip

    def _chosen(self) -> ShareWay | None:
        return next(iter(self.view.selected()), None)

    @Slot()
    def _show_buttons(self) -> None:
        way = self._chosen()
        is_something = way is not None and way.now != way.shares
        self.try_it.setEnabled(is_something)
        self.set_it.setEnabled(is_something and not self._why_not)

    @Slot()
    def _on_try(self) -> None:
        way = self._chosen()
        if way is not None:
            self.changes.also("shares", self._names.shortest(way.node), str(way.shares))

    @Slot()
    def _on_set(self) -> None:
        way, found = self._chosen(), self._found
        if way is not None and found is not None:
            self.set_wanted.emit(found, way)

    @Slot(int)
    def _on_tab(self, place: int) -> None:
        self._stack.setCurrentIndex(place)

    def _connect_signals(self) -> None:
        for field in (self.node, self.rivals, self.window_s, self.until_s, self.wish):
            field.changed.connect(self.changed)
        self.changes.listed.connect(self.changed)
        self.now.clicked.connect(self.now_wanted)
        self.view.selectionModel().selectionChanged.connect(self._show_buttons)
        self.model.modelReset.connect(self._show_buttons)
        self.try_it.clicked.connect(self._on_try)
        self.set_it.clicked.connect(self._on_set)

    def _build_ui(self) -> None:
        self.now.setToolTip("Forecast from the instant shown now")
        self.try_it.setToolTip("Add this change to the changes. The curves show before and after")
        for title, page in (
            ("Node", self._node_page()),
            ("Changes", form_page(self.changes)),
            ("Goal", self._goal_page()),
        ):
            self.bar.addTab(title)
            self._stack.addWidget(page)
        self.bar.currentChanged.connect(self._on_tab)
        vbox(self.bar, (self._stack, 1), on=self, spacing=INHERIT)

    def _node_page(self) -> QWidget:
        self.source.setFont(tabular_font(semibold=True))
        self.words.setFont(tabular_font())
        head = QWidget()
        hbox((self.source, 1), self.now, on=head, spacing=8)
        return form_page(
            head,
            FieldLine(("Node", self.node, "")),
            self.rivals,
            FieldLine(("Part over", self.window_s, "")),
            FieldLine(("Look ahead", self.until_s, "")),
            self.words,
        )

    def _goal_page(self) -> QWidget:
        self.view.setSelectionMode(Table.SelectionMode.SingleSelection)
        self.view.hide()
        buttons, made = QWidget(), QWidget()
        hbox(self.try_it, self.set_it, STRETCH, on=buttons, spacing=6)
        head = vbox(FieldLine(("Reach", self.wish, "")), self.goal_words, margins=(12, 0, 12, 0), spacing=4)
        foot = vbox(buttons, margins=(12, 0, 12, 6))
        vbox(head, (self.view, 1), foot, STRETCH, on=made, margins=(0, 6, 0, 0), spacing=4)
        return made


def _length(text: str) -> float:
    """Read a typed time above 0."""
    found = typed_seconds(text)
    if not 0 < found <= _LONGEST_S:
        most = length_words(_LONGEST_S)
        msg = f"{text!r} is not a possible length. Write a time above 0, at most {most}. Example: 10 min"
        raise ValueError(msg)
    return found
