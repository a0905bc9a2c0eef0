"""The shift note of each machine, kept in the state folder. No Qt."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from platformdirs import user_state_path

from fsconsole.shares.files import make_private_folder, write_atomic
from fsconsole.shares.input_files import read_json

_log = logging.getLogger(__name__)


def plain_text(text: str) -> str:
    """A text of letters, blanks and line ends; what controls a terminal or turns words round is left out."""
    return "".join(
        char if char.isprintable() or char == "\n" else " " if char.isspace() else "" for char in text
    ).strip()


@dataclass(frozen=True, slots=True)
class ShiftNote:
    """What an operator leaves for the next one; `when` in words."""

    text: str
    who: str
    when: str


class NoteStore:
    """One small file for each machine."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` is the state folder's where none is given."""
        self._folder = folder or user_state_path("fsconsole") / "notes"

    def read(self, machine: str) -> ShiftNote | None:
        """The note that was left; None where there is none, or none that can be read."""
        try:
            found = read_json(self.path(machine))
            note = ShiftNote(str(found["text"]), str(found["who"]), str(found["when"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError) as error:
            _log.warning("the shift note of %s cannot be read: %s", machine, error)
            return None
        return note if note.text.strip() else None

    def write(self, machine: str, note: ShiftNote) -> None:
        """Keep a note instead of the last one; OSError where that cannot be."""
        make_private_folder(self._folder)
        write_atomic(self.path(machine), json.dumps(asdict(note), indent=1) + "\n", private=True)

    def path(self, machine: str) -> Path:
        """Where the note of a machine is kept."""
        name = re.sub(r"[^\w.-]+", "-", machine.lower()).strip("-.")[:80] or "machine"
        return self._folder / f"{name}.json"
