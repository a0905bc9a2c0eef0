"""Branches in Observe: they are begun, run, shown beneath the run, and removed."""

from __future__ import annotations

from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from fsconsole.app.runs.branch_tree import BranchTree
from fsconsole.console.actions import Action
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Task, Tasks, describe_error
from fsconsole.console.live.branches.table import BranchRow, BranchTable
from fsconsole.console.live.plots.layer import Reference, largest_difference
from fsconsole.console.live.side import LiveFrame
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.targets.base import RECORDING, REWIND, RUN_FOLDER, Target, column_of
from fsconsole.text import numbers
from fsconsole.text.durations import clock
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.app.runs.branches import LiveBranch, Start
    from fsconsole.app.runs.changes import ChangeTexts

_MENU = "Simulation/Branches"
_TABLE_MENU = (
    "branches.here", "branches.below", "branches.enter", "",
    "branches.alone", "branches.save", "branches.cancel", "branches.remove",
)  # fmt: skip
_EMPTY = "No branches yet. Change something at the instant shown to see its effect."
_LONGER_S = 600.0
_STRIDE_TICKS = 3600
_MOST_NAMED = 3
_LEAST = 0.0005  # Smallest difference that is shown as 0.1 points.
_QUANTITY, _POINTS = "cpu_rate", 2000


