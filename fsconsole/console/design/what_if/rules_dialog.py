"""All rules side by side: one table of what each node gets, and one map per rule."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QScrollArea, QSplitter, QWidget

from fsconsole.app.tree.elsewhere.rule import Division, Rule
from fsconsole.app.tree.elsewhere.rules import RULES
from fsconsole.app.tree.outlook import Outlook
from fsconsole.console.design.what_if.rule_map import RuleMap
from fsconsole.console.kit.forms import close_buttons
from fsconsole.console.kit.table_model import Column, RowModel
from fsconsole.console.kit.tables import Table
from fsconsole.console.kit.tasks import Tasks, describe_error
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import vbox
from fsconsole.console.widgets.copying import copy_text
from fsconsole.console.widgets.dialog import Dialog
from fsconsole.console.widgets.labels import MutedLabel
from fsconsole.shares.demand_words import demand_text
from fsconsole.text import numbers

_NOTE = (
    "Percentages of the machine, at constant demands and settled usage. Muted numbers equal those of Share."
)
_ALIKE = 0.0005  # Shares of machine that differ by less are equal.
_NAME_PX, _DEMAND_PX, _RULE_PX = 170, 90, 112
_WIDE_PX, _HIGH_PX, _TABLE_PX = 1060, 700, 280


class RulesDialog(Dialog):
    """Runs all rules over the demands of an outlook, one after another; it keeps these when others come."""

    def __init__(self, session: ConsoleSession, outlook: Outlook, parent: QWidget | None = None) -> None:
        super().__init__("Results of other schedulers", parent)
        self._session = session
        self._outlook = replace(outlook, tree=outlook.tree.copy(), rule=None, division=None)
        self._found: dict[str, Division | str] = {}
        self._left = list(RULES)
        self._tasks = Tasks(self)
        self.model = RowModel[int](self._columns(), self)
        self.table = Table[int](self.model, "Result of each rule, in per cent of the machine", self)
        self.maps = {rule.name: RuleMap(session, self) for rule in RULES}
        self._captions = {rule.name: MutedLabel(rule.title, self, "caption") for rule in RULES}
        self._build_ui()
        self.model.set_rows(self._outlook.table_rows)
        self.table.selectionModel().selectionChanged.connect(self._on_selected)
        self._run_next()

    @property
    def is_done(self) -> bool:
        """Whether all rules have been run."""
        return len(self._found) == len(RULES)

    def text(self) -> str:
        """Return the table as lines of tab-separated values."""
        lines = [self.model.titles, *map(self.model.cells, self.model.rows)]
        return "\n".join("\t".join(cell.strip() for cell in line) for line in lines)

    # -- making ---------------------------------------------------------------------------------------------

    def _columns(self) -> list[Column[int]]:
        outlook = self._outlook
        return [
            Column("Node", outlook.label, width=_NAME_PX, is_name=True, tip=self._path),
            Column("Demand", lambda row: demand_text(outlook.demand(row)), width=_DEMAND_PX),
            Column(
                "Entitled", lambda row: _points(outlook.result.entitled[row]), width=_DEMAND_PX,
                is_number=True,
            ),
            *(
                Column(
                    rule.title, partial(self._part, rule), rule.source, width=_RULE_PX,
                    is_number=True, ink=partial(self._ink, rule), tip=partial(self._why, rule),
                )
                for rule in RULES
            ),
        ]  # fmt: skip

    def _build_ui(self) -> None:
        page = QWidget(self)
        pairs = [(self._captions[rule.name], self.maps[rule.name]) for rule in RULES]
        vbox(*(widget for pair in pairs for widget in pair), 1, on=page, spacing=4)
        for caption, _ in pairs:
            caption.setWordWrap(True)
            caption.setContentsMargins(12, 6, 12, 0)
        scroll = QScrollArea(self)
        scroll.setAccessibleName("Rules")
        scroll.setWidget(page)
        scroll.setWidgetResizable(True)
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(self.table)
        splitter.addWidget(scroll)
        splitter.setSizes([_TABLE_PX, _HIGH_PX - _TABLE_PX])
        splitter.setChildrenCollapsible(False)
        buttons = close_buttons(self)
        self.copy = buttons.addButton("Copy table", buttons.ButtonRole.ActionRole)
        self.copy.clicked.connect(self._on_copy)
        note = MutedLabel(_NOTE, self)
        vbox(note, (splitter, 1), buttons, on=self, margins=(12, 12, 12, 12), spacing=8)
        self.resize(_WIDE_PX, _HIGH_PX)

    # -- what a cell says -----------------------------------------------------------------------------------

    def _path(self, row: int) -> str:
        return self._outlook.tree.path(int(self._outlook.flat.ids[row]))

    def _part(self, rule: Rule, row: int) -> str:
        found = self._found.get(rule.name)
        if found is None:
            return "…"
        return "–" if isinstance(found, str) else _points(found.parts[row])

    def _why(self, rule: Rule, row: int) -> str | None:
        found = self._found.get(rule.name)
        if found is None or isinstance(found, str):
            return found
        return found.why.get(row)

    def _ink(self, rule: Rule, row: int) -> str:
        """Return muted ink where the value equals that of Share."""
        found, first = self._found.get(rule.name), self._found.get(RULES[0].name)
        if not isinstance(found, Division) or not isinstance(first, Division):
            return "muted"
        return "muted" if abs(found.parts[row] - first.parts[row]) < _ALIKE else ""

    # -- inside ---------------------------------------------------------------------------------------------

    def _run_next(self) -> None:
        if self._left:
            rule, asked = self._left[0], self._outlook.asked()
            self._tasks.run(lambda: rule.divide(asked), self._on_divided, self._on_failed)

    def _on_divided(self, division: Division) -> None:
        rule = self._left[0]
        self.maps[rule.name].show_outlook(self._outlook.under(rule, division))
        notes = [*division.notes, f"Ours: {rule.ours}"]
        self._captions[rule.name].setText("\n".join([rule.title, *notes]))
        self._show_division(rule, division, notes)

    def _on_failed(self, error: Exception) -> None:
        rule, text = self._left[0], f"{describe_error(error).rstrip('.')}."
        self._captions[rule.name].setText(f"{rule.title}: {text}")
        self._show_division(rule, text, [])

    def _show_division(self, rule: Rule, found: Division | str, notes: list[str]) -> None:
        self._found[rule.name] = found
        self._captions[rule.name].setToolTip("\n".join([f"{rule.source}.", *notes]))
        self.model.emit_changed()
        self._left = self._left[1:]
        self._run_next()

    @Slot()
    def _on_selected(self) -> None:
        tree = self._session.document.tree if self._session.document is not None else None
        nodes = [int(self._outlook.flat.ids[row]) for row in self.table.selected()]
        self._session.select(tuple(node for node in nodes if tree is not None and node in tree))

    @Slot()
    def _on_copy(self) -> None:
        copy_text(self.text())
        self._session.message.emit("Table copied")


def _points(part: float) -> str:
    return numbers.fixed(100 * float(part), 2)
