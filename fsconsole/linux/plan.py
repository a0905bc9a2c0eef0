"""The plan that turns a share tree into control groups: steps, which are carried out as shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from fsconsole.linux.hierarchy import Hierarchy, group_name, number_in, text_in, words_in
from fsconsole.shares.cpu_weights import SiblingWeights, sibling_weights
from fsconsole.shares.formats.systemd import slice_name
from fsconsole.shares.parent_shares import with_numbers
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree
from fsconsole.text.numbers import short_percent, thousands
from fsconsole.text.words import count_words, listed, plural

ROOT_NAME = "fsconsole"
CONTROLLERS = "cgroup.subtree_control"
IDLE = "cpu.idle"  # Linux has this file from 5.15 on.
SET_PROPERTY = ("systemctl", "set-property", "--runtime")
_NOTABLE = 0.01


class Kind(StrEnum):
    """Kind of a step."""

    MAKE = "make"
    WRITE = "write"  # The value goes into a file.
    MOVE = "move"  # The process enters a group.
    RUN = "run"  # The command is one of systemd.
    REMOVE = "remove"  # The folder is ours, without a node in the tree.


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a plan.

    Attributes:
        kind: its kind.
        path: the folder created or removed, or the file written.
        value: the value written; of a command its words, one a line; of a removed folder the group that takes
            its processes, empty for the one they came from.
        before: old content of the file; empty without such a file. Of a command the words that undo it.
        node: node of the group; None above the tree.
        is_new: whether the file is created with its group, so that it contains `before` from the start.
    """

    kind: Kind
    path: Path
    value: str = ""
    before: str = ""
    node: int | None = None
    is_new: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        """Return the step as a line."""
        if self.kind is Kind.MAKE:
            return f"mkdir {self.path}"
        if self.kind is Kind.RUN:
            return " ".join(self.value.split("\n"))
        if self.kind is Kind.REMOVE:
            return f"rmdir {self.path}" + (f", its processes to {self.value}" if self.value else "")
        now = f", now {self.before}" if self.before and self.kind is Kind.WRITE else ""
        if now and self.is_new:
            now = f", a new group has {self.before}"
        return f"write {self.value} to {self.path}{now}"


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that turn a share tree into control groups.

    Attributes:
        steps: in order.
        weights: final weight of each node but the root.
        notes: sentences on deviations from the shares.
        groups: folder of each node below `Hierarchy.cpu`, the root's first.
    """

    steps: tuple[Step, ...]
    weights: dict[int, int]
    notes: tuple[str, ...]
    groups: dict[int, str]


def group_paths(tree: ShareTree, root: str = ROOT_NAME, *, are_slices: bool = False) -> dict[int, str]:
    """Return the folder of each node below the top of a hierarchy, parents first."""
    names: dict[int, tuple[str, ...]] = {ROOT_ID: (root,)}
    paths = {ROOT_ID: slice_name((root,)) if are_slices else group_name(root)}
    for node in tree.walk():
        if node.parent is not None:
            names[node.id] = (*names[node.parent], node.name)
            own = slice_name(names[node.id]) if are_slices else group_name(node.name)
            paths[node.id] = f"{paths[node.parent]}/{own}"
    return paths


def plan(
    tree: ShareTree,
    hierarchy: Hierarchy,
    root: str = ROOT_NAME,
    *,
    ours: Iterable[Path] = (),
    before: Mapping[int, str] | None = None,
    commands: Mapping[str, str] = MappingProxyType({}),
) -> Plan:
    """Return the remaining steps that give the groups below a root the tree's weights.

    Args:
        tree: the share tree.
        hierarchy: the control groups.
        root: name of the group above the tree's groups.
        ours: folders created for earlier trees; those without a node in the tree are removed.
        before: folder of each node of the tree in force, as far as known.
        commands: the last command for each unit of systemd.
    """
    tree, taken = with_numbers(tree)
    groups = group_paths(tree, root, are_slices=hierarchy.is_of_systemd)
    weights: dict[int, int] = {}
    notes = [
        f"{tree.path(node)}: Fairshare=parent exists only in Slurm; its weight is that of "
        f"{count_words(tree.node(node).shares, 'share')}"
        for node in taken
    ]
    for node in tree.walk():
        children = tree.children(node.id)
        if children:
            found = sibling_weights([child.shares for child in children], hierarchy.limits)
            weights |= {child.id: int(weight) for child, weight in zip(children, found.weights, strict=True)}
            notes += _notes(tree, node, children, found, hierarchy)
    if hierarchy.is_of_systemd:
        steps = tuple(_slice_steps(tree, weights, root, commands))
    else:
        made = tuple(_group_steps(tree, hierarchy, groups, weights))
        steps = (*made, *_removals(tree, hierarchy, groups, ours, before))
    return Plan(steps, weights, tuple(notes), groups)


def _removals(
    tree: ShareTree,
    hierarchy: Hierarchy,
    groups: Mapping[int, str],
    ours: Iterable[Path],
    before: Mapping[int, str] | None,
) -> Iterator[Step]:
    """Yield steps that remove groups without a node, lowest first; processes follow node or name."""
    leaves = {node.id: groups[node.id] for node in tree.walk() if not tree.children(node.id)}
    if before is not None:
        heirs = {folder: leaves[node] for node, folder in before.items() if node in leaves}
    else:
        count = Counter(folder.rpartition("/")[2] for folder in leaves.values())
        heirs = {folder.rpartition("/")[2]: folder for folder in leaves.values()}
        heirs = {name: folder for name, folder in heirs.items() if count[name] == 1}
    kept = set(groups.values())
    for folder in sorted(set(ours), key=lambda one: (-len(one.parts), one)):
        top = next((top for top in hierarchy.tops if folder.is_relative_to(top)), None)
        inside = "" if top is None else str(folder.relative_to(top))
        if top is None or inside in kept or not inside.startswith(f"{groups[ROOT_ID]}/"):
            continue
        if folder.is_dir():
            heir = heirs.get(inside if before is not None else folder.name)
            yield Step(Kind.REMOVE, folder, str(top / heir) if heir else "")


def _notes(
    tree: ShareTree, node: Node, children: Sequence[Node], found: SiblingWeights, hierarchy: Hierarchy
) -> Iterator[str]:
    where = tree.path(node.id)
    limits = hierarchy.limits
    if not found.is_expressible:
        yield _inexpressible(where, children, found, hierarchy)
    elif found.error > _NOTABLE:
        yield (
            f"{where}: the weights differ from the ratios of the shares by up to {short_percent(found.error)}"
        )
    for child in children:
        if child.shares == 0:
            yield (
                f"{tree.path(child.id)}: cannot write 0 shares. It gets the smallest weight, "
                f"{limits.least}, and cpu.idle where the kernel has it"
            )


def _inexpressible(where: str, children: Sequence[Node], found: SiblingWeights, hierarchy: Hierarchy) -> str:
    """Return a sentence on shares that the kernel's weights cannot express, with the weights used instead."""
    limits = hierarchy.limits
    pairs = zip(children, found.weights, strict=True)
    counted = [(child, int(weight)) for child, weight in pairs if child.shares]
    largest, top = max(counted, key=lambda one: one[0].shares)
    small = [child for child, _ in counted if largest.shares * limits.least > child.shares * limits.most]
    least = min(small or [child for child, _ in counted], key=lambda child: child.shares)
    names = listed([child.name for child in small], 3)
    what = plural(len(small), f"{names} gets {limits.least}", f"{names} get {limits.least}")
    range_words = f"{thousands(limits.most // limits.least)} : 1, which {limits.file} cannot express"
    wanted, given = f"{thousands(largest.shares / least.shares)} : 1", f"{thousands(top // limits.least)} : 1"
    return (
        f"{where}: shares differ by more than {range_words}; {what}: {largest.name} to {least.name} is "
        f"{given} instead of {wanted}"
    )


