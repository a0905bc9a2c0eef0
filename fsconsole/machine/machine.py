"""The machine: ticks, seconds, deltas, events and samples in their order.

At coincident times: second, delta, sample, scenario events, actions from outside, then the tick: what is
done by hand at a tick is the same run as an event of the file there. Every action from outside is
journalled with its tick; a checkpoint plus the journal is the same run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import engine, kernel
from fsconsole.machine.journal import JournalEntry, Outcome
from fsconsole.machine.operate import Operations
from fsconsole.machine.people import People
from fsconsole.machine.processes import ProcessTable
from fsconsole.machine.sample import Sample, sample_of
from fsconsole.policies import steps
from fsconsole.policies.parameters import Parameters, parameters_of
from fsconsole.policies.registry import policy_of
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import NICE_LEVELS, Action, ChangeTree, SetBooks, SetSetting
from fsconsole.shares.scenario.calendar import CostCalendar
from fsconsole.shares.scenario.spec import (
    MachineSpec,
    PolicySpec,
    Scenario,
    SettingError,
    changed_settings,
    settings_of,
)
from fsconsole.shares.tree import ShareTree

NOT_DONE = "not done"
_LARGEST_INCREMENT = 1e16


class Machine:
    """A simulated machine under a policy.

    Attributes:
        tick: ticks done so far.
        tree: the share tree, with changes that wait for the next delta.
        flat: the tree that is in force; rows of all columns.
        state: the policy's columns.
        processes: the process table; texts of its columns are in `commands` and `persons`.
        people: accounts, base nice values and sessions.
        devices: what the kernel knows of the devices, in the scenario's order.
        cost_rate: the calendar's factor of all costs now.
        ran: CPU ticks given per row since the start; row 0 is what the exempt root used itself.
        ran_by_removed: CPU ticks given to users that are no longer in the tree.
        journal: what was done from outside.
        happened: ticks and words of all that was done, by the scenario or from outside, and of what the
            scenario wanted and could not be done (NOT_DONE).
        listeners: called with each sample.
        run_span: the engine, `simple.run_span` where another is held against it.
    """

    run_span = staticmethod(engine.run_span)

    def __init__(self, scenario: Scenario) -> None:
        """Build the machine at time 0; SettingError for settings that cannot be."""
        self.scenario = scenario
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
        self.journal: list[JournalEntry] = []
        self.happened: list[tuple[int, str]] = []
        self.listeners: list[Callable[[Sample], None]] = []
        self.recent: deque[tuple[int, NDArray[np.int64]]] = deque()
        self.waiting_edits: list[Any] = []
        self.waiting_settings: dict[str, Any] = {}
        self.waiting_actions: list[Action] = []
        self.waiting_books: list[SetBooks] = []
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
        """What the policy works on."""
        spec = self.spec
        ticks = max(1, spec.ticks(spec.decay_interval_s))
        left = 1 - spec.k2 * (NICE_LEVELS - 1 + spec.k3)
        return PolicyInput(
            self.flat,
            self.policy_spec,
            spec.count_inactive,
            spec.decay_interval_s,
            capacity=spec.tick_cost * self.cost_rate * spec.ticks(self.policy_spec.delta_s) * spec.cpus,
            click_cost=spec.click_cost * self.cost_rate,
            largest_increment=float(min(_LARGEST_INCREMENT, kernel.LARGEST_PRIORITY * left / ticks // 1)),
        )

    @property
    def devices(self) -> kernel.Devices:
        """The devices as the kernel sees them."""
        return kernel.Devices(self.device_busy, self.spec.io_queue == "share")

    @property
    def settings(self) -> dict[str, Any]:
        """All settings in force, by dotted key."""
        return settings_of(self.spec, self.policy_spec)

    def sample(self) -> Sample:
        """The state of every node now."""
        return sample_of(self)

    # -- running ------------------------------------------------------------------------------------------

    def advance(self, until_tick: int) -> None:
        """Run up to a tick; nothing where it lies behind."""
        while self.tick < until_tick:
            stop = self._next_stop()
            self._run(min(until_tick, stop))
            self._boundary()

    def advance_to(self, time_s: float) -> None:
        """Run up to a simulated time."""
        self.advance(self.spec.ticks(time_s))

    def act(self, action: Action) -> Outcome:
        """Do something from outside, now, and journal it where it was done."""
        outcome = self._do(action)
        if outcome.done:
            self.journal.append(JournalEntry(self.tick, action))
        return outcome

    def replay(self, entries: list[JournalEntry]) -> None:
        """Do journalled actions again, each at its tick."""
        for entry in entries:
            self.advance(entry.tick)
            self.act(entry.action)

    def take_up(self) -> None:
        """Work out what a checkpoint does not hold of the columns that it does."""
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
        self._boundary()

    def _next_stop(self) -> int:
        """The next tick at which there is something to do that the compiled loop does not know."""
        ticks = [self._after(self.scenario.plot.sample_s), self._after(self.spec.sharer_interval_s)]
        if self._has_waiting:
            ticks.append(self._after(self.policy_spec.delta_s))
        if self.next_rate_tick is not None:
            ticks.append(max(self.next_rate_tick, self.tick + 1))
        if self.next_event < len(self.events):
            ticks.append(max(self.events[self.next_event][0], self.tick + 1))
        return min(ticks)

    @property
    def _has_waiting(self) -> bool:
        return bool(self.waiting_edits or self.waiting_settings or self.waiting_actions or self.waiting_books)

    def _after(self, period_s: float) -> int:
        period = max(1, self.spec.ticks(period_s))
        return (self.tick // period + 1) * period

    def _is_at(self, period_s: float) -> bool:
        return self.tick % max(1, self.spec.ticks(period_s)) == 0

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
        while self.next_event < len(self.events) and self.events[self.next_event][0] <= self.tick:
            self._do_planned(self.scenario.events[self.events[self.next_event][1]].action)
            self.next_event += 1

    def _delta(self) -> None:
        self.take_changes()
        delta = self.tick // max(1, self.spec.ticks(self.policy_spec.delta_s))
        engine.take_steps(steps.DELTA, self.parameters, self.state, delta)
        if self.waiting_books:
            self._write_books()

    def _write_books(self) -> None:
        """Put usages and charges in force that were written from outside, over what the delta made."""
        written, self.waiting_books = self.waiting_books, []
        for books in written:
            row = self.flat.row_of.get(books.node)
            if row is not None and books.usage is not None:
                self.state.usage[row] = self.state.node_usage[row] = books.usage
            if row is not None and books.charge is not None:
                self.state.charge[row] = books.charge * self.spec.cost_per_cpu_s
        self.refresh()

    def _remove_lnodes(self) -> None:
        """The sharer's round: l-nodes that nobody uses go (Junglas section 5)."""
        unused = self.state.lnode & ~self.state.leaf_active(self.flat)
        if unused.any():
            self.state.lnode[unused] = False
            self.state.rate[unused] = 0.0
            self.refresh()

    def _read_calendar(self) -> None:
        """Set the factor of all costs that the calendar has for now, and when it changes next."""
        calendar = CostCalendar(self.spec.calendar)
        now = self.spec.start + timedelta(seconds=self.now_s)
        change = calendar.next_change(now)
        self.cost_rate = calendar.rate_at(now)
        self.next_rate_tick = (
            None if change is None else self.spec.ticks((change - self.spec.start).total_seconds())
        )
        self.parameters = parameters_of(policy_of(self.policy_spec), self.given, self.state)

    def set_costs(self) -> None:
        """Price the ticks and requests of all processes anew."""
        prices = {"block": self.spec.bio_cost, "stream": self.spec.tio_cost}
        costs = np.array([prices[device.kind] for device in self.scenario.devices], np.float64)
        self.processes.price(self.spec, self.cost_rate, costs)

    def _take_sample(self) -> None:
        sample = self.sample()
        self.recent.append((self.tick, self.ran.copy()))
        window = self.spec.ticks(self.scenario.plot.rate_window_s)
        while len(self.recent) > 1 and self.recent[1][0] <= self.tick - window:
            self.recent.popleft()
        for listener in self.listeners:
            listener(sample)

    def _run(self, until: int) -> None:
        """Run up to a tick, or to where a process ends, so that its end takes effect at once."""
        spec = self.spec
        clock = engine.Clock(
            max(1, spec.ticks(spec.decay_interval_s)),
            max(1, spec.ticks(self.policy_spec.delta_s)),
            spec.cpus,
        )
        table = self.processes
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
        if ended:
            table.keep(table.state != kernel.ENDED)
            self.refresh()

    def _do(self, action: Action) -> Outcome:
        outcome = self.operations.do(action)
        if outcome.done:
            self.happened.append((self.tick, outcome.text))
        if self.tick == 0 and isinstance(action, ChangeTree | SetSetting | SetBooks):
            self.take_changes()
            self._write_books()
        return outcome

    def _do_planned(self, action: Action) -> None:
        """Do what nobody waits for an answer to; note it where it cannot be done."""
        outcome = self._do(action)
        if not outcome.done:
            self.happened.append((self.tick, f"{NOT_DONE}: {outcome.text}"))

    def drop_processes(self, dropped: NDArray[np.bool_]) -> None:
        """Take processes out of the table; a device that served one is free again."""
        table = self.processes
        table.keep(~dropped)
        served = table.device[table.state == kernel.SERVED]
        self.device_busy[:] = np.isin(np.arange(len(self.device_busy)), served)

    def refresh(self) -> None:
        """Work out shares and increments anew after who is there, the tree or a setting has changed."""
        n, state, table = len(self.flat), self.state, self.processes
        state.runnable[:] = table.count_by_owner(n, runnable=True)
        state.processes[:] = table.count_by_owner(n, runnable=False)
        state.clicks[:] = np.bincount(table.owner, weights=table.clicks, minlength=n).astype(np.int64)
        state.logged_in[:] = np.isin(self.flat.ids, list(self.people.logged_in()))
        state.lnode[:] |= state.leaf_active(self.flat)
        policy, given = policy_of(self.policy_spec), self.given
        self.parameters = parameters_of(policy, given, state)
        state.entitled[:] = policy.entitled(given, state)
        engine.take_steps(steps.START, self.parameters, state)

    def take_changes(self) -> None:
        """Put waiting edits, settings and actions in force."""
        if not self._has_waiting:
            return
        if self.waiting_settings:
            self.spec, self.policy_spec = changed_settings(self.spec, self.policy_spec, self.waiting_settings)
            self.waiting_settings = {}
            self._read_calendar()
            self.set_costs()
        if self.waiting_edits:
            self._take_edits()
        waiting, self.waiting_actions = self.waiting_actions, []
        for action in waiting:
            self._do_planned(action)
        self.refresh()

    def _take_edits(self) -> None:
        edits, self.waiting_edits = self.waiting_edits, []
        if all(isinstance(edit, SetShares) for edit in edits):
            self.flat = self.flat.with_shares([pair for edit in edits for pair in edit.shares])
            return
        before, self.flat = self.flat, FlatTree.of(self.tree)
        self.state = self.state.moved(before, self.flat)
        rows = np.array([self.flat.row_of.get(int(node), -1) for node in before.ids], np.int64)
        # A user that becomes a group takes nothing along: his processes end like those of one removed.
        rows[1:][~self.flat.is_leaf[rows[1:]]] = -1
        self.people.forget(self.tree)
        self.ran_by_removed += int(self.ran[rows < 0].sum())
        self.ran = _moved(self.ran, rows, len(self.flat))
        self.recent = deque((tick, _moved(ran, rows, len(self.flat))) for tick, ran in self.recent)
        self.processes.owner = rows[self.processes.owner]
        self.drop_processes(self.processes.owner < 0)
        self.state.lnode[:] &= self.flat.is_leaf


def machine_for(
    scenario: Scenario,
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
    sample_s: float | None = None,
) -> Machine:
    """A machine at time 0 with settings, seed and sampling other than the scenario's; SettingError."""
    changed = scenario.with_settings(settings or {})
    if seed is not None:
        changed = replace(changed, seed=seed)
    if sample_s is not None:
        plot = replace(
            changed.plot, sample_s=sample_s, rate_window_s=max(sample_s, changed.plot.rate_window_s)
        )
        changed = replace(changed, plot=plot)
    told = dict(changed.plot.problems(changed.machine)).get("sample_s")
    if told is not None:
        msg = f"a sample every {changed.plot.sample_s:g} s is not possible: it {told}"
        raise SettingError(msg)
    return Machine(changed)


def _moved(column: NDArray[np.int64], rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    result = np.zeros(n, np.int64)
    kept = rows >= 0
    result[rows[kept]] = column[kept]
    return result
