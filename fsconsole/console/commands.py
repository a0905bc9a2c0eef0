"""What can be done in any workspace: the window's own rows of the action table, and what they do.

Ids that workspaces may put on their tool bars: undo, redo, new, open, save, save_as, import_slurm,
export_tree, close, commands, keyboard, reset_layout.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QMainWindow

from fsconsole.app.examples import EXAMPLE_GROUPS, example_group, example_titles
from fsconsole.app.study.files import example_searches, example_studies, is_search
from fsconsole.console.actions import Action, ActionTable
from fsconsole.console.command_server import CommandServer
from fsconsole.console.files.file_controller import FileController
from fsconsole.console.files.recent import RECENT_MENU
from fsconsole.console.general_preferences import THEMES
from fsconsole.console.kit.docks import dock_with_focus, focus_next_dock
from fsconsole.console.kit.tasks import run_and_wait
from fsconsole.console.kit.text_twin import SHOW_TABLE, TwinDialog, twins_in_sight
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import ThemeMode, theme
from fsconsole.console.workspace_stack import TABS, WorkspaceStack, tab_id
from fsconsole.shares import formats
from fsconsole.targets.base import EXPLAINER, MACHINE
from fsconsole.targets.slurm.location import example_capture

DOCK_MENU = "View/Docks"
_FORMAT_ICONS = {"slurm": "slurm"}


class WindowCommands(QObject):
    """Carries out what can be done in any workspace."""

    def __init__(
        self,
        window: QMainWindow,
        session: ConsoleSession,
        table: ActionTable,
        stack: WorkspaceStack,
        files: FileController,
        server: CommandServer,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._table = window, session, table
        self._stack, self._files, self._server = stack, files, server

    def actions(self) -> list[Action]:
        """Return rows of the action table, menu by menu."""
        return [*self._file(), *self._edit(), *self._view(), self._accept()]

    @Slot(object)
    def open_study(self, path: Path) -> None:
        """Show a study in Analyse as soon as it is read."""
        self._show_study(path, run=False)

    # -- rows -----------------------------------------------------------------------------------------------

    def _file(self) -> list[Action]:
        files, is_open = self._files, self._has_document
        return [
            Action(
                "new", "&New", files.new, keys=("Ctrl+N",), icon="tree", menu="File", group="open",
                tip="Create a share tree with only a root",
            ),
            Action(
                "open", "&Open…", files.ask_open, keys=("Ctrl+O",), icon="folder", menu="File", group="open",
                tip="Open a scenario or a share tree",
            ),
            Action(
                "open_run", "Open r&un…", files.ask_open_run, keys=("Ctrl+Shift+O",), icon="record",
                menu="File", group="open", tip=(
                    "Open a recorded run: the folder that Record "
                    "run or simulate wrote"
                ),
                words="recording folder recorded",
            ),
            Action(
                "clear_recent", "Clear the list", files.recent.clear, menu=RECENT_MENU, group="open",
                enabled=lambda: bool(files.recent.entries()), words="recent files",
            ),
            *self._examples(),
            *self._studies(),
            Action(
                "save", "&Save", files.save, keys=("Ctrl+S",), menu="File", group="save",
                enabled=self._can_save, why_not=self._why_not_saved,
            ),
            Action(
                "save_as", "Save &as…", files.save_as, keys=("Ctrl+Shift+S",), menu="File", group="save",
                enabled=is_open,
            ),
            *self._exchange(),
            Action(
                "close", "&Close", files.close, keys=("Ctrl+W",), menu="File", group="end", enabled=is_open
            ),
            Action("quit", "&Quit", self._window.close, keys=("Ctrl+Q",), menu="File", group="end"),
        ]  # fmt: skip

    def _examples(self) -> list[Action]:
        """Group by group, in each by title."""
        menu = "File/Open example"
        found = [
            Action(
                f"example_{path.stem}", title, partial(self._files.open, path), menu=menu,
                group=f"open/{example_group(path)}", words=f"example {path.stem}",
            )
            for path, title in example_titles()
        ]  # fmt: skip
        found.append(
            Action(
                "example_slurm_capture", "Slurm cluster (a capture)",
                partial(self._files.open, example_capture()), menu=menu, group="open/slurm",
                tip="Recorded cluster: explore it and try shares",
                words="example slurm cluster",
            )
        )  # fmt: skip
        groups = [f"open/{one}" for one in EXAMPLE_GROUPS]
        return sorted(found, key=lambda one: (groups.index(one.group), one.text.casefold()))

    def _studies(self) -> list[Action]:
        files, words = self._files, "batch parallel jobs sweep policies"
        return [
            Action(
                "new_study", "New s&tudy…", self._new_study, icon="new-study", menu="File", group="studies",
                tip="Open a study that compares policies on traces of parallel jobs", words=words,
            ),
            Action(
                "open_study", "Open st&udy…", files.ask_open_study, menu="File", group="studies",
                tip="Open a study of parallel jobs: its file, or study.yaml in its results folder",
                words=words,
            ),
            Action(
                "new_search", "Searc&h settings…", self._new_search, menu="File", group="studies",
                tip="Search settings that meet goals on some months of a trace, and test them on other "
                    "months",
                words=f"{words} pareto front goals optimise tune", short="Search…",
            ),
            *(
                Action(
                    f"study_{path.stem}", title, partial(files.open_study, path),
                    menu="File/Open example study", group="studies", words=f"example {words}",
                )
                for path, title in (*example_studies(), *example_searches())
            ),
        ]  # fmt: skip

    def _exchange(self) -> list[Action]:
        return [
            *(
                Action(
                    f"import_{form.name}", f"{form.title}…", partial(self._files.ask_import, form),
                    icon=_FORMAT_ICONS.get(form.name, "file"), menu="File/Import", group="exchange",
                    tip=form.about, words=form.name,
                )
                for form in sorted(formats.FORMATS, key=lambda form: form.title.lower()) if form.about
            ),
            Action(
                "export_tree", "Export &tree…", self._files.ask_export, menu="File", group="exchange",
                tip="Export the share tree in another format", enabled=self._has_document,
            ),
        ]  # fmt: skip

    def _edit(self) -> list[Action]:
        return [
            Action(
                "undo", "&Undo", self._undo, keys=("Ctrl+Z",), icon="undo", menu="Edit", group="history",
                enabled=self._can_undo, acts=True, named=self._undo_words, short="Undo",
            ),
            Action(
                "redo", "&Redo", self._redo, keys=("Ctrl+Shift+Z",), icon="redo", menu="Edit",
                group="history", enabled=self._can_redo, acts=True, named=self._redo_words, short="Redo",
            ),
            Action(
                "preferences", "Pre&ferences…", self._show_preferences, keys=("Ctrl+,",), icon="settings",
                menu="Edit", group="preferences", tip=(
                    "Change theme, text size, row height, "
                    "start page and operator"
                ),
                words="settings options theme font text size row height start page dark light colour blind",
            ),
        ]  # fmt: skip

    def _view(self) -> list[Action]:
        shows_workspaces = self._stack.shows_workspaces
        return [
            *self._tabs(),
            *(
                Action(
                    f"theme_{mode}", title, partial(self._set_theme, mode), menu="View/Theme", group="look",
                    checked=partial(_is_mode, mode), choice="theme", words="theme colours",
                )
                for mode, title in THEMES
            ),
            Action(
                "reset_layout", "Reset &layout", self._reset_layout, menu="View", group="look",
                tip="Move the docks of this workspace back to their original places",
                enabled=shows_workspaces,
            ),
            Action(
                "why", "&Why", self._show_why, keys=("W",), menu="View", group="docks",
                tip="Explain the order of two users, level by level", enabled=self._can_explain,
                why_not=lambda: "Why is available in Design and Observe", words="explain priority verdict",
                needs=EXPLAINER,
            ),
            Action(
                SHOW_TABLE, "Show as &table…", self._show_table, keys=("Ctrl+Shift+T",), menu="View",
                group="docks", tip="Show the focused map, plot or timeline as a table",
                enabled=shows_workspaces, words="text twin accessibility screen reader values numbers",
            ),
            Action(
                "maximise_dock", "&Maximise dock", self._maximise_dock, keys=("F11",), menu=DOCK_MENU,
                group="dock", tip="Show only the focused dock. Press again, or Esc, to show all",
                enabled=shows_workspaces, words="maximise restore full",
            ),
            Action(
                "collapse_dock", "&Collapse dock", self._collapse_dock, menu=DOCK_MENU, group="dock",
                tip="Show only the title of the focused dock. Press again to show all of it",
                enabled=shows_workspaces, words="collapse expand",
            ),
            Action(
                "next_dock", "Next dock", partial(self._walk_docks, 1), keys=("F6",), menu="View",
                group="docks",
            ),
            Action(
                "previous_dock", "Previous dock", partial(self._walk_docks, -1), keys=("Shift+F6",),
                menu="View", group="docks",
            ),
        ]  # fmt: skip

    def _tabs(self) -> list[Action]:
        stack = self._stack
        return [
            Action(
                tab_id(workspace_id), title, partial(stack.show_workspace, workspace_id), keys=(keys,),
                icon=icon, menu="View", group="workspaces", enabled=stack.shows_workspaces,
                checked=partial(stack.is_shown, workspace_id), choice="workspace",
                why_not=lambda: "Nothing is open",
            )
            for workspace_id, title, icon, keys in TABS
        ]  # fmt: skip

    def _accept(self) -> Action:
        return Action(
            "accept_commands", "&Accept commands", self._server.toggle, menu="Simulation", group="outside",
            tip="Let your other programs send commands to this machine: fsconsole machine --connect",
            checked=lambda: self._server.is_allowed, words="socket shell connect outside", needs=MACHINE,
        )  # fmt: skip

    # -- what they do ---------------------------------------------------------------------------------------

    def _has_document(self) -> bool:
        return self._session.document is not None

    def _can_save(self) -> bool:
        return self._session.document is not None and self._session.document.is_of_file

    def _why_not_saved(self) -> str:
        if not self._has_document():
            return "Nothing is open"
        return "Edits of a cluster are applied, not saved. Save as… writes a copy of the tree"

    def _undo(self) -> None:
        if self._session.document is not None:
            words = self._undo_words()  # The edit may be in another workspace, outside the view.
            self._session.step_edits(f"Undone: {words}", self._session.document.stack.undo)

    def _redo(self) -> None:
        if self._session.document is not None:
            words = self._redo_words()
            self._session.step_edits(f"Redone: {words}", self._session.document.stack.redo)

    def _undo_words(self) -> str:
        return "" if self._session.document is None else self._session.document.undo_words

    def _redo_words(self) -> str:
        return "" if self._session.document is None else self._session.document.redo_words

    def _can_undo(self) -> bool:
        return self._session.document is not None and self._session.document.stack.canUndo()

    def _can_redo(self) -> bool:
        return self._session.document is not None and self._session.document.stack.canRedo()

    def _set_theme(self, mode: ThemeMode) -> None:
        theme().set_mode(mode)
        self._session.preferences.set_value("theme", mode)

    def _show_preferences(self) -> None:
        from fsconsole.console.preferences_dialog import PreferencesDialog

        dialog = PreferencesDialog(self._session.preferences, self._window)
        dialog.finished.connect(self._table.refresh)  # The menu of themes may have changed.
        dialog.open()

    def _can_explain(self) -> bool:
        return self._stack.current is not None and self._stack.current.explains

    def _show_why(self) -> None:
        if self._stack.current is not None:
            self._stack.current.show_why()

    def _show_table(self) -> None:
        current = self._stack.current
        views = [] if current is None else twins_in_sight(current)
        if not views:
            self._session.message.emit(
                "No map, plot or timeline is shown. Open a workspace or dock that has one"
            )
            return
        dialog = TwinDialog(views, self._window)
        dialog.open()

    def _reset_layout(self) -> None:
        if self._stack.current is not None:
            self._stack.current.reset_layout()

    def _maximise_dock(self) -> None:
        if self._stack.current is not None:
            self._stack.current.maximiser.toggle(dock_with_focus(self._stack.current))

    def _collapse_dock(self) -> None:
        dock = dock_with_focus(self._stack.current) if self._stack.current is not None else None
        if dock is not None:
            dock.toggle_collapsed()

    def _walk_docks(self, step: int) -> None:
        focus_next_dock(self._stack.page, step)

    def _new_study(self) -> None:
        """Ask for a comparison, and run it visibly."""
        self._load("study.new_study")
        from fsconsole.console.analyse.study.new_study import NewStudyDialog

        dialog = NewStudyDialog(self._files.questions, self._window)
        dialog.made.connect(self._run_study)
        dialog.open()

    def _new_search(self) -> None:
        """Ask for goals, and run their search visibly."""
        self._load("search.new_search")
        from fsconsole.console.analyse.search.new_search import NewSearchDialog

        dialog = NewSearchDialog(self._files.questions, self._window)
        dialog.made.connect(self._run_study)
        dialog.open()

    @Slot(object)
    def _run_study(self, path: Path) -> None:
        self._files.recent.add(path)
        self._show_study(path, run=True)

    def _load(self, module: str) -> None:
        """Import a module of Analyse, while the window is painted; what opens then is what was asked for."""
        call = partial(import_module, f"fsconsole.console.analyse.{module}")
        run_and_wait(call, self._window, is_late=False)

    def _show_study(self, path: Path, *, run: bool) -> None:
        self._load("study.controller")
        if is_search(path):
            self._stack.analyse.search_controller.open(path, run=run)
        else:
            self._stack.analyse.study_controller.open(path, run=run)
        self._stack.show_workspace("analyse")


def _is_mode(mode: ThemeMode) -> bool:
    return theme().mode == mode
