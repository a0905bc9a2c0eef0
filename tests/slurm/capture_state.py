"""A capture folder as the state of a cluster, read in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsconsole.targets.slurm.location import capture_place, clock_of
from fsconsole.targets.slurm.model import ClusterModel
from fsconsole.targets.slurm.reading import Found, Reader
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.tools import ToolError, Tools


def state_of(folder: Path) -> ClusterState:
    """Return the state that a console reads from a capture; parts that it lacks are missing."""
    reader, model, fields = Reader(Tools(capture_place(folder))), ClusterModel(), dict[str, Any]()
    now_s = clock_of(capture_place(folder).prefix)()
    parts = {}
    for part in PartName:
        try:
            found: Found = reader.read(part)
        except ToolError:
            continue
        reader.cluster = found.value.cluster if part is PartName.SETTINGS else reader.cluster
        fields |= model.take(part, found, reader.cluster)
        parts[part] = Part(as_of_s=now_s)
    return ClusterState(1, reader.cluster, Link.ANSWERS, parts, captured_s=now_s, **fields)
