"""Slices of systemd, as `systemctl cat '*.slice'` prints them: each file under a comment with its path.

Dashes in the name of a slice are levels: `chem-ana.slice` is below `chem.slice`; other signs are escaped as
systemd-escape(1) does. `CPUWeight=` is 1 to 10000 among siblings, 100 where it is left out; `idle` is 0
shares here. The text of a slice's files stays with its node, so comments and all keys are written back.
Source: systemd.slice(5), systemd.resource-control(5), systemctl(1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from fsconsole.shares.foreign import AFTER, BEFORE, BY_SHARES, IMPLICIT, WEIGHT
from fsconsole.shares.formats.base import Column, Format, Loss, Meaning, lost_of
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading, numbered, readers, unwritable
from fsconsole.shares.formats.templates import escaped, rendered
from fsconsole.shares.formats.weights import written_weights
from fsconsole.shares.scenario.problems import Problem, ScenarioError, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.numbers import rough_percent

NAME = "systemd"
# They equal those of `cpu_weights.V2`, which the command line does not import, to start sooner.
LEAST, MOST, DEFAULT = 1, 10_000, "100"
_IDLE = "idle"
_HEADER = re.compile(r"# (/\S*/)?([^/\s]+)\.slice(\.d/[^/\s]+\.conf)?[ \t]*")
_ANY_HEADER = re.compile(r"# /\S+")
_SETTING = re.compile(r"[ \t]*([A-Za-z]\w*)[ \t]*=[ \t]*(.*?)[ \t]*")
_ESCAPE = re.compile(r"\\x([0-9a-fA-F]{2})")
_FOLDER = "/etc/systemd/system/"
_UNITS = "units"
# This is a weight of cgroup v1; systemd converts it (cgroup_cpu_shares_to_weight in src/core/cgroup.c).
_CPU_SHARES = re.compile(r"^[ \t]*CPUShares[ \t]*=[ \t]*(\d{1,9})[ \t]*$", re.MULTILINE)
_KEYS = {
    "CPUQuota": (Meaning.LIMIT, "% of a CPU"),
    "MemoryMax": (Meaning.LIMIT, "bytes"),
    "MemoryHigh": (Meaning.LIMIT, "bytes"),
    "TasksMax": (Meaning.LIMIT, "tasks"),
    "IOWeight": (Meaning.WEIGHT, "1 to 10000"),
    "AllowedCPUs": (Meaning.LIMIT, ""),
}


def name_of_unit(stem: str) -> str:
    """Return the last level of a slice's name, decoded.

    Raises:
        ValueError: the bytes are not text.
    """
    try:
        plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), stem.rpartition("-")[2])
        return plain.encode("latin-1").decode("utf-8") if "\\x" in stem else plain
    except UnicodeError:
        msg = f"the slice name {stem[:60]!r} has escapes that are not UTF-8"
        raise ValueError(msg) from None


def unit_of_name(name: str) -> str:
    """Return a name as a level of a slice's name, escaped as systemd-escape does."""
    plain = "".join(
        char if char.isascii() and (char.isalnum() or char in ":_.") else
        "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "replace"))
        for char in name
    )  # fmt: skip
    return f"\\x2e{plain[1:]}" if plain.startswith(".") else plain


def _read(text: str) -> Reading:
    reading = Reading(NAME, default=DEFAULT)
    blocks: dict[str, list[list[tuple[int, str]]]] = {}
    rest: list[list[tuple[int, str]]] = []
    block: list[tuple[int, str]] = []
    above = block
    for number, line in numbered(text):
        header = _HEADER.fullmatch(line)
        if header:
            block = [(number, line)]
            blocks.setdefault(header[2], []).append(block)
        elif _ANY_HEADER.fullmatch(line):
            block = [(number, line)]
            rest.append(block)
        else:
            block.append((number, line))
    if not blocks:
        reading.say(1, "no slice: each file must follow a line such as # /etc/systemd/system/chem.slice")
    nodes: dict[str, Node] = {"": reading.root}
    for stem in sorted(blocks, key=lambda stem: stem.count("-")):
        _slice(reading, nodes, stem, blocks[stem])
    for key, rows in ((BEFORE, above), (AFTER, [row for other in rest for row in other])):
        if any(line.strip() for _, line in rows):
            reading.keep(reading.root, key, "\n".join(line for _, line in rows).strip("\n"), rows[0][0])
            reading.note(reading.root, key, rows)
    return reading


