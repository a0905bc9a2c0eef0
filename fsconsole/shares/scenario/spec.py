"""What a scenario says, as plain dataclasses: machine, policy, workloads, events, what to plot.

Default constants are those of the original Share kernel; where the papers give others they say so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Literal

from fsconsole.shares.scenario.actions import NICE_LEVELS, Action, StartProcess
from fsconsole.shares.scenario.nearest import nearest_or_all
from fsconsole.shares.tree import ShareTree

FORMAT_VERSION = 1
# Cost units of a tick as the Share kernel has it; charge in CPU seconds is counted at this price.
NORMAL_TICK_COST = 1000.0
# What policies/ has; said here so that a file that names another is told where it does.
POLICY_NAMES = ("share", "flat")
_MOST_HZ = 10_000

# Quantities that are sampled for every node, in the order of the console's plots.
Quantity = Literal["cpu_rate", "allocated_share", "effective_share", "normalised_usage", "charge"]
QUANTITIES: tuple[Quantity, ...] = (
    "cpu_rate",
    "allocated_share",
    "effective_share",
    "normalised_usage",
    "charge",
)

# Settings that stay as they are once a machine runs.
FIXED_SETTINGS = ("machine.hz", "machine.name", "machine.start")


class SettingError(ValueError):
    """A setting that does not exist or a value that it cannot have."""


@dataclass(frozen=True, slots=True)
class MachineSpec:
    """The simulated machine and its kernel's process scheduler.

    Attributes:
        name: what the console calls the machine.
        cpus: number of processors.
        hz: clock ticks per second; a tick is t3 of Junglas section 3.
        decay_interval_s: t2, the time between two decays of the process priorities.
        k2: priority decay factor per t2 and nice step: prio *= k2 * (nice + k3).
        k3: nice offset of the priority decay.
        tick_cost: cost units that a tick of CPU adds to the usage.
        nice_cost: `unit` charges every tick alike (Junglas), `share` by (60 - nice)/40 (Share kernel).
        count_inactive: use machine shares in place of allocated shares (the static variant).
        start: date and time at 0.
    """

    name: str = "Simulated machine"
    cpus: int = 1
    hz: int = 60
    decay_interval_s: float = 1.0
    k2: float = 0.988514 / 66
    k3: float = 27.0
    tick_cost: float = NORMAL_TICK_COST
    nice_cost: Literal["unit", "share"] = "unit"
    count_inactive: bool = False
    start: datetime = datetime(1991, 3, 4, 14, 0, 0)  # noqa: DTZ001 (the machine's own clock, no zone)

    def ticks(self, seconds: float) -> int:
        """The tick nearest to a time."""
        return round(seconds * self.hz)

    @property
    def cost_per_cpu_s(self) -> float:
        """Cost units in a CPU second of charge, whatever `tick_cost` and nice make of a tick."""
        return NORMAL_TICK_COST * self.hz

    def problems(self) -> list[tuple[str, str]]:
        """(setting, what is wrong) for values that cannot stand together."""
        found = []
        if self.cpus < 1 or self.cpus > 4096:
            found.append(("cpus", "needs 1 to 4096 processors"))
        if not 1 <= self.hz <= _MOST_HZ:
            found.append(("hz", f"needs 1 to {_MOST_HZ} ticks per second"))
        if not _whole_ticks(self.decay_interval_s, self.hz):
            found.append(("decay_interval_s", f"needs a whole number of ticks of 1/{self.hz} s"))
        smallest, largest = self.k2 * self.k3, self.k2 * (NICE_LEVELS - 1 + self.k3)
        if smallest <= 0 or largest >= 1:
            wanted = "k2 * (nice + k3) must lie between 0 and 1 for every nice from 0 to 39"
            found.append(("k2", f"{wanted}; here it runs from {smallest:.4g} to {largest:.4g}"))
        if not (0 <= self.tick_cost < 1e9):
            found.append(("tick_cost", "needs 0 to 1e9 cost units"))
        return found


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """Which policy rules the machine, and its parameters.

    Attributes:
        name: `share` (hierarchical) or `flat` (leaf shares alone, groups ignored).
        delta_s: t1, the run interval of the user-level scheduler.
        half_life_s: half-life of usage.
        rate_half_life_s: half-life of the filter that counts a user's runnable processes.
        adjgroups: `off`, or `share` for group adjustment as the Share kernel does it.
        mingshare: group adjustment acts above 1/mingshare of a group's entitlement.
        min_kusage, max_kusage: limits of usage / share^2.
    """

    name: str = "share"
    delta_s: float = 4.0
    half_life_s: float = 120.0
    rate_half_life_s: float = 4.0
    adjgroups: Literal["off", "share"] = "off"
    mingshare: float = 0.75
    min_kusage: float = 2.0
    max_kusage: float = 1e12

    def problems(self, machine: MachineSpec) -> list[tuple[str, str]]:
        """(setting, what is wrong) for values that cannot stand together."""
        found = []
        if self.name not in POLICY_NAMES:
            found.append(("name", f"no policy {self.name!r}{nearest_or_all(self.name, POLICY_NAMES)}"))
        if not _whole_ticks(self.delta_s, machine.hz):
            found.append(("delta_s", f"needs a whole number of ticks of 1/{machine.hz} s"))
        for name, value in (("half_life_s", self.half_life_s), ("rate_half_life_s", self.rate_half_life_s)):
            if not 0 < value < float("inf"):
                found.append((name, "needs a time above 0 s"))
        if not 0 < self.mingshare <= 1:
            found.append(("mingshare", "needs a number above 0 and at most 1"))
        if not 1e-15 <= self.min_kusage < self.max_kusage <= 1e15:
            found.append(("min_kusage", "needs 1e-15 <= min_kusage < max_kusage <= 1e15"))
        return found


def _whole_ticks(seconds: float, hz: int) -> bool:
    if not 1 <= hz <= _MOST_HZ:  # which is told by itself
        return True
    ticks = seconds * hz
    return 1 <= ticks < 1e12 and abs(ticks - round(ticks)) < 1e-6


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at a time: a login, a process start, an edit of the tree and so on."""

    at_s: float
    action: Action


