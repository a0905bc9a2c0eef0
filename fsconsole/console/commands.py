"""What can be done in any workspace: the window's own rows of the action table.

Ids that workspaces may put on their tool bars: undo, redo, new, open, save, save_as, import_slurm,
export_tree, close, commands, keyboard, reset_layout.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.app.examples import example_titles
from fsconsole.app.study.files import example_studies
from fsconsole.console.actions import Action
from fsconsole.console.cluster.change_set_worker import STAGING
from fsconsole.console.files.recent_menu import RECENT_MENU
from fsconsole.console.style.theme import ThemeMode, theme
from fsconsole.shares import formats
from fsconsole.targets.base import MACHINE
from fsconsole.targets.slurm.location import example_capture

if TYPE_CHECKING:
    from fsconsole.console.window import ConsoleWindow

DOCK_MENU = "View/Docks"
_FORMAT_ICONS = {"slurm": "slurm"}
MENUS = ("File", "Edit", "View", "Target", "Simulation", "Help")
_TABS = (
    ("design", "Design", "tree", "Ctrl+1"),
    ("observe", "Observe", "plots", "Ctrl+2"),
    ("operate", "Operate", "monitor", "Ctrl+3"),
    ("analyse", "Analyse", "analyse", "Ctrl+4"),
)
WORKSPACES = tuple(row[0] for row in _TABS)
_THEMES: tuple[tuple[ThemeMode, str], ...] = (
    ("system", "As the system"),
    ("light", "Light"),
    ("dark", "Dark"),
)


def tab_id(workspace_id: str) -> str:
    """Id of the action that shows a workspace."""
    return f"show_{workspace_id}"


def window_actions(window: ConsoleWindow) -> list[Action]:
    """All rows, menu by menu."""
    return [*_file(window), *_edit(window), *_view(window), _accept(window), *_help(window)]


# Groups of the menu, and how the names of their files begin; what is in none is by itself.
_EXAMPLE_GROUPS = ("convex", "near-dedicated", "navoceano", "memory io", "", "slurm")


def _example_group(path: Path) -> str:
    return next((one for one in _EXAMPLE_GROUPS if one and path.stem.startswith(tuple(one.split()))), "")


def _examples(window: ConsoleWindow) -> list[Action]:
    """Group by group, in each by title."""
    menu = "File/Open example"
    found = [
        Action(
            f"example_{path.stem}", title, partial(window.desk.open, path), menu=menu,
            group=f"open/{_example_group(path)}", words="example",
        )
        for path, title in example_titles()
    ]  # fmt: skip
    found.append(
        Action(
            "example_slurm_capture",
            "Slurm cluster (a capture)",
            partial(window.desk.open, example_capture()),
            menu=menu,
            group="open/slurm",
            tip="What the tools of a real cluster said once: to look at it, and to try shares",
            words="example slurm cluster",
        )
    )
    groups = [f"open/{one}" for one in _EXAMPLE_GROUPS]
    return sorted(found, key=lambda one: (groups.index(one.group), one.text.casefold()))


def _file(window: ConsoleWindow) -> list[Action]:
    desk, is_open = window.desk, window.has_document
    return [
        Action(
            "new", "&New", desk.new, keys=("Ctrl+N",), icon="tree", menu="File", group="open",
            tip="A share tree of one root",
        ),
        Action(
            "open", "&Open…", desk.ask_open, keys=("Ctrl+O",), icon="folder", menu="File", group="open",
            tip="A scenario or a tree",
        ),
        Action(
            "clear_recent", "Clear the list", desk.recent.clear, menu=RECENT_MENU, group="open",
            enabled=lambda: bool(desk.recent.files()), words="recent files",
        ),
        *_examples(window),
        *_studies(window),
        Action(
            "save", "&Save", desk.save, keys=("Ctrl+S",), menu="File", group="save",
            enabled=lambda: window.has_document() and not window.session.shows(STAGING),
            why_not=lambda: _why_not_saved(window),
        ),
        Action(
            "save_as", "Save &as…", desk.save_as, keys=("Ctrl+Shift+S",), menu="File", group="save",
            enabled=is_open,
        ),
        *_exchange(window),
        Action("close", "&Close", desk.close, keys=("Ctrl+W",), menu="File", group="end", enabled=is_open),
        Action("quit", "&Quit", window.close, keys=("Ctrl+Q",), menu="File", group="end"),
    ]  # fmt: skip


def _why_not_saved(window: ConsoleWindow) -> str:
    if not window.session.shows(STAGING):
        return "Nothing is open"
    return "Edits of a cluster are applied, not saved; Save as… writes a copy of the tree"


def _studies(window: ConsoleWindow) -> list[Action]:
    desk, words = window.desk, "batch parallel jobs sweep policies"
    return [
        Action(
            "new_study", "New s&tudy…", window.new_study, icon="new-study", menu="File", group="studies",
            tip="Policies compared on traces of parallel jobs", words=words,
        ),
        Action(
            "open_study", "Open st&udy…", desk.ask_open_study, menu="File", group="studies",
            tip="A study of parallel jobs: its file, or study.yaml in the folder of its results", words=words,
        ),
        *(
            Action(
                f"study_{path.stem}", title, partial(desk.open_study, path), menu="File/Open example study",
                group="studies", words=f"example {words}",
            )
            for path, title in example_studies()
        ),
    ]  # fmt: skip


def _exchange(window: ConsoleWindow) -> list[Action]:
    return [
        *(
            Action(
                f"import_{form.name}", f"Import {form.title}…", partial(window.desk.ask_import, form),
                icon=_FORMAT_ICONS.get(form.name, "file"), menu="File", group="exchange",
                tip=form.about, words=form.name,
            )
            for form in formats.FORMATS if form.about
        ),
        Action(
            "export_tree", "Export &tree…", window.desk.ask_export, menu="File", group="exchange",
            tip="The share tree in another format", enabled=window.has_document,
        ),
    ]  # fmt: skip


def _edit(window: ConsoleWindow) -> list[Action]:
    return [
        Action(
            "undo", "&Undo", window.undo, keys=("Ctrl+Z",), icon="undo", menu="Edit", group="history",
            enabled=window.can_undo,
        ),
        Action(
            "redo", "&Redo", window.redo, keys=("Ctrl+Shift+Z",), icon="redo", menu="Edit", group="history",
            enabled=window.can_redo,
        ),
    ]  # fmt: skip


def _tabs(window: ConsoleWindow) -> list[Action]:
    return [
        Action(
            tab_id(workspace_id), title, partial(window.show_workspace, workspace_id), keys=(keys,),
            icon=icon, menu="View", group="workspaces", enabled=window.shows_workspaces,
            checked=partial(window.is_shown, workspace_id), choice="workspace",
            why_not=lambda: "Nothing is open",
        )
        for workspace_id, title, icon, keys in _TABS
    ]  # fmt: skip


def _themes(window: ConsoleWindow) -> list[Action]:
    return [
        Action(
            f"theme_{mode}", title, partial(window.set_theme, mode), menu="View/Theme", group="look",
            checked=partial(_is_mode, mode), choice="theme", words="theme colours",
        )
        for mode, title in _THEMES
    ]  # fmt: skip


def _view(window: ConsoleWindow) -> list[Action]:
    return [
        *_tabs(window),
        *_themes(window),
        Action(
            "reset_layout", "Reset &layout", window.reset_layout, menu="View", group="look",
            tip="Put the docks of this workspace where they were first", enabled=window.shows_workspaces,
        ),
        Action(
            "why", "&Why", window.show_why, keys=("W",), menu="View", group="docks",
            tip="Why the selected user goes before another, level by level", enabled=window.can_explain,
            why_not=lambda: "Design and Observe explain", words="explain priority verdict",
        ),
        Action(
            "maximise_dock", "&Maximise dock", window.maximise_dock, keys=("F11",), menu=DOCK_MENU,
            group="dock", tip="Show the dock with the focus alone; again, or Esc, shows all",
            enabled=window.shows_workspaces, words="maximise restore full",
        ),
        Action(
            "collapse_dock", "&Collapse dock", window.collapse_dock, menu=DOCK_MENU, group="dock",
            tip="Show only the title of the dock with the focus; again shows it whole",
            enabled=window.shows_workspaces, words="collapse expand",
        ),
        Action(
            "next_dock", "Next dock", partial(window.walk_docks, 1), keys=("F6",), menu="View", group="docks"
        ),
        Action(
            "previous_dock", "Previous dock", partial(window.walk_docks, -1), keys=("Shift+F6",), menu="View",
            group="docks",
        ),
        Action(
            "commands", "&Commands…", window.search_commands, keys=("Ctrl+K",), icon="search", menu="View",
            group="commands",
        ),
    ]  # fmt: skip


def _accept(window: ConsoleWindow) -> Action:
    return Action(
        "accept_commands", "&Accept commands", window.command_server.toggle, menu="Simulation",
        group="outside",
        tip="Programs of this user, and of nobody else, may give the machine commands: "
        "fsconsole machine --connect",
        checked=lambda: window.command_server.is_allowed, words="socket shell connect outside", needs=MACHINE,
    )  # fmt: skip


def _help(window: ConsoleWindow) -> list[Action]:
    return [
        Action(
            "keyboard", "&Keyboard", window.show_keyboard, keys=("F1",), menu="Help", group="help",
            words="shortcuts",
        ),
        Action(
            "glossary", "&Glossary", window.show_glossary, menu="Help", group="help",
            words="terms words meaning",
        ),
        Action("about", "&About fsconsole", window.show_about, menu="Help", group="help", words="version"),
    ]  # fmt: skip


def _is_mode(mode: ThemeMode) -> bool:
    return theme().mode == mode
