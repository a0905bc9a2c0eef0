"""The near-dedicated queue as a table."""

from __future__ import annotations

from PySide6.QtCore import Qt

from fsconsole.app.nights.replan import free_s
from fsconsole.app.nights.times import mw
from fsconsole.console.kit.tables import Column, RowModel
from fsconsole.console.operate.nights.controller import NightController
from fsconsole.console.widgets.chips import ChipState
from fsconsole.neardedicated.view import Fit, NightView, QueueRow
from fsconsole.text import numbers
from fsconsole.text.durations import hours_minutes, length_words

ChipRole = int(Qt.ItemDataRole.UserRole) + 80
"""(state, icon) of a cell that is a chip."""

_CHIPS: dict[Fit, tuple[ChipState, str]] = {
    Fit.FITS: ("ok", "ok"),
    Fit.TOO_LONG: ("danger", "kill"),
    Fit.TAKES_CHANCES: ("warn", "warning"),
}
_KEPT_BACK: tuple[ChipState, str] = ("neutral", "locked")  # held, or not eligible


class QueueModel(RowModel[QueueRow]):
    """The rows of a night in the order of the queue."""

    def __init__(self, controller: NightController) -> None:
        self._controller = controller
        self._required = 0.0
        self._is_closing = self._is_preview = False
        super().__init__(self._made_columns(), key=lambda row: row.request)

    def show_night(self, night: NightView | None) -> None:
        """Show another night; jobs keep their selection."""
        self._required = night.required_efficiency if night is not None else 0.0
        self.set_title(self.place("fit"), fit_title(night, self._controller))
        is_closing = night is not None and night.window.closing
        if is_closing != self._is_closing:
            self._is_closing = is_closing
            self._tell_fits()
        self.set_rows(night.queue if night is not None else ())

    def preview(self, *, is_preview: bool) -> None:
        """Whether the window is being moved: what fits is dimmed, it is that of the window as it is."""
        if is_preview != self._is_preview:
            self._is_preview = is_preview
            self._tell_fits()

    def _tell_fits(self) -> None:
        self.tell_changed(self.place("fit"), self.place("why"))

    def _fits(self, row: QueueRow) -> str:
        """No promise is made while the window is closing."""
        return "Not started" if self._is_closing and row.fit in _CHIPS else row.fit.value

    def _why(self, row: QueueRow) -> str:
        return "the window is closing" if self._is_closing else row.why

    def _chip(self, row: QueueRow) -> tuple[ChipState, str]:
        state, icon = _CHIPS.get(row.fit, _KEPT_BACK)
        return ("neutral" if self._is_closing or self._is_preview else state, icon)

    def _ink_of_shown(self, row: QueueRow) -> str:
        is_low = row.shown_efficiency is not None and row.shown_efficiency < self._required
        return "danger" if is_low else ""

    def _made_columns(self) -> tuple[Column[QueueRow], ...]:
        return (
            Column("#", lambda row: str(row.place), name="place", tip=tip_of, width=46, is_number=True),
            Column("User", lambda row: row.person, tip=tip_of, width=60, is_name=True),
            Column("Job", lambda row: row.name, tip=tip_of, width=90, is_name=True),
            Column("CPU asked", lambda row: hours_minutes(row.requested_cpu_s), name="cpu", tip=tip_of,
                   full=lambda row: numbers.full(row.requested_cpu_s), width=86, is_number=True),
            Column("Estimate", lambda row: hours_minutes(row.estimate_s), tip=tip_of, width=70,
                   is_number=True),
            Column("Shown eff.", lambda row: numbers.percent(row.shown_efficiency), name="shown", tip=tip_of,
                   ink=self._ink_of_shown, width=84, is_number=True),
            Column("Fits", self._fits, name="fit", tip=tip_of, width=140, more={ChipRole: self._chip}),
            Column("Why", self._why, tip=tip_of, ink=lambda _row: "muted"),
        )  # fmt: skip


def tip_of(row: QueueRow) -> str:
    """All of a row."""
    lines = [f"Request {row.request}, {row.person} {row.name}", f"{row.fit.value}: {row.why}"]
    if row.memory_mw or row.sds_mw:
        lines.append(f"Needs {mw(row.memory_mw)} of memory, {mw(row.sds_mw)} of SDS")
    return "\n".join(lines)


def fit_title(night: NightView | None, controller: NightController) -> str:
    """What is left of the window when the next job could start: `In 4 h 30 min left at 03:00`."""
    if night is None or night.window.end_s is None:
        return "Fits"
    if night.window.closing:
        return "Closing"
    at_s = free_s(night, by_pace=False)
    if at_s >= night.window.end_s:
        return "Nothing left"
    return f"In {length_words(night.window.end_s - at_s)} left at {controller.times.short(at_s)}"
