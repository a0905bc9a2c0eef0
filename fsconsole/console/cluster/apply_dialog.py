"""Applying a change set: the commands first, then their results row by row, and the roll-back."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QWidget,
)

from fsconsole.app.cluster.apply_view import ApplyView, outcome
from fsconsole.app.cluster.preview import (
    ChangeSetPreview,
    commands_text,
    foreseen,
    queries,
    report_text,
)
from fsconsole.console.cluster.apply_form import ApplyForm
from fsconsole.console.cluster.apply_run import ApplyRun, DefaultAccounts
from fsconsole.console.cluster.change_set_worker import ChangeSetWorker
from fsconsole.console.cluster.change_table import (
    Line,
    lines_of,
    span_refusals,
)
from fsconsole.console.cluster.session import ClusterSession
from fsconsole.console.connections import every
from fsconsole.console.widgets.late_input import JUST_CHANGED, Dwell
from fsconsole.recording.audit import Result
from fsconsole.slurm.change_set import Change, Verb
from fsconsole.slurm.obstacles import insisted
from fsconsole.targets.slurm.base import SENT
from fsconsole.targets.slurm.link_words import stale_words
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.unknown_outcomes import resolved
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words

_LOOK_MS = 500
_SLOW_S = 5
_TITLES_BACK = {"before": "On the cluster", "after": "Back to"}
READ_ONLY = "The console is read-only. Arm it to apply."
CAPTURE = "This is a capture folder (read-only). You can copy the commands but not run them."


@dataclass(frozen=True, slots=True)
class ChangesBack:
    """The way back from a record of changes.

    Attributes:
        preview: its changes and their effects.
        record: identity of the record.
        of: when it was made, in words.
        left: what stays, and why; sentences.
    """

    preview: ChangeSetPreview = field(default_factory=ChangeSetPreview)
    record: str = ""
    of: str = ""
    left: tuple[str, ...] = ()


class ApplyDialog(ApplyForm):
    """Shows what would be done; only a click on Apply, or Alt+A, does it. It never closes by itself."""

    def __init__(
        self,
        cluster: ClusterSession,
        staging: ChangeSetWorker,
        parent: QWidget | None = None,
        *,
        back: ChangesBack | None = None,
    ) -> None:
        """Show the staged changes, or the way back from a record."""
        is_apply = back is None
        name = cluster.name
        super().__init__(f"Apply changes to {name}" if is_apply else f"Roll back changes on {name}", parent)
        self._back = back or ChangesBack()
        self._cluster, self._staging = cluster, staging
        self._staged = self._shown = ChangeSetPreview()
        self._source = self._back.preview
        self._defaults = DefaultAccounts(cluster, self._refresh, self)
        self._work: ApplyRun | None = None
        self._report: ApplyReport | None = None
        self._is_rollback = not is_apply
        self._checked = 0
        self._rows: dict[tuple[str, ...], int] = {}  # Place of each change in the table, by its command.
        self._is_over = False
        self._dwell = Dwell(self)
        self._connect_signals()
        self._timer = every(self, _LOOK_MS, self._on_timeout)
        for signal in (staging.changed, cluster.changed, cluster.arming.changed, cluster.arming.ticked):
            signal.connect(self._refresh)
        staging.reached.changed.connect(self._show_reached)
        cluster.destroyed.connect(self._leave)
        cluster.target.refresh(PartName.TREE, PartName.USAGE)
        self._refresh()
        self.reason.setFocus()

    @property
    def is_running(self) -> bool:
        """Whether something is being done to the cluster."""
        return self._work is not None

    @property
    def report(self) -> ApplyReport | None:
        """Report of the apply; None before."""
        return self._report

    def _connect_signals(self) -> None:
        self.copy.clicked.connect(self.copy_text)
        self.dry.clicked.connect(self.run_dry)
        self.arm.clicked.connect(self._arm)
        self.back.clicked.connect(self.offer_rollback)
        self.stop.clicked.connect(self._stop)
        self.close_button.clicked.connect(self.reject)
        self.apply.clicked.connect(self.do_it)
        self.insist.toggled.connect(self._refresh)
        self._dwell.over.connect(self._refresh)

    # -- what a person does ---------------------------------------------------------------------------------

    @Slot()
    def do_it(self) -> None:
        """Apply what is shown, if the console is armed still."""
        self._cluster.arming.look()
        self._refresh()
        if not self._may_apply():
            return
        self._report = None
        if not self._is_rollback:
            self._staging.expect()
        self._begin(dry_run=False)

    @Slot()
    def _arm(self) -> None:
        """Arm: replace the button by a field for the reason."""
        self._cluster.arming.arm()
        self.reason.setFocus()

    @Slot()
    def run_dry(self) -> None:
        """Show the commands of the target; none is run."""
        if self._work is None and self._staged.changes.changes:
            self._begin(dry_run=True)

    @Slot()
    def offer_rollback(self) -> None:
        """Show what would bring back what was before; it is applied like any change set."""
        if self._report is None or not self._report.rollback.changes:
            return
        self._is_rollback = True
        self._back = ChangesBack(record=self._report.record)
        self._source = ChangeSetPreview(self._report.rollback)
        self._report = None
        self.show_queries(())
        self._show_lines([])
        self._dwell.take(None)  # The user asks for what comes next.
        self._foresee()
        self.remark.say("")
        self._refresh()

    @Slot()
    def copy_text(self) -> None:
        """Copy the commands as shell text; the report once there is one."""
        prefix = self._cluster.target.place.prefix
        if self._report is not None:
            text = report_text(self._cluster.name, self._report, prefix)
        else:
            text = commands_text(self._staged.changes, prefix)
        QGuiApplication.clipboard().setText(text)

    @Slot()
    def _stop(self) -> None:
        if self._work is not None:
            self._work.stop()
            self.stop.setEnabled(False)
            self.remark.say("Stopping. Started commands finish; the rest are skipped.", "warn")

    # -- what comes of it -----------------------------------------------------------------------------------

    def _begin(self, *, dry_run: bool) -> None:
        changes = self._staged.changes
        self._checked = len(self._cluster.state.checked)
        if self.insist.isChecked():
            changes = insisted(changes)
            self._show_lines(lines_of(replace(self._staged, changes=changes)))
        why, undoes = self.reason.text().strip(), self._back.record if self._is_rollback else ""
        self._work = ApplyRun(self._cluster, changes, why, self, undoes)
        self._work.stepped.connect(self._on_step)
        self._work.progressed.connect(self._put)
        self._work.ended.connect(self._end)
        fresh = [replace(line, report=None, state="") for line in self.model.rows]
        self._show_lines(fresh)
        self.remark.say("")
        self._timer.start()
        self._work.start(dry_run=dry_run)
        self._refresh()

    @Slot(object, str)
    def _on_step(self, change: Change, state: str) -> None:
        """Mark a change as running, or as sent."""
        row = self._rows.get(change.command)
        if row is not None and self.model.rows[row].report is None:
            self.model.set_row(row, replace(self.model.rows[row], state=state))
            self.table.scrollTo(self.model.index(row, 0))

    def _show_lines(self, lines: list[Line]) -> None:
        self.model.set_rows(lines)
        self._rows = {
            line.what.command: row for row, line in enumerate(lines) if isinstance(line.what, Change)
        }
        span_refusals(self.table, self.model)

    @Slot(object)
    def _put(self, report: ChangeReport) -> None:
        row = self._rows.get(report.change.command)
        if row is not None:
            self.model.set_row(row, replace(self.model.rows[row], report=report, state=""))

    @Slot()
    def _end(self) -> None:
        work, self._work = self._work, None
        self._timer.stop()
        if work is None:
            return
        for row, line in enumerate(self.model.rows):
            if line.state:
                self.model.set_row(row, replace(line, state=""))
        if work.report is None:
            self.remark.say(work.fault, "danger")
        else:
            self._take(work.report)
        work.deleteLater()
        self._refresh()
        if self._report is None:  # After a dry run, the next text is the reason.
            self.reason.setFocus()

    def _take(self, report: ApplyReport) -> None:
        results = {row.result for row in report.rows}
        if results <= {Result.DRY_RUN}:
            for row in report.rows:
                self._put(row)
            self.remark.say("No command was run. Copy commands copies them as shell text.")
            return
        self._report = report
        reached = self._staging.reached
        if not self._is_rollback:
            reached.applied(report)
        elif any(result.is_done for result in results):
            reached.drop()
        self._show_report(report)

    def _show_report(self, report: ApplyReport) -> None:
        for row in report.rows:
            self._put(row)
        self.show_queries(queries(report.rows, self._cluster.target.place.prefix))
        self.remark.say(*outcome(report))

    @Slot()
    def _show_reached(self) -> None:
        """Show below the results whether fairshare is as predicted."""
        sentence = self._staging.reached.sentence
        if self._report is not None and not self._is_rollback:
            self.reached.say(sentence, "muted")
            self.reached.setVisible(bool(sentence))

    @Slot()
    def _on_timeout(self) -> None:
        """Show the time since the last answer of the cluster."""
        work = self._work
        if work is not None and work.runs_s >= _SLOW_S and self.stop.isEnabled():
            sent = sum(line.report is not None or line.state == SENT for line in self.model.rows)
            doing = self._cluster.state.doing
            counts = f"{thousands(sent)} of {thousands(len(self.model.rows))}"
            waited = f"{counts} sent after {length_words(work.runs_s)}"
            self.remark.say(f"{waited}. {doing}".strip() if doing else f"{waited}.", "text")

    @Slot()
    def _leave(self) -> None:
        self._is_over = True
        self._work = None
        self.reject()

    # -- what is so now -------------------------------------------------------------------------------------

    def _view(self) -> ApplyView:
        return ApplyView(
            self._cluster.name,
            self._staged,
            self._report,
            is_running=self._work is not None,
            is_rollback=self._is_rollback,
            is_computing=self._staging.is_working,
            problem=self._staging.problem,
            stale=stale_words(self._cluster.state),
            insists=self.insist.isChecked(),
            of=self._back.of,
            left=self._back.left,
        )

    def _may_apply(self) -> bool:
        is_armed = self._cluster.arming.is_armed
        is_free = is_armed and not self._cluster.is_applying
        return self._view().can_be_sent and is_free and self._dwell.is_read

    @Slot()
    def _refresh(self) -> None:
        if self._is_over:
            return
        if self._work is None and self._report is None:
            self._follow_staging()
        self._follow_checks()
        blocked = self._staged.changes.blocked if self._report is None else ()
        self.insist.show_for([(one.command, one.obstacle) for one in blocked])
        view = self._view()
        self.heading.setText(view.heading)
        self.below.setText(view.explanation)
        # Placed where users notice it.
        self.obstacles.setVisible(bool(view.obstacles))
        self.insist.setVisible(bool(view.obstacles))
        self.obstacles.say(view.obstacles, "danger")
        self._show_buttons(view)
        who = self._cluster.arming.choices.who
        self.logged.setText(f"Reason and results are logged in the audit log as {who}.")

    def _follow_checks(self) -> None:
        """Show unknown results that have been decided since."""
        fresh = self._cluster.state.checked[self._checked :]
        if self._report is not None and (now := resolved(self._report, fresh)) is not self._report:
            self._report = now
            self._show_report(now)

    def _follow_staging(self) -> None:
        if not self._is_rollback:
            if self._staging.is_working:
                return
            self._source = self._staging.staged
        self._foresee()

    def _foresee(self) -> None:
        """Show the changes with their present obstacles."""
        source, changes, state = self._source, self._source.changes, self._cluster.state
        users = {one.key[1] for one in changes.changes if one.verb == Verb.REMOVE}
        read = state.parts.get(PartName.TREE)
        defaults = self._defaults.of(users, state.tree, read.as_of_s if read is not None else None)
        changes = foreseen(changes, state, defaults)
        if source is self._shown and changes == self._staged.changes:
            return
        self._shown, self._staged = source, replace(source, changes=changes)
        self._dwell.show_for(changes.changes)
        self._show_lines(lines_of(self._staged))

    def _show_buttons(self, view: ApplyView) -> None:
        for key, title in _TITLES_BACK.items() if view.is_rollback else ():
            self.model.set_title(self.model.place(key), title)
        running, done, is_open = view.is_running, view.report is not None, view.is_open
        armed, can_arm = self._cluster.arming.is_armed, self._cluster.arming.can_arm()
        is_tried = running or any(line.report is not None for line in self.model.rows)
        self.table.setColumnHidden(self.model.place("result"), not is_tried)
        self.table.setColumnHidden(self.model.place("fairshare"), is_tried)
        self._show_verb(view, READ_ONLY if can_arm else CAPTURE, armed=armed)
        self.arm.setVisible(is_open and not armed and can_arm)
        self.arm.setToolTip(READ_ONLY)
        self.dry.setVisible(is_open)
        self.dry.setEnabled(bool(view.changes.changes))
        self.stop.setVisible(running)
        if not running:
            self.stop.setEnabled(True)
        self.close_button.setEnabled(not running)
        self.reason.setEnabled(is_open)
        rollback = len(self._report.rollback.changes) if self._report is not None else 0
        self.back.setVisible(bool(rollback))
        self.back.setText(f"Roll &back {count_words(rollback, 'change')}…")
        self.copy.setText("&Copy report" if done else "&Copy commands")
        self.copy.setEnabled(done or bool(view.changes.changes))

    def _show_verb(self, view: ApplyView, read_only: str, *, armed: bool) -> None:
        """Show the number of changes to send, or why none can be sent."""
        self.apply.setText(view.verb)
        self.apply.setVisible(view.is_open)
        self.apply.setEnabled(self._may_apply())
        just_changed = "" if self._dwell.is_read else JUST_CHANGED
        self.apply.setToolTip(just_changed if armed else read_only)
        if self.remark.text() == JUST_CHANGED:
            self.remark.say("")
        if just_changed and view.is_open and view.count:
            self.remark.say(just_changed, "text")
        if not armed and view.is_open and not self.remark.text() and view.count:
            self.remark.say(read_only, "text")
        elif armed and self.remark.text() == READ_ONLY:
            self.remark.say("")

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def reject(self) -> None:
        """Close the dialog, unless something is being done."""
        if self._work is None:
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._work is not None:
            event.ignore()
            return
        super().closeEvent(event)
