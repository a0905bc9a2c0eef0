"""Parts of a cluster's state that were not read, are old, or of which rows were left out, in words."""

from __future__ import annotations

from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.text import moments

_WHAT = {
    PartName.SETTINGS: "Settings are",
    PartName.TREE: "Stored associations are",
    PartName.USAGE: "Usage is",
    PartName.JOBS: "Jobs are",
    PartName.PARTITIONS: "Partitions are",
    PartName.NODES: "Nodes are",
    PartName.RESERVATIONS: "Reservations are",
    PartName.QOS: "QOS are",
}


def gap_words(part: PartName, why: str, *, in_part: bool) -> str:
    """Return a sentence on a part that is not known, or only in part."""
    what, why = _WHAT[part], why.rstrip(".")
    return f"{what} known in part: {why}." if in_part else f"{what} not known: {why}."


def stale_since(state: ClusterState, name: PartName) -> str:
    """Describe since when a part is old because it failed or nothing answers; empty where it is current."""
    part = state.parts.get(name, Part())
    if part.as_of_s is None or not (part.problem or state.link is Link.NO_ANSWER):
        return ""
    clock = moments.clock(part.as_of_s)
    return f"as of {clock}: {part.problem or 'the cluster does not respond'}"


def old_words(state: ClusterState) -> dict[str, str]:
    """Return a sentence on each part that was read once and cannot be read any more, by its name."""
    since = {name: stale_since(state, name) for name in PartName}
    return {str(name): f"{_WHAT[name]} {words.rstrip('.')}." for name, words in since.items() if words}
