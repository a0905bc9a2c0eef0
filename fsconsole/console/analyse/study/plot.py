"""A plot of the overview: a figure under a line with its title and what the signs mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from PySide6.QtCore import QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from fsconsole.console.figure_view import FigureView
from fsconsole.console.style.fonts import tabular_font, ui_font
from fsconsole.console.style.theme import colour, pale, theme
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.figures.painted_text import draw_text
from fsconsole.figures.spec import Axis, Curve, FigureSpec, FigureStyle

LEAST = QSize(200, 110)
HEAD_PX = 24
_LEAST_TITLE_PX = 80
NOTHING = FigureSpec("nothing", "", Axis(""), ())
# Name, colour token and form.
Sign = tuple[str, str, Literal["bar", "light", "tick", "line", "dashed", "dotted"]]
_PATTERNS = {"dashed": [2.5, 1.5], "dotted": [1.0, 1.0]}  # Qt uses the width of the line as unit.


class PlotFigure(FigureView):
    """A small figure without a title of its own. Signals: clicked(place) on the x axis, from 0 on."""

    clicked = Signal(int)
    text_size = "caption"

    def __init__(
        self, parent: QWidget | None = None, *, is_named: bool = True, has_x_title: bool = True
    ) -> None:
        super().__init__(NOTHING, parent)
        self._is_named, self._has_x_title = is_named, has_x_title

    def style_shown(self) -> FigureStyle:
        """Return the style with no title except that of the x axis."""
        return replace(
            super().style_shown(),
            title=False,
            names=self._is_named,
            axis_titles="x" if self._has_x_title else "none",
        )

    def minimumSizeHint(self) -> QSize:
        return LEAST

    def sizeHint(self) -> QSize:
        return QSize(380, 160)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        at = self._sample_at(event.position().x())
        if at is not None and event.button() is Qt.MouseButton.LeftButton:
            self.clicked.emit(round(at))


class Signs(QWidget):
    """What colours and signs mean: a piece of each, and its name."""

    _GAP, _SIGN = 14, 12

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._signs: tuple[Sign, ...] = ()
        self.setFont(tabular_font("caption"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        theme().changed.connect(self.update)

    def show_signs(self, signs: Sequence[Sign]) -> None:
        """Show these signs in place of the last."""
        self._signs = tuple(signs)
        self.setAccessibleName(", ".join(f"{name}: {shape}" for name, _, shape in signs))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        widths = (metrics.horizontalAdvance(name) + self._SIGN + 4 + self._GAP for name, _, _ in self._signs)
        edges = self.contentsMargins()
        return QSize(sum(widths) + edges.left() + edges.right(), HEAD_PX)

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            room, middle = self.contentsRect(), self.height() // 2
            x = room.left()
            for name, token, shape in self._signs:
                width = self.fontMetrics().horizontalAdvance(name)
                if x + self._SIGN + 4 + width > room.right() + 1:
                    break
                self._paint_sign(
                    painter,
                    QRect(x, middle - 5, self._SIGN, 10),
                    pale(token, "raised") if shape == "light" else colour(token),
                    shape,
                )
                painter.setPen(colour("text"))
                place = QRect(x + self._SIGN + 4, 0, width + 2, self.height())
                draw_text(painter, place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, name)
                x += self._SIGN + 4 + width + self._GAP

    @staticmethod
    def _paint_sign(painter: QPainter, place: QRect, ink: QColor, shape: str) -> None:
        if shape in ("bar", "light"):
            painter.fillRect(place, ink)
            return
        pen = QPen(ink, 2)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if shape in _PATTERNS:
            pen.setDashPattern(_PATTERNS[shape])
        painter.setPen(pen)
        painter.drawLine(place.left(), place.center().y() + 1, place.right() + 1, place.center().y() + 1)


class Plot(QWidget):
    """A figure with its title above it; the values under the pointer take the place of the remark."""

    def __init__(
        self, title: str, parent: QWidget | None = None, *, is_named: bool = True, has_x_title: bool = True
    ) -> None:
        super().__init__(parent)
        self.figure = PlotFigure(self, is_named=is_named, has_x_title=has_x_title)
        self.signs = Signs(self)
        self._title = ElidedLabel(self, loses=Qt.TextElideMode.ElideRight, token="text")
        self._title.setFont(ui_font("table", semibold=True))
        self._title.setText(title)
        self._title.setMinimumWidth(_LEAST_TITLE_PX)
        # Narrow plots cut their texts, so that these do not widen the page.
        for part in (self._title, self.signs):
            part.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._remark = ElidedLabel(self, Qt.AlignmentFlag.AlignRight, Qt.TextElideMode.ElideRight)
        self._remark.setFont(tabular_font("caption"))
        self._keep_room()
        self._remark_text = ""
        self._build_ui()
        self.figure.pointed.connect(self._point)

    @property
    def spec(self) -> FigureSpec:
        """Figure that is drawn."""
        return self.figure.spec

    @property
    def title(self) -> str:
        """Title above the figure."""
        return self._title.text()

    @property
    def remark(self) -> str:
        """Remark right of the title."""
        return self._remark.text()

    def show_figure(self, spec: FigureSpec, title: str, remark: str = "", signs: Sequence[Sign] = ()) -> None:
        """Show this figure in place of the last."""
        self._title.setText(title)
        self._remark_text = remark
        self._remark.setText(remark)
        self.signs.show_signs(signs)
        self.signs.setVisible(bool(signs))
        self.figure.show_figure(spec)
        self.figure.setVisible(any(map(_is_known, spec.curves)))

    def _keep_room(self) -> None:
        """Hide an empty figure but keep its room: axes from 0 to 1 would be misleading."""
        policy = self.figure.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.figure.setSizePolicy(policy)
        self.figure.hide()

    @Slot(str)
    def _point(self, values: str) -> None:
        self._remark.setText(values or self._remark_text)

    def _build_ui(self) -> None:
        head = hbox(self._title, 0, self.signs, (self._remark, 1), margins=(10, 0, 10, 0), spacing=10)
        vbox(head, (self.figure, 1), on=self, margins=(0, 2, 0, 0))


def _is_known(curve: Curve) -> bool:
    return bool((curve.y == curve.y).any())
