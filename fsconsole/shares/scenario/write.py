"""Writing scenario files: the same scenario always gives the same text, and reads back the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import Any

from fsconsole.shares.edits import SetShares
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.fractions import in_percent
from fsconsole.shares.scenario.names import Names, Person, account_in_use, name_clash
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.read import header_of
from fsconsole.shares.scenario.scalars import flow, flow_key, paragraph, scalar
from fsconsole.shares.scenario.settings import setting_text
from fsconsole.shares.scenario.spec import (
    FORMAT_VERSION,
    PARTS,
    Device,
    Event,
    MachineSpec,
    PlotSpec,
    Scenario,
)
from fsconsole.shares.scenario.write_batch import (
    event_item,
    job_items,
    memory_item,
    near_dedicated_lines,
    queue_items,
)
from fsconsole.shares.scenario.yaml_nodes import MAX_DEPTH
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.durations import in_words

MAX_LEVELS = (MAX_DEPTH - 4) // 2  # Each level is a mapping in a list, and a leaf may hold a mapping.
_BLOCK = 4096
# Every file has these settings, even with default values, so that people see them.
_ALWAYS = {"machine": ("name", "cpus", "start"), "policy": ("name", "half_life_s")}


@dataclass(frozen=True, slots=True)
class SaveReport:
    """Result of saving.

    Attributes:
        path: the written file.
        text: what it holds now.
        backup: copy of the old file, kept where comments went.
        lost: line numbers of comments in the old file that are not in the new one.
    """

    path: Path
    text: str
    backup: Path | None = None
    lost: tuple[int, ...] = ()


def save_scenario(scenario: Scenario, path: Path, *, previous_text: str | None) -> SaveReport:
    """Write a scenario; a `.bak` keeps the previous text where comments of it would be lost.

    `previous_text` is what the file holds now, None for a new one. OSError leaves the file as it was.
    """
    text = write_text(scenario)
    lost = tuple(lost_comments(previous_text)) if previous_text is not None else ()
    backup = None
    if lost and previous_text is not None:
        backup = path.with_name(path.name + ".bak")
        write_atomic(backup, previous_text)
    write_atomic(path, text)
    return SaveReport(path, text, backup, lost)


def write_text(scenario: Scenario) -> str:
    """Return the text of a scenario file.

    Raises:
        ScenarioError: only a journal can hold an event.
    """
    writer = _Writer(scenario)
    lines = [scenario.header.rstrip("\n"), ""] if scenario.header else []
    for section in writer.sections():
        if section:
            lines += [*section, ""]
    return "\n".join(lines)


class _Writer:
    """Sections of a file as lists of lines."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._names = Names(scenario.tree, scenario.people)

    def sections(self) -> Iterator[list[str]]:
        scenario = self._scenario
        yield self._head()
        yield _settings("machine", scenario.machine, MachineSpec())
        for part, kind in PARTS.items():
            yield _settings(part, getattr(scenario.machine, part), kind())
        yield _settings("policy", scenario.policy, PolicySpec())
        yield ["tree:", *_in_blocks(tree_lines(scenario.tree, "  "))]
        yield self._list("people", [self._person(person) for person in scenario.people])
        yield self._list("devices", [_device(device) for device in scenario.devices])
        yield self._list("queues", queue_items(scenario.queues, self._reference))
        yield near_dedicated_lines(scenario.near_dedicated)
        yield self._logins()
        yield self._list("workloads", [self._process(load, at_start=True) for load in scenario.workloads])
        yield self._list("jobs", job_items(scenario.jobs))
        yield self._list("events", [self._event(event) for event in scenario.events])
        yield self._reports()
        yield self._plot()

    def _head(self) -> list[str]:
        scenario = self._scenario
        lines = [f"version: {FORMAT_VERSION}", f"title: {paragraph(scenario.title)}"]
        lines += [
            f"{key}: {paragraph(text)}"
            for key, text in (("about", scenario.about), ("source", scenario.source))
            if text
        ]
        return [*lines, f"seed: {scenario.seed}"]

    def _logins(self) -> list[str]:
        names = [self._reference(node) for node in self._scenario.logins]
        line = f"logins: [{', '.join(names)}]"
        if not names:
            return []
        return [line] if len(line) <= 100 else ["logins:", *(f"  - {name}" for name in names)]

    @staticmethod
    def _list(key: str, items: list[dict[str, str]]) -> list[str]:
        return [f"{key}:", *(f"  - {flow(item)}" for item in items)] if items else []

    def _person(self, person: Person) -> dict[str, str]:
        message = name_clash(person.name, person.accounts, self._names.nodes_named(person.name))
        if message:
            raise ScenarioError([Problem(message, path="people")])
        item = {"name": flow_key(person.name)}
        if self._names.is_person(person.name):
            item["accounts"] = f"[{', '.join(self._reference(node) for node in person.accounts)}]"
        if person.nice != actions.NORMAL_NICE:
            item["nice"] = scalar(person.nice)
        return item

    def _reports(self) -> list[str]:
        lines = ["reports:"] if self._scenario.reports else []
        for report in self._scenario.reports:
            demands, measured = {}, {}
            for demand in report.demands:
                demands[self._reference(demand.node)] = _limit(demand.limit)
                if demand.measured is not None:
                    measured[self._reference(demand.node)] = in_percent(demand.measured)
            lines.append(f"  - title: {flow_key(report.title)}")
            for key, values in (("demands", demands), ("measured", measured)):
                lines += [f"    {key}:"] if values else []
                lines += [f"      {name}: {value}" for name, value in values.items()]
        return lines

    def _process(self, process: actions.StartProcess, *, at_start: bool = False) -> dict[str, str]:
        item = {"user": self._who(process.node, process.person)}
        if process.person and not self._is_in_use(process, at_start=at_start):
            item["charge_to"] = self._reference(process.node)
        item["command"] = scalar(process.command, in_flow=True)
        if process.count != 1:
            item["count"] = scalar(process.count)
        if process.nice is not None:
            item["nice"] = scalar(process.nice)
        if process.interactive:
            item["interactive"] = "true"
        item["work"] = _work(process.work)
        return item

    def _is_in_use(self, process: actions.StartProcess, *, at_start: bool) -> bool:
        """Return True if the person works on the charged account at that time anyway."""
        person = self._names.people[process.person]
        return process.node in (actions.CURRENT_ACCOUNT, account_in_use(person)) or (
            at_start and process.node == person.accounts[0]
        )

    def _event(self, event: Event) -> dict[str, str]:
        return {"at": in_words(event.at_s)} | self._action(event.action)

    def _action(self, action: actions.Action) -> dict[str, str]:
        match action:
            case actions.Login(node, person):
                return {"login": self._who(node, person)}
            case actions.Logout(node, end_processes, person):
                stays = {} if end_processes else {"end_processes": "false"}
                return {"logout": self._who(node, person)} | stays
            case actions.StartProcess():
                return {"start": flow(self._process(action))}
            case actions.SetSetting(key, value):
                return {"set": flow({key: setting_text(key, value, in_flow=True)})}
            case actions.ChangeTree((SetShares(pairs),)):
                return {"set_shares": flow({self._reference(node): scalar(shares) for node, shares in pairs})}
            case actions.ChangeTree():
                message = (
                    "an event that changes more of a tree than shares cannot be written to a scenario file"
                )
                raise ScenarioError([Problem(message)])
        return event_item(action, self._reference)

    def _plot(self) -> list[str]:
        plot, default = self._scenario.plot, PlotSpec()
        lines = []
        if plot.nodes:
            lines.append(f"  nodes: [{', '.join(self._reference(node) for node in plot.nodes)}]")
        if plot.quantities != default.quantities:
            lines.append(f"  quantities: [{', '.join(plot.quantities)}]")
        if plot.leave_out_system != default.leave_out_system:
            lines.append(f"  leave_out_system: {scalar(plot.leave_out_system)}")
        times = ("until_s", "sample_s", "rate_window_s")
        lines += [f"  {name}: {in_words(getattr(plot, name))}" for name in times]
        return ["plot:", *lines]

    def _who(self, node: int, person: str) -> str:
        """Return a person, or a leaf in place of its own user."""
        if self._names.is_person(person):
            return flow_key(person)
        if node == actions.CURRENT_ACCOUNT or (person and person not in self._names.people):
            message = f"person {person or '(no name)'} not found in people"
            raise ScenarioError([Problem(message, path="people")])
        return self._reference(node)

    def _reference(self, node: int) -> str:
        return flow_key(self._names.shortest(node))


