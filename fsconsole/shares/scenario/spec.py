"""A scenario as plain dataclasses: machine, policy, workloads, events, what to plot.

Default constants are those of the original Share kernel; where the papers give others they say so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from functools import cache
from math import log
from types import MappingProxyType
from typing import Any, Literal

from fsconsole.shares.scenario.actions import NICE_LEVELS, Action, StartProcess, SubmitJob
from fsconsole.shares.scenario.calendar import calendar_problems
from fsconsole.shares.scenario.job_spec import JobSpec, QueueSpec, UrmSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec
from fsconsole.shares.scenario.names import DEFER_TO, Names, Person
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.ranges import (
    JUNGLAS,
    MOST_HZ,
    NEAR_DEDICATED,
    OURS,
    SHARE,
    UNICOS,
    setting,
    whole_ticks,
)
from fsconsole.shares.tree import ShareTree
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import listed

FORMAT_VERSION = 1
# The Share kernel has this cost of a tick; charge in CPU seconds is counted at this price.
NORMAL_TICK_COST = 1000.0
# The engine computes all seconds between two decays at once, so their ticks have a limit.
_MOST_CPU_TICKS = 20_000_000
_LEAST_COST = 1e-6  # Numbers divided by a lower cost leave the range of floats.
_START = datetime(1991, 3, 4, 14, 0, 0)  # noqa: DTZ001 (the machine's own clock, no zone)
_LAST_YEAR = 9000  # Every time of a run must be a date.

# Every node has samples of these, in the order of the console's plots.
Quantity = Literal["cpu_rate", "allocated_share", "effective_share", "normalised_usage", "charge"]
QUANTITIES: tuple[Quantity, ...] = (
    "cpu_rate",
    "allocated_share",
    "effective_share",
    "normalised_usage",
    "charge",
)

# These settings cannot change once a machine runs.
FIXED_SETTINGS = ("machine.hz", "machine.name", "machine.start", "memory.size_mw", "memory.sds_mw")
# The settings of these parts have their own keys, and sections of the file.
PARTS: dict[str, type[Any]] = {"memory": MemorySpec, "urm": UrmSpec}


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
        syscall_cost: cost units of a system call.
        bio_cost: cost units of a request to a block device.
        tio_cost: cost units of a request to a stream device.
        click_cost: cost units of a click of memory (512 words) held for one delta.
        calendar: rates at which all costs are charged, by weekday and hour, such as
            `mon-fri 08:00-18:00 1` and `sat-sun 0.25`; the first line that fits holds, 1 where none does.
        sharer_interval_s: time between two rounds of the sharer, which removes l-nodes that nobody uses.
        io_queue: how devices pick the next request: `fifo`, or `share` for the owner that the policy favours.
        defer_interactive_to: the leaf that is charged for interactive processes, whoever starts them
            (DEFERTOESGRP); empty for none.
        count_inactive: use machine shares in place of allocated shares (the static variant).
        start: date and time at 0.
        memory, urm: settings of the memory scheduler and of the resource manager.
    """

    name: str = setting("Simulated machine", "Name", OURS)
    cpus: int = setting(1, "Processors", JUNGLAS, "CPUs")
    hz: int = setting(60, "Clock ticks, 1/t3", JUNGLAS, "per second")
    decay_interval_s: float = setting(1.0, "Decay of priorities, t2", JUNGLAS)
    k2: float = setting(0.988514 / 66, "K2", SHARE, "per nice step")
    k3: float = setting(27.0, "K3", SHARE, "nice steps")
    tick_cost: float = setting(NORMAL_TICK_COST, "Tick of CPU", SHARE, "cost units")
    nice_cost: Literal["unit", "share"] = setting("unit", "Nice in the cost", JUNGLAS)
    syscall_cost: float = setting(0.0, "System call", SHARE, "cost units")
    bio_cost: float = setting(0.0, "Block request", SHARE, "cost units")
    tio_cost: float = setting(0.0, "Stream request", SHARE, "cost units")
    click_cost: float = setting(0.0, "Click of memory, per delta", SHARE, "cost units")
    calendar: tuple[str, ...] = setting((), "Rates by day and hour", JUNGLAS)
    sharer_interval_s: float = setting(240.0, "Rounds of the sharer", JUNGLAS)
    io_queue: Literal["fifo", "share"] = setting("fifo", "Queues of devices", UNICOS)
    defer_interactive_to: str = setting("", "Interactive work charged to", NEAR_DEDICATED, "leaf")
    count_inactive: bool = setting(False, "Count inactive users", JUNGLAS)
    start: datetime = setting(_START, "Date and time at 0", OURS)  # noqa: RUF009 (frozen)
    memory: MemorySpec = MemorySpec()  # noqa: RUF009 (frozen)
    urm: UrmSpec = UrmSpec()  # noqa: RUF009

    def ticks(self, seconds: float) -> int:
        """Return the tick nearest to a time."""
        return round(seconds * self.hz)

    def period_ticks(self, seconds: float) -> int:
        """Return ticks between two rounds of a repeated action; at least one."""
        return max(1, self.ticks(seconds))

    @property
    def cost_per_cpu_s(self) -> float:
        """Cost units in a CPU second of charge, whatever `tick_cost` and nice make of a tick."""
        return NORMAL_TICK_COST * self.hz

    def priority_decay(self, nice: int) -> float:
        """Return the factor by which a decay interval reduces the priority of a process with that
        nice value.
        """
        return self.k2 * (nice + self.k3)

    def priority_half_life_s(self, nice: int) -> float:
        """Return the time in which a priority that nothing is added to comes down to half."""
        return self.decay_interval_s * log(0.5) / log(self.priority_decay(nice))

    def problems(self) -> list[tuple[str, str]]:
        """Return (setting, what is wrong) for values that cannot stand together."""
        found = []
        if self.cpus < 1 or self.cpus > 4096:
            found.append(("cpus", "needs 1 to 4096 processors"))
        if not 1 <= self.hz <= MOST_HZ:
            found.append(("hz", f"needs 1 to {MOST_HZ} ticks per second"))
        if not whole_ticks(self.decay_interval_s, self.hz):
            found.append(("decay_interval_s", f"needs a whole number of ticks of 1/{self.hz} s"))
        elif self.decay_interval_s * self.hz * self.cpus > _MOST_CPU_TICKS:
            most = _MOST_CPU_TICKS / (self.hz * self.cpus)
            message = f"needs at most {most:g} s with {self.cpus} processors of {self.hz} ticks per second"
            found.append(("decay_interval_s", message))
        smallest, largest = (self.priority_decay(nice) for nice in (0, NICE_LEVELS - 1))
        if smallest <= 0 or largest >= 1:
            wanted = "k2 * (nice + k3) must lie between 0 and 1 for every nice from 0 to 39"
            found.append(("k2", f"{wanted}; here it runs from {smallest:.4g} to {largest:.4g}"))
        costs = ("tick_cost", "syscall_cost", "bio_cost", "tio_cost", "click_cost")
        dear = [name for name in costs if not 0 <= getattr(self, name) < 1e9]
        found += [(name, "needs 0 to 1e9 cost units") for name in dear]
        cheap = [name for name in costs if 0 < getattr(self, name) < _LEAST_COST]
        found += [(name, f"needs 0, or at least {_LEAST_COST:g} cost units") for name in cheap]
        if self.start.year > _LAST_YEAR:
            found.append(("start", f"needs a year up to {_LAST_YEAR}"))
        if not whole_ticks(self.sharer_interval_s, self.hz):
            found.append(("sharer_interval_s", f"needs a whole number of ticks of 1/{self.hz} s"))
        return found + [("calendar", message) for message in calendar_problems(self.calendar)]


