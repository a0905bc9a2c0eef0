"""The notices about clusters."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Slot

from fsconsole.app.cluster.records import Record, history_of
from fsconsole.app.cluster.unfinished import unfinished_words
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.cluster.connection_controller import ConnectionController
from fsconsole.console.cluster.roll_back import ChangesRollBack
from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.notice_bar import NoticeBar
from fsconsole.console.notices import day_and_time
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.strip import Importance
from fsconsole.recording.audit import AuditRow
from fsconsole.targets.slurm.unknown_outcomes import checked_words
from fsconsole.text.words import count_words


class ConnectionNotice(NoticeBar):
    """A cluster is on its way; the window waits for nothing."""

    def __init__(self, connections: ConnectionController) -> None:
        super().__init__("sel", "slurm", "accent", (("Cancel", connections.cancel),), Importance.TASK)
        connections.attempt_began.connect(self.say)
        connections.attempt_ended.connect(self.put_away)


class FailedConnectionNotice(NoticeBar):
    """A cluster did not respond; stays until something is done about it."""

    def __init__(self, connections: ConnectionController, session: ConsoleSession) -> None:
        super().__init__(
            "dangerbg",
            "warning",
            "danger",
            (("Retry", connections.retry), ("Connect…", connections.ask), ("Close", self.put_away)),
            Importance.FAULT,
        )
        connections.failed.connect(self.say)
        connections.attempt_began.connect(self.put_away)
        session.document_changed.connect(self.put_away)


class StagedNotice(NoticeBar):
    """Offers edits that consoles which ended badly had staged for the cluster, one after the other."""

    def __init__(self, session: ConsoleSession) -> None:
        buttons = (("Restore", self._restore), ("Discard", self._discard))
        super().__init__("sel", "undo", "accent", buttons, Importance.QUESTION)
        self._session = session
        session.document_changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        cluster, staging = self._session.offer(CLUSTER), self._session.offer(STAGING)
        kept = staging.saved.offered if staging is not None else None
        document = self._session.document
        if cluster is None or kept is None or document is None or cluster.state.tree is None:
            self.put_away()
            return
        count = len(kept.rows)
        changes = count_words(count, "change was", "changes were")
        when = day_and_time(kept.when)
        self.say(f"{changes} staged for {cluster.name} on {when}, but not applied.")

    def _restore(self) -> None:
        if (staging := self._session.offer(STAGING)) is not None:
            self._session.message.emit(staging.restore())
        self._refresh()

    def _discard(self) -> None:
        if (staging := self._session.offer(STAGING)) is not None:
            staging.saved.discard()
        self._refresh()


class DiaryNotice(NoticeBar):
    """The diary of the cluster cannot be written; closed, it comes again when it fails again."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__("warnbg", "warning", "warn", (("Close", self.put_away),))
        self._session = session
        self._problem = ""
        session.frame.connect(self._refresh)
        session.target_changed.connect(self._refresh)

    @Slot()
    def _refresh(self) -> None:
        cluster = self._session.offer(CLUSTER)
        diary = None if cluster is None else cluster.source.diary
        problem = "" if diary is None else diary.problem
        if problem == self._problem:
            return
        self._problem = problem
        if problem:
            self.say(problem)
        else:
            self.put_away()


class _ClusterNotice(NoticeBar):
    """Notice on the state of the open cluster, until it is closed by hand."""

    def __init__(
        self,
        session: ConsoleSession,
        background: str,
        icon: str,
        token: str,
        *more: tuple[str, Callable[[], object]],
    ) -> None:
        """Create a notice with `more` buttons before Close."""
        super().__init__(background, icon, token, (*more, ("Close", self._dismiss)), Importance.RESULT)
        self._session = session
        self._cluster: ClusterSession | None = None
        session.document_changed.connect(self._follow)

    @Slot()
    def _follow(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is not self._cluster:
            self._cluster = cluster
            self._forget()
            if cluster is not None:
                cluster.changed.connect(self._refresh)
        self._refresh()

    def _forget(self) -> None:
        """Forget what was dismissed of another cluster."""

    def _refresh(self) -> None:
        raise NotImplementedError

    def _dismiss(self) -> None:
        raise NotImplementedError


class CheckedNotice(_ClusterNotice):
    """Reports unknown results that the console has decided since; stays until it is closed."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session, "sel", "ok", "accent")
        self._dismissed = 0

    def _forget(self) -> None:
        self._dismissed = 0

    @Slot()
    def _refresh(self) -> None:
        cluster = self._session.offer(CLUSTER)
        rows = cluster.state.checked[self._dismissed :] if cluster is not None else ()
        if rows:
            self.say(checked_words(rows))
        else:
            self.put_away()

    def _dismiss(self) -> None:
        cluster = self._session.offer(CLUSTER)
        self._dismissed = len(cluster.state.checked) if cluster is not None else 0
        self.put_away()


class UnfinishedNotice(_ClusterNotice):
    """Points to an apply of an earlier session that has no end in the audit log."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__(session, "warnbg", "warning", "warn", ("Roll back…", self._roll_back))
        self._dismissed = ""
        self._read: tuple[AuditRow, ...] | None = None
        self._found: Record | None = None
        self._back = ChangesRollBack(session, self)

    def _roll_back(self) -> None:
        self._back.open_unfinished()

    @Slot()
    def _refresh(self) -> None:
        cluster = self._session.offer(CLUSTER)
        if cluster is None or cluster.is_applying:
            self.put_away()
            return
        if self._read is not cluster.state.audit:
            self._read = cluster.state.audit
            self._found = history_of(self._read).unfinished
        if self._found is None or self._found.id == self._dismissed:
            self.put_away()
        else:
            self.say(" ".join(unfinished_words(self._found, cluster.state.tree)))

    def _dismiss(self) -> None:
        self._dismissed = self._found.id if self._found is not None else ""
        self.put_away()
