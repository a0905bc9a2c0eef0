"""The base class of policies: their shares, their compiled steps, and their explanations.

A policy is a subclass in a file of its own. It overrides what differs from a policy without memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fsconsole.policies.diagram import OURS, Diagram
from fsconsole.policies.explanation import Contribution, Factor, Level, LevelColumn, Side, rest
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import SCALE, PolicyInput, PolicyState, Table
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.spec import Scenario

# `Policy.switches` needs the settings of shares that only some policies read: these.
OF_SHARE = frozenset({"count_inactive", "sharemin"})


@dataclass(frozen=True)
class Policy:
    """A policy, its names and its sources.

    Attributes:
        name: name in files and in `--policy`.
        title: name in the console.
        source: paper and equation, or a mark that the policy is ours.
        function: step function of (par, state, what, delta), to be compiled; see `steps.step`.
        switches: settings that it reads, among those that all policies have but only some read.
        ignores_groups: whether it works with leaf shares over all active leaves.
        gives_groups_their_part: whether a group gets its entitlement, whichever of its users work.
        caution: why a machine should not be run by it; instead_of_sharemin: its own smallest share.
        level_columns: columns that decide at each level; usage over share if empty.
        has_group_diagram: whether groups have a block diagram of their own.
        starts_level: whether users without usage are treated alike.
        redistributes: whether it steers to the fair line; has_error_gain: whether by `k_mu`.
        flag: its flag of UNICOS's shradm; empty without one.
    """

    name: str
    title: str
    source: str
    function: Callable[..., None]
    switches: frozenset[str] = frozenset()
    ignores_groups: bool = False
    gives_groups_their_part: bool = False

    caution: ClassVar[str] = ""
    instead_of_sharemin: ClassVar[str] = ""
    level_columns: ClassVar[tuple[LevelColumn, ...]] = ()
    has_group_diagram: ClassVar[bool] = False
    starts_level: ClassVar[bool] = False
    redistributes: ClassVar[bool] = False
    has_error_gain: ClassVar[bool] = False
    flag: ClassVar[str] = ""

    # -- what it computes ---------------------------------------------------------------------------------

    def entitled(self, given: PolicyInput, state: PolicyState) -> Floats:
        """Return the share in the equations, [rows]: over active siblings, or all with
        `count_inactive`.

        An active row counts as at least `sharemin` of the machine (the share quantum of UNICOS).
        """
        flat = given.flat
        active = flat.is_leaf if given.count_inactive else state.leaf_active(flat)
        if self.ignores_groups:
            share = flat.flat_share(active)
        else:
            share = (
                flat.machine_share() if given.count_inactive else flat.allocated_share(flat.active(active))
            )
        return np.where(share > 0, np.maximum(share, given.spec.sharemin), share)

    def step(self, _spec: PolicySpec) -> Callable[..., None]:
        """Return the step function for these settings."""
        return self.function

    def numbers(self, _given: PolicyInput) -> Floats:
        """Return the policy's own numbers, [numbers], which its step reads from `par.own`."""
        return np.zeros(0)

    def row_numbers(self, given: PolicyInput) -> Table:
        """Return the policy's own numbers of each row, which its step reads from `par.own_of_row`: float64
        [rows, numbers].
        """
        return np.zeros((len(given.flat), 0))

    def group_factors(self, given: PolicyInput, _state: PolicyState) -> Floats:
        """Return the factor on increments below each group that got too much, [rows]; 1 for other rows."""
        return np.ones(len(given.flat))

    def priority_period_s(self, spec: PolicySpec, _second_s: float) -> float | None:
        """Return the time between two changes of priority while usage grows; None without changes."""
        return spec.delta_s

    def queue_ranks(self, usage: Floats, share: Floats) -> Floats:
        """Return ranks, small first, from usage and machine share (above 0), [rows]; all rows have work.

        Args:
            usage: usage of the user of each row in cost units, float64 [rows].
            share: machine share, above 0 and up to 1, float64 [rows].
        """
        return usage / share

    def ranges(self, _spec: PolicySpec) -> dict[str, float]:
        """Return the least value, above 0, to which the policy lets columns of `PolicyState` fall."""
        return {}

    # -- what is worth knowing before a run ---------------------------------------------------------------

    def warnings(self, _spec: PolicySpec) -> list[str]:
        """Return reasons why the policy may not settle, one sentence each."""
        return []

    def problems(self, _scenario: Scenario) -> Iterator[Problem]:
        """Yield further warnings about a scenario."""
        yield from ()

    # -- how it explains itself ---------------------------------------------------------------------------

    def factors(self, situation: Situation, row: int) -> list[Factor]:
        """Return the factors of a leaf's increment, in the order of the computation."""
        raise NotImplementedError

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Return the block diagram with the values of a row."""
        raise NotImplementedError

    def contributions(
        self, _situation: Situation, _levels: tuple[Level, ...], first: Side, other: Side
    ) -> list[Contribution]:
        """Return the causes by which one user is pushed back more than the other; the last is the rest."""
        return [rest("shares and processes", first, other, [])]

    def standing(self, _levels: tuple[Level, ...]) -> str:
        """Return a sentence that compares the two users at the node where their ways part."""
        return ""

    def share_factor(self, situation: Situation, row: int, source: str = "") -> Factor:
        """Return the share in the equations, as a factor."""
        label = "share of machine" if situation.given.count_inactive else "allocated share"
        if self.ignores_groups:
            label = "share of all active users, ignoring groups"
        if situation.flat.is_system.any():
            label += ", with system groups"
        return Factor("share", label, float(situation.state.entitled[row]), source=source)


def scale_factor() -> Factor:
    """Return the factor that scales numbers near 1 to integers."""
    return Factor("scale", "scale of integers", SCALE, "", OURS, True)


def most_factor(situation: Situation) -> Factor:
    """Return the largest increment, that of leaves without shares, as a factor."""
    most = situation.parameters.largest_increment
    return Factor("most", "no shares", most, "the largest possible increment", OURS, True)


def rate_factor(situation: Situation, row: int, note: str = "") -> Factor:
    """Return the filtered number of a leaf's processes as a factor."""
    state, about = situation.state, f"{int(situation.state.runnable[row])} runnable now{note}"
    source = "Share kernel: runnable processes through a filter"
    return Factor("rate", "processes, filtered", float(state.rate[row]), about, source, True)
