"""Actions of an operator on nodes of a cluster: their conditions, commands and visible results.

Source: scontrol(1), and what Slurm 22.05.8 was seen to do: it wants a reason for every drain, refuses to
resume a node that is neither drained nor down, and forgets the reason of one that is resumed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from fsconsole.slurm.parsers.scontrol_node import ClusterNode

DRAINED = frozenset(("drained", "draining"))
DOWN = frozenset(("down", "fail", "failing", "error"))


class NodeVerb(StrEnum):
    """Kinds of actions on a node."""

    DRAIN = "drain"
    RESUME = "resume"


@dataclass(frozen=True, slots=True)
class NodeChange:
    """One change of some nodes.

    Attributes:
        nodes: their names.
        reason: why they are drained; others see it in sinfo.
        was: for RESUME: `status_words` of each node whose state alone is ended, by name; any without.
    """

    verb: NodeVerb
    nodes: tuple[str, ...]
    reason: str = ""
    was: Mapping[str, str] = field(default_factory=dict, hash=False)


def why_not(change: NodeChange, node: ClusterNode) -> str:
    """Return the reason why the node, as it is now, does not allow it, in a sentence; empty where it does."""
    if change.verb is NodeVerb.DRAIN:
        if node.state in DRAINED:
            return f"The node is already {node.state}."
        return fault_of_reason(change.reason)
    if change.was.get(node.name, now := status_words(node)) != now:
        return f"The node has changed since: it is {now} now."
    return "" if node.state in DRAINED | DOWN else f"The node is neither drained nor down ({node.state})."


def fault_of_reason(reason: str) -> str:
    """Return the fault of a reason for a drain, as a sentence; empty for a valid one."""
    if not reason.strip():
        return "Slurm needs a reason for a drain."
    if not reason.isprintable():
        return "A reason must be one line without control characters."
    return ""


def command(change: NodeChange, nodes: Sequence[str]) -> tuple[str, ...]:
    """Return the argument list that does it to some nodes."""
    words = ("scontrol", "update", f"NodeName={','.join(nodes)}", f"State={change.verb.value.upper()}")
    return (*words, f"Reason={change.reason.strip()}") if change.verb is NodeVerb.DRAIN else words


def is_done(change: NodeChange, node: ClusterNode) -> bool:
    """Return True if the record of a node shows the change."""
    if change.verb is NodeVerb.DRAIN:
        return node.state in DRAINED
    return node.state not in DRAINED | DOWN


def status_words(node: ClusterNode) -> str:
    """Return the state of a node, with its reason: `drained (fan 2 is loud)`."""
    return f"{node.state} ({node.reason})" if node.reason else node.state
