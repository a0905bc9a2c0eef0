"""Queues of the KAI scheduler, as manifests of YAML.

Each of CPU, GPU and memory has a quota (what the queue deserves), a limit and an overQuotaWeight (its part of
what is left). The shares here are the overQuotaWeight of the GPU; those of the others are columns. -1 stands
for no limit. What is left out is 0: without a limit a queue gets nothing, without a weight its quota alone.
Source: KAI-Scheduler, docs/fairness, docs/queues, docs/quickstart/default-queues.yaml; getQueueQuota.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fsconsole.shares.foreign import WEIGHT
from fsconsole.shares.formats.base import Column, Format, Meaning, lost_of
from fsconsole.shares.formats.manifests import MANIFEST, Dialect, read_manifests, write_manifests
from fsconsole.shares.formats.reading import Reading, readers
from fsconsole.shares.formats.resource_quotas import kai_amounts, of_kueue, written_for_kai
from fsconsole.shares.formats.templates import Manifest
from fsconsole.shares.formats.weights import check_weight, inexact
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.yaml_nodes import Map
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text.words import listed

NAME = "kai"
GROUP = "scheduling.run.ai"
_RESOURCES = ("gpu", "cpu", "memory")
_KEYS = {"quota": Meaning.QUOTA, "limit": Meaning.LIMIT, "overQuotaWeight": Meaning.WEIGHT}
_UNITS = {"gpu": "GPUs", "cpu": "thousandths of a CPU", "memory": "MB"}
_UNSET = "0"
_SHARED = ("gpu", "overQuotaWeight")
_START = re.compile(rf"""^[ -]*apiVersion: *["']?{re.escape(GROUP)}/""", re.MULTILINE)
_NUMBER = re.compile(r"-1|\d{1,18}(\.\d{0,18})?")


def _values(one: Manifest, _reading: Reading) -> None:
    """Make quotas, limits and weights slots."""
    for resource in _RESOURCES:
        holder = one.at("spec", "resources", resource)
        for key in _KEYS:
            if isinstance(holder, Map) and holder.get(key) is not None and (resource, key) != _SHARED:
                one.slot_at(f"{key} {resource}", holder, key)
    one.slot("priority", "spec", "priority")


def _fresh(tree: ShareTree, node: Node) -> str:
    own = of_kueue(tree, node.id)[node.id]
    lines = [f"apiVersion: {GROUP}/v2", "kind: Queue", "metadata:", "  name: ⟨name⟩", "spec:"]
    lines += ["⟨?parent⟩  parentQueue: ⟨parent⟩", "  resources:"]
    for resource in _RESOURCES:
        weight = "⟨weight⟩" if resource == _SHARED[0] else "1"
        quota, limit = kai_amounts(own, resource)
        lines += [f"    {resource}:", f"      quota: {quota}", f"      limit: {limit}"]
        lines.append(f"      overQuotaWeight: {weight}")
    return "\n".join(lines)


_DIALECT = Dialect(
    name=NAME,
    group=GROUP,
    kinds={"Queue": True},
    parent=lambda _kind, _version: ("parentQueue",),
    weight=("spec", "resources", *_SHARED),
    values=_values,
    implicit=False,
    fresh=_fresh,
    default=_UNSET,
)


def _rules(tree: ShareTree) -> Iterator[Problem]:
    yield from inexact(tree, NAME, _UNSET)
    for node in tree.walk():
        if node.parent is None:
            continue
        path = tree.path(node.id)
        lacking = [one for one in _RESOURCES if f"{NAME}.limit {one}" not in node.foreign]
        if lacking and f"{NAME}.{MANIFEST}" in node.foreign:
            fault = f"{node.name} has no limit of {listed(lacking)}. KAI takes 0, and runs no work there that"
            fault = f"{fault} requests it. Write limit: -1 for no limit."
            yield Problem(fault, Severity.WARNING, node=node.id, path=path)
        for resource in _RESOURCES:
            quota, limit = (_number(node, f"{key} {resource}") for key in ("quota", "limit"))
            if quota is not None and limit is not None and 0 <= limit < quota:
                fault = f"the {resource} quota of {node.name}, {quota:g}, is above its limit, {limit:g}"
                yield Problem(fault, Severity.WARNING, node=node.id, path=path)
            below = [_number(child, f"quota {resource}") or 0.0 for child in tree.children(node.id)]
            if quota is not None and 0 <= quota < sum(one for one in below if one > 0):
                fault = f"the queues below {node.name} deserve more {resource} than its quota, {quota:g}"
                yield Problem(fault, Severity.WARNING, node=node.id, path=path)
        if tree.depth(node.id) == 1 and not node.children:
            fault = f"{node.name} has no parent queue. KAI runs work only in queues below a parent"
            yield Problem(fault, Severity.NOTE, node=node.id, path=path)


def _number(node: Node, key: str) -> float | None:
    text = node.foreign.get(f"{NAME}.{key}", "")
    return float(text) if text.isascii() and _NUMBER.fullmatch(text) else None


def _check(text: str) -> str:
    if not text or (text.isascii() and _NUMBER.fullmatch(text)):
        return ""
    return f"{text[:40]!r} is not an amount. Write a number of 0 or more, or -1 for no limit."


_scenario, _lines = readers(lambda text: read_manifests(text, _DIALECT), "KAI queues", "KAI manifests")
FORMAT = Format(
    NAME,
    "KAI queues",
    (),
    _scenario,
    lambda scenario: write_manifests(scenario.tree, _DIALECT),
    lambda text: _START.search(text) is not None,
    lambda scenario: lost_of(scenario, NAME, leaves=(Kind.ACCOUNT,), written=written_for_kai(scenario.tree)),
    "Queues of the KAI scheduler as kubectl get -o yaml prints them",
    endings=(".yaml", ".yml"),
    columns=(
        Column(f"{NAME}.{WEIGHT}", "GPU overQuotaWeight", Meaning.WEIGHT, check=check_weight, default=_UNSET),
        *(
            Column(f"{NAME}.{key} {resource}", f"{resource} {key}", meaning, _UNITS[resource], _check)
            for resource in _RESOURCES
            for key, meaning in _KEYS.items()
            if (resource, key) != _SHARED
        ),
        Column(f"{NAME}.priority", "priority", Meaning.PRIORITY),
    ),
    rules=_rules,
    lines=_lines,
    between="---\n",
)