class BranchesController(QObject):
    """The dock of branches and its actions.

    Attributes:
        tree: all branches of the displayed run.
        table: the same as a table.
        dock: its dock.
    """

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(workspace)
        self._session, self._workspace = session, workspace
        self._tasks = Tasks(self)
        self.questions = Questions(workspace)
        self._could_branch = False
        self._references: dict[LiveBranch, Reference] = {}
        self._trees = session.runs.branches
        self.tree = BranchTree()
        self.table = BranchTable(session.preferences, workspace)
        self.dock = Dock("observe.branches", "Branches", self.table, workspace)
        self.table.menu_of = lambda at: workspace.pop_up(at, _TABLE_MENU)
        self._connect_signals()
        self._on_target_changed()
        self.refresh()

    def actions(self) -> list[Action]:
        """Return rows of the action table."""

        def chosen() -> bool:
            return self.shown is not None

        def runs() -> bool:
            return self.shown is not None and self.shown.state == "running"

        def can_enter() -> bool:
            return self.shown is not None and self._session.offer(RECORDING) is not None

        def has_ended() -> bool:
            return self.shown is not None and self.shown.state in ("done", "cancelled")

        return [
            Action(
                "branches.here", "&Branch here…", self.branch_here, keys=("B",), menu=_MENU, group="begin",
                tip="Branch the run at the instant shown, with changes, to compare both",
                enabled=self._can_branch, words="fork what if alternative counterfactual",
            ),
            Action(
                "branches.below", "Branch from the &selected one…", self.branch_below, menu=_MENU,
                group="begin", tip="Start from the selected branch at the instant shown",
                enabled=has_ended, why_not=lambda: "Select a branch that has ended",
            ),
            Action(
                "branches.enter", "&Go on with branch", self.enter, menu=_MENU, group="begin",
                enabled=can_enter,
                tip="Show the selected branch live in all views. The run is kept (Run before)",
                why_not=lambda: "Select a branch of a live run", words="switch open",
            ),
            Action(
                "branches.list", "Show &list of branches", self.show, menu=_MENU, group="show",
                tip="Show the tree of branches", enabled=self._can_branch, words="dock",
            ),
            Action(
                "branches.alone", "Show the &run alone", self.show_run_alone, menu=_MENU, group="show",
                tip="Hide the branch behind the run", enabled=chosen, why_not=lambda: "No branch is shown",
            ),
            Action(
                "branches.save", "&Save branch as run…", self.save, menu=_MENU, group="out",
                enabled=has_ended, why_not=lambda: "Select a branch that has ended",
                tip="Write the selected branch to a run folder", words="record folder",
            ),
            Action(
                "branches.cancel", "&Cancel branch", self.cancel, menu=_MENU, group="end", enabled=runs,
                tip=(
                    "End the selected branch at "
                    "its current time"
                ), why_not=lambda: "Select a branch that runs",
            ),
            Action(
                "branches.remove", "Re&move branch", self.remove, menu=_MENU, group="end", enabled=chosen,
                tip="Remove the selected branch and all branches that leave it",
                why_not=lambda: "Select a branch",
            ),
            Action(
                "branches.restore", "Restore remo&ved branches", self.put_back, menu=_MENU, group="end",
                tip="Restore the removed branches", enabled=lambda: bool(self.tree.removed),
                why_not=lambda: "No branch was removed", words="undo",
            ),
        ]  # fmt: skip

    @property
    def shown(self) -> LiveBranch | None:
        """The branch that is shown beneath the run."""
        rows = self.table.selected()
        return rows[0].branch if rows else None

    # -- what the actions do ---------------------------------------------------------------------------------

    def branch_here(self) -> None:
        """Ask for a branch of the run at the displayed instant."""
        target, machine = self._session.target, self._session.machine
        if not self._can_branch() or target is None or machine is None:
            return
        now_s, until_s = target.now_s, machine.scenario.plot.until_s
        at_s = now_s if self._session.past.time_s is None else self._session.past.time_s
        end_s = now_s if at_s < now_s else max(until_s, at_s + _LONGER_S)
        self._open_dialog("this run", None, at_s, end_s, (target.clock.first_s, now_s))

    def branch_below(self) -> None:
        """Ask for a branch of the selected branch."""
        branch = self.shown
        if branch is None or branch.state not in ("done", "cancelled"):
            return
        past_s = self._session.past.time_s
        at_s = branch.at_s if past_s is None else min(max(past_s, branch.at_s), branch.reached_s)
        self._open_dialog(branch.name, branch, at_s, branch.until_s, (branch.at_s, branch.reached_s))

    def enter(self) -> None:
        """Show the selected branch as a live run, which continues to its former time; the run is kept."""
        from fsconsole.app.runs.branches import document_state  # Imported late, because it loads the engine.

        branch = self.shown
        if branch is not None:
            start = branch.start
            reached_s, name = branch.reached_s, branch.name
            machine = self._session.machine
            spec = None if machine is None else machine.scenario.machine
            ticks = 0 if spec is None else spec.ticks(reached_s) - spec.ticks(branch.at_s)
            self._session.runs.branch_off(
                start.checkpoint, branch.at_s, document_state(start.checkpoint), start.changes, branch.later
            )
            self._session.message.emit(f"{name} continues to {clock(reached_s)}, the time it had reached")
            self._catch_up(self._session.target, ticks)

    def _catch_up(self, target: Target | None, ticks: int) -> None:
        """Advance a run that was just begun, a stride at a time, unless it is run or left otherwise."""
        playback = self._session.playback
        if target is None or self._session.target is not target or playback is None:
            return
        if ticks <= 0 or playback.is_running or self._session.past.is_on:
            return
        stride = min(ticks, _STRIDE_TICKS)
        self._tasks.watch(playback.step(stride), lambda _: self._catch_up(target, ticks - stride))
        self._session.look_again()

    def cancel(self) -> None:
        """End the selected branch at its present time."""
        if self.shown is not None:
            self.shown.is_stopped = True

    def save(self) -> None:
        """Ask for a run folder and write the selected branch into it."""
        branch, document = self.shown, self._session.document
        if branch is None or document is None:
            return
        path = self.questions.branch_folder(self._session.folder, document.name, branch.number)
        if path is None:
            return
        self._tasks.run_task(
            lambda task: branch.save(path, lambda _: None, task.is_cancelled),
            lambda _: self._session.message.emit(f"{branch.name} saved to {path.name}"),
            lambda error: self._session.message.emit(f"Cannot save {branch.name}: {describe_error(error)}"),
        )

    def remove(self) -> None:
        """Remove the selected branch, and those below it; they can be put back."""
        if self.shown is None:
            return
        gone = self.tree.without(self.shown.number)
        for branch in gone:
            branch.is_stopped = True
        self.table.select([0])
        self.refresh()
        names = listed([branch.name for branch in gone], _MOST_NAMED)
        self._session.message.emit(f"{names} removed. Restore removed branches brings them back.")

    def put_back(self) -> None:
        """Have the branches that were removed again."""
        back = self.tree.put_back()
        self.refresh()
        if back:
            self.table.select([back[0].number])

    def show(self) -> None:
        """Bring the tree into sight."""
        self.dock.bring_forward()
        self.table.setFocus()

    def show_run_alone(self) -> None:
        """Show the run without a branch."""
        self.table.select([0])

    # -- inside ----------------------------------------------------------------------------------------------

    def _connect_signals(self) -> None:
        self._session.document_changed.connect(self._on_document_changed)
        self._session.target_changed.connect(self._on_target_changed)
        self._session.frame.connect(self._on_frame)
        self.table.selectionModel().selectionChanged.connect(self._on_chosen)

    def _can_branch(self) -> bool:
        session = self._session
        return self._workspace.is_open() and session.machine is not None and session.offer(REWIND) is not None

    def _open_dialog(
        self, of: str, parent: LiveBranch | None, at_s: float, until_s: float, span: tuple[float, float]
    ) -> None:
        from fsconsole.app.runs.branches import settings_after  # Imported late, because it loads the engine.
        from fsconsole.console.kit.changes_field import Before
        from fsconsole.console.live.branches.dialog import BranchDialog

        machine, snapshot, document = self._session.machine, self._session.snapshot, self._session.document
        tree = None if snapshot is None else snapshot.tree
        if tree is None and document is not None:
            tree = document.tree  # The machine has not reached the instant yet.
        if tree is None or machine is None or document is None:
            return
        settings = document.settings if parent is None else settings_after(parent.start)
        before = Before(machine.scenario, tree, settings)
        ask = self._ask if parent is None else parent.ask
        BranchDialog(
            of, before, ask, partial(self._begin, parent), self._workspace,
            at_s=at_s, until_s=until_s, first_s=span[0], last_s=span[1],
        ).open()  # fmt: skip

    def _ask(self, time_s: float, texts: ChangeTexts) -> Future[Start]:
        """Request the run's state at an instant, once the changes are valid there."""
        from fsconsole.app.runs.branches import start_of  # Its import loads the engine.

        rewind = self._session.offer(REWIND)
        if rewind is None:
            failed: Future[Start] = Future()
            failed.set_exception(LookupError("The run was closed."))
            return failed
        return rewind.ask(time_s, lambda machine: start_of(machine, texts))

    def _begin(self, parent: LiveBranch | None, start: Start, at_s: float, until_s: float) -> None:
        from fsconsole.app.runs.branches import LiveBranch

        machine = self._session.machine
        if machine is None:
            return
        rewind = self._session.offer(REWIND)
        if rewind is None:
            return
        journal = rewind.journal() if parent is None else parent.journal
        number = self.tree.next_number()
        branch = LiveBranch(
            number, None if parent is None else parent.number, machine.scenario, start, journal,
            of=self._name(parent), at_s=at_s, until_s=until_s, watched=self._session.shown,
        )  # fmt: skip
        self.tree.branches.append(branch)
        self._references[branch] = Reference(branch.name, branch, at_s, self.tree.origins(branch))
        self.refresh()
        self.table.select([number])
        self.show()
        self._tasks.run_task(
            partial(self._run, branch),
            lambda _: self._on_ended(branch),
            lambda error: self._on_failed(branch, error),
            lambda _reached: self._on_progress(),
        )

    def _name(self, parent: LiveBranch | None) -> str:
        """Return the name of a run or branch: its folder, or the document."""
        folder, document = self._session.offer(RUN_FOLDER), self._session.document
        run = str(folder) if folder is not None else "" if document is None else document.name
        return run if parent is None else f"{parent.name} of {run}"

    def _run(self, branch: LiveBranch, task: Task) -> None:
        """Run a branch, in a thread."""
        branch.run(task.report, lambda: branch.is_stopped or task.is_cancelled())

    def _on_progress(self) -> None:
        self.refresh()
        self._workspace.panel.refresh()

    def _on_ended(self, branch: LiveBranch) -> None:
        self._on_progress()
        self._describe()
        if branch is self.shown:
            panel = self._workspace.panel
            panel.show_reference(self._references.get(branch), branch.reached_s)
            panel.bring_span_into_sight(branch.at_s, branch.reached_s)
        self._session.message.emit(f"{branch.name} has ended. {branch.problem}".strip())

    def _on_failed(self, branch: LiveBranch, error: Exception) -> None:
        self._on_progress()
        self._session.message.emit(f"{branch.name} failed: {describe_error(error)}")

    @Slot()
    def refresh(self) -> None:
        """Show how far the branches have come."""
        target = self._session.target
        now_s = 0.0 if target is None else target.now_s
        rows = [BranchRow.of(branch, depth) for depth, branch in self.tree.in_order()]
        self.table.rows.set_rows([BranchRow(None, reached_s=now_s), *rows])
        if rows:
            self.dock.body.show_content()
        else:
            self.dock.body.show_empty(_EMPTY, "Branch here…", self.branch_here)
        self._workspace.refresh_actions()

    @Slot()
    def _on_frame(self) -> None:
        if self.dock.isVisible() and (self.tree.branches or self._is_behind()):
            self.refresh()
        elif self._could_branch is not self._can_branch():
            self._could_branch = self._can_branch()
            self._workspace.refresh_actions()

    def _is_behind(self) -> bool:
        """Return True if the run is further than its row shows."""
        target, rows = self._session.target, self.table.rows.rows
        return target is not None and bool(rows) and clock(rows[0].reached_s) != clock(target.now_s)

    @Slot()
    def _on_chosen(self) -> None:
        branch = self.shown
        panel = self._workspace.panel
        until_s = 0.0 if branch is None else branch.reached_s
        panel.show_reference(None if branch is None else self._references.get(branch), until_s)
        self._describe()
        self._workspace.refresh_actions()

    def _describe(self) -> None:
        """Show beside the title the displayed branch, and its largest difference from the run."""
        branch = self.shown
        remark = "" if branch is None else f"{branch.name} is shown paler behind the run{self._most(branch)}"
        self.dock.header.set_remark(remark)

    def _most(self, branch: LiveBranch) -> str:
        """Return the drawn node whose CPU rate differs most from that of the run, in words; empty for
        none.
        """
        target, document = self._session.target, self._session.document
        nodes = self._workspace.panel.drawn.nodes
        if target is None or document is None or not nodes or _QUANTITY not in target.quantities:
            return ""
        column = column_of(target, _QUANTITY, leave_out_system=self._session.leave_out_system)
        span = (branch.at_s, min(branch.reached_s, target.now_s))
        if span[1] <= span[0]:
            return ""
        times, ours = target.curves(column, nodes, *span, _POINTS)
        at, theirs = branch.curves(column, nodes, *span, _POINTS)
        found = [
            (most, node)
            for node, a, b in zip(nodes, ours, theirs, strict=True)
            if (most := largest_difference(times, a, at, b)) is not None and node in document.tree
        ]
        if not found:
            return ""
        (time_s, by), node = max(found, key=lambda one: abs(one[0][1]))
        if abs(by) < _LEAST:
            return ""
        name = document.tree.node(node).name
        return f"; the CPU rate of {name} differs most: {numbers.points(by, 1)} points at {clock(time_s)}"

    @Slot()
    def _on_document_changed(self) -> None:
        for branch in list(self._references):
            self._forget(branch)
        self._trees.clear()
        self.tree = BranchTree()
        self._workspace.panel.show_reference(None)
        self.refresh()

    @Slot()
    def _on_target_changed(self) -> None:
        """Show the branches of another run; the others keep theirs."""
        target = self._session.target
        if target is None:
            return
        kept = {branch for tree in self._trees.values() for branch in (*tree.branches, *tree.removed)}
        for branch in set(self._references) - kept - set(self.tree.branches) - set(self.tree.removed):
            self._forget(branch)
        if self._trees.setdefault(target, BranchTree()) is not self.tree:
            self.tree = self._trees[target]
            self.refresh()
            self.table.select([0])

    def _forget(self, branch: LiveBranch) -> None:
        branch.is_stopped = True
        self._references.pop(branch, None)
        branch.close()
