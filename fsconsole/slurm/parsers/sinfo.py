"""`sinfo -a -N -h -o FORMAT`, a line for each node and partition: with how many CPUs of a node are allocated.

Source: sinfo(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing
from fsconsole.slurm.parsers.marks import has_marks, in_one_line, records
from fsconsole.slurm.parsers.values import count, non_null

FORMAT = "%N|%R|%T|%c|%C|%E"
"""For `sinfo -N -h -o`: name, partition, state, CPUs; allocated, idle, other and all CPUs; why it is down.
A mark may follow, see `marks`.
"""

_FIELDS = FORMAT.count("|") + 1
_MARKS = "*~#!%$@^-+"  # These signs follow a state: not responding, powered down and so on.


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


def read_sinfo(text: str, mark: str = "") -> Listing[ClusterNode]:
    """Read the nodes; ScenarioError if problems prevent reading any of them.

    Args:
        text: output of sinfo.
        mark: what follows the format; empty if nothing does.
    """
    found = Findings()
    nodes: dict[str, ClusterNode] = {}
    for number, record in enumerate(records(text, mark), 1):
        if not record.strip():
            continue
        try:
            _take(nodes, record.split("|", _FIELDS - 1))
        except DamagedError as error:
            found.add(number, f"a node was left out: {error}")
    return found.listing([*nodes.values()])


def in_lines(text: str, mark: str) -> str:
    """Return the text without its marks, a line for each node and partition."""
    if not has_marks(text, mark):
        return text
    return "".join(f"{in_one_line(record)}\n" for record in records(text, mark) if record)


def _take(nodes: dict[str, ClusterNode], fields: list[str]) -> None:
    """Add a line; a node has one for each of its partitions."""
    if len(fields) < _FIELDS:
        msg = f"{len(fields)} fields instead of {_FIELDS}. The line may be cut off"
        raise DamagedError(msg)
    name, partition, state, cpus, use, reason = fields
    if not name or not state:
        msg = "its name or state is empty"
        raise DamagedError(msg)
    known = nodes.get(name)
    if known is not None:
        if partition not in known.partitions:
            nodes[name] = replace(known, partitions=(*known.partitions, partition))
        return
    if not non_null(cpus.rstrip("+")):
        msg = "its number of CPUs is empty"
        raise DamagedError(msg)
    bare, busy = state.rstrip(_MARKS), use.partition("/")[0]
    nodes[name] = ClusterNode(
        name=name,
        partitions=(partition,) if partition else (),
        state=bare.lower(),
        marks=tuple(state[len(bare) :]),
        cpus=count(cpus.rstrip("+")),
        busy_cpus=count(busy) if "/" in non_null(use) and non_null(busy) else None,
        reason=non_null(reason),
    )
