"""The notice while actions go to a target."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QPushButton, QWidget

from fsconsole.console.arming import Arming
from fsconsole.console.style.fonts import semibold, tabular_font
from fsconsole.console.style.theme import colour, theme
from fsconsole.console.widgets.labels import RichLabel
from fsconsole.console.widgets.strip import Importance, Notice
from fsconsole.text import durations

_SPENT_S = 60  # Remaining seconds from which the countdown has the danger colour.


class ArmedBar(Notice):
    """Target, author and remaining time of armed actions; not wanted while the console is read-only."""

    def __init__(
        self, sentence: str, short: str, name: Callable[[], str], parent: QWidget | None = None
    ) -> None:
        """Prepare the sentences that it shows, with slots for the {target} called `name` and the {author}.

        `short` is shown where `sentence` does not have room.
        """
        super().__init__("warnbg", "armed", "warn", Importance.ARMED, parent)
        self.setAccessibleName("Armed")
        self._sentences, self._name = (sentence, short), name
        self._arming: Arming | None = None
        self._left = RichLabel(self)
        self._left.setFont(tabular_font("base"))
        self._left.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._reserve()
        self.keep = QPushButton("Keep armed", self)
        self.disarm = QPushButton("Disarm", self)
        for widget in (self._left, self.keep, self.disarm):
            self.line.addWidget(widget)
        self.keep.clicked.connect(self._keep)
        self.disarm.clicked.connect(self._disarm)
        theme().changed.connect(self.follow)

    def _reserve(self) -> None:
        """Leave room for the longest countdown, so that nothing moves with it."""
        metrics = QFontMetrics(semibold(self._left.font()))
        self._left.setMinimumWidth(metrics.horizontalAdvance(f"Read-only in {durations.length_words(3599)}"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_left"):
            self._reserve()

    def watch(self, arming: Arming | None) -> None:
        """Show another arming. The former one ends with its target, and so do its signals."""
        if arming is not self._arming:
            self._arming = arming
            if arming is not None:
                arming.changed.connect(self.follow)
                arming.ticked.connect(self._on_ticked)
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Show the present state."""
        arming = self._arming
        self.set_wanted(wanted=arming is not None and arming.is_armed)
        if arming is None:
            return
        armed = f"<b style='color:{colour('warn').name()}'>Armed.</b>"
        target, author = (f"<b>{escape(name)}</b>" for name in (self._name(), arming.choices.who))
        texts = [sentence.format(target=target, author=author) for sentence in self._sentences]
        self.words.setText(*(f"{armed}&nbsp;&nbsp; {text}" for text in texts))
        self._on_ticked()

    @Slot()
    def _on_ticked(self) -> None:
        left_s = self._arming.left_s if self._arming is not None else 0.0
        left = durations.length_words(left_s)
        token = "danger" if left_s <= _SPENT_S else "text"
        self._left.setText(f"Read-only in <b style='color:{colour(token).name()}'>{left}</b>")

    @Slot()
    def _keep(self) -> None:
        if self._arming is not None:
            self._arming.keep()

    @Slot()
    def _disarm(self) -> None:
        if self._arming is not None:
            self._arming.disarm()
