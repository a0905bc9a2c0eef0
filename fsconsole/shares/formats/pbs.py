"""PBS's resource_group file: a line a node, `name id parent shares`, parents before children.

Source: the Administrator's Guide of PBS and pbsfs(8): the root is `root` (older files call it TREEROOT) with
id 0, the group `unknown` with id 1 is built in, a line has less than 256 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsconsole.shares.foreign import AFTER, BEFORE
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.reading import Comments, Reading, kept_lines, numbered, readers, unwritable
from fsconsole.shares.formats.sharecf import whole_shares
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.nearest import did_you_mean

NAME = "pbs"
ROOTS = ("root", "TREEROOT")
_LONGEST = 255
_ROW = re.compile(r"[^\s#]\S*[ \t]+\d{1,10}[ \t]+\S+[ \t]+\d{1,10}[ \t]*(#.*)?")
_HINTS = 50


def _read(text: str) -> Reading:
    reading = Reading(NAME)
    comments = Comments(reading)
    known: dict[str, tuple[Node, int]] = {}
    ids: dict[str, int] = {}
    for number, line in numbered(text):
        content, mark, remark = line.partition("#")
        words = content.split()
        if not words:
            comments.hold(number, line)
            continue
        if len(words) != len(("name", "id", "parent", "shares")):
            reading.say(number, f"{len(words)} words: a line is NAME ID PARENT SHARES: chem 50 root 60")
            continue
        _take(reading, comments, known, ids, (number, words[0], words[1], words[2], words[3]))
        if mark and words[0] in known:
            reading.keep(known[words[0]][0], "remark", mark + remark, number)
        if len(line.encode("utf-8", "replace")) > _LONGEST:
            reading.say(number, f"the line has more than {_LONGEST} bytes, the most that PBS reads")
    comments.end()
    if not known and not reading.problems:
        reading.say(1, "not a resource_group file of PBS: a line such as chem 50 root 60 is missing")
    return reading


def _take(
    reading: Reading,
    comments: Comments,
    known: dict[str, tuple[Node, int]],
    ids: dict[str, int],
    row: tuple[int, str, str, str, str],
) -> None:
    number, name, ident, parent, shares = row
    if name in known or name in ROOTS:
        where = f"first in line {known[name][1]}" if name in known else "it is the root"
        reading.say(number, f"{name[:60]!r} occurs twice, {where}. PBS has each name only once")
        return
    if parent not in known and parent not in ROOTS:
        hint = did_you_mean(parent, known) if len(reading.problems) < _HINTS else ""
        reading.say(number, f"no {parent[:60]!r} above this line{hint or '; the root is root'}")
        return
    above = reading.root if parent in ROOTS else known[parent][0]
    node = reading.add(above, name, Kind.USER, number)
    known[name] = node, number
    comments.give(node)
    reading.keep(node, "id", ident, number)
    if parent == ROOTS[1]:
        reading.keep(node, "parent", parent, number)
    fault = _check_id(ident)
    if not fault and ident in ids:
        fault = f"line {ids[ident]} already has the id {ident}. PBS has each id only once."
    if fault:
        reading.say(number, fault.rstrip("."))
    ids.setdefault(ident, number)
    try:
        node.shares = whole_shares(shares)
    except ValueError as error:
        reading.say(number, str(error))


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    unwritable(tree, _unwritable(tree))
    ids = _ids(tree)
    lines: list[str] = []
    for above, node in ((group, child) for group in tree.walk() for child in tree.children(group.id)):
        lines += kept_lines(node, NAME, BEFORE)
        parent = above.name if above.parent is not None else node.foreign.get("pbs.parent", ROOTS[0])
        remark = node.foreign.get("pbs.remark", "")
        lines.append(
            "\t".join([node.name, ids[node.id], parent, str(node.shares), *([remark] * bool(remark))])
        )
    lines += kept_lines(tree.root, NAME, AFTER)
    return "".join(f"{line}\n" for line in lines)


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    seen: dict[str, Node] = {}
    for node in tree.walk():
        if node.parent is None:
            continue
        if node.name.split() != [node.name] or "#" in node.name or node.name in ROOTS:
            yield node, f"PBS cannot have the name {node.name!r}: no blanks, no #, not root. Rename it."
        elif node.name in seen:
            first = tree.path(seen[node.name].id)
            yield node, f"PBS has each name only once, and {node.name} is at {first} too. Rename one of them."
        elif len(node.name.encode()) > _LONGEST - 60:
            yield node, f"a line of PBS has at most {_LONGEST} bytes, so the name is too long"
        seen.setdefault(node.name, node)


def _ids(tree: ShareTree) -> dict[int, str]:
    """Return the number of each node: the one it had, else the next after the largest."""
    ids: dict[int, str] = {}
    taken: set[int] = {1}
    for node in tree.walk():
        had = node.foreign.get("pbs.id", "")
        if not _check_id(had) and had and int(had) not in taken:
            ids[node.id] = had
            taken.add(int(had))
    count = max(taken)
    for node in tree.walk():
        if node.id not in ids and node.parent is not None:
            count += 1
            ids[node.id] = str(count)
    return ids


def _check_id(text: str) -> str:
    if text and not (text.isascii() and text.isdigit() and len(text) <= 9 and int(text) > 1):
        return f"{text[:40]!r} is not an id. Write a whole number from 2."
    return ""


def _rules(tree: ShareTree) -> Iterator[Problem]:
    for node, text in _unwritable(tree):
        yield Problem(text.rstrip("."), node=node.id, path=tree.path(node.id))
    for node in tree.walk():
        if node.parent is None:
            continue
        if node.name == "unknown":
            text = "unknown is PBS's own group for other entities, which has id 1 already"
            yield Problem(text, Severity.WARNING, node=node.id, path=tree.path(node.id))


def _is_of(text: str) -> bool:
    rows = [line for _, line in numbered(text) if line.strip() and not line.lstrip().startswith("#")]
    return bool(rows) and all(_ROW.fullmatch(row.strip()) for row in rows[:200])


_scenario, _lines = readers(_read, "PBS resource groups", "resource_group")
FORMAT = Format(
    NAME,
    "PBS resource_group",
    (".resource_group", ".pbs"),
    _scenario,
    _write,
    _is_of,
    lambda scenario: lost_of(scenario, NAME, leaves=(Kind.USER,)),
    "The file resource_group of PBS's scheduler",
    columns=(Column("pbs.id", "PBS id", Meaning.SETTING, check=_check_id),),
    rules=_rules,
    lines=_lines,
)
