"""Banks and associations of flux-accounting: its two tables, their printed form, or their JSON.

One text may hold both tables: several files are joined before reading.
"""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.shares.foreign import FORM
from fsconsole.shares.formats import flux_json
from fsconsole.shares.formats.base import Column, Format, Loss, Meaning, lost_of
from fsconsole.shares.formats.flux_json import NAME, is_json, read_json, write_json
from fsconsole.shares.formats.flux_tables import (
    has_usage,
    inactive_rows,
    is_tables,
    read_tables,
    top_bank,
    write_tables,
)
from fsconsole.shares.formats.flux_views import is_view, read_view
from fsconsole.shares.formats.reading import Reading, readers, unwritable
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.words import count_words


def _read(text: str) -> Reading:
    if text.lstrip("\ufeff \t\r\n").startswith("{"):
        return read_json(text)
    return read_view(text) if is_view(text) else read_tables(text)


def _write(scenario: Scenario) -> str:
    tree = scenario.tree
    if _has_json(tree):
        return write_json(tree)
    unwritable(tree, _unwritable(tree))
    return write_tables(tree)


def _has_json(tree: ShareTree) -> bool:
    form = tree.root.foreign.get(f"{NAME}.{FORM}")
    return form == flux_json.FORM or (form is None and any(node.usage for node in tree.walk()))


def _unwritable(tree: ShareTree) -> Iterator[tuple[Node, str]]:
    banks: set[str] = {top_bank(tree)}
    for node in tree.walk():
        if node.parent is None:
            continue
        if node.is_group and node.name in banks:
            yield node, f"Flux has only one bank of a name, and {node.name} occurs twice. Rename one of them."
        if node.is_group:
            banks.add(node.name)
        if node.name.startswith("#") or node.name != node.name.strip() or not node.name.isprintable():
            yield node, f"Flux cannot have the name {node.name!r}. Rename it."
        elif "|" in node.name and "|" in tree.root.foreign.get(f"{NAME}.{FORM}", ""):
            yield node, f"a table of Flux cannot have the name {node.name!r}. Rename it."


def _rules(tree: ShareTree) -> Iterator[Problem]:
    for node in tree.walk():
        path = tree.path(node.id)
        if node.parent is not None and not node.shares:
            fault = f"{node.name} has 0 shares, and Flux divides by them. Write 1 or more"
            yield Problem(fault, node=node.id, path=path)
        if not node.is_group and node.parent == tree.root.id:
            fault = f"{node.name} is in no bank. Add an association to a bank below root"
            yield Problem(fault, node=node.id, path=path)
        elif (users := _beside_banks(tree, node)) and node.parent is not None:
            fault = f"{count_words(users, 'association')} beside banks in {node.name} get no fairshare"
            yield Problem(
                f"{fault}: Flux counts only those of banks without banks",
                Severity.WARNING,
                node=node.id,
                path=path,
            )


def _beside_banks(tree: ShareTree, bank: Node) -> int:
    """Return the number of users in a bank that has banks too."""
    children = tree.children(bank.id)
    users = sum(not child.is_group for child in children)
    return users if users < len(children) else 0


def _caveats(tree: ShareTree) -> Iterator[Problem]:
    if count := inactive_rows(tree):
        text = f"{count_words(count, 'row')} with active = 0 left out of the tree, as Flux does"
        yield Problem(text, Severity.NOTE, path="tree")


def _lost(scenario: Scenario) -> list[Loss]:
    fields = ("usage",) if _has_json(scenario.tree) or has_usage(scenario.tree) else ()
    return lost_of(scenario, NAME, fields=fields, leaves=(Kind.USER,), empty_groups=True)


def _check_count(text: str) -> str:
    if not text or (text.isascii() and text.isdigit()):
        return ""
    return f"{text[:40]!r} is not a count. Write a whole number from 0."


def _is_of(text: str) -> bool:
    return is_json(text) or is_view(text) or is_tables(text)


_scenario, _lines = readers(_read, "Flux banks", "flux-accounting")
FORMAT = Format(
    NAME,
    "Flux banks and associations",
    (".flux",),
    _scenario,
    _write,
    _is_of,
    _lost,
    "Bank and association tables of flux-accounting, output of view-bank, or its JSON",
    endings=(".csv", ".json"),
    columns=(
        Column(f"{NAME}.UserID", "UserID", Meaning.SETTING, check=_check_count),
        Column(f"{NAME}.MaxRunningJobs", "MaxRunningJobs", Meaning.LIMIT, "jobs", _check_count),
        Column(f"{NAME}.MaxActiveJobs", "MaxActiveJobs", Meaning.LIMIT, "jobs", _check_count),
        Column(f"{NAME}.MaxNodes", "MaxNodes", Meaning.LIMIT, "nodes", _check_count),
        Column(f"{NAME}.Queues", "Queues", Meaning.SETTING),
        Column(f"{NAME}.priority", "priority", Meaning.PRIORITY),
    ),
    rules=_rules,
    lines=_lines,
    caveats=_caveats,
    between="",
)
