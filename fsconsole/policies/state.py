"""The columns that a policy reads and writes; one value per row of the flat tree."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.flat import Bools, FlatTree, Floats, Ints
from fsconsole.shares.scenario.spec import PolicySpec

# A process of the exempt root is pushed back by the least there is, so it runs whenever it can.
ROOT_INCREMENT = 1


@dataclass(eq=False)
class PolicyState:
    """What policies and machine share.

    Attributes:
        logged_in: leaves whose user is logged in.
        runnable: number of runnable processes now, written by the machine each second.
        processes: number of processes, running or not.
        cost: cost units since the last delta, written by the kernel.
        usage: decayed cost units.
        charge: cost units in all, never decayed.
        rate: `runnable` through a low-pass filter.
        kusage: usage / share^2, limited.
        entitled: the share that the policy works with (allocated, machine or flat share).
        increment: priority points per tick, integer, at least 1.
        rank: whom to favour, small first, for everything that is not the CPU.
    """

    logged_in: Bools
    runnable: Ints
    processes: Ints
    cost: Floats
    usage: Floats
    charge: Floats
    rate: Floats
    kusage: Floats
    entitled: Floats
    increment: Ints
    rank: Floats

    @classmethod
    def empty(cls, n: int) -> PolicyState:
        """All zero, for a tree of n nodes."""
        kinds = {"logged_in": np.bool_, "runnable": np.int64, "processes": np.int64, "increment": np.int64}
        return cls(**{item.name: np.zeros(n, kinds.get(item.name, np.float64)) for item in fields(cls)})

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """The columns by name, for checkpoints."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    def moved(self, before: FlatTree, after: FlatTree) -> PolicyState:
        """The same values in the rows of a changed tree; new nodes start at zero."""
        rows = np.array([before.row_of.get(int(node), -1) for node in after.ids])
        kept = rows >= 0
        result = PolicyState.empty(len(after))
        for name, column in self.columns().items():
            getattr(result, name)[kept] = column[rows[kept]]
        return result

    def leaf_active(self, flat: FlatTree) -> Bools:
        """Leaves that count: logged in or with a process."""
        return flat.is_leaf & (self.logged_in | (self.processes > 0))


@dataclass(frozen=True)
class PolicyInput:
    """What does not change between two edits of the tree or settings.

    Attributes:
        flat: the tree.
        spec: the policy's parameters.
        count_inactive: use machine shares in place of allocated shares.
        second_s: time between two calls of `on_second`.
    """

    flat: FlatTree
    spec: PolicySpec
    count_inactive: bool = False
    second_s: float = 1.0
