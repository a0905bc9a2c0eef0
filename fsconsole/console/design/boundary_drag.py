"""Re-sharing two siblings by moving the border between them. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.console.design.map_geometry import Boundary

SNAP_FRACTION = 0.001

Pair = tuple[tuple[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class BoundaryDrag:
    """Two neighbours whose shares keep their sum while the border between them moves.

    Attributes:
        left, right: node ids; `shares_left`, `shares_right` what they had.
        start_px, end_px: where both together begin and end; `old_px` where the border was.
        machine: part of the machine of both together.
    """

    left: int
    right: int
    shares_left: int
    shares_right: int
    start_px: float
    old_px: float
    end_px: float
    machine: float

    @classmethod
    def at(
        cls, boundary: Boundary, nodes: tuple[int, int], shares: tuple[int, int], machine: float
    ) -> BoundaryDrag:
        """Begin at a border."""
        return cls(*nodes, *shares, boundary.left.x, boundary.x, boundary.right.right, machine)

    def moved_to(self, x: float, *, snap: bool = False) -> Pair:
        """Whole shares for a border at x; with snap those nearest to a step of 0.1 % of the machine."""
        width = self.end_px - self.start_px
        fraction = (x - self.start_px) / width if width > 0 else 0.0
        if snap and self.machine > 0:
            fraction = round(fraction * self.machine / SNAP_FRACTION) * SNAP_FRACTION / self.machine
        return self._pair(round(fraction * (self.shares_left + self.shares_right)))

    @property
    def machine_per_share(self) -> float:
        """Part of the machine that one share of the two is."""
        return self.machine / max(self.shares_left + self.shares_right, 1)

    def moved_by(self, shares: int) -> Pair:
        """The left one gets so many more."""
        return self._pair(self.shares_left + shares)

    def is_change(self, pair: Pair) -> bool:
        """Whether a pair differs from what they had."""
        return pair[0][1] != self.shares_left

    def _pair(self, left: int) -> Pair:
        total = self.shares_left + self.shares_right
        left = min(max(left, 0), total)
        return (self.left, left), (self.right, total - left)
