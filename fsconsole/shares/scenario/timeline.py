"""Logins, processes and events of a file, with references resolved to nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario import actions, schema
from fsconsole.shares.scenario.batch_sections import BatchReader
from fsconsole.shares.scenario.event_kinds import (
    EVENTS,
    NAMED,
    Refers,
    called,
    fields_that_refer,
    kinds_by_key,
    limits,
)
from fsconsole.shares.scenario.explain import sound
from fsconsole.shares.scenario.field_types import sound_values
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.shares.scenario.names import DEFER_TO, Names
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.ranges import outside
from fsconsole.shares.scenario.references import ReferenceReader, items
from fsconsole.shares.scenario.settings import value_of
from fsconsole.shares.scenario.spec import (
    FIXED_SETTINGS,
    Event,
    MachineSpec,
    SettingError,
    changed_settings,
    settings_in_order,
)
from fsconsole.shares.scenario.yaml_nodes import Document, Map, Seq
from fsconsole.text.durations import in_words

_KINDS = kinds_by_key()
# Messages name the keys of an event, besides its time, in this order.
_KEYS = sorted(_KINDS, key=lambda key: EVENTS[_KINDS[key][0]].is_word)


class _EventEntry(NamedTuple):
    """Entry of an event in a file: its mapping, its key and value, their place, and its time."""

    item: Map
    key: str
    value: Any
    place: int
    at_s: float
    path: str  # Messages name the event's place by it.


class TimelineReader(ReferenceReader):
    """Reads logins, workloads and events; checks references whatever else is wrong."""

    def __init__(self, document: Document, names: Names, batch: BatchReader) -> None:
        super().__init__(document, names)
        self._batch = batch
        self._settings: list[tuple[_EventEntry, list[Event]]] = []
        # These actions have readers, since declarations cannot describe them.
        self._readers: dict[type[Any], Callable[[_EventEntry], Iterator[actions.Action]]] = {
            actions.Login: self._login,
            actions.Logout: self._logout,
            actions.StartProcess: self._start,
            actions.ChangeTree: self._set_shares,
            actions.SetSetting: self._set,
            actions.SubmitJob: lambda entry: batch.submit(entry.value, f"{entry.path}.submit"),
        }

    def logins(self, raw: Any) -> tuple[tuple[int, ...], tuple[Event, ...]]:
        """Return ids of the leaves whose users are logged in at 0, and the logins of other people
        as events.
        """
        found: list[tuple[int, str]] = []
        for row, reference in enumerate(raw) if isinstance(raw, Seq) else ():
            path = f"logins[{row + 1}]"
            who = self._who(reference, raw.places[row], path)
            if who is not None and who in found:
                text = f"{reference} is already logged in. List each user once"
                self.say(raw.places[row], text, path)
            elif who is not None:
                found.append(who)
        nodes = tuple(node for node, person in found if not person)
        return nodes, tuple(Event(0.0, actions.Login(*who)) for who in found if who[1])

    def workloads(self, raw: Any) -> tuple[actions.StartProcess, ...]:
        """Return the processes that exist at 0."""
        found = (self._process(item, path) for path, item in items(raw, "workloads"))
        return tuple(self._at_start(process) for process in found if process is not None)

    def _at_start(self, process: actions.StartProcess) -> actions.StartProcess:
        """Start with the default account, which every user works on at 0."""
        if process.node != actions.CURRENT_ACCOUNT:
            return process
        accounts = self.names.people[process.person].accounts  # A person with faults has no accounts.
        return replace(process, node=accounts[0]) if accounts else process

    def plot_nodes(self, raw: Any) -> tuple[int, ...]:
        """Return ids of the nodes that are plotted first."""
        listed = raw.get("nodes") if isinstance(raw, Map) else None
        if not isinstance(listed, Seq):
            return ()
        nodes = [
            self.node(name, place, "plot.nodes") for name, place in zip(listed, listed.places, strict=True)
        ]
        return tuple(node.id for node in nodes if node is not None)

    def events(self, raw: Any, machine: MachineSpec, policy: PolicySpec) -> tuple[Event, ...]:
        """Return the timeline, in the order of the file."""
        found: list[list[Event]] = []
        for path, item in items(raw, "events"):
            form = sound(schema.EventForm, item)
            at_s = form.at if form is not None else 0.0
            keys = [key for key in _KEYS if key in item]
            if len(keys) != 1:
                text = f"an event has one of {', '.join(_KEYS)} besides its time at"
                text += f", not {len(keys)}" if keys else ""
                self.say(item.place, text, path)
            if "end_processes" in item and "logout" not in item:
                self.say(item.place_of("end_processes", of_key=True), "end_processes needs logout", path)
            for key in keys:
                if item[key] is None:
                    self.say(item.place_of(key), f"{key} must not be empty", path)
                read = self._readers.get(_KINDS[key][0], self._by_declaration)
                entry = _EventEntry(item, key, item[key], item.place_of(key), at_s, path)
                found.append([Event(at_s, action) for action in read(entry)])
                if read == self._set:
                    self._settings.append((entry, found[-1]))
        self._order_settings(machine, policy)
        return tuple(chain.from_iterable(found))

    # -- events that are read by the declarations of their actions ---------------------------------------

    def _by_declaration(self, entry: _EventEntry) -> Iterator[actions.Action]:
        kinds, value, path = _KINDS[entry.key], entry.value, f"{entry.path}.{entry.key}"
        first, *_ = kinds
        if EVENTS[first].needs_windows and not self._batch.has_windows:
            text = f"{entry.key} needs the section near_dedicated, which is missing"
            self.say(entry.item.place_of(entry.key, of_key=True), text, path)
        if isinstance(value, Map) and not EVENTS[first].is_word:
            values = {kind: self._values(kind, value, path) for kind in kinds}
            if meant := _meant(kinds, value):
                yield from self._checked(meant, values[meant], entry)
            else:
                self.say(entry.place, EVENTS[first].wrong, entry.path)
        elif value is True or EVENTS[first].is_word:
            raw = dict.fromkeys(called(first).values(), value) if EVENTS[first].is_word else {}
            yield from self._checked(first, sound_values(first, raw), entry)

    def _values(self, kind: type[Any], raw: Map, path: str) -> dict[str, Any]:
        """Return values that are right each by themselves, references as the action holds them."""
        values, keys = sound_values(kind, raw), called(kind)
        for name, to, nothing in fields_that_refer(kind):
            key = keys[name]
            if to in NAMED:
                values.pop(name, None)
                found = self._named(to, raw, key, keys.get("person", ""), path) if key in raw else None
                values |= {name: found} if found is not None else {}
            elif values.get(name, nothing) != nothing and to is Refers.REQUEST:
                self._batch.requests.append((raw.place_of(key), path, values[name]))
            elif values.get(name, nothing) != nothing:
                self._batch.check_queue(values[name], raw.place_of(key), path)
        return values

    def _named(self, to: Refers, raw: Map, key: str, person_key: str, path: str) -> int | str | None:
        """Return the object that the name behind a key refers to, None where there is none."""
        reference, place = raw[key], raw.place_of(key)
        if to is Refers.USER:
            return self.looked_up(partial(self.names.find_user_name, reference), place, path, reference)
        if to is Refers.ACCOUNT:
            person: Any = raw.get(person_key)
            if isinstance(person, str) and person not in self.names.people:
                place = raw.place_of(person_key)
            find = partial(self.names.find_account, person, reference)
            return self.looked_up(find, place, path, person, reference)
        node = self.worker(reference, place, path, or_root=to is Refers.WORKER_OR_ROOT)
        return node.id if node is not None else None

    def _checked(
        self, kind: type[Any], values: dict[str, Any], entry: _EventEntry
    ) -> Iterator[actions.Action]:
        """Yield the action unless something that it needs is missing; reports what fields cannot be
        together.
        """
        raw, path = entry.value if isinstance(entry.value, Map) else entry.item, f"{entry.path}.{entry.key}"
        if values.get("place", 1) < 1:
            self.say(raw.place_of("place"), "positions in a queue are counted from 1", path)
        if kind is actions.MoveWindow and not values:
            self.say(entry.place, "move_window needs start_s, end_s or both, as times of the run", path)
        if all(item.name in values for item in fields(kind) if item.default is MISSING):
            action = kind(**values)
            if isinstance(action, actions.OpenWindow | actions.MoveWindow):
                self._check_window(action, entry, path)
            self.say_fields(raw, path, outside(action, limits(kind)))
            yield action

    def _check_window(
        self, action: actions.OpenWindow | actions.MoveWindow, entry: _EventEntry, path: str
    ) -> None:
        start_s = getattr(action, "start_s", None)
        start_s = entry.at_s if start_s is None else start_s
        if action.end_s is not None and action.end_s <= start_s:
            text = f"the window would end at {in_words(action.end_s)}, before it starts at"
            self.say(entry.place, f"{text} {in_words(start_s)}: both are times of the run", path)

    # -- events that are read in ways of their own --------------------------------------------------------

    def _login(self, entry: _EventEntry) -> Iterator[actions.Login]:
        if who := self._who(entry.value, entry.place, entry.path):
            yield actions.Login(*who)

    def _logout(self, entry: _EventEntry) -> Iterator[actions.Logout]:
        if who := self._who(entry.value, entry.place, entry.path):
            yield actions.Logout(who[0], entry.item.get("end_processes", True), who[1])

    def _start(self, entry: _EventEntry) -> Iterator[actions.StartProcess]:
        if isinstance(entry.value, Map) and (process := self._process(entry.value, entry.path)):
            yield process

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
            message = f"charge_to needs a person of the list people, but {item['user']} pays for itself"
            self.say(item.place_of("charge_to", of_key=True), message, path)
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
        self._batch.check_device(raw, path)
        form = sound(schema.WorkForm, raw)
        if form is not None and not form.io_s:
            message = "device needs io_s, the time of a request there, above 0"
            self.say(raw.place_of("device", of_key=True), message, path)
        if form is not None and form.sleep_s:
            message = "a process either waits for a device or sleeps. Leave sleep_s or device out"
            self.say(raw.place_of("sleep_s", of_key=True), message, path)

    def _set_shares(self, entry: _EventEntry) -> Iterator[actions.ChangeTree]:
        value, path = entry.value, f"{entry.path}.set_shares"
        if not isinstance(value, Map):
            return
        pairs = []
        for reference, shares in value.items():
            node = self.node(reference, value.place_of(reference, of_key=True), path)
            if node is not None and type(shares) is int:
                pairs.append((node.id, shares))
        if not value:
            text = "set_shares lists nodes with new shares. Example: {g1: 20, g2: 30}"
            self.say(value.place, text, entry.path)
        elif pairs:
            yield actions.ChangeTree((SetShares(tuple(pairs)),))

    def _set(self, entry: _EventEntry) -> Iterator[actions.SetSetting]:
        value, path = entry.value, f"{entry.path}.set"
        if not isinstance(value, Map):
            return
        if not value:
            self.say(value.place, "set lists settings. Example: {policy.half_life_s: 600}", entry.path)
        for key, new in value.items():
            place = value.place_of(key, of_key=True)
            if key in FIXED_SETTINGS:
                self.say(place, f"{key} cannot change while the machine runs", path)
                continue
            try:
                action = actions.SetSetting(key, value_of(key, new))
                if key == DEFER_TO and action.value:
                    self.names.find_leaf(action.value)
            except (SettingError, LookupError) as error:
                self.say(place, str(error), path)
                continue
            yield action

    def _order_settings(self, machine: MachineSpec, policy: PolicySpec) -> None:
        """Order settings of one event so that each is allowed; report those that contradict the others."""
        try:
            changed_settings(machine, policy, {})
        except SettingError:
            return  # Faults at the start are reported where they are.
        for entry, events in sorted(self._settings, key=lambda setting: setting[0].at_s):
            changes = [event.action for event in events if isinstance(event.action, actions.SetSetting)]
            ordered = settings_in_order(machine, policy, {change.key: change.value for change in changes})
            events[:] = [Event(entry.at_s, actions.SetSetting(*change)) for change in ordered.items()]
            for key, value in ordered.items():
                try:
                    machine, policy = changed_settings(machine, policy, {key: value})
                except SettingError as error:
                    self.say(entry.value.place_of(key, of_key=True), str(error), f"{entry.path}.set")

    def _who(self, reference: Any, place: int, path: str, *, or_root: bool = False) -> tuple[int, str] | None:
        find = self.names.find_who
        return self.looked_up(lambda: find(reference, or_root=or_root), place, path, reference)


def _meant(kinds: list[type[Any]], raw: Map) -> type[Any] | None:
    """Return the action that an event means, of those with the same key, by the keys that it has."""
    of = {kind: EVENTS[kind].given for kind in kinds}
    found = [kind for kind in kinds if not of[kind] or any(raw.get(key) is not None for key in of[kind])]
    if len(found) != 1:
        return None
    others = {key for kind in kinds for key in called(kind).values() if key not in of[kind]}
    return None if raw.keys() & (others - set(called(found[0]).values())) else found[0]


def _work(form: Any) -> actions.Work:
    if isinstance(form, str):
        return actions.Work()
    values = dict(form)
    memory_mw, sds_mw = values.pop("memory_mw"), values.pop("sds_mw")
    if memory_mw:
        values["clicks"] = round(memory_mw * CLICKS_PER_MW)
    return actions.Work(**values, sds_clicks=round(sds_mw * CLICKS_PER_MW))
