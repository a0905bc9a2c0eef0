"""The machine: ticks, seconds, deltas, events and samples in their order.

At coincident times: second, delta, sample, scenario events, external actions, then the tick: an action by
hand at a tick gives the same run as an event of the file there. Every external action is journalled with its
tick; a checkpoint plus the journal gives the same run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import engine, tick_kernel
from fsconsole.machine.meter import Meter
from fsconsole.machine.operate import Operations
from fsconsole.machine.parts import Part, PartMaker, own_parts
from fsconsole.machine.people import People
from fsconsole.machine.processes import ProcessTable
from fsconsole.machine.sample import Sample, sample_of
from fsconsole.machine.waiting import Waiting
from fsconsole.policies.accounting import DELTA, START
from fsconsole.policies.parameters import Parameters
from fsconsole.policies.registry import policy_of
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.policies.steps import parameters_of
from fsconsole.recording.audit import SCENARIO, AuditRow, Result
from fsconsole.recording.journal import JournalEntry, Outcome
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import NICE_LEVELS, Action, ChangeTree, SetBooks, SetSetting
from fsconsole.shares.scenario.calendar import CostCalendar
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec, Scenario, SettingError, settings_of
from fsconsole.shares.tree import ShareTree

NOT_DONE = "not done"
_LARGEST_INCREMENT = 1e16
_LEAST_SAMPLES = 16  # Fewer samples give no stable mean number of runnable processes.


class Machine:
    """A simulated machine under a policy.

    Attributes:
        tick: ticks done so far.
        tree: the share tree, including changes that wait for the next delta.
        flat: the tree in force; its rows are those of all columns.
        state: the policy's columns.
        processes: the process table; texts of its columns are in `commands` and `persons`.
        people: accounts, base nice values and sessions.
        devices: the kernel's data of the devices, in the scenario's order.
        cost_rate: the calendar's present factor of all costs.
        ran: CPU ticks given per row since the start; row 0 is the exempt root's own use.
        ran_by_removed: CPU ticks given to users since removed from the tree.
        recent: ticks of the samples in the rate window, with their `ran`.
        mean_runnable: fading mean of the number of runnable processes of each row at samples.
        samples: number of samples after the start.
        journal: external actions.
        happened: ticks and texts of all actions of the scenario or from outside, and of the scenario's failed
            actions (NOT_DONE).
        waiting: changes that take effect at the next delta.
        listeners: called with each sample.
        makers: makers of additional parts, such as a near-dedicated controller.
        parts: its parts beside CPUs and devices, in the order of their actions.
        audit: every action of people and of parts, done or refused.
        run_span: the engine; tests and `bench engine` replace it.
    """

    run_span = staticmethod(engine.run_span)

    def __init__(self, scenario: Scenario, makers: tuple[PartMaker, ...] = ()) -> None:
        """Build the machine at time 0.

        Raises:
            SettingError: settings are not possible.
        """
        self.scenario = scenario
        self.makers = makers
        self.parts: tuple[Part, ...] = ()
        self.audit: list[AuditRow] = []
        self.spec: MachineSpec = scenario.machine
        self.policy_spec: PolicySpec = scenario.policy
        self.seed = scenario.seed
        self.tree: ShareTree = scenario.tree.copy()
        self.flat = FlatTree.of(self.tree)
        self.tick = 0
        self.state = PolicyState.empty(len(self.flat))
        self.processes = ProcessTable.empty()
        self.commands: list[str] = []
        self.persons: list[str] = [""]
        self.people = People(scenario.people)
        self.device_busy: NDArray[np.bool_] = np.zeros(len(scenario.devices), np.bool_)
        self.cost_rate = 1.0
        self.next_rate_tick: int | None = None
        self.next_pid = 1
        self.ran: NDArray[np.int64] = np.zeros(len(self.flat), np.int64)
        self.ran_by_removed = 0
        self.meter = Meter()
        self.journal: list[JournalEntry] = []
        self.happened: list[tuple[int, str]] = []
        self.listeners: list[Callable[[Sample], None]] = []
        self.recent: deque[tuple[int, NDArray[np.int64]]] = deque()
        self.mean_runnable: NDArray[np.float64] = np.zeros(len(self.flat))
        self.samples = 0
        self.waiting = Waiting()
        self.events = sorted(
            (self.spec.ticks(event.at_s), index) for index, event in enumerate(scenario.events)
        )
        self.next_event = 0
        self.operations = Operations(self)
        self.parameters: Parameters
        self._start()

    # -- what it is ---------------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Simulated seconds since the start."""
        return self.tick / self.spec.hz

    @property
    def given(self) -> PolicyInput:
        """Input of the policy."""
        spec = self.spec
        left = 1 - spec.k2 * (NICE_LEVELS - 1 + spec.k3)
        # Steps of 1 never reach 2^62, so 1 is always possible.
        room = tick_kernel.LARGEST_PRIORITY * left / spec.period_ticks(spec.decay_interval_s)
        return PolicyInput(
            self.flat,
            self.policy_spec,
            spec.count_inactive,
            spec.decay_interval_s,
            capacity=spec.tick_cost * self.cost_rate * spec.ticks(self.policy_spec.delta_s) * spec.cpus,
            click_cost=spec.click_cost * self.cost_rate,
            largest_increment=float(min(_LARGEST_INCREMENT, max(1.0, room // 1))),
        )

    @property
    def devices(self) -> tick_kernel.Devices:
        """Devices in the form of the kernel."""
        return tick_kernel.Devices(self.device_busy, self.spec.io_queue == "share")

    @property
    def settings(self) -> dict[str, Any]:
        """All settings in force, by dotted key."""
        return settings_of(self.spec, self.policy_spec)

    def sample(self) -> Sample:
        """Return the state of every node now."""
        return sample_of(self)

    # -- running ------------------------------------------------------------------------------------------

    def advance(self, until_tick: int) -> None:
        """Run up to a tick; do nothing if that is in the past."""
        while self.tick < until_tick:
            self.advance_once(until_tick)

    def advance_once(self, until_tick: int) -> None:
        """Run up to a tick, or to the next one with an event other than ticks."""
        self._run(min(until_tick, self._next_stop()))
        self._boundary()

    def advance_to(self, time_s: float) -> None:
        """Run up to a simulated time."""
        self.advance(self.spec.ticks(time_s))

    def act(self, action: Action, who: str = "", why: str = "") -> Outcome:
        """Carry out an external action now, and journal it if it succeeds."""
        outcome = self._do(action)
        self.note(action, outcome, who, why)
        if outcome.done:
            self.journal.append(JournalEntry(self.tick, action, who, why))
        return outcome

    def do_as(self, who: str, action: Action, why: str = "", how: str = "", *, noted: bool = True) -> Outcome:
        """Do an action of a part of the machine, which a replay decides again: it is not journalled.

        `how` is the end of a job that it kills, by default by an operator. `noted` is whether it is written
        into the audit log here, not by the part.
        """
        outcome = self._do(action, how)
        if noted:
            self.note(action, outcome, who, why)
        return outcome

    def note(self, action: Action, outcome: Outcome, who: str, why: str = "") -> None:
        """Write an action, accepted or refused, into the audit log."""
        name = actions.words(action)
        result = Result.DONE if outcome.done else Result.REFUSED
        row = AuditRow(
            self.tick, who, name, outcome.on, outcome.before, outcome.after, result, outcome.text, why
        )
        self.audit.append(row)

    def replay(self, entries: list[JournalEntry]) -> None:
        """Repeat journalled actions, each at its tick."""
        for entry in entries:
            self.advance(entry.tick)
            self.act(entry.action, entry.who, entry.why)

    def replay_until(self, tick: int, journal: Sequence[JournalEntry]) -> None:
        """Run up to a tick with the actions in the journal of its whole run, those at the tick included."""
        self.replay([entry for entry in journal[len(self.journal) :] if entry.tick <= tick])
        self.advance(tick)

    def take_up(self) -> None:
        """Compute the columns that a checkpoint does not contain."""
        self.drop_processes(np.zeros(len(self.processes), np.bool_))
        self._read_calendar()

    # -- inside -------------------------------------------------------------------------------------------

    def _start(self) -> None:
        for row, node in enumerate(self.tree.walk()):
            periods = 0 if node.last_use_s is None else int(-node.last_use_s // self.policy_spec.delta_s)
            decay = 0.5 ** (max(periods, 0) * self.policy_spec.delta_s / self.policy_spec.half_life_s)
            self.state.usage[row] = node.usage * decay
            self.state.charge[row] = node.charge * self.spec.cost_per_cpu_s
        self.state.node_usage[:] = self.flat.group_sum(self.state.usage)
        self._read_calendar()
        self.operations.start_scenario()
        self.parts = own_parts(self) + tuple(maker(self) for maker in self.makers)
        for part in self.parts:
            self.operations.take_on(part)
        for part in self.parts:
            part.start()
        self._boundary()

    def _next_stop(self) -> int:
        """Return the next tick with an event that the compiled loop does not handle."""
        ticks = [self._after(self.scenario.plot.sample_s), self._after(self.spec.sharer_interval_s)]
        if self.waiting:
            ticks.append(self._after(self.policy_spec.delta_s))
        if self.next_rate_tick is not None:
            ticks.append(max(self.next_rate_tick, self.tick + 1))
        if self.next_event < len(self.events):
            ticks.append(max(self.events[self.next_event][0], self.tick + 1))
        wanted = (part.next_tick() for part in self.parts)
        ticks += [max(tick, self.tick + 1) for tick in wanted if tick is not None]
        return min(ticks)

    def _after(self, period_s: float) -> int:
        period = self.spec.period_ticks(period_s)
        return (self.tick // period + 1) * period

    def _is_at(self, period_s: float) -> bool:
        return self.tick % self.spec.period_ticks(period_s) == 0

    def _boundary(self) -> None:
        if self._is_at(self.spec.decay_interval_s):
            engine.second(self.parameters, self.state, self.processes.kernel_columns())
        if self.tick and self._is_at(self.policy_spec.delta_s):
            self._delta()
        if self._is_at(self.spec.sharer_interval_s):
            self._remove_lnodes()
        if self.tick == self.next_rate_tick:
            self._read_calendar()
            self.set_costs()
        if self._is_at(self.scenario.plot.sample_s):
            self._take_sample()
        for part in self.parts:
            due = part.next_tick()
            if due is not None and due <= self.tick:
                part.act()
        while self.next_event < len(self.events) and self.events[self.next_event][0] <= self.tick:
            action = self.scenario.events[self.events[self.next_event][1]].action
            self.note(action, self.do_planned(action), SCENARIO)
            self.next_event += 1

    def _delta(self) -> None:
        self.waiting.take(self)
        delta = self.tick // max(1, self.spec.ticks(self.policy_spec.delta_s))
        engine.take_steps(DELTA, self.parameters, self.state, delta)
        if self.waiting.books:
            self.waiting.write_books(self)

    def _remove_lnodes(self) -> None:
        """Remove unused l-nodes in the sharer's round (Junglas section 5)."""
        unused = self.state.lnode & ~self.state.leaf_active(self.flat)
        if unused.any():
            self.state.lnode[unused] = False
            self.state.rate[unused] = 0.0
            self.refresh()

    def _read_calendar(self) -> None:
        """Set the calendar's present factor of all costs, and the time of its next change."""
        calendar = CostCalendar(self.spec.calendar)
        now = self.spec.start + timedelta(seconds=self.now_s)
        change = calendar.next_change(now)
        self.cost_rate = calendar.rate_at(now)
        self.next_rate_tick = (
            None if change is None else self.spec.ticks((change - self.spec.start).total_seconds())
        )
        self.parameters = parameters_of(policy_of(self.policy_spec), self.given, self.state)

    def set_costs(self) -> None:
        """Recompute the prices of all processes' ticks and requests."""
        prices = {"block": self.spec.bio_cost, "stream": self.spec.tio_cost}
        costs = np.array([prices[device.kind] for device in self.scenario.devices], np.float64)
        self.processes.price(self.spec, self.cost_rate, costs)

    def _take_sample(self) -> None:
        sample = self.sample()
        self.recent.append((self.tick, self.ran.copy()))
        window = self.spec.ticks(self.scenario.plot.rate_window_s)
        while len(self.recent) > 1 and self.recent[1][0] <= self.tick - window:
            self.recent.popleft()
        if self.tick:  # At the start no process has run yet.
            self._count_runnable()
        for listener in self.listeners:
            listener(sample)

    def _count_runnable(self) -> None:
        """Update the mean number of runnable processes, over the rate window or some samples at least."""
        plot = self.scenario.plot
        self.samples += 1
        most = max(_LEAST_SAMPLES, round(plot.rate_window_s / plot.sample_s))
        self.mean_runnable += (self.state.runnable - self.mean_runnable) / min(self.samples, most)

    def _run(self, until: int) -> None:
        """Run up to a tick, or to the end of a process, so that its end takes effect at once."""
        spec = self.spec
        clock = engine.Clock(
            spec.period_ticks(spec.decay_interval_s), spec.period_ticks(self.policy_spec.delta_s), spec.cpus
        )
        table, before = self.processes, self.tick
        self.tick, ended = self.run_span(
            self.tick,
            until,
            clock,
            self.parameters,
            self.state,
            table.kernel_columns(),
            self.devices,
            self.ran,
        )
        self.meter.there += (self.tick - before) * spec.cpus
        if ended:
            for part in self.parts:
                taken = part.ended(np.flatnonzero(table.state == tick_kernel.ENDED))
                table.state[taken] = tick_kernel.HELD
            gone = table.state == tick_kernel.ENDED
            if gone.any():
                self.drop_processes(gone)
                self.refresh()

    def _do(self, action: Action, how: str = "") -> Outcome:
        outcome = self.operations.do(action, how)
        if outcome.done:
            self.happened.append((self.tick, outcome.text))
        if self.tick == 0 and isinstance(action, ChangeTree | SetSetting | SetBooks):
            self.waiting.take(self)
            self.waiting.write_books(self)
        return outcome

    def do_planned(self, action: Action) -> Outcome:
        """Do an action of the scenario; note it if it fails."""
        outcome = self._do(action)
        if not outcome.done:
            self.happened.append((self.tick, f"{NOT_DONE}: {outcome.text}"))
        return outcome

    def drop_processes(self, dropped: NDArray[np.bool_]) -> None:
        """Remove processes, bool [processes], from the table."""
        table = self.processes
        pids = table.pid[dropped]
        self.meter.count_out(table, dropped)
        table.keep(~dropped)
        if len(pids):
            for part in self.parts:
                part.dropped(pids)
        self.free_devices()

    def free_devices(self) -> None:
        """Free devices whose last request came from a process that is gone or held."""
        served = self.processes.device[self.processes.state == tick_kernel.SERVED]
        self.device_busy[:] = np.isin(np.arange(len(self.device_busy)), served)

    def refresh(self) -> None:
        """Recompute shares and increments after a change of users, the tree or a setting."""
        n, state, table = len(self.flat), self.state, self.processes
        state.runnable[:] = table.count_by_owner(n, runnable=True)
        state.processes[:] = table.count_by_owner(n, runnable=False)
        state.clicks[:] = np.bincount(table.owner, weights=table.clicks, minlength=n).astype(np.int64)
        state.logged_in[:] = np.isin(self.flat.ids, list(self.people.logged_in()))
        state.lnode[:] |= state.leaf_active(self.flat)
        policy, given = policy_of(self.policy_spec), self.given
        self.parameters = parameters_of(policy, given, state)
        state.entitled[:] = policy.entitled(given, state)
        engine.take_steps(START, self.parameters, state)

    def take_settings(self, spec: MachineSpec, policy_spec: PolicySpec) -> None:
        """Apply other settings; `refresh` follows."""
        self.spec, self.policy_spec = spec, policy_spec
        self._read_calendar()
        self.set_costs()


def machine_for(
    scenario: Scenario,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    sample_s: float | None = None,
    makers: tuple[PartMaker, ...] = (),
) -> Machine:
    """Return a machine at time 0 with settings, seed and sampling in place of the scenario's.

    Raises:
        SettingError: settings are not possible.
    """
    changed = scenario.with_settings(settings or {})
    if seed is not None:
        changed = replace(changed, seed=seed)
    if sample_s is not None:
        plot = replace(
            changed.plot, sample_s=sample_s, rate_window_s=max(sample_s, changed.plot.rate_window_s)
        )
        changed = replace(changed, plot=plot)
    problem = dict(changed.plot.problems(changed.machine)).get("sample_s")
    if problem is not None:
        msg = f"cannot sample every {changed.plot.sample_s:g} s: it {problem}"
        raise SettingError(msg)
    return Machine(changed, makers)
