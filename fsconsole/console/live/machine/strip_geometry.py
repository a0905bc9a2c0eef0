"""Where things are on the time strip. Pure: pixels from times and back, labels that do not overlap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from fsconsole.targets.events import Event

MARGIN = 12
EDGE_PX = 5
Part = Literal["left", "right", "box", "none"]


@dataclass(frozen=True, slots=True)
class Scale:
    """The strip from 0 to `whole_s` over `width` pixels."""

    whole_s: float
    width: float

    def x(self, time_s: float) -> float:
        """Pixel of a time."""
        return MARGIN + time_s / self.whole_s * (self.width - 2 * MARGIN)

    def time(self, x: float) -> float:
        """Time at a pixel."""
        return (x - MARGIN) / max(self.width - 2 * MARGIN, 1) * self.whole_s


@dataclass(frozen=True, slots=True)
class Label:
    """A flag's words and where they begin; empty where there is no room."""

    flag: Event
    x: float
    words: str


def labels(flags: Sequence[Event], scale: Scale, width_of: Callable[[str], float]) -> list[Label]:
    """Flags with their words, left to right; what would run into the next flag has none."""
    placed = []
    for at, flag in enumerate(flags):
        x = scale.x(flag.time_s)
        words = f"planned: {flag.text}" if flag.is_planned else flag.text
        room = (scale.x(flags[at + 1].time_s) if at + 1 < len(flags) else scale.width) - x - 14
        placed.append(Label(flag, x, words if width_of(words) <= room else ""))
    return placed


def part_at(x: float, left: float, right: float) -> Part:
    """What a press at x takes hold of: an edge of the box, the box, or nothing."""
    if abs(x - left) <= EDGE_PX and x < (left + right) / 2:
        return "left"
    if abs(x - right) <= EDGE_PX:
        return "right"
    return "box" if left < x < right else "none"


def dragged(part: Part, start_s: float, end_s: float, moved_s: float) -> tuple[float, float]:
    """The range after a drag of one of its parts by some seconds; edges do not cross."""
    if part == "left":
        return min(start_s + moved_s, end_s - 1), end_s
    if part == "right":
        return start_s, max(end_s + moved_s, start_s + 1)
    return start_s + moved_s, end_s + moved_s
