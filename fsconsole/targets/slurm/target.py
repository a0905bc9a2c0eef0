"""A Slurm cluster as a target: read again and again by its own tools, and acted on through them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.change_set import Change, ChangeSet
from fsconsole.slurm.job_change import JobChange, count_of
from fsconsole.slurm.node_change import NodeChange
from fsconsole.targets.serial_executor import SerialExecutor
from fsconsole.targets.slurm import (
    apply_rows,
    change_set_applier,
    job_actions,
    node_actions,
    unknown_outcomes,
)
from fsconsole.targets.slurm.action_callbacks import ActionCallbacks
from fsconsole.targets.slurm.audit_keeper import AuditKeeper
from fsconsole.targets.slurm.audit_rows import Author
from fsconsole.targets.slurm.base import RUNNING, SENT, JobProgress, Progress, Step
from fsconsole.targets.slurm.explain import read_priority
from fsconsole.targets.slurm.kept_places import place_key, settle
from fsconsole.targets.slurm.location import Location, captured_folder, captured_s, clock_of, place_name
from fsconsole.targets.slurm.model import ClusterModel
from fsconsole.targets.slurm.polling import ONCE, PaceOptions, Polling
from fsconsole.targets.slurm.readback import read_defaults
from fsconsole.targets.slurm.reading import Found, HiddenError, OtherOrderError, Reader
from fsconsole.targets.slurm.reports import (
    ActionReport,
    ApplyReport,
    ChangeReport,
    PriorityReport,
)
from fsconsole.targets.slurm.state import ClusterState, PartName
from fsconsole.targets.slurm.state_store import StateStore
from fsconsole.targets.slurm.tools import LIMIT_S, Run, Stop, ToolError, Tools
from fsconsole.text.words import count_words

T = TypeVar("T")
AT_ONCE = 3  # This many readings run at a time; one that hangs is not counted.
_HANGS_S = 2.0
_LOOK_S = 1.0
_CLOSE_S = 3.0
_CLOSE_MOST_S = 10.0
_TREE_PARTS = (PartName.TREE, PartName.USAGE)
_JOB_PARTS = (PartName.JOBS, PartName.NODES)


class SlurmTarget:
    """Implements `base.ClusterTarget`.

    Attributes:
        may_act_unlogged: whether commands are sent also where the audit log cannot be written.

    One thread sees what is due; every reading has a thread of its own, so that a tool that hangs keeps
    nothing else from being read. The tree is changed in one thread, jobs in another one.
    """

    def __init__(
        self,
        place: Location,
        *,
        pace: PaceOptions | None = None,
        limit_s: float = LIMIT_S,
        tools: Tools | None = None,
    ) -> None:
        """Begin to read at once.

        Args:
            place: where the tools are.
            pace: how often each part is read.
            limit_s: time that a tool may take before it is ended.
            tools: other tools than those of the place, for instance in another environment.
        """
        self.place = place
        self.may_act_unlogged = False
        self._tools = tools or Tools(place)
        self._reader = Reader(self._tools, limit_s)
        self._clock = clock_of(place.prefix)
        self._board = StateStore(place_name(place), self._clock)
        where, _ = settle("", place_key(place), {})
        self._board.change(captured_s=captured_s(place.prefix), place=where)
        self._audit = AuditKeeper(self._report_audit)
        self._model = ClusterModel()
        is_capture = captured_s(place.prefix) is not None
        self._pace = Polling(pace or (ONCE if is_capture else PaceOptions()))
        self._reading: dict[PartName, float] = {}
        self._wake = threading.Condition()
        self._is_closed = self._is_settled = False
        self._stops: list[Stop] = []  # Of change sets.
        self._stops_of_jobs: list[Stop] = []
        self._doing: dict[str, str] = {}
        self._of_tree, self._of_jobs = (
            SerialExecutor("changes of the tree"),
            SerialExecutor("actions on jobs"),
        )
        self._of_priorities, self._of_questions = (
            SerialExecutor("priorities of jobs"),
            SerialExecutor("questions"),
        )
        self._priority: Future[PriorityReport] = Future()
        self._thread = threading.Thread(target=self._work, name="slurm cluster", daemon=True)
        self._ender = threading.Thread(target=self._end, name="slurm cluster: end", daemon=True)
        self._thread.start()

    def state(self) -> ClusterState:
        """Return the newest state."""
        return self._board.state

    def refresh(self, *parts: PartName) -> None:
        """Read parts soon, all without any; usage not before Slurm recalculates it.

        All of them means that a person asks, so that a closed link to the cluster is tried again.
        """
        with self._wake:
            if not parts:
                self._tools.retry()
                self._pace.retry(time.monotonic())
            self._pace.want(parts or tuple(PartName), time.monotonic())
            self._wake.notify()

    def stage(self, wanted: ShareTree) -> None:
        """Stage a copy of the edited tree."""
        self._model.stage(wanted.copy())

    def apply(
        self,
        changes: ChangeSet,
        who: str,
        why: str = "",
        *,
        dry_run: bool = False,
        progress: Progress | None = None,
        step: Step | None = None,
        undoes: str = "",
    ) -> Future[ApplyReport]:
        """Apply all changes in order and read back."""
        stop, author = Stop(), self._author(who, why, undoes)
        take_step = step or (lambda _change, _state: None)
        self._stops.append(stop)
        count = len(changes.changes)
        words = f"applying {count_words(count, 'change')}"

        def record(row: ChangeReport) -> None:
            self._audit.add(apply_rows.audited(row, author))

        def begin(change: Change) -> str:
            if not (problem := self._log(apply_rows.sent(change, author))):
                take_step(change, RUNNING)
            return problem

        callbacks = change_set_applier.ApplyCallbacks(
            progress=progress or (lambda _: None),
            record=record,
            is_stopped=lambda: stop() or self._tools.closed(),
            begin=begin,
            sent=lambda change: take_step(change, SENT),
        )

        def task() -> ApplyReport:
            cluster = self._reader.cluster or self.state().name
            is_meant = not dry_run and changes.can_be_applied
            if is_meant:
                self._audit.add(apply_rows.begun(changes, cluster, author))
            report = change_set_applier.apply(self._tools.run, cluster, changes, callbacks, dry_run=dry_run)
            if is_meant:
                self._audit.add(apply_rows.ended(report, cluster, author))
            return replace(report, record=author.act) if is_meant else report

        future = self._do(self._of_tree, words, task, () if dry_run else (*_TREE_PARTS, PartName.QOS))
        future.add_done_callback(lambda _: self._stops.remove(stop))
        return future

    def act(
        self,
        change: JobChange,
        who: str,
        why: str = "",
        *,
        dry_run: bool = False,
        progress: JobProgress | None = None,
        undoes: str = "",
    ) -> Future[tuple[ActionReport, ...]]:
        """Act on jobs and check the results."""
        state, author, stop = self.state(), self._author(who, why, undoes), Stop()
        audited = partial(job_actions.audited, change, author=author)
        sent = partial(job_actions.sent, change, author=author)
        callbacks = self._callbacks(audited, sent, stop, progress, dry_run=dry_run)

        def task() -> tuple[ActionReport, ...]:
            wait_s = job_actions.wait_for(state.settings)
            return job_actions.act(
                self._tools.run, change, callbacks, dry_run=dry_run, known=state.jobs, wait_s=wait_s
            )

        words = f"{change.verb} {count_words(count_of(change, state.jobs), 'job')}"
        return self._do_or_stop(stop, words, task, () if dry_run else _JOB_PARTS)

    def act_on_nodes(
        self, change: NodeChange, who: str, why: str = "", *, dry_run: bool = False, undoes: str = ""
    ) -> Future[tuple[ActionReport, ...]]:
        """Act on nodes of the cluster and check the results."""
        author, stop = self._author(who, why, undoes), Stop()
        audited = partial(node_actions.audited, change, author=author)
        sent = partial(node_actions.sent, change, author=author)
        callbacks = self._callbacks(audited, sent, stop, dry_run=dry_run)
        is_captured = captured_folder(self.place.prefix) is not None
        known = self.state().nodes if is_captured else None
        task = partial(node_actions.act, self._tools.run, change, callbacks, dry_run=dry_run, known=known)
        words = f"{change.verb} {count_words(len(change.nodes), 'node')}"
        return self._do_or_stop(stop, words, task, () if dry_run else _JOB_PARTS)

    def ask(self, question: Callable[[Run], T]) -> Future[T]:
        """Call a function that reads, in the thread of questions."""
        return self._of_questions.submit(lambda: question(self._tools.run))

    def default_accounts(self, users: Collection[str]) -> Future[Mapping[str, str]]:
        """Return the default accounts of some users, read now."""

        def task() -> Mapping[str, str]:
            cluster = self._reader.cluster or self.state().name
            return read_defaults(self._tools.run, cluster, users, limit_s=change_set_applier.LIMIT_S)

        return self._of_questions.submit(task)

    def stop_applying(self) -> None:
        """Skip the changes that have not begun, of all change sets that are being applied or wait for
        that.
        """
        for stop in tuple(self._stops):
            stop.stop()

    def stop_acting(self) -> None:
        """Skip the jobs and nodes that were not sent yet, of all actions that are on their way."""
        for stop in tuple(self._stops_of_jobs):
            stop.stop()

    def priority_of(self, job: str) -> Future[PriorityReport]:
        """Return the parts of a pending job's priority; an older question not begun is cancelled."""
        self._priority.cancel()
        self._priority = self._of_priorities.submit(
            lambda: read_priority(self._tools.run, job, self.state().jobs, now_s=self._clock)
        )
        return self._priority

    def note(self, action: str, on: str, before: str, after: str, who: str, why: str = "") -> None:
        """Write an action of the console itself into the audit log."""
        self._audit.add(Author(who, why).row(action, on, before, after, Result.DONE, ""))

    def close(self, *, wait: bool = False) -> None:
        """End the readings; pending changes are still read back and logged."""
        with self._wake:
            is_first, self._is_closed = not self._is_closed, True
            self._wake.notify()
            is_idle = not self._doing
        self.stop_applying()
        self.stop_acting()
        if is_idle:
            self._tools.close()
        if is_first:
            self._ender.start()
        if wait:
            self._ender.join(_CLOSE_MOST_S)

    # -- in threads of the target ---------------------------------------------------------------------------

    def _end(self) -> None:
        """Finish so that the log has all actions and no process is left."""
        self._of_tree.close(_CLOSE_S)
        self._tools.close()
        self._tools.close_shared()
        for executor in (self._of_tree, self._of_jobs, self._of_priorities, self._of_questions):
            executor.close(_CLOSE_S)
        self._audit.close()
        self._thread.join(_CLOSE_S)

    def _work(self) -> None:
        while True:
            with self._wake:
                if self._is_closed:
                    return
                parts = self._may_begin(time.monotonic())
                if not parts:
                    self._wake.wait(self._rest_s(time.monotonic()))
            for part in parts:
                self._begin(part)
            self._board.look()

    def _may_begin(self, now_s: float) -> list[PartName]:
        """Return the due parts, as far as few enough are being read; those are marked as begun."""
        busy = sum(now_s - began_s < _HANGS_S for began_s in self._reading.values())
        parts = self._pace.due(now_s)[: max(AT_ONCE - busy, 0)]
        for part in parts:
            self._pace.began(part, now_s)
            self._reading[part] = now_s
        return parts

    def _rest_s(self, now_s: float) -> float:
        until_due_s = self._pace.soonest_s() - now_s
        if self._reading:
            return min(max(until_due_s, 0.05), _LOOK_S)
        return min(max(until_due_s, 0.0), 60.0)

    def _begin(self, part: PartName) -> None:
        self._board.began(part)
        name = f"slurm cluster: {part}"
        threading.Thread(target=self._read, args=(part,), name=name, daemon=True).start()

    def _read(self, part: PartName) -> None:
        problem, fields, busy_s, fault = "", dict[str, Any](), None, None
        try:
            found = self._reader.read(part)
            busy_s = found.took_s
            self._take(part, found)
        except HiddenError as error:
            problem, fields = str(error), {"shown": error.shown}
        except OtherOrderError as error:
            problem = str(error)
            self._identify(error.cluster, error.printed)
        except ToolError as error:
            problem, fault = str(error), error.fault
        except Exception as error:  # noqa: BLE001 (a fault of ours is shown at the part, and the others go on)
            problem = f"{type(error).__name__}: {error}"
            self._reader.forget(part)
        if problem:
            self._fail(part, problem, **fields)
        if fault is not None:
            self._fail_others(part, problem)
        if fault is not self.state().fault:
            self._board.change(fault=fault)
        connection = self._tools.connection
        if connection.facts is not None and connection != self.state().connection:
            self._board.change(connection=connection)
        self._board.link_s = self._tools.link_s
        with self._wake:
            now_s = time.monotonic()
            self._reading.pop(part, None)
            self._pace.ended(part, now_s, failed=bool(problem), busy_s=busy_s, fault=fault)
            if self.state().captured_s is None:
                self._board.due(part, self._clock() + self._pace.next_s(part) - now_s)
            self._wake.notify()

    def _take(self, part: PartName, found: Found) -> None:
        if part is PartName.SETTINGS and found.value is not None:
            self._identify(found.value.cluster, found.value.values)
            with self._wake:
                self._pace.calc_period_s = found.value.calc_period_s or self._pace.calc_period_s
        if part is PartName.TREE and found.value is not None:
            self._reader.stored = found.value
            # The next reading of sshare needs only the names, and may take long, so it can start now.
            with self._wake:
                self._pace.tried(part)
                self._wake.notify()
        fields = self._model.take(part, found, self._reader.cluster)
        if part is PartName.USAGE:
            fields |= {"shown": None}
        notes = None if found.value is None else found.notes
        took_s = found.took_s if self.state().captured_s is None else 0.0
        self._board.read(part, found.began_s, took_s, notes, **fields)
        if part is PartName.USAGE and self.state().parts[PartName.TREE].problem:
            self._without_database()
        if self.state().captured_s is None:
            self._check_unknown(part, found.began_s)

    def _identify(self, cluster: str, settings: Mapping[str, str]) -> None:
        """Take the name of the cluster, and its place: later readings are of the same, wherever it moves."""
        self._reader.cluster = cluster
        fields: dict[str, Any] = {"name": cluster or place_name(self.place)}
        if not self._is_settled:
            self._is_settled = True
            where, said = settle(cluster, place_key(self.place), settings)
            fields |= {"place": where, "claimed": said}
            self._audit.open(cluster, where)
        self._board.change(**fields)

    def _check_unknown(self, part: PartName, began_s: float) -> None:
        """Log the unknown results that a reading decides."""
        author = self._author(unknown_outcomes.CONSOLE, "")
        cluster = self._reader.cluster or self.state().name
        read = partial(read_defaults, self._tools.run, cluster, limit_s=change_set_applier.LIMIT_S)
        rows = unknown_outcomes.decide(self.state(), part, began_s, author, read)
        for row in rows:
            self._audit.add(row)
        if rows:
            self._board.change(checked=(*self.state().checked, *rows))

    def _fail(self, part: PartName, problem: str, **fields: Any) -> None:
        if self._is_closed:
            return
        self._board.failed(part, problem, **fields)
        if part is PartName.TREE:
            self._without_database()

    def _fail_others(self, part: PartName, problem: str) -> None:
        """Note a fault of the link at all parts that are not being read."""
        parts = self.state().parts
        with self._wake:
            others = [other for other in PartName if other is not part and other not in self._reading]
        for other in others:
            # Usage is read as seldom as Slurm recalculates it.
            if other is not PartName.USAGE or parts[other].as_of_s is None:
                self._fail(other, problem)

    def _without_database(self) -> None:
        fields = self._model.without_database(self._reader.cluster)
        if fields:
            self._board.change(**fields)

    def _do(
        self, executor: SerialExecutor, words: str, task: Callable[[], Any], parts: Sequence[PartName]
    ) -> Future[Any]:
        def watched() -> Any:
            self._report_progress(words, words)
            try:
                return task()
            finally:
                self._report_progress(words, "")
                if parts:
                    self.refresh(*parts)

        return executor.submit(watched)

    def _do_or_stop(
        self, stop: Stop, words: str, task: Callable[[], Any], parts: Sequence[PartName]
    ) -> Future[Any]:
        self._stops_of_jobs.append(stop)
        future = self._do(self._of_jobs, words, task, parts)
        future.add_done_callback(lambda _: self._stops_of_jobs.remove(stop))
        return future

    def _author(self, who: str, why: str, undoes: str = "") -> Author:
        return Author(who, why, self.place.prefix, self._tools.remote_user, undoes)

    def _callbacks(
        self,
        audited: Callable[[ActionReport], AuditRow],
        sent: Callable[[str, Sequence[str]], AuditRow],
        stop: Stop,
        progress: JobProgress | None = None,
        *,
        dry_run: bool,
    ) -> ActionCallbacks:
        def report_done(report: ActionReport) -> None:
            if not dry_run:
                self._audit.add(audited(report))

        def begin(on: str, command: tuple[str, ...]) -> str:
            return self._log(sent(on, command))

        on_sent = progress or (lambda _jobs, _of: None)
        return ActionCallbacks(report_done, begin, self._tools.closed.wait, stop, on_sent)

    def _log(self, row: AuditRow) -> str:
        """Write the row before a command; why that is not to be sent, empty where it may be."""
        problem = self._audit.add_now(row)
        if not problem or self.may_act_unlogged:
            return ""
        return f"{problem}. Nothing is run without a log. Make room for it, or set XDG_STATE_HOME"

    def _report_progress(self, key: str, words: str) -> None:
        with self._wake:
            self._doing.pop(key, None)
            if words:
                self._doing[key] = words
            self._board.change(doing="; ".join(self._doing.values()))

    def _report_audit(self, rows: tuple[AuditRow, ...], problem: str) -> None:
        self._board.change(audit=rows, audit_problem=problem)
