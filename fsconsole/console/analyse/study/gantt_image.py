"""Spans of lanes as one picture, with what it is computed in kept from frame to frame."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QImage

from fsconsole.console.analyse.study.gantt_scene import USER_TOKENS
from fsconsole.console.analyse.study.gantt_sight import Sight
from fsconsole.console.style.theme import colour, pale, theme
from fsconsole.figures.style.palette import contrast, mix

_APART = 0.15  # Fraction of the distance from the single grey of unselected jobs to their full grey.
_LEAST_OVER = 2.0  # Contrast of selected jobs with the others, so that hue is not the only difference.
_SAME, _NEARLY_PX = 1e-9, 0.01
Near = Callable[[int, int], slice]


@dataclass(frozen=True, eq=False, slots=True)
class Spans:
    """Boxes: seconds by lanes, and which colour each has; columns of one length."""

    start_s: NDArray[np.int64]
    end_s: NDArray[np.int64]
    first: NDArray[np.int32]
    wide: NDArray[np.int32]
    tint: NDArray[np.uint8]

    def within(self, near: slice) -> Spans:
        """Return a stretch of them."""
        columns = (self.start_s, self.end_s, self.first, self.wide, self.tint)
        return Spans(*(column[near] for column in columns))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False, slots=True)
class _Painted:
    """Of what the picture is that was painted last."""

    spans: Spans
    sight: Sight
    colours: NDArray[np.float32]
    ratio: float

    def shift_to(self, spans: Spans, sight: Sight, colours: NDArray[np.float32], ratio: float) -> int | None:
        """Return the shift to the left, in screen pixels, that makes it another picture; None if none."""
        old, now = self.sight, sight
        if spans is not self.spans or ratio != self.ratio or not np.array_equal(colours, self.colours):
            return None
        if (old.top, old.bottom, old.width, old.height) != (now.top, now.bottom, now.width, now.height):
            return None
        if abs(old.seconds - now.seconds) > _SAME * now.seconds:
            return None
        shift = (now.begin_s - old.begin_s) * now.px_per_s * ratio
        return round(shift) if abs(shift - round(shift)) < _NEARLY_PX else None


class SpanImage:
    """Paints spans; the picture holds good until the next one is painted.

    What was painted before is not painted again: where only the time in sight has moved by whole pixels, what
    comes into sight is.
    """

    def __init__(self) -> None:
        self._pixels = np.zeros((0, 0), dtype=np.uint32)
        self._painted: _Painted | None = None

    def paint(
        self, spans: Spans, near: Near, sight: Sight, colours: NDArray[np.float32], ratio: float
    ) -> QImage:
        """Return the picture of what is in sight.

        Args:
            spans: all of the run.
            near: which spans may be seen between two seconds.
            sight: what is in sight.
            colours: red, green and blue by tint, [tints, 3].
            ratio: physical pixels of the screen in a logical one.
        """
        size = round(sight.height * ratio), round(sight.width * ratio)
        before = self._painted
        shift = before.shift_to(spans, sight, colours, ratio) if before is not None else None
        if before is None or shift is None or abs(shift) >= size[1] or self._pixels.shape != size:
            before = _Painted(spans, sight, colours, ratio)
            self._pixels = _painted(before, near, 0, size[1], size[0])
        elif shift:
            before = _Painted(spans, sight, colours, ratio)
            self._move(before, near, shift)
        self._painted = before
        height, width = size
        made = QImage(self._pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
        made.setDevicePixelRatio(ratio)
        return made

    def _move(self, now: _Painted, near: Near, shift: int) -> None:
        """Move what is there to the left and paint what comes in, or the other way round."""
        height, width = self._pixels.shape
        moved = np.empty_like(self._pixels)
        if shift > 0:
            moved[:, :-shift] = self._pixels[:, shift:]
            moved[:, -shift:] = _painted(now, near, width - shift, shift, height)
        else:
            moved[:, -shift:] = self._pixels[:, :shift]
            moved[:, :-shift] = _painted(now, near, 0, -shift, height)
        self._pixels = moved


def _painted(now: _Painted, near: Near, left: int, width: int, height: int) -> NDArray[np.uint32]:
    """Paint some columns of the picture, from `left` on."""
    from fsconsole.figures.span_picture import PARTS, paint_spans

    sight, ratio = now.sight, now.ratio
    begin_s = sight.begin_s + left / (sight.px_per_s * ratio)
    end_s = begin_s + width / (sight.px_per_s * ratio)
    seen = now.spans.within(near(int(begin_s), int(end_s) + 1))
    pixels = np.zeros((height, width), dtype=np.uint32)
    paint_spans(
        seen.start_s,
        seen.end_s,
        seen.first,
        seen.wide,
        seen.tint,
        np.array([begin_s, sight.px_per_s * ratio, sight.top, sight.px_per_lane * ratio, ratio]),
        now.colours,
        np.empty((height + 2, width, PARTS), dtype=np.float32),
        pixels,
    )
    return pixels


def colours_of(chosen: str) -> NDArray[np.float32]:
    """Return red, green and blue by tint in the theme in force, [tints, 3]; `chosen` is the token of the
    selected user.
    """
    grey, palette = pale("g2"), theme().palette
    others = grey.name(), mix(palette.hex("g2"), grey.name(), _APART)
    shades = (mix(palette.text, palette.hex(chosen), percent / 100) for percent in range(0, 101, 5))
    lit = next(one for one in shades if min(contrast(one, other) for other in others) >= _LEAST_OVER)
    made = [*map(pale, USER_TOKENS), grey, *map(QColor, (lit, *others)), colour("surface")]
    return np.array([_rgb(one) for one in made], dtype=np.float32)


def _rgb(one: QColor) -> tuple[int, int, int]:
    return one.red(), one.green(), one.blue()
