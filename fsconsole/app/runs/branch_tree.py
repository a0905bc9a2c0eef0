"""Branches of a run as a tree: each is below the branch that it leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fsconsole.app.runs.branches import LiveBranch
    from fsconsole.figures.spec import BranchOrigin


class BranchTree:
    """All branches of a run.

    Attributes:
        branches: in the order in which they were made.
        removed: those that were taken out last, which can be put back.
    """

    def __init__(self) -> None:
        """Start without branches."""
        self.branches: list[LiveBranch] = []
        self.removed: list[LiveBranch] = []
        self._made = 0

    @property
    def unsaved(self) -> list[LiveBranch]:
        """Branches with curves that no run folder holds."""
        return [
            one
            for one in self.branches
            if one.state != "failed" and one.reached_s > one.at_s and not one.is_saved
        ]

    def next_number(self) -> int:
        """Return the number of the next branch."""
        self._made += 1
        return self._made

    def numbered(self, number: int | None) -> LiveBranch | None:
        """Return the branch with a number; None for the run itself."""
        return next((one for one in self.branches if one.number == number), None)

    def origins(self, branch: LiveBranch) -> tuple[BranchOrigin, ...]:
        """Return the origins of a branch and of those that it leaves, itself first."""
        parent = self.numbered(branch.parent)
        return (branch.origin, *(self.origins(parent) if parent is not None else ()))

    def in_order(self, parent: int | None = None, depth: int = 0) -> list[tuple[int, LiveBranch]]:
        """Return all branches with their depth, each below the one that it leaves."""
        found: list[tuple[int, LiveBranch]] = []
        for branch in self.branches:
            if branch.parent == parent:
                found += [(depth, branch), *self.in_order(branch.number, depth + 1)]
        return found

    def without(self, number: int) -> list[LiveBranch]:
        """Remove a branch and all that leave it; return them, to be restored later."""
        below = [branch for _, branch in self.in_order(number)]
        gone = [one for one in self.branches if one.number == number or one in below]
        self.branches = [one for one in self.branches if one not in gone]
        self.removed = [*self.removed, *gone]
        return gone

    def put_back(self) -> list[LiveBranch]:
        """Restore all branches that were removed, and return them."""
        back, self.removed = self.removed, []
        self.branches = sorted((*self.branches, *back), key=lambda one: one.number)
        return back
