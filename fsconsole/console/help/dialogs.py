"""The page of shortcuts, the glossary and the about box."""

from __future__ import annotations

import platform
from html import escape
from operator import itemgetter

from PySide6.QtCore import Qt, Slot, qVersion
from PySide6.QtWidgets import (
    QWidget,
)

from fsconsole.console.actions import MENUS, ActionTable
from fsconsole.console.gestures import GESTURES
from fsconsole.console.help.glossary import GLOSSARY, Term
from fsconsole.console.help.viewer import PageBrowser
from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.kit.tables import Column, FlatTree, RowModel
from fsconsole.console.style.fonts import ui_font
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.console.widgets.search_box import SearchBox
from fsconsole.resources import this_program

# Keys without an action: those of an editor, a drag and a dialog.
_ALWAYS = (("", "Leave an editor, a drag or a dialog", "Esc"), ("", "Next control", "Tab"))

_COLUMNS: tuple[Column[tuple[str, str, str]], ...] = (
    Column("Menu", itemgetter(0), width=110),
    Column("Command", itemgetter(1), stretches=True),
    Column("Keys", itemgetter(2), width=190),
)


class KeyboardDialog(Dialog):
    """All shortcuts of the action table, and what the mouse does in plots, with a filter."""

    def __init__(self, table: ActionTable, parent: QWidget) -> None:
        super().__init__("Keyboard", parent)
        self.box = SearchBox("Find a key or command", self)
        self.rows = RowModel(_COLUMNS)
        gestures = [("Plots", what, how) for what, how in GESTURES]
        self.rows.set_rows([*sorted([*table.shortcuts(), *_ALWAYS], key=_place), *gestures])
        self.list = FlatTree(self.rows, "Shortcuts", self)
        vbox(self.box, (self.list, 1), close_buttons(self), on=self, margins=(16, 16, 16, 12), spacing=8)
        self.box.textChanged.connect(self._filter)
        self.resize(620, 640)

    @Slot(str)
    def _filter(self, typed: str) -> None:
        self.rows.set_filter(lambda row: typed.casefold() in " ".join(row).casefold())


class GlossaryDialog(Dialog):
    """The terms of the field, with a filter."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("Glossary", parent)
        self.box = SearchBox("Find a term", self)
        self.page = PageBrowser(self)
        self.page.setAccessibleName("Terms")
        vbox(self.box, (self.page, 1), close_buttons(self), on=self, margins=(16, 16, 16, 12), spacing=8)
        self.box.textChanged.connect(self._filter)
        self._filter("")
        self.resize(620, 640)

    @Slot(str)
    def _filter(self, typed: str) -> None:
        found = {title: [term for term in terms if term.holds(typed)] for title, terms in GLOSSARY.items()}
        parts = [_section(title, terms) for title, terms in found.items() if terms]
        self.page.setHtml("".join(parts) or f"<p>No term contains {escape(typed.strip())}.</p>")


class AboutDialog(Dialog):
    """Name, purpose, versions."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("About fsconsole", parent)
        title = PlainLabel(this_program(), self, font=ui_font("figure", semibold=True))
        what = "Fair-share scheduling: share trees, the machines that follow them, and plots."
        purpose = PlainLabel(what, self, wraps=True)
        versions = f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform(terse=True)}"
        facts = MutedLabel(versions, self)
        facts.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        vbox(title, purpose, facts, close_buttons(self), on=self, margins=(20, 20, 20, 12), spacing=8)
        self.setMinimumWidth(420)


def _place(row: tuple[str, str, str]) -> int:
    """Return the place of a menu in the menu bar; others come last."""
    return MENUS.index(row[0]) if row[0] in MENUS else len(MENUS)


def _section(title: str, terms: list[Term]) -> str:
    return f"<h3>{escape(title)}</h3>" + "".join(_entry(term) for term in terms)


def _entry(term: Term) -> str:
    source = f" <i>{escape(term.source)}</i>" if term.source else ""
    elsewhere = f"<br><small>{escape(term.elsewhere)}</small>" if term.elsewhere else ""
    return f"<p><b>{escape(term.name)}</b>. {escape(term.meaning)}{source}{elsewhere}</p>"
