"""Results of actions: a strip that stays while they are new, a table of the last one, the audit log."""

from __future__ import annotations

import time
from collections import Counter
from html import escape
from shlex import join

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import (
    QPushButton,
    QWidget,
)

from fsconsole.app.cluster.records import single
from fsconsole.app.cluster.roll_back import WayBack
from fsconsole.console.connections import every
from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.operate.jobs.controller import JobController, PendingAction, Reports
from fsconsole.console.operate.jobs.record_ways import RecordWays
from fsconsole.console.operate.jobs.verbs import NODE_VERBS, STOP_TIP, VERBS
from fsconsole.console.operate.records import (
    AUDIT_FORMS,
    WAYS_TITLE,
    AuditTable,
    LogLine,
    Record,
    Records,
    table_text,
)
from fsconsole.console.style.result_marks import RESULT_MARKS
from fsconsole.console.widgets.boxes import INHERIT, vbox
from fsconsole.console.widgets.copying import copy_rows
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.strip import Importance, Notice
from fsconsole.recording.audit import Result
from fsconsole.slurm.job_change import JobChange, JobVerb
from fsconsole.slurm.node_change import NodeVerb
from fsconsole.targets.slurm.reports import ActionReport, result_counts
from fsconsole.text import moments, numbers
from fsconsole.text.words import capitalised, count_words, first_of

_SECOND_MS = 1000
_STAYS_S = 60.0  # Seconds of the cluster's clock after which a successful result is hidden.
_SIZE = QSize(980, 360)
_COMMAND = "Command and output"
_FIRST_PX = (104, 176, 160)
_MOST_LINES = 5


