"""A capture with a gap: each file missing, cut within a line, and each of its fields left out and blank."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from fsconsole.slurm.parsers.squeue_text import FIELDS, FIELDS_BEFORE
from tests.slurm.parsers.test_blank_fields import of_table, variants

_NODES = ("name", "partition", "state", "cpus", "use", "reason")
_READ = re.compile(r"Priority|Accounting|Preempt|Sched|Private|FairShare|Enforce|Dependency")
_TABLES = ("tree.txt", "usage.txt", "jobs.txt", "nodes.txt", "qos.txt", "priorities.txt")


def _columns(folder: Path, name: str) -> Sequence[str]:
    """Return the columns of an answer without titles."""
    answers = json.loads((folder / "capture.json").read_text())["answers"]
    (command,) = [list[str](one["command"]) for one in answers if one.get("file") == name]
    if name == "tree.txt":
        return next(word for word in command if word.startswith("format=")).removeprefix("format=").split(",")
    if name == "jobs.txt":
        return FIELDS if "Dependency:0" in command[-1] else FIELDS_BEFORE
    return _NODES if name == "nodes.txt" else ()


def gaps(folder: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield (field, text without it) for what is read of a file, and the file cut within lines."""
    text = (folder / name).read_text()
    found: Iterator[tuple[str, str]] = iter(())
    if name == "settings.txt":
        found = ((key, less) for key, less in variants("config", text) if _READ.match(key))
    elif name == "partitions.txt":
        found = variants("partition", text)
    elif name in _TABLES:
        found = of_table(text, list(_columns(folder, name)))
    yield from ((key, less) for key, less in found if less != text)
    ends = (text[: len(text) * part // 4].rstrip("\n") for part in range(1, 4))
    yield from ((f"cut at {len(end)}", end) for end in ends)
