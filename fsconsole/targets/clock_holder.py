"""Holding the simulated clock where something happens, at the very tick."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.machine.jobs.batch import Batch
from fsconsole.machine.parts import part_of
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.policies.words import plain, words_of
from fsconsole.targets.hold_rules import EFFICIENCY, EVENT, JOB, PROCESS, WATCHDOG, WATCHDOG_AHEAD_S
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent, short_percent

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine
    from fsconsole.neardedicated.state import Run


class ClockHolder:
    """Checks after each step of a machine whether its clock must be held. It never changes the machine.

    A condition that already holds when its rule is chosen does not hold the clock.

    Attributes:
        rules: names of the active rules.
    """

    def __init__(self, machine: Machine) -> None:
        """Start with nothing to watch."""
        self._machine = machine
        self._batch, self._night = part_of(machine, Batch), part_of(machine, NearDedicated)
        self._reasons: dict[str, Callable[[], list[str]]] = {
            JOB: self._ended_jobs,
            WATCHDOG: self._near_watchdog,
            EFFICIENCY: self._low_efficiency,
            PROCESS: self._ended_processes,
            EVENT: self._events,
        }
        self.rules: frozenset[str] = frozenset()
        self.look()

    def watch(self, rules: Iterable[str]) -> None:
        """Hold at these from now on."""
        chosen = frozenset(rules) & frozenset(self._reasons)
        if chosen != self.rules:
            self.rules = chosen
            self.look()

    def look(self) -> None:
        """Accept the present state as known, so that an operator's actions hold nothing."""
        machine = self._machine
        self._job = self._last_job()
        self._event = machine.next_event
        self._near = self._near_request()
        self._low = self._low_request()
        self._note_processes()

    def advance(self, until_tick: int) -> list[str]:
        """Run the machine up to a tick or until a rule holds it; return the reasons for holding it."""
        machine = self._machine
        if not self.rules:
            machine.advance(until_tick)
            return []
        while machine.tick < until_tick:
            machine.advance_once(self._limit(until_tick))
            if reasons := self._reasons_now():
                return reasons
        return []

    # -- inside ---------------------------------------------------------------------------------------------

    def _limit(self, tick: int) -> int:
        """Return the latest tick, at most `tick`, up to which the machine can run without a check."""
        run = self._run if WATCHDOG in self.rules else None
        if run is None or run.request == self._near:
            return tick
        at = self._machine.spec.ticks(run.watchdog.acts_s - WATCHDOG_AHEAD_S)
        return min(tick, at) if at > self._machine.tick else tick

    def _reasons_now(self) -> list[str]:
        """Return the events since the last check that match the active rules."""
        found = [
            words for name, reasons in self._reasons.items() if name in self.rules for words in reasons()
        ]
        if found:
            self.look()
        return found

    # -- what has happened ----------------------------------------------------------------------------------

    @property
    def _run(self) -> Run | None:
        return None if self._night is None else self._night.state.run

    def _last_job(self) -> int:
        """Return the request of the job that ended last; 0 if no job has ended."""
        finished = () if self._batch is None else self._batch.finished
        return finished[-1].request if finished else 0

    def _ended_jobs(self) -> list[str]:
        if self._batch is None or self._last_job() == self._job:
            return []
        fresh = []
        for job in reversed(self._batch.finished):
            if job.request == self._job:
                break
            fresh.append(f"job {job.request} ({job.label}) {job.how or 'ended'}")
        self._job = self._last_job()
        return fresh[::-1]

    def _near_request(self) -> int:
        """Return the request of the job whose watchdog acts soon; 0 if there is none."""
        run, machine = self._run, self._machine
        if run is None or machine.tick < machine.spec.ticks(run.watchdog.acts_s - WATCHDOG_AHEAD_S):
            return 0
        return run.request

    def _near_watchdog(self) -> list[str]:
        before, self._near = self._near, self._near_request()
        run = self._run
        if run is None or self._near in (0, before):
            return []
        left_s = run.watchdog.acts_s - self._machine.now_s
        return [f"the watchdog kills {run.label} in {length_words(round(left_s))}"]

    def _low_request(self) -> int:
        """Return the request of the job with too low an efficiency; 0 if there is none."""
        run = self._run
        return 0 if run is None or run.below_since_s is None else run.request

    def _low_efficiency(self) -> list[str]:
        before, self._low = self._low, self._low_request()
        run, night = self._run, self._night
        if run is None or night is None or self._low in (0, before) or run.efficiency is None:
            return []
        required = short_percent(night.spec.required_efficiency)
        return [f"{run.label} is at {percent(run.efficiency)}, below {required}"]

    def _note_processes(self) -> None:
        table = self._machine.processes
        self._processes = (table.pid, table.command, self._machine.flat.ids[table.owner])

    def _ended_processes(self) -> list[str]:
        """Describe processes that ended.

        Columns are replaced as a whole when rows are added or removed, so an unchanged column means unchanged
        processes.
        """
        pids, commands, nodes = self._processes
        now = self._machine.processes.pid
        if now is pids:
            return []
        gone = np.flatnonzero(~np.isin(pids, now))
        tree, names = self._machine.tree, self._machine.commands
        messages = []
        for row in gone.tolist():
            node = int(nodes[row])
            whose = f" of {tree.node(node).name}" if node in tree else ""
            messages.append(f"process {int(pids[row])} ({names[int(commands[row])]}{whose}) ended")
        self._note_processes()
        return messages

    def _events(self) -> list[str]:
        machine = self._machine
        fresh = machine.events[self._event : machine.next_event]
        self._event = machine.next_event
        actions = (machine.scenario.events[index].action for _, index in fresh)
        return [plain(words_of(action, machine.tree)) or "an event of the scenario" for action in actions]
