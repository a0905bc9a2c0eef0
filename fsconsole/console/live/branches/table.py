"""The tree of branches as a table, each below the one that it leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QWidget

from fsconsole.console.kit.tables import Column, RowModel, Table
from fsconsole.console.preferences import Preferences
from fsconsole.console.style.sizes import row_px
from fsconsole.text.durations import clock
from fsconsole.text.numbers import percent

if TYPE_CHECKING:
    from fsconsole.app.runs.branches import LiveBranch

_INDENT = "    "
_STATES = {"waiting": "Waiting", "done": "Done", "cancelled": "Cancelled", "failed": "Failed"}


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch as it is just now, or the run itself."""

    branch: LiveBranch | None
    depth: int = 0
    reached_s: float = 0.0
    state: str = ""

    @classmethod
    def of(cls, branch: LiveBranch, depth: int) -> BranchRow:
        """Return the row of a branch below others."""
        span_s = branch.until_s - branch.at_s
        done = percent((branch.reached_s - branch.at_s) / span_s, 0)
        state = _STATES.get(branch.state, done)
        return cls(branch, depth + 1, branch.reached_s, state)


def _name(row: BranchRow) -> str:
    return "This run" if row.branch is None else f"{_INDENT * row.depth}{row.branch.name}"


def _changes(row: BranchRow) -> str:
    return "" if row.branch is None else row.branch.changed


def _state(row: BranchRow) -> str:
    if row.branch is None or not row.branch.problem:
        return row.state
    return f"{row.state}. {row.branch.problem}"


_COLUMNS: tuple[Column[BranchRow], ...] = (
    Column("Branch", _name, width=170),
    Column("Begin", lambda row: "" if row.branch is None else clock(row.branch.at_s), width=90),
    Column("Reached", lambda row: clock(row.reached_s), width=90),
    Column("Changes", _changes, width=360),
    Column("State", _state, ink=lambda row: "danger" if row.state == "Failed" else "", width=120),
)


class BranchTable(Table[BranchRow]):
    """The run on top; the selected branch is the one that is shown."""

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        model = RowModel(_COLUMNS, key=lambda row: 0 if row.branch is None else row.branch.number)
        super().__init__(model, "Branches", parent, preferences, "observe/branches")
        self.setSelectionMode(self.SelectionMode.SingleSelection)
        self.menu_of: Callable[[QPoint], None] = lambda _at: None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        self.menu_of(event.globalPos())

    def sizeHint(self) -> QSize:
        return QSize(840, row_px() * 6)
