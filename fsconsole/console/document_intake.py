"""Lets the open document follow its target: what comes from there is not sent there again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal

from fsconsole.app.edit_words import touched
from fsconsole.console.document import Document
from fsconsole.console.external_changes import OutsideChanges, follow
from fsconsole.targets.snapshot import Snapshot


class DocumentIntake(QObject):
    """Takes instants of the machine, and what others have done to it, into the document.

    Attributes:
        outside: what came from elsewhere to the target that is looked at.
        is_on: whether the document changes because of its target just now.

    Signals: taken_in(ids of nodes that others have changed); conflicted(what met a change made here);
    message(text) for the status bar.
    """

    taken_in = Signal(object)
    conflicted = Signal(str)
    message = Signal(str)

    def __init__(self, document: Callable[[], Document | None], parent: QObject) -> None:
        """`document` gives the open document."""
        super().__init__(parent)
        self._document = document
        self.outside = OutsideChanges()
        self.is_on = False

    @contextmanager
    def taking_in(self) -> Iterator[None]:
        """Let the document change without sending that to the target."""
        before, self.is_on = self.is_on, True
        try:
            yield
        finally:
            self.is_on = before

    def show_past(self, snapshot: Snapshot) -> None:
        """Let the document show an instant that has passed."""
        if (document := self._document()) is not None:
            with self.taking_in():
                document.show_past(snapshot)

    def show_present(self) -> None:
        """Let the document show what is edited again."""
        if (document := self._document()) is not None:
            with self.taking_in():
                document.show_present()

    def take_in(self, snapshot: Snapshot) -> None:
        """Let the document follow what others have done to the machine."""
        if (document := self._document()) is None:
            return
        with self.taking_in():
            document.follow_newest(snapshot)
        for arrival in self.outside.arrived(snapshot):
            with self.taking_in():
                conflict = follow(document, arrival)
            self.taken_in.emit(touched(arrival.edits))
            if conflict:
                self.conflicted.emit(conflict)
            else:
                self.message.emit(f"From outside: {arrival.change.line}")
