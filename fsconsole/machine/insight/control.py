"""The control view of a node at one moment, and its children relative to the fair line.

Source: Everitt, Jones and Knesel 1995, figure 2-8 and equations 9 and 10; the floor under max(u/s) is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.machine.insight.present import Present
from fsconsole.machine.insight.why import leaf_row
from fsconsole.policies.diagram import Diagram
from fsconsole.policies.feedback import least_reach
from fsconsole.policies.registry import policy_named, policy_of

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class Child:
    """A child of the group.

    Attributes:
        part: its fraction of the shares of all siblings.
        usage: decayed usage in cost units.
        aim: target usage of redistribution, on the fair line; aim - usage is the target vector.
    """

    node: int
    name: str
    part: float
    usage: float
    aim: float


@dataclass(frozen=True, slots=True)
class FairLine:
    """The children of one group; `is_ruling` is whether the policy really redistributes.

    `pair` are the places of the two to show first: the requested one and the other with most usage.
    """

    group: int
    name: str
    nu: float
    is_ruling: bool
    children: tuple[Child, ...]
    pair: tuple[int, int]


def fair_line_of(machine: Machine, node: int) -> FairLine | None:
    """Return the fair line of a group, or of the nearest one above with two children with shares.

    None if there is no such group.
    """
    flat, state, spec = machine.flat, machine.state, machine.policy_spec
    row = flat.row_of.get(node)
    if row is None:
        return None
    group = row
    while len(rows := np.flatnonzero((flat.parent == group) & (flat.shares > 0))) < 2:
        if group == 0:
            return None
        group = int(flat.parent[group])
    part = flat.shares[rows] / flat.shares[rows].sum()
    usage = state.node_usage[rows]
    room = float(state.entitled[flat.parent[rows[0]]]) or 1.0
    reach = max(room * float(least_reach(machine.given)[rows].max()), float((usage / part).max()))
    aim = part * spec.nu * reach
    ids = flat.ids[rows].tolist()
    children = tuple(
        Child(child, machine.tree.node(child).name if child in machine.tree else "removed", *values)
        for child, *values in zip(ids, part.tolist(), usage.tolist(), aim.tolist(), strict=True)
    )
    above = int(flat.ids[group])
    ruling = policy_of(spec).redistributes
    pair = _pair(usage.tolist(), [bool(one <= row < flat.end[one]) for one in rows])
    return FairLine(above, machine.tree.node(above).name, spec.nu, ruling, children, pair)


def _pair(usages: list[float], holds: list[bool]) -> tuple[int, int]:
    """Return the child above the node, else the one with most usage; then the other with most usage."""
    ranked = sorted(range(len(usages)), key=lambda at: (not holds[at], -usages[at]))
    return ranked[0], ranked[1]


@dataclass(frozen=True, slots=True)
class Control:
    """Diagram and fair line of a node, and reasons why the policy may not settle.

    Attributes:
        half_life_s, k_mu: settings that can be varied; k_mu is empty without feedback.
    """

    policy: str
    title: str
    source: str
    time_s: float
    diagram: Diagram
    fair_line: FairLine | None
    warnings: tuple[str, ...]
    half_life_s: float
    k_mu: tuple[float, ...]


def control_of(machine: Machine, node: int) -> Control:
    """Return the control view of a node.

    Raises:
        LookupError: as for `why`.
    """
    spec = machine.policy_spec
    policy, named = policy_of(spec), policy_named(spec.name)
    return Control(
        policy=spec.name,
        title=policy.title,
        source=policy.source,
        time_s=machine.now_s,
        diagram=diagram_of(machine, node),
        fair_line=fair_line_of(machine, node),
        warnings=tuple(named.warnings(spec)),
        half_life_s=spec.half_life_s,
        k_mu=spec.k_mu if named.has_error_gain else (),
    )


def diagram_of(machine: Machine, node: int) -> Diagram:
    """Return the diagram for a node; only feedback has one for groups.

    Raises:
        LookupError: as for `why`.
    """
    flat = machine.flat
    situation = Present.of(machine)
    name = machine.tree.node(node).name if node in machine.tree else ""
    row = flat.row_of.get(node, -1)
    if row > 0 and situation.policy.has_group_diagram and not flat.is_leaf[row]:
        return situation.policy.diagram(situation, row, name)
    row = leaf_row(machine, node)
    situation = Present.of(machine, [row])
    leaf = machine.tree.node(int(flat.ids[row])).name
    about = leaf if leaf == name else f"{leaf}, below {name}: only users have increments"
    if not machine.state.lnode[row]:
        about += "; not logged in, shown as if it were"
    return situation.policy.diagram(situation, row, about)