class ResultsBar(Notice):
    """The notice of the present action, then with its result."""

    def __init__(self, controller: JobController, parent: QWidget | None = None) -> None:
        super().__init__("okbg", "ok", "ok", Importance.RESULT, parent)
        self._controller = controller
        self._shown: PendingAction | None = None
        self._of_nodes: tuple[NodeVerb, Reports] | None = None
        self._failed = 0
        self._shown_s = 0.0
        self._timer = every(self, _SECOND_MS, self._show_sentence)
        self.stop = QPushButton("Stop", self)
        self.stop.setToolTip(STOP_TIP)
        self.details = QPushButton("Details…", self)
        self.close_button = QPushButton("Close", self)
        self.close_button.setAccessibleName("Close the results of the last action")
        for button in (self.stop, self.details, self.close_button):
            self.line.addWidget(button)
        self.stop.clicked.connect(controller.stop)
        self.details.clicked.connect(self.show_details)
        self.close_button.clicked.connect(self.put_away)
        controller.acted.connect(self._on_action)
        controller.progressed.connect(self._show_sentence)
        controller.nodes_acted.connect(self._on_nodes)
        controller.changed.connect(self._refresh)
        controller.session.document_changed.connect(self.put_away)

    @property
    def reports(self) -> Reports:
        """What the strip is about; empty while the cluster has not answered."""
        if self._of_nodes is not None:
            return self._of_nodes[1]
        return (self._shown.reports or ()) if self._shown is not None else ()

    @Slot()
    def show_details(self) -> None:
        """Show all reports in a table."""
        if self._of_nodes is not None:
            ResultsDialog(nodes_act(*self._of_nodes), self.reports, self.window(), what="Node").open()
        elif self._shown is not None and self.reports:
            act = jobs_act(self._shown.change, sum(report.count for report in self.reports))
            ResultsDialog(act, self.reports, self.window()).open()

    @Slot()
    def put_away(self) -> None:
        """Put it away: it has been read."""
        self._failed = 0
        self._timer.stop()
        super().put_away()

    @Slot(object)
    def _on_action(self, doing: PendingAction) -> None:
        """Show another action; a failed one before it stays shown until the user closes the strip."""
        if doing is not self._shown:
            self._count_failed()
        self._shown, self._of_nodes = doing, None
        if doing.reports is None:
            self._timer.start()
        else:
            self._timer.stop()
            self._shown_s = self._controller.now_s
        self._show_sentence()

    @Slot(object, object)
    def _on_nodes(self, verb: NodeVerb, reports: tuple[ActionReport, ...]) -> None:
        """Show the result of an action on nodes."""
        self._count_failed()
        self._shown, self._of_nodes = None, (verb, reports)
        self._timer.stop()
        self._shown_s = self._controller.now_s
        self._show_sentence()

    def _count_failed(self) -> None:
        if self.is_wanted and self.reports and ground_of(self.reports) != "okbg":
            self._failed += 1

    @Slot()
    def _refresh(self) -> None:
        """Show newer jobs; successful actions are hidden after a while, failed ones when they are closed."""
        went_well = bool(self.reports) and ground_of(self.reports) == "okbg" and not self._failed
        if not (self.is_wanted and went_well):
            return
        if self._controller.now_s - self._shown_s >= _STAYS_S:
            self.put_away()
        else:
            self._show_sentence()

    def _is_over(self, doing: PendingAction) -> bool:
        """Return True if all jobs of an action have ended by now."""
        state = self._controller.state
        jobs = [job for job in state.jobs if not job.is_finished] if state is not None else []
        there = {job.label for job in jobs} | {str(job.array_job_id) for job in jobs}
        return there.isdisjoint(doing.change.jobs)

    @Slot()
    def _show_sentence(self) -> None:
        doing, of_nodes = self._shown, self._of_nodes
        if of_nodes is not None:
            sentence = nodes_words(*of_nodes)
        elif doing is not None:
            sentence = doing_words(
                doing, self._controller.name, time.monotonic(), is_over=self._is_over(doing)
            )
        else:
            return
        is_answered = of_nodes is not None or (doing is not None and doing.reports is not None)
        if self._failed:
            sentence += f" {count_words(self._failed, 'earlier action')} did not complete. See Records."
        kind = ground_of(self.reports) if is_answered else "raised"
        self._ground = kind
        self._icon, self._ink = {
            "raised": ("waiting", "muted"),
            "okbg": ("ok", "ok"),
            "warnbg": ("warning", "warn"),
            "dangerbg": ("warning", "danger"),
        }[kind]
        head, _, rest = sentence.partition(": ")
        self.words.setText(f"<b>{escape(head)}:</b> {escape(rest)}" if rest else escape(sentence))
        self.words.setToolTip(sentence)
        self.setAccessibleName(sentence)
        self.stop.setVisible(doing is not None and doing.can_stop)
        self.details.setVisible(is_answered)
        self.set_wanted(wanted=True)
        self.update()


class ResultsDialog(Dialog):
    """One row for each job, or each node."""

    def __init__(
        self, title: str, reports: Reports, parent: QWidget | None = None, what: str = "Job"
    ) -> None:
        super().__init__(f"{title}: results", parent)
        model = RowModel((Column(what, lambda report: report.on, width=80), *_COLUMNS))
        self.table = Table(model, "Results for each node" if what == "Node" else "Results for each job", self)
        model.set_rows(reports)
        self.buttons = close_buttons(self)
        copy = self.buttons.addButton("Copy report", self.buttons.ButtonRole.ActionRole)
        copy.setAutoDefault(False)
        copy.clicked.connect(self._copy)
        vbox(self.table, self.buttons, on=self, margins=None, spacing=INHERIT)
        self.resize(_SIZE)

    @Slot()
    def _copy(self) -> None:
        model = self.table.rows
        copy_rows((model.titles, *map(model.cells, model.rows)))


_COLUMNS: tuple[Column[ActionReport], ...] = (
    Column("Result", lambda one: str(one.result), icon=lambda one: RESULT_MARKS[one.result], width=110),
    Column("Before", lambda report: report.before, width=130),
    Column("After", lambda report: report.after, width=130),
    Column("Output", lambda report: " ".join(report.text.split()), width=320),
    Column("Command", lambda report: join(report.command)),
)


