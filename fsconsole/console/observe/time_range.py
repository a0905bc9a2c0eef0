"""The time that all plots show: following the present, the whole run, or a range somebody chose."""

from __future__ import annotations

import math
from typing import Literal

from PySide6.QtCore import QObject, Signal

Mode = Literal["follow", "whole", "fixed"]
FOLLOW_S = 600.0
SHORTEST_S = 1.0
# A following range moves on in jumps of this part of its width: the plots are not drawn anew for less.
_JUMP = 1 / 100


class TimeRange(QObject):
    """Start and end in simulated seconds, and how they come about.

    Signals: changed() after start, end or mode are others.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.mode: Mode = "follow"
        self.follow_s = FOLLOW_S
        self.start_s = 0.0
        self.end_s = FOLLOW_S
        self._now_s = 0.0
        self._until_s = FOLLOW_S

    @property
    def now_s(self) -> float:
        """The present, as last told."""
        return self._now_s

    @property
    def whole_s(self) -> float:
        """Length of the whole run: as long as planned, longer once it has gone on."""
        if self._now_s <= self._until_s:
            return self._until_s
        step = self._until_s / 4
        return math.ceil(self._now_s / step) * step

    def begin(self, until_s: float) -> None:
        """Another run, of a planned length."""
        self._until_s = max(until_s, SHORTEST_S)
        self._now_s = 0.0
        if self.mode == "fixed":
            self.mode = "follow"
        self._show(*self._wanted(), tell=True)

    def advance(self, now_s: float) -> None:
        """The present is now another; the range follows where it is meant to."""
        self._now_s = now_s
        if self.mode != "fixed":
            self._show(*self._wanted())

    def follow(self, width_s: float) -> None:
        """Show the last so many seconds."""
        self.mode, self.follow_s = "follow", width_s
        self._show(*self._wanted(), tell=True)

    def show_whole(self) -> None:
        """Show all of the run."""
        self.mode = "whole"
        self._show(*self._wanted(), tell=True)

    def fix(self, start_s: float, end_s: float) -> None:
        """Show a range and stay there, inside the whole run and never shorter than a second."""
        width = min(max(end_s - start_s, SHORTEST_S), self.whole_s)
        start = min(max(start_s, 0.0), self.whole_s - width)
        self.mode = "fixed"
        self._show(start, start + width, tell=True)

    def zoom(self, about_s: float, factor: float) -> None:
        """Make the range `factor` times as wide; the time `about_s` stays where it is."""
        self.fix(about_s - (about_s - self.start_s) * factor, about_s + (self.end_s - about_s) * factor)

    def _wanted(self) -> tuple[float, float]:
        if self.mode == "whole":
            return 0.0, self.whole_s
        if self._now_s <= self.follow_s:
            return 0.0, self.follow_s
        jump = self.follow_s * _JUMP
        end = math.ceil(self._now_s / jump + 1) * jump
        return end - self.follow_s, end

    def _show(self, start_s: float, end_s: float, *, tell: bool = False) -> None:
        if tell or (start_s, end_s) != (self.start_s, self.end_s):
            self.start_s, self.end_s = start_s, end_s
            self.changed.emit()
