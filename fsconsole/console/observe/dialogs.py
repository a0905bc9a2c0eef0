"""Dialogs of the Observe workspace: log in, start processes, change a nice value."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QStringListModel, Qt, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QCompleter,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from fsconsole.console.look.controls import set_look
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

Act = Callable[[Action], None]
_MOST = 10_000


def user_names(tree: ShareTree, *, exempt: bool = False) -> dict[str, int]:
    """Node ids by what a person types: the name, or the path where a name occurs twice."""
    users = [node for node in tree.walk() if not node.is_group]
    names = [node.name for node in users]
    twice = {name for name in names if names.count(name) > 1} if len(names) < 2000 else set(names)
    found = {tree.path(node.id) if node.name in twice else node.name: node.id for node in users}
    if exempt:
        found.setdefault(f"{tree.root.name} (exempt)", ROOT_ID)
    return found


class UserField(QLineEdit):
    """A user, chosen by typing part of the name."""

    def __init__(self, names: dict[str, int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        self.setAccessibleName("User")
        self.setMinimumWidth(220)
        completer = QCompleter(QStringListModel(list(names), self), self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)

    @property
    def node(self) -> int | None:
        """The user's node; None while no such user was typed."""
        return self._names.get(self.text().strip())

    def choose(self, node: int | None) -> None:
        """Put a user into the field."""
        self.setText(next((name for name, user in self._names.items() if user == node), ""))


class WorkFields(QWidget):
    """What a process does: compute without end, for a time, or in bursts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = QComboBox(self)
        self.kind.setAccessibleName("Work")
        self.kind.addItems(["Computes without end", "Computes for a time", "Bursts and sleeps"])
        self.cpu_s = _seconds("CPU time", 60.0)
        self.burst_s = _seconds("Mean burst", 1.0)
        self.sleep_s = _seconds("Mean sleep", 1.0)
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
        """What was chosen."""
        kind = self.kind.currentIndex()
        if kind == 1:
            return Work(cpu_s=self.cpu_s.value())
        return Work(self.burst_s.value(), self.sleep_s.value()) if kind else Work()

    @Slot(int)
    def _show_fields(self, kind: int) -> None:
        self._form.setRowVisible(self.cpu_s, kind == 1)
        self._form.setRowVisible(self.burst_s, kind == 2)
        self._form.setRowVisible(self.sleep_s, kind == 2)


class _Form(QDialog):
    """Fields, one line for what is wrong, and two buttons."""

    def __init__(self, title: str, verb: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = QFormLayout()
        self._wrong = QLabel(self)
        self._wrong.hide()
        self.buttons = QDialogButtonBox(self)
        self._do = self.buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        self._do.setDefault(True)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(self.form)
        layout.addWidget(self._wrong)
        layout.addWidget(self.buttons)

    @property
    def problem(self) -> str:
        """The line below the fields."""
        return self._wrong.text()

    def refuse(self, field: QWidget, sentence: str) -> None:
        """Say what is wrong with a field; the focus goes there."""
        set_look(field, "error")
        self._wrong.setText(sentence)
        self._wrong.show()
        field.setFocus()


class LoginDialog(_Form):
    """Log a user in, and have him start a process where that is wanted."""

    def __init__(self, tree: ShareTree, logged_in: frozenset[int], act: Act, parent: QWidget | None) -> None:
        super().__init__("Log in", "Log in", parent)
        self._logged_in, self._act = logged_in, act
        names = {name: node for name, node in user_names(tree).items() if node not in logged_in}
        self.user = UserField(names, self)
        self.starts = QCheckBox("Start a process that computes without end", self)
        self.starts.setChecked(True)
        self.form.addRow("User", self.user)
        self.form.addRow("", self.starts)

    def accept(self) -> None:
        """Log the user in; a name that nobody has keeps the dialog open."""
        node = self.user.node
        if node is None:
            name = self.user.text().strip()
            self.refuse(self.user, f"No user {name!r} who is not logged in." if name else "Who logs in?")
            return
        self._act(Login(node))
        if self.starts.isChecked():
            self._act(StartProcess(node, Work()))
        super().accept()


class StartDialog(_Form):
    """Start processes charged to a user."""

    def __init__(self, tree: ShareTree, node: int | None, act: Act, parent: QWidget | None) -> None:
        super().__init__("Start process", "Start", parent)
        self._act = act
        self.user = UserField(user_names(tree, exempt=True), self)
        self.user.choose(node)
        self.command = QLineEdit("loop", self)
        self.command.setAccessibleName("Command")
        self.nice = _nice(NORMAL_NICE)
        self.count = QSpinBox(self)
        self.count.setRange(1, _MOST)
        self.count.setAccessibleName("Number of processes")
        self.work = WorkFields(self)
        self.form.addRow("Charged to", self.user)
        self.form.addRow("Command", self.command)
        self.form.addRow("Nice", self.nice)
        self.form.addRow("Processes", self.count)
        self.form.addRow("Work", self.work)

    def accept(self) -> None:
        """Start them; what cannot be keeps the dialog open."""
        node = self.user.node
        if node is None:
            self.refuse(self.user, f"No user {self.user.text().strip()!r}: type a name from the tree.")
            return
        if not self.command.text().strip():
            self.refuse(self.command, "A process needs a command.")
            return
        self._act(
            StartProcess(
                node, self.work.work, self.command.text().strip(), self.count.value(), self.nice.value()
            )
        )
        super().accept()


class NiceDialog(_Form):
    """Give processes another nice value."""

    def __init__(self, pids: Sequence[int], nice: int, act: Act, parent: QWidget | None) -> None:
        what = f"process {pids[0]}" if len(pids) == 1 else f"{len(pids)} processes"
        super().__init__(f"Renice {what}", "Renice", parent)
        self._pids, self._act = tuple(pids), act
        self.nice = _nice(nice)
        self.nice.selectAll()
        self.form.addRow("Nice, 0 (favoured) to 39", self.nice)

    def accept(self) -> None:
        """Set it."""
        for pid in self._pids:
            self._act(Renice(pid, self.nice.value()))
        super().accept()


def _nice(value: int) -> QSpinBox:
    made = QSpinBox()
    made.setRange(0, NICE_LEVELS - 1)
    made.setValue(value)
    made.setAccessibleName("Nice")
    return made


def _seconds(name: str, value: float) -> QDoubleSpinBox:
    made = QDoubleSpinBox()
    made.setRange(0.02, 1e6)
    made.setDecimals(2)
    made.setSuffix(" s")
    made.setValue(value)
    made.setAccessibleName(name)
    return made
