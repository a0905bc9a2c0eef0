"""Jobs of a cluster in Operate: the near-dedicated class above, the job and all jobs, records below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.app.jobs.dependencies import awaited_jobs
from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.alerts.cluster_watch import cluster_watch
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.cluster.why_ticket import WhyTicket
from fsconsole.console.operate.alert_bars import Alerts
from fsconsole.console.operate.jobs.cluster_health import LinkBar, PartsView, lone_trouble
from fsconsole.console.operate.jobs.controller import NO_CLUSTER, JobController
from fsconsole.console.operate.jobs.finished_panel import FinishedPanel
from fsconsole.console.operate.jobs.job_files_dialog import JobFilesDialog
from fsconsole.console.operate.jobs.job_panel import JobPanel
from fsconsole.console.operate.jobs.jobs_panel import JobsPanel
from fsconsole.console.operate.jobs.near_dedicated_view import NearView
from fsconsole.console.operate.jobs.nodes_panel import NodesPanel
from fsconsole.console.operate.jobs.reservations_panel import ReservationsPanel
from fsconsole.console.operate.jobs.results import JobRecords, ResultsBar
from fsconsole.console.operate.jobs.roll_back import RollBacks
from fsconsole.console.operate.jobs.verbs import (
    VERBS,
    action_id,
    change_of,
    dangers_now,
    obstacle_now,
)
from fsconsole.console.operate.records import AUDIT_FORMS, written
from fsconsole.console.operate.workspace import OperateWorkspace
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.sizes import tall_lines
from fsconsole.console.widgets.copying import table_rows
from fsconsole.console.widgets.dock import Dock
from fsconsole.slurm.job_change import JobVerb, only_insisted
from fsconsole.slurm.near_dedicated import NdClass, NdKind
from fsconsole.slurm.parsers.scontrol_node import busy_cpus
from fsconsole.targets.slurm.link_words import PART_TITLES
from fsconsole.targets.slurm.location import captured_folder
from fsconsole.targets.slurm.state import Link, PartName
from fsconsole.text import moments, numbers
from fsconsole.text.csv_text import csv_of_rows

_SIDE_PX, _NARROW_SIDE_PX = 368, 348
_NEAR_PX, _LOW_NEAR_PX = 206, 150
_LANES = 4  # Lines of text in the dock of the near-dedicated class.
_NEAR_PARTS = (PartName.SETTINGS, PartName.PARTITIONS, PartName.RESERVATIONS)
_ROLL_BACK = "cluster.roll_back"
_MENU = (
    "cluster.why_job", "cluster.show_awaited", "",
    *(action_id(verb) for verb in VERBS if verb is not JobVerb.KILL), "",
    action_id(JobVerb.KILL),
)  # fmt: skip


class JobsWorkspace(OperateWorkspace):
    """What an operator watches and does on a cluster.

    Attributes:
        controller: what the views share.
    """

    kill_action = action_id(JobVerb.KILL)
    records: JobRecords

    def __init__(self, session: ConsoleSession, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(session, table, parent)
        self.controller = controller = JobController(session)
        self.link, self.results = LinkBar(controller), ResultsBar(controller)
        self.near = NearView(controller)
        self.job = JobPanel(controller)
        self.jobs = JobsPanel(controller)
        self.finished = FinishedPanel(controller)
        self.nodes = NodesPanel(controller, self._find)
        self.reservations = ReservationsPanel(controller, self._find, self._select_nodes)
        self.parts = PartsView(controller)
        self.verbs = JobVerbs(controller, self, lambda: self.job.by.seconds)
        self.why = WhyTicket(session, self)
        self.alerts = Alerts(cluster_watch(session), self, left_out=frozenset(("controller",)))
        self.put_notices(self.alerts, self.link, self.results)
        self.records = JobRecords(controller)
        self.put_records("cluster.operate.records")
        self.roll_backs = RollBacks(controller, self)
        self._make_docks()
        self.in_front = (self.jobs_dock,)
        self._connect_signals()
        self.keep_default_layout()
        self.follow()

    # -- what the window asks -------------------------------------------------------------------------------

    def actions_of_workspace(self) -> list[Action]:
        is_open, why_not = lambda: self.controller.state is not None, lambda: NO_CLUSTER
        return [
            *self.verbs.actions(),
            *self.nodes.node_actions(),
            Action(
                "cluster.job_files", "Script and &output…", self._show_files, menu="Target", group="jobs",
                tip="Show the batch script of the selected job and the end of its output",
                enabled=lambda: not self._why_no_files(), why_not=self._why_no_files,
                words="job batch script stdout log tail", needs=CLUSTER,
            ),
            Action(
                "cluster.show_nodes", "&Nodes of the cluster", self._show_nodes, menu="View", group="records",
                tip="Show nodes with their states and jobs", enabled=is_open, why_not=why_not,
                words="node map drain down", needs=CLUSTER,
            ),
            Action(
                "cluster.show_reservations", "Slurm &reservations", self._show_reservations, menu="View",
                group="records", tip="Show Slurm reservations with their users and jobs",
                enabled=is_open, why_not=why_not, words="maintenance scontrol course", needs=CLUSTER,
            ),
            Action(
                "cluster.show_finished", "&Finished jobs", self._show_finished, menu="View", group="records",
                tip="Show jobs that have ended, with their CPU time and exit state", enabled=is_open,
                why_not=why_not, words="sacct history efficiency exit code", needs=CLUSTER,
            ),
            Action(
                "cluster.find_jobs", "&Find jobs", self.find_jobs, keys=("Ctrl+F",), icon="search",
                menu="Edit", group="find", tip="Find jobs by words and terms", enabled=is_open,
                why_not=why_not, words="filter search user partition", local=True, needs=CLUSTER,
            ),
            Action(
                "cluster.why_job", "Wh&y this job waits, for a ticket…", self._ask_why, menu="Target",
                group="jobs", tip="Explain the job's reason, position and priority as text for a ticket",
                enabled=lambda: len(self.controller.jobs) == 1,
                why_not=lambda: "Select one job", words="explain pending priority ticket copy", needs=CLUSTER,
            ),
            Action(
                "cluster.show_awaited", "&Go to awaited job", self._go_to_awaited, menu="Target",
                group="jobs", tip="Select the job or array that the selected job waits for",
                enabled=lambda: bool(self._awaited()), why_not=lambda: (
                    "Select a job that waits "
                    "for another job"
                ),
                words="dependency afterok jump", needs=CLUSTER,
            ),
            Action(
                "cluster.show_commands", "Show &commands of the last action…", self.results.show_details,
                menu="View", group="records", tip="Show each command of the last action with its output",
                enabled=lambda: bool(self.results.reports), why_not=lambda: "No action yet",
                needs=CLUSTER,
            ),
            Action(
                _ROLL_BACK, "Roll &back…", self._roll_back, icon="undo", menu="Target", group="changes",
                tip="Bring back what was before the selected record, or before the newest one",
                enabled=lambda: not self._why_no_roll_back(), why_not=self._why_no_roll_back,
                words="undo revert records audit log", needs=CLUSTER,
            ),
            Action(
                "cluster.export_jobs", "Export &jobs…", self._export_jobs, icon="export", menu="File",
                group="exchange", tip="Export the rows and columns of the jobs table as CSV",
                enabled=lambda: bool(self.jobs.table.jobs.rowCount()), why_not=lambda: "No jobs are shown",
                words="table spreadsheet save", needs=CLUSTER,
            ),
            Action(
                "cluster.export_audit", "Export audit log…", self.export_record, keys=("Ctrl+E",),
                icon="export", menu="File", group="exchange", tip="Export the audit log as text or CSV",
                enabled=is_open, why_not=why_not, words="audit record", local=True, needs=CLUSTER,
            ),
        ]  # fmt: skip

    def _export_jobs(self) -> None:
        """Ask for a file, and write the jobs into it as they are shown."""
        stem = f"jobs-{self.controller.name}".replace("/", "-")
        answer = self.questions.file_to_save("Export jobs", Path.home() / f"{stem}.csv", AUDIT_FORMS[1:])
        if answer is not None:
            self.session.message.emit(written(answer[0], csv_of_rows(table_rows(self.jobs.table))))

    def _ask_why(self) -> None:
        (job,) = self.controller.jobs
        self.why.ask_job(job.label)

    def local_actions(self) -> Mapping[str, QWidget]:
        return {"cluster.find_jobs": self, "cluster.export_audit": self}

    def tool_bar_ids(self) -> list[str]:
        return ["cluster.refresh", "", action_id(JobVerb.EXTEND), action_id(JobVerb.KILL)]

    def status_text(self) -> str:
        state = self.controller.state
        if state is None:
            return ""
        shown, all_of_them = self.jobs.counts
        selection = self.controller.selection
        selected = selection.count if selection is not None else 0
        part = state.parts.get(PartName.JOBS)
        cpus, busy = sum(node.cpus for node in state.nodes), busy_cpus(state.nodes)
        is_known = cpus > 0 and busy is not None
        facts = [
            f"{numbers.thousands(shown)} of {numbers.thousands(all_of_them)} jobs shown",
            f"{numbers.thousands(selected)} selected" if selected else "",
            f"{numbers.thousands(busy)} of {numbers.thousands(cpus)} CPUs busy" if is_known else "",
            f"Jobs as of {moments.clock(part.as_of_s)}"
            if part is not None and part.as_of_s is not None
            else "",
            state.doing,
        ]
        return "   ".join(filter(None, facts))

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Shorten chips if narrow; move records to a tab behind the jobs if tight."""
        self.jobs.set_narrow(narrow=narrow)
        self.near.set_compact(narrow=narrow, low=low)
        if self.is_tight:
            self.tab_in_middle(self.jobs_dock, (self.records_dock, self.parts_dock))
            return
        self.raise_soon(self.records_dock)

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the jobs what the others leave."""
        side = self.side_px(_NARROW_SIDE_PX if narrow else _SIDE_PX)
        across = [self.job_dock, self.jobs_dock]
        self.resizeDocks(across, [side, max(self.width() - side - 8, 420)], Qt.Orientation.Horizontal)
        self.share_down(tall_lines(_LOW_NEAR_PX if low else _NEAR_PX, _LANES), low=low)
        self.raise_soon(self.jobs_dock if self.is_tight else self.records_dock)

    def find_jobs(self) -> None:
        """Focus the filter of jobs, from any workspace."""
        self.raise_dock(self.jobs_dock)
        self.jobs.box.setFocus()
        self.jobs.box.selectAll()

    def show_job(self, job_id: int) -> None:
        """Select a job, and bring the table of jobs to the front."""
        self.raise_dock(self.jobs_dock)
        self._choose(job_id)

    # -- inside ---------------------------------------------------------------------------------------------

    def _make_docks(self) -> None:
        self.near_dock = Dock("cluster.operate.near", "Near-dedicated class", self.near, self)
        self.job_dock = Dock("cluster.operate.job", "Job", self.job, self)
        self.jobs_dock = Dock("cluster.operate.jobs", "Jobs", self.jobs, self)
        self.nodes_dock = Dock("cluster.operate.nodes", "Nodes", self.nodes, self)
        self.reservations_dock = Dock(
            "cluster.operate.reservations", "Slurm reservations", self.reservations, self
        )
        self.finished_dock = Dock("cluster.operate.finished", "Finished jobs", self.finished, self)
        self.parts_dock = Dock("cluster.operate.parts", "Cluster", self.parts, self)
        self.put_left_docks(self.near_dock, self.job_dock)
        self.splitDockWidget(self.job_dock, self.jobs_dock, Qt.Orientation.Horizontal)
        self.tabifyDockWidget(self.jobs_dock, self.nodes_dock)
        self.tabifyDockWidget(self.nodes_dock, self.reservations_dock)
        self.tabifyDockWidget(self.reservations_dock, self.finished_dock)
        self.tabifyDockWidget(self.records_dock, self.parts_dock)
        self._refresh_button = QPushButton("Refresh now")
        self._refresh_button.clicked.connect(self.controller.refresh)
        refresh = self.table.qaction("cluster.refresh")
        refresh.enabledChanged.connect(self._refresh_button.setEnabled)
        self._refresh_button.setEnabled(refresh.isEnabled())
        self.parts_dock.header.add_widget(self._refresh_button)
        self.jobs.table.menu_of = lambda at: self.pop_up(at, _MENU)
        self.records.audit.menu_of = lambda at: self.pop_up(at, (_ROLL_BACK, "", "cluster.export_audit"))

    def _connect_signals(self) -> None:
        self.link.details_wanted.connect(self._show_parts)
        self.job.wanted.connect(self.verbs.ask)
        self.job.awaited_wanted.connect(self._go_to_awaited)
        self.near.job_chosen.connect(self._choose)
        self.near.class_wanted.connect(self._look_for)
        self.controller.near_changed.connect(self._show_near)
        for signal in (self.controller.changed, self.controller.chosen, self.controller.acted):
            signal.connect(self.follow)
        self.controller.armed.connect(self.refresh_actions)
        self.nodes.table.selectionModel().selectionChanged.connect(self.refresh_actions)
        self.records.audit.selectionModel().selectionChanged.connect(self.refresh_actions)
        self.records.ways.changed.connect(self.refresh_actions)
        self.records.audit.linked.connect(self._roll_back)
        self.jobs.table.jobs.modelReset.connect(self._show_heads)
        self.jobs.table.jobs.dataChanged.connect(self._show_heads)
        self.jobs.table.unseen_changed.connect(self._show_heads)

    @Slot(int)
    def _choose(self, job_id: int) -> None:
        """Choose a job picked in the timeline; it is selected also where the table leaves it out."""
        self.jobs.table.select([job_id])
        self.controller.choose([job_id])

    @Slot(object)
    def _look_for(self, one: NdClass) -> None:
        if one.kind is NdKind.PARTITION:
            self.jobs.box.setText(f"partition={one.name}")
            self.raise_dock(self.jobs_dock)

    def _find(self, terms: str) -> None:
        self.jobs.box.setText(terms)
        self.raise_dock(self.jobs_dock)

    def _why_no_files(self) -> str:
        """Return the reason why no script and output can be read; empty if they can."""
        cluster = self.controller.cluster
        if cluster is not None and captured_folder(cluster.target.place.prefix) is not None:
            return "A capture folder has no scripts and no output of jobs"
        return "" if len(self.controller.jobs) == 1 else "Select one job"

    def _show_files(self) -> None:
        JobFilesDialog(self.controller, self.controller.jobs[0], self.window()).open()

    def _roll_back(self) -> None:
        if (way := self.records.chosen()) is not None:
            self.roll_backs.open(way)

    def _why_no_roll_back(self) -> str:
        """Return the reason why the selected record cannot be rolled back; empty if it can be."""
        way = self.records.chosen()
        if way is not None and way.is_possible:
            return ""
        if way is not None and way.why_not:
            return f"This record cannot be rolled back: {way.why_not}"
        return "Select a record that can be rolled back"

    def _awaited(self) -> tuple[str, ...]:
        """Return labels of the jobs that the first selected job waits for."""
        jobs = self.controller.jobs
        return awaited_jobs(jobs[0].dependency) if jobs else ()

    @Slot()
    def _go_to_awaited(self) -> None:
        self.raise_dock(self.jobs_dock)
        awaited = self._awaited()
        if awaited and not any(self.jobs.go_to(label) for label in awaited):
            self.session.message.emit(f"Job {awaited[0]} is not on {self.controller.name} any more.")

    def _show_nodes(self) -> None:
        self.raise_dock(self.nodes_dock)

    def _show_reservations(self) -> None:
        self.raise_dock(self.reservations_dock)

    def _select_nodes(self, names: tuple[str, ...]) -> None:
        self.raise_dock(self.nodes_dock)
        self.nodes.select(names)

    def _show_finished(self) -> None:
        self.raise_dock(self.finished_dock)

    @Slot()
    def _show_parts(self) -> None:
        self.raise_dock(self.parts_dock)

    @Slot()
    def follow(self) -> None:
        """Update docks and actions to the newest state while they are visible."""
        if not self.isVisible():
            return
        self._show_heads()
        self._show_near()
        self._show_emptiness()
        self.refresh_actions()

    @Slot()
    def _show_heads(self) -> None:
        state = self.controller.state
        cluster = self.controller.cluster
        captured_s = cluster.captured_s if cluster is not None else None
        as_of = (
            f"as of {moments.clock(self.controller.now_s)}"
            if state is not None and self.controller.now_s
            else ""
        )
        if captured_s is not None:
            as_of = f"captured {moments.whole(captured_s)}"
        shown, all_of_them = self.jobs.counts
        many = f"{numbers.thousands(shown)} of {numbers.thousands(all_of_them)}"
        count_text = many if shown != all_of_them else numbers.thousands(all_of_them)
        self.jobs_dock.header.set_remark(", ".join(filter(None, (count_text, as_of))))
        selection, unseen = self.controller.selection, self.jobs.table.unseen_count
        count = len(selection.places) if selection is not None else 0
        selected = selection.count if selection is not None else 0
        many = f"{numbers.thousands(selected)} selected" if selected > 1 else ""
        left_out = (
            ""
            if not unseen
            else "left out of the list"
            if count == 1
            else f"{numbers.thousands(unseen)} left out of the list"
        )
        self.job_dock.header.set_remark(", ".join(filter(None, (many, left_out))))
        link = "" if state is None or state.link is Link.ANSWERS else str(state.link)
        self.parts_dock.header.set_remark(link)
        self.show_records(self.records.ways.history.records, state.audit_problem if state is not None else "")
        self.facts_changed.emit()

    @Slot()
    def _show_near(self) -> None:
        view, body = self.controller.near, self.near_dock.body
        is_shown = view is not None and not view.is_empty
        self.near_dock.header.set_remark(view.sentence if view is not None and is_shown else "")
        if is_shown:
            body.show_content()
        elif view is not None and self.controller.was_read(*_NEAR_PARTS):
            body.show_empty(view.sentence)
        else:
            body.show_empty("Partitions and reservations have not been read yet.")
        self._show_trouble(self.near_dock, *_NEAR_PARTS, PartName.NODES)

    def _show_trouble(self, dock: Dock, *names: PartName) -> None:
        """Show a part that alone cannot be read; the strip above reports several."""
        state, failed = self.controller.state, lone_trouble(self.controller.state)
        if state is None or failed not in names:
            dock.body.clear_error()
            return
        part = state.parts[failed]
        sentence = f"{PART_TITLES[failed]}: {part.problem.rstrip('.')}."
        if part.as_of_s is not None:
            sentence += f" As of {moments.clock(part.as_of_s)}."
        dock.body.show_error(sentence, partial(self.controller.read_again, failed), self._show_parts)

    def _show_emptiness(self) -> None:
        self._show_trouble(self.jobs_dock, PartName.JOBS)
        if self.controller.jobs:
            self.job_dock.body.show_content()
        else:
            self.job_dock.body.show_empty("Select a job.")


class JobVerbs:
    """Does things to the selected jobs, and gives the actions; `usual_s` is the length beside the button."""

    def __init__(self, controller: JobController, parent: QWidget, usual_s: Callable[[], float]) -> None:
        self._controller, self._parent, self._usual_s = controller, parent, usual_s

    def ask(self, verb: JobVerb, by_s: float = 0.0) -> None:
        """Act on the selected jobs, after a dialog if one is needed.

        Kill, extend and requeue always ask, all others with several jobs. They also ask if the user has to
        insist, or would resume a job whose CPUs others have by now. While the console is read-only all of
        them ask, to show the commands.
        """
        jobs = self._controller.jobs
        if self.why_not(verb):
            return
        change = change_of(verb, jobs, by_s or self._usual_s(), columns=self._controller.columns)
        must_insist = any(only_insisted(change, job, self._controller.now_s) for job in jobs)
        must_know = must_insist or (verb is JobVerb.RESUME and bool(dangers_now(self._controller, change)))
        asks = must_know or VERBS[verb].always_asks or bool(self._controller.read_only)
        if len(jobs) == 1 and not asks:
            self._controller.act(change_of(verb, jobs))
            return
        from fsconsole.console.operate.jobs.dialogs import ExtendJobs, PlainJobDialog

        window = self._parent.window()
        if verb is JobVerb.EXTEND:
            ExtendJobs(self._controller, jobs, window, by_s or self._usual_s()).open()
        else:
            PlainJobDialog(self._controller, verb, jobs, window).open()

    def why_not(self, verb: JobVerb) -> str:
        """Return the reason why an action on the selected jobs is not possible; empty if it is."""
        return self._controller.hindrance() or obstacle_now(self._controller, verb)

    def actions(self) -> list[Action]:
        """Return one for each verb."""
        return [self._action(verb) for verb in VERBS]

    def _action(self, verb: JobVerb) -> Action:
        words = VERBS[verb]
        more = "…" if words.always_asks else ""
        return Action(
            action_id(verb), words.menu, partial(self.ask, verb), keys=words.keys,
            icon=words.icon, menu="Target", group="jobs", tip=words.tip,
            enabled=lambda: not self.why_not(verb), why_not=lambda: self.why_not(verb),
            words="job slurm scancel scontrol", short=f"{words.title}{more}", needs=CLUSTER,
            acts=True,
        )  # fmt: skip
