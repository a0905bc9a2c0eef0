"""Dialogs of the Observe workspace: log in, start processes, change a nice value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFormLayout,
    QListView,
    QWidget,
)

from fsconsole.console.kit.forms import (
    ChoiceField,
    CountField,
    FormDialog,
    NumberField,
    SwitchField,
    TextField,
)
from fsconsole.shares.scenario.actions import (
    NICE_LEVELS,
    NORMAL_NICE,
    Action,
    Login,
    Renice,
    StartProcess,
    Work,
)
from fsconsole.shares.tree import ROOT_ID, ShareTree

Act = Callable[[Action], object]
_MOST = 10_000
_WORK = ("Computes without end", "Computes for a time", "Bursts and sleeps")
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def user_names(tree: ShareTree, *, exempt: bool = False) -> dict[str, int]:
    """Return node ids by typed names: the name, or the path if a name occurs twice."""
    users = [node for node in tree.walk() if not node.is_group]
    names = [node.name for node in users]
    twice = {name for name in names if names.count(name) > 1} if len(names) < 2000 else set(names)
    found = {tree.path(node.id) if node.name in twice else node.name: node.id for node in users}
    if exempt:
        found.setdefault(f"{tree.root.name} (exempt)", ROOT_ID)
    return found


class UserField(QComboBox):
    """A user, from a list or by typing part of the name.

    Signals: entered() after Enter in the list of matches has put one of them into the field.
    """

    entered = Signal()

    def __init__(self, names: Mapping[str, int], offered: Iterable[str], parent: QWidget) -> None:
        """`names` can be typed; the list has those of them that are `offered`."""
        super().__init__(parent)
        self._names = names
        self.setAccessibleName("User")
        self.setMinimumWidth(220)
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.addItems(list(offered))
        self.setCurrentIndex(-1)
        self._matches = QCompleter(self.model(), self)
        self._matches.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._matches.setFilterMode(Qt.MatchFlag.MatchContains)
        self._list = QListView()
        self._matches.setPopup(self._list)
        self.setCompleter(self._matches)
        self._list.installEventFilter(self)

    @property
    def node(self) -> int | None:
        """The user's node; None while no such user was typed."""
        return self._names.get(self.currentText().strip())

    def missing(self, question: str) -> str:
        """Return the fault of the text: `question` if it is empty; empty for a user."""
        name = self.currentText().strip()
        if self.node is not None:
            return ""
        return f"'{name}' not found. Choose a name of the tree" if name else question

    def choose(self, node: int | None) -> None:
        """Put a user into the field."""
        self.setEditText(next((name for name, user in self._names.items() if user == node), ""))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() in _ENTER:
            self._take_match()
            return True
        return super().eventFilter(watched, event)

    def _take_match(self) -> None:
        matches, current = self._matches, self._list.currentIndex()
        if current.isValid():
            self.setEditText(str(current.data()))
        elif self.node is None and matches.completionCount() == 1:
            self.setEditText(matches.currentCompletion())
        self._list.hide()
        self.entered.emit()