def _slice(reading: Reading, nodes: dict[str, Node], stem: str, blocks: list[list[tuple[int, str]]]) -> None:
    line = blocks[0][0][0]
    levels = stem.split("-")
    if stem == "-":
        node = reading.root
    elif not all(levels) or len(levels) > MAX_DEPTH:
        reading.say(
            line, f"{stem[:60]}.slice is not a name of a slice: levels are separated by single dashes"
        )
        return
    else:
        node = reading.root
        for depth in range(1, len(levels) + 1):
            path = "-".join(levels[:depth])
            if path not in nodes:
                nodes[path] = _node(reading, node, path, line)
                if path != stem:
                    reading.keep(nodes[path], IMPLICIT, "yes")
                    reading.weigh(nodes[path], "", line)
            node = nodes[path]
    _fill(reading, node, blocks)


def _node(reading: Reading, parent: Node, path: str, line: int) -> Node:
    try:
        name = name_of_unit(path)
    except ValueError as error:
        reading.say(line, str(error))
        name = path
    return reading.add(parent, name, Kind.ACCOUNT, line)


def _fill(reading: Reading, node: Node, blocks: list[list[tuple[int, str]]]) -> None:
    """Make a template of the files of a slice, and store the values of its slots."""
    rows = [row for block in blocks for row in block]
    last: dict[str, int] = {}
    section, end = "", None
    repeated: set[str] = set()
    for row, (_, line) in enumerate(rows):
        stripped = line.strip()
        if stripped.startswith("["):
            section = stripped
        match = _SETTING.fullmatch(line)
        if section == "[Slice]" and stripped:
            end = row
            if match and (match[1] in _KEYS or match[1] == "CPUWeight"):
                if match[1] in last:
                    repeated.add(match[1])
                last[match[1]] = row
    texts = [_line_text(line) for _, line in rows]
    slots = {row: key for key, row in last.items()}
    for row, key in slots.items():
        number, line = rows[row]
        match = _SETTING.fullmatch(line)
        value = match[2] if match else ""
        slot = WEIGHT if key == "CPUWeight" else key
        # An empty value takes back an earlier one, which stays in its line.
        condition = "" if key in repeated else f"⟨?{slot}⟩"
        texts[row] = f"{condition}{escaped(line[: match.start(2)] if match else line)}⟨{slot}⟩"
        if key == "CPUWeight":
            _weigh(reading, node, value, number)
        else:
            reading.keep(node, key, value, number)
    if node.parent is not None and "CPUWeight" not in last:
        reading.weigh(node, "", rows[0][0])
    missing = [key for key in ("CPUWeight", *_KEYS) if key not in last]
    room = [f"⟨?{slot}⟩{key}=⟨{slot}⟩" for key in missing for slot in [WEIGHT if key == "CPUWeight" else key]]
    if end is None:
        while texts and not texts[-1].strip():
            texts.pop()
        texts += ["⟨?any⟩[Slice]", *room]
    else:
        texts[end + 1 : end + 1] = room
    reading.keep(node, _UNITS, "\n".join(texts), rows[0][0])
    reading.note(node, _UNITS, [row for row in rows if not _HEADER.fullmatch(row[1])])


def _line_text(line: str) -> str:
    """Return a line as a template has it: the path of a file follows the slice's name."""
    header = _HEADER.fullmatch(line)
    if header is None:
        return escaped(line)
    return f"# {escaped(header[1] or '')}⟨name⟩.slice{escaped(header[3] or '')}"


def _weigh(reading: Reading, node: Node, value: str, line: int) -> None:
    if value == _IDLE:
        value = "0"
    elif value and not (value.isascii() and value.isdigit() and LEAST <= int(value[:9]) <= MOST):
        reading.say(line, f"CPUWeight must be {LEAST} to {MOST} or idle, not {value[:40]!r}")
        return
    if node.parent is None:
        reading.keep(node, "CPUWeight", value, line)
    else:
        reading.weigh(node, value, line, "CPUWeight")


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, ())
    stems = {tree.root.id: "-"}
    pieces: list[str] = []
    weights: dict[int, str] = {}
    for node in tree.walk():
        weights |= slice_weights(tree.children(node.id))
        if node.parent is not None:
            above = stems[node.parent]
            own = unit_of_name(node.name)
            stems[node.id] = own if above == "-" else f"{above}-{own}"
        template = node.foreign.get(f"{NAME}.{_UNITS}", "")
        if not template and (node.parent is None or _is_implicit(node, weights)):
            continue
        prefix = f"{NAME}."
        values = {
            key.removeprefix(prefix): value for key, value in node.foreign.items() if key.startswith(prefix)
        }
        values = {
            key: value for key, value in values.items() if key not in (*BY_SHARES, _UNITS, BEFORE, AFTER)
        }
        values |= {"name": stems[node.id], WEIGHT: weights.get(node.id, values.pop("CPUWeight", ""))}
        values["any"] = "yes" if any(values.get(key) for key in (WEIGHT, *_KEYS)) else ""
        try:
            pieces.append(rendered(template or _FRESH, values, plain=True).strip("\n"))
        except ValueError as error:
            raise ScenarioError([Problem(str(error), node=node.id, path=node.name)]) from None
    above, after = (tree.root.foreign.get(f"{NAME}.{key}", "") for key in (BEFORE, AFTER))
    return "\n\n".join(filter(None, (above, *pieces, after))) + "\n"


