"""The dialog for the start of a branch."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from fsconsole.app.runs.branches import Start
from fsconsole.app.runs.changes import ChangeTexts
from fsconsole.console.kit.changes_field import Before, ChangesField
from fsconsole.console.kit.forms import FieldLine, FormDialog, TypedField
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.text.durations import clock, length_words, typed_seconds

Ask = Callable[[float, ChangeTexts], Future[Start]]
Begin = Callable[[Start, float, float], object]
_TIME_PX = 120


class BranchDialog(FormDialog):
    """Where the branch leaves its run, what is changed there, and where it ends."""

    def __init__(
        self,
        of: str,
        before: Before,
        ask: Ask,
        begin: Begin,
        window: QWidget,
        *,
        at_s: float,
        until_s: float,
        first_s: float,
        last_s: float,
    ) -> None:
        """Ask for a branch of a run that goes from `first_s` to `last_s`.

        Args:
            of: what the run is called.
            before: the run with its tree and settings at the instant that is shown.
            ask: gives the state at a time once changes are found to be right there.
            begin: begins a branch with that, from a time up to another.
            window: the dialog stands over it.
            at_s: the instant that is shown.
            until_s: the end that is proposed.
            first_s: where the run begins.
            last_s: where it has come to.
        """
        super().__init__(f"Branch from {of}", window)
        self._ask, self._begin = ask, begin
        self._first_s, self._last_s = first_s, last_s
        self._tasks = Tasks(self)
        tip = "Simulated time since the start, such as 00:09:20, 90 s, 10 min or 1.5 h"
        self.at = TypedField("Begin", typed_seconds, _TIME_PX, write=clock, tip=tip)
        self.until = TypedField("End", typed_seconds, _TIME_PX, write=clock, tip=tip)
        self._proposed = (at_s, until_s)
        self.at.fill(at_s)
        self.until.fill(until_s)
        for time in (self.at, self.until):
            time.setCursorPosition(0)
        self.changes = ChangesField(
            before, self, empty="No changes yet: a branch without changes repeats the run."
        )
        hint = MutedLabel(
            "The run itself does not change. Settings and shares take effect at the next delta.", self
        )
        self.lay_out(
            "Run branch",
            ("&Change", self.changes),
            ("&Begin", FieldLine(("", self.at, ""))),
            ("&End", FieldLine(("", self.until, ""))),
            below=(hint,),
        )
        for field in (self.at, self.until, self.changes):
            field.changed.connect(self._on_edited)

    def accept(self) -> None:
        if self.refuses_any(self.at, self.until):
            return
        at_s, until_s = (
            proposed
            if field.text() == clock(proposed)
            else field.read()  # The text has seconds, but the instant is exact to the tick.
            for field, proposed in zip((self.at, self.until), self._proposed, strict=True)
        )
        if not self._first_s <= at_s <= self._last_s:
            span = f"{length_words(self._first_s)} to {length_words(self._last_s)}"
            self.refuse(self.at, f"The run covers {span}. Choose a time within it.")
            return
        if until_s <= at_s:
            self.refuse(self.until, f"Choose an end after {length_words(at_s)}.")
            return
        try:
            texts = self.changes.read()
        except ValueError as error:
            self.show_problem(str(error))
            return
        self.buttons.setEnabled(False)
        self._tasks.watch(
            self._ask(at_s, texts), lambda start: self._on_start(start, at_s, until_s), self._on_error
        )

    @Slot()
    def _on_edited(self) -> None:
        """Withdraw the question whether a branch can begin: it was about other entries."""
        self.clear_problem()
        self._tasks.cancel()
        self.buttons.setEnabled(True)

    def _on_start(self, start: Start, at_s: float, until_s: float) -> None:
        self._begin(start, at_s, until_s)
        super().accept()

    def _on_error(self, error: Exception) -> None:
        self.buttons.setEnabled(True)
        self.show_problem(describe_error(error))
