"""The block diagram of the policy that rules, with the values on its wires.

Sources: Junglas 1991 section 3 (the loop of Share); Everitt, Jones and Knesel figures 2-4 to 2-6 (share node,
redistribution node, terminator).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from fsconsole.machine.insight.explanation import UNKNOWN
from fsconsole.machine.insight.present import Situation
from fsconsole.machine.insight.why import leaf_row, process_row
from fsconsole.policies.registry import EXPONENTIAL, FEEDBACK, FIXED, PROCESS_FAIR, SHARE
from fsconsole.shares.scenario.actions import NORMAL_NICE

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

Unit = Literal["fraction", "factor", "count", "cost", "points"]
_OURS = "ours"
_EVERITT = "Everitt et al."


@dataclass(frozen=True, slots=True)
class Block:
    """A box: what it computes, its formula with the constants in force, its source, its place in a grid."""

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
    """Blocks and wires; `about` says for which user or group, and why it is that one."""

    about: str
    blocks: tuple[Block, ...]
    wires: tuple[Wire, ...]


def diagram_of(machine: Machine, node: int) -> Diagram:
    """The diagram for a node; groups have one of their own under feedback alone. LookupError as `why`."""
    flat = machine.flat
    situation = Situation.of(machine)
    policy, name = situation.parameters.policy, machine.tree.node(node).name if node in machine.tree else ""
    row = flat.row_of.get(node, -1)
    if row > 0 and policy == FEEDBACK and not flat.is_leaf[row]:
        return _feedback(situation, row, name)
    row = leaf_row(machine, node)
    situation = Situation.of(machine, [row])
    leaf = machine.tree.node(int(flat.ids[row])).name
    about = leaf if leaf == name else f"{leaf}, below {name}: users alone have increments"
    if not machine.state.lnode[row]:
        about += "; not logged in, shown as if"
    if policy == FEEDBACK:
        return _feedback(situation, row, about)
    if policy == SHARE:
        return _share(situation, row, about)
    return _short(situation, row, about)


def _share(situation: Situation, row: int, about: str) -> Diagram:
    machine, state, par = situation.machine, situation.state, situation.parameters
    spec = machine.policy_spec
    title = "÷ flat share²" if situation.policy.ignores_groups else "÷ share²"
    limits = f"{par.min_kusage:g} to {par.max_kusage:g}".replace("e+", "e")
    blocks = [
        Block("decay", "Decay", f"u ← {par.usage_decay:.4g} u + cost", "Junglas 3, t1", 0, 0),
        Block("square", title, limits, f"{_EVERITT}, eq. 2 mended", 1, 0),
        Block("rate", "× processes", f"half-life {spec.rate_half_life_s:g} s", "Share kernel", 2, 0),
        _priority(situation, row, (3, 0)),
        Block("cpu", "CPUs", f"{machine.spec.cpus}, lowest first", "Junglas 3, t3", 0, 1),
    ]  # fmt: skip
    wires = [
        Wire("cpu", "decay", "charged", _charged(situation, row), "fraction"),
        Wire("decay", "square", "usage", float(state.usage[row]), "cost"),
        Wire("", "square", "share", float(state.entitled[row]), "fraction"),
        Wire("square", "rate", "usage/share²", float(state.kusage[row]), "points"),
        Wire("", "rate", "processes", float(state.rate[row]), "count"),
        Wire("rate", "priority", "increment", float(state.increment[row]), "points"),
        _to_cpu(situation, row),
    ]
    if par.adjgroups:
        _add_groups(situation, row, blocks, wires)
    return Diagram(about, tuple(blocks), tuple(wires))


def _add_groups(situation: Situation, row: int, blocks: list[Block], wires: list[Wire]) -> None:
    """ADJGROUPS: from what groups were charged to the increments of the users below."""
    par = situation.parameters
    group = int(situation.machine.flat.parent[row])
    if par.adjgroups == 1:
        formula, source = f"{par.mingshare:g} × charged / due", "Share kernel, ADJGROUPS"
    else:
        formula, source = "w ← w √(charged/due)", f"{_OURS}: integral"
    blocks.append(Block("groups", "Groups", formula, source, 1, 1))
    wires.append(Wire("cpu", "groups", "group", _charged(situation, group), "fraction"))
    wires.append(Wire("groups", "rate", "factor", situation.path_factor(row), "factor"))


def _feedback(situation: Situation, row: int, about: str) -> Diagram:
    state, par = situation.state, situation.parameters
    decay = float(par.level_decay[row])
    gain = float(par.k_mu[row]) if par.depth[row] > 1 else 0.0
    error = f"a − {gain:g} (c − a)" if gain else "base = a"
    aims, floors = f"{par.nu:g}·s·max(u/s) − u", f"{_EVERITT}, eq. 9, 10; floor {_OURS}"
    blocks = [
        Block("decay", "Decay", f"u ← {decay:.4g} u + cost", f"{_EVERITT}, fig. 2-7", 0, 0),
        Block("redistribution", "Redistribution", aims, floors, 1, 0),
        Block("error", "Share node", error, f"{_EVERITT}, fig. 2-4; least {par.base_min:g} {_OURS}", 2, 0),
        Block("lowpass", "Low-pass", f"c += {par.k_c:g} (charged − c)", f"{_EVERITT}, fig. 2-5", 1, 1),
        Block("cpu", "CPUs", f"{situation.machine.spec.cpus}, lowest first", "Junglas 3, t3", 0, 1),
    ]  # fmt: skip
    wires = [
        Wire("cpu", "decay", "charged", _charged(situation, row), "fraction"),
        Wire("decay", "redistribution", "usage", float(state.node_usage[row]), "cost"),
        Wire("redistribution", "error", "a, by target", float(state.actual[row]), "fraction"),
        Wire("cpu", "lowpass", "charged", _charged(situation, row), "fraction"),
        Wire("lowpass", "error", "c", float(state.filtered[row]), "fraction"),
    ]
    if situation.machine.flat.is_leaf[row]:
        nprocs = Block("terminator", "Terminator", "processes / base", f"{_OURS}: not base²", 3, 0)
        blocks += [nprocs, _priority(situation, row, (3, 1))]
        wires += [
            Wire("error", "terminator", "base", float(state.base[row]), "fraction"),
            Wire("", "terminator", "processes", float(state.rate[row]), "count"),
            Wire("terminator", "priority", "increment", float(state.increment[row]), "points"),
            _to_cpu(situation, row),
        ]
    else:
        blocks.append(Block("children", "Below", "base × each target", f"{_EVERITT}, fig. 2-6", 3, 0))
        blocks.append(Block("priority", "Processes", "of all users below", "", 3, 1))
        below = float(situation.machine.flat.group_sum(state.runnable.astype(np.float64))[row])
        wires += [
            Wire("error", "children", "base", float(state.base[row]), "fraction"),
            Wire("children", "priority", "increments", UNKNOWN, "points"),
            Wire("priority", "cpu", "runnable", below, "count"),
        ]
    return Diagram(about, tuple(blocks), tuple(wires))


def _short(situation: Situation, row: int, about: str) -> Diagram:
    """Policies without memory: an increment, the priority, the CPUs."""
    state, policy = situation.state, situation.parameters.policy
    titles = {
        FIXED: ("1 / share", "the same at all times", "Brady et al., FIXEDPRI"),
        PROCESS_FAIR: ("Constant", "the same for all", f"{_EVERITT} 2.1.1"),
        EXPONENTIAL: ("exp((1 − s) n)", "as printed", f"{_EVERITT}, eq. 1, a misprint"),
    }
    blocks = [
        Block("increment", *titles[policy], 0, 0),
        _priority(situation, row, (1, 0)),
        Block("cpu", "CPUs", f"{situation.machine.spec.cpus}, lowest first", "Junglas 3, t3", 0, 1),
    ]
    wires = [
        Wire("increment", "priority", "increment", float(state.increment[row]), "points"),
        _to_cpu(situation, row),
    ]
    if policy != PROCESS_FAIR:
        wires.append(Wire("", "increment", "share s", float(state.entitled[row]), "fraction"))
    if policy == EXPONENTIAL:
        wires.append(Wire("", "increment", "processes n", float(state.runnable[row]), "count"))
    return Diagram(about, tuple(blocks), tuple(wires))


def _priority(situation: Situation, row: int, place: tuple[int, int]) -> Block:
    decay = _next_process(situation, row)[1]
    return Block("priority", "Priority", f"× {decay:.3g} a second", "Junglas 3, t2", *place)


def _to_cpu(situation: Situation, row: int) -> Wire:
    return Wire("priority", "cpu", "priority", _next_process(situation, row)[0], "points")


def _next_process(situation: Situation, row: int) -> tuple[float, float]:
    """(Priority, decay) of a leaf's process that runs next; the decay of a normal nice value without one."""
    table, spec = situation.machine.processes, situation.machine.spec
    first = process_row(situation.machine, row)
    if first is None:
        return UNKNOWN, spec.priority_decay(NORMAL_NICE)
    return float(table.priority[first]), float(table.decay[first])


def _charged(situation: Situation, row: int) -> float:
    """Fraction of the machine charged in the last delta."""
    capacity = situation.parameters.capacity
    return float(situation.state.charged[row]) / capacity if capacity > 0.0 else UNKNOWN
