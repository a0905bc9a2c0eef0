"""The open document: a scenario whose tree changes by edits on an undo stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QUndoCommand, QUndoStack
from shiboken6 import isValid

from fsconsole.app.edit_words import Change, touched, words_after, words_before
from fsconsole.policies.words import setting_labels, setting_values
from fsconsole.shares.diff import diff
from fsconsole.shares.edits import Edit, SetShares, apply_all
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.formats.several_files import Origin
from fsconsole.shares.scenario.names import DEFER_TO
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.rename_references import Held, can_rename, following, held_names
from fsconsole.shares.scenario.spec import (
    DemandReport,
    Scenario,
    SettingError,
    settings_in_order,
    settings_of,
)
from fsconsole.shares.tree import ShareTree, TreeError
from fsconsole.targets.snapshot import Snapshot
from fsconsole.text.words import count_words


class Document(QObject):
    """A scenario being edited.

    The tree is `scenario.tree`; it changes only through `edit` and the undo stack. A view that must prepare
    (the item model) listens to `applying` and `applied`, which come around every single edit; all others
    listen to `edited`, once per change. While an instant that has passed is looked at, `tree` is the one of
    that instant.

    Attributes:
        locked: sentence why editing is locked; empty if it is not.
        revision: number that grows with each change, undo and redo: no two states of the edits have the same.
        saved_tree: the tree as it was opened or saved last; of a restored copy as it was restored.
    """

    applying = Signal(object)  # Carries an Edit, before the tree changes.
    applied = Signal(object)  # Carries the Edit after it was applied.
    edited = Signal(object)  # Carries a tuple of the edits that a push, an undo or a redo applied.
    # Carries a dict of changed keys and their current values. It is empty if something else besides the tree
    # has changed.
    settings_changed = Signal(object)
    saved = Signal()
    is_of_file = True  # Otherwise its changes are staged, then applied to the target.

    def __init__(
        self,
        scenario: Scenario,
        path: Path | None = None,
        *,
        name: str = "untitled.yaml",
        text: str = "",
        problems: Sequence[Problem] = (),
        form: str = "yaml",
        origin: Origin | None = None,
    ) -> None:
        """Open a scenario; `text` is the file's text, `name` stands in while there is no path.

        `form` names the format that the tree was imported from, which exports begin with; `origin` says
        where its nodes stand there.
        """
        super().__init__()
        self.scenario = scenario
        self.path = path
        self.text = text
        self.form = form
        self.origin = origin
        self.problems = tuple(problems)
        self.stack = QUndoStack(self)
        self.stack.indexChanged.connect(self._on_index_changed)
        self.revision = 0
        self.is_restored = False
        self.saved_tree = scenario.tree.copy()
        self._name = name
        self._flat: FlatTree | None = None
        self._shares: Floats | None = None
        self._present: Scenario | None = None
        self.locked = ""

    def __del__(self) -> None:
        """Have the stack delete its commands, before the garbage collector takes document and stack apart.

        A command that the collector comes to before the stack is deleted by Python, and then by the stack
        again, which does not hear of it (unlike a parent of QObjects): the process dies of that.
        """
        if isValid(self.stack):
            self.retire()
            self.stack.clear()

    @property
    def tree(self) -> ShareTree:
        """The tree being edited."""
        return self.scenario.tree

    @property
    def present(self) -> Scenario:
        """The scenario as it is edited and saved, whatever instant is looked at; its tree is a copy."""
        scenario = self._present or self.scenario
        return replace(scenario, tree=scenario.tree.copy())

    def show_past(self, snapshot: Snapshot) -> None:
        """Show tree and settings of an instant that has passed; what is edited and saved stays as it is."""
        if self._present is None:
            self._present = self.scenario
            self.scenario = replace(self.scenario, tree=self.tree.copy())
        self._turn_into(snapshot)

    def show_present(self) -> None:
        """Show what is edited again."""
        if self._present is not None:
            present, self._present = self._present, None
            self._turn_tree_into(present.tree)
            before, self.scenario = self.settings, present
            self._emit_changed_settings(before)

    def follow_newest(self, snapshot: Snapshot) -> None:
        """Take in the newest instant of the machine; a document that is edited does not."""

    def _turn_into(self, snapshot: Snapshot) -> None:
        """Have tree and settings of an instant, without an edit that could be undone."""
        if snapshot.tree is not None:
            self._turn_tree_into(snapshot.tree)
        if snapshot.machine is not None and snapshot.policy is not None:
            before = self.settings
            self.scenario = replace(self.scenario, machine=snapshot.machine, policy=snapshot.policy)
            self._emit_changed_settings(before)

    def _turn_tree_into(self, tree: ShareTree) -> None:
        edits = diff(self.tree, tree)
        if edits:
            self._apply(edits)

    def _emit_changed_settings(self, before: Mapping[str, Any]) -> None:
        changed = {key: value for key, value in self.settings.items() if before.get(key) != value}
        if changed:
            self.settings_changed.emit(changed)

    @property
    def name(self) -> str:
        """Name in the title bar."""
        return self.path.name if self.path else self._name

    @property
    def flat(self) -> FlatTree:
        """The tree as columns, up to date."""
        if self._flat is None:
            self._flat = FlatTree.of(self.tree)
        return self._flat

    @property
    def takes_parents_shares(self) -> bool:
        """Whether a node may have the share of the group above, as in Slurm."""
        return len(self.flat.parents) > 0

    @property
    def staged_note(self) -> str:
        """Sentence beside an explanation of the target if edits are staged that it does not have."""
        if self.is_of_file or not self.is_modified:
            return ""
        return "Edits are staged. This explains the cluster before them."

    @property
    def machine_shares(self) -> Floats:
        """Part of the machine of every row of `flat`, [rows]."""
        if self._shares is None:
            self._shares = self.flat.machine_share()
        return self._shares

    def machine_share(self, node_id: int) -> float:
        """Return the share of the machine of one node."""
        return float(self.machine_shares[self.flat.row_of[node_id]])

    @property
    def is_modified(self) -> bool:
        """Whether there is something to save."""
        return not self.stack.isClean()

    @property
    def settings(self) -> dict[str, Any]:
        """Machine and policy settings by dotted key."""
        return settings_of(self.scenario.machine, self.scenario.policy)

    @property
    def changes(self) -> list[Change]:
        """Done changes of the undo stack, newest first."""
        commands = (self.stack.command(at) for at in reversed(range(self.stack.index())))
        return [command.change for command in commands if isinstance(command, _Command)]

    @property
    def undo_words(self) -> str:
        """What Undo takes back, as in "Set shares of 5 nodes"; empty for nothing."""
        return _words_of(self.stack.command(self.stack.index() - 1) if self.stack.canUndo() else None)

    @property
    def redo_words(self) -> str:
        """What Redo does again."""
        return _words_of(self.stack.command(self.stack.index()) if self.stack.canRedo() else None)

    def preview(self, edits: Sequence[Edit]) -> tuple[ShareTree, FlatTree]:
        """Return the tree as it would be; TreeError where the edits cannot be done."""
        tree = self.tree.copy()
        apply_all(tree, edits)
        return tree, FlatTree.of(tree)

    def edit(self, verb: str, edits: Sequence[Edit]) -> None:
        """Do edits as one undoable change; TreeError (and no change) where they cannot be done."""
        if edits and self.locked:
            raise TreeError(self.locked)
        if edits:
            self._try(edits)
            self._push(_TreeCommand(self, verb, tuple(edits)))

    def set_settings(self, values: Mapping[str, Any], verb: str = "Set parameters") -> None:
        """Change settings as one undoable change; SettingError where they cannot be."""
        if self.locked:
            raise SettingError(self.locked)
        self.scenario.with_settings(values)
        self._push(_SettingsCommand(self, verb, dict(values)))

    def keep_report(self, report: DemandReport) -> None:
        """Have a report of demands as one undoable change; it replaces one of the same title."""
        known = self.scenario.reports
        at = next((at for at, one in enumerate(known) if one.title == report.title), len(known))
        reports = (*known[:at], report, *known[at + 1 :])
        self._push(_ReportCommand(self, report, reports))

    def plan_load(self, planned: Scenario, about: tuple[str, str]) -> None:
        """Take over what another scenario of the same tree plans, as one undoable change.

        Args:
            planned: has the logins, workloads, events and the length of the run.
            about: the load before and after, in words.

        Raises:
            TreeError: the past is shown, which nothing changes.
        """
        if self.locked:
            raise TreeError(self.locked)
        names = ("logins", "workloads", "events", "plot")
        self._push(_PartsCommand(self, "Plan load", {name: getattr(planned, name) for name in names}, about))

    def mark_saved(self, path: Path, text: str) -> None:
        """Record that the document is now in a file."""
        self.path, self.text = path, text
        self.saved_tree = self.tree.copy()
        self.problems, self.is_restored = (), False  # The problems were those of another text.
        self.stack.setClean()
        self.saved.emit()

    def mark_restored(self) -> None:
        """Take note that the document is a copy of what was never saved: its file holds something else."""
        self.is_restored = True
        self.stack.resetClean()

    @Slot()
    def _on_index_changed(self) -> None:
        self.revision += 1

    def retire(self) -> None:
        """Ignore the end of the undo stack, since the document is no longer shown."""
        self.stack.blockSignals(True)

    def _push(self, command: _Command) -> None:
        """Do a command and put it on the stack; what fails is taken back and does not get there."""
        command.do()
        self.stack.push(command)

    def _try(self, edits: Sequence[Edit]) -> None:
        """Do and undo edits without signals: impossible ones must not reach the stack."""
        for inverse in apply_all(self.tree, edits):
            inverse.apply(self.tree)

    def _apply(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        inverses: list[Edit] = []
        for edit in edits:
            self.applying.emit(edit)
            inverses.insert(0, edit.apply(self.tree))
            self._shares = None
            if isinstance(edit, SetShares) and self._flat is not None:
                self._flat = self._flat.with_shares(edit.shares)
            else:
                self._flat = None
            self.applied.emit(edit)
        self.edited.emit(tuple(edits))
        return tuple(inverses)

    def _set_parts(self, **parts: Any) -> dict[str, Any]:
        """Replace parts of the scenario besides its tree, and return what they were."""
        before = self.scenario
        self.scenario = replace(before, **parts)
        deferred = self.scenario.machine.defer_interactive_to
        is_other = deferred != before.machine.defer_interactive_to
        self.settings_changed.emit({DEFER_TO: deferred} if is_other else {})
        return {name: getattr(before, name) for name in parts}

    def _apply_settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        before, was = self.settings, self.scenario
        self.scenario = was.with_settings(values)
        self.settings_changed.emit(settings_in_order(was.machine, was.policy, values))
        return {key: before[key] for key in values}


class _Command(QUndoCommand):
    """A command with the words for the list of changes.

    It is done before it is pushed, so that a failing one never gets onto the stack. One that fails later
    leaves the stack by being obsolete.
    """

    change: Change
    _is_done = False

    def do(self) -> None:
        """Do it, with all that follows from it, or raise and leave the document as it was."""
        self._change()
        self._is_done = True

    def redo(self) -> None:
        if not self._is_done:
            self._or_leave(self._change)
            self._is_done = True

    def undo(self) -> None:
        self._is_done = False
        self._or_leave(self._take_back)

    def _or_leave(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception:
            self.setObsolete(True)  # The undo stack removes the command.
            raise

    def _change(self) -> None:
        raise NotImplementedError

    def _take_back(self) -> None:
        raise NotImplementedError


def _words_of(command: QUndoCommand | None) -> str:
    return command.change.words if isinstance(command, _Command) else ""


class _TreeCommand(_Command):
    def __init__(self, document: Document, verb: str, edits: tuple[Edit, ...]) -> None:
        super().__init__(verb)
        self._document = document
        self._edits = edits
        self._inverses: tuple[Edit, ...] = ()
        self._verb = verb
        self._former: dict[str, Any] = {}

    def _change(self) -> None:
        document, nodes = self._document, touched(self._edits)
        before = words_before(document.tree, self._edits)
        names = {node: document.tree.node(node).name for node in nodes if node in document.tree}
        shares = {node: document.machine_share(node) for node in names}
        held = held_names(document.scenario) if can_rename(self._edits) else None
        self._inverses = document._apply(self._edits)  # noqa: SLF001 (command and document are one thing)
        try:
            self._follow(held)
            self._describe(nodes, names, shares, before)
        except Exception:
            self._take_back()
            raise

    def _follow(self, held: Held | None) -> None:
        """Let the scenario call leaves by their present names."""
        self._former = {}
        if held is not None:
            renamed = following(self._document.scenario, held)
            self._former = self._document._set_parts(**renamed) if renamed else {}  # noqa: SLF001

    def _describe(
        self, nodes: tuple[int, ...], names: dict[int, str], shares: dict[int, float], before: str
    ) -> None:
        document = self._document
        known = [node for node in nodes if node in document.tree]
        names |= {node: document.tree.node(node).name for node in known}
        now = {node: document.machine_share(node) for node in known}
        points = tuple(100 * (now.get(node, 0.0) - shares.get(node, 0.0)) for node in nodes)
        after = words_after(document.tree, self._edits, self._inverses)
        self.change = Change(self._verb, nodes, tuple(names[node] for node in nodes), before, after, points)

    def _take_back(self) -> None:
        self._document._apply(self._inverses)  # noqa: SLF001
        if self._former:
            self._document._set_parts(**self._former)  # noqa: SLF001


class _SettingsCommand(_Command):
    def __init__(self, document: Document, verb: str, values: dict[str, Any]) -> None:
        super().__init__(verb)
        self._document = document
        self._values = values
        self._before: dict[str, Any] = {}

    def _change(self) -> None:
        self._before = self._document._apply_settings(self._values)  # noqa: SLF001
        labels = setting_labels(self._values)
        before, after = setting_values(self._before), setting_values(self._values)
        self.change = Change(self.text(), (), labels, before, after)

    def _take_back(self) -> None:
        self._document._apply_settings(self._before)  # noqa: SLF001


class _ReportCommand(_Command):
    def __init__(self, document: Document, report: DemandReport, reports: tuple[DemandReport, ...]) -> None:
        super().__init__("Keep report")
        self._document = document
        self._report, self._reports = report, reports
        self._before: dict[str, Any] = {}

    def _change(self) -> None:
        self._before = self._document._set_parts(reports=self._reports)  # noqa: SLF001
        title, nodes = self._report.title, tuple(demand.node for demand in self._report.demands)
        before = [_words(report) for report in self._before["reports"] if report.title == title]
        self.change = Change(self.text(), nodes, (title,), "".join(before[:1]), _words(self._report))

    def _take_back(self) -> None:
        self._document._set_parts(**self._before)  # noqa: SLF001


class _PartsCommand(_Command):
    """Other parts of the scenario besides its tree."""

    def __init__(self, document: Document, verb: str, parts: dict[str, Any], about: tuple[str, str]) -> None:
        super().__init__(verb)
        self._document = document
        self._parts, self._about = parts, about
        self._before: dict[str, Any] = {}

    def _change(self) -> None:
        self._before = self._document._set_parts(**self._parts)  # noqa: SLF001
        self.change = Change(self.text(), (), ("Load",), *self._about)

    def _take_back(self) -> None:
        self._document._set_parts(**self._before)  # noqa: SLF001


def _words(report: DemandReport) -> str:
    count = len(report.demands)
    return count_words(count, "demand")
