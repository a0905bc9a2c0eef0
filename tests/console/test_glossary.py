"""Column headers and figures speak in the field's terms, one term each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView, QTreeView
from pytestqt.qtbot import QtBot

from fsconsole.console.help.dialogs import GlossaryDialog
from fsconsole.console.help.glossary import TERMS as GLOSSARY
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.quantities import quantity_named
from fsconsole.shares.scenario.parameters import PARAMETERS
from fsconsole.shares.scenario.spec import QUANTITIES
from tests.texts import wording

# The page of terms, and plain words for what has no term in the field.
TERMS = {term.name.lower() for term in GLOSSARY}
PLAIN = {
    "name", "node", "kind", "note", "pid", "command", "charged to", "started by", "cpu", "cpu time", "state",
    "severity", "line", "problem", "edit", "before", "after", "machine", "time", "claim", "expected",
    "measured", "tolerance", "holds", "experiment", "claims hold", "group", "what if", "author", "written",
    "branch", "begin", "reached", "changes", "quantity", "difference", "share of the range", "a", "b",
    "from", "to", "about", "held by", "part", "user", "system", "idle", "mflop/s", "job of", "efficiency",
    "current", "required", "cores", "processors requested", "block", "formula", "source", "value",
}  # fmt: skip
SHORT = {"cpu": "cpu rate", "alloc.": "allocated share", "eff.": "effective share"}
SHORT |= {"n. usage": "normalised usage", "n. us.": "normalised usage", "diff.": "difference"}
# Other people's words for the same, and words that mean too much.
_WITH_WEIGHTS = (
    "urm.",
    "memory.",
)  # whose factors are called weights, age_wt and so on, in the field as well
SHUNNED = ("fair share", "quota", "weight", "priority factor", "fairshare", "utilisation", "account balance")


def term(title: str) -> str:
    """A header without its unit."""
    return title.partition(",")[0].removesuffix("%").strip().lower()


@pytest.mark.parametrize("name", ["design", "observe", "analyse"])
@pytest.mark.parametrize("width", [1600, 1280])
def test_column_headers_are_terms(qtbot: QtBot, window: ConsoleWindow, name: str, width: int) -> None:
    window.resize(width, 800)
    window.show_workspace(name)
    workspace = window.workspace(name)
    qtbot.waitUntil(workspace.isVisible)
    closed = [dock for dock in workspace.findChildren(Dock) if dock.isHidden()]  # of other targets
    views: list[QTreeView | QTableView] = [*workspace.findChildren(QTreeView)]
    views += workspace.findChildren(QTableView)
    views = [view for view in views if not any(dock.isAncestorOf(view) for dock in closed)]
    horizontal = Qt.Orientation.Horizontal
    tips: dict[str, str] = {}
    for view in views:
        model = view.model()
        for column in range(model.columnCount()):
            if view.isColumnHidden(column):
                continue
            title = term(str(model.headerData(column, horizontal) or ""))
            tips[title] = str(model.headerData(column, horizontal, Qt.ItemDataRole.ToolTipRole) or "")
    assert len(views) > 1 or name == "analyse"
    for title, tip in tips.items():
        if title in SHORT and tip:
            assert tip.lower().startswith(SHORT[title])
        else:
            assert title in TERMS | PLAIN


def test_each_term_has_one_meaning_and_the_terms_of_the_design_are_there() -> None:
    assert len(TERMS) == len(GLOSSARY)
    assert len({term.meaning for term in GLOSSARY}) == len(GLOSSARY)
    assert all(term.meaning.endswith((".", ")")) for term in GLOSSARY)
    design = (
        "shares, share of machine, allocated share, effective share, usage, normalised usage, charge, cost"
    )
    assert {*design.split(", "), "cpu rate", "half-life"} <= TERMS
    console = (
        "arm, stage, change set, capture folder, run folder, study, cell, claim, preemption, target, "
        "tres, qos"
    )
    assert {*console.split(", ")} <= TERMS


def test_german_and_slurm_words_find_their_term() -> None:
    assert [term.name for term in GLOSSARY if term.holds("Halbwertszeit")] == ["Half-life"]
    assert [term.name for term in GLOSSARY if term.holds("scancel")] == ["Kill"]


def test_the_page_shows_all_terms_or_those_that_hold_what_is_typed(window: ConsoleWindow) -> None:
    assert window.table.trigger("glossary")
    dialog = window.findChild(GlossaryDialog)
    assert isinstance(dialog, GlossaryDialog)
    shown = dialog.page.toPlainText()
    assert all(f"{term.name}. {term.meaning}" in shown for term in GLOSSARY)
    QTest.keyClicks(dialog.box, "SECONDARY data")
    assert dialog.page.toPlainText().startswith(wording("console.help.memory-and-jobs") + "\nSDS. ")
    QTest.keyClicks(dialog.box, " <b>")
    found = wording("console.help.p-no-term-contains-p", typed=dialog.box.text())
    assert dialog.page.toPlainText() == found.removeprefix("<p>").removesuffix("</p>")
    dialog.close()


def test_quantities_are_terms() -> None:
    assert {quantity_named(name).title.lower() for name in QUANTITIES} <= TERMS


def test_no_word_of_others_stands_for_a_term() -> None:
    own = [parameter for parameter in PARAMETERS if not parameter.key.startswith(_WITH_WEIGHTS)]
    words = " ".join(parameter.label for parameter in own).lower()
    assert not [word for word in SHUNNED if word in words]
