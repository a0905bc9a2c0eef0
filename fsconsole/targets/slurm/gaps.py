"""Parts of a cluster's state that were not read, or of which rows were left out, in words."""

from __future__ import annotations

from fsconsole.targets.slurm.state import PartName

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