class WorkFields(QWidget):
    """Fields for the work of a process: computing without end, for a time, or in bursts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = ChoiceField("Work", enumerate(_WORK), self)
        self.cpu_s, self.burst_s, self.sleep_s = (
            NumberField(name, 0.02, 1e6, unit="s") for name in ("CPU time", "Mean burst", "Mean sleep")
        )
        self.cpu_s.fill(60.0)
        self.burst_s.fill(1.0)
        self.sleep_s.fill(1.0)
        self._form = QFormLayout(self)
        self._form.setContentsMargins(0, 0, 0, 0)
        self._form.addRow(self.kind)
        self._form.addRow("CPU time", self.cpu_s)
        self._form.addRow("Mean burst", self.burst_s)
        self._form.addRow("Mean sleep", self.sleep_s)
        self.kind.currentIndexChanged.connect(self._show_fields)
        self._show_fields(0)

    @property
    def work(self) -> Work:
        """Work that is chosen: endless, for some CPU time, or in bursts."""
        kind = self.kind.currentIndex()
        if kind == 1:
            return Work(cpu_s=self.cpu_s.value())
        return Work(self.burst_s.value(), self.sleep_s.value()) if kind else Work()

    @Slot(int)
    def _show_fields(self, kind: int) -> None:
        self._form.setRowVisible(self.cpu_s, kind == 1)
        self._form.setRowVisible(self.burst_s, kind == 2)
        self._form.setRowVisible(self.sleep_s, kind == 2)


class LoginDialog(FormDialog):
    """Logs a user in, and starts a process of that user if requested."""

    def __init__(self, tree: ShareTree, logged_in: frozenset[int], act: Act, parent: QWidget | None) -> None:
        super().__init__("Log in", parent)
        self._logged_in, self._act = logged_in, act
        names = user_names(tree)
        self.user = UserField(names, (name for name, node in names.items() if node not in logged_in), self)
        self.starts = SwitchField("Start a process that computes without a limit", self)
        self.starts.fill(True)
        self.user.entered.connect(self.accept)
        self.user.editTextChanged.connect(self.clear_problem)
        self.lay_out("Log in", ("User", self.user), ("", self.starts))

    def accept(self) -> None:
        """Log the user in; an unknown or present user keeps the dialog open."""
        node = self.user.node
        if node is None or node in self._logged_in:
            name = self.user.currentText().strip()
            self.refuse(
                self.user, self.user.missing("Choose a user to log in") or f"{name} is already logged in"
            )
            return
        self._act(Login(node))
        if self.starts.isChecked():
            self._act(StartProcess(node, Work()))
        super().accept()


class StartDialog(FormDialog):
    """Start processes charged to a user."""

    def __init__(self, tree: ShareTree, node: int | None, act: Act, parent: QWidget | None) -> None:
        super().__init__("Start process", parent)
        self._act = act
        names = user_names(tree, exempt=True)
        self.user = UserField(names, names, self)
        self.user.choose(node)
        self.command = TextField("Command", "loop", parent=self)
        self.nice = _nice(NORMAL_NICE, self)
        self.count = CountField("Number of processes", 1, _MOST, 1, self)
        self.work = WorkFields(self)
        self.user.entered.connect(self.accept)
        self.user.editTextChanged.connect(self.clear_problem)
        self.command.changed.connect(self.clear_problem)
        self.lay_out(
            "Start",
            ("Charged to", self.user),
            ("Command", self.command),
            ("Nice", self.nice),
            ("Processes", self.count),
            ("Work", self.work),
        )

    def accept(self) -> None:
        """Start them; what cannot be keeps the dialog open."""
        node = self.user.node
        if node is None:
            self.refuse(self.user, self.user.missing("Choose a user to charge"))
            return
        command = self.command.text().strip()
        if not command:
            self.refuse(self.command, "Write a command for the process.")
            return
        self._act(StartProcess(node, self.work.work, command, self.count.read(), self.nice.read()))
        super().accept()


class NiceDialog(FormDialog):
    """Give processes another nice value."""

    def __init__(self, pids: Sequence[int], nice: int, act: Act, parent: QWidget | None) -> None:
        is_one = len(pids) == 1
        super().__init__(f"Renice process {pids[0]}" if is_one else f"Renice {len(pids)} processes", parent)
        self._pids, self._act = tuple(pids), act
        self.nice = _nice(nice, self)
        self.lay_out("Renice", ("Nice, 0 (favoured) to 39", self.nice))

    def accept(self) -> None:
        """Set the nice value and close."""
        for pid in self._pids:
            self._act(Renice(pid, self.nice.read()))
        super().accept()


def _nice(value: int, parent: QWidget) -> CountField:
    return CountField("Nice", 0, NICE_LEVELS - 1, value, parent)
