"""Spans of lanes as one picture, with what it is worked out in kept from frame to frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from fsconsole.console.analyse.study.gantt_scene import USER_TOKENS
from fsconsole.console.analyse.study.gantt_sight import Sight
from fsconsole.console.look.theme import colour

_FILL = 0.5  # of a user's colour over the ground, so that words on it can be read
_CHOSEN = 0.9
_PALE, _PALER = 0.30, 0.20
_OTHER = 0.42


@dataclass(frozen=True, eq=False, slots=True)
class Spans:
    """Boxes: seconds by lanes, and which colour each has; columns of one length."""

    start_s: NDArray[np.int64]
    end_s: NDArray[np.int64]
    first: NDArray[np.int32]
    wide: NDArray[np.int32]
    tint: NDArray[np.uint8]

    def within(self, near: slice) -> Spans:
        """A stretch of them."""
        columns = (self.start_s, self.end_s, self.first, self.wide, self.tint)
        return Spans(*(column[near] for column in columns))  # type: ignore[arg-type]


class SpanImage:
    """Paints spans; the picture holds good until the next one is painted."""

    def __init__(self) -> None:
        self._sums = np.zeros((0, 0, 0), dtype=np.float32)
        self._pixels = np.zeros((0, 0), dtype=np.uint32)

    def paint(
        self, spans: Spans, sight: Sight, colours: NDArray[np.float32], ratio: float, gap_px: float = 1.0
    ) -> QImage:
        """The picture of what is in sight, in pixels of a screen that has `ratio` of them in ours."""
        from fsconsole.batch.insight.span_picture import paint_spans

        self._make_room(round(sight.width * ratio), round(sight.height * ratio))
        seen = [sight.begin_s, sight.px_per_s * ratio, sight.top, sight.px_per_lane * ratio, gap_px * ratio]
        paint_spans(
            spans.start_s,
            spans.end_s,
            spans.first,
            spans.wide,
            spans.tint,
            np.array(seen, dtype=np.float64),
            colours,
            self._sums,
            self._pixels,
        )
        height, width = self._pixels.shape
        made = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
        made.setDevicePixelRatio(ratio)
        return made

    def _make_room(self, width: int, height: int) -> None:
        from fsconsole.batch.insight.span_picture import PARTS

        if self._pixels.shape != (height, width):
            self._pixels = np.zeros((height, width), dtype=np.uint32)
            self._sums = np.zeros((height + 2, width, PARTS), dtype=np.float32)


def colours_of(chosen: str) -> NDArray[np.float32]:
    """Colours by tint in the theme in force; `chosen` is the token of the user selected."""
    made = [mixed(token, _FILL) for token in USER_TOKENS]
    made += [mixed("g2", _OTHER), mixed(chosen, _CHOSEN), mixed("g2", _PALE), mixed("g2", _PALER)]
    made.append(colour("surface"))
    return np.array([_rgb(one) for one in made], dtype=np.float32)


def mixed(token: str, part: float) -> QColor:
    """So much of a colour over the ground."""
    top, ground = colour(token), colour("surface")
    pairs = zip(_rgb(top), _rgb(ground), strict=True)
    return QColor(*(round(part * over + (1 - part) * under) for over, under in pairs))


def _rgb(one: QColor) -> tuple[int, int, int]:
    return one.red(), one.green(), one.blue()
