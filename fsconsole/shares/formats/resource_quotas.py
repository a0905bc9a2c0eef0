"""Quotas and limits by resource that KAI and Kueue both have, and their conversion into each other.

KAI's quota of a queue is for all below it; a cohort's nominal quota in Kueue comes on top of those below.
KAI's limit counts the quota, Kueue's borrowing limit does not. KAI counts thousandths of a CPU and MB.
Source: KAI-Scheduler, docs/queues; Kueue, "Cohort" and "ClusterQueue".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from fsconsole.shares.formats.weights import plain
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree

_QUANTITY = re.compile(r"(\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?")
_UNITS = {"": Fraction(1), "n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000)}
_UNITS |= {unit: Fraction(1000 ** (place + 1)) for place, unit in enumerate("kMGTPE")}
_UNITS |= {f"{unit}i": Fraction(1024 ** (place + 1)) for place, unit in enumerate("KMGTPE")}
_AMOUNT = re.compile(r"-1|\d{1,18}(\.\d{0,18})?")
# KAI counts a resource in this amount of Kubernetes; the name is Kueue's.
KAI_UNITS = {"gpu": Fraction(1), "cpu": Fraction(1, 1000), "memory": Fraction(10**6)}
_KUEUE_NAMES = {"gpu": "nvidia.com/gpu", "cpu": "cpu", "memory": "memory"}
_FLAVOUR = "default-flavor"

Places = frozenset[tuple[int, str]]


def quantity(text: str) -> Fraction:
    """Return an amount as Kubernetes writes it.

    Raises:
        ValueError: it is not one.
    """
    found = _QUANTITY.fullmatch(text.strip()) if text.isascii() else None
    if found is None:
        msg = f"{text[:40]!r} is not a quantity"
        raise ValueError(msg)
    return Fraction(found[1].rstrip(".")) * Fraction(10) ** int(found[2] or 0) * _UNITS[found[3] or ""]


def quantity_text(value: Fraction) -> str:
    """Return an amount as Kubernetes writes it, in the largest unit that is exact."""
    for unit in ("Ti", "Gi", "Mi", "T", "G", "M"):
        if value and (value / _UNITS[unit]).denominator == 1:
            return f"{value / _UNITS[unit]}{unit}"
    if value.denominator == 1:
        return str(value)
    return f"{max(1, round(value * 1000))}m"


@dataclass(frozen=True, slots=True)
class Quota:
    """A node's quota of a resource, including all below it, in CPUs, bytes or GPUs.

    Attributes:
        quota: deserved amount.
        limit: largest amount; None for no limit.
        keys: foreign keys of these values.
    """

    quota: Fraction
    limit: Fraction | None
    keys: tuple[str, ...] = ()


def of_kai(node: Node) -> dict[str, Quota]:
    """Return quotas of a KAI queue by resource, except those without a bound."""
    found = {}
    for resource, unit in KAI_UNITS.items():
        quota, limit = (_amount(node.foreign.get(f"kai.{key} {resource}", "")) for key in ("quota", "limit"))
        if quota is None or quota < 0:
            continue
        keys = [f"kai.quota {resource}"]
        bound = None if limit is None or limit < 0 else limit * unit
        if limit is not None and (bound is None or bound >= quota * unit):
            keys.append(f"kai.limit {resource}")
        found[resource] = Quota(quota * unit, bound, tuple(keys))
    return found


def _amount(text: str) -> Fraction | None:
    return Fraction(text) if text.isascii() and _AMOUNT.fullmatch(text) else None


def kueue_lines(tree: ShareTree, node: Node) -> list[str]:
    """Return lines of a spec with the quotas of a KAI queue; empty for other nodes."""
    own = of_kai(node)
    below = [of_kai(child) for child in tree.children(node.id)]
    entries: list[tuple[str, list[str]]] = []
    for resource, one in own.items():
        inside = sum((other[resource].quota for other in below if resource in other), Fraction(0))
        nominal = max(one.quota - inside, Fraction(0))
        borrowed = _borrowing_limit(tree, node, one)
        if node.is_group and not nominal and borrowed is None:
            continue
        lines = [f"      - name: {_KUEUE_NAMES[resource]}", f"        nominalQuota: {quantity_text(nominal)}"]
        if borrowed is not None:
            lines.append(f"        borrowingLimit: {quantity_text(borrowed)}")
        entries.append((_KUEUE_NAMES[resource], lines))
    if not entries:
        return []
    covered = ", ".join(name for name, _ in entries)
    head = ["  resourceGroups:", f"  - coveredResources: [{covered}]", "    flavors:"]
    return [
        *head,
        f"    - name: {_FLAVOUR}",
        "      resources:",
        *(row for _, rows in entries for row in rows),
    ]


def _borrowing_limit(tree: ShareTree, node: Node, one: Quota) -> Fraction | None:
    """Return the amount that a node may take beyond its quota; Kueue needs a cohort for that."""
    has_cohort = node.parent is not None and tree.node(node.parent).parent is not None
    return one.limit - one.quota if has_cohort and one.limit is not None and one.limit >= one.quota else None


def written_for_kueue(tree: ShareTree) -> Places:
    """Return foreign keys of KAI that the quotas written for Kueue express."""
    found = set()
    for node in tree.walk():
        for one in of_kai(node).values():
            is_bound = one.limit is not None and _borrowing_limit(tree, node, one) is None
            found |= {(node.id, key) for key in (one.keys[:1] if is_bound else one.keys)}
    return frozenset(found)


def of_kueue(tree: ShareTree, top: int = ROOT_ID) -> dict[int, dict[str, Quota]]:
    """Return quotas by node and resource of a tree of Kueue, or of a part of it, with all below each."""
    found: dict[int, dict[str, Quota]] = {}
    for node in reversed(list(tree.walk(top))):
        found[node.id] = own = {}
        for resource in KAI_UNITS:
            keys = _keys(node, "nominalQuota", resource)
            total = sum((_quantity(node, key) for key in keys), Fraction(0))
            below = [
                found[child.id][resource] for child in tree.children(node.id) if resource in found[child.id]
            ]
            if not keys and not below:
                continue
            total += sum((one.quota for one in below), Fraction(0))
            borrowed = _keys(node, "borrowingLimit", resource)
            limit = None
            if borrowed and len(borrowed) >= len(keys):
                limit = total + sum((_quantity(node, key) for key in borrowed), Fraction(0))
            own[resource] = Quota(total, limit, tuple(keys + (borrowed if limit is not None else [])))
    return found


def _keys(node: Node, what: str, resource: str) -> list[str]:
    names = (key for key in node.foreign if key.startswith(f"kueue.{what} "))
    return [key for key in names if key.split(" ")[1].rpartition("/")[2] == resource and node.foreign[key]]


def _quantity(node: Node, key: str) -> Fraction:
    try:
        return quantity(node.foreign[key])
    except ValueError:
        return Fraction(0)


def kai_amounts(own: dict[str, Quota], resource: str) -> tuple[str, str]:
    """Return (quota, limit) for KAI; a queue with quotas gets nothing of other resources."""
    if resource not in own:
        return "0", "0" if own else "-1"
    one, unit = own[resource], KAI_UNITS[resource]
    return plain(one.quota / unit), "-1" if one.limit is None else plain(one.limit / unit)


def written_for_kai(tree: ShareTree) -> Places:
    """Return foreign keys of Kueue that the amounts written for KAI express: those of one flavour of
    a resource.
    """
    return frozenset(
        (node, key)
        for node, own in of_kueue(tree).items()
        for one in own.values()
        if sum("nominalQuota" in key for key in one.keys) < 2
        for key in one.keys
    )


def without_quotas(nodes: Iterable[Node]) -> list[Node]:
    """Return the ClusterQueues without a nominal quota."""
    return [node for node in nodes if not any(key.startswith("kueue.nominalQuota ") for key in node.foreign)]