# Dialogs group the fields like this, in this order.
MACHINE_SECTIONS: dict[str, tuple[str, ...]] = {
    "Machine": (
        "name", "start", "cpus", "hz", "decay_interval_s", "k2", "k3", "sharer_interval_s",
        "count_inactive", "io_queue", "defer_interactive_to",
    ),
    "Costs": ("tick_cost", "nice_cost", "syscall_cost", "bio_cost", "tio_cost", "click_cost", "calendar"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at a time: a login, a process start, an edit of the tree and so on."""

    at_s: float
    action: Action


@dataclass(frozen=True, slots=True)
class Device:
    """Something that serves requests one at a time.

    `kind` says what a request costs: `block` the bio cost, `stream` the tio cost.
    """

    name: str
    kind: Literal["block", "stream"] = "block"


@dataclass(frozen=True, slots=True)
class Demand:
    """How much of the machine a node asks for: all it can get, a fraction of the machine, or nothing.

    Attributes:
        limit: fraction of the machine that the node can use at most; None where it is saturated, 0 if idle.
        measured: fraction that it had, where a report says so.
    """

    node: int
    limit: float | None = None
    measured: float | None = None


@dataclass(frozen=True, slots=True)
class DemandReport:
    """Demands of nodes that stand together, such as those of one month; nodes not named are saturated."""

    title: str
    demands: tuple[Demand, ...]


@dataclass(frozen=True, slots=True)
class PlotSpec:
    """Nodes, quantities and times that the console plots first.

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
        """Return (key, what is wrong) for values that exclude each other."""
        found = []
        if not whole_ticks(self.sample_s, machine.hz):
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
    policy: PolicySpec = PolicySpec()  # noqa: RUF009 (frozen)
    people: tuple[Person, ...] = ()
    devices: tuple[Device, ...] = ()
    logins: tuple[int, ...] = ()
    workloads: tuple[StartProcess, ...] = ()
    events: tuple[Event, ...] = ()
    reports: tuple[DemandReport, ...] = ()
    plot: PlotSpec = PlotSpec()
    seed: int = 1
    header: str = field(default="", compare=False)
    queues: tuple[QueueSpec, ...] = ()
    jobs: tuple[JobSpec, ...] = ()
    near_dedicated: NearDedicatedSpec | None = None

    def with_settings(self, settings: Mapping[str, Any]) -> Scenario:
        """Return the scenario with `machine.*` and `policy.*` settings changed.

        Raises:
            SettingError: it is impossible.
        """
        machine, policy = changed_settings(self.machine, self.policy, settings)
        if settings.get(DEFER_TO):
            try:
                Names(self.tree).find_leaf(machine.defer_interactive_to)
            except LookupError as error:
                msg = f"{DEFER_TO}: {error}"
                raise SettingError(msg) from None
        changed = replace(self, machine=machine, policy=policy)
        if ROOM_SETTINGS & settings.keys() and (problems := without_room(changed)):
            raise SettingError("; ".join(problems))
        return changed


def settings_of(machine: MachineSpec, policy: PolicySpec) -> dict[str, Any]:
    """Return all settings by dotted key, as in run manifests and `--set`."""
    rooms: list[tuple[str, Any]] = [("machine", machine), ("policy", policy)]
    rooms += [(name, getattr(machine, name)) for name in PARTS]
    return {
        f"{room}.{item.name}": getattr(spec, item.name)
        for room, spec in rooms
        for item in fields(spec)
        if item.name not in PARTS
    }


@cache
def default_settings() -> Mapping[str, Any]:
    """Return values of all settings, by dotted key, where a file gives none."""
    return MappingProxyType(settings_of(MachineSpec(), PolicySpec()))


def split_setting(key: str) -> tuple[str, str]:
    """Split a dotted key into (room, name); SettingError with the nearest keys otherwise."""
    known = default_settings()
    if key in known:
        room, _, name = key.partition(".")
        return room, name
    meant = next((item for item in known if item.endswith(f".{key}")), None)
    hint = f". Did you mean {meant}?" if meant else nearest_or_all(key, known)
    msg = f"unknown setting {key!r}{hint}"
    raise SettingError(msg)


def changed_settings(
    machine: MachineSpec, policy: PolicySpec, settings: Mapping[str, Any]
) -> tuple[MachineSpec, PolicySpec]:
    """Return both with settings changed by dotted key.

    Raises:
        SettingError: values exclude each other; the message lists all.
    """
    for key, value in settings.items():
        room, name = split_setting(key)
        if room == "machine":
            machine = replace(machine, **{name: value})
        elif room in PARTS:
            machine = replace(machine, **{room: replace(getattr(machine, room), **{name: value})})
        else:
            policy = replace(policy, **{name: value})
    found = [f"machine.{name}: {text}" for name, text in machine.problems()]
    found += [f"{part}.{name}: {text}" for part in PARTS for name, text in getattr(machine, part).problems()]
    found += [f"policy.{name}: {text}" for name, text in policy.problems(machine.hz)]
    if found:
        raise SettingError("; ".join(found))
    return machine, policy


def settings_in_order(
    machine: MachineSpec, policy: PolicySpec, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return settings in an order in which they can be made one by one, as each limit of a range may need.

    Those that cannot stand together with the others are last, as they were given.
    """
    left, order = dict(settings), dict[str, Any]()
    while left:
        for key, value in left.items():
            try:
                machine, policy = changed_settings(machine, policy, {key: value})
            except SettingError:
                continue
            order[key] = left.pop(key)
            break
        else:
            return order | left
    return order


def digest(text: str) -> str:
    """Hash a scenario's text for provenance."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


ROOM_SETTINGS = frozenset({"memory.size_mw", "memory.sds_mw"})
_MOST_NAMED = 5


def without_room(scenario: Scenario) -> list[str]:
    """Return the images that need more memory or SDS than there can ever be, as files are checked.

    Memory of size 0 is not simulated and has room for all; an SDS of size 0 is none.
    """
    memory = scenario.machine.memory
    found, wanted = [], list(_wanted(scenario))
    sizes = [(who, mw) for who, mw, _ in wanted] if memory.size_mw else []
    for size, asked in (("size_mw", sizes), ("sds_mw", [(who, mw) for who, _, mw in wanted])):
        there = getattr(memory, size)
        short = list(dict.fromkeys(f"{who} ({mw:g} MW)" for who, mw in asked if mw > there))
        if short:
            found.append(f"memory.{size} {there:g} MW is too small for {listed(short, _MOST_NAMED)}")
    held = sum(load.count * load.work.sds_clicks for load in scenario.workloads) / CLICKS_PER_MW
    if held > memory.sds_mw > 0:
        found.append(f"memory.sds_mw {memory.sds_mw:g} MW is too small for workloads, which use {held:g} MW")
    return found


def _wanted(scenario: Scenario) -> Iterator[tuple[str, float, float]]:
    """Yield (name, MW of memory, MW of SDS) of each job and process that ever comes."""
    actions = [event.action for event in scenario.events]
    jobs = [*scenario.jobs, *(one.job for one in actions if isinstance(one, SubmitJob))]
    loads = [*scenario.workloads, *(one for one in actions if isinstance(one, StartProcess))]
    for job in jobs:
        yield f"job {job.name}", max(job.memory_mw, job.setup_mw), job.sds_mw
    for load in loads:
        memory, sds = load.work.clicks / CLICKS_PER_MW, load.work.sds_clicks / CLICKS_PER_MW
        yield f"process {load.command}".rstrip(), memory, sds
