"""What was changed on the machine, written down before it is done, so that it can be taken back after a kill.

The file has one JSON object a line. The first one names the boot; every other one is a step that was about
to be done. A step that may not have been done is taken back like the others: to take back what was never done
changes nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fsconsole.linux.hierarchy import PROC, text_in
from fsconsole.linux.plan import CONTROLLERS, IDLE, SET_PROPERTY, Kind
from fsconsole.shares.cpu_weights import V1, V2
from fsconsole.shares.files import is_device_or_pipe, naming, write_atomic

_FILES = (CONTROLLERS, IDLE, V1.file, V2.file)  # no other files are ever written
_COMPACT_AT = 1000  # lines: a file that is written again and again then gets one line for all its lines


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was done, or was about to be.

    Attributes:
        kind: what kind of step it was.
        path: the folder made, or the file written.
        value: what was written; of a moved process its number and its start time, in clock ticks.
        before: what takes it back.
    """

    kind: Kind
    path: str
    value: str = ""
    before: str = ""


class UndoLogError(ValueError):
    """The file is not an undo log; the message says what is wrong with it."""


class UndoLog:
    """The undo log of one root of groups.

    Attributes:
        entries: what is in the file, oldest first.
    """

    def __init__(self, path: Path, proc: Path = PROC, tops: tuple[Path, ...] = ()) -> None:
        """Read the log of a path, if there is one; UndoLogError where it is not one, OSError.

        With `tops` it is not one either where it names anything that is not below one of them: root may
        take back what is in the folder of another user, who can have written it.
        """
        self.path = path
        self._tops = tops
        self._boot = boot_id(proc)
        self.entries: list[Entry] = []
        self._made: set[str] = set()
        self._compact_at = _COMPACT_AT
        self._is_torn = False  # the file ends with a part of a line
        self._read()

    def __bool__(self) -> bool:
        """Return whether anything is to be taken back."""
        return bool(self.entries)

    @property
    def folders(self) -> tuple[Path, ...]:
        """The groups that were made by us."""
        return tuple(Path(folder) for folder in self._made)

    @property
    def commands(self) -> dict[str, str]:
        """The words of the last command for each unit of systemd, one a line."""
        return {entry.path: entry.value for entry in self.entries if entry.kind is Kind.RUN}

    def made(self, folder: Path) -> bool:
        """Return whether a group was made by us, so that nothing in it needs to be put back."""
        return str(folder) in self._made

    def add(self, *entries: Entry) -> None:
        """Write entries down, on the disk; OSError where that fails, and nothing may be done then."""
        if not entries:
            return
        if not self.entries:
            self._start()
        elif len(self.entries) >= self._compact_at:
            self._compact()
        elif self._is_torn:
            self._write()
        count, made = len(self.entries), {entry.path for entry in entries if entry.kind is Kind.MAKE}
        made -= self._made
        self.entries.extend(entries)
        self._made |= made
        try:
            with naming(self.path), self.path.open("ab") as file:
                file.writelines(_line(_plain(entry)) for entry in entries)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            del self.entries[count:]
            self._made -= made
            self._is_torn = True
            raise

    def keep(self, is_left: Callable[[Entry], bool]) -> None:
        """Leave these entries alone in the log; without any the file goes."""
        self.entries = [entry for entry in self.entries if is_left(entry)]
        self._made = {entry.path for entry in self.entries if entry.kind is Kind.MAKE}
        if self.entries:
            self._write()
        else:
            self.path.unlink(missing_ok=True)
            for left in self.path.parent.glob(f".{self.path.name}.*.tmp"):  # of writes that a kill cut off
                left.unlink(missing_ok=True)

    def _start(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write()

    def _write(self) -> None:
        lines = [_line({"boot": self._boot}), *(_line(_plain(entry)) for entry in self.entries)]
        write_atomic(self.path, b"".join(lines), private=True)
        self._is_torn = False

    def _compact(self) -> None:
        """Keep the first value of each file, which takes it back, and the last one, which is there now."""
        kept: dict[tuple[Kind, str, str], Entry] = {}
        for entry in self.entries:
            is_value = entry.kind in (Kind.WRITE, Kind.RUN)
            key = (entry.kind, entry.path, "" if is_value else entry.value)
            first = kept.get(key)
            kept[key] = entry if first is None else Entry(entry.kind, entry.path, entry.value, first.before)
        self.entries = list(kept.values())
        self._compact_at = max(_COMPACT_AT, 2 * len(kept))
        self._write()

    def _read(self) -> None:
        if is_device_or_pipe(self.path):  # it would have no end
            raise UndoLogError(f"{self.path} is not a file")
        try:
            lines = self.path.read_bytes().split(b"\n")
        except FileNotFoundError:
            return
        self._is_torn = bool(lines.pop())  # after the last line end: empty, or what a kill left of a line
        found = [self._entry(line, row + 1) for row, line in enumerate(lines)]
        if not found or not isinstance(found[0], str):
            raise UndoLogError(f"{self.path} does not begin with the boot to which it belongs")
        if found[0] != self._boot:  # groups do not outlive a boot
            self.path.unlink(missing_ok=True)
            return
        self.entries = [entry for entry in found[1:] if isinstance(entry, Entry)]
        self._made = {entry.path for entry in self.entries if entry.kind is Kind.MAKE}

    def _entry(self, line: bytes, row: int) -> Entry | str:
        try:
            plain = json.loads(line)
            if row == 1:
                return str(plain["boot"])
            kind, path, value, before = (plain[key] for key in ("kind", "path", "value", "before"))
            if not all(isinstance(text, str) for text in (path, value, before)):
                raise TypeError
            entry = Entry(Kind(kind), path, value, before)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._not_a_line(row) from error
        if not self._is_ours(entry):
            raise self._not_a_line(row)
        return entry

    def _not_a_line(self, row: int) -> UndoLogError:
        said = "not a line of an undo log. Restore by hand the files that the other lines name"
        return UndoLogError(f"{self.path}, line {row}: {said}")

    def _is_ours(self, entry: Entry) -> bool:
        """Return whether a step is one that `changes` does, in a place where it does them."""
        if entry.kind is Kind.RUN:
            words = [text.split("\n") for text in (entry.value, entry.before)]
            start = [*SET_PROPERTY, entry.path]
            return all(one[:-1] == start and one[-1].startswith("CPUWeight=") for one in words)
        if entry.kind is Kind.MOVE:
            numbers = entry.value.split()
            is_process = len(numbers) == 2 and all(_is_number(number) for number in numbers)
            return is_process and self._is_inside(entry.path) and self._is_inside(entry.before)
        is_known = entry.kind is Kind.MAKE or Path(entry.path).name in _FILES
        return is_known and self._is_inside(entry.path)

    def _is_inside(self, path: str) -> bool:
        place = Path(path)
        if not place.is_absolute() or ".." in place.parts or "\0" in path:
            return False
        return not self._tops or any(place.is_relative_to(top) for top in self._tops)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def boot_id(proc: Path = PROC) -> str:
    """Return what names this boot of the machine; empty where the kernel does not say."""
    return text_in(proc / "sys" / "kernel" / "random" / "boot_id") or ""


def _plain(entry: Entry) -> dict[str, Any]:
    return {"kind": str(entry.kind), "path": entry.path, "value": entry.value, "before": entry.before}


def _line(plain: dict[str, Any]) -> bytes:
    return json.dumps(plain, ensure_ascii=True).encode() + b"\n"
