"""What the dialogs for a new study and a new search share: name, trace, policies, the file they write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QWidget

from fsconsole.app.study.choice import file_name, free_path, problem_of
from fsconsole.batch.study.spec import StudyError
from fsconsole.console.files.questions import Questions
from fsconsole.console.kit.forms import FormDialog, TextField
from fsconsole.console.kit.tasks import Tasks
from fsconsole.console.widgets.labels import InkLabel

_TRACE_FORMS = ("Traces (*.swf *.swf.gz *.txt *.csv)", "All files (*)")


class NewFileDialog(FormDialog):
    """Asks for the calculation, and writes it. Signals: made(path) of the file, to run it."""

    made = Signal(object)

    def __init__(self, title: str, name: str, questions: Questions, parent: QWidget | None = None) -> None:
        super().__init__(title, parent)
        self._questions = questions
        self._has_typed_file = False
        self._tasks = Tasks(self)
        self.name = TextField("Name", name)
        self.trace = QComboBox(self)
        self.file = TextField("Save as")
        self.about = InkLabel(self, "muted")
        self.name.textChanged.connect(self._name_file)
        self.file.textEdited.connect(self._keep_file)

    @Slot()
    def browse_trace(self) -> None:
        """Choose a trace's file."""
        path = self._questions.file_to_open("Trace", Path.home(), _TRACE_FORMS)
        if path is not None:
            self.trace.insertItem(0, path.name, self._datum_of(path))
            self.trace.setItemData(0, str(path), Qt.ItemDataRole.ToolTipRole)
            self.trace.setCurrentIndex(0)
            self._on_trace_browsed(path)

    # -- for subclasses -----------------------------------------------------------------------------------

    def _datum_of(self, path: Path) -> object:
        """Return the datum of a file in the box of traces."""
        return str(path)

    def _on_trace_browsed(self, path: Path) -> None:
        """Handle a trace's file that the user has chosen."""

    def _folder(self) -> Path:
        """Return the default folder of new files: a separate one among the documents."""
        documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return (Path(documents) if documents and Path(documents).is_dir() else Path.home()) / "fsconsole"

    def _write(self, write: Callable[[], Path]) -> None:
        """Write the file and close; a fault is shown and the dialog stays."""
        try:
            path = write()
        except StudyError as error:
            self.show_problem(f"{error}.")
        except ValueError as error:
            self.show_problem(problem_of(error))
        except OSError as error:
            place = error.filename or self.file.text()
            self.show_problem(f"{place} cannot be written: {error.strerror or error}. Choose another place.")
        else:
            # Close first: opening the file may close any dialog that is open, including this one.
            super().accept()
            self.made.emit(path)

    @Slot()
    def _name_file(self) -> None:
        """Name the file after its content until the user has named it."""
        if not self._has_typed_file:
            self.file.setText(str(free_path(self._folder() / file_name(self.name.text()))))

    @Slot()
    def _keep_file(self) -> None:
        self._has_typed_file = True


def grid_of(boxes: Mapping[str, QCheckBox]) -> QGridLayout:
    """Lay out check boxes in two columns."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(3)
    for place, box in enumerate(boxes.values()):
        grid.addWidget(box, place // 2, place % 2)
    return grid
