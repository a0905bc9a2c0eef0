"""`scontrol show node`, with or without -o: partitions, states and allocated CPUs of nodes.

`sinfo -N` prints the same, in a time that grows with the square of its rows: for 1,932 nodes in 20 partitions
it took 102 s, scontrol 0.03 s (Slurm 22.05.8). States are put into the words that sinfo has for them.
Source: scontrol(1), sinfo(1), and what node_state_string() of Slurm 22.05 makes of a state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from fsconsole.slurm.parsers.findings import Listing
from fsconsole.slurm.parsers.scontrol_records import FREE_TEXT, listing
from fsconsole.slurm.parsers.values import count, known_count, non_null

COMMAND = ("scontrol", "-a", "-o", "show", "node")
MARKS = "*~#!%$@^-+"
"""Signs behind a state in sinfo: not responding, powered down and so on."""

_NEEDED = ("NodeName", "State", "CPUTot")
# From here on a record holds what people have written.
_FREE = re.compile(r"\s(?=(?:Reason|Comment|Extra)=)")
# Slurm puts who gave the reason, and when, behind its first line.
_REASON = re.compile(
    r"Reason=(?:(.*?) \[[^\s\[\]]+@(?:Unknown|[0-9][0-9T:-]*)\](.*?)|(.*?))"
    r"(?=\s+(?:Comment|Extra|InstanceId|InstanceType|ReservationName)=|\s*$)",
    re.DOTALL,
)
_SIGNS = {
    "MAINTENANCE": "$", "REBOOT_ISSUED": "^", "REBOOT_REQUESTED": "@", "POWERING_UP": "#",
    "POWERING_DOWN": "%", "POWERED_DOWN": "~", "POWER_DOWN": "!", "NOT_RESPONDING": "*",
}  # fmt: skip
_OF_IDLE = {"PERFCTRS": "perfctrs", "RESERVED": "reserved", "BLOCKED": "blocked", "PLANNED": "planned"}
_BUSY = ("ALLOCATED", "MIXED")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNode:
    """A node of the cluster.

    Attributes:
        partitions: partitions that contain it.
        state: state in lower case without marks, such as idle, mixed, allocated, down, drained.
        marks: sinfo's marks behind the state, such as * for not responding.
        cpus: number of CPUs.
        busy_cpus: number of allocated CPUs; None if unknown.
        reason: why it is down or drained; may be empty.
    """

    name: str
    partitions: tuple[str, ...]
    state: str
    marks: tuple[str, ...]
    cpus: int
    busy_cpus: int | None
    reason: str


def busy_cpus(nodes: Iterable[ClusterNode]) -> int | None:
    """Return the number of allocated CPUs of nodes; None if that of one is unknown."""
    busy = [node.busy_cpus for node in nodes]
    return None if None in busy else sum(filter(None, busy))


def read_scontrol_node(text: str) -> Listing[ClusterNode]:
    """Read the nodes; ScenarioError if problems prevent reading any of them.

    Nodes of no partition are left out, as sinfo does: no job can run on them.
    """
    found = listing(text, "node", _NEEDED, _node, free=_FREE)
    return replace(found, items=tuple(node for node in found.items if node.partitions))


def _node(fields: Mapping[str, str]) -> ClusterNode:
    state, marks = _words_of_sinfo(fields["State"])
    busy = non_null(fields.get("CPUAlloc", ""))
    reason = _REASON.match(fields.get(FREE_TEXT, ""))
    return ClusterNode(
        name=fields["NodeName"],
        partitions=tuple(filter(None, non_null(fields.get("Partitions", "")).split(","))),
        state=state,
        marks=tuple(marks),
        cpus=known_count(fields, "CPUTot"),
        busy_cpus=count(busy) if busy else None,
        reason=non_null(" ".join(filter(None, map(_stripped, reason.groups())))) if reason else "",
    )


def _stripped(text: str | None) -> str:
    return (text or "").strip()


def _words_of_sinfo(text: str) -> tuple[str, str]:
    """Return the state in sinfo's word, and the marks behind it, of a state such as IDLE+DRAIN."""
    first, *more = text.upper().split("+")
    base, flags = first.rstrip(MARKS), frozenset(more)
    marks = next((sign for flag, sign in _SIGNS.items() if flag in flags), first[len(base) :])
    silent = "*" if "NOT_RESPONDING" in flags else ""
    is_draining, is_ending, is_busy = "DRAIN" in flags, "COMPLETING" in flags, base in _BUSY
    if "INVALID_REG" in flags:
        return "inval", ""
    if "MAINTENANCE" in flags and not (is_draining or is_busy or base == "DOWN"):
        return "maint", silent
    if flags & {"REBOOT_ISSUED", "REBOOT_REQUESTED"} and not is_busy:
        return "reboot", "^" if "REBOOT_ISSUED" in flags else silent
    if is_draining:
        return "draining" if is_busy or is_ending else "drained", marks
    if "FAIL" in flags:
        return "failing" if is_ending or base == "ALLOCATED" else "fail", silent
    if is_ending and base not in ("DOWN", "ALLOCATED"):
        return "completing", marks
    if marks:
        return base.lower(), marks
    if base == "IDLE":
        return next((word for flag, word in _OF_IDLE.items() if flag in flags), "idle"), ""
    is_planned, still_ends = base == "MIXED" and "PLANNED" in flags, base == "ALLOCATED" and is_ending
    return base.lower(), "-" if is_planned else "+" if still_ends else ""
