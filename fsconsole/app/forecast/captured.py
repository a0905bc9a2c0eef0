"""Parts of a capture folder beside its associations; parts that cannot be read are left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from fsconsole.app.forecast.cluster import Known
from fsconsole.shares.input_files import read_json, read_limited
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.findings import Listing
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.parsers.sprio import read_sprio
from fsconsole.slurm.parsers.squeue_text import (
    FIELDS,
    FIELDS_BEFORE,
    FORMAT,
    FORMAT_BEFORE,
    read_squeue_text,
)
from fsconsole.targets.slurm.replay import MANIFEST, captured_file

T = TypeVar("T")


def known_of(folder: Path) -> Known:
    """Return settings, partitions, QOS, priorities of waiting jobs, and when it was captured."""
    config = _read(folder, read_scontrol_config, "scontrol", "show", "config")
    partitions = _read(folder, read_scontrol_partition, "scontrol", "-a", "show", "partition")
    qos = _read(folder, read_qos, "sacctmgr", "-P", "show", "qos")
    waiting = _read(folder, read_sprio, "sprio")
    cluster, captured_s = _manifest(folder)
    jobs = _jobs(folder, captured_s or 0.0)
    return Known(
        cluster=cluster or (config.cluster if config is not None else ""),
        config=config,
        partitions=partitions.items if partitions is not None else (),
        qos=qos.items if qos is not None else (),
        waiting=waiting.items if waiting is not None else (),
        jobs=jobs.items if jobs is not None else None,
        captured_s=captured_s,
    )


def _jobs(folder: Path, captured_s: float) -> Listing[Job] | None:
    """Return the jobs, of a folder by an earlier version too."""
    for form, fields in ((FORMAT, FIELDS), (FORMAT_BEFORE, FIELDS_BEFORE)):
        read = partial(read_squeue_text, now_s=captured_s, fields=fields)
        if (found := _read(folder, read, "squeue", "-h", "-a", "-O", form)) is not None:
            return found
    return None


def _read(folder: Path, parse: Callable[[str], T], *command: str) -> T | None:
    try:
        path = captured_file(folder, *command)
        return None if path is None else parse(read_limited(path).decode("utf-8").replace("\r\n", "\n"))
    except (OSError, ValueError, ScenarioError):
        return None


def _manifest(folder: Path) -> tuple[str, float | None]:
    found = read_json(folder / MANIFEST)
    cluster, captured_s = (found.get(name) for name in ("cluster", "captured_s"))
    is_time = isinstance(captured_s, int | float) and not isinstance(captured_s, bool)
    return cluster if isinstance(cluster, str) else "", float(captured_s) if is_time else None
