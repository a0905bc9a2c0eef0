"""What a policy is: how shares enter it, its compiled steps, and how it explains itself.

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

# Of the settings that not all look at: those of the share, for `Policy.switches`.
OF_SHARE = frozenset({"count_inactive", "sharemin"})


@dataclass(frozen=True)
class Policy:
    """A policy: what it is called, and where it is from.

    Attributes:
        name: as in files and `--policy`.
        title: as people read it.
        source: paper and equation, or that it is ours.
        function: of (par, state, what, delta), to be compiled; see `steps.step`.
        switches: settings that it looks at, of those that all policies have and not all look at.
        ignores_groups: works with leaf shares over all active leaves.
        gives_groups_their_part: a group gets what it is entitled to, whoever works in it.
        caution: why nobody should rule a machine by it; instead_of_sharemin: its own smallest share.
        level_columns: what it decides by at each level; by usage over share where empty.
        has_group_diagram: groups have a block diagram of their own.
        starts_level: users who have used nothing stand alike.
        redistributes: steers to the fair line; has_error_gain: by `k_mu`.
        flag: of UNICOS's shradm, empty without one.
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
        """Return the share that stands in the equations, [rows]: over active siblings, or all with
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
        """Return the function for settings."""
        return self.function

    def numbers(self, _given: PolicyInput) -> Floats:
        """Return numbers of the policy's own, [numbers], which its step finds in `par.own`."""
        return np.zeros(0)

    def row_numbers(self, given: PolicyInput) -> Table:
        """Return the policy's own numbers for each row of the tree, in `par.own_of_row`: float64 [rows,
        numbers].
        """
        return np.zeros((len(given.flat), 0))

    def group_factors(self, given: PolicyInput, _state: PolicyState) -> Floats:
        """Return what increments below each group are multiplied with because it got too much, [rows]; 1
        elsewhere.
        """
        return np.ones(len(given.flat))

    def priority_period_s(self, spec: PolicySpec, _second_s: float) -> float | None:
        """Return the time between two changes of whom it favours, as usage goes on; None where nothing
        changes it.
        """
        return spec.delta_s

    def queue_ranks(self, usage: Floats, share: Floats) -> Floats:
        """Return whom it would favour if all had work, small first, by usage and machine share (above 0),
        [rows] each.
        """
        return usage / share

    def ranges(self, _spec: PolicySpec) -> dict[str, float]:
        """Return the smallest value of columns of `PolicyState` that it never lets come to 0."""
        return {}

    # -- what is worth knowing before a run ---------------------------------------------------------------

    def warnings(self, _spec: PolicySpec) -> list[str]:
        """Return what may keep it from settling, one sentence each."""
        return []

    def problems(self, _scenario: Scenario) -> Iterator[Problem]:
        """Yield what else is worth a look."""
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
        """Causes by which one is pushed back more than another; what they leave is told as the limits."""
        return [rest("shares and processes", first, other, [])]

    def standing(self, _levels: tuple[Level, ...]) -> str:
        """Return where two ways part, and how the two stand there: a sentence."""
        return ""

    def share_factor(self, situation: Situation, row: int, source: str = "") -> Factor:
        """Return the share in the equations, as a factor."""
        label = "machine share" if situation.given.count_inactive else "allocated share"
        if self.ignores_groups:
            label = "share of all active users, ignoring groups"
        return Factor("share", label, float(situation.state.entitled[row]), source=source)


def scale_factor() -> Factor:
    """Return what makes integers of numbers about 1."""
    return Factor("scale", "scale of integers", SCALE, "", OURS, True)


def most_factor(situation: Situation) -> Factor:
    """Return the increment of those without shares."""
    most = situation.parameters.largest_increment
    return Factor("most", "no shares", most, "the largest possible increment", OURS, True)


def rate_factor(situation: Situation, row: int, note: str = "") -> Factor:
    """Return the number of a leaf's processes, filtered."""
    state, about = situation.state, f"{int(situation.state.runnable[row])} runnable now{note}"
    source = "Share kernel: runnable processes through a filter"
    return Factor("rate", "processes, filtered", float(state.rate[row]), about, source, True)
