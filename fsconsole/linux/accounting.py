"""The CPU time that the kernel has charged to control groups. Rates come from here, never from weights."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from fsconsole.linux.hierarchy import Hierarchy, number_in, text_in


@dataclass(frozen=True, slots=True)
class Reading:
    """CPU time charged up to a time.

    Attributes:
        at_s: time of the reading, on a monotonic clock.
        used_s: CPU seconds of each node's group and all below it; nodes without a group are absent.
    """

    at_s: float
    used_s: Mapping[int, float]


def read(hierarchy: Hierarchy, groups: Mapping[int, str], nodes: Iterable[int] | None = None) -> Reading:
    """Read the CPU time charged to the groups of these nodes, or of all nodes."""
    used: dict[int, float] = {}
    for node in groups if nodes is None else nodes:
        seconds = used_s(hierarchy.accounting / groups[node], is_v2=hierarchy.is_v2)
        if seconds is not None:
            used[node] = seconds
    return Reading(time.monotonic(), used)


def used_s(group: Path, *, is_v2: bool) -> float | None:
    """Return the CPU seconds of a group and all below it; None for an unknown group."""
    if not is_v2:
        nanoseconds = number_in(group / "cpuacct.usage")
        return None if nanoseconds is None else nanoseconds / 1e9
    for line in (text_in(group / "cpu.stat") or "").splitlines():
        name, _, value = line.partition(" ")
        if name == "usage_usec" and value.isdigit():
            return int(value) / 1e6
    return None


def charged_s(before: Reading, after: Reading) -> dict[int, float]:
    """Return the CPU seconds of each node between two readings; a group created since began at 0."""
    past = before.used_s
    return {
        node: used - known if (known := past.get(node, 0.0)) <= used else used
        for node, used in after.used_s.items()
    }
