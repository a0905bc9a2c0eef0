"""The external actions on a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.machine.parts import Done, Part
from fsconsole.machine.processes import Start
from fsconsole.policies.registry import policy_named
from fsconsole.policies.words import AT_DELTA, IF_ON
from fsconsole.recording.journal import Outcome
from fsconsole.shares.edits import Edit, SetShares, apply_all
from fsconsole.shares.scenario.actions import (
    CURRENT_ACCOUNT,
    MAX_CLICKS,
    MAX_PROCESSES,
    MAX_SYSCALLS_PER_S,
    NICE_LEVELS,
    NORMAL_NICE,
    Action,
    ChangeTree,
    EndProcess,
    EndProcesses,
    Login,
    Logout,
    NewAccount,
    Renice,
    ReniceUser,
    Restart,
    ResumeProcess,
    SetBooks,
    SetSetting,
    StartProcess,
    SuspendProcess,
    WindowAction,
    Work,
)
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.settings import setting_text, value_of
from fsconsole.shares.scenario.spec import FIXED_SETTINGS, SettingError, changed_settings
from fsconsole.shares.tree import ROOT_ID, ShareTree, TreeError
from fsconsole.text.durations import LONGEST_S
from fsconsole.text.words import plural

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine


_MOST_NODES_NAMED = 3
MAX_USAGE = 1e18  # The unit is cost units.
MAX_CHARGE_S = 1e12


class Refused(Exception):  # noqa: N818 (an answer, not a fault)
    """An action or shell command is impossible; the message gives the reason, and a possible one."""


class Operations:
    """The handlers of actions on one machine.

    Attributes:
        how: the end of a job that the present action kills; empty for an operator.
    """

    def __init__(self, machine: Machine) -> None:
        """Attach to a machine."""
        self._machine = machine
        self.how = ""
        self._handlers: dict[type[Any], Callable[[Any], Done | tuple[str, tuple[int, ...]]]] = {
            Login: self._login,
            Logout: self._logout,
            StartProcess: self._start,
            EndProcess: self._end,
            EndProcesses: self._end_all,
            Renice: self._renice,
            ReniceUser: self._renice_user,
            NewAccount: self._new_account,
            SetBooks: self._set_books,
            Restart: self.restart,
            ChangeTree: self._change_tree,
            SetSetting: self._set,
        }

    def take_on(self, part: Part) -> None:
        """Add the handlers of a part of the machine."""
        self._handlers.update(part.handlers)

    def do(self, action: Action, how: str = "") -> Outcome:
        """Do an action and return its outcome; `how` is the end of a job that it kills."""
        machine, self.how = self._machine, how
        try:
            action = self._on_current_account(action)
            node = getattr(action, "node", None)
            if node is not None and node not in machine.tree:
                return Outcome(done=False, text=f"no node with id {node} in the tree", tick=machine.tick)
            if node is not None and node not in machine.flat.row_of:
                machine.waiting.actions.append(action)
                text = f"{machine.tree.node(node).name} joins at the next delta. Try again then"
                return Outcome(done=True, text=text, tick=machine.tick)
            if type(action) not in self._handlers:
                return Outcome(done=False, text=_no_part_for(action), tick=machine.tick)
            done = self._handlers[type(action)](action)
        except (Refused, TreeError, SettingError, LookupError) as reason:
            return Outcome(done=False, text=str(reason.args[0] if reason.args else reason), tick=machine.tick)
        if not isinstance(done, Done):
            done = Done(done[0], pids=done[1])
        return Outcome(True, done.text, machine.tick, done.pids, done.on, done.before, done.after)

    def start_scenario(self) -> None:
        """Log in users and start workloads at time 0.

        Raises:
            SettingError: a workload of the scenario cannot start.
        """
        scenario, machine = self._machine.scenario, self._machine
        machine.people.sessions += [("", node) for node in scenario.logins]
        starts: list[Start] = []
        for load in scenario.workloads:
            try:
                starts.append(self._begun(self._on_current_account(load), waiting=machine.next_pid - 1))
            except (Refused, LookupError) as reason:
                msg = f"the workload {load.command} of {load.person or self._name(load.node)}: {reason}"
                raise SettingError(msg) from None
        if starts:
            machine.processes.append(starts, machine.spec.hz, machine.seed)
        machine.set_costs()
        machine.refresh()

    def _on_current_account(self, action: Any) -> Any:
        """Return the action with its person's current account in place of CURRENT_ACCOUNT."""
        if getattr(action, "node", None) != CURRENT_ACCOUNT or not hasattr(action, "person"):
            return action
        return replace(action, node=self._machine.people.account_of(action.person))

    def _leaf_row(self, node_id: int) -> int:
        machine = self._machine
        row = machine.flat.row_of[node_id]
        if not machine.flat.is_leaf[row]:
            msg = f"{machine.tree.node(node_id).name} is a group. Only a user can have work"
            raise Refused(msg)
        return row

    def _name(self, node_id: int) -> str:
        return self._machine.tree.node(node_id).name

    def _login(self, action: Login) -> tuple[str, tuple[int, ...]]:
        self._leaf_row(action.node)
        machine, session = self._machine, (action.person, action.node)
        name = self._name(action.node)
        if session in machine.people.sessions:
            msg = f"{action.person or name} is already logged in"
            raise Refused(msg)
        machine.people.sessions.append(session)
        machine.refresh()
        return f"{action.person} logged in on {name}" if action.person else f"{name} logged in", ()

    def _logout(self, action: Logout) -> tuple[str, tuple[int, ...]]:
        row = self._leaf_row(action.node)
        machine, session = self._machine, (action.person, action.node)
        name = action.person or self._name(action.node)
        if session not in machine.people.sessions:
            msg = f"{name} is not logged in"
            raise Refused(msg)
        machine.people.sessions.remove(session)
        table = machine.processes
        own = (table.owner == row) & (table.person == self._text(machine.persons, action.person))
        pids = self._drop(own) if action.end_processes else ()
        machine.refresh()
        return f"{name} logged out", pids

    @staticmethod
    def _text(texts: list[str], text: str) -> int:
        """Return the row of a text in a growing list."""
        if text not in texts:
            texts.append(text)
        return texts.index(text)

    def _start(self, action: StartProcess) -> tuple[str, tuple[int, ...]]:
        pids = self.add(action)
        self._machine.refresh()
        what = f"process {pids[0]}" if len(pids) == 1 else f"processes {pids[0]} to {pids[-1]}"
        owner = self._machine.processes.owner[self._machine.processes.row_of(pids[0])]
        return f"started {what}, charged to {self._name(int(self._machine.flat.ids[owner]))}", pids

    def add(self, action: StartProcess, image: int | None = None) -> tuple[int, ...]:
        """Start processes and return their pids; the caller refreshes the machine then.

        `image` is the pid of the first process of their image; None for one of their own each.

        Raises:
            Refused: a value is not possible.
            LookupError: the leaf is not in force.
        """
        machine = self._machine
        start = self._begun(action)
        machine.processes.append([start], machine.spec.hz, machine.seed)
        if image is not None:
            machine.processes.image[-action.count :] = image
        machine.set_costs()
        for part in machine.parts:
            part.started(tuple(start.pids))
        return tuple(start.pids)

    def _begun(self, action: StartProcess, waiting: int = 0) -> Start:
        """Check a start and give it the next pids; the caller appends it to the processes.

        Args:
            action: the start.
            waiting: number of processes that are begun and not appended yet.

        Raises:
            Refused: a value is not possible.
            LookupError: the leaf is not in force.
        """
        machine = self._machine
        row = self._charged_row(action)
        nice = action.nice
        if nice is None:
            nice = machine.people.nice_of(action.person or self._name(action.node))
        self._check_nice(nice)
        _check_work(action.work)
        room = MAX_PROCESSES - len(machine.processes) - waiting
        if not 1 <= action.count <= room:
            msg = f"cannot start {action.count} processes. Use 1 to {room}"
            raise Refused(msg)
        device = self.device_of(action.work)  # A fault is refused before anything is stored.
        given = {
            "owner": row,
            "nice": nice,
            "device": device,
            "command": self._text(machine.commands, action.command),
            "person": self._text(machine.persons, action.person),
        }
        pids = range(machine.next_pid, machine.next_pid + action.count)
        machine.next_pid += action.count
        return Start(pids, given, action.work)

    def _charged_row(self, action: StartProcess) -> int:
        """Return the row that is charged: the leaf, or with DEFERTOESGRP that of interactive processes."""
        machine = self._machine
        if action.node == ROOT_ID:
            return 0
        reference = machine.spec.defer_interactive_to
        if action.interactive and reference:
            node = Names(machine.tree).find_worker(reference, or_root=False)
            if node.id in machine.flat.row_of:
                return self._leaf_row(node.id)
        return self._leaf_row(action.node)

    def device_of(self, work: Work) -> int:
        """Return the number of the device that work asks; -1 for none.

        Raises:
            Refused: the machine has no such device.
        """
        names = [device.name for device in self._machine.scenario.devices]
        if work.device is None:
            return -1
        if work.device not in names:
            known = f"; there are {', '.join(names)}" if names else "; the machine has none"
            msg = f"no device {work.device!r}{known}"
            raise Refused(msg)
        if work.burst_s is None:
            msg = f"a process that uses {work.device} needs a burst, the CPU time between two requests"
            raise Refused(msg)
        return names.index(work.device)

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
            msg = f"{self._name(action.node)} does not have such a process"
            raise Refused(msg)
        pids = self._drop(ended)
        machine.refresh()
        return f"ended {len(pids)} of {self._name(action.node)}", pids

    def _drop(self, ended: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[int, ...]:
        pids = tuple(int(pid) for pid in self._machine.processes.pid[ended])
        self._machine.drop_processes(ended)
        return pids

    def _check_nice(self, nice: int) -> None:
        if not 0 <= nice < NICE_LEVELS:
            msg = (
                f"nice {nice} is out of range. Use 0 (favoured) to {NICE_LEVELS - 1}; {NORMAL_NICE} is normal"
            )
            raise Refused(msg)

    def _renice(self, action: Renice) -> tuple[str, tuple[int, ...]]:
        table = self._machine.processes
        row = table.row_of(action.pid)
        self._check_nice(action.nice)
        table.nice[row] = action.nice
        self._machine.set_costs()
        return f"process {action.pid} now has nice {action.nice}", ()

    def _renice_user(self, action: ReniceUser) -> tuple[str, tuple[int, ...]]:
        machine = self._machine
        self._check_nice(action.nice)
        leaf = None
        if action.person not in machine.people.workers:
            leaf = Names(machine.tree).find_worker(action.person, or_root=False).id
        machine.people.set_nice(action.person, action.nice, leaf)
        table = machine.processes
        own = table.person == self._text(machine.persons, action.person)
        for account in machine.people.workers[action.person].accounts:
            is_there = account in machine.tree and account in machine.flat.row_of
            if is_there and self._name(account) == action.person:
                own |= (table.owner == machine.flat.row_of[account]) & (table.person == 0)
        table.nice[own] = action.nice
        machine.set_costs()
        return f"{action.person} now has nice {action.nice}", tuple(int(pid) for pid in table.pid[own])

    def _new_account(self, action: NewAccount) -> tuple[str, tuple[int, ...]]:
        machine = self._machine
        machine.people.account_of(action.person)
        accounts = machine.people.workers[action.person].accounts
        if action.node not in accounts:
            known = ", ".join(self._name(node) for node in accounts)
            msg = f"{action.person} may not charge {self._name(action.node)}. Allowed: {known}"
            raise Refused(msg)
        machine.people.switch(action.person, action.node)
        machine.refresh()
        return f"{action.person} now works on {self._name(action.node)}", ()

    def _set_books(self, action: SetBooks) -> tuple[str, tuple[int, ...]]:
        self._leaf_row(action.node)
        for name, value, most in (
            ("usage", action.usage, MAX_USAGE),
            ("charge", action.charge, MAX_CHARGE_S),
        ):
            if value is not None and not 0 <= value <= most:
                msg = f"a {name} of {value:g} is out of range. Use 0 to {most:g}"
                raise Refused(msg)
        self._machine.waiting.books.append(action)
        return f"I{self._when()[1:]}", ()

    def _when(self) -> str:
        """Return a phrase on when a change takes effect: the scenario's end may be that of the run."""
        machine = self._machine
        is_end = machine.tick and machine.tick == machine.spec.ticks(machine.scenario.plot.until_s)
        return f"{AT_DELTA}{IF_ON if is_end else ''}"

    def restart(self, _: Restart) -> tuple[str, tuple[int, ...]]:
        """End all processes and sessions; parts of the machine add their own restart."""
        machine, state = self._machine, self._machine.state
        pids = self._drop(np.ones(len(machine.processes), np.bool_))
        state.usage[:] += state.cost
        state.node_usage[:] += machine.flat.group_sum(state.cost)
        state.charge[:] += state.cost
        for column in (state.cost, state.rate, state.filtered):
            column[:] = 0.0
        state.lnode[:] = False
        state.weight[:] = 1.0
        machine.people.sessions.clear()
        machine.refresh()
        return "the machine was restarted; usages and charges were kept", pids

    def _change_tree(self, action: ChangeTree) -> tuple[str, tuple[int, ...]]:
        text = _edit_words(self._machine.tree, action.edits)
        apply_all(self._machine.tree, action.edits)
        self._machine.waiting.edits.extend(action.edits)
        return (f"{text}, {self._when()}" if self._machine.tick else text), ()

    def _set(self, action: SetSetting) -> Done:
        machine = self._machine
        value = value_of(action.key, action.value)
        if action.key in FIXED_SETTINGS:
            msg = f"{action.key} cannot change while the machine runs"
            raise Refused(msg)
        if action.key == "policy.name":
            policy_named(value)
        if action.key == "machine.defer_interactive_to" and value:
            Names(machine.tree).find_worker(value, or_root=False)
        before = (machine.settings | machine.waiting.settings)[action.key]
        waiting = {**machine.waiting.settings, action.key: value}
        changed_settings(machine.spec, machine.policy_spec, waiting)  # Impossible edits are refused here.
        machine.waiting.settings = waiting
        text = f"{action.key} = {value}, {self._when()}"
        return Done(text, action.key, setting_text(action.key, before), setting_text(action.key, value))


def _edit_words(tree: ShareTree, edits: Sequence[Edit]) -> str:
    """Return edits that are not made yet in words: the new shares of each node if these are few."""
    pairs = [pair for edit in edits if isinstance(edit, SetShares) for pair in edit.shares]
    if not pairs or len(pairs) > _MOST_NODES_NAMED or not all(isinstance(edit, SetShares) for edit in edits):
        return f"changed the shares of {len(pairs)} nodes" if pairs else "tree changed"
    nodes = [(tree.node(node), shares) for node, shares in pairs if node in tree]
    arrow = "\N{RIGHTWARDS ARROW}"
    return ", ".join(
        plural(
            shares,
            f"{node.name}: {node.shares} {arrow} 1 share",
            f"{node.name}: {node.shares} {arrow} {shares} shares",
        )
        for node, shares in nodes
    )


def _no_part_for(action: Any) -> str:
    """Return the reason why a machine without queues, memory or a near-dedicated window cannot do an
    action.
    """
    if isinstance(action, SuspendProcess | ResumeProcess):
        return (
            "this machine does not simulate memory: its scenario has neither memory.size_mw nor memory.sds_mw"
        )
    if isinstance(action, WindowAction):
        return (
            "this machine does not have a near-dedicated window: its scenario has no section near_dedicated"
        )
    return "this machine does not have batch queues: its scenario has no section queues"


def _check_work(work: Work) -> None:
    times = (("burst", work.burst_s), ("sleep", work.sleep_s), ("CPU time", work.cpu_s), ("I/O", work.io_s))
    for name, value in times:
        if value is not None and not 0 <= value <= LONGEST_S:
            msg = f"a {name} of {value} s is out of range. Use 0 to {LONGEST_S:g} s"
            raise Refused(msg)
    if not 0 <= work.syscalls_per_s <= MAX_SYSCALLS_PER_S or not 0 <= work.clicks <= MAX_CLICKS:
        msg = f"use 0 to {MAX_SYSCALLS_PER_S:g} system calls per s and 0 to {MAX_CLICKS} clicks"
        raise Refused(msg)