@dataclass(frozen=True, slots=True)
class PlotSpec:
    """What the console shows first.

    Attributes:
        nodes: ids of the nodes whose curves are drawn; all leaves with work where empty.
        quantities: plots from top to bottom.
        leave_out_system: rescale to what is left without system groups.
        until_s: length of the run that the scenario is about.
        sample_s: time between samples.
        rate_window_s: time over which a CPU rate is measured.
    """

    nodes: tuple[int, ...] = ()
    quantities: tuple[Quantity, ...] = QUANTITIES
    leave_out_system: bool = True
    until_s: float = 1200.0
    sample_s: float = 1.0
    rate_window_s: float = 10.0

    def problems(self, machine: MachineSpec) -> list[tuple[str, str]]:
        """(key, what is wrong) for values that cannot stand together."""
        found = []
        if not _whole_ticks(self.sample_s, machine.hz):
            found.append(("sample_s", f"needs a whole number of ticks of 1/{machine.hz} s"))
        if self.rate_window_s < self.sample_s:
            found.append(("rate_window_s", f"needs at least the time between samples, {self.sample_s:g} s"))
        return found


@dataclass(frozen=True, slots=True)
class Scenario:
    """A whole scenario file, references resolved to node ids.

    `header` is the comment block at the top of the file, kept when it is saved again.
    """

    tree: ShareTree
    title: str = "Untitled"
    about: str = ""
    source: str = ""
    machine: MachineSpec = MachineSpec()
    policy: PolicySpec = PolicySpec()
    logins: tuple[int, ...] = ()
    workloads: tuple[StartProcess, ...] = ()
    events: tuple[Event, ...] = ()
    plot: PlotSpec = PlotSpec()
    seed: int = 1
    header: str = field(default="", compare=False)

    def with_settings(self, settings: Mapping[str, Any]) -> Scenario:
        """The scenario with `machine.*` and `policy.*` settings changed; SettingError where it cannot be."""
        machine, policy = changed_settings(self.machine, self.policy, settings)
        return replace(self, machine=machine, policy=policy)


def settings_of(machine: MachineSpec, policy: PolicySpec) -> dict[str, Any]:
    """All settings by dotted key, as in run manifests and `--set`."""
    rooms = (("machine", machine), ("policy", policy))
    return {f"{room}.{item.name}": getattr(spec, item.name) for room, spec in rooms for item in fields(spec)}


def split_setting(key: str) -> tuple[str, str]:
    """(`machine` or `policy`, name) of a dotted key; SettingError with the nearest keys otherwise."""
    known = list(settings_of(MachineSpec(), PolicySpec()))
    if key in known:
        room, _, name = key.partition(".")
        return room, name
    meant = next((item for item in known if item.endswith(f".{key}")), None)
    hint = f"; did you mean {meant}?" if meant else nearest_or_all(key, known)
    msg = f"no setting {key!r}{hint}"
    raise SettingError(msg)


def changed_settings(
    machine: MachineSpec, policy: PolicySpec, settings: Mapping[str, Any]
) -> tuple[MachineSpec, PolicySpec]:
    """Both with settings changed by dotted key; SettingError with all that cannot stand together."""
    for key, value in settings.items():
        room, name = split_setting(key)
        if room == "machine":
            machine = replace(machine, **{name: value})
        else:
            policy = replace(policy, **{name: value})
    found = [f"machine.{name} {text}" for name, text in machine.problems()]
    found += [f"policy.{name} {text}" for name, text in policy.problems(machine)]
    if found:
        raise SettingError("; ".join(found))
    return machine, policy


def digest(text: str) -> str:
    """Short hash of a scenario's text, for provenance."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]
