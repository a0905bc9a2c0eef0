"""The machine: ticks, seconds, deltas, events and samples in their order.

At coincident times: second, delta, sample, scenario events, actions from outside, then the tick: what is
done by hand at a tick is the same run as an event of the file there. Every action from outside is
journalled with its tick; a checkpoint plus the journal is the same run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import kernel
from fsconsole.machine.journal import JournalEntry, Outcome
from fsconsole.machine.operate import Operations
from fsconsole.machine.processes import ProcessTable
from fsconsole.machine.sample import Sample, sample_of
from fsconsole.policies.registry import policy_named
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import Action, ChangeTree, SetSetting
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


class Machine:
    """A simulated machine under a policy.

    Attributes:
        tick: ticks done so far.
        tree: the share tree, with changes that wait for the next delta.
        flat: the tree that is in force; rows of all columns.
        state: the policy's columns.
        processes: the process table.
        ran: CPU ticks given per row since the start; row 0 is what the exempt root used itself.
        ran_by_removed: CPU ticks given to users that are no longer in the tree.
        journal: what was done from outside.
        happened: ticks and words of all that was done, by the scenario or from outside, and of what the
            scenario wanted and could not be done (NOT_DONE).
        listeners: called with each sample.
    """

    def __init__(self, scenario: Scenario) -> None:
        """Build the machine at time 0; SettingError for settings that cannot be."""
        self.scenario = scenario
        self.spec: MachineSpec = scenario.machine
        self.policy_spec: PolicySpec = scenario.policy
        self.seed = scenario.seed
        self.policy = policy_named(scenario.policy.name)
        self.tree: ShareTree = scenario.tree.copy()
        self.flat = FlatTree.of(self.tree)
        self.tick = 0
        self.state = PolicyState.empty(len(self.flat))
        self.processes = ProcessTable.empty()
        self.commands: list[str] = []
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
        self.events = sorted(
            (self.spec.ticks(event.at_s), index) for index, event in enumerate(scenario.events)
        )
        self.next_event = 0
        self.operations = Operations(self)
        self._start()

    # -- what it is ---------------------------------------------------------------------------------------

    @property
    def now_s(self) -> float:
        """Simulated seconds since the start."""
        return self.tick / self.spec.hz

    @property
    def given(self) -> PolicyInput:
        """What the policy works on."""
        return PolicyInput(self.flat, self.policy_spec, self.spec.count_inactive, self.spec.decay_interval_s)

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
            boundary = self._next_boundary()
            self._run_ticks(min(until_tick, boundary))
            if self.tick == boundary:
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

    # -- inside -------------------------------------------------------------------------------------------

    def _start(self) -> None:
        for row, node in enumerate(self.tree.walk()):
            periods = 0 if node.last_use_s is None else int(-node.last_use_s // self.policy_spec.delta_s)
            decay = 0.5 ** (max(periods, 0) * self.policy_spec.delta_s / self.policy_spec.half_life_s)
            self.state.usage[row] = node.usage * decay
            self.state.charge[row] = node.charge * self.spec.cost_per_cpu_s
        self.operations.start_scenario()
        self._boundary()

    def _next_boundary(self) -> int:
        ticks = [self._after(self.spec.decay_interval_s), self._after(self.policy_spec.delta_s)]
        ticks.append(self._after(self.scenario.plot.sample_s))
        if self.next_event < len(self.events):
            ticks.append(max(self.events[self.next_event][0], self.tick + 1))
        return min(ticks)

    def _after(self, period_s: float) -> int:
        period = max(1, self.spec.ticks(period_s))
        return (self.tick // period + 1) * period

    def _is_at(self, period_s: float) -> bool:
        return self.tick % max(1, self.spec.ticks(period_s)) == 0

    def _boundary(self) -> None:
        if self._is_at(self.spec.decay_interval_s):
            self._second()
        if self.tick and self._is_at(self.policy_spec.delta_s):
            self._delta()
        if self._is_at(self.scenario.plot.sample_s):
            self._take_sample()
        while self.next_event < len(self.events) and self.events[self.next_event][0] <= self.tick:
            self._do_planned(self.scenario.events[self.events[self.next_event][1]].action)
            self.next_event += 1

    def _second(self) -> None:
        table = self.processes
        factor = self.spec.k2 * (table.nice + self.spec.k3)
        table.priority = np.rint(table.priority * factor).astype(np.int64)
        self.count_processes()
        self.policy.on_second(self.given, self.state)

    def _delta(self) -> None:
        self.take_changes()
        self.count_processes()
        self.policy.on_delta(self.given, self.state)

    def _take_sample(self) -> None:
        sample = self.sample()
        self.recent.append((self.tick, self.ran.copy()))
        window = self.spec.ticks(self.scenario.plot.rate_window_s)
        while len(self.recent) > 1 and self.recent[1][0] <= self.tick - window:
            self.recent.popleft()
        for listener in self.listeners:
            listener(sample)

    def _run_ticks(self, until: int) -> None:
        """Run up to a tick, or to where a process ends, so that its end takes effect at once."""
        table = self.processes
        self.tick = kernel.run_ticks(
            self.tick, until, self.spec.cpus, table.owner, table.state, table.priority, table.last_run,
            table.cpu_ticks, table.burst_left, table.cpu_left, table.wake, table.burst_mean, table.sleep_mean,
            table.exponential, table.stream, table.tick_cost, self.state.increment, self.state.cost, self.ran,
        )  # fmt: skip
        ended = table.state == kernel.ENDED
        if ended.any():
            table.keep(~ended)
            self.refresh()

    def _do(self, action: Action) -> Outcome:
        outcome = self.operations.do(action)
        if outcome.done:
            self.happened.append((self.tick, outcome.text))
        if self.tick == 0 and isinstance(action, ChangeTree | SetSetting):
            self.take_changes()
        return outcome

    def _do_planned(self, action: Action) -> None:
        """Do what nobody waits for an answer to; note it where it cannot be done."""
        outcome = self._do(action)
        if not outcome.done:
            self.happened.append((self.tick, f"{NOT_DONE}: {outcome.text}"))

    def count_processes(self) -> None:
        """Tell the policy how many processes each leaf has."""
        n = len(self.flat)
        self.state.runnable[:] = self.processes.count_by_owner(n, runnable=True)
        self.state.processes[:] = self.processes.count_by_owner(n, runnable=False)

    def refresh(self) -> None:
        """Work out shares and increments anew after who is active has changed."""
        self.count_processes()
        self.policy.start(self.given, self.state)

    def take_changes(self) -> None:
        """Put waiting edits, settings and actions in force."""
        if self.waiting_settings:
            self.spec, self.policy_spec = changed_settings(self.spec, self.policy_spec, self.waiting_settings)
            self.policy = policy_named(self.policy_spec.name)
            self.operations.set_costs()
            self.waiting_settings = {}
        if self.waiting_edits:
            self._take_edits()
        waiting, self.waiting_actions = self.waiting_actions, []
        for action in waiting:
            self._do_planned(action)
        if self.tick == 0:
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
        self.state.logged_in &= self.flat.is_leaf
        self.ran_by_removed += int(self.ran[rows < 0].sum())
        self.ran = _moved(self.ran, rows, len(self.flat))
        self.recent = deque((tick, _moved(ran, rows, len(self.flat))) for tick, ran in self.recent)
        self.processes.owner = rows[self.processes.owner]
        self.processes.keep(self.processes.owner >= 0)


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
