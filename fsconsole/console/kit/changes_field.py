"""The list of changes that are made to a simulated machine at an instant, and the line that adds one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from fsconsole.app.runs.changes import ChangeTexts
from fsconsole.console.kit.forms import ChoiceField, FaultLabel, TextField
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.policies.words import policy_title, setting_label, setting_value
from fsconsole.shares.scenario.actions import Action, SetSetting
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES
from fsconsole.shares.scenario.spec import FIXED_SETTINGS, Scenario, default_settings
from fsconsole.shares.tree import ShareTree
from fsconsole.text.words import count_words, listed, plural

_KINDS = (
    ("parameter", "Parameter"),
    ("policy", "Policy"),
    ("shares", "Shares"),
    ("start", "Start processes"),
    ("login", "Log in"),
    ("logout", "Log out"),
)
_HINTS = {"parameter": "value, such as 30 s", "shares": "30, 25 % or =", "start": "number of processes"}
_MOST_OFFERED = 2000
_MOST_NAMED = 3
_ARROW = " \N{RIGHTWARDS ARROW} "


@dataclass(frozen=True, slots=True)
class Change:
    """One change: of what kind, of what, and to what."""

    kind: str
    subject: str
    value: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Subjects:
    """The objects of changes: words offered for each kind, and their meaning."""

    known: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: ShareTree) -> Subjects:
        """Return the possible changes of a machine with this tree."""
        names = Names(tree)
        nodes = [node for node in tree.walk() if node.parent is not None]
        short = {node.id: names.shortest(node.id) for node in nodes}
        users = {short[node.id]: short[node.id] for node in nodes if not node.is_group}
        keys = [key for key in default_settings() if key not in (*FIXED_SETTINGS, "policy.name")]
        parameters = {f"{setting_label(key)} ({key})": key for key in keys}
        policies = {policy_title(name): name for name in POLICY_NAMES}
        all_nodes = {name: name for name in short.values()}
        people = {"start": users, "login": users, "logout": users}
        return cls({"parameter": parameters, "policy": policies, "shares": all_nodes, **people})

    def meant(self, kind: str, text: str) -> str:
        """Return the meaning of a text, or of the beginning of a single offered one; else the text itself."""
        text, offered = text.strip(), self.known[kind]
        if text in offered or text in offered.values():
            return offered.get(text, text)
        found = {value for word, value in offered.items() if word.casefold().startswith(text.casefold())}
        return found.pop() if text and len(found) == 1 else text


def texts_of(changes: list[Change]) -> ChangeTexts:
    """Return changes as they are written for a branch; of several policies the last one."""
    of = {kind: [change for change in changes if change.kind == kind] for kind, _ in _KINDS}
    events = []
    for change in changes:
        who = json.dumps(change.subject, ensure_ascii=False)  # A JSON string is also a valid YAML string.
        if change.kind in ("login", "logout"):
            events.append(f"{change.kind}: {who}")
        elif change.kind == "start":
            events.append(f"start: {{user: {who}, count: {change.value}, work: endless}}")
    return ChangeTexts(
        settings=tuple(f"{change.subject}={change.value}" for change in of["parameter"]),
        policy=of["policy"][-1].subject if of["policy"] else "",
        shares=tuple(f"{change.subject}={change.value}" for change in of["shares"]),
        events=tuple(events),
    )


@dataclass(frozen=True, slots=True)
class Before:
    """What is changed: the scenario of a run, with the tree and the settings of that instant."""

    scenario: Scenario
    tree: ShareTree
    settings: Mapping[str, Any]


def change_of(kind: str, subject: str, value: str, subjects: Subjects, before: Before) -> Change:
    """Return the change that was entered; ValueError, with what would be right, where it is none."""
    meant, value = subjects.meant(kind, subject), value.strip()
    title = dict(_KINDS)[kind]
    if not meant:
        msg = f"{title}: nothing is chosen. Choose or type one."
        raise ValueError(msg)
    if kind == "parameter" and "." not in meant:
        found = [word for word in subjects.known[kind] if meant.casefold() in word.casefold()]
        msg = f"{title}: {meant!r} is not a parameter. Choose one from the list."
        if found:
            msg = f"{title}: {meant!r} can be {listed(found, _MOST_NAMED)}. Choose one from the list."
        raise ValueError(msg)
    if kind == "start":
        value = value or "1"
        if not value.isdecimal() or not int(value):
            msg = f"{title}: {value!r} is not a number of processes. Write one from 1, such as 2."
            raise ValueError(msg)
    if kind in ("parameter", "shares") and not value:
        msg = f"{title}: the value is missing. Write {_HINTS[kind]}."
        raise ValueError(msg)
    change = Change(kind, meant, value)
    actions = texts_of([change]).actions_on(before.scenario, before.tree)
    return replace(change, words=_words(change, actions, before))


def _words(change: Change, actions: Sequence[Action], before: Before) -> str:
    """Return a change and the value before it in words."""
    meant = change.subject
    if change.kind in ("login", "logout"):
        return f"{meant} logs in" if change.kind == "login" else f"{meant} logs out"
    if change.kind == "start":
        return f"{count_words(int(change.value), 'process')} of {meant} started"
    (action,) = actions
    if isinstance(action, SetSetting):
        values = [setting_value(action.key, action.value)]
        if action.key in before.settings:
            values.insert(0, setting_value(action.key, before.settings[action.key]))
        return f"{setting_label(action.key)}: {_ARROW.join(values)}"
    node = Names(before.tree).find(meant)
    return plural(
        int(change.value),
        f"{meant}: {node.shares}{_ARROW}1 share",
        f"{meant}: {node.shares}{_ARROW}{change.value} shares",
    )


def _is_same(one: Change, other: Change) -> bool:
    """Return True if two changes have the same subject; processes add up."""
    if one.kind != other.kind or one.kind == "start":
        return False
    return one.kind == "policy" or one.subject == other.subject


_SUBJECTS = {"parameter": "parameter, such as half-life", "policy": "policy", "shares": "node"}


class ChangesField(QWidget):
    """A line that adds changes and the list of those that were added.

    Signals: changed() when something is typed or removed; listed() when the list has changed.
    """

    changed = Signal()
    listed = Signal()

    def __init__(self, before: Before, parent: QWidget, *, empty: str, narrow: bool = False) -> None:
        """`empty` stands in the place of the list; a `narrow` field is for a side."""
        super().__init__(parent)
        self._before = before
        self.subjects = Subjects.of(before.tree)
        self._added: list[Change] = []
        self.kind = ChoiceField("Kind of change", _KINDS, self)
        self.subject = QComboBox(self)
        self.subject.setAccessibleName("Parameter or node to change")
        self.subject.setEditable(True)
        self.subject.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.value = TextField("Value", parent=self)
        if narrow:
            self.subject.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            self.value.returnPressed.connect(self._on_add)
        else:
            self.subject.setMinimumWidth(300)
            self.value.setMinimumWidth(150)
        self.add = QPushButton("Add change", self, autoDefault=False)
        self.fault = FaultLabel(self)
        self.fault.setAccessibleName("Error in the change")
        self.list = QListWidget(self)
        self.list.setAccessibleName("Changes")
        self.list.setToolTip("Remove a change with Del")
        self.list.installEventFilter(self)
        self.list.setMaximumHeight(96)
        self._empty = MutedLabel(empty, self, "caption", wraps=True)
        lines = (
            (hbox(self.kind, (self.subject, 1), spacing=6), hbox((self.value, 1), self.add, spacing=6))
            if narrow
            else (hbox(self.kind, self.subject, self.value, self.add, spacing=6),)
        )
        vbox(*lines, self.fault, self.list, self._empty, on=self, spacing=INHERIT)
        self.setFocusProxy(self.kind)
        self.kind.changed.connect(self._on_kind_changed)
        self.add.clicked.connect(self._on_add)
        self.changed.connect(lambda: self.fault.say(""))
        self.subject.editTextChanged.connect(self.changed)
        self.value.changed.connect(self.changed)
        self._on_kind_changed()

    def read(self) -> ChangeTexts:
        """Return all changes, with one that was entered and not added yet; ValueError where that is wrong."""
        pending = []
        if self.subject.currentText().strip() or self.value.text().strip():
            pending = [self._entered()]
        return texts_of([*self._added, *pending])

    @property
    def listed_texts(self) -> ChangeTexts:
        """The changes in the list, without one that is being typed."""
        return texts_of(self._added)

    def offer(self, before: Before, *, is_other: bool) -> None:
        """Show another instant, or another machine, whose changes begin with none."""
        is_same_tree = before.tree is self._before.tree
        self._before = before
        if is_other:
            self._added.clear()
            self.list.clear()
            self._empty.show()
        subjects = self.subjects if is_same_tree else Subjects.of(before.tree)
        if subjects != self.subjects:
            self.subjects = subjects
            self._offer_subjects()
            self.changed.emit()

    def also(self, kind: str, subject: str, value: str) -> None:
        """List one more; ValueError where it cannot be. It takes the place of one of the same."""
        self._append(change_of(kind, subject, value, self.subjects, self._before))

    def _append(self, change: Change) -> None:
        same = [row for row, one in enumerate(self._added) if _is_same(one, change)]
        for row in reversed(same):
            self.list.takeItem(row)
            del self._added[row]
        self._added.append(change)
        self.list.addItem(change.words)
        self._empty.hide()
        self.listed.emit()

    def _entered(self) -> Change:
        kind = self.kind.read()
        return change_of(kind, self.subject.currentText(), self.value.text(), self.subjects, self._before)

    def _offer_subjects(self) -> None:
        """Offer the subjects of the chosen kind beside what is typed, which stays."""
        kind, field = self.kind.read(), self.subject.lineEdit()
        typed, is_typed = self.subject.currentText(), field is not None and field.isModified()
        cursor = field.cursorPosition() if field is not None else 0
        with QSignalBlocker(self.subject):
            self.subject.clear()
            self.subject.addItems(list(self.subjects.known[kind])[:_MOST_OFFERED])
            self.subject.setCurrentIndex(-1)
            self.subject.setEditText(typed)
        if field is not None:
            field.setPlaceholderText(_SUBJECTS.get(kind, "user"))
            field.setModified(is_typed)
            field.setCursorPosition(cursor)
        matches = QCompleter(self.subject.model(), self.subject)
        matches.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        matches.setFilterMode(Qt.MatchFlag.MatchContains)
        self.subject.setCompleter(matches)

    @Slot()
    def _on_kind_changed(self) -> None:
        kind = self.kind.read()
        self.subject.clearEditText()
        self._offer_subjects()
        self.value.setVisible(kind in _HINTS)
        self.value.setPlaceholderText(_HINTS.get(kind, ""))
        self.value.clear()
        self.changed.emit()

    @Slot()
    def _on_add(self) -> None:
        try:
            change = self._entered()
        except ValueError as error:
            self.fault.say(str(error))
            (self.subject if not self.subject.currentText().strip() else self.value).setFocus()
            return
        self._append(change)
        self.subject.setCurrentIndex(-1)
        self.subject.clearEditText()
        self.value.clear()
        self.kind.setFocus()

    def _remove_current(self) -> None:
        row = self.list.currentRow()
        if row >= 0:
            self.list.takeItem(row)
            del self._added[row]
            self._empty.setVisible(not self._added)
            self.changed.emit()
            self.listed.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            is_delete = event.key() == Qt.Key.Key_Delete
            if is_delete:
                self._remove_current()
            return is_delete
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:
        return QSize(640, 150)
