"""Column headers and figures speak in the field's terms, one term each."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTableView, QTreeView
from pytestqt.qtbot import QtBot

from fsconsole.console.design.parameters import PARAMETERS
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.quantities import quantity_named
from fsconsole.shares.scenario.spec import QUANTITIES

# The terms of the design, and plain words for what has no term in the field.
TERMS = {
    "shares", "part of group", "part of machine", "machine share", "allocated share", "effective share",
    "usage", "normalised usage", "charge", "cost", "cpu rate", "half-life", "nice", "priority", "increment",
    "demand", "entitled",
}  # fmt: skip
PLAIN = {
    "name", "node", "kind", "note", "pid", "command", "charged to", "started by", "cpu", "cpu time", "state",
    "severity", "line", "problem", "edit", "before", "after", "machine", "time", "claim", "expected",
    "measured", "tolerance", "holds", "experiment", "claims hold", "group", "what if",
}  # fmt: skip
SHORT = {"cpu": "cpu rate", "alloc.": "allocated share", "eff.": "effective share"}
SHORT |= {"n. usage": "normalised usage", "n. us.": "normalised usage", "diff.": "difference"}
# Other people's words for the same, and words that mean too much.
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
    views = [*workspace.findChildren(QTreeView), *workspace.findChildren(QTableView)]
    horizontal = Qt.Orientation.Horizontal
    tips: dict[str, str] = {}
    for view in views:
        model = view.model()
        for column in range(model.columnCount()):
            title = term(str(model.headerData(column, horizontal) or ""))
            tips[title] = str(model.headerData(column, horizontal, Qt.ItemDataRole.ToolTipRole) or "")
    assert len(views) > 1 or name == "analyse"
    for title, tip in tips.items():
        if title in SHORT and tip:
            assert tip.lower().startswith(SHORT[title])
        else:
            assert title in TERMS | PLAIN


def test_quantities_are_terms() -> None:
    assert {quantity_named(name).title.lower() for name in QUANTITIES} <= TERMS


def test_no_word_of_others_stands_for_a_term() -> None:
    words = " ".join(parameter.label for parameter in PARAMETERS).lower()
    assert not [word for word in SHUNNED if word in words]
