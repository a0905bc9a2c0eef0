"""The layout of a run folder; the only module that both its writer and its reader use.

NAME.run/manifest.json              description: title, settings, state and more
NAME.run/manifest-2.json            that of format 2, from before the run was resumed
NAME.run/nodes.json                 id, path, kind of every node of the run
NAME.run/samples-000001.parquet     all samples of a span, all nodes; further chunks count up
NAME.run/tier1-000001.parquet       minimum and maximum of 8 samples each; tier2 of 64, tier3 of 512 ...
NAME.run/tail-000002.bin            samples that are not in a chunk yet
NAME.run/changes-000001.bin         in a diary, instead of all these: changes from sample to sample
NAME.run/jobs-000001.bin            in a diary: jobs and their changes
NAME.run/index.jsonl                spans of chunks, and gaps; recreated if it is missing
NAME.run/events.jsonl               events in words, oldest first
NAME.run/journal.jsonl              external actions, one a line, oldest first
NAME.run/audit.jsonl                every action of people and of control, done or refused, oldest first
NAME.run/checkpoints/TICK.npz       the machine's whole state before that tick
NAME.run/summary.json               all nodes over the whole run; written at the end of the run
NAME.run/notes.json                 notes on instants and spans; written with the first note

A chunk has the same nodes at each of its times, one node after the other: a node's values are adjacent.
A run is of a simulated machine (`kind` simulation, with scenario, journal and checkpoints) or of another
sampled system: the manifest has its quantities with their units, and the meaning of its time 0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fsconsole.shares.stored_format import StoredFormat

SUFFIX = ".run"
SIMULATION, DIARY = "simulation", "diary"
# 1 had samples in order of time, and no tiers. 2 had fewer settings at first than later.
FORMAT = StoredFormat("fsconsole run", "a run folder", number=3)
OF_DIARIES = StoredFormat(FORMAT.name, FORMAT.noun, number=2, oldest=2)
MANIFEST = "manifest.json"
NODES = "nodes.json"
INDEX = "index.jsonl"
EVENTS = "events.jsonl"
JOURNAL = "journal.jsonl"
AUDIT = "audit.jsonl"
SUMMARY = "summary.json"
NOTES = "notes.json"
CHECKPOINTS = "checkpoints"

RUNNING, COMPLETE, INTERRUPTED = "running", "complete", "interrupted"

KEYS = ("time_s", "node", "path")
RESCALED = ("cpu_rate", "allocated_share", "effective_share")
WITHOUT_SYSTEM = "_without_system"
# Quantities of a simulated machine may be meaningful only where another quantity is above 0 (`where`), or
# only after a time (`after_s`). Samples contain the other values too; tiers and views leave them out.
QUANTITIES: dict[str, dict[str, Any]] = {
    "cpu_rate": {"unit": "fraction of the machine", "after_s": 0.0},
    "allocated_share": {"unit": "fraction of the machine"},
    "effective_share": {"unit": "fraction of the machine"},
    "normalised_usage": {"unit": "cost units, decayed, per allocated share", "where": "allocated_share"},
    "charge": {"unit": "CPU seconds, not decayed"},
    "usage": {"unit": "cost units, decayed"},
    "cpu_s": {"unit": "CPU seconds since the start of the run"},
    **{
        f"{name}{WITHOUT_SYSTEM}": {
            "unit": "fraction of the machine without system groups",
            **({"after_s": 0.0} if name == "cpu_rate" else {}),
        }
        for name in RESCALED
    },
}

_ITEM = re.compile(r"(?:(samples|tier(\d))-(\d{6,})\.parquet|tail-(\d{6,})\.bin)")
_OF_DIARY = re.compile(r"(?:changes|jobs)-\d{6,}\.bin")
_OLDER = re.compile(r"manifest-\d+\.json")
_TEMPORARY = re.compile(r"\..+\.tmp")  # A kill while a file was written leaves such a file.


def run_folder(path: Path) -> Path | None:
    """Return the run folder of a path, which is the folder or a file in it; None if there is none.

    A folder with the name of a run counts too, even if it is not one: opening it reports the fault.
    """
    try:
        if path.is_dir():
            return path if path.suffix == SUFFIX or (path / MANIFEST).is_file() else None
        is_inside = path.name == MANIFEST or place_of(path.name) is not None
        return path.parent if is_inside and path.is_file() and path.parent.suffix == SUFFIX else None
    except OSError:
        return None


class RunError(ValueError):
    """A run folder cannot be written or read; the message gives the reason."""


def is_of_run(name: str) -> bool:
    """Return True if an entry of a run folder has a name that this program uses there."""
    ours = (MANIFEST, NODES, INDEX, EVENTS, JOURNAL, AUDIT, SUMMARY, NOTES, CHECKPOINTS)
    patterns = (_ITEM, _OF_DIARY, _OLDER, _TEMPORARY)
    return name in ours or any(pattern.fullmatch(name) for pattern in patterns)


def chunk_name(number: int, tier: int = 0) -> str:
    """Return the file name of a chunk, counted from 1; tier 0 has the samples themselves."""
    return f"{f'tier{tier}' if tier else 'samples'}-{number:06d}.parquet"


def tail_name(number: int) -> str:
    """Return the file name of the samples that will become chunk `number`."""
    return f"tail-{number:06d}.bin"


def changes_name(number: int) -> str:
    """Return the file name of changes from sample to sample, counted from 1."""
    return f"changes-{number:06d}.bin"


def jobs_name(number: int) -> str:
    """Return the file name of jobs and their changes, counted from 1."""
    return f"jobs-{number:06d}.bin"


def place_of(name: str) -> tuple[int, int] | None:
    """Return tier and number of a chunk's file, tier -1 for a tail; None for any other file."""
    found = _ITEM.fullmatch(name)
    if found is None:
        return None
    kind, tier, number, tail = found.groups()
    if tail:
        return -1, int(tail)
    return (0 if kind == "samples" else int(tier)), int(number)


def checkpoint_name(tick: int) -> str:
    """Return the file name of the checkpoint before a tick."""
    return f"{tick:012d}.npz"


def header(kind: str) -> dict[str, Any]:
    """Return the first entries of the manifest of a run of a kind."""
    return {**(OF_DIARIES if kind == DIARY else FORMAT).header(), "kind": kind}


def is_quantities(values: object) -> bool:
    """Return True if a manifest's quantities are valid."""
    return isinstance(values, Mapping) and all(
        isinstance(name, str) and isinstance(one, Mapping) and isinstance(one.get("unit"), str)
        for name, one in values.items()
    )
