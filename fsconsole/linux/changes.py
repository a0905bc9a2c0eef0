"""Carrying out a plan on the machine, and undoing it."""

from __future__ import annotations

import errno
import os
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsconsole.linux.hierarchy import PROC, Hierarchy, text_in, words_in
from fsconsole.linux.plan import CONTROLLERS, IDLE, Kind, Step
from fsconsole.linux.processes import groups_of, pids_in, process, start_time
from fsconsole.linux.undo_log import Entry, UndoLog
from fsconsole.text.words import shortened

_COMMAND_S = 20.0
_TOGETHER = 250  # Logging each step by itself would be slow, 250 are logged at once.
_LONGEST = 300  # Messages show no more characters of a step.
_EMPTY_TRIES, _EMPTY_WAIT_S = 50, 0.02

Run = Callable[[Sequence[str]], str]
AfterStep = Callable[[Step], None]


class ChangeError(OSError):
    """A step failed on the machine; the message names the step, the reason and the steps undone."""


@dataclass(frozen=True, slots=True)
class Released:
    """Result of `release`.

    Attributes:
        done: number of files put back, groups removed and processes moved back.
        left: sentences on what was left as it is, and why.
    """

    done: int
    left: tuple[str, ...]


def apply(
    steps: Iterable[Step], log: UndoLog, *, after: AfterStep = lambda _: None, run: Run | None = None
) -> int:
    """Carry out all steps; return the number of steps done.

    Each step is logged before it is done, many at once: a write to the disk takes longer than a step. If one
    fails, those of this call are undone. Groups are removed last; if that fails, all other steps stay done.

    Args:
        steps: the steps, in order.
        log: the undo log.
        after: called after each step.
        run: runs a command and returns why it failed, or an empty text.

    Raises:
        ChangeError: a step failed.
    """
    count, planned, done = len(log.entries), list(steps), 0
    while block := planned[done : done + _TOGETHER]:
        step = block[0]
        try:
            entries = _note(block, log)
            for at, step in enumerate(block):
                if not _do(step, entries[at], log, run or run_command):
                    undone = {id(entry) for entry in entries[at:]}
                    log.keep(lambda entry, undone=undone: id(entry) not in undone)  # type: ignore[misc]
                    break
                done += 1
                after(step)
        except OSError as error:
            if step.kind is Kind.REMOVE:
                raise ChangeError(
                    error.errno,
                    f"{shortened(str(step), _LONGEST)}: {_reason(error)}; all other steps are done",
                ) from error
            taken_back = _take_back(log, count, run or run_command)
            words = "nothing was changed" if not taken_back else "; ".join(taken_back)
            raise ChangeError(
                error.errno, f"{shortened(str(step), _LONGEST)}: {_reason(error)}; {words}"
            ) from error
    return done


def _reason(error: OSError) -> str:
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return (
            f"{error.strerror}. Only root, and users to whom root delegated a group, can change "
            "control groups"
        )
    return error.strerror or str(error)


def _note(steps: Sequence[Step], log: UndoLog) -> list[Entry | None]:
    """Log entries that undo the next steps; return the entry of each step that needs one."""
    made: set[Path] = set()
    entries: list[Entry | None] = []
    for step in steps:
        is_ours = step.path.parent in made or log.made(step.path.parent)
        # A group of ours is in the log, and its files disappear with it.
        is_noted = step.kind is Kind.REMOVE or (step.kind is Kind.WRITE and is_ours)
        # A group that others created since the plan is theirs, as if it had always existed.
        if is_noted or (step.kind is Kind.MAKE and step.path.is_dir()):
            entries.append(None)
            continue
        if step.kind is Kind.MAKE:
            made.add(step.path)
        entries.append(Entry(step.kind, str(step.path), step.value, _before(step)))
    log.add(*(entry for entry in entries if entry is not None))
    return entries


def _before(step: Step) -> str:
    """Return the value that undoes a step; a file may have changed since the plan."""
    if step.kind is not Kind.WRITE or step.path.name == CONTROLLERS:
        return step.before
    return text_in(step.path) or step.before


