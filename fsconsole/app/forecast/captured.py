"""Parts of a capture folder beside its associations, and what of them cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fsconsole.app.forecast.cluster import PARTS, Known
from fsconsole.shares.input_files import read_json
from fsconsole.targets.slurm.explain import read_all_priorities
from fsconsole.targets.slurm.gaps import gap_words
from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.reading import Reader
from fsconsole.targets.slurm.replay import MANIFEST
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import ToolError, Tools


def known_of(folder: Path) -> Known:
    """Return settings, partitions, QOS, jobs, priorities of waiting jobs, and when it was captured."""
    cluster, captured_s = _manifest(folder)
    reader = Reader(Tools(capture_place(folder)), cluster=cluster)
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
    waiting, waiting_gap = read_all_priorities(reader.tools.run)
    config = found.get(PartName.SETTINGS)
    return Known(
        cluster=cluster or (config.cluster if config is not None else ""),
        config=config,
        partitions=found.get(PartName.PARTITIONS, ()),
        qos=found.get(PartName.QOS, ()),
        waiting=waiting,
        waiting_gap=waiting_gap,
        jobs=found.get(PartName.JOBS),
        gaps=gaps,
        captured_s=captured_s,
    )


def _manifest(folder: Path) -> tuple[str, float | None]:
    found = read_json(folder / MANIFEST)
    cluster, captured_s = (found.get(name) for name in ("cluster", "captured_s"))
    is_time = isinstance(captured_s, int | float) and not isinstance(captured_s, bool)
    return cluster if isinstance(cluster, str) else "", float(captured_s) if is_time else None
