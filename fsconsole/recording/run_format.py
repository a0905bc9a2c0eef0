"""How a run folder is laid out; the one place that both its writer and its reader look at.

NAME.run/manifest.json              what was run, with what settings, and whether it came to its end
NAME.run/nodes.json                 id, path, kind of every node that there ever was
NAME.run/samples-000001.parquet     one row per time and node; further chunks count up
NAME.run/journal.jsonl              what was done from outside, one action a line, oldest first
NAME.run/audit.jsonl                every action of people and of control, done or refused, oldest first
NAME.run/checkpoints/TICK.npz       the machine's whole state before that tick
NAME.run/summary.json               every node over the whole run; there once the run has ended
NAME.run/notes.json                 what people wrote about instants and spans of it; there once there is one
"""

from __future__ import annotations

import re
from pathlib import Path

FORMAT = "fsconsole run"
VERSION = 1
MANIFEST = "manifest.json"
NODES = "nodes.json"
JOURNAL = "journal.jsonl"
AUDIT = "audit.jsonl"
SUMMARY = "summary.json"
NOTES = "notes.json"
CHECKPOINTS = "checkpoints"

RUNNING, COMPLETE, INTERRUPTED = "running", "complete", "interrupted"

KEYS = ("time_s", "node", "path")
UNITS = {
    "time_s": "simulated seconds",
    "cpu_rate": "fraction of the machine",
    "allocated_share": "fraction of the machine",
    "effective_share": "fraction of the machine",
    "usage": "cost units, decayed",
    "normalised_usage": "cost units, decayed, per allocated share",
    "charge": "CPU seconds, not decayed",
    "cpu_s": "CPU seconds given since the start of the run",
}

_CHUNK = re.compile(r"samples-(\d{6})\.parquet")
_TEMPORARY = re.compile(r"\..+\.tmp")  # left behind by a kill while a file was written


class RunError(ValueError):
    """A run folder that cannot be written or read; the message says why."""


def is_of_run(name: str) -> bool:
    """Whether an entry of a run folder has a name that this program gives there."""
    ours = (MANIFEST, NODES, JOURNAL, AUDIT, SUMMARY, NOTES, CHECKPOINTS)
    return name in ours or bool(_CHUNK.fullmatch(name) or _TEMPORARY.fullmatch(name))


def chunk_name(number: int) -> str:
    """File name of a chunk, counted from 1."""
    return f"samples-{number:06d}.parquet"


def chunks(path: Path) -> list[Path]:
    """The chunks of a run in order; RunError where one is missing between others."""
    found = sorted(item for item in path.iterdir() if _CHUNK.fullmatch(item.name))
    for number, chunk in enumerate(found, 1):
        if chunk.name != chunk_name(number):
            msg = f"{path} is damaged: {chunk_name(number)} is missing"
            raise RunError(msg)
    return found


def checkpoint_name(tick: int) -> str:
    """File name of the checkpoint before a tick."""
    return f"{tick:012d}.npz"
