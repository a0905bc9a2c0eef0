"""Weights without their full effect, and the reasons.

Source: Linux, Documentation/admin-guide/cgroup-v2.rst (cpu.max, cgroup.subtree_control), sched-ext.rst.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from fsconsole.linux.hierarchy import SYS, Hierarchy, number_in, text_in, words_in
from fsconsole.shares.tree import ROOT_ID, ShareTree


class IdleWeight(NamedTuple):
    """A weight without its full effect: kind of reason, node, sentence."""

    kind: Literal["sched-ext", "controller-off", "cpu-max", "only-child"]
    node: int | None
    text: str


def idle_weights(
    tree: ShareTree, hierarchy: Hierarchy, groups: Mapping[int, str], *, sys: Path = SYS, cpus: int
) -> Iterator[IdleWeight]:
    """Yield the reasons why weights do not count: first those of the machine, then group by group.

    Args:
        tree: the share tree.
        hierarchy: the control groups.
        groups: folder of each node's group below the top.
        sys: folder of the kernel's own description, `/sys`.
        cpus: number of processors.
    """
    yield from _of_scheduler(sys)
    if hierarchy.is_v2 and "cpu" not in words_in(hierarchy.cpu / "cgroup.subtree_control"):
        text = (
            f"{hierarchy.cpu}/cgroup.subtree_control does not list cpu: weights have no effect until it does"
        )
        yield IdleWeight("controller-off", None, text)
    shares = _parts(tree)
    for node in tree.walk():
        folder = hierarchy.cpu / groups[node.id]
        limit = cpu_limit(folder, is_v2=hierarchy.is_v2)
        path = tree.path(node.id)
        if limit is not None and limit < shares[node.id] * cpus:
            text = (
                f"{path}: {_limit_file(hierarchy)} allows {limit:.2f} CPUs, less than the "
                f"{shares[node.id] * cpus:.2f} of its shares: its weight has an effect only below that "
                "limit"
            )
            yield IdleWeight("cpu-max", node.id, text)
        if node.parent is not None and len(tree.children(node.parent)) == 1:
            text = f"{path}: the only child of {tree.path(node.parent)}: its weight competes with no other"
            yield IdleWeight("only-child", node.id, text)
        if (
            hierarchy.is_v2
            and node.id != ROOT_ID
            and folder.is_dir()
            and not (folder / hierarchy.limits.file).is_file()
        ):
            yield IdleWeight(
                "controller-off",
                node.id,
                f"{path}: the cpu controller is off in its group, so it does not have a weight",
            )


def _of_scheduler(sys: Path) -> Iterator[IdleWeight]:
    if text_in(sys / "kernel" / "sched_ext" / "state") == "enabled":
        name = text_in(sys / "kernel" / "sched_ext" / "root" / "ops") or "a scheduler"
        text = (
            f"the kernel schedules {name} with sched_ext instead of its own scheduler: weights have an "
            "effect only if that scheduler uses them"
        )
        yield IdleWeight("sched-ext", None, text)


def cpu_limit(group: Path, *, is_v2: bool) -> float | None:
    """Return the number of CPUs that a group may use at most; None without a limit."""
    if is_v2:
        words = words_in(group / "cpu.max")
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]):
            return int(words[0]) / int(words[1])
        return None
    quota, period = number_in(group / "cpu.cfs_quota_us"), number_in(group / "cpu.cfs_period_us")
    return quota / period if quota is not None and quota > 0 and period else None


def _limit_file(hierarchy: Hierarchy) -> str:
    return "cpu.max" if hierarchy.is_v2 else "cpu.cfs_quota_us"


def _parts(tree: ShareTree) -> dict[int, float]:
    """Return each node's fraction of the root by shares."""
    parts = {ROOT_ID: 1.0}
    for node in tree.walk():
        children = tree.children(node.id)
        total = sum(child.shares for child in children)
        for child in children:
            parts[child.id] = parts[node.id] * child.shares / total if total else 0.0
    return parts
