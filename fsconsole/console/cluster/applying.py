"""A change set on its way to the cluster; the window hears of each row and of the end."""

from __future__ import annotations

import time
from concurrent.futures import Future

from PySide6.QtCore import QObject, Signal, Slot

from fsconsole.console.cluster.session import ClusterSession
from fsconsole.slurm.change_set import ChangeSet
from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport


class Applying(QObject):
    """One change set that is being applied, or only printed.

    Attributes:
        began_s: when it began, as `time.monotonic` counts.
        report: what came of it; None while it runs.

    Signals: progressed(ChangeReport) after each change, ended() at the end, with `report` or `fault`.
    """

    progressed = Signal(object)
    ended = Signal()
    _finished = Signal()  # from the target's thread

    def __init__(self, cluster: ClusterSession, changes: ChangeSet, why: str, parent: QObject) -> None:
        super().__init__(parent)
        self._cluster, self._changes, self._why = cluster, changes, why
        self._asked: Future[ApplyReport] | None = None
        self._tell = _Telling(self)
        self.began_s = time.monotonic()
        self.report: ApplyReport | None = None
        self.fault = ""
        self._tell.told.connect(self.progressed)
        self._tell.finished.connect(self._end)

    def start(self, *, dry_run: bool = False) -> None:
        """Begin; nothing here asks whether one may."""
        cluster = self._cluster
        cluster.is_applying = not dry_run
        who = cluster.arming.choices.who
        tell = self._tell
        self._asked = cluster.target.apply(
            self._changes, who, self._why, dry_run=dry_run, progress=tell.told.emit
        )
        self._asked.add_done_callback(lambda _: tell.finished.emit())

    def stop(self) -> None:
        """Leave what has not begun."""
        self._cluster.target.stop_applying()

    @property
    def runs_s(self) -> float:
        """For how long it has been running."""
        return time.monotonic() - self.began_s

    @Slot()
    def _end(self) -> None:
        if self._asked is None or self.report is not None or self.fault:
            return
        self._cluster.is_applying = False
        try:
            self.report = self._asked.result(timeout=0)
        except Exception as error:  # noqa: BLE001 (said in the dialog)
            self.fault = f"It broke off: {error}. Read the cluster again to see what was done."
        self.ended.emit()


class _Telling(QObject):
    """Carries what the target's thread says to the window's: signals of an object that lives there."""

    told = Signal(object)
    finished = Signal()


def counted(rows: tuple[ChangeReport, ...]) -> str:
    """How many of each result, in words: 3 done, 1 refused."""
    words = [str(row.result) for row in rows]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
