"""Zooming of the share map: which node spans the width, and the boxes on the way there. No Qt here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fsconsole.console.design.map_geometry import Box


@dataclass(frozen=True, slots=True)
class Zoom:
    """A passage between a wide view and one that `into`, a box of the wide view, fills.

    `is_inwards` tells whether it goes from the wide view to the narrow one.
    """

    wide: Sequence[Box]
    into: Box
    is_inwards: bool

    def boxes(self, progress: float) -> list[Box]:
        """Boxes of the wide view at a moment, progress running from 0 to 1."""
        t = progress if self.is_inwards else 1 - progress
        whole = self.wide[0]
        left = whole.x + t * (self.into.x - whole.x)
        scale = whole.w / max(whole.w + t * (self.into.w - whole.w), 1e-9)
        up = t * (self.into.y - whole.y)
        moved = (
            box._replace(x=whole.x + (box.x - left) * scale, w=box.w * scale, y=box.y - up)
            for box in self.wide
        )
        return [
            box for box in moved if box.right > whole.x and box.x < whole.right and box.y > whole.y - box.h
        ]
