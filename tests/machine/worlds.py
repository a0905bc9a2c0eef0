"""Small machines for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fsconsole.machine.machine import Machine, machine_for
from fsconsole.resources import examples
from fsconsole.shares.scenario.actions import Action, StartProcess, Work
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Event, MachineSpec, PlotSpec, Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree

ENDLESS = Work()
Nested = Mapping[str, "int | tuple[int, Nested]"]

# Junglas' groups without the system groups, which do not count while they are idle and empty.
GROUPS: Nested = {
    "gr1": (1000, {"u11": 1000, "u12": 0}),
    "gr2": (1000, {"u21": 800, "u22": 200, "u23": 0}),
}
TWO_AND_ONE: Nested = {"A": (1, {"1": 1, "2": 1}), "B": (1, {"3": 1, "4": 1})}


def tree_of(nested: Nested) -> ShareTree:
    """A tree of names: shares of a user, or (shares, children) of a group."""
    tree = ShareTree()

    def add(parent: int, items: Nested) -> None:
        for name, what in items.items():
            if isinstance(what, tuple):
                add(tree.add(parent, name, what[0], Kind.GROUP).id, what[1])
            else:
                tree.add(parent, name, what)

    add(ROOT_ID, nested)
    return tree


def scenario_of(
    nested: Nested,
    *,
    loops: Sequence[Any] = (),
    logins: Sequence[str] = (),
    events: Sequence[tuple[float, Action]] = (),
    cpus: int = 1,
    usage: Mapping[str, float] | None = None,
    sample_s: float = 1.0,
    seed: int = 1,
) -> Scenario:
    """A scenario; `loops` are users with an endless process, or (user, work[, count, nice])."""
    tree = tree_of(nested)
    for name, value in (usage or {}).items():
        tree.find(name).usage = value
    loads = []
    for loop in loops:
        given: tuple[Any, ...] = (loop,) if isinstance(loop, str) else loop
        usual: tuple[Any, ...] = ("", ENDLESS, 1, 20)
        name, work, count, nice = given + usual[len(given) :]
        loads.append(
            StartProcess(ROOT_ID if name == "root" else tree.find(name).id, work, "loop", count, nice)
        )
    return Scenario(
        tree,
        machine=MachineSpec(cpus=cpus),
        logins=tuple(tree.find(name).id for name in logins),
        workloads=tuple(loads),
        events=tuple(Event(at, action) for at, action in events),
        plot=PlotSpec(sample_s=sample_s, rate_window_s=max(10.0, sample_s)),
        seed=seed,
    )


def example(name: str, settings: Mapping[str, Any] | None = None) -> Machine:
    """A machine of an example scenario."""
    return machine_for(read_scenario(examples() / f"{name}.yaml"), settings)


def split(machine: Machine, until_s: float) -> dict[str, float]:
    """Run on and return each user's percent of the CPU time given to users meanwhile."""
    before = machine.ran.copy()
    machine.advance_to(until_s)
    used = (machine.ran - before).astype(float)
    used[0] = 0.0
    names = [machine.tree.node(int(node)).name for node in machine.flat.ids]
    total = used.sum()
    return {name: float(100 * value / total) for name, value in zip(names, used, strict=True) if value}


def same(one: Machine, other: Machine) -> bool:
    """Return True if two machines are in the same state, column by column."""
    pairs: list[tuple[Any, Any]] = [(one.ran, other.ran)]
    pairs += zip(one.state.columns().values(), other.state.columns().values(), strict=True)
    pairs += zip(one.processes.columns().values(), other.processes.columns().values(), strict=True)
    return one.tick == other.tick and all(np.array_equal(a, b) for a, b in pairs)
