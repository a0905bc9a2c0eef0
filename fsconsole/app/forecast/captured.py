"""Parts of a capture folder beside its associations, and what of them cannot be read."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from fsconsole.app.forecast.cluster import PARTS, Known
from fsconsole.targets.slurm.explain import read_all_priorities
from fsconsole.targets.slurm.gaps import gap_words
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.replay import read_manifest
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import ToolError, Tools


def known_of(folder: Path) -> Known:
    """Return settings, partitions, nodes, QOS, jobs, priorities of waiting jobs, and when it was captured.

    Raises:
        CaptureError: the list of the folder is damaged.
    """
    manifest = read_manifest(folder)
    reader = Reader(Tools(capture_place(folder)))
    found: dict[PartName, Any] = {}
    gaps: dict[str, str] = {}
    for part in PARTS:
        try:
            read = reader.read(part)
        except ToolError as error:
            gaps[part] = gap_words(part, str(error), in_part=False)
        else:
            found[part] = read.value
            if read.notes:
                gaps[part] = gap_words(part, read.notes[0], in_part=True)
    with suppress(ToolError):
        found[PartName.NODES] = reader.read(PartName.NODES).value
    waiting, waiting_gap = read_all_priorities(reader.tools.run)
    config = found.get(PartName.SETTINGS)
    return Known(
        cluster=manifest.cluster or (config.cluster if config is not None else ""),
        config=config,
        partitions=found.get(PartName.PARTITIONS, ()),
        qos=found.get(PartName.QOS, ()),
        cluster_nodes=found.get(PartName.NODES, ()),
        waiting=waiting,
        waiting_gap=waiting_gap,
        jobs=found.get(PartName.JOBS),
        gaps=gaps,
        captured_s=manifest.captured_s,
    )