def _group_steps(
    tree: ShareTree, hierarchy: Hierarchy, groups: dict[int, str], weights: dict[int, int]
) -> Iterator[Step]:
    if hierarchy.is_v2:
        yield from _controller_step(hierarchy.cpu, None)
    for node in tree.walk():
        for top in hierarchy.tops:
            folder = top / groups[node.id]
            if not folder.is_dir():
                yield Step(Kind.MAKE, folder, node=node.id)
        folder = hierarchy.cpu / groups[node.id]
        if hierarchy.is_v2 and tree.children(node.id):
            yield from _controller_step(folder, node.id)
        if node.id in weights:
            yield from _node_steps(folder, node, weights[node.id], hierarchy)


def _node_steps(folder: Path, node: Node, weight: int, hierarchy: Hierarchy) -> Iterator[Step]:
    """Yield steps that give a group its weight; an idle group has and takes none."""
    idle, limits = folder / IDLE, hierarchy.limits
    is_idle = number_in(idle) == 1
    if is_idle and node.shares:
        yield Step(Kind.WRITE, idle, "0", "1", node.id)
    if node.shares or not is_idle:
        yield from _value_step(folder / limits.file, weight, limits.usual, node.id)
    if not node.shares and not is_idle:
        yield Step(Kind.WRITE, idle, "1", "0", node.id)


