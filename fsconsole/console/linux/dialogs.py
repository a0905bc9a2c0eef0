"""The confirmations of actions on the control groups of this machine."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import Future

from PySide6.QtWidgets import QPlainTextEdit, QPushButton, QWidget

from fsconsole.console.connections import tie
from fsconsole.console.kit.ask_dialog import AskDialog
from fsconsole.console.kit.forms import SegmentedField, SwitchField, TextField
from fsconsole.console.linux.session import LinuxSession
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.widgets.danger_buttons import DangerButton
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.targets.linux.state import Memory
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words

PLACE = "this machine"
_MOST_NOTES = 4
_WIDE_PX, _LIST_PX = 760, 260


class _LinuxDialog(AskDialog):
    """Base: it follows the groups, and leaves with them."""

    def __init__(
        self, linux: LinuxSession, title: str, verb: QPushButton, icon: str, parent: QWidget | None
    ) -> None:
        super().__init__(linux.arming, title, verb, icon, parent)
        self.linux = linux
        self.below.setWordWrap(True)
        tie(linux, "changed", self, "refresh")
        tie(linux, "staged", self, "refresh")
        linux.destroyed.connect(self.reject)

    def have_done(self, ask: Callable[[str, str], Future[str]]) -> bool:
        """Start an action with author and reason; return whether it was started."""
        reason = self.reason.text().strip()
        return self.linux.act(lambda who: ask(who, reason), self.on_answer)

    def follow(self) -> str:
        """Return the reason why nothing can be done."""
        return self.linux.state.fixed or self.hindrance()

    def hindrance(self) -> str:
        """Return the reason why this cannot be done; empty if it can."""
        return "" if self.linux.state.is_applied else "No groups yet. Apply the tree first."


class ApplyDialog(_LinuxDialog):
    """Every write of the plan, in order; nothing is done before it is confirmed."""

    def __init__(self, linux: LinuxSession, parent: QWidget | None = None) -> None:
        super().__init__(linux, "Apply to this machine", QPushButton("&Apply", parent), "linux", parent)
        self.steps = QPlainTextEdit(self)
        self.steps.setReadOnly(True)
        self.steps.setFont(fixed_font())
        self.steps.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.steps.setAccessibleName("Steps")
        self.steps.setMinimumSize(_WIDE_PX, _LIST_PX)
        self.steps.setTabChangesFocus(True)
        self.notes = self.row("Notes")
        self.form.insertRow(0, self.steps)
        self._shown: tuple[str, ...] | None = None
        self.lay_out(cancels=False)

    def hindrance(self) -> str:
        """Show the steps of the newest edit; return why they cannot be applied, or nothing."""
        pending = self.linux.pending
        count = len(pending.lines)
        self.heading.setText(f"Apply {count_words(count, 'step')} to {PLACE}?")
        self.below.setText(
            f"{self.linux.state.title}. The steps run in this order. Each is logged before it runs."
        )
        if pending.lines != self._shown:
            self._shown = pending.lines
            self.steps.setPlainText("\n".join(pending.lines))
        texts = [*pending.notes, *(text for _, text in pending.idle)]
        more = len(texts) - _MOST_NOTES
        shown = [*texts[:_MOST_NOTES], *([f"{more} more in Design, under Problems"] if more > 0 else [])]
        self.notes.setText("\n".join(shown) or "None")
        return pending.problem or ("" if count else "Nothing to do: the groups already match the tree.")

    def ask(self) -> bool:
        """Apply the tree as it is edited, by the steps on screen."""
        tree, worker = self.linux.document.tree, self.linux.worker
        return self.have_done(lambda who, why: worker.apply(tree, who, why, self._shown))


class ReleaseDialog(_LinuxDialog):
    """Dialog that releases all groups."""

    def __init__(self, linux: LinuxSession, parent: QWidget | None = None) -> None:
        super().__init__(linux, "Release groups", DangerButton("&Release", parent), "undo", parent)
        self.lay_out(cancels=True)

    def hindrance(self) -> str:
        """Show what is released and where processes go; return an obstacle, or nothing."""
        state = self.linux.state
        self.heading.setText(f"Release the groups of {self.linux.worker.groups.root} on {PLACE}?")
        processes = count_words(sum(state.processes.values()), "process goes", "processes go")
        self.below.setText(f"{processes} back to their earlier groups. Earlier weights are restored.")
        return super().hindrance()

    def ask(self) -> bool:
        """Release all groups; return whether that was begun."""
        return self.have_done(self.linux.worker.release)


class MemoryDialog(_LinuxDialog):
    """Weights by what was used, set again and again; or those of the shares again."""

    def __init__(self, linux: LinuxSession, policy: PolicySpec, parent: QWidget | None = None) -> None:
        self._memory = Memory(policy.half_life_s, policy.delta_s)
        self._ends = linux.state.memory is not None
        verb = QPushButton("&Weigh by shares" if self._ends else "&Weigh by usage", parent)
        super().__init__(linux, "Usage memory", verb, "linux", parent)
        self.lay_out(cancels=False)

    def hindrance(self) -> str:
        """Show what starts or ends; return an obstacle, or nothing."""
        if self._ends:
            self.heading.setText(f"Weigh by shares alone on {PLACE}?")
            self.below.setText(
                "The kernel forgets past usage at once. The weights follow the shares alone again."
            )
        else:
            delta, half = (
                length_words(time_s) for time_s in (self._memory.delta_s, self._memory.half_life_s)
            )
            self.heading.setText(f"Weigh by usage on {PLACE}?")
            self.below.setText(
                f"Every {delta}, the console sets the weights from past usage, as Share does. Usage "
                f"halves in {half}. This continues until you stop it or close the tree. While the console is "
                "read-only, the weights stay as they are. Both times are parameters of the policy."
            )
        return super().hindrance()

    def ask(self) -> bool:
        """Begin or end it."""
        worker = self.linux.worker
        if self._ends:
            return self.have_done(worker.forget)
        return self.have_done(lambda who, why: worker.remember(self._memory, who, why))


class AssignDialog(_LinuxDialog):
    """Processes for a user of the tree: by number, all of a user of the machine, or a command."""

    def __init__(self, linux: LinuxSession, node: int, parent: QWidget | None = None) -> None:
        super().__init__(linux, "Assign processes", QPushButton("&Assign", parent), "user", parent)
        self.node = node
        self.kind = SegmentedField(
            (("login", "User"), ("pids", "Process numbers"), ("command", "Command")), "Which processes", self
        )
        self.what = TextField("Which", parent=self)
        self.started = SwitchField("Also move the processes that they have started", self)
        self.started.setChecked(True)
        self.form.addRow("", self.kind)
        self.form.addRow("", self.what)
        self.form.addRow("", self.started)
        self.kind.changed.connect(self._on_kind)
        self.what.changed.connect(self.refresh)
        self.lay_out(cancels=False)
        tree = linux.document.tree
        self.what.setText(tree.node(node).name)
        self._on_kind()
        self.what.setFocus()

    def _on_kind(self) -> None:
        """Show in the field what it accepts."""
        kind = self.kind.read()
        hints = {"login": "Example: anna", "pids": "Such as 4711 4712", "command": "Example: make -j4"}
        names = {"login": "User of this machine", "pids": "Process numbers", "command": "Command"}
        self.what.setPlaceholderText(hints[kind])
        self.what.setAccessibleName(names[kind])
        self.form.setRowVisible(self.started, kind == "pids")
        if kind != "login":
            self.what.clear()
        self.verb.setText("&Start" if kind == "command" else "&Assign")
        self.refresh()

    def hindrance(self) -> str:
        """Show the effect of the assignment; return the fault of the entry, or nothing."""
        tree = self.linux.document.tree
        if self.node not in tree:
            return "This user is not in the tree any more."
        name, kind = tree.path(self.node), self.kind.read()
        questions = {
            "login": f"Move all processes of a user to {name}?",
            "pids": f"Move processes to {name}?",
            "command": f"Start a command in {name}?",
        }
        self.heading.setText(questions[kind])
        sentences = {
            "login": "Processes started later go to the same group as the process that starts them.",
            "pids": "Processes that they start later go to the same group.",
            "command": (
                "The command runs as you, without a terminal. It continues when the console is closed."
            ),
        }
        self.below.setText(sentences[kind])
        return super().hindrance() or self._wrong(kind)

    def _wrong(self, kind: str) -> str:
        text = self.what.text().strip()
        if not text:
            return {
                "login": "Write the name of a user of this machine.",
                "pids": "Enter process IDs, such as 4711 4712.",
                "command": "Write a command and its arguments.",
            }[kind]
        try:
            self._read(kind, text)
        except ValueError as error:
            return str(error)
        return ""

    @staticmethod
    def _read(kind: str, text: str) -> Sequence[str]:
        if kind == "command":
            try:
                return shlex.split(text)
            except ValueError as error:
                raise ValueError("Cannot read the command: a quote is not closed.") from error
        words = text.replace(",", " ").split()
        for word in words if kind == "pids" else ():
            if not (word.isascii() and word.isdigit() and int(word[:12])):
                raise ValueError(f"{word[:20]!r} is not a process ID. Enter process IDs, such as 4711 4712.")
        return words

    def ask(self) -> bool:
        """Assign processes or start a command; return whether that was begun."""
        kind, worker, node = self.kind.read(), self.linux.worker, self.node
        words = self._read(kind, self.what.text().strip())
        if kind == "command":
            return self.have_done(lambda who, why: worker.start(node, words, who, why))
        pids = [int(word) for word in words] if kind == "pids" else []
        login = self.what.text().strip() if kind == "login" else ""
        children = kind == "pids" and self.started.isChecked()
        return self.have_done(lambda who, why: worker.assign(node, pids, login, who, why, children=children))