def _is_implicit(node: Node, weights: dict[int, str]) -> bool:
    return f"{NAME}.{IMPLICIT}" in node.foreign and weights[node.id] in ("", DEFAULT)


_FRESH = "\n".join(
    [f"# {_FOLDER}⟨name⟩.slice", "[Slice]", f"⟨?{WEIGHT}⟩CPUWeight=⟨{WEIGHT}⟩"]
    + [f"⟨?{key}⟩{key}=⟨{key}⟩" for key in _KEYS]
)


def slice_name(names: Sequence[str]) -> str:
    """Return the slice of a path of names, topmost first: `fsconsole-gr1-u11.slice`."""
    return "-".join(map(unit_of_name, names)) + ".slice"


def slice_weights(nodes: list[Node]) -> dict[int, str]:
    """Return siblings' CPUWeights: as written, else the nearest to the shares; idle for 0."""
    from fsconsole.shares.cpu_weights import V2, sibling_weights

    texts = written_weights(nodes, NAME, DEFAULT)
    is_written = any(f"{NAME}.{WEIGHT}" in node.foreign for node in nodes)
    if is_written and all(not text or (text.isdigit() and int(text) <= MOST) for text in texts.values()):
        return {node: _IDLE if text == "0" else text for node, text in texts.items()}
    found = sibling_weights([node.shares for node in nodes], V2)
    return {
        node.id: str(weight) if node.shares else _IDLE
        for node, weight in zip(nodes, found.weights, strict=True)
    }


def _rules(tree: ShareTree) -> Iterator[Problem]:
    from fsconsole.shares.cpu_weights import V2, sibling_weights

    for group in tree.walk():
        found = sibling_weights([node.shares for node in tree.children(group.id)], V2)
        path = tree.path(group.id)
        if not found.is_expressible:
            fault = f"shares below {group.name} differ by more than {MOST}:1, the range of CPUWeight"
            yield Problem(fault, Severity.WARNING, node=group.id, path=path)
        elif found.error > 0.01:
            error = rough_percent(found.error)
            fault = f"CPUWeight expresses the shares below {group.name} with an error of {error}"
            yield Problem(fault, Severity.NOTE, node=group.id, path=path)


def _caveats(tree: ShareTree) -> Iterator[Problem]:
    for node in tree.walk():
        units = node.foreign.get(f"{NAME}.{_UNITS}", "")
        found = None if node.foreign.get(f"{NAME}.{WEIGHT}") else _CPU_SHARES.search(units)
        if found is not None and node.parent is not None:
            weight = min(MOST, max(LEAST, int(found[1]) * int(DEFAULT) // 1024))
            text = f"{node.name} has CPUShares={found[1]} but no CPUWeight: its weight here is {DEFAULT}. "
            text += f"systemd takes it as CPUWeight={weight}. Write that."
            yield Problem(text, Severity.WARNING, node=node.id, path=tree.path(node.id))


def _lost(scenario: Scenario) -> list[Loss]:
    rounded = [Loss(problem.text) for problem in _rules(scenario.tree)]
    return lost_of(scenario, NAME, leaves=(Kind.ACCOUNT,)) + rounded


def _check_weight(text: str) -> str:
    if text in ("", _IDLE) or (text.isascii() and text.isdigit() and LEAST <= int(text[:9]) <= MOST):
        return ""
    return f"{text[:40]!r} is not a weight. Write a whole number from {LEAST} to {MOST}, or idle."


def _check_line(text: str) -> str:
    return "A value must be on one line." if "\n" in text else ""


_scenario, _lines = readers(_read, "systemd slices", "systemctl cat")
FORMAT = Format(
    NAME,
    "systemd slices",
    (".slice",),
    _scenario,
    _write,
    lambda text: re.search(r"^# /\S+\.slice(\.d/\S+)?$", text, re.MULTILINE) is not None,
    _lost,
    "Slices as systemctl cat '*.slice' prints them",
    endings=(".conf",),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "CPUWeight", Meaning.WEIGHT, f"{LEAST} to {MOST}", _check_weight, DEFAULT),
        *(Column(f"{NAME}.{key}", key, meaning, unit, _check_line) for key, (meaning, unit) in _KEYS.items()),
    ),
    rules=_rules,
    lines=_lines,
    caveats=_caveats,
)
