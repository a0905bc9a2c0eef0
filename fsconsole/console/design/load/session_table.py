"""The sessions of a plan as a table whose counts and times are edited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from PySide6.QtWidgets import QAbstractItemView, QWidget

from fsconsole.app.load.plan import Session
from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.shares.scenario.actions import MAX_PROCESSES
from fsconsole.shares.tree import ShareTree
from fsconsole.text.durations import in_words, typed_seconds
from fsconsole.text.numbers import ungrouped

_NEVER = "–"


@dataclass(frozen=True, slots=True)
class PlannedRow:
    """A session with its number in the plan."""

    number: int
    session: Session


class SessionTable(Table[PlannedRow]):
    """Who runs what from when to when; a cell is edited by a double click."""

    def __init__(self, tree: ShareTree, parent: QWidget | None = None) -> None:
        super().__init__(RowModel(_columns(tree), key=lambda row: row.number), "Planned sessions", parent)
        trigger = QAbstractItemView.EditTrigger
        self.setEditTriggers(trigger.DoubleClicked | trigger.EditKeyPressed | trigger.AnyKeyPressed)

    def show_sessions(self, sessions: Iterable[Session]) -> None:
        """Show the sessions of a plan."""
        self.rows.set_rows([PlannedRow(number, one) for number, one in enumerate(sessions)])

    def sessions(self) -> dict[int, list[Session]]:
        """Return the present sessions, by leaf."""
        found: dict[int, list[Session]] = {}
        for row in self.rows.given:
            found.setdefault(row.session.node, []).append(row.session)
        return found

    def remove_selected(self) -> bool:
        """Take the selected sessions out of the plan; whether there were any."""
        gone = {row.number for row in self.selected()}
        self.rows.set_rows([row for row in self.rows.given if row.number not in gone])
        return bool(gone)


def _columns(tree: ShareTree) -> tuple[Column[PlannedRow], ...]:
    return (
        Column("User", lambda row: tree.node(row.session.node).name,
               full=lambda row: tree.path(row.session.node), width=150, is_name=True),
        Column("Runs", lambda row: _command(row.session), width=120, is_name=True),
        Column("Processes", lambda row: str(row.session.count), is_number=True, width=90,
               edit=lambda row, text: replace(row, session=_with_count(row.session, text))),
        Column("From", lambda row: in_words(row.session.start_s), is_number=True, width=100,
               about="Time in the run, such as 2 h",
               edit=lambda row, text: replace(row, session=_with_start(row.session, text))),
        Column("To", lambda row: _end(row.session), is_number=True, width=100,
               about="Time in the run, such as 10 h. Empty: the end of the run or of the work",
               edit=lambda row, text: replace(row, session=_with_end(row.session, text))),
        Column("CPU time of each process", lambda row: _work(row.session), is_number=True, width=120,
               about="CPU time after which a process ends"),
    )  # fmt: skip


def _command(session: Session) -> str:
    return session.process.command if session.process is not None else "logged in, no process"


def _end(session: Session) -> str:
    return _NEVER if session.end_s is None else in_words(session.end_s)


def _work(session: Session) -> str:
    work = session.process.work if session.process is not None else None
    return _NEVER if work is None or work.cpu_s is None else in_words(work.cpu_s)


def _with_count(session: Session, text: str) -> Session:
    plain = ungrouped(text.strip())
    if session.process is None or not plain.isdecimal() or not 1 <= int(plain) <= MAX_PROCESSES:
        msg = f"'{text}' is not a number of processes. Write 1 to {MAX_PROCESSES}."
        raise ValueError(msg)
    return replace(session, process=replace(session.process, count=int(plain)))


def _with_start(session: Session, text: str) -> Session:
    return _checked(replace(session, start_s=typed_seconds(text)))


def _with_end(session: Session, text: str) -> Session:
    is_open = text.strip() in ("", _NEVER)
    return _checked(replace(session, end_s=None if is_open else typed_seconds(text)))


def _checked(session: Session) -> Session:
    if session.start_s < 0 or (session.end_s is not None and session.end_s <= session.start_s):
        msg = "A session begins at 0 or later, and ends after its start."
        raise ValueError(msg)
    return session
