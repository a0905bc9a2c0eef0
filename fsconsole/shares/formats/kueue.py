"""Cohorts and ClusterQueues of Kueue, as manifests of YAML.

Fair sharing weights are fractions of what siblings borrow; nominal quotas are what a queue has of its own,
borrowing and lending limits bound what it takes and gives: three different things.
Source: Kueue's documentation, "Cohort", "ClusterQueue" and "Fair sharing" (v1beta1 and v1beta2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fsconsole.shares.foreign import AFTER, BEFORE, WEIGHT
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.manifests import Dialect, read_manifests, write_manifests
from fsconsole.shares.formats.reading import Reading, readers
from fsconsole.shares.formats.resource_quotas import kueue_lines, quantity, without_quotas, written_for_kueue
from fsconsole.shares.formats.templates import Manifest
from fsconsole.shares.formats.weights import check_weight, inexact
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.yaml_nodes import Map, Seq
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.numbers import thousands
from fsconsole.text.words import listed, plural

NAME = "kueue"
GROUP = "kueue.x-k8s.io"
_COHORT, _QUEUE = "Cohort", "ClusterQueue"
_QUOTAS = ("nominalQuota", "borrowingLimit", "lendingLimit")
_START = re.compile(rf"""^[ -]*apiVersion: *["']?{re.escape(GROUP)}/""", re.MULTILINE)
_LOCAL = re.compile(r"""^ *clusterQueue: *["']?([\w.-]+)""", re.MULTILINE)
_LOCAL_KIND = re.compile(r"^ *kind: *[\"']?LocalQueue\b", re.MULTILINE)
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")


def _values(one: Manifest, reading: Reading) -> None:
    """Make quotas and limits slots, each by resource and flavour."""
    groups = one.at("spec", "resourceGroups")
    for group in groups if isinstance(groups, Seq) else ():
        flavours = group.get("flavors") if isinstance(group, Map) else None
        for flavour in flavours if isinstance(flavours, Seq) else ():
            resources = flavour.get("resources") if isinstance(flavour, Map) else None
            for resource in resources if isinstance(resources, Seq) else ():
                if isinstance(resource, Map):
                    _slots(one, resource, (resource.get("name"), flavour.get("name")))


def _slots(one: Manifest, resource: Map, names: tuple[Any, Any]) -> None:
    """Make the quotas of a resource slots; ValueError without what Kueue requires."""
    where = re.sub("[⟨⟩\n]", "", " ".join(map(str, names)))
    if None in names:
        msg = "a quota lacks the name of its resource or flavour, which Kueue requires"
        raise ValueError(msg)
    if resource.get(_QUOTAS[0]) is None:
        msg = f"{where[:60]} has no {_QUOTAS[0]}, which Kueue requires. Write an amount. Example: 9 or 36Gi"
        raise ValueError(msg)
    for quota in _QUOTAS:
        key = f"{quota} {where}"
        if resource.get(quota) is not None and key not in one.values:
            one.slot_at(key, resource, quota)
            if quota != _QUOTAS[0]:
                one.optional(key, resource, quota)


def _parent_keys(kind: str, version: str) -> tuple[str, ...]:
    if kind == _COHORT:
        return ("parent", "parentName") if version == "v1alpha1" else ("parentName", "parent")
    return ("cohort", "cohortName") if version == "v1beta1" else ("cohortName", "cohort")


def _fresh(tree: ShareTree, node: Node) -> str:
    kind, parent = (_COHORT, "parentName") if node.is_group else (_QUEUE, "cohortName")
    quotas = kueue_lines(tree, node)
    lines = [f"apiVersion: {GROUP}/v1beta2", f"kind: {kind}", "metadata:", "  name: ⟨name⟩"]
    lines.append("spec:" if quotas else "⟨?any⟩spec:")
    lines += [f"⟨?parent⟩  {parent}: ⟨parent⟩", "⟨?weight⟩  fairSharing:", "⟨?weight⟩    weight: ⟨weight⟩"]
    return "\n".join(lines + quotas)


_DIALECT = Dialect(
    name=NAME,
    group=GROUP,
    kinds={_COHORT: True, _QUEUE: False},
    parent=_parent_keys,
    weight=("spec", "fairSharing", "weight"),
    values=_values,
    implicit=True,
    fresh=_fresh,
)


