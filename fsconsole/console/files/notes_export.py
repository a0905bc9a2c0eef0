"""Notes on the run of a document as a document of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fsconsole.app.runs.notes import markdown
from fsconsole.console.files.questions import Questions
from fsconsole.console.session import ConsoleSession
from fsconsole.recording.notes import Notes
from fsconsole.shares.files import write_atomic


def export_notes(
    questions: Questions, session: ConsoleSession, folder: Path, notes: Notes, say: Callable[[str], None]
) -> Path | None:
    """Ask where to write notes, beginning in a folder, and write them; None where they are not written."""
    document, target = session.document, session.target
    if document is None:
        return None
    wished = folder / f"{Path(document.name).stem}-notes.md"
    chosen = questions.file_to_save("Export notes", wished, ("Markdown (*.md)",))
    if chosen is None:
        return None
    epoch_s = None if target is None else target.clock.epoch_s
    try:
        write_atomic(chosen[0], markdown(document.scenario.title or document.name, notes, epoch_s))
    except OSError as error:
        say(f"Cannot write {chosen[0].name}: {error.strerror or error}.")
        return None
    return chosen[0]
