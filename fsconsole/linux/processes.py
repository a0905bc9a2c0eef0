"""Processes and the control groups they are in, from /proc.

Source: proc(5), on stat and status; cgroups(7), on /proc/PID/cgroup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fsconsole.linux.hierarchy import PROC, Hierarchy, text_in, words_in

# Places count from 0 after the name of the command in /proc/PID/stat, since that may contain blanks.
_PARENT = 1
_START_TIME = 19


@dataclass(frozen=True, slots=True)
class Process:
    """A running process.

    Attributes:
        pid: its number.
        uid: user id.
        started: clock ticks after the boot; together with the number it identifies a process.
    """

    pid: int
    uid: int
    started: int


def all_processes(proc: Path = PROC) -> Iterator[Process]:
    """Yield every process with memory of its own; the kernel's threads have none and cannot be moved."""
    for folder in proc.iterdir():
        if folder.name.isdigit():
            found = process(int(folder.name), proc)
            if found is not None:
                yield found


def process(pid: int, proc: Path = PROC) -> Process | None:
    """Return a process by its number; None if it does not exist or is the kernel's."""
    status = text_in(proc / str(pid) / "status")
    started = start_time(pid, proc)
    if status is None or started is None or "\nVmSize:" not in status:
        return None
    for line in status.splitlines():
        if line.startswith("Uid:"):
            return Process(pid, int(line.split()[2]), started)
    return None


def descendants(pids: Iterable[int], proc: Path = PROC) -> list[int]:
    """Return all processes started by these, directly or not, without these themselves."""
    children: dict[int, list[int]] = {}
    for folder in proc.iterdir():
        if folder.name.isdigit():
            words = (text_in(folder / "stat") or "").rpartition(")")[2].split()
            if len(words) > _PARENT and words[0] != "Z":
                children.setdefault(int(words[_PARENT]), []).append(int(folder.name))
    given, found, open_ends = set(pids), dict[int, None](), list(pids)
    while open_ends:
        new = [child for child in children.get(open_ends.pop(), ()) if child not in found]
        found.update(dict.fromkeys(new))
        open_ends += new
    return [pid for pid in found if pid not in given]


def start_time(pid: int, proc: Path = PROC) -> int | None:
    """Return the start of a process in clock ticks after the boot; None if it has ended."""
    stat = text_in(proc / str(pid) / "stat")
    words = (stat or "").rpartition(")")[2].split()
    return int(words[_START_TIME]) if len(words) > _START_TIME and words[0] != "Z" else None


def groups_of(pid: int, hierarchy: Hierarchy, proc: Path = PROC) -> dict[Path, Path]:
    """Return the group of a process in each tree of a hierarchy, by the top of the tree."""
    found: dict[Path, Path] = {}
    for line in (text_in(proc / str(pid) / "cgroup") or "").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        names = controllers.split(",")
        inside = path.lstrip("/")
        if hierarchy.is_v2 and not controllers:
            found[hierarchy.cpu] = hierarchy.cpu / inside
        elif not hierarchy.is_v2:
            if "cpu" in names:
                found[hierarchy.cpu] = hierarchy.cpu / inside
            if "cpuacct" in names:
                found[hierarchy.accounting] = hierarchy.accounting / inside
    return found


def wants_cpu(pid: int, proc: Path = PROC) -> bool:
    """Return True if any thread of a process runs or waits for a processor now."""
    try:
        threads = list((proc / str(pid) / "task").iterdir())
    except OSError:
        return False  # The process has ended since.
    return any((text_in(one / "stat") or "").rpartition(")")[2].split()[:1] == ["R"] for one in threads)


def pids_in(group: Path) -> list[int]:
    """Return the processes of a group itself, without those below it."""
    return [int(word) for word in words_in(group / "cgroup.procs") if word.isdigit() and int(word) > 0]
