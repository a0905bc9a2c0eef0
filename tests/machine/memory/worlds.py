"""Machines with memory for tests."""

from __future__ import annotations

from typing import Any

from fsconsole.machine.machine import Machine
from fsconsole.machine.memory.images import Image
from fsconsole.machine.memory.manager import MemoryManager
from fsconsole.machine.parts import part_of
from fsconsole.shares.scenario.actions import StartProcess, Work
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec, PlotSpec, Scenario
from tests.machine.worlds import tree_of

TREE = tree_of({"PRI_INTR": 30, "PRI_BATCH": 1, "PRI_ND": 300})
NODES = {node.name: node.id for node in TREE.walk()}


def clicks(mw: float) -> int:
    """Clicks of a size in MW."""
    return round(mw * CLICKS_PER_MW)


def load(user: str, work: Work, count: int = 1) -> StartProcess:
    """Processes of one of the three classes, or of the root."""
    return StartProcess(NODES[user], work, "work", count)


def scenario_with(
    *loads: StartProcess, cpus: int = 8, seed: int = 1, policy: str = "fixed", **memory: Any
) -> Scenario:
    """The Y-MP's three classes under fixed priorities, with settings of memory."""
    return Scenario(
        TREE,
        machine=MachineSpec(cpus=cpus, memory=MemorySpec(**memory)),
        policy=PolicySpec(name=policy),
        workloads=loads,
        plot=PlotSpec(sample_s=60.0, rate_window_s=60.0),
        seed=seed,
    )


def memory_of(machine: Machine) -> MemoryManager:
    """The memory manager of a machine that has one."""
    memory = part_of(machine, MemoryManager)
    assert memory is not None
    return memory


def begin(machine: Machine, user: str, work: Work) -> Image:
    """Start a process and give its image."""
    outcome = machine.act(load(user, work))
    assert outcome.done, outcome.text
    return memory_of(machine).images[outcome.pids[0]]


def image(machine: Machine, pid: int) -> Image:
    """An image as it is now."""
    return memory_of(machine).images[pid]


def waited_s(machine: Machine, pid: int) -> float:
    """How long an image has waited for memory."""
    return image(machine, pid).swap_wait_ticks / machine.spec.hz


def out(machine: Machine) -> list[int]:
    """Pids of images that are out of memory."""
    return [each.pid for each in memory_of(machine).images.values() if each.where == "out"]
