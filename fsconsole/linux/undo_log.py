"""The undo log: changes of the machine, logged before they are made, so that they can be undone after a kill.

The file has one JSON object a line. The first one names the boot; every other one is a step that was about to
be done. A step that may not have been done is undone like the others: undoing it changes nothing.
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
from fsconsole.shares.files import is_device_or_pipe, make_private_folder, naming, write_atomic
from fsconsole.shares.input_files import read_whole
from fsconsole.shares.stored_format import OtherProgramError, StoredFormat

_FILES = (CONTROLLERS, IDLE, V1.file, V2.file)  # The program writes no other files.
FORMAT = StoredFormat("fsconsole undo log", "an undo log", was_bare=True)
_COMPACT_AT = 1000  # From this many lines on, the lines of one file are merged.


@dataclass(frozen=True, slots=True)
class Entry:
    """One step that was made, or was about to be.

    Attributes:
        kind: kind of the step.
        path: the folder created, or the file written.
        value: the value written; of a moved process its number and its start time, in clock ticks.
        before: the value that undoes the step.
    """

    kind: Kind
    path: str
    value: str = ""
    before: str = ""


class UndoLogError(ValueError):
    """The file is not an undo log; the message names the fault."""


class UndoLog:
    """The undo log of one root of groups.

    Attributes:
        entries: entries of the file, oldest first.
    """

    def __init__(self, path: Path, proc: Path = PROC, tops: tuple[Path, ...] = ()) -> None:
        """Read the log of a path, if it exists.

        With `tops`, a log that names a path outside them is refused: root may undo the log in another user's
        folder, who can have written it.

        Raises:
            UndoLogError: the file is not an undo log, or names a path outside `tops`.
            OSError: the file cannot be read.
        """
        self.path = path
        self._tops = tops
        self._boot = boot_id(proc)
        self.entries: list[Entry] = []
        self._made: set[str] = set()
        self._compact_at = _COMPACT_AT
        self._is_torn = False  # The file ends within a line.
        self._read()

    def __bool__(self) -> bool:
        """Return True if any entry remains to be undone."""
        return bool(self.entries)

    @property
    def folders(self) -> tuple[Path, ...]:
        """Groups that this program created."""
        return tuple(Path(folder) for folder in self._made)

    @property
    def commands(self) -> dict[str, str]:
        """Words of the last command for each unit of systemd, one a line."""
        return {entry.path: entry.value for entry in self.entries if entry.kind is Kind.RUN}

    def made(self, folder: Path) -> bool:
        """Return True if this program created a group, so that its files need not be restored."""
        return str(folder) in self._made

    def add(self, *entries: Entry) -> None:
        """Write entries to the disk.

        Raises:
            OSError: the write failed; the steps must not be done then.
        """
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
        """Keep only these entries in the log; remove the file if none is left."""
        self.entries = [entry for entry in self.entries if is_left(entry)]
        self._made = {entry.path for entry in self.entries if entry.kind is Kind.MAKE}
        if self.entries:
            self._write()
        else:
            self.path.unlink(missing_ok=True)
            # A kill interrupted the writes that left these.
            for left in self.path.parent.glob(f".{self.path.name}.*.tmp"):
                left.unlink(missing_ok=True)

    def _start(self) -> None:
        make_private_folder(self.path.parent)
        self._write()

    def _write(self) -> None:
        lines = [
            _line({**FORMAT.header(), "boot": self._boot}),
            *(_line(_plain(entry)) for entry in self.entries),
        ]
        write_atomic(self.path, b"".join(lines), private=True)
        self._is_torn = False

    def _compact(self) -> None:
        """Merge entries of each file: keep its first value, which undoes all writes, and its last value."""
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
        if is_device_or_pipe(self.path):  # Such a file would have no end.
            raise UndoLogError(f"{self.path} is not a file")
        try:
            lines = read_whole(self.path).split(b"\n")
        except FileNotFoundError:
            return
        # After the last line end there is nothing, or the part of a line that a kill left.
        self._is_torn = bool(lines.pop())
        found = [self._entry(line, row + 1) for row, line in enumerate(lines)]
        if not found or not isinstance(found[0], str):
            raise UndoLogError(f"{self.path} does not begin with the boot to which it belongs")
        if found[0] != self._boot:  # Groups do not outlive a boot.
            self.path.unlink(missing_ok=True)
            return
        self.entries = [entry for entry in found[1:] if isinstance(entry, Entry)]
        self._made = {entry.path for entry in self.entries if entry.kind is Kind.MAKE}

    def _entry(self, line: bytes, row: int) -> Entry | str:
        try:
            plain = json.loads(line)
            if row == 1:
                FORMAT.check(plain, self.path)
                return str(plain["boot"])
            kind, path, value, before = (plain[key] for key in ("kind", "path", "value", "before"))
            if not all(isinstance(text, str) for text in (path, value, before)):
                raise TypeError
            entry = Entry(Kind(kind), path, value, before)
        except OtherProgramError as error:
            raise UndoLogError(f"{error}. Release the groups with that one") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self._not_a_line(row) from error
        if not self._is_ours(entry):
            raise self._not_a_line(row)
        return entry

    def _not_a_line(self, row: int) -> UndoLogError:
        message = "not a line of an undo log. Restore by hand the files that the other lines name"
        return UndoLogError(f"{self.path}, line {row}: {message}")

    def _is_ours(self, entry: Entry) -> bool:
        """Return True if an entry is a step of this program in a place where it writes."""
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
    """Return the identifier of this boot of the machine; empty if the kernel does not provide one."""
    return text_in(proc / "sys" / "kernel" / "random" / "boot_id") or ""


def _plain(entry: Entry) -> dict[str, Any]:
    return {"kind": str(entry.kind), "path": entry.path, "value": entry.value, "before": entry.before}


def _line(plain: dict[str, Any]) -> bytes:
    return json.dumps(plain, ensure_ascii=True).encode() + b"\n"
