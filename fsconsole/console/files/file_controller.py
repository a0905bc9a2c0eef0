"""What File > New, Open, Save and their kin do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from fsconsole.app.kinds import STUDIES, Kind, KindError, kind_of, refusal
from fsconsole.app.study.files import SEARCH, STUDY, is_example
from fsconsole.console.actions import Action
from fsconsole.console.document import Document
from fsconsole.console.files.file_reader import ReadFile, open_run, read_file
from fsconsole.console.files.file_writer import check_replaceable, exported, text_in
from fsconsole.console.files.questions import Questions
from fsconsole.console.files.recent import RecentFiles
from fsconsole.console.files.unkept_runs import UnkeptRuns
from fsconsole.console.kit.consent import TypedEntry, UnsavedWork, may_lose
from fsconsole.console.kit.tasks import Task, Tasks, run_and_wait
from fsconsole.console.recorded.run_session import DiaryDocument, RunDocument, RunSession
from fsconsole.console.session import Attached, ConsoleSession
from fsconsole.console.widgets.late_input import after_dialogs
from fsconsole.recording.run_format import MANIFEST as RUN_MANIFEST
from fsconsole.recording.run_format import run_folder
from fsconsole.resources import examples
from fsconsole.shares import formats
from fsconsole.shares.files import is_there_as_file, is_there_as_folder
from fsconsole.shares.formats import Format, format_to_write
from fsconsole.shares.input_files import plain_path
from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from fsconsole.targets.base import PAST_JOBS
from fsconsole.targets.recorded.target import RecordedTarget
from fsconsole.targets.slurm.replay import MANIFEST

if TYPE_CHECKING:
    from fsconsole.shares.scenario.write import SaveReport

DEFAULT_EXAMPLE = "convex-series-1.yaml"
LAST_KEY = "files/last"
_RUNS = f"Recorded runs ({RUN_MANIFEST} *.parquet)"
_CAPTURES = f"Captures of Slurm clusters ({MANIFEST})"
_STUDIES = "Studies (*.yaml *.yml)"
_ALL = "All files (*)"


class FileController(QObject):
    """Opens and saves the session's document.

    Reading happens in a thread; what is open stays until the new document is there, and only then is the user
    asked about unsaved work.

    Signals: reading_began(name), reading_progressed(fraction), reading_ended(); message(text) for the status
    bar; study_wanted(path) for a study, not a document; capture_wanted(path) for what was kept of a cluster.

    Attributes:
        questions: dialogs for the user.
        recent: recent files.
        unkept: asks about notes and branches before they go.
        losses: what goes with the document; parts add what they have, and users are asked in this order.
    """

    reading_began = Signal(str)
    reading_progressed = Signal(float)
    reading_ended = Signal()
    study_wanted = Signal(object)
    capture_wanted = Signal(object)
    message = Signal(str)

    def __init__(self, session: ConsoleSession, questions: Questions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.questions = questions
        self.unkept = UnkeptRuns(session, questions, self._folder, self)
        self.unkept.message.connect(self.message)
        self.recent = RecentFiles(session.preferences, self)
        self._tasks = Tasks(self)
        self._origin: Path | None = None
        self._is_writing = False
        self._arrived: ReadFile | RecordedTarget | None = None
        self.losses: list[Callable[[], Iterable[UnsavedWork]]] = [self.unkept.losses, self._unsaved_edits]

    @property
    def is_reading(self) -> bool:
        """Whether a file is on its way."""
        return self._tasks.is_busy() or self._arrived is not None

    def recent_actions(self) -> list[Action]:
        """Return an action for each file that was open lately, the newest first."""
        return self.recent.actions(self.open)

    # -- opening --------------------------------------------------------------------------------------------

    def new(self) -> None:
        """Make a tree of one root."""
        if self.may_leave():
            self.show(Document(Scenario(ShareTree("root", 100), title="Untitled")), None)

    def ask_open(self) -> None:
        """Ask for a file and open it."""
        trees = f"Scenarios and share trees ({' '.join(formats.all_endings())})"
        path = self.questions.file_to_open("Open", self._folder(), (trees, _RUNS, _CAPTURES, _ALL))
        if path is not None:
            self.open(path)

    def ask_open_run(self) -> None:
        """Ask for a run folder and open it; other folders are refused."""
        path = self.questions.run_to_open(self._folder())
        if path is None:
            return
        if (kind := kind_of(path)) in (Kind.RUN, Kind.DIARY):
            self.open(path)
            return
        wrote = "Choose a folder that Record run or `fsconsole simulate --out` wrote."
        self._on_unreadable(path.name, KindError(f"{refusal(path, 'a run folder', kind)} {wrote}"))

    def ask_import(self, form: Format) -> None:
        """Ask for a file of another format, or for all of a tree's, and open it as a new document."""
        filters = (f"{form.title} ({_endings(form)})", _ALL)
        title = f"Import {form.title}"
        if form.between is None:
            path = self.questions.file_to_open(title, self._folder(), filters)
            paths = [] if path is None else [path]
        else:
            paths = self.questions.files_to_open(f"{title}: one file or several", self._folder(), filters)
        if paths:
            self.open(paths[0], form, paths[1:])

    def open(self, path: Path, form: Format | None = None, more: Sequence[Path] = ()) -> None:
        """Open a file as soon as it is read, with `more` that belong to its tree.

        What is wrong with it is shown, and nothing changes then. Unsaved work is asked about once it is read.
        """
        kind = kind_of(path) if form is None else None
        if kind is Kind.CAPTURE:
            self.capture_wanted.emit(path)
            return
        if kind in STUDIES:
            self.open_study(path)
            return
        self.cancel_reading()
        call: Callable[[Task], ReadFile | RecordedTarget] = partial(read_file, path, form, more=more)
        if kind in (Kind.RUN, Kind.DIARY):
            path = run_folder(path) or path
            call = partial(open_run, path)
        failed = partial(self._on_unreadable, path.name)
        self._tasks.run_task(call, self._on_read, failed, self.reading_progressed.emit)
        self.reading_began.emit(path.name)

    def open_study(self, path: Path) -> None:
        """Open a study's or search's file or folder beside the document; say what another one is."""
        if (kind := kind_of(path)) not in (None, Kind.FILE, *STUDIES):
            self._on_unreadable(path.name, KindError(refusal(path, "a study or a search", kind)))
            return
        if not is_example(path):
            own = SEARCH if kind in (Kind.SEARCH, Kind.SEARCH_FOLDER) else STUDY
            self.recent.add(path / own if is_there_as_folder(path) else path)
        self.study_wanted.emit(path)

    def ask_open_study(self) -> None:
        """Ask for a study's file and open it."""
        path = self.questions.file_to_open("Open study", self._folder(), (_STUDIES, _ALL))
        if path is not None:
            self.open_study(path)

    def open_example(self, name: str = DEFAULT_EXAMPLE) -> None:
        """Open one of the program's examples; saving it asks for a place."""
        self.open(examples() / name)

    @Slot()
    def cancel_reading(self) -> None:
        """Leave the file that is on its way."""
        if self.is_reading:
            self._tasks.cancel()
            if isinstance(self._arrived, RecordedTarget):
                self._arrived.close()
            self._arrived = None
            self.reading_ended.emit()

    def show(self, document: Document | None, origin: Path | None, attached: Attached | None = None) -> None:
        """Show a document that came from a file (None: it is new), or is attached to a run."""
        self._origin = origin
        self._session.preferences.set_value(LAST_KEY, str(origin.absolute()) if origin is not None else "")
        if origin is not None and not _is_example(origin):
            self.recent.add(origin)
        self._session.open(document, attached)

    @property
    def has_something_to_open(self) -> bool:
        """Whether `open_last` would open something: not after the last document was closed."""
        return bool(self._session.preferences.value(LAST_KEY) != "")

    def open_last(self) -> None:
        """Open the last document; at the first start, or if its file is missing, the default example."""
        last = self._session.preferences.value(LAST_KEY)
        if last == "":
            return
        path = Path(last) if isinstance(last, str) else None
        if path is not None and (is_there_as_file(path) or run_folder(path) is not None):
            self.open(path)
        else:
            self.open_example()

    # -- saving ---------------------------------------------------------------------------------------------

    def save(self) -> bool:
        """Save to the document's file, or ask for one; return whether it is saved."""
        document = self._session.document
        if document is None:
            return False
        if document.path is None:
            return self.save_as()
        return self._write(document, document.path)

    def save_as(self) -> bool:
        """Ask for a place and save there; return whether it is saved."""
        document = self._session.document
        if document is None:
            return False
        path = self._place_to_save(document)
        return path is not None and self._write(document, path)

    def _place_to_save(self, document: Document) -> Path | None:
        """Ask where to save a document."""
        suggested = self._folder() / Path(document.name).with_suffix(".yaml")
        found = self.questions.file_to_save("Save as", suggested, ("Scenario (*.yaml *.yml)",))
        if found is None:
            return None
        path, _ = found
        return path if path.suffix else path.with_suffix(".yaml")

    def ask_export(self) -> None:
        """Write the tree in one of the known formats, beside the document."""
        document = self._session.document
        if document is None:
            return
        # The document's own format comes first.
        forms = sorted(formats.FORMATS, key=lambda form: form.name != document.form)
        filters = [f"{form.title} ({_endings(form)})" for form in forms]
        stem = self._folder() / Path(document.name).stem
        found = self.questions.file_to_save("Export tree", stem, filters)
        if found is not None:
            self._export(document, found[0], forms[found[1]])

    def close(self) -> bool:
        """Close the document; whether it is closed."""
        if not self.may_leave():
            return False
        self.show(None, None)
        return True

    def may_leave(self) -> bool:
        """Ask about all that would be lost with the document; return False if it must stay."""
        if self._is_writing:  # The buttons of the window frame are still active.
            return False
        return may_lose(lambda: (loss for part in self.losses for loss in part()))

    def _unsaved_edits(self) -> Iterator[UnsavedWork]:
        document, typed = self._session.document, self._session.typed_entries
        if document is not None and document.is_of_file and (document.is_modified or typed):
            ask = partial(self._may_leave_edits, document, typed)
            yield UnsavedWork((document, document.revision, typed), ask)

    def _may_leave_edits(self, document: Document, typed: Sequence[TypedEntry]) -> bool:
        places = [entry.place for entry in typed]
        answer = self.questions.save_changes(document.name, document.scenario.machine.name, places)
        if answer == "save":
            return all(entry.enter() for entry in typed) and self.save()
        return answer == "discard"

    # -- inside ---------------------------------------------------------------------------------------------

    def _on_read(self, found: ReadFile | RecordedTarget) -> None:
        self._arrived = found
        after_dialogs(self, self._show_read)

    @Slot()
    def _show_read(self) -> None:
        if self._is_writing:  # What has arrived is shown when the file is written.
            return
        found, self._arrived = self._arrived, None
        if found is None:
            return
        self.reading_ended.emit()
        if not self.may_leave():
            if isinstance(found, RecordedTarget):
                found.close()
            return
        if isinstance(found, RecordedTarget):
            self._show_run(found)
            return
        if found.is_foreign:
            # Manifests are YAML too, so a scenario must not overwrite them.
            path = plain_path(found.path)
            is_yaml = path.suffix.lower() in formats.FORMATS[0].suffixes
            name = f"{path.stem}{'-scenario' if is_yaml else ''}.yaml"
            document = Document(found.scenario, name=name, form=found.form, origin=found.origin)
            self.show(document, found.path)
        elif _is_example(found.path):
            self.show(Document(found.scenario, name=found.path.name, text=found.text), found.path)
        else:
            self.show(Document(found.scenario, found.path, text=found.text), found.path)
        self.message.emit(f"{found.path.name} opened")

    def _show_run(self, found: RecordedTarget) -> None:
        make = RunDocument if found.offer(PAST_JOBS) is None else DiaryDocument
        self.show(make(found), found.run.path, RunSession(found))
        # The target's own text shows how far it came, which may change while this message stands.
        self.message.emit(f"{found.run.path.name} opened")

    def _on_unreadable(self, name: str, error: Exception) -> None:
        self.reading_ended.emit()
        problems = error.problems if isinstance(error, ScenarioError) else [Problem(sentence_of(error))]
        self.questions.show_problems(name, problems, f"Cannot open {name}")

    def _write(self, document: Document, path: Path) -> bool:
        """Save; whether it is saved. While it is saved, the window is painted and takes no input."""
        self._is_writing = True
        try:
            report = self._saved(document, path)
        except (OSError, ScenarioError) as error:
            self._show_write_problem(path, error)
            report = None
        finally:
            self._is_writing = False
        if report is not None and not document.is_of_file:
            self.message.emit(f"A copy of the tree is in {report.path}")
        elif report is not None:
            document.mark_saved(report.path, report.text)
            self._origin = report.path
            self._session.preferences.set_value(LAST_KEY, str(report.path.absolute()))
            self.recent.add(report.path)
            # The status bar shows that the file is saved.
            self.message.emit(
                f"The old file was kept as {report.backup.name}" if report.backup is not None else ""
            )
        if self._arrived is not None:
            QTimer.singleShot(0, self, partial(after_dialogs, self, self._show_read))
        return report is not None

    def _saved(self, document: Document, path: Path) -> SaveReport | None:
        """Write the file unless the user refuses; OSError and ScenarioError if it cannot be written."""
        from fsconsole.shares.scenario.write import lost_comments, save_scenario

        scenario = document.present
        there = run_and_wait(lambda: text_in(path), self)
        if there is not None and path == document.path:
            answer = self.questions.overwrite_changed(path.name) if there != document.text else "overwrite"
            if answer == "save_as":
                other = self._place_to_save(document)
                return self._saved(document, other) if other is not None else None
            if answer == "cancel":
                return None
            lost = run_and_wait(lambda: lost_comments(there), self)
            if lost and not self.questions.lose_comments(path.name, lost):
                return None
            if (
                run_and_wait(lambda: text_in(path), self) != there
            ):  # It was changed while a question was open.
                return self._saved(document, path)
        return run_and_wait(lambda: save_scenario(pruned(scenario), path, previous_text=there), self)

    def _export(self, document: Document, path: Path, form: Format) -> None:
        target, form = format_to_write(path, form)
        scenario = document.present
        try:
            check_replaceable(target)
            origin = document.origin if document.path is None else None
            lost = run_and_wait(lambda: exported(pruned(scenario), target, form, origin), self)
        except (OSError, ScenarioError) as error:
            self._show_write_problem(target, error)
        else:
            self.message.emit(f"Tree exported to {target} ({form.title})")
            if lost:
                self.questions.show_problems(
                    target.name, lost, f"{form.title}: nodes and settings that were left out or are wrong"
                )

    def _show_write_problem(self, path: Path, error: Exception) -> None:
        problems = error.problems if isinstance(error, ScenarioError) else [Problem(sentence_of(error))]
        self.questions.show_problems(path.name, problems, f"Cannot write {path.name}")

    def _folder(self) -> Path:
        """Return the start of file dialogs: beside the document, else beside the newest recent file."""
        document = self._session.document
        if document is not None and document.path is not None:
            return document.path.parent
        near = next((entry.path.parent for entry in self.recent.entries() if entry.is_there), None)
        return near or Path.home()


def sentence_of(error: Exception) -> str:
    """Return the fault of a file in a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def _is_example(path: Path) -> bool:
    return path.resolve().parent == examples().resolve()


def _endings(form: Format) -> str:
    """Return `*.yaml *.yml` in the form for filters of file dialogs."""
    return " ".join(f"*{suffix}" for suffix in form.all_suffixes)
