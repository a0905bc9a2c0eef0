"""What can be done to a machine from outside, action by action."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.machine.journal import Outcome
from fsconsole.machine.processes import cost_of_tick
from fsconsole.policies.registry import policy_named
from fsconsole.shares.edits import apply_all
from fsconsole.shares.scenario.actions import (
    MAX_PROCESSES,
    NICE_LEVELS,
    NORMAL_NICE,
    Action,
    ChangeTree,
    EndProcess,
    EndProcesses,
    Login,
    Logout,
    Renice,
    SetSetting,
    StartProcess,
    Work,
)
from fsconsole.shares.scenario.durations import LONGEST_S
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import FIXED_SETTINGS, SettingError, changed_settings
from fsconsole.shares.tree import ROOT_ID, TreeError

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


class Refused(Exception):  # noqa: N818 (an answer, not a fault)
    """An action that cannot be done; the message says why."""


class Operations:
    """Carries out actions on one machine."""

    def __init__(self, machine: Machine) -> None:
        """Stand beside a machine."""
        self._machine = machine
        self._handlers: dict[type[Any], Callable[[Any], tuple[str, tuple[int, ...]]]] = {
            Login: self._login,
            Logout: self._logout,
            StartProcess: self._start,
            EndProcess: self._end,
            EndProcesses: self._end_all,
            Renice: self._renice,
            ChangeTree: self._change_tree,
            SetSetting: self._set,
        }

    def do(self, action: Action) -> Outcome:
        """Do it, or say why not."""
        machine = self._machine
        try:
            node = getattr(action, "node", None)
            if node is not None and node not in machine.tree:
                return Outcome(done=False, text=f"no node with id {node} in the tree", tick=machine.tick)
            if node is not None and node not in machine.flat.row_of:
                machine.waiting_actions.append(action)
                text = f"{machine.tree.node(node).name} joins at the next delta; it is done then"
                return Outcome(done=True, text=text, tick=machine.tick)
            text, pids = self._handlers[type(action)](action)
        except (Refused, TreeError, SettingError, LookupError) as reason:
            return Outcome(done=False, text=str(reason.args[0] if reason.args else reason), tick=machine.tick)
        return Outcome(done=True, text=text, tick=machine.tick, pids=pids)

    def start_scenario(self) -> None:
        """Log in and start what is there at time 0."""
        scenario, machine = self._machine.scenario, self._machine
        for node in scenario.logins:
            machine.state.logged_in[machine.flat.row_of[node]] = True
        for load in scenario.workloads:
            try:
                self._add(load)
            except Refused as reason:
                msg = f"the workload {load.command} of {self._name(load.node)}: {reason}"
                raise SettingError(msg) from None
        machine.refresh()

    def set_costs(self) -> None:
        """Price the ticks of all processes anew."""
        table, spec = self._machine.processes, self._machine.spec
        table.tick_cost = np.array([cost_of_tick(spec, int(nice)) for nice in table.nice], np.float64)

    def _leaf_row(self, node_id: int) -> int:
        machine = self._machine
        row = machine.flat.row_of[node_id]
        if not machine.flat.is_leaf[row]:
            msg = f"{machine.tree.node(node_id).name} is a group; work belongs to a user"
            raise Refused(msg)
        return row

    def _name(self, node_id: int) -> str:
        return self._machine.tree.node(node_id).name

    def _login(self, action: Login) -> tuple[str, tuple[int, ...]]:
        row = self._leaf_row(action.node)
        if self._machine.state.logged_in[row]:
            msg = f"{self._name(action.node)} is logged in already"
            raise Refused(msg)
        self._machine.state.logged_in[row] = True
        self._machine.refresh()
        return f"{self._name(action.node)} logged in", ()

    def _logout(self, action: Logout) -> tuple[str, tuple[int, ...]]:
        row = self._leaf_row(action.node)
        if not self._machine.state.logged_in[row]:
            msg = f"{self._name(action.node)} is not logged in"
            raise Refused(msg)
        self._machine.state.logged_in[row] = False
        pids = self._drop(self._machine.processes.owner == row) if action.end_processes else ()
        self._machine.refresh()
        return f"{self._name(action.node)} logged out", pids

    def _start(self, action: StartProcess) -> tuple[str, tuple[int, ...]]:
        pids = self._add(action)
        self._machine.refresh()
        what = f"process {pids[0]}" if len(pids) == 1 else f"processes {pids[0]} to {pids[-1]}"
        return f"started {what}, charged to {self._name(action.node)}", pids

    def _add(self, action: StartProcess) -> tuple[int, ...]:
        machine = self._machine
        row = 0 if action.node == ROOT_ID else self._leaf_row(action.node)
        self._check_nice(action.nice)
        _check_work(action.work)
        room = MAX_PROCESSES - len(machine.processes)
        if not 1 <= action.count <= room:
            msg = f"cannot start {action.count} processes: 1 to {room} is possible"
            raise Refused(msg)
        if action.command not in machine.commands:
            machine.commands.append(action.command)
        command = machine.commands.index(action.command)
        pids = range(machine.next_pid, machine.next_pid + action.count)
        machine.processes.append(pids, row, command, action.nice, action.work, machine.spec, machine.seed)
        machine.next_pid += action.count
        return tuple(pids)

    def _end(self, action: EndProcess) -> tuple[str, tuple[int, ...]]:
        row = self._machine.processes.row_of(action.pid)
        ended = np.zeros(len(self._machine.processes), np.bool_)
        ended[row] = True
        pids = self._drop(ended)
        self._machine.refresh()
        return f"process {action.pid} ended", pids

    def _end_all(self, action: EndProcesses) -> tuple[str, tuple[int, ...]]:
        machine = self._machine
        row = 0 if action.node == ROOT_ID else self._leaf_row(action.node)
        ended = machine.processes.owner == row
        if action.command is not None:
            known = action.command in machine.commands
            ended &= machine.processes.command == (machine.commands.index(action.command) if known else -1)
        if not ended.any():
            msg = f"{self._name(action.node)} has no such process"
            raise Refused(msg)
        pids = self._drop(ended)
        machine.refresh()
        return f"ended {len(pids)} of {self._name(action.node)}", pids

    def _drop(self, ended: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[int, ...]:
        pids = tuple(int(pid) for pid in self._machine.processes.pid[ended])
        self._machine.processes.keep(~ended)
        return pids

    def _check_nice(self, nice: int) -> None:
        if not 0 <= nice < NICE_LEVELS:
            msg = f"nice {nice} is not possible: 0 (favoured) to {NICE_LEVELS - 1}, {NORMAL_NICE} is normal"
            raise Refused(msg)

    def _renice(self, action: Renice) -> tuple[str, tuple[int, ...]]:
        table = self._machine.processes
        row = table.row_of(action.pid)
        self._check_nice(action.nice)
        table.nice[row] = action.nice
        table.tick_cost[row] = cost_of_tick(self._machine.spec, action.nice)
        return f"process {action.pid} has nice {action.nice}", ()

    def _change_tree(self, action: ChangeTree) -> tuple[str, tuple[int, ...]]:
        apply_all(self._machine.tree, action.edits)
        self._machine.waiting_edits.extend(action.edits)
        return "In force at the next delta", ()

    def _set(self, action: SetSetting) -> tuple[str, tuple[int, ...]]:
        machine = self._machine
        value = value_of(action.key, action.value)
        if action.key in FIXED_SETTINGS:
            msg = f"{action.key} cannot change while the machine runs"
            raise Refused(msg)
        if action.key == "policy.name":
            policy_named(value)
        waiting = {**machine.waiting_settings, action.key: value}
        changed_settings(machine.spec, machine.policy_spec, waiting)  # refuses what cannot be
        machine.waiting_settings = waiting
        return f"{action.key} = {value}, in force at the next delta", ()


def _check_work(work: Work) -> None:
    for name, value in (("burst", work.burst_s), ("sleep", work.sleep_s), ("CPU time", work.cpu_s)):
        if value is not None and not 0 <= value <= LONGEST_S:
            msg = f"a {name} of {value} s is not possible: 0 to {LONGEST_S:g} s"
            raise Refused(msg)
