"""Beginning and ending a run folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from fsconsole.console.session import ConsoleSession


class Recorder:
    """Records what the machine does, having asked where."""

    def __init__(self, session: ConsoleSession, window: QWidget) -> None:
        """Dialogs stand over `window`."""
        self._session, self._window = session, window

    def is_recording(self) -> bool:
        """Whether a run folder is being written."""
        snapshot = self._session.snapshot
        return snapshot is not None and snapshot.recording is not None

    def toggle(self) -> None:
        """Begin to write a run folder, or close it."""
        if self.is_recording():
            self._session.stop_recording()
            return
        path = self.ask_run_folder()
        if path is not None:
            self._session.record(path, overwrite=True)

    def ask_run_folder(self) -> Path | None:
        """Where to record; beside the document if nothing else is said."""
        document = self._session.document
        if document is None:
            return None
        folder = document.path.parent if document.path is not None else Path.home()
        wished = folder / f"{Path(document.name).stem}.run"
        chosen, _ = QFileDialog.getSaveFileName(
            self._window, "Record into", str(wished), "Run folders (*.run)"
        )
        if not chosen:
            return None
        path = Path(chosen)
        return path if path.suffix == ".run" else path.with_name(f"{path.name}.run")
