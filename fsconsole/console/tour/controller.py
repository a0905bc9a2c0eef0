"""Runs a tour: it does each step in the console, and explains it in a card over the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QMainWindow, QPushButton, QWidget

from fsconsole.app.study.files import example_studies
from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.connections import every
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import paint
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.style.sizes import scaled
from fsconsole.console.style.theme import colour
from fsconsole.console.tour.steps import TOURS, Step, Tour
from fsconsole.console.widgets.boxes import STRETCH, hbox, vbox
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.workspace_stack import WorkspaceStack
from fsconsole.shares.scenario.names import Names

if TYPE_CHECKING:
    from fsconsole.console.analyse.workspace import AnalyseWorkspace

_CARD_PX, _MARGIN_PX, _TOP_PX, _PEN_PX = 520, 24, 48, 3
_AGAIN_MS = 50
_SPEED = 1000.0
Deed = tuple[Callable[[], object], Callable[[], bool]]


def _at_once() -> bool:
    return True


class TourController(QObject):
    """Runs tours.

    Attributes:
        tour: the tour that runs; None while none does.
        at: which step is shown, from 0.
        is_ready: whether all of the step is done, so that the next one can begin.
    """

    def __init__(
        self,
        window: QMainWindow,
        session: ConsoleSession,
        table: ActionTable,
        stack: WorkspaceStack,
        files: FileController,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._table = window, session, table
        self._stack, self._files = stack, files
        self.tour: Tour | None = None
        self.at = 0
        self.is_ready = False
        self.card = TourCard(window)
        self.frame = _DockFrame(window, self.card)
        self.frame.moved.connect(self._place)
        self._deeds: list[Deed] = []
        self._reached = -1  # The last step that is done.
        self._left: dict[str, int] = {}  # Step at which each tour was ended.
        self._is_doing = False
        self._again = every(self, _AGAIN_MS, self._go_on)
        self.card.next.clicked.connect(self._on_next)
        self.card.back.clicked.connect(self._on_back)
        self.card.end.clicked.connect(self.end)

    def actions(self) -> list[Action]:
        """Return a row of the action table for each tour."""
        return [
            Action(
                f"tour_{tour.id}", tour.role, partial(self.start, tour), menu="Help/Tour", group="tours",
                tip=tour.about, words="tour first steps tutorial",
            )
            for tour in TOURS
        ]  # fmt: skip

    def start(self, tour: Tour) -> None:
        """Begin a tour, or continue it at the step at which it ended."""
        if self.tour is not None:
            self.end()
        self.tour = tour
        self._window.installEventFilter(self)
        at = self._left.pop(tour.id, 0)
        self._reached = at - 1
        self._show_step(at)

    @Slot()
    def end(self) -> None:
        """Leave the tour; what it opened stays open, and it can be gone on with."""
        if self.tour is not None and self.at > 0 and self.at + 1 < len(self.tour.steps):
            self._left[self.tour.id] = self.at
        self.tour = None
        self._window.removeEventFilter(self)
        self._again.stop()
        self._deeds = []
        self.card.hide()
        self.frame.follow(None)

    @property
    def step(self) -> Step | None:
        """The step that is shown."""
        return None if self.tour is None else self.tour.steps[self.at]

    # -- steps --------------------------------------------------------------------------------------------

    @Slot()
    def _on_next(self) -> None:
        if self.tour is None:
            return
        if self.at + 1 == len(self.tour.steps):
            self.end()
        else:
            self._show_step(self.at + 1)

    @Slot()
    def _on_back(self) -> None:
        """Show the step before; what was done stays done."""
        self._show_step(self.at - 1)

    def _show_step(self, at: int) -> None:
        """Show a step, and do what is not done yet: of all steps up to it where its example was left."""
        tour = self.tour
        if tour is None:
            return
        self.at = at
        self.is_ready = False
        if not self._is_open(tour):
            self._reached = -1
        elif tour.study and not self._has_study(tour):
            first = next(number for number, step in enumerate(tour.steps) if step.study)
            self._reached = min(self._reached, first - 1)
        self._deeds = [
            deed
            for number in range(self._reached + 1, at + 1)
            for deed in self._deeds_of(tour, tour.steps[number])
        ]
        self._reached = max(self._reached, at)
        self._deeds += self._views_of(tour, tour.steps[at])
        self.card.show_step(tour, at)
        self._place()
        self._again.start()
        self._go_on()

    def _is_open(self, tour: Tour) -> bool:
        document = self._session.document
        return document is not None and document.name == f"{tour.example}.yaml"

    def _has_study(self, tour: Tour) -> bool:
        study = self._analyse.study_controller.study if self._analyse.has_study else None
        return study is not None and study.path.stem == tour.study

    @Slot()
    def _go_on(self) -> None:
        """Do what is left of the step, as soon as what came before it is so."""
        if self._is_doing:  # Called within an event loop of the current step.
            return
        while self._deeds:
            do, is_done = self._deeds[0]
            self._deeds[0] = (lambda: None, is_done)
            self._is_doing = True
            try:
                do()
            finally:
                self._is_doing = False
            if self.tour is None or not is_done():
                return
            del self._deeds[0]
        self._again.stop()
        self.is_ready = True
        self.card.next.setEnabled(True)
        self.card.next.setFocus()
        self._place()

    def _deeds_of(self, tour: Tour, step: Step) -> Iterator[Deed]:
        """Yield the deeds of a step, each with the condition for the next one."""
        session, table, stack, files = self._session, self._table, self._stack, self._files
        if step.example:
            yield partial(files.open_example, f"{step.example}.yaml"), lambda: not files.is_reading
            yield partial(self._end_unless_open, tour), _at_once
        if step.study:
            path = next(path for path, _ in example_studies() if path.stem == step.study)
            yield partial(files.open_study, path), lambda: self._has_study(tour)
        yield partial(stack.show_workspace, tour.workspace), lambda: stack.current is not None
        if step.node:
            yield partial(self._select, step), _at_once
        if step.experiment:
            yield partial(self._analyse.experiment_controller.select, step.experiment), _at_once
        if step.on:
            yield partial(self._switch, step.on, is_on=True), _at_once
        if step.off:
            yield partial(self._switch, step.off, is_on=False), _at_once
        for action in step.actions:
            yield partial(table.trigger, action), self._is_idle
        if step.until_s:
            speed = session.playback.speed if session.playback is not None else 1.0
            yield partial(session.set_speed, _SPEED), _at_once
            yield session.run, partial(self._is_at, step.until_s)
            yield session.pause, lambda: not session.is_running
            yield partial(session.set_speed, speed), _at_once

    def _views_of(self, tour: Tour, step: Step) -> Iterator[Deed]:
        """Yield the deeds that bring a step into sight, each time that it is shown."""
        yield partial(self._stack.show_workspace, tour.workspace), lambda: self._stack.current is not None
        if step.page:
            yield partial(self._show_page, step.page), _at_once
        yield partial(self._frame, step), _at_once

    def _end_unless_open(self, tour: Tour) -> None:
        """End the tour where the user keeps what was open before its example."""
        if not self._is_open(tour):
            self.end()
            self._session.message.emit("The tour has ended: its example is not open.")

    def _switch(self, action: str, *, is_on: bool) -> None:
        if self._table.qaction(action).isChecked() is not is_on:
            self._table.trigger(action)

    def _is_at(self, until_s: float) -> bool:
        moment = self._session.moment
        return moment is not None and moment.time_s >= until_s

    def _select(self, step: Step) -> None:
        document = self._session.document
        if document is None:
            return
        with suppress(LookupError):  # The user kept the open document.
            node = Names(document.tree).find(step.node).id
            self._session.select((node,))
            document.edit(f"Set shares of {step.node}", step.edits(node))

    @property
    def _analyse(self) -> AnalyseWorkspace:
        return self._stack.analyse

    def _is_idle(self) -> bool:
        """Return True if neither an experiment nor a study runs."""
        if self._stack.current is None or self._stack.current.id != "analyse":
            return True
        return not self._analyse.experiment_controller.runner.is_busy and not self._has_running_study()

    def _has_running_study(self) -> bool:
        return self._analyse.has_study and self._analyse.study_controller.is_running

    def _show_page(self, page: str) -> None:
        self._analyse.study_controller.page.show_page(page)

    def _frame(self, step: Step) -> None:
        dock = self._window.findChild(Dock, step.dock) if step.dock else None
        if dock is not None:
            dock.bring_forward()
        self.frame.follow(self._analyse.study_controller.page if step.page else dock)

    # -- places -------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and self.tour is not None:
            self._place()
        return super().eventFilter(watched, event)

    @Slot()
    def _place(self) -> None:
        """Put the card where it covers least of the framed dock; at the foot of the window, if it may."""
        room = self._window.rect().adjusted(_MARGIN_PX, 0, -_MARGIN_PX, -2 * _MARGIN_PX)
        self.card.setFixedWidth(min(scaled(_CARD_PX), room.width()))
        self.card.adjustSize()
        size = self.card.size()
        tops = room.bottom() - size.height(), room.center().y() - size.height() // 2, 2 * _TOP_PX
        lefts = room.center().x() - size.width() // 2, room.left(), room.right() - size.width()
        corners = [QPoint(left, top) for top in tops for left in lefts]
        if self.frame.isVisible():
            corners += self._beside(self.frame.geometry(), room, size)
        places = [QRect(corner, size) for corner in corners]
        self.card.move(min(places, key=lambda one: (self._covered(one), self._distance(one))).topLeft())
        self.card.raise_()

    @staticmethod
    def _beside(framed: QRect, room: QRect, size: QSize) -> Iterator[QPoint]:
        """Yield corners of the card below, right, left and above of what is framed, in the window."""
        middle, gap = framed.center(), _MARGIN_PX // 3
        across, down = middle.x() - size.width() // 2, middle.y() - size.height() // 2
        for left, top in (
            (across, framed.bottom() + gap),
            (framed.right() + gap, down),
            (framed.left() - gap - size.width(), down),
            (across, framed.top() - gap - size.height()),
        ):
            yield QPoint(
                min(max(left, room.left()), room.right() - size.width()),
                min(max(top, 2 * _TOP_PX), room.bottom() - size.height()),
            )

    def _distance(self, place: QRect) -> int:
        """Return the distance of a place from the middle of the frame, in pixels; 0 if nothing is framed."""
        if not self.frame.isVisible():
            return 0
        return (place.center() - self.frame.geometry().center()).manhattanLength()

    def _covered(self, place: QRect) -> int:
        """Return the area of the framed dock that a place covers, in square pixels."""
        size = place.intersected(self.frame.geometry()).size() if self.frame.isVisible() else QSize()
        return max(size.width(), 0) * max(size.height(), 0)


class TourCard(QFrame):
    """What a step is about, and the ways on."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAccessibleName("Tour")
        self.title = PlainLabel("", self, font=ui_font("base", semibold=True))
        self.text = PlainLabel("", self, wraps=True)
        self.count = MutedLabel("", self)
        self.back, self.next, self.end = (QPushButton(word, self) for word in ("Back", "Next", "End tour"))
        self.next.setDefault(True)
        row = hbox(self.count, STRETCH, self.end, self.back, self.next, spacing=8)
        vbox(self.title, self.text, row, on=self, spacing=8, margins=(16, 12, 16, 12))
        self.hide()

    def show_step(self, tour: Tour, at: int) -> None:
        """Show a step; Next rests until it is done."""
        step, count = tour.steps[at], len(tour.steps)
        self.title.setText(step.title)
        self.text.setText(step.text)
        self.count.setText(f"{tour.role} tour, step {at + 1} of {count}")
        self.back.setEnabled(at > 0)
        self.next.setText("Done" if at + 1 == count else "Next")
        self.next.setEnabled(False)
        self.end.setVisible(at + 1 < count)
        self.setAccessibleDescription(f"{step.title}. {step.text}")
        self.show()
        self.next.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.end.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), colour("surface"))
            paint.frame(painter, self.rect(), "accent")


