"""The change set as a table: what is done to what, before and after, and its command."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QTreeView

from fsconsole.console.cluster.staged import Gain, Staged
from fsconsole.console.look import icons
from fsconsole.console.look.fonts import fixed_font
from fsconsole.console.look.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.slurm.change_set import Change, Refusal
from fsconsole.targets.slurm.reports import ChangeReport, Result
from fsconsole.text import numbers

_Index = QModelIndex | QPersistentModelIndex
_NO_INDEX = QModelIndex()
_Role = Qt.ItemDataRole
TITLES = ("Change", "On", "Before", "After", "FairShare", "Result", "Command")
CHANGE, ON, BEFORE, AFTER, FAIRSHARE, RESULT, COMMAND = range(7)
DIGITS = 6  # as sshare prints fairshares

_RESULTS = {
    Result.DONE: ("ok", "ok", "Done"),
    Result.REFUSED: ("warning", "danger", "Refused"),
    Result.DIFFERENT: ("warning", "warn", "Different"),
    Result.UNKNOWN: ("warning", "warn", "Unknown"),
    Result.NOT_TRIED: ("", "muted", "Not tried"),
    Result.DRY_RUN: ("", "muted", "Not sent"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One row: a change, or an edit that cannot be told; what came of it once it was tried.

    Attributes:
        state: "" before it is tried, "running" while it is.
    """

    what: Change | Refusal
    gain: Gain | None = None
    report: ChangeReport | None = None
    state: str = ""

    @property
    def node(self) -> int:
        """The node that it is about."""
        return self.what.node


def lines_of(staged: Staged) -> list[Line]:
    """Refusals first, since they keep the rest from being applied."""
    every: list[Change | Refusal] = [*staged.changes.refusals, *staged.changes.changes]
    return [Line(one, staged.gains.get(one.node)) for one in every]


def shell_text(command: Sequence[str]) -> str:
    """A command as it would be typed into a shell."""
    return shlex.join(command)


class ChangeModel(QAbstractTableModel):
    """Shows lines; a command in a fixed font, results with icon and word."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lines: list[Line] = []
        self._prefix: tuple[str, ...] = ()
        self._by_role: Mapping[int, Any] = {
            _Role.DisplayRole: self._text,
            _Role.ToolTipRole: self._tip,
            _Role.DecorationRole: self._icon,
            _Role.ForegroundRole: self._ink,
            _Role.FontRole: lambda _, column: fixed_font() if column == COMMAND else None,
            CopyRole: self._text,
        }

    @property
    def lines(self) -> list[Line]:
        """All rows."""
        return self._lines

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Replace all rows."""
        if list(lines) != self._lines:
            self.beginResetModel()
            self._lines = list(lines)
            self.endResetModel()

    def put_line(self, row: int, line: Line) -> None:
        """Replace one row."""
        self._lines[row] = line
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(TITLES) - 1))

    # -- cells ----------------------------------------------------------------------------------------------

    def _text(self, line: Line, column: int) -> str:
        what = line.what
        if isinstance(what, Refusal):
            return f"{what.on} cannot be applied: {what.why}" if column == CHANGE else ""
        match column:
            case 0:
                return what.verb
            case 1:
                return what.on
            case 2:
                return what.before
            case 3:
                return what.after
            case 4:
                return _gain_words(line.gain)
            case 5:
                return _result_words(line)
        return shell_text(what.command)

    def _tip(self, line: Line, column: int) -> str:
        what = line.what
        if isinstance(what, Refusal):
            return what.why
        if column == FAIRSHARE and line.gain is not None:
            return gain_tip(line.gain)
        more = (what.obstacle, *what.notes) if column in (CHANGE, ON, RESULT) else ()
        return "\n".join(filter(None, (self._text(line, column), *more)))

    def _icon(self, line: Line, column: int) -> Any:
        if isinstance(line.what, Refusal):
            return icons.icon("warning", "danger") if column == CHANGE else None
        if column == RESULT and line.report is not None:
            name, token, _ = _RESULTS[line.report.result]
            return icons.icon(name, token) if name else None
        if column == CHANGE and line.what.obstacle and line.report is None:
            return icons.icon("warning", "danger")
        if column == CHANGE and line.what.notes and line.report is None:
            return icons.icon("warning", "warn")
        return None

    def _ink(self, line: Line, column: int) -> Any:
        if isinstance(line.what, Refusal):
            return colour("danger")
        if column == RESULT and line.report is not None:
            return colour(_RESULTS[line.report.result][1])
        return colour("muted") if column in (BEFORE, RESULT) else None

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def rowCount(self, parent: _Index = _NO_INDEX) -> int:
        """Rows at the top alone."""
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: _Index = _NO_INDEX) -> int:
        """One for each title."""
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: _Index, role: int = _Role.DisplayRole) -> Any:
        """Text, icon, ink, font and alignment of a cell."""
        if not index.isValid():
            return None
        if role == _Role.TextAlignmentRole and index.column() in (BEFORE, AFTER, FAIRSHARE):
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        found = self._by_role.get(role)
        return found(self._lines[index.row()], index.column()) if found is not None else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _Role.DisplayRole) -> Any:
        """The titles, aligned like their columns."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(TITLES):
            return None
        if role == _Role.DisplayRole:
            return TITLES[section]
        if role == _Role.ToolTipRole and section == FAIRSHARE:
            return (
                "Last calculated, as sshare prints it \N{RIGHTWARDS ARROW} next calculation, with the changes"
            )
        if role == _Role.TextAlignmentRole and section in (BEFORE, AFTER, FAIRSHARE):
            return Qt.AlignmentFlag.AlignRight
        return None


def span_refusals(table: QTreeView, model: ChangeModel) -> None:
    """Let the sentence of what cannot be told go over the whole row."""
    for row, line in enumerate(model.lines):
        table.setFirstColumnSpanned(row, QModelIndex(), isinstance(line.what, Refusal))


def fairshare_words(value: float) -> str:
    """A fairshare as sshare prints it."""
    return numbers.fixed(value, DIGITS)


def _gain_words(gain: Gain | None) -> str:
    if gain is None:
        return ""
    return f"{fairshare_words(gain.last)} \N{RIGHTWARDS ARROW} {fairshare_words(gain.after)}"


def gain_tip(gain: Gain) -> str:
    """The three fairshares of one association, each by its name."""
    return "\n".join(
        (
            f"Last calculated (sshare): {fairshare_words(gain.last)}",
            f"Next calculation, unchanged: {fairshare_words(gain.before)}",
            f"Next calculation, with the changes: {fairshare_words(gain.after)}",
        )
    )


def _result_words(line: Line) -> str:
    if line.report is None:
        return "running" if line.state == "running" else ""
    if line.report.result is Result.DRY_RUN and line.report.text:
        return line.report.text[:1].upper() + line.report.text[1:]
    word = _RESULTS[line.report.result][2]
    return f"{word}: {line.report.text}" if line.report.text else word
