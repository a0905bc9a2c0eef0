"""People, devices and reports of demands: a file's references resolved to nodes."""

from __future__ import annotations

from typing import Any

from fsconsole.shares.scenario import schema
from fsconsole.shares.scenario.actions import NORMAL_NICE
from fsconsole.shares.scenario.explain import sound
from fsconsole.shares.scenario.names import Person, name_clash
from fsconsole.shares.scenario.references import ReferenceReader, items
from fsconsole.shares.scenario.spec import Demand, DemandReport, Device, MachineSpec
from fsconsole.shares.scenario.yaml_nodes import Map, Seq
from fsconsole.shares.tree import TreeError, check_spelling


class SectionReader(ReferenceReader):
    """Reads the sections besides the timeline; checks references even if other parts are wrong."""

    def people(self, raw: Any) -> tuple[Person, ...]:
        """Return people with their accounts; one with a fault is among them, so that the name is known."""
        found: dict[str, Person] = {}
        for path, item in items(raw, "people"):
            name = item.get("name")
            if not isinstance(name, str) or not name:
                continue
            place = item.place_of("name")
            if name in found:
                self.say(place, f"{name} occurs twice in people. List each person once", path)
            form = sound(schema.PersonForm, item)
            accounts = self._accounts(name, item, path)
            self._check_name(name, accounts, place, path)
            found[name] = Person(name, accounts, form.nice if form is not None else NORMAL_NICE)
        return tuple(found.values())

    def _accounts(self, name: str, item: Map, path: str) -> tuple[int, ...]:
        listed: Any = item.get("accounts")
        if "accounts" not in item:
            return self._own_account(name, item.place_of("name"), path)
        found: list[int] = []
        if not isinstance(listed, Seq):
            return ()
        for row, reference in enumerate(listed):
            where = f"{path}.accounts[{row + 1}]"
            node = self.worker(reference, listed.places[row], where)
            if node is not None and node.id in found:
                self.say(listed.places[row], f"{reference} occurs twice here. List each account once", where)
            elif node is not None:
                found.append(node.id)
        return tuple(found)

    def _own_account(self, name: str, place: int, path: str) -> tuple[int, ...]:
        try:
            return (self.names.find_worker(name, or_root=False).id,)
        except LookupError as error:
            self.say(place, f"{error}. A person who is not a user of the tree needs accounts", path)
        return ()

    def _check_name(self, name: str, accounts: tuple[int, ...], place: int, path: str) -> None:
        try:
            check_spelling(name)
        except TreeError as error:
            self.say(place, str(error), path)
        clash = name_clash(name, accounts, self.names.nodes_named(name))
        if clash and accounts:
            self.say(place, clash, path)

    def devices(self, raw: Any) -> tuple[Device, ...]:
        """Return the devices; one of an unknown kind is among them, so that its name is known."""
        found: dict[str, Device] = {}
        for path, item in items(raw, "devices"):
            name = item.get("name")
            if not isinstance(name, str):
                continue
            if name in found:
                self.say(
                    item.place_of("name"), f"{name} occurs twice in devices. List each device once", path
                )
            form = sound(schema.DeviceForm, item)
            found[name] = Device(name, form.kind) if form is not None else Device(name)
        return tuple(found.values())

    def reports(self, raw: Any) -> tuple[DemandReport, ...]:
        """Return demands by report; a node that was only measured is saturated."""
        return tuple(self._report(item, path) for path, item in items(raw, "reports"))

    def _report(self, item: Map, path: str) -> DemandReport:
        form = sound(schema.ReportForm, item)
        limits = self._by_node(item.get("demands"), f"{path}.demands")
        measured = self._by_node(item.get("measured"), f"{path}.measured")
        if not limits and not measured:
            self.say(item.place, "a report lists demands. Example: {g1: 4.19 %, g2: saturated}", path)
        if form is None:
            return DemandReport("", ())
        asked = {node: form.demands[reference] for node, reference in limits.items()}
        had = {node: form.measured[reference] for node, reference in measured.items()}
        nodes = dict.fromkeys([*asked, *had])
        return DemandReport(form.title, tuple(Demand(node, asked.get(node), had.get(node)) for node in nodes))

    def _by_node(self, raw: Any, path: str) -> dict[int, str]:
        """Return the written reference of each node that a mapping names."""
        found: dict[int, str] = {}
        for reference in raw if isinstance(raw, Map) else ():
            place = raw.place_of(reference, of_key=True)
            node = self.node(reference, place, path)
            if node is not None and node.id in found:
                self.say(place, f"{reference} is {found[node.id]}, which is already listed here", path)
            elif node is not None:
                found[node.id] = reference
        return found

    def check_machine(self, machine: MachineSpec, raw: Any) -> None:
        """Report settings of the machine that name missing nodes."""
        if machine.defer_interactive_to and isinstance(raw, Map):
            place = raw.place_of("defer_interactive_to")
            self.worker(machine.defer_interactive_to, place, "machine.defer_interactive_to")
