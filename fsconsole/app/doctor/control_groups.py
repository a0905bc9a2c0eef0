"""A site of all control groups of a machine, whatever created them."""

from __future__ import annotations

import os
from pathlib import Path

from fsconsole.app.doctor.site import Levels, Site
from fsconsole.app.doctor.sources import with_control_groups
from fsconsole.linux.hierarchy import SYS, Hierarchy, number_in
from fsconsole.linux.idle_weights import idle_weights
from fsconsole.linux.plan import IDLE
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree

_MOST_GROUPS = 5000


def of_control_groups(hierarchy: Hierarchy, *, sys: Path = SYS, cpus: int | None = None) -> Site:
    """Return the groups as a tree with their weights as shares; at most some thousand of them.

    A single group with the default weight is left out, and its children move up one level.
    """
    usual = 100 if hierarchy.is_v2 else 1024
    tree, folders = ShareTree("cgroup", 1), {ROOT_ID: "."}
    waiting = [(ROOT_ID, hierarchy.cpu)]
    while waiting and len(folders) < _MOST_GROUPS:
        above, folder = waiting.pop()
        below = _groups_in(folder)
        while len(below) == 1 and (number_in(below[0] / hierarchy.limits.file) or usual) == usual:
            below = _groups_in(below[0])
        for group in below:
            shares = number_in(group / hierarchy.limits.file) or usual
            if number_in(group / IDLE) == 1:  # The kernel returns 0 for cpu.weight in an idle group.
                shares = 0
            kind = Kind.GROUP if _groups_in(group) else Kind.ACCOUNT
            name = str(group.relative_to(folder)).replace("/", "|")
            node = tree.add(above, name, shares, kind)
            folders[node.id] = str(group.relative_to(hierarchy.cpu))
            if kind is Kind.GROUP:
                waiting.append((node.id, group))
    found = idle_weights(tree, hierarchy, folders, sys=sys, cpus=cpus or os.cpu_count() or 1)
    return with_control_groups(Site(hierarchy.title, Levels.of_tree(tree)), found)


def _groups_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(one.path) for one in entries if one.is_dir(follow_symlinks=False))
    except OSError:  # A group may disappear at any time.
        return []
