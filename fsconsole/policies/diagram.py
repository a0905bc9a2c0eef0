"""The block diagram of a policy, with the values on its wires, and the parts that all of them have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.policies.explanation import UNKNOWN
from fsconsole.policies.situation import Situation

Unit = Literal["fraction", "factor", "count", "cost", "points"]
OURS = "ours"
EVERITT = "Everitt et al."


@dataclass(frozen=True, slots=True)
class Block:
    """A box: its title, its formula with the constants in force, its source, its place in a grid."""

    id: str
    title: str
    formula: str
    source: str
    column: int
    row: int


@dataclass(frozen=True, slots=True)
class Wire:
    """A value on its way from a block to another, or into one from outside (start is empty then)."""

    start: str
    end: str
    label: str
    value: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class Diagram:
    """Blocks and wires; `about` names the user or group shown and why that one is shown."""

    about: str
    blocks: tuple[Block, ...]
    wires: tuple[Wire, ...]


def cpu_block(situation: Situation) -> Block:
    """Return the processors, which take the process of lowest priority."""
    return Block("cpu", "CPUs", f"{situation.machine_spec.cpus}, lowest first", "Junglas 3, t3", 0, 1)


def priority_block(situation: Situation, row: int, place: tuple[int, int]) -> Block:
    """Return the priority of a leaf's processes, which decays."""
    decay = situation.next_process(row)[1]
    return Block("priority", "Priority", f"× {decay:.3g} a second", "Junglas 3, t2", *place)


def wire_to_cpu(situation: Situation, row: int) -> Wire:
    """Return the priority of a leaf's next process."""
    return Wire("priority", "cpu", "priority", situation.next_process(row)[0], "points")


def wire_of_increment(situation: Situation, row: int, start: str) -> Wire:
    """Return the increment of a leaf, from the block that makes it."""
    return Wire(start, "priority", "increment", float(situation.state.increment[row]), "points")


def charged(situation: Situation, row: int) -> float:
    """Return the fraction of the machine charged in the last delta."""
    capacity = situation.parameters.capacity
    return float(situation.state.charged[row]) / capacity if capacity > 0.0 else UNKNOWN


def short_diagram(
    situation: Situation, row: int, about: str, words: tuple[str, str, str], inputs: tuple[Wire, ...] = ()
) -> Diagram:
    """Return the diagram of a policy without memory.

    Args:
        situation: the policy's state.
        row: the leaf whose values are shown.
        about: which leaf that is.
        words: title, formula and source of the increment.
        inputs: wires into the increment.
    """
    blocks = (
        Block("increment", *words, 0, 0),
        priority_block(situation, row, (1, 0)),
        cpu_block(situation),
    )
    wires = (wire_of_increment(situation, row, "increment"), wire_to_cpu(situation, row), *inputs)
    return Diagram(about, blocks, wires)
