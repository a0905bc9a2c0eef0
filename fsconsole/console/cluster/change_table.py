"""The change set as a table: what is done to what, before and after, and its command."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QTreeView

from fsconsole.app.cluster.preview import ChangeSetPreview, Gain
from fsconsole.console.kit.tables import Column, RowModel
from fsconsole.console.style.fonts import fixed_font
from fsconsole.console.style.result_marks import RESULT_MARKS
from fsconsole.recording.audit import Result
from fsconsole.slurm.change_set import Change, Refusal
from fsconsole.targets.slurm.reports import ChangeReport
from fsconsole.text import numbers
from fsconsole.text.words import capitalised

DIGITS = 6  # Digits of fairshare in sshare's output.


@dataclass(frozen=True, slots=True)
class Line:
    """A row: a change or an impossible edit, and its result.

    Attributes:
        state: "" before it is tried, then `RUNNING` and `SENT` until there is a report.
    """

    what: Change | Refusal
    gain: Gain | None = None
    report: ChangeReport | None = None
    state: str = ""

    @property
    def node(self) -> int:
        """The node that it is about."""
        return self.what.node


def lines_of(staged: ChangeSetPreview) -> list[Line]:
    """Return the lines, refusals first, since they keep the rest from being applied."""
    every: list[Change | Refusal] = [*staged.changes.refusals, *staged.changes.changes]
    return [Line(one, None if _is_limit(one) else staged.gains.get(one.node)) for one in every]


def _is_limit(change: Change | Refusal) -> bool:
    """Return True if a change sets a limit, which changes no fairshare."""
    return isinstance(change, Change) and bool(change.limit)


def shell_text(command: Sequence[str]) -> str:
    """Return a command as it would be typed into a shell."""
    return shlex.join(command)


def _key(line: Line) -> Hashable:
    what = line.what
    return (what.on, what.why) if isinstance(what, Refusal) else what.command


def _of_change(say: Callable[[Change], str]) -> Callable[[Line], str]:
    """Return the text of a column; empty for a refusal, whose sentence spans the whole row."""
    return lambda line: "" if isinstance(line.what, Refusal) else say(line.what)


def _first(line: Line) -> str:
    what = line.what
    return f"{what.on} cannot be applied: {what.why}" if isinstance(what, Refusal) else what.verb


def _tip(say: Callable[[Line], str], *, has_details: bool = False) -> Callable[[Line], str]:
    def tip(line: Line) -> str:
        what = line.what
        if isinstance(what, Refusal):
            return what.why
        more = (what.obstacle, *what.notes) if has_details else ()
        return "\n".join(filter(None, (say(line), *more)))

    return tip


def _mark(line: Line) -> tuple[str, str] | None:
    if isinstance(line.what, Refusal) or (line.what.obstacle and line.report is None):
        return "warning", "danger"
    return ("warning", "warn") if line.what.notes and line.report is None else None


def _mark_of_result(line: Line) -> tuple[str, str] | None:
    return RESULT_MARKS[line.report.result] if line.report is not None else None


def _ink(token: str = "") -> Callable[[Line], str]:
    return lambda line: "danger" if isinstance(line.what, Refusal) else token


def _ink_of_result(line: Line) -> str:
    return RESULT_MARKS[line.report.result][1] if line.report is not None else "muted"


def _gain(line: Line) -> str:
    return "" if line.gain is None else _both(line.gain.last, line.gain.after)


def _gain_words(line: Line) -> str:
    if isinstance(line.what, Refusal):
        return line.what.why
    return gain_tip(line.gain) if line.gain is not None else ""


_on, _before = _of_change(lambda one: one.on), _of_change(lambda one: one.before)
_after, _command = _of_change(lambda one: one.after), _of_change(lambda one: shell_text(one.command))


def _columns() -> tuple[Column[Line], ...]:
    return (
        Column("Change", _first, tip=_tip(_first, has_details=True), icon=_mark, ink=_ink(), width=92),
        Column("On", _on, tip=_tip(_on, has_details=True), ink=_ink(), width=120),
        Column("Before", _before, tip=_tip(_before), ink=_ink("muted"), width=100, is_number=True),
        Column("After", _after, tip=_tip(_after), ink=_ink(), width=104, is_number=True),
        Column("FairShare", _gain,
               "Last calculated (sshare) → next calculation, with the changes",
               tip=_gain_words, ink=_ink(), width=148, is_number=True),
        Column("Result", _result_words, tip=_tip(_result_words, has_details=True), icon=_mark_of_result,
               ink=_ink_of_result),
        Column("Command", _command, tip=_tip(_command), ink=_ink(), font=lambda _line: fixed_font(),
               width=150),
    )  # fmt: skip


def change_model() -> RowModel[Line]:
    """Return the model of a change set; a command in a fixed font, results with icon and word."""
    return RowModel(_columns(), key=_key)


def span_refusals(table: QTreeView, model: RowModel[Line]) -> None:
    """Let the sentence of an impossible edit span the whole row."""
    for row, line in enumerate(model.rows):
        table.setFirstColumnSpanned(row, QModelIndex(), isinstance(line.what, Refusal))


def fairshare_words(value: float) -> str:
    """Return a fairshare as sshare prints it."""
    return numbers.fixed(value, DIGITS)


def _both(before: float, after: float) -> str:
    return f"{fairshare_words(before)} \N{RIGHTWARDS ARROW} {fairshare_words(after)}"


def gain_tip(gain: Gain) -> str:
    """Return the three fairshares of one association, each by its name."""
    return "\n".join(
        (
            f"Last calculated (sshare): {fairshare_words(gain.last)}",
            f"Next calculation, unchanged: {fairshare_words(gain.before)}",
            f"Next calculation, with the changes: {fairshare_words(gain.after)}",
        )
    )


def _result_words(line: Line) -> str:
    if line.report is None:
        return line.state
    if line.report.result is Result.DRY_RUN and line.report.text:
        return capitalised(line.report.text)
    word = capitalised(line.report.result)
    return f"{word}: {line.report.text}" if line.report.text else word