def _do(step: Step, entry: Entry | None, log: UndoLog, run: Run) -> bool:
    """Carry out a step; return False for a group that others created after it was logged as ours."""
    if step.kind is Kind.MAKE:
        try:
            step.path.mkdir()
        except FileExistsError:
            return entry is None
    elif step.kind is Kind.RUN:
        problem = run(step.value.split("\n"))
        if problem:
            raise OSError(errno.EIO, problem)
    elif step.kind is Kind.REMOVE:
        heir = {str(step.path): step.value} if step.value else {}
        _remove(step.path, _homes(log.entries) | heir)
    elif step.path.name != IDLE or step.path.exists():  # Older kernels do not have this file.
        write_value(step.path, step.value)
    return True


def write_value(file: Path, value: str) -> None:
    """Write a file of the kernel in one go.

    Raises:
        OSError: the kernel refuses the value.
    """
    handle = os.open(file, os.O_WRONLY | os.O_TRUNC)
    try:
        os.write(handle, value.encode())
    finally:
        os.close(handle)


def run_command(words: Sequence[str]) -> str:
    """Run a command; return why it failed, or an empty text."""
    try:
        found = subprocess.run(
            list(words), capture_output=True, text=True, errors="replace", timeout=_COMMAND_S, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        return f"{words[0]} is not installed"
    except subprocess.TimeoutExpired:
        return f"{words[0]} did not respond in {_COMMAND_S:g} s"
    return (
        ""
        if found.returncode == 0
        else (found.stderr.strip() or f"{words[0]} ended with status {found.returncode}")
    )


def move(pids: Iterable[int], group: str, hierarchy: Hierarchy, log: UndoLog, proc: Path = PROC) -> list[str]:
    """Move processes into a node's group; return sentences on those that could not be moved."""
    problems: list[str] = []
    for pid in pids:
        found = process(pid, proc)
        if found is None:
            problems.append(f"process {pid}: it does not exist, or it belongs to the kernel")
            continue
        for top, before in groups_of(pid, hierarchy, proc).items():
            target = top / group
            if before == target:
                continue
            if not log.made(before):
                log.add(Entry(Kind.MOVE, str(target), f"{pid} {found.started}", str(before)))
            try:
                write_value(target / "cgroup.procs", str(pid))
            except OSError as error:
                problems.append(f"process {pid}: {_reason(error)}")
                break
    return problems


def release(log: UndoLog, *, run: Run | None = None, proc: Path = PROC) -> Released:
    """Undo all entries of a log: files, processes, groups; entries that cannot be undone stay in the log."""
    count = len(log.entries)
    left = tuple(_take_back(log, 0, run or run_command, proc))
    return Released(count - len(log.entries), left)


def release_lines(log: UndoLog) -> list[str]:
    """Return the steps of `release` for a log, one line each; it moves only processes that still run."""
    lines = {}
    for entry in _in_order(log.entries):
        if entry.kind is Kind.MOVE:
            text = f"move process {entry.value.split()[0]} to {entry.before}"
        elif entry.kind is Kind.MAKE:
            text = f"rmdir {entry.path}"
        elif entry.kind is Kind.WRITE:
            text = f"write {entry.before} to {entry.path}"
        else:
            text = " ".join(entry.before.split("\n"))
        lines[entry.kind, entry.path, entry.value.split()[0] if entry.kind is Kind.MOVE else ""] = text
    return list(lines.values())


def _take_back(log: UndoLog, first: int, run: Run, proc: Path = PROC) -> list[str]:
    """Undo the entries from `first` on, newest first; return sentences on those that stay."""
    entries = log.entries[first:]
    kept = set(map(id, log.entries[:first]))
    values = _written(entries)
    problems: list[str] = []
    homes, inside = _homes(entries), _inside(entries)
    for entry in _in_order(entries):
        try:
            if entry.kind is Kind.MOVE:
                problem = _move_back(entry, inside, proc)
            else:
                problem = _undo(entry, values, homes, run)
            is_left = False
        except OSError as error:
            problem, is_left = f"{entry.path}: {_reason(error)}", True
        if problem:
            problems.append(problem)
        if is_left:
            kept.add(id(entry))
    log.keep(lambda entry: id(entry) in kept)
    return problems


def _in_order(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield undo steps in order: move processes home, remove emptied groups, restore older files.

    Settings made by commands are undone once for each unit.
    """
    for kinds in ((Kind.MOVE,), (Kind.MAKE,), (Kind.WRITE,)):
        yield from (entry for entry in reversed(entries) if entry.kind in kinds)
    yield from {entry.before: entry for entry in entries if entry.kind is Kind.RUN}.values()


def _written(entries: Sequence[Entry]) -> dict[str, set[str]]:
    """Return all values that may have been written into each file: the last write may have failed."""
    values: dict[str, set[str]] = {}
    for entry in entries:
        if entry.kind is Kind.WRITE:
            values.setdefault(entry.path, {entry.before}).add(entry.value)
    return values


def _homes(entries: Sequence[Entry]) -> dict[str, str]:
    """Return the group from which processes of each group came."""
    return {entry.path: entry.before for entry in entries if entry.kind is Kind.MOVE}


def _inside(entries: Sequence[Entry]) -> dict[Path, set[int]]:
    """Return the processes of all groups that processes may have been moved into."""
    folders = {Path(entry.path) for entry in entries if entry.kind in (Kind.MAKE, Kind.MOVE)}
    return {folder: set(pids_in(folder)) for folder in folders}


def _move_back(entry: Entry, inside: dict[Path, set[int]], proc: Path) -> str:
    """Move a process back, also from another group of the same tree that it moved to later.

    Older groups above are not in the log, so the tree is all below the node where both paths meet.
    """
    pid, started = (int(word) for word in entry.value.split())
    top = Path(os.path.commonpath((entry.path, entry.before)))
    is_inside = any(pid in pids and folder.is_relative_to(top) for folder, pids in inside.items())
    if is_inside and start_time(pid, proc) == started:
        _send_home(pid, Path(entry.before))
    return ""


def _undo(entry: Entry, values: dict[str, set[str]], homes: dict[str, str], run: Run) -> str:
    """Undo one entry; return a sentence on anything left on purpose."""
    path = Path(entry.path)
    if entry.kind is Kind.MAKE:
        _remove(path, homes)
    elif entry.kind is Kind.RUN:
        problem = run(entry.before.split("\n"))
        if problem:
            raise OSError(errno.EIO, problem)
    elif path.is_file():
        is_sure = str(path.parent / IDLE) in values  # The kernel has changed the weight itself.
        return _put_back(path, entry.before, None if is_sure else values[entry.path])
    return ""


def _put_back(file: Path, before: str, written: set[str] | None) -> str:
    if file.name == CONTROLLERS:
        if "cpu" in words_in(file):
            write_value(file, before)
        return ""
    now = text_in(file)
    if now == before:
        return ""
    if now is not None and written is not None and now not in written:
        return f"{file} holds {now}, written by another program since: left as it is (it was {before})"
    write_value(file, before)
    return ""


def _send_home(pid: int, home: Path) -> None:
    """Move a process to its old group, or to the nearest group above if that is gone."""
    for group in (home, *home.parents):
        if (group / "cgroup.procs").is_file():
            try:
                write_value(group / "cgroup.procs", str(pid))
            except ProcessLookupError:  # The process has ended since.
                return
            except OSError as error:
                if error.errno != errno.EBUSY:  # In v2 a group with controllers below holds no processes.
                    raise
                continue
            return


def remove_folder(group: Path) -> None:
    """Remove a control group; the kernel removes its files.

    Raises:
        OSError: the group still contains processes or groups.
    """
    group.rmdir()


def _remove(group: Path, homes: dict[str, str]) -> None:
    """Remove a group of ours; processes that began in it go where the processes moved into it came from."""
    for attempt in range(_EMPTY_TRIES):
        if not group.is_dir():
            return
        home = Path(homes.get(str(group), str(group.parent)))
        for pid in pids_in(group):
            _send_home(pid, home)
        try:
            remove_folder(group)
        except OSError as error:
            # A process that has ended is in its group until its parent has asked for it.
            if others := sorted(folder.name for folder in group.glob("*/")):
                more = f" and {len(others) - 1} more" if len(others) > 1 else ""
                raise OSError(error.errno, f"holds a group of another program, {others[0]}{more}") from error
            if error.errno != errno.EBUSY or attempt == _EMPTY_TRIES - 1:
                raise
            time.sleep(_EMPTY_WAIT_S)
        else:
            return
