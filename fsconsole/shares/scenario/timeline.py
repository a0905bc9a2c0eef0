"""Who is logged in, what runs, and what happens when: a file's references resolved to nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario import actions, schema
from fsconsole.shares.scenario.batch_sections import EVENTS as BATCH_EVENTS
from fsconsole.shares.scenario.batch_sections import BatchReader
from fsconsole.shares.scenario.explain import sound
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.shares.scenario.names import DEFER_TO, Names
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.references import ReferenceReader, items
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import (
    FIXED_SETTINGS,
    Device,
    Event,
    MachineSpec,
    SettingError,
    changed_settings,
)
from fsconsole.shares.scenario.yaml_nodes import Document, Map, Seq
from fsconsole.text.nearest import nearest_or_all

# What an event may hold besides its time, in the order that messages name them.
_HAPPENINGS = (
    *("login", "logout", "start", "end", "renice", "newacct"),
    *("set_books", "restart", "set_shares", "set"),
    *BATCH_EVENTS,
)


class TimelineReader(ReferenceReader):
    """Reads logins, workloads and events; checks references whatever else is wrong."""

    def __init__(
        self, document: Document, names: Names, devices: Iterable[Device], batch: BatchReader
    ) -> None:
        super().__init__(document, names)
        self._batch = batch
        self._devices = [device.name for device in devices]
        self._settings: list[tuple[float, int, str, actions.SetSetting]] = []

    def logins(self, raw: Any) -> tuple[tuple[int, ...], tuple[Event, ...]]:
        """Ids of the leaves whose users are logged in at 0, and the logins of other people as events."""
        found: list[tuple[int, str]] = []
        for row, reference in enumerate(raw) if isinstance(raw, Seq) else ():
            path = f"logins[{row + 1}]"
            who = self._who(reference, raw.places[row], path)
            if who is not None and who in found:
                text = f"{reference} is logged in already: name every user once"
                self.say(raw.places[row], text, path)
            elif who is not None:
                found.append(who)
        nodes = tuple(node for node, person in found if not person)
        return nodes, tuple(Event(0.0, actions.Login(*who)) for who in found if who[1])

    def workloads(self, raw: Any) -> tuple[actions.StartProcess, ...]:
        """Processes that are there at 0."""
        found = (self._process(item, path) for path, item in items(raw, "workloads"))
        return tuple(self._at_start(process) for process in found if process is not None)

    def _at_start(self, process: actions.StartProcess) -> actions.StartProcess:
        """With the default account, which everybody works on at 0."""
        if process.node != actions.CURRENT_ACCOUNT:
            return process
        accounts = self.names.people[process.person].accounts  # none where the person has faults
        return replace(process, node=accounts[0]) if accounts else process

    def plot_nodes(self, raw: Any) -> tuple[int, ...]:
        """Ids of the nodes that are plotted first."""
        listed = raw.get("nodes") if isinstance(raw, Map) else None
        if not isinstance(listed, Seq):
            return ()
        nodes = [
            self.node(name, place, "plot.nodes") for name, place in zip(listed, listed.places, strict=True)
        ]
        return tuple(node.id for node in nodes if node is not None)

    def events(self, raw: Any, machine: MachineSpec, policy: PolicySpec) -> tuple[Event, ...]:
        """The timeline, in the order of the file."""
        found: list[Event] = []
        for path, item in items(raw, "events"):
            form = sound(schema.EventForm, item)
            happenings = [name for name in _HAPPENINGS if name in item]
            if len(happenings) != 1:
                told = f"an event holds one of {', '.join(_HAPPENINGS)} besides its time at"
                told += f", not {len(happenings)}" if happenings else ""
                self.say(item.place, told, path)
            if "end_processes" in item and "logout" not in item:
                self.say(item.place_of("end_processes", of_key=True), "end_processes goes with logout", path)
            for name in happenings:
                if item[name] is None:
                    self.say(item.place_of(name), f"{name} must not be empty", path)
                found += self._events(name, item, form, path)
        self._check_settings(machine, policy)
        return tuple(found)

    def _events(self, name: str, item: Map, form: schema.EventBase | None, path: str) -> list[Event]:
        at_s = form.at if form is not None else 0.0
        if name == "set" and isinstance(item[name], Map):
            settings = self._set(item[name], at_s, path)
            return [Event(at_s, action) for action in settings]
        if name in BATCH_EVENTS:
            return [Event(at_s, action) for action in self._batch.events(name, item, at_s, path)]
        return [Event(at_s, action) for action in self._actions(name, item, form, path)]

    def _actions(
        self, name: str, item: Map, form: schema.EventBase | None, path: str
    ) -> Iterator[actions.Action]:
        place = item.place_of(name)
        value = item[name]
        if name == "login" and (who := self._who(value, place, path)):
            yield actions.Login(*who)
        elif name == "logout" and (who := self._who(value, place, path)):
            yield actions.Logout(who[0], form.end_processes if form is not None else True, who[1])
        elif name == "start" and isinstance(value, Map):
            process = self._process(value, path)
            if process is not None:
                yield process
        elif name == "end" and isinstance(value, Map):
            yield from self._end(value, path)
        elif name == "renice" and isinstance(value, Map):
            yield from self._renice(value, path)
        elif name == "newacct" and isinstance(value, Map):
            yield from self._new_account(value, path)
        elif name == "set_books" and isinstance(value, Map):
            yield from self._set_books(value, path)
        elif name == "restart" and value is True:
            yield actions.Restart()
        elif name == "set_shares" and isinstance(value, Map):
            yield from self._set_shares(value, path)

    def _process(self, item: Map, path: str) -> actions.StartProcess | None:
        who = None
        if "user" in item:
            who = self._who(item["user"], item.place_of("user"), path, or_root=True)
        form = sound(schema.ProcessForm, item)
        self._check_work(item.get("work"), f"{path}.work")
        if who is not None and item.get("charge_to") is not None:
            who = self._charged(item, who[1], path)
        if form is None or who is None:
            return None
        node, person = who
        work = _work(form.work)
        return actions.StartProcess(node, work, form.command, form.count, form.nice, person, form.interactive)

    def _charged(self, item: Map, person: str, path: str) -> tuple[int, str] | None:
        account, place = item["charge_to"], item.place_of("charge_to")
        if not person:
            told = f"charge_to goes with a person of the list people; {item['user']} is charged itself"
            self.say(item.place_of("charge_to", of_key=True), told, path)
            return None
        find = self.names.find_account
        node = self.looked_up(lambda: find(person, account), place, path, account)
        return None if node is None else (node, person)

    def _check_work(self, raw: Any, path: str) -> None:
        if not isinstance(raw, Map):
            return
        needs = {"sleep_s": ("burst_s", "the CPU time between two sleeps")}
        needs["io_s"] = ("device", "the name of the device that serves the request")
        needs["device"] = ("burst_s", "the CPU time before each request")
        for key, (needed, what) in needs.items():
            if key in raw and needed not in raw:
                self.say(raw.place_of(key, of_key=True), f"{key} needs {needed}, {what}", path)
        self._batch.check_work(raw, path)
        if isinstance(raw.get("device"), str):
            self._check_device(raw, path)

    def _check_device(self, raw: Map, path: str) -> None:
        name, place = raw["device"], raw.place_of("device")
        if name not in self._devices:
            hint = nearest_or_all(name, self._devices) if self._devices else "; the list devices is empty"
            self.say(place, f"no device {name}{hint}", path)
        form = sound(schema.WorkForm, raw)
        if form is not None and not form.io_s:
            told = "device needs io_s, the time that a request takes there, above 0"
            self.say(raw.place_of("device", of_key=True), told, path)
        if form is not None and form.sleep_s:
            told = "a process waits for a device or sleeps, not both: leave sleep_s or device out"
            self.say(raw.place_of("sleep_s", of_key=True), told, path)

    def _renice(self, value: Map, path: str) -> Iterator[actions.Action]:
        form = sound(schema.ReniceForm, value)
        name = None
        if "user" in value:
            user, place = value["user"], value.place_of("user")
            find = self.names.find_user_name
            name = self.looked_up(lambda: find(user), place, f"{path}.renice", user)
        if (value.get("pid") is None) == (value.get("user") is None):
            self.say(value.place, "renice names either a pid or a user, and the new nice value", path)
        elif form is not None and form.pid is not None:
            yield actions.Renice(form.pid, form.nice)
        elif form is not None and name is not None:
            yield actions.ReniceUser(name, form.nice)

    def _new_account(self, value: Map, path: str) -> Iterator[actions.Action]:
        name, account = value.get("user"), value.get("account")
        if not isinstance(name, str) or not isinstance(account, str):
            return
        place = value.place_of("account" if name in self.names.people else "user")
        find = self.names.find_account
        node = self.looked_up(lambda: find(name, account), place, f"{path}.newacct")
        if node is not None:
            yield actions.NewAccount(name, node)

    def _set_books(self, value: Map, path: str) -> Iterator[actions.Action]:
        form = sound(schema.SetBooksForm, value)
        node = None
        if "user" in value:
            node = self.worker(value["user"], value.place_of("user"), f"{path}.set_books")
        if value.get("usage") is None and value.get("charge") is None:
            self.say(value.place, "set_books holds usage, charge or both besides the user", path)
        elif form is not None and node is not None:
            yield actions.SetBooks(node.id, form.usage, form.charge)

    def _end(self, value: Map, path: str) -> Iterator[actions.Action]:
        form = sound(schema.EndForm, value)
        node = None
        if "user" in value:
            node = self.worker(value["user"], value.place_of("user"), f"{path}.end", or_root=True)
        has_pid, has_user = (value.get(key) is not None for key in ("pid", "user"))
        if has_pid == has_user or (has_pid and "command" in value):
            self.say(value.place, "end names either a user, with or without a command, or a pid", path)
        elif form is not None and form.pid is not None:
            yield actions.EndProcess(form.pid)
        elif form is not None and node is not None:
            yield actions.EndProcesses(node.id, form.command)

    def _set_shares(self, value: Map, path: str) -> Iterator[actions.Action]:
        pairs = []
        for reference, shares in value.items():
            node = self.node(reference, value.place_of(reference, of_key=True), f"{path}.set_shares")
            if node is not None and type(shares) is int:
                pairs.append((node.id, shares))
        if not value:
            self.say(
                value.place, "set_shares names nodes with their new shares, such as {g1: 20, g2: 30}", path
            )
        elif pairs:
            yield actions.ChangeTree((SetShares(tuple(pairs)),))

    def _set(self, value: Map, at_s: float, path: str) -> Iterator[actions.SetSetting]:
        if not value:
            self.say(value.place, "set names settings, such as {policy.half_life_s: 600}", path)
        for key, new in value.items():
            place = value.place_of(key, of_key=True)
            if key in FIXED_SETTINGS:
                self.say(place, f"{key} cannot change while the machine runs", f"{path}.set")
                continue
            try:
                action = actions.SetSetting(key, value_of(key, new))
                if key == DEFER_TO and action.value:
                    self.names.find_leaf(action.value)
            except (SettingError, LookupError) as error:
                self.say(place, str(error), f"{path}.set")
                continue
            self._settings.append((at_s, place, f"{path}.set", action))
            yield action

    def _check_settings(self, machine: MachineSpec, policy: PolicySpec) -> None:
        """What cannot stand together once the events before it have happened."""
        try:
            changed_settings(machine, policy, {})
        except SettingError:
            return  # what is wrong from the start is told where it stands
        for _, place, path, action in sorted(self._settings, key=lambda setting: setting[0]):
            try:
                machine, policy = changed_settings(machine, policy, {action.key: action.value})
            except SettingError as error:
                self.say(place, str(error), path)

    def _who(self, reference: Any, place: int, path: str, *, or_root: bool = False) -> tuple[int, str] | None:
        find = self.names.find_who
        return self.looked_up(lambda: find(reference, or_root=or_root), place, path, reference)


def _work(form: Any) -> actions.Work:
    if isinstance(form, str):
        return actions.Work()
    values = dict(form)
    memory_mw, sds_mw = values.pop("memory_mw"), values.pop("sds_mw")
    if memory_mw:
        values["clicks"] = round(memory_mw * CLICKS_PER_MW)
    return actions.Work(**values, sds_clicks=round(sds_mw * CLICKS_PER_MW))
