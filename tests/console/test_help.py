"""F1 opens the page of what has the focus; the pages come with the program."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import TypeVar

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from pytestqt.qtbot import QtBot

import fsconsole.console
from fsconsole.console.command_search import CommandSearch
from fsconsole.console.document import Document
from fsconsole.console.help.pages import INDEX, TOPICS, pages, slug, topic_of
from fsconsole.console.help.viewer import HelpDialog
from fsconsole.console.preferences_dialog import PreferencesDialog
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, ShareTree

W = TypeVar("W", bound=QWidget)


def the(window: QWidget, kind: type[W]) -> W:
    found = window.findChild(kind)
    assert found is not None
    return found


def headings(path: str) -> set[str]:
    page = next(page for page in pages() if page.path == path)
    return {slug(line.lstrip("#")) for line in page.text.splitlines() if line.startswith("#")}


@pytest.mark.parametrize("topic", sorted({*TOPICS.values()}))
def test_every_topic_is_a_page_with_that_heading(topic: str) -> None:
    path, _, heading = topic.partition("#")
    assert not heading or heading in headings(path)


def test_the_innermost_part_with_a_page_counts() -> None:
    assert topic_of(["box", "observe.notes", "observe"]) == TOPICS["observe.notes"]
    assert topic_of(["cluster.operate.any"]) == TOPICS["cluster.operate"]
    assert topic_of(["reference/keys.md", "observe"]) == "reference/keys.md"
    assert topic_of(["nothing"]) == INDEX


def dialogs(kind: type[QDialog]) -> Iterator[type[QDialog]]:
    """The dialogs of the console that are opened: those that no other is made of."""
    below = [one for one in kind.__subclasses__() if one.__module__.startswith("fsconsole.console")]
    for one in below:
        yield from dialogs(one)
    if not below and kind.__module__.startswith("fsconsole.console"):
        yield kind


def test_every_dialog_has_a_page() -> None:
    for module in pkgutil.walk_packages(fsconsole.console.__path__, "fsconsole.console."):
        importlib.import_module(module.name)
    found = {*dialogs(QDialog), *(one for kind in QDialog.__subclasses__() for one in dialogs(kind))}
    assert len(found) > 30
    pageless = [kind.__name__ for kind in found if topic_of(each.__name__ for each in kind.__mro__) == INDEX]
    assert sorted(pageless) == ["AboutDialog", "AskDialog", "HelpDialog", "MessageBox"]


@pytest.mark.parametrize("example", ["example_near-dedicated-ymp", "example_slurm_capture"])
def test_f1_opens_a_page_of_its_own_for_every_part(
    qtbot: QtBot, empty_window: ConsoleWindow, example: str
) -> None:
    window = empty_window
    asked = dict(press_f1_everywhere(qtbot, window))
    assert {*asked.values()} == {"reference/console.md#welcome", "reference/console.md#window"}
    window.table.trigger(example)
    qtbot.waitUntil(lambda: window.session.document is not None and not window.files.is_reading)
    for workspace in ("design", "observe", "operate", "analyse"):
        window.show_workspace(workspace)
        for dock in window.stack.workspace(workspace).findChildren(Dock):
            own = topic_of([dock.objectName()])
            # Each dock has a page of its own.
            assert own not in (INDEX, TOPICS[workspace]), dock.objectName()
        for part, topic in press_f1_everywhere(qtbot, window):
            path, _, heading = topic.partition("#")
            assert path != INDEX, part
            assert not heading or heading in headings(path), f"{part}: {topic}"


def press_f1_everywhere(qtbot: QtBot, window: ConsoleWindow) -> Iterator[tuple[str, str]]:
    """Yield each part in sight that takes the focus, and the page that F1 opens there."""
    parts = [one for one in window.findChildren(QWidget) if one.focusPolicy() != Qt.FocusPolicy.NoFocus]
    for part in [one for one in parts if one.isVisible() and one.isEnabled() and one.window() is window]:
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        part.setFocus()
        QTest.keyClick(QApplication.focusWidget() or part, Qt.Key.Key_F1)
        dialog = the(window, HelpDialog)
        assert dialog.isVisible(), part
        yield repr(part), f"{dialog.shown}#{dialog.heading}" if dialog.heading else dialog.shown
        dialog.close()


def test_every_page_comes_at_once(qtbot: QtBot, window: ConsoleWindow) -> None:
    """The watch times each key."""
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = the(window, HelpDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog.list, Qt.Key.Key_Home)
    shown = [dialog.shown]
    while len(shown) < len(pages()):
        QTest.keyClick(dialog.list, Qt.Key.Key_Down)
        qtbot.wait(0)
        shown.append(dialog.shown)
    assert shown == [page.path for page in pages()]
    QTest.keyClicks(dialog.box, "half-life")
    assert dialog.list.count() < len(pages())


def test_pictures_are_no_wider_than_the_page(qtbot: QtBot) -> None:
    dialog = HelpDialog(None, "tutorials/design-a-tree.md#ask-why")
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    for width in (760, 520):
        dialog.resize(width, 600)
        qtbot.waitUntil(lambda: dialog.browser.horizontalScrollBar().maximum() == 0)
        picture = dialog.browser.document().resource(2, QUrl("../../resources/screenshots/design-light.png"))
        assert 100 < picture.width() < width
        assert dialog.browser.verticalScrollBar().value() > 0  # still at its heading


def test_pages_are_found_by_their_words(qtbot: QtBot) -> None:
    dialog = HelpDialog(None, "how-to/time.md#branch")
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.show()
    assert dialog.shown == "how-to/time.md"
    assert dialog.list.currentItem().text() == "The past, notes and branches"
    QTest.keyClicks(dialog.box, "cgroup weights")
    assert "Linux by shares" in [dialog.list.item(row).text() for row in range(dialog.list.count())]
    QTest.keyClicks(dialog.box, " zzz")
    assert dialog.list.item(0).text() == "No page contains cgroup weights zzz."
    dialog.browser.anchorClicked.emit(QUrl("../how-to/forecast.md#an-account"))
    assert dialog.shown == "how-to/forecast.md"
    assert dialog.browser.verticalScrollBar().value() > 0


def test_f1_opens_the_page_of_the_dock_with_the_focus(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.files.open_example()
    qtbot.waitUntil(lambda: window.session.document is not None)
    window.show_workspace("observe")
    notes = window.findChild(QWidget, "observe.notes")
    assert isinstance(notes, Dock)
    notes.show()
    notes.raise_()
    notes.content.setFocus()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_F1)
    dialog = the(window, HelpDialog)
    assert dialog.shown == "how-to/time.md"
    dialog.close()


def test_f1_in_a_dialog_opens_its_page(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.table.trigger("preferences")
    preferences = the(window, PreferencesDialog)
    qtbot.waitUntil(preferences.isActiveWindow)
    QTest.keyClick(preferences, Qt.Key.Key_F1)
    dialog = the(preferences, HelpDialog)
    assert (dialog.shown, dialog.heading) == ("reference/settings.md", "preferences-of-the-console")
    qtbot.waitUntil(dialog.isActiveWindow)
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()
    preferences.close()


@pytest.mark.parametrize(
    ("typed", "row"),
    [("u21", "Node: u21 in gr2"), ("half-life", "Term: Half-life"),
     ("series 6", "Open example: Convex series 6"),
     ("convex-series-6", "Open example: Convex series 6"),
     ("junglas series 6", "Experiment: Series 6"), ("cgroup", "Help: Linux by shares"),
     ("policy.k_mu", "Parameter: ")],
)  # fmt: skip
def test_the_command_search_finds_more_than_commands(
    qtbot: QtBot, window: ConsoleWindow, typed: str, row: str
) -> None:
    window.files.open_example()
    qtbot.waitUntil(lambda: window.session.document is not None)
    window.table.trigger("commands")
    search = the(window, CommandSearch)
    QTest.keyClicks(search.box, typed)
    found = [search.model.index(number).data() for number in range(search.model.rowCount())]
    assert any(one.startswith(row) for one in found[:12]), found[:12]
    search.close()


def test_a_node_that_is_found_is_selected(qtbot: QtBot, window: ConsoleWindow) -> None:
    window.files.open_example()
    qtbot.waitUntil(lambda: window.session.document is not None)
    window.show_workspace("operate")
    window.table.trigger("commands")
    search = the(window, CommandSearch)
    QTest.keyClicks(search.box, "u21")
    QTest.keyClick(search.box, Qt.Key.Key_Return)
    document = window.session.document
    assert document is not None
    qtbot.waitUntil(lambda: [document.tree.node(one).name for one in window.session.selection] == ["u21"])
    assert window.current is not None
    assert window.current.id == "design"


def test_the_right_one_of_many_nodes_is_found(window: ConsoleWindow) -> None:
    """More names hold "u7" than are shown: the one that is called so stands first."""
    tree = ShareTree()
    for number in range(800, 0, -1):
        tree.add(0, f"u{number}", 1, Kind.USER)
    window.session.open(Document(Scenario(tree)))
    window.table.trigger("commands")
    search = the(window, CommandSearch)
    QTest.keyClicks(search.box, "u7")
    nodes = [str(search.model.index(row).data()) for row in range(20)]
    assert [node.split() for node in nodes[:2]] == [
        ["Node:", name, "in", tree.root.name] for name in ("u7", "u79")
    ]
    search.close()


def test_help_on_the_command_search_is_opened_from_it(window: ConsoleWindow) -> None:
    window.table.trigger("commands")
    search = the(window, CommandSearch)
    QTest.keyClicks(search.box, "u21")
    QTest.keyClick(search.box, Qt.Key.Key_F1)
    dialog = the(window, HelpDialog)
    assert (dialog.shown, dialog.heading) == ("reference/console.md", "command-search")
    assert not search.isVisible()
    dialog.close()
