"""The block diagram of the policy that rules, with the values on its wires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconsole.machine.insight.present import Present
from fsconsole.machine.insight.why import leaf_row
from fsconsole.policies.diagram import Diagram

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


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