class _DockFrame(QWidget):
    """A frame around a dock, which lets clicks through.

    Signals: moved() when it has another place.
    """

    moved = Signal()

    def __init__(self, window: QWidget, card: QWidget) -> None:
        super().__init__(window)
        self._card = card
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._dock: QWidget | None = None
        self.hide()

    def follow(self, dock: QWidget | None) -> None:
        """Frame a dock or a page, or hide."""
        if self._dock is not None:
            self._dock.removeEventFilter(self)
        self._dock = dock
        self.setVisible(dock is not None)
        if dock is not None:
            dock.installEventFilter(self)
            self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            QTimer.singleShot(0, self, self._fit)
        return super().eventFilter(watched, event)

    @Slot()
    def _fit(self) -> None:
        dock, window = self._dock, self.parentWidget()
        if dock is None or window is None:
            return
        self.setVisible(dock.isVisible())
        corner = dock.mapTo(window, dock.rect().topLeft())
        self.setGeometry(QRect(corner, dock.size()).adjusted(-1, -1, 1, 1))
        self.stackUnder(self._card)
        self.moved.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setPen(QPen(colour("accent"), scaled(_PEN_PX)))
            inset = scaled(_PEN_PX) // 2 + 1
            painter.drawRect(self.rect().adjusted(inset, inset, -inset, -inset))