def ground_of(reports: Reports) -> str:
    """Return the worst of them."""
    results = {report.result for report in reports}
    if Result.REFUSED in results:
        return "dangerbg"
    return "okbg" if all(result.is_well for result in results) else "warnbg"


def nodes_act(verb: NodeVerb, reports: Reports) -> str:
    """Return the name of an action on nodes: `Drain n1`, `Drain 4 nodes`."""
    nodes = reports[0].on if len(reports) == 1 else count_words(len(reports), "node")
    return NODE_VERBS[verb].act.format(nodes=nodes)


def jobs_act(change: JobChange, count: int) -> str:
    """Return the name of an action on jobs: `Kill 7`, `Kill 4 jobs`."""
    jobs = change.jobs[0] if len(change.jobs) == 1 else count_words(count, "job")
    return VERBS[change.verb].act.format(jobs=jobs)


def _outcome(reports: Reports) -> str:
    """Return the result of one report, or the number of jobs with each result."""
    return str(reports[0].result) if len(reports) == 1 else _counts(reports)


def _counts(reports: Reports) -> str:
    counts = Counter[Result]()
    for report in reports:
        counts[report.result] += report.count
    return result_counts(counts)


def nodes_words(verb: NodeVerb, reports: Reports) -> str:
    """Return `Drain n1: done. idle to drained (fan).` or `Drain 4 nodes: 3 done, 1 refused. n2: …`."""
    outcome = _outcome(reports)
    worst = next((one for one in reports if one.result is not Result.DONE), None)
    shown = worst if worst is not None else reports[0] if len(reports) == 1 else None
    words = "" if shown is None else _report_text(shown, is_one=len(reports) == 1)
    return f"{nodes_act(verb, reports)}: {outcome}. {words}".rstrip()


def doing_words(doing: PendingAction, cluster: str, now: float, *, is_over: bool = False) -> str:
    """Return `Kill 7: done. …`, `Extend 4 jobs: 2 done, 1 refused. 19: …`, or the wait for an answer."""
    if doing.reports is None:
        act, since_s = jobs_act(doing.change, doing.count), int(now - doing.began)
        words = f"{act}: {progress_words(doing, cluster)}"
        return f"{words}, {since_s} s" if since_s else words
    act = jobs_act(doing.change, sum(report.count for report in doing.reports))
    outcome = _outcome(doing.reports)
    worst = next((one for one in doing.reports if one.result not in (Result.DONE, Result.DRY_RUN)), None)
    words = _report_text(worst, is_one=len(doing.reports) == 1) if worst is not None else ""
    if worst is None and len(doing.reports) == 1:
        words = done_words(doing.change.verb, doing.reports[0], is_over=is_over)
    return f"{act}: {outcome}. {words}".rstrip()


def progress_words(doing: PendingAction, cluster: str) -> str:
    """Return the progress of an action that the cluster has not answered yet."""
    if not doing.can_stop or doing.sent is None:
        return f"waiting for {cluster} to respond"
    return f"{numbers.thousands(doing.sent)} of {numbers.thousands(doing.count)} sent"


def done_words(verb: JobVerb, report: ActionReport, *, is_over: bool = False) -> str:
    """Return the state of a job after an action, with the target's own answer if any."""
    if report.text:
        return " ".join(report.text.split())
    job, now = f"Job {report.on}", report.after
    if verb is JobVerb.KILL:
        is_ending = now == "COMPLETING" and not is_over
        return f"{job} is ending ({now})." if is_ending else f"{job} has ended." if is_over or now else ""
    if verb is JobVerb.EXTEND:
        return f"{job} has the time limit {now} instead of {report.before}." if now and report.before else ""
    sentence = VERBS[verb].done.format(job=report.on)
    return f"{sentence} Slurm shows {now}." if now else sentence