def _rules(tree: ShareTree) -> Iterator[Problem]:
    yield from inexact(tree, NAME)
    yield from _strangers(tree)
    queues = [node for node in tree.walk() if node.parent is not None and not node.is_group]
    if lacking := without_quotas(queues):
        named = listed([node.name for node in lacking], 3)
        fault = f"{named} {plural(len(lacking), 'has', 'have')} no nominal quota (resourceGroups)"
        path = tree.path(lacking[0].id)
        yield Problem(f"{fault}: Kueue admits nothing there", Severity.WARNING, node=lacking[0].id, path=path)
    for node in tree.walk():
        if node.parent is None:
            continue
        path = tree.path(node.id)
        if not _NAME.fullmatch(node.name):
            fault = (
                f"{node.name!r} cannot be the name of an object: use small letters, digits, - and . "
                "(tree convert --rename A-Z=a-z writes small letters)"
            )
            yield Problem(fault, node=node.id, path=path)
        if not node.shares:
            fault = (
                f"{node.name} has weight 0: its share value is infinite, so it is preempted before all others"
            )
            yield Problem(fault, Severity.WARNING, node=node.id, path=path)
        if node.parent == tree.root.id and not node.is_group:
            fault = f"{node.name} is in no cohort: it borrows from no queue, and its weight has no effect"
            yield Problem(fault, Severity.WARNING, node=node.id, path=path)


def _strangers(tree: ShareTree) -> Iterator[Problem]:
    """Yield the file's LocalQueues without a ClusterQueue in the tree, such as after a rename."""
    names = {node.name for node in tree.walk() if not node.is_group}
    for node in tree.walk():
        texts = (node.foreign.get(f"{NAME}.{key}", "") for key in (BEFORE, AFTER))
        for name in (match[1] for text in texts for match in _LOCAL.finditer(text)):
            if name not in names:
                fault = (
                    f"a LocalQueue in the file belongs to the ClusterQueue {name}, which is not in the tree"
                )
                yield Problem(fault, Severity.WARNING, node=node.id, path=tree.path(node.id))


def _caveats(tree: ShareTree) -> Iterator[Problem]:
    """Note the LocalQueues of the file, whose usage-based sharing is not in the tree."""
    texts = (node.foreign.get(f"{NAME}.{key}", "") for node in tree.walk() for key in (BEFORE, AFTER))
    count = sum(len(_LOCAL_KIND.findall(text)) for text in texts)
    if count:
        fault = plural(
            count,
            "1 LocalQueue of the file is not shown: the tree ends at ClusterQueues",
            f"{thousands(count)} LocalQueues of the file are not shown: the tree ends at ClusterQueues",
        )
        yield Problem(fault, Severity.NOTE, path="tree")


def check_quantity(text: str) -> str:
    """Return the fault of an amount of a resource; empty for a valid one."""
    try:
        quantity(text or "0")
    except ValueError as error:
        return f"{error}. Write a number. Example: 9, 500m or 36Gi"
    return ""


_scenario, _lines = readers(lambda text: read_manifests(text, _DIALECT), "Kueue cohorts", "Kueue manifests")
FORMAT = Format(
    NAME,
    "Kueue manifests",
    (),
    _scenario,
    lambda scenario: write_manifests(scenario.tree, _DIALECT),
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(
        scenario, NAME, leaves=(Kind.ACCOUNT,), empty_groups=True, written=written_for_kueue(scenario.tree)
    ),
    "Cohorts and ClusterQueues as kubectl get -o yaml prints them",
    endings=(".yaml", ".yml"),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "weight", Meaning.WEIGHT, check=check_weight),
        Column(f"{NAME}.nominalQuota *", "nominalQuota", Meaning.QUOTA, check=check_quantity),
        Column(f"{NAME}.borrowingLimit *", "borrowingLimit", Meaning.LIMIT, check=check_quantity),
        Column(f"{NAME}.lendingLimit *", "lendingLimit", Meaning.LIMIT, check=check_quantity),
    ),
    rules=_rules,
    caveats=_caveats,
    lines=_lines,
    between="---\n",
)
