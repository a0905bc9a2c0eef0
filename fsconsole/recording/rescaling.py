"""Shares without system groups, rescaled for many samples of one tree at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fsconsole.recording.chunk import Values
from fsconsole.recording.run_format import RESCALED, WITHOUT_SYSTEM
from fsconsole.shares.flat import FlatTree


@dataclass(frozen=True, eq=False, slots=True)
class Rescaling:
    """Rescaling as in `FlatTree.without_system`, in one pass for many samples."""

    flat: FlatTree

    def is_same(self, other: Rescaling) -> bool:
        """Return True if another tree has its leaves and system groups at the same rows."""
        ours, theirs, names = self.flat, other.flat, ("is_leaf", "is_system", "end")
        return ours is theirs or all(
            np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in names
        )

    def columns(self, columns: Mapping[str, Values]) -> dict[str, Values]:
        """Return the rescaled columns [nodes, k] of recorded ones."""
        return {f"{name}{WITHOUT_SYSTEM}": self._rescaled(columns[name]) for name in RESCALED}

    def _rescaled(self, share: Values) -> Values:
        flat = self.flat
        leaf, system = flat.is_leaf[:, None], flat.is_system[:, None]
        kept = np.where(leaf & ~system, share, 0.0)
        running = np.zeros((len(flat) + 1, share.shape[1]))
        kept.cumsum(axis=0, out=running[1:])
        total = running[-1]
        sums = np.where(leaf, kept, running[flat.end] - running[:-1])
        rescaled = np.zeros_like(sums)
        np.divide(sums, total, out=rescaled, where=total > 0)
        return np.where(system, np.nan, rescaled)
