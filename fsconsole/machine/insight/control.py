"""What the control view shows of a node at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fsconsole.machine.insight.fair_line import FairLine, fair_line_of
from fsconsole.machine.insight.present import Present
from fsconsole.machine.insight.why import leaf_row
from fsconsole.policies.diagram import Diagram
from fsconsole.policies.registry import policy_named, policy_of

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


@dataclass(frozen=True, slots=True)
class Control:
    """Diagram and fair line of a node, and what may keep the policy from settling.

    Attributes:
        half_life_s, k_mu: the settings that may be tried otherwise; k_mu is empty without feedback.
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
    """The control view of a node; LookupError as `why`."""
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
    """The diagram for a node; groups have one of their own under feedback alone. LookupError as `why`."""
    flat = machine.flat
    situation = Present.of(machine)
    name = machine.tree.node(node).name if node in machine.tree else ""
    row = flat.row_of.get(node, -1)
    if row > 0 and situation.policy.has_group_diagram and not flat.is_leaf[row]:
        return situation.policy.diagram(situation, row, name)
    row = leaf_row(machine, node)
    situation = Present.of(machine, [row])
    leaf = machine.tree.node(int(flat.ids[row])).name
    about = leaf if leaf == name else f"{leaf}, below {name}: users alone have increments"
    if not machine.state.lnode[row]:
        about += "; not logged in, shown as if"
    return situation.policy.diagram(situation, row, about)