def weight_steps(hierarchy: Hierarchy, groups: Mapping[int, str], weights: Mapping[int, int]) -> list[Step]:
    """Return steps that change the weights of these nodes.

    Nodes without a group are left out: others have removed it, or it is a slice without a process.
    """
    limits = hierarchy.limits
    there = {node: number_in(hierarchy.cpu / groups[node] / limits.file) for node in weights}
    if hierarchy.is_of_systemd:
        return [
            _slice_step(Path(groups[node]).name, weight, node)
            for node, weight in weights.items()
            if there[node] not in (None, weight)
        ]
    return [
        step
        for node, weight in weights.items()
        if there[node] is not None and number_in(hierarchy.cpu / groups[node] / IDLE) != 1
        for step in _value_step(hierarchy.cpu / groups[node] / limits.file, weight, limits.usual, node)
    ]


def _controller_step(folder: Path, node: int | None) -> Iterator[Step]:
    """Yield the step that enables weights for the groups in a folder (v2)."""
    enabled = words_in(folder / CONTROLLERS)
    if "cpu" not in enabled:
        yield Step(Kind.WRITE, folder / CONTROLLERS, "+cpu", "-cpu", node)


def _value_step(file: Path, value: int, usual: int, node: int) -> Iterator[Step]:
    before = text_in(file)
    if before != str(value):
        yield Step(Kind.WRITE, file, str(value), before or str(usual), node, before is None)


def _slice_steps(
    tree: ShareTree, weights: dict[int, int], root: str, commands: Mapping[str, str]
) -> Iterator[Step]:
    names: dict[int, tuple[str, ...]] = {ROOT_ID: (root,)}
    units = set()
    for node in tree.walk():
        if node.parent is None:
            continue
        names[node.id] = (*names[node.parent], node.name)
        step = _slice_step(slice_name(names[node.id]), weights[node.id], node.id)
        units.add(str(step.path))
        if commands.get(str(step.path)) != step.value:
            yield step
    for unit, words in commands.items():
        gone = _slice_step(unit)
        if unit not in units and words != gone.value:
            yield gone


def slices_in_force(commands: Mapping[str, str]) -> frozenset[str]:
    """Return the units of systemd whose weight was set and not cleared since."""
    return frozenset(unit for unit, words in commands.items() if words != _slice_step(unit).value)


def _slice_step(unit: str, weight: int | str = "", node: int | None = None) -> Step:
    """Return the step that sets or clears the weight of a slice."""
    command = (*SET_PROPERTY, unit)
    now, before = (*command, f"CPUWeight={weight}"), (*command, "CPUWeight=")
    return Step(Kind.RUN, Path(unit), "\n".join(now), "\n".join(before), node)
