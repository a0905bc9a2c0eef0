"""A dock's content that is another one while a cluster is open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.late import Late


class Either(QStackedWidget):
    """Shows `machine`, or what `make` gives, which is made when it is first seen."""

    def __init__(
        self,
        session: ConsoleSession,
        machine: QWidget,
        make: Callable[[QWidget], QWidget],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._machine = machine
        self.late = Late(make, QSize(200, 60))
        self.addWidget(machine)
        self.addWidget(self.late)
        session.document_changed.connect(self._choose)
        self._choose()

    @Slot()
    def _choose(self) -> None:
        self.setCurrentWidget(self._machine if self._session.offer(CLUSTER) is None else self.late)

    def minimumSizeHint(self) -> QSize:
        """What the content in front needs."""
        return self.currentWidget().minimumSizeHint()

    def sizeHint(self) -> QSize:
        """What the content in front wants."""
        return self.currentWidget().sizeHint()