def _settings(room: str, spec: Any, default: Any) -> list[str]:
    lines = [f"{room}:"]
    for item in fields(spec):
        value = getattr(spec, item.name)
        if item.name in PARTS:
            continue
        if value != getattr(default, item.name) or item.name in _ALWAYS.get(room, ()):
            lines.append(f"  {item.name}: {setting_text(item.name, value)}")
    return lines if len(lines) > 1 else []


def _device(device: Device) -> dict[str, str]:
    return {"name": flow_key(device.name), "kind": device.kind}


def _limit(limit: float | None) -> str:
    if limit is None:
        return "saturated"
    return in_percent(limit) if limit else "idle"


def _work(work: actions.Work) -> str:
    item: dict[str, str] = {}
    for name, default in ((one.name, one.default) for one in fields(actions.Work)):
        value = getattr(work, name)
        if value == default:
            continue
        if name in ("clicks", "sds_clicks"):
            item |= memory_item(value, "memory_mw" if name == "clicks" else "sds_mw")
            continue
        item[name] = in_words(float(value)) if is_time(name) else scalar(value, in_flow=True)
    return flow(item) if item else "endless"


def tree_lines(tree: ShareTree, indent: str) -> Iterator[str]:
    """Yield the tree, a line for each leaf; groups have their children below them.

    Raises:
        ScenarioError: it has more levels than a file can be read with.
    """
    depth = {tree.root.id: 0}
    for node in tree.walk():
        if node.parent is not None:
            depth[node.id] = depth[node.parent] + 1
        if depth[node.id] > MAX_LEVELS:
            message = f"{node.name} is deeper than {MAX_LEVELS} levels, the limit for files"
            raise ScenarioError([Problem(message, node=node.id, path=tree.path(node.id))])
        margin = indent + "    " * depth[node.id]
        yield from _node_lines(node, margin)


