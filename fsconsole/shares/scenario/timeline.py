"""Who is logged in, what runs, and what happens when: a file's references resolved to nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario import actions, schema
from fsconsole.shares.scenario.explain import sound
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import (
    FIXED_SETTINGS,
    Event,
    MachineSpec,
    PolicySpec,
    SettingError,
    changed_settings,
)
from fsconsole.shares.scenario.yaml_nodes import Document, Map, Seq
from fsconsole.shares.tree import Node

# What an event may hold besides its time, in the order that messages name them.
_HAPPENINGS = ("login", "logout", "start", "end", "renice", "set_shares", "set")


class TimelineReader:
    """Reads logins, workloads and events; checks references whatever else is wrong."""

    def __init__(self, document: Document, names: Names) -> None:
        self.problems: list[Problem] = []
        self._document = document
        self._names = names
        self._settings: list[tuple[float, int, str, actions.SetSetting]] = []

    def logins(self, raw: Any) -> tuple[int, ...]:
        """Ids of the users that are logged in at 0."""
        if not isinstance(raw, Seq):
            return ()
        found: list[int] = []
        for row, reference in enumerate(raw):
            node = self._worker(reference, raw.places[row], f"logins[{row + 1}]")
            if node is not None and node.id in found:
                text = f"{reference} is logged in already: name every user once"
                self._say(raw.places[row], text, f"logins[{row + 1}]")
            elif node is not None:
                found.append(node.id)
        return tuple(found)

    def workloads(self, raw: Any) -> tuple[actions.StartProcess, ...]:
        """Processes that are there at 0."""
        found = (self._process(item, path) for path, item in _items(raw, "workloads"))
        return tuple(process for process in found if process is not None)

    def plot_nodes(self, raw: Any) -> tuple[int, ...]:
        """Ids of the nodes that are plotted first."""
        listed = raw.get("nodes") if isinstance(raw, Map) else None
        if not isinstance(listed, Seq):
            return ()
        nodes = [
            self._node(name, place, "plot.nodes") for name, place in zip(listed, listed.places, strict=True)
        ]
        return tuple(node.id for node in nodes if node is not None)

    def events(self, raw: Any, machine: MachineSpec, policy: PolicySpec) -> tuple[Event, ...]:
        """The time line, in the order of the file."""
        found: list[Event] = []
        for path, item in _items(raw, "events"):
            form = sound(schema.EventForm, item)
            happenings = [name for name in _HAPPENINGS if name in item]
            if len(happenings) != 1:
                told = f"an event holds one of {', '.join(_HAPPENINGS)} besides its time at"
                told += f", not {len(happenings)}" if happenings else ""
                self._say(item.place, told, path)
            if "end_processes" in item and "logout" not in item:
                self._say(item.place_of("end_processes", of_key=True), "end_processes goes with logout", path)
            for name in happenings:
                if item[name] is None:
                    self._say(item.place_of(name), f"{name} must not be empty", path)
                found += self._events(name, item, form, path)
        self._check_settings(machine, policy)
        return tuple(found)

    def _events(self, name: str, item: Map, form: schema.EventForm | None, path: str) -> list[Event]:
        at_s = form.at if form is not None else 0.0
        if name == "set" and isinstance(item[name], Map):
            settings = self._set(item[name], at_s, path)
            return [Event(at_s, action) for action in settings]
        return [Event(at_s, action) for action in self._actions(name, item, form, path)]

    def _actions(
        self, name: str, item: Map, form: schema.EventForm | None, path: str
    ) -> Iterator[actions.Action]:
        place = item.place_of(name)
        value = item[name]
        if name == "login" and (node := self._worker(value, place, path)):
            yield actions.Login(node.id)
        elif name == "logout" and (node := self._worker(value, place, path)):
            yield actions.Logout(node.id, form.end_processes if form is not None else True)
        elif name == "start" and isinstance(value, Map):
            process = self._process(value, path)
            if process is not None:
                yield process
        elif name == "end" and isinstance(value, Map):
            yield from self._end(value, path)
        elif name == "renice" and (renice := sound(schema.ReniceForm, value)):
            yield actions.Renice(renice.pid, renice.nice)
        elif name == "set_shares" and isinstance(value, Map):
            yield from self._set_shares(value, path)

    def _process(self, item: Map, path: str) -> actions.StartProcess | None:
        node = None
        if "user" in item:
            node = self._worker(item["user"], item.place_of("user"), path, or_root=True)
        form = sound(schema.ProcessForm, item)
        self._check_work(item.get("work"), path)
        if form is None or node is None:
            return None
        return actions.StartProcess(node.id, _work(form.work), form.command, form.count, form.nice)

    def _check_work(self, raw: Any, path: str) -> None:
        if isinstance(raw, Map) and "sleep_s" in raw and "burst_s" not in raw:
            text = "sleep_s needs burst_s, the CPU time between two sleeps"
            self._say(raw.place_of("sleep_s", of_key=True), text, f"{path}.work")

    def _end(self, value: Map, path: str) -> Iterator[actions.Action]:
        form = sound(schema.EndForm, value)
        node = None
        if "user" in value:
            node = self._worker(value["user"], value.place_of("user"), f"{path}.end", or_root=True)
        has_pid, has_user = (value.get(key) is not None for key in ("pid", "user"))
        if has_pid == has_user or (has_pid and "command" in value):
            self._say(value.place, "end names either a user, with or without a command, or a pid", path)
        elif form is not None and form.pid is not None:
            yield actions.EndProcess(form.pid)
        elif form is not None and node is not None:
            yield actions.EndProcesses(node.id, form.command)

    def _set_shares(self, value: Map, path: str) -> Iterator[actions.Action]:
        pairs = []
        for reference, shares in value.items():
            node = self._node(reference, value.place_of(reference, of_key=True), f"{path}.set_shares")
            if node is not None and type(shares) is int:
                pairs.append((node.id, shares))
        if not value:
            self._say(
                value.place, "set_shares names nodes with their new shares, such as {g1: 20, g2: 30}", path
            )
        elif pairs:
            yield actions.ChangeTree((SetShares(tuple(pairs)),))

    def _set(self, value: Map, at_s: float, path: str) -> Iterator[actions.SetSetting]:
        if not value:
            self._say(value.place, "set names settings, such as {policy.half_life_s: 600}", path)
        for key, new in value.items():
            place = value.place_of(key, of_key=True)
            if key in FIXED_SETTINGS:
                self._say(place, f"{key} cannot change while the machine runs", f"{path}.set")
                continue
            try:
                action = actions.SetSetting(key, value_of(key, new))
            except SettingError as error:
                self._say(place, str(error), f"{path}.set")
                continue
            self._settings.append((at_s, place, f"{path}.set", action))
            yield action

    def _check_settings(self, machine: MachineSpec, policy: PolicySpec) -> None:
        """What cannot stand together once the events before it have happened."""
        for _, place, path, action in sorted(self._settings, key=lambda setting: setting[0]):
            try:
                machine, policy = changed_settings(machine, policy, {action.key: action.value})
            except SettingError as error:
                self._say(place, str(error), path)

    def _node(self, reference: Any, place: int, path: str) -> Node | None:
        if not isinstance(reference, str):
            return None
        try:
            return self._names.find(reference)
        except LookupError as error:
            self._say(place, str(error), path)
        return None

    def _worker(self, reference: Any, place: int, path: str, *, or_root: bool = False) -> Node | None:
        if not isinstance(reference, str):
            return None
        try:
            return self._names.find_worker(reference, or_root=or_root)
        except LookupError as error:
            self._say(place, str(error), path)
        return None

    def _say(self, place: int, text: str, path: str) -> None:
        self.problems.append(self._document.problem(place, text, path))


def _items(raw: Any, name: str) -> Iterator[tuple[str, Map]]:
    if isinstance(raw, Seq):
        for row, item in enumerate(raw):
            if isinstance(item, Map):
                yield f"{name}[{row + 1}]", item


def _work(form: Any) -> actions.Work:
    if isinstance(form, str):
        return actions.Work()
    return actions.Work(form.burst_s, form.sleep_s, form.cpu_s, form.spread)