def failure_words(reports: Reports) -> str:
    """Return the reasons why not all was done, for a dialog that stays open; empty if it was."""
    failed = [one for one in reports if not one.result.is_done]
    if not failed:
        return ""
    if len(reports) == 1:
        one = failed[0]
        return f"{capitalised(one.result.value)}: {_report_text(one, is_one=True)}".rstrip(": ")
    lines = first_of(
        failed, _MOST_LINES, lambda one: f"{one.on}, {one.result.value}: {_report_text(one, is_one=True)}"
    )
    return "\n".join([f"{capitalised(_counts(reports))}.", *lines])


def _report_text(report: ActionReport, *, is_one: bool) -> str:
    change = f"{report.before} to {report.after}" if report.before and report.after else report.after
    text = " ".join(report.text.split()) or change
    return text if is_one or not text else f"{report.on}: {text}"


class JobRecords(Records):
    """The audit log of a cluster."""

    def __init__(self, controller: JobController) -> None:
        self._controller = controller
        self.ways = RecordWays(controller)
        self._opened: set[object] = set()
        self.audit = AuditTable(
            at_words, controller.session.preferences, "cluster/audit", _FIRST_PX,
            lambda line: self.ways.way(str(line.key)),
        )  # fmt: skip
        self.audit.toggled.connect(self._toggle)
        super().__init__(
            [
                Record(
                    "Audit log", "audit log", self._stem, AUDIT_FORMS, self.audit, self._refresh, self._text,
                    find=self.audit.filter_by,
                )
            ]
        )  # fmt: skip
        controller.changed.connect(self.follow)
        controller.changed.connect(self._look)
        self.ways.changed.connect(self.audit.viewport().update)

    def chosen(self) -> WayBack | None:
        """Return the way back from the selected row, or without one from the newest record that has one."""
        rows = self.audit.selected()
        return self.ways.way(str(rows[0].key)) if rows else self.ways.newest()

    def _stem(self) -> str:
        return f"audit-{self._controller.name or 'cluster'}".replace("/", "-")

    def _text(self, form: int) -> str:
        """Return the log as a file has it: whole times, and the commands too."""
        log = self.audit.log
        now = log.titles.index(WAYS_TITLE)  # It is true of this moment, not of the log.
        rows: list[tuple[str, ...]] = [(*log.titles[:now], *log.titles[now + 1 :], _COMMAND)]
        for row in self._controller.audit:
            _, *cells = log.cells(LogLine(row, ""))
            del cells[now - 1]
            rows.append((moments.whole(row.tick), *cells, " ".join(row.text.split())))
        return table_text(rows, as_csv=form > 0)

    @Slot()
    def _refresh(self) -> None:
        nothing = (
            f"No action on {self._controller.name} from this console yet." if self._controller.state else ""
        )
        self.audit.show_lines(self._lines(), nothing)
        self._look()

    @Slot(object)
    def _toggle(self, key: object) -> None:
        self._opened ^= {key}
        self._refresh()

    def _lines(self) -> list[LogLine]:
        """Return the records, the newest first, an apply with its changes below it where it is open."""
        found = []
        for record in reversed(self.ways.history.records):
            is_open = record.id in self._opened if record.is_apply else None
            names = "\n".join(step.row.on for step in record.steps)
            found.append(LogLine(record.summary, record.id, is_open, names=names, result=record.result_words))
            if is_open:
                found += [LogLine(single(step).summary, step.id, is_step=True) for step in record.steps]
        return found

    @Slot()
    def _look(self) -> None:
        self.ways.look(is_seen=self.isVisible())


def at_words(tick: int) -> str:
    """Return `14:31:20` for today, `20 Nov 14:31` for earlier days."""
    now_s = time.time()
    is_today = moments.local(tick).date() == moments.local(now_s).date()
    return moments.clock(tick) if is_today else moments.moment(tick, now_s)
