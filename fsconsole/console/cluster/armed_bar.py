"""The strip over every workspace while the console may act on the cluster."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QLabel, QPushButton

from fsconsole.console.cluster.session import CLUSTER, ClusterSession
from fsconsole.console.look.fonts import tabular_font
from fsconsole.console.look.theme import colour, theme
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.strip import Strip
from fsconsole.figures.style import numbers

_SPENT_S = 60


class ClusterArmedBar(Strip):
    """Where actions go and as whom, for how long yet."""

    def __init__(self, session: ConsoleSession) -> None:
        super().__init__("warnbg", "armed", "warn")
        self.setAccessibleName("Armed")
        self._session = session
        self._cluster: ClusterSession | None = None
        self._left = QLabel(self)
        self._left.setFont(tabular_font("base"))
        self.keep = QPushButton("Keep armed", self)
        self.disarm = QPushButton("Disarm", self)
        for widget in (self._left, self.keep, self.disarm):
            self.line.addWidget(widget)
        self.keep.clicked.connect(self._keep)
        self.disarm.clicked.connect(self._disarm)
        session.document_changed.connect(self._watch)
        theme().changed.connect(self._follow)
        self._watch()

    @Slot()
    def _watch(self) -> None:
        """The one before ends with its cluster, and its signals with it."""
        if self._session.offer(CLUSTER) is not self._cluster:
            self._cluster = self._session.offer(CLUSTER)
            if self._cluster is not None:
                self._cluster.arming.changed.connect(self._follow)
                self._cluster.arming.ticked.connect(self._tick)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        cluster = self._cluster
        self.setVisible(cluster is not None and cluster.arming.is_armed)
        if cluster is None:
            return
        ink = colour("warn").name()
        self.words.setText(
            f"<b style='color:{ink}'>Armed.</b>&nbsp;&nbsp; Actions go to <b>{escape(cluster.name)}</b> "
            f"when you confirm them and are logged as <b>{escape(cluster.arming.choices.who)}</b>."
        )
        self._tick()

    @Slot()
    def _tick(self) -> None:
        if self._cluster is None:
            return
        left_s = self._cluster.arming.left_s
        said = numbers.minutes(left_s).removeprefix("0")
        token = "danger" if left_s <= _SPENT_S else "text"
        self._left.setText(f"Back to read-only in <b style='color:{colour(token).name()}'>{said}</b>")

    @Slot()
    def _keep(self) -> None:
        if self._cluster is not None:
            self._cluster.arming.keep()

    @Slot()
    def _disarm(self) -> None:
        if self._cluster is not None:
            self._cluster.arming.disarm()