def _in_blocks(lines: Iterator[str]) -> Iterator[str]:
    """Join thousands of lines into one text each, which takes less memory than as many texts."""
    while block := list(islice(lines, _BLOCK)):
        yield "\n".join(block)


def _node_lines(node: Node, margin: str) -> Iterator[str]:
    is_root = node.parent is None
    if not node.children and not is_root:
        yield f"{margin[:-2]}- {flow(_node_item(node))}"
        return
    for row, (key, value) in enumerate(_node_item(node).items()):
        yield f"{margin[:-2]}- {key}: {value}" if row == 0 and not is_root else f"{margin}{key}: {value}"
    if node.children:
        yield f"{margin}children:"


def _node_item(node: Node) -> dict[str, str]:
    item = {"name": scalar(node.name, in_flow=True), "shares": scalar(node.shares)}
    if node.kind is Kind.ACCOUNT or (
        node.kind is Kind.GROUP and not node.children and node.parent is not None
    ):
        item["kind"] = node.kind.value
    if node.system:
        item["system"] = "true"
    if node.usage:
        item["usage"] = scalar(float(node.usage))
    if node.charge:
        item["charge"] = scalar(float(node.charge))
    if node.last_use_s is not None:
        item["last_use_s"] = in_words(node.last_use_s)
    if node.note:
        item["note"] = scalar(node.note, in_flow=True)
    if node.foreign:
        item["foreign"] = flow({flow_key(key): flow_key(value) for key, value in node.foreign.items()})
    return item


__all__ = ["SaveReport", "lost_comments", "save_scenario", "write_text"]


def lost_comments(old_text: str) -> list[int]:
    """Return the line numbers, from 1, of the comments below the header: writing the file again would lose
    them.
    """
    header = header_of(old_text)
    first = header.count("\n") + 1
    body = old_text.removeprefix("\ufeff")[len(header) :]
    if "#" not in body:
        return []
    return [first + row for row in _comment_rows(body)]


def _comment_rows(text: str) -> list[int]:
    """Return rows of the texts after a # between the tokens; of all # where the text is not YAML."""
    import yaml

    scanner = yaml.CSafeLoader(text)
    found: list[int] = []
    at = 0
    try:
        while (token := scanner.get_token()) is not None:
            start, end = token.start_mark.index, token.end_mark.index
            found += _signs(text, at, start)
            if text[start : start + 1] in ("|", ">"):  # A block's first line may end in a comment.
                found += _signs(text, start, text.find("\n", start, end))
            at = max(at, end)
    except yaml.YAMLError:
        return sorted({text.count("\n", 0, sign) for sign in _signs(text, 0, len(text))})
    found += _signs(text, at, len(text))
    return sorted({text.count("\n", 0, sign) for sign in found})


def _signs(text: str, start: int, end: int) -> list[int]:
    """Return the places at which comments begin between two places: at most one a line."""
    signs = []
    while (sign := text.find("#", start, end)) >= 0:
        signs.append(sign)
        after = text.find("\n", sign, end)
        start = end if after < 0 else after
    return signs
