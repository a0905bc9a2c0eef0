"""Copies of unsaved documents: NAME.yaml with NAME.json beside it, held by the console that writes them."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from platformdirs import user_state_path
from PySide6.QtCore import QLockFile

from fsconsole.console.files.locks import hold_left, hold_new
from fsconsole.recording.notes import Notes, note_rows, notes_of
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import read_whole
from fsconsole.shares.scenario.spec import digest
from fsconsole.shares.stored_format import FormatError, OtherProgramError, StoredFormat

FORMAT = StoredFormat("fsconsole unsaved copy", "facts on an unsaved copy", was_bare=True)
_log = logging.getLogger(__name__)


def copies_folder() -> Path:
    """Return the folder of the copies."""
    return user_state_path("fsconsole") / "unsaved"


@dataclass(frozen=True, slots=True)
class CopyFacts:
    """What a copy is of.

    Attributes:
        name: the name in the title bar.
        path: the document's file; None for one never saved.
        base: digest of that file's text when it was last read or written.
        edits: number of changes not saved.
        when: time of the newest change.
        notes: on runs of the document that were not recorded.
        has_run: whether it had a run that was not recorded.
    """

    name: str
    path: Path | None
    base: str
    edits: int
    when: datetime
    notes: Notes = ()
    has_run: bool = False


class Copy:
    """One copy in the folder, held by a lock."""

    def __init__(self, path: Path, lock: QLockFile) -> None:
        self._lock = lock
        self.text_path, self._facts_path = path, path.with_suffix(".json")

    @classmethod
    def begin(cls, folder: Path | None = None) -> Copy:
        """Make room for a new copy; OSError where the folder cannot be written."""
        return cls(*hold_new(folder or copies_folder(), ".yaml"))

    def write(self, text: str, facts: CopyFacts) -> None:
        """Put a text there, then what it is of; OSError leaves the older copy."""
        write_atomic(self.text_path, text, private=True)
        row = {
            **FORMAT.header(),
            "name": facts.name,
            "path": str(facts.path) if facts.path is not None else None,
            "base": facts.base,
            "edits": facts.edits,
            "when": facts.when.isoformat(),
            "notes": note_rows(facts.notes),
            "has_run": facts.has_run,
        }
        write_atomic(self._facts_path, json.dumps(row, indent=1), private=True)

    def read(self) -> str:
        """Return the text; OSError if the copy is missing."""
        return read_whole(self.text_path).decode("utf-8")

    def facts(self) -> CopyFacts | None:
        """Return the facts on a copy that can be read; None if the copy is missing."""
        return self._written_facts() or self._bare_facts()

    def _bare_facts(self) -> CopyFacts | None:
        """Return the facts of a text whose own are damaged, or were not written before the end."""
        try:
            when = datetime.fromtimestamp(self.text_path.stat().st_mtime).astimezone()
        except (OSError, ValueError, OverflowError):
            return None
        return CopyFacts("restored.yaml", None, "", 0, when)

    @property
    def problem(self) -> str:
        """Sentence on a copy that only a newer program can bring back; empty for any other."""
        try:
            FORMAT.read(self._facts_path, _facts_of)
        except OtherProgramError as error:
            return f"{error}. The copy waits there."
        except (OSError, FormatError):
            pass
        return ""

    def _written_facts(self) -> CopyFacts | None:
        try:
            return FORMAT.read(self._facts_path, _facts_of)
        except (OSError, FormatError):
            return None

    def remove(self) -> None:
        """Delete the copy and release it."""
        for path in (self._facts_path, self.text_path):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _log.warning("cannot delete a copy: %s", error)
        self._lock.unlock()

    def release(self) -> None:
        """Leave the copy for another time."""
        self._lock.unlock()


def _facts_of(row: dict[str, Any]) -> CopyFacts:
    path = Path(row["path"]) if row["path"] else None
    when, notes = datetime.fromisoformat(row["when"]), notes_of(row.get("notes", ()))
    return CopyFacts(row["name"], path, row["base"], row["edits"], when, notes, row.get("has_run") is True)


def left_copies(
    folder: Path | None = None, report: Callable[[str], object] = lambda _problem: None
) -> list[Copy]:
    """Return copies that no living console holds, newest first, each held by this one now.

    Those of a newer program are reported, and stay. Clocks decide nothing here: a file server's may be ahead,
    or this one's stepped back. A copy that says what its file says is removed, and every other one is there
    to be offered.
    """
    found: list[tuple[datetime, Copy]] = []
    for path, lock in hold_left(folder or copies_folder(), ".yaml"):
        copy = Copy(path, lock)
        if problem := copy.problem:
            report(problem)
            copy.release()
            continue
        facts = copy.facts()
        if facts is None:
            copy.release()
        elif _is_saved(copy, facts):
            copy.remove()
        else:
            found.append((facts.when, copy))
    return [copy for _, copy in sorted(found, key=lambda pair: pair[0], reverse=True)]


def base_of(text: str) -> str:
    """Return a digest of a file's text, for recognising it."""
    return digest(text)


def text_of(path: Path | None) -> str:
    """Read a document's file; empty where there is none."""
    try:
        return read_whole(path).decode("utf-8-sig", "replace") if path is not None else ""
    except OSError:
        return ""


def is_of_older_file(facts: CopyFacts) -> bool:
    """Find out whether the document's file is another one than when the copy was made."""
    return bool(facts.base) and bool(text := text_of(facts.path)) and base_of(text) != facts.base


def _is_saved(copy: Copy, facts: CopyFacts) -> bool:
    try:
        return not facts.notes and facts.path is not None and copy.read() == text_of(facts.path)
    except (OSError, ValueError):
        return False
