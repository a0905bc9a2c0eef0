"""Reference curves under the live ones: which they are, and their entry in the legend."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QSize, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFileDialog, QWidget

from fsconsole.app.reference import (
    ReferenceCurves,
    UnusableReference,
    reference_of_csv,
    reference_of_run,
    reference_of_target,
)
from fsconsole.console.actions import Action
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.live.plots.layer import Reference
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import paint
from fsconsole.console.style.theme import pale, theme
from fsconsole.console.widgets.boxes import hbox
from fsconsole.console.widgets.buttons import Switch, flat_button
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import PLAYBACK, Target
from fsconsole.text.durations import length_words
from fsconsole.text.words import listed

_FROM_BEGINNING_S = float("-inf")
_MOST_NAMED = 3
_READING = "reading"
_CSV = ("CSV (*.csv)", "All files (*)")


class ReferenceController(QObject):
    """What is laid under the live plots, for as long as its document is open.

    A run that is started over is kept as reference, unless the user chose another.

    Signals: changed() when there is another reference, none, or it is shown or hidden.
    """

    changed = Signal()

    def __init__(self, session: ConsoleSession, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._window = session, parent
        self._tasks = Tasks(self)
        self._reference: Reference | None = None
        self._is_shown = True
        self._is_chosen = False
        self._last: Target | None = None
        self.questions = Questions(parent)
        self.ask_folder: Callable[[], Path | None] = self._ask_folder
        session.document_changed.connect(self._on_document_changed)
        session.target_changed.connect(self._on_target_changed)
        self._on_target_changed()

    @property
    def reference(self) -> Reference | None:
        """The reference; None while there is none."""
        return self._reference

    @property
    def shown(self) -> Reference | None:
        """The reference as far as it is drawn."""
        return self._reference if self._is_shown else None

    def show(self, is_shown: bool) -> None:
        """Draw the reference, or keep it for later."""
        if is_shown != self._is_shown:
            self._is_shown = is_shown
            self.changed.emit()

    @Slot()
    def clear(self) -> None:
        """Show no reference curves."""
        self._tasks.cancel()
        self._is_chosen = False
        self._take(None)

    def keep_now(self) -> None:
        """Take what is recorded up to now."""
        target, document = self._session.target, self._session.document
        if target is not None and document is not None:
            name = f"{document.name} up to {length_words(target.now_s)}"
            try:
                self._take(_kept(target, name, document.tree))
                self._is_chosen = True
            except UnusableReference as error:
                self._is_chosen = False
                self._session.message.emit(str(error))

    def ask_run(self) -> None:
        """Ask for a run folder and show its curves beneath the plots."""
        folder = self.ask_folder()
        if folder is not None:
            self.read(reference_of_run, folder)

    def ask_csv(self) -> None:
        """Ask for a CSV file and show its curves beneath the plots."""
        path = self.questions.file_to_open("Reference curves", self._session.folder, _CSV)
        if path is not None:
            self.read(reference_of_csv, path)

    def read(self, read: Callable[[Path, ShareTree], ReferenceCurves], path: Path) -> None:
        """Read a file or folder; a fault is shown and the former reference stays."""
        document = self._session.document
        if document is not None:
            call = partial(read, path, document.tree.copy())
            self._session.message.emit(f"Reading {path.name}")
            self._tasks.run(call, self._on_read, self._on_unreadable, latest=_READING)

    def actions(self) -> list[Action]:
        """Return the actions on references."""
        menu, group, words = "View", "reference", "reference compare curves under baseline"
        has_target = lambda: self._session.target is not None and self._session.document is not None  # noqa: E731
        has_one = lambda: self._reference is not None  # noqa: E731
        return [
            Action(
                "reference.run", "Reference run…", self.ask_run, menu=menu, group=group, words=words,
                enabled=has_target, why_not=lambda: "Open a scenario first",
                tip="Draw the curves of a run folder under the live plots",
            ),
            Action(
                "reference.csv", "Reference CSV…", self.ask_csv, menu=menu, group=group, words=words,
                enabled=has_target, why_not=lambda: "Open a scenario first",
                tip="Draw the curves of an exported CSV file under the live plots",
            ),
            Action(
                "reference.keep", "Keep as reference", self.keep_now, menu=menu, group=group, words=words,
                enabled=has_target, why_not=lambda: "Open a scenario first",
                tip="Keep the curves so far as a reference under later curves",
            ),
            Action(
                "reference.clear", "Clear reference", self.clear, menu=menu, group=group, words=words,
                enabled=has_one, why_not=lambda: "Choose a reference first",
            ),
        ]  # fmt: skip

    # -- inside ---------------------------------------------------------------------------------------------

    def _take(self, curves: ReferenceCurves | None) -> None:
        self._reference = None if curves is None else Reference(curves.name, curves, _FROM_BEGINNING_S)
        self._is_shown = True
        self.changed.emit()

    def _on_read(self, curves: ReferenceCurves) -> None:
        self._is_chosen = True
        self._take(curves)
        message = f"Reference: {curves.name}"
        if curves.left_out:
            message += f". The tree does not have the columns {listed(curves.left_out, _MOST_NAMED)}."
        self._session.message.emit(message)

    def _on_unreadable(self, error: Exception) -> None:
        self._session.message.emit(f"No reference: {describe_error(error)}")

    @Slot()
    def _on_document_changed(self) -> None:
        """Clear the reference, whose nodes are those of another document."""
        self._last = None
        self.clear()
        self._on_target_changed()

    @Slot()
    def _on_target_changed(self) -> None:
        target, before = self._session.target, self._last
        self._last = target if target is not None and target.offer(PLAYBACK) is not None else None
        document = self._session.document
        if document is None or before is None or before is target or self._is_chosen:
            return
        runs = self._session.runs
        later, earlier = (any(run.target is before for run in kept) for kept in (runs.after, runs.before))
        length = length_words(before.now_s)
        name = f"Run after, {length}" if later else f"Run before, {length}"
        try:
            found = _kept(before, name, document.tree) if before.now_s > 0 else None
        except UnusableReference:  # The branch has not advanced yet.
            found = None
        if found is not None or later or earlier:  # The previous reference may be the run that is now shown.
            self._take(found)

    def _ask_folder(self) -> Path | None:
        chosen = QFileDialog.getExistingDirectory(self._window, "Reference run", str(self._session.folder))
        return Path(chosen) if chosen else None


class ReferenceEntry(QWidget):
    """The reference in the legend: how it is drawn, its name, on or off, and a way to be rid of it."""

    def __init__(self, curves: ReferenceController, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves = curves
        self.name = ElidedLabel(self)
        self.switch = Switch("", self)
        self.switch.setAccessibleName("Show reference")
        self.switch.setToolTip("Show the reference under the live curves")
        self.remove = flat_button("\N{MULTIPLICATION SIGN}", "Clear reference", curves.clear, self)
        hbox(
            _Sample(self), (self.name, 1), self.switch, self.remove, on=self, margins=(12, 2, 4, 2), spacing=8
        )
        self.switch.toggled.connect(curves.show)
        curves.changed.connect(self._on_changed)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        reference = self._curves.reference
        self.setVisible(reference is not None)
        if reference is not None:
            self.name.setText(f"Reference: {reference.name}")
            self.switch.setChecked(self._curves.shown is not None)


class _Sample(QWidget):
    """How reference curves are drawn."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(28, 16)
        theme().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(28, 16)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            paint.curve_sample(painter, self.rect(), pale("text"), ())


def _kept(target: Target, name: str, tree: ShareTree) -> ReferenceCurves:
    """Return the samples that a target has recorded so far; UnusableReference without any."""
    return reference_of_target(target, name, [node.id for node in tree.walk()])
