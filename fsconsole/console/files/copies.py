"""Copies of unsaved documents, as a folder that survives the program. No Qt but its lock files.

Each copy is NAME.yaml with NAME.json beside it; NAME.lock is held by the console that writes it, so that
another console neither offers nor removes it while the first one lives.
"""

from __future__ import annotations

import json
import logging
import uuid
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from platformdirs import user_state_path
from PySide6.QtCore import QLockFile

from fsconsole.shares.files import make_private_folder, write_atomic
from fsconsole.shares.input_files import read_json
from fsconsole.shares.scenario.spec import digest

_log = logging.getLogger(__name__)


def copies_folder() -> Path:
    """Where copies are kept."""
    return user_state_path("fsconsole") / "unsaved"


@dataclass(frozen=True, slots=True)
class CopyFacts:
    """What a copy is of.

    Attributes:
        name: what the title bar said.
        path: the document's file; None for one never saved.
        base: digest of that file's text when it was last read or written.
        edits: number of changes not saved.
        when: time of the newest change.
    """

    name: str
    path: Path | None
    base: str
    edits: int
    when: datetime


class Copy:
    """One copy in the folder, held by a lock."""

    def __init__(self, folder: Path, name: str, lock: QLockFile) -> None:
        self._lock = lock
        self.text_path = folder / f"{name}.yaml"
        self._facts_path = folder / f"{name}.json"

    @classmethod
    def begin(cls, folder: Path | None = None) -> Copy:
        """Make room for a new copy; OSError where the folder cannot be written."""
        where = folder or copies_folder()
        make_private_folder(where)
        name = uuid.uuid4().hex[:12]
        lock = _lock(where, name)
        if not lock.tryLock(0):
            raise OSError(f"{where} cannot be written")
        return cls(where, name, lock)

    def write(self, text: str, facts: CopyFacts) -> None:
        """Put a text there, then what it is of; OSError leaves the older copy."""
        write_atomic(self.text_path, text, private=True)
        row = {
            "name": facts.name,
            "path": str(facts.path) if facts.path is not None else None,
            "base": facts.base,
            "edits": facts.edits,
            "when": facts.when.isoformat(),
        }
        write_atomic(self._facts_path, json.dumps(row, indent=1), private=True)

    def read(self) -> str:
        """The text; OSError where it has gone."""
        return self.text_path.read_text("utf-8")

    def facts(self) -> CopyFacts | None:
        """What the copy is of; None where that cannot be read."""
        try:
            row = read_json(self._facts_path)
            path = Path(row["path"]) if row["path"] else None
            return CopyFacts(
                row["name"], path, row["base"], row["edits"], datetime.fromisoformat(row["when"])
            )
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def remove(self) -> None:
        """Delete the copy and let go of it."""
        for path in (self._facts_path, self.text_path):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                _log.warning("a copy was not removed: %s", error)
        self._lock.unlock()

    def release(self) -> None:
        """Leave the copy for another time."""
        self._lock.unlock()


def left_copies(folder: Path | None = None) -> list[Copy]:
    """Copies that no living console holds, newest first, each held by this one now."""
    where = folder or copies_folder()
    found: list[tuple[datetime, Copy]] = []
    for facts_path in sorted(where.glob("*.json")):
        lock = _lock(where, facts_path.stem)
        if not lock.tryLock(0):
            continue
        copy = Copy(where, facts_path.stem, lock)
        facts = copy.facts()
        if facts is not None and copy.text_path.is_file() and _is_newer(facts):
            found.append((facts.when, copy))
        else:
            copy.release()
    return [copy for _, copy in sorted(found, key=lambda pair: pair[0], reverse=True)]


def base_of(text: str) -> str:
    """Digest of a file's text, to know it again."""
    return digest(text)


def _is_newer(facts: CopyFacts) -> bool:
    """Whether the copy is newer than the document's file."""
    if facts.path is None:
        return True
    try:
        return facts.path.stat().st_mtime <= facts.when.timestamp()
    except OSError:
        return True


def _lock(folder: Path, name: str) -> QLockFile:
    made = QLockFile(str(folder / f"{name}.lock"))
    made.setStaleLockTime(0)  # only a dead owner lets go: a console may stay open for weeks
    return made
