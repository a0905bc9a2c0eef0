"""The processes of a PID namespace, as this machine's /proc shows them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Process:
    """One process: its numbers on this machine, whose it is, its name and its words."""

    pid: int
    parent: int
    uid: int
    name: str
    words: tuple[str, ...]


def processes_of(namespace: str) -> list[Process]:
    """Return the processes in a PID namespace, given as the kernel shows it (`pid:[4026531836]`)."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                if str((place / "ns" / "pid").readlink()) == namespace:
                    found.append(_process(place))
            except (OSError, ValueError):
                continue  # it has ended
    return found


def _process(place: Path) -> Process:
    name, after = (place / "stat").read_text(errors="replace").partition("(")[2].rsplit(")", 1)
    state, parent, *_ = after.split()
    if state in "ZX":
        raise ValueError("it has ended")
    uid = next(
        line.split()[1] for line in (place / "status").read_text().splitlines() if line.startswith("Uid:")
    )
    words = (place / "cmdline").read_bytes().decode("utf-8", "replace").rstrip("\0").split("\0")
    return Process(int(place.name), int(parent), int(uid), name, tuple(words))
