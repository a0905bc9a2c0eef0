"""Actions and command lines for a simulated machine: from the console, and from clients of its shell."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsconsole.recording.audit import login_name
from fsconsole.recording.journal import JournalEntry, Outcome
from fsconsole.shares.edits import Edit
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
from fsconsole.shares.scenario.yaml_nodes import text_in
from fsconsole.targets.external_changes import OutsideChange, fields_of, meets
from fsconsole.targets.record import AuditFile

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.machine.shell import Reply, Shell

MOST_SHELLS = 32


class CommandQueue:
    """Runs actions and command lines on one machine. The machine's thread makes all calls.

    Attributes:
        outside: changes of tree and settings by command lines, in order.
        answered: number of actions that were done or refused.
    """

    def __init__(self, machine: Machine) -> None:
        """Bind the shells to a machine."""
        self._machine = machine
        self._shells: OrderedDict[str, Shell] = OrderedDict()
        self._submitted: list[Edit] = []
        self._log = AuditFile(machine)
        self.outside: tuple[OutsideChange, ...] = ()
        self.answered = 0

    def act(self, action: Action, who: str = "", why: str = "") -> Outcome:
        """Carry out an action. Journal and audit log record `why` and `who`, by default the login name."""
        self.answered += 1
        outcome = self._machine.act(action, who or login_name(), why)
        if outcome.done and isinstance(action, ChangeTree):
            self._submitted = [*self._not_in_force(), *action.edits]
        problem = self._log.heed()
        return replace(outcome, text=f"{outcome.text}; {problem}") if problem else outcome

    def run(self, line: str, who: str, folder: Path | None, signs: str = "") -> Reply:
        """Run a command line in the shell of `who`."""
        before, pending = len(self._machine.journal), self._not_in_force()
        shell = self._shell(who)
        shell.session.read_file, shell.session.signs = _reader(folder), signs or who
        reply = shell.run(line)
        change = _change(who, line, self._machine.journal[before:], self.answered, pending)
        if change is not None:
            self.outside += (change,)
        problem = self._log.heed()
        return replace(reply, text=f"{reply.text}\n{problem}".lstrip("\n")) if problem else reply

    def repeat(self, entry: JournalEntry) -> None:
        """Repeat the actions at this instant of the run that this one has left."""
        before, pending = len(self._machine.journal), self._not_in_force()
        outcome = self._machine.act(entry.action, entry.who, entry.why)
        line = f"as in the earlier run, {outcome.text}"
        change = _change(entry.who, line, self._machine.journal[before:], self.answered, pending)
        if change is not None:
            self.outside += (change,)
        self._log.heed()

    @property
    def audit_problem(self) -> str:
        """Reason why an action could not be written into the audit log; empty while all were."""
        return self._log.problem

    def complete(self, line: str) -> tuple[str, ...]:
        """Return the possible completions of a line's last word."""
        from fsconsole.machine.shell import complete
        from fsconsole.neardedicated.shell import COMMANDS

        return complete(self._machine, line, COMMANDS)

    def _not_in_force(self) -> list[Edit]:
        """Return submitted edits that wait for the next delta."""
        waiting = self._machine.waiting.edits
        return [edit for edit in self._submitted if any(edit is one for one in waiting)]

    def _shell(self, who: str) -> Shell:
        from fsconsole.machine.shell import Shell
        from fsconsole.neardedicated.shell import COMMANDS

        if who not in self._shells:
            self._shells[who] = Shell(self._machine, who, more=COMMANDS)
        self._shells.move_to_end(who)
        while len(self._shells) > MOST_SHELLS:
            self._shells.popitem(last=False)
        return self._shells[who]


def answer_of_past(machine: Machine, line: str, who: str) -> Reply:
    """Run a command line on a copy of a past machine; changes are refused."""
    from fsconsole.machine.checkpoint import copy_of
    from fsconsole.machine.shell import Reply, Shell
    from fsconsole.neardedicated.shell import COMMANDS

    copy = copy_of(machine)
    reply = Shell(copy, who, more=COMMANDS).run(line)
    if len(copy.journal) > len(machine.journal):
        return Reply("Nothing was done: the view shows the past, which cannot be changed.", 1)
    return reply


def _change(
    who: str, line: str, entries: Sequence[JournalEntry], answered: int, pending: Sequence[Edit]
) -> OutsideChange | None:
    """Return the changes that journalled actions make to a document; None if there are none."""
    edits: list[Edit] = []
    settings: dict[str, Any] = {}
    for entry in entries:
        if isinstance(entry.action, ChangeTree):
            edits += entry.action.edits
        elif isinstance(entry.action, SetSetting):
            settings[entry.action.key] = entry.action.value
    if not edits and not settings:
        return None
    before = fields_of(pending)
    over = {node for node, what in fields_of(edits) if node is not None and meets((node, what), before)}
    return OutsideChange(who, line, tuple(edits), settings, answered, tuple(sorted(over)))


def _reader(folder: Path | None) -> Callable[[str], str] | None:
    """Return a function that reads files relative to `folder`; it raises OSError or ValueError."""
    if folder is None:
        return None

    def read(name: str) -> str:
        path = folder / Path(name).expanduser()
        if not path.is_file():
            msg = f"file {path} not found"
            raise FileNotFoundError(msg)
        return text_in(path, str(path)).replace("\r\n", "\n")

    return read
