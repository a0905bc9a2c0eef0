"""A job as a card: who and what, its figures, and what can be done about it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from fsconsole.console.operate.controls import LengthSpin
from fsconsole.console.style.fonts import semibold, tabular_font, ui_font
from fsconsole.console.style.icons import put_icon
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.boxes import INHERIT, STRETCH, Part, hbox, vbox
from fsconsole.console.widgets.chips import Chip
from fsconsole.console.widgets.danger_buttons import DangerButton
from fsconsole.console.widgets.elided import ElidedLabel, FittingLabel
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel, RichLabel
from fsconsole.console.widgets.strip import Foot

EXTEND_MIN = 30


class Figure(QWidget):
    """A caption with a value below it, and a muted rest beside the value."""

    def __init__(self, caption: str, parent: QWidget, *, big: bool = False) -> None:
        super().__init__(parent)
        self._caption = caption
        self.value = PlainLabel("", self, font=tabular_font("figure" if big else "base", semibold=True))
        self.rest = FittingLabel(self)
        self.rest.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.rest.setMinimumWidth(1)  # The rest is hidden before the value is cut.
        line = hbox(self.value, self.rest, STRETCH, spacing=4)
        vbox(MutedLabel(caption, self, "caption"), line, on=self, spacing=1)

    def say(self, value: str, rest: str = "", token: str = "text") -> None:
        """Show other words; `token` is the value's ink."""
        self.value.setText(value)
        self.rest.say(rest)
        shade = self.value.palette()
        shade.setColor(self.value.foregroundRole(), colour(token))
        self.value.setPalette(shade)
        self.setAccessibleName(f"{self._caption} {value} {rest}".strip())


class JobTitle(RichLabel):
    """A user in bold and a job's name, whose middle is elided if there is no room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown = ("", "")
        self.setFont(ui_font("figure"))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, strong: str, rest: str = "") -> None:
        """Show a strong text and the rest after it."""
        self._shown = (strong, rest)
        self.setToolTip(" ".join(filter(None, self._shown)))
        self._elide()

    def _elide(self) -> None:
        strong, rest = self._shown
        gap = "&nbsp; " if rest else ""
        room = self.width() - QFontMetrics(semibold(self.font())).horizontalAdvance(f"{strong}   ")
        shown = self.fontMetrics().elidedText(rest, Qt.TextElideMode.ElideMiddle, max(room, 40))
        self.setText(f"<b>{escape(strong)}</b>{gap}{escape(shown)}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()


class JobCard(QWidget):
    """Title with the state as a chip, and a foot with Kill and Extend; subclasses add what is between."""

    def __init__(self, name: str, kill: str, extend: str, least_min: int = 0, most_min: int = 0) -> None:
        """`kill` and `extend` are the words of the buttons; lengths are from `least_min` to `most_min`."""
        super().__init__()
        self.setAccessibleName(name)
        self.card = QWidget(self)
        self.title = JobTitle(self.card)
        self.chip = Chip("", "ok", "run", self.card)
        self.about = ElidedLabel(self.card)
        self.kill = DangerButton(kill, self.card)
        limits = {"least": least_min, "most": most_min} if most_min else {}
        self.by = LengthSpin(EXTEND_MIN, self.card, **limits)
        self.extend = QPushButton(extend, self.card)
        put_icon(self.extend, "extend")
        vbox(self.card, on=self)

    def show_about(self, words: str) -> None:
        """Show the line below the title."""
        self.about.setText(words)
        self.about.setAccessibleName(words)
        self.about.setToolTip(words)

    def head(self) -> tuple[Part, Part]:
        """Lay out title and chip over the line below them."""
        return hbox((self.title, 1), self.chip, spacing=INHERIT), self.about

    def foot(self, side_px: int, above: Sequence[QWidget] = ()) -> QWidget:
        """Make the foot: Kill at the left, Extend at the right, never side by side; others above them."""
        foot = Foot(self.card, "")
        below = hbox(self.kill, STRETCH, MutedLabel("by", foot), self.by, self.extend, spacing=8)
        rows = (hbox(*((widget, 1) for widget in above), spacing=6), below) if above else (below,)
        vbox(*rows, on=foot, margins=(side_px, 8, side_px, 8), spacing=8)
        return foot


def enable(widget: QWidget, why_not: str, tip: str = "") -> None:
    """Enable a control, or show in its tooltip why it is disabled; `tip` is that of an enabled one."""
    widget.setEnabled(not why_not)
    widget.setToolTip(why_not or tip)
