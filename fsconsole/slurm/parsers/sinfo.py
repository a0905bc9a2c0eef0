"""`sinfo -a -N -h -o FORMAT`, a line for each node and partition, in captures of earlier versions.

Source: sinfo(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from dataclasses import replace

from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing
from fsconsole.slurm.parsers.scontrol_node import MARKS, ClusterNode
from fsconsole.slurm.parsers.values import count, non_null

FORMAT = "%N|%R|%T|%c|%C|%E"
"""Name, partition, state, CPUs; allocated, idle, other and all CPUs; why it is down."""
COMMAND = ("sinfo", "-a", "-N", "-h", "-o", FORMAT)

_FIELDS = FORMAT.count("|") + 1


def read_sinfo(text: str) -> Listing[ClusterNode]:
    """Read the nodes; ScenarioError if problems prevent reading any of them."""
    found = Findings()
    nodes: dict[str, ClusterNode] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        try:
            _take(nodes, line.rstrip("\r").split("|", _FIELDS - 1))
        except DamagedError as error:
            found.add(number, f"a node was left out: {error}")
    return found.listing([*nodes.values()])


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
    bare, busy = state.rstrip(MARKS), use.partition("/")[0]
    nodes[name] = ClusterNode(
        name=name,
        partitions=(partition,) if partition else (),
        state=bare.lower(),
        marks=tuple(state[len(bare) :]),
        cpus=count(cpus.rstrip("+")),
        busy_cpus=count(busy) if "/" in non_null(use) and non_null(busy) else None,
        reason=non_null(reason),
    )
