"""The columns that a policy reads and writes; one value per row of the flat tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fsconsole.shares.flat import Bools, FlatTree, Floats, Ints
from fsconsole.shares.scenario.policy_spec import PolicySpec

Table = np.ndarray[tuple[int, int], np.dtype[np.float64]]

# A process of the exempt root has the smallest possible increment, so it runs whenever it can.
ROOT_INCREMENT = 1
# Increments are integers: in policies without usage, a share of 1 and one process give this increment.
SCALE = 1e6


class PolicyState(NamedTuple):
    """The columns that policies and machine share; the compiled functions change them in place.

    Attributes:
        logged_in: leaves whose user is logged in.
        lnode: leaves that have an l-node, the kernel's structure of a present user.
        runnable: number of runnable processes now, written by the machine each second.
        processes: number of processes, running or not.
        clicks: memory held, in clicks of 512 words.
        cost: cost units since the last delta, written by the kernel.
        charged: cost units of the last delta; groups have the sum of all below them.
        usage: decayed cost units of leaves.
        node_usage: decayed charged of every node, with the half-life of its level.
        charge: cost units since the start, never decayed.
        rate: `runnable` through a low-pass filter.
        entitled: the share that the policy works with (allocated, machine or flat share).
        kusage: increment of a process for each process of its user: usage / share^2 under Share; every policy
            aims at CPU shares in proportion to 1/kusage.
        weight: integral group adjustment: factor of a group's increments.
        target: feedback: part among siblings that redistribution aims at.
        filtered: feedback: low-pass filtered charge, as a fraction of the machine.
        actual: feedback: share that follows from the parent's base and the target.
        base: feedback: actual, corrected by the share error.
        increment: priority points per tick, integer, at least 1.
        rank: order of preference, small first, for resources other than the CPU.
    """

    logged_in: Bools
    lnode: Bools
    runnable: Ints
    processes: Ints
    clicks: Ints
    cost: Floats
    charged: Floats
    usage: Floats
    node_usage: Floats
    charge: Floats
    rate: Floats
    entitled: Floats
    kusage: Floats
    weight: Floats
    target: Floats
    filtered: Floats
    actual: Floats
    base: Floats
    increment: Ints
    rank: Floats

    @classmethod
    def empty(cls, n: int) -> PolicyState:
        """Return the state of a tree of n nodes with all columns 0 and weights 1."""
        kinds: dict[str, type[Any]] = {"logged_in": np.bool_, "lnode": np.bool_}
        kinds |= dict.fromkeys(("runnable", "processes", "clicks", "increment"), np.int64)
        columns: dict[str, Any] = {name: np.zeros(n, kinds.get(name, np.float64)) for name in cls._fields}
        state = cls(**columns)
        state.weight[:] = 1.0
        return state

    def columns(self) -> dict[str, NDArray[np.generic]]:
        """Return the columns by name, [rows] each, for checkpoints."""
        return self._asdict()

    def moved(self, before: FlatTree, after: FlatTree) -> PolicyState:
        """Return the state in the rows of a changed tree; new nodes start at zero."""
        rows = np.array([before.row_of.get(int(node), -1) for node in after.ids])
        kept = rows >= 0
        result = PolicyState.empty(len(after))
        for name, column in self.columns().items():
            getattr(result, name)[kept] = column[rows[kept]]
        return result

    def leaf_active(self, flat: FlatTree) -> Bools:
        """Return a mask of the active leaves, bool [rows]: logged in or with a process."""
        return flat.is_leaf & (self.logged_in | (self.processes > 0))


@dataclass(frozen=True)
class PolicyInput:
    """The inputs of a policy that change only with edits of the tree or the settings.

    Attributes:
        flat: the tree.
        spec: the policy's parameters.
        count_inactive: whether machine shares replace allocated shares.
        second_s: time between two calls of `on_second`.
        capacity: cost units that all CPUs together can be charged in a delta.
        click_cost: cost units of a click of memory for a delta.
        largest_increment: upper limit of increments.
    """

    flat: FlatTree
    spec: PolicySpec
    count_inactive: bool = False
    second_s: float = 1.0
    capacity: float = 240_000.0
    click_cost: float = 0.0
    largest_increment: float = 1e14

    @cached_property
    def depth(self) -> Ints:
        """Depth of each row below the root, int64 [rows]."""
        depth = np.zeros(len(self.flat), np.int64)
        for level, rows in enumerate(self.flat.levels):
            depth[rows] = level
        return depth

    @cached_property
    def level_half_life_s(self) -> Floats:
        """Half-life of usage of each row by its level, s [rows]."""
        spec = self.spec
        return self.by_level(spec.level_half_lives_s or (spec.half_life_s,), 1)

    def by_level(self, values: tuple[float, ...], first: int) -> Floats:
        """Return a value for each row, [rows], from values by level, the first at depth `first`.

        The last value holds for all deeper levels.
        """
        return np.array(values)[np.clip(self.depth - first, 0, len(values) - 1)]
