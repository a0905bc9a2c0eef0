"""The What if dock: demands, what follows from them, and where each surplus goes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QCursor, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHeaderView,
    QPushButton,
    QWidget,
)

from fsconsole.app.tree.elsewhere.rules import RULES
from fsconsole.app.tree.outlook import Outlook
from fsconsole.console.cluster.session import CLUSTER
from fsconsole.console.design.columns import Column as TreeColumn
from fsconsole.console.design.columns import title_of
from fsconsole.console.design.tree_model import NODE_ROLE
from fsconsole.console.design.what_if.demand_delegate import DemandDelegate
from fsconsole.console.design.what_if.ribbons import SurplusRibbons
from fsconsole.console.design.what_if.rule_map import RuleMap
from fsconsole.console.design.what_if.table_model import (
    BY_RULE,
    DEMAND,
    DIFFERENCE,
    ENTITLED,
    GROUP,
    MEASURED,
    WhatIfModel,
    WhatIfRow,
)
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.kit.cell_delegate import CellKeeper
from fsconsole.console.kit.tables import FlatTree
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import marks
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import row_px, scaled
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel
from fsconsole.text import numbers

_MOST_ROWS = 12
_ARROW_PX = 24
# In a narrower panel, measured values are hidden. The difference still reflects them.
_ROOMY_PX = 420
# In a narrower panel, values of the tree are hidden too, to make room for names.
_SLIM_PX = 380
_BEGINS_DEMAND = "0123456789"


class WhatIfTable(FlatTree[WhatIfRow]):
    """Groups with their demands; a click on a demand edits it, one on its arrow opens the list."""

    def __init__(self, session: ConsoleSession, what_if: WhatIf, parent: QWidget) -> None:
        self.what_if_model = WhatIfModel(session, what_if)
        super().__init__(self.what_if_model, "What if", parent)
        self._session = session
        self._has_measured = False
        self._has_rule = False
        self.setIconSize(QSize(scaled(marks.CHIP_WIDTH), scaled(16)))
        self.setSelectionMode(self.SelectionMode.SingleSelection)
        self.setEditTriggers(self.EditTrigger.EditKeyPressed)
        self.demands = DemandDelegate(self, self.what_if_model.setData, "box")
        self.setItemDelegateForColumn(DEMAND, self.demands)
        model = self.what_if_model
        self._document = session.document
        self._keeper = CellKeeper(
            self, lambda: ((DEMAND, self.demands),), lambda node, at: model.index(model.row_of(node), at)
        )
        session.leaving.connect(self._keeper.put_by)
        model.modelAboutToBeReset.connect(self._keeper.put_by)
        model.modelReset.connect(self._on_reset)
        self._keeper.lost.connect(session.not_entered)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(GROUP, QHeaderView.ResizeMode.Stretch)
        self.clicked.connect(self._on_clicked)

    @Slot()
    def _on_reset(self) -> None:
        """Go on with the demand that is being typed, unless that is of another tree."""
        if self._document is not self._session.document:
            self._document = self._session.document
            self._keeper.forget()
        self._keeper.settle()

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show another outlook; columns without measurements are hidden."""
        self.what_if_model.show_outlook(outlook)
        self._has_measured = outlook is not None and outlook.has_measured
        self._has_rule = outlook is not None and outlook.division is not None
        self._fit_columns()
        self._fit_rows()

    def _fit_rows(self) -> None:
        rows = min(self.what_if_model.rowCount(), _MOST_ROWS)
        self.setMinimumHeight(row_px() * min(rows + 1, 6))
        self.setMaximumHeight(row_px() * (rows + 1) + 4)

    def _fit_columns(self) -> None:
        self.setColumnHidden(BY_RULE, not self._has_rule)
        is_slim = (self._has_measured or self._has_rule) and self.width() < _SLIM_PX
        self.setColumnHidden(ENTITLED, is_slim)
        self.setColumnHidden(DIFFERENCE, not self._has_measured or (self._has_rule and is_slim))
        is_roomy = self.width() >= _ROOMY_PX + 62 * self._has_rule
        self.setColumnHidden(MEASURED, not self._has_measured or not is_roomy)

    def edit_demand(self, text: str = "") -> None:
        """Edit the demand of the current row, beginning with a text if there is one."""
        index = self.currentIndex().siblingAtColumn(DEMAND)
        if not index.isValid() or index.data(NODE_ROLE) is None:
            return
        self.setCurrentIndex(index)
        self.edit(index)
        editor = self.indexWidget(index)
        if isinstance(editor, QComboBox) and text:
            editor.setEditText(text)
            if (line := editor.lineEdit()) is not None:
                line.setModified(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if is_plain and event.text() and event.text() in _BEGINS_DEMAND:
            self.edit_demand(event.text())
        elif is_plain and event.key() in (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.edit_demand()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit_rows()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def _on_clicked(self, index: QModelIndex) -> None:
        node = index.data(NODE_ROLE)
        if node is not None:
            self._session.select((int(node),))
        if node is None or index.column() != DEMAND:
            return
        at: QPoint = self.viewport().mapFromGlobal(QCursor.pos())
        self.edit(index)
        editor = self.indexWidget(index)
        if isinstance(editor, QComboBox) and at.x() > self.visualRect(index).right() - _ARROW_PX:
            editor.showPopup()


class WhatIfPanel(QWidget):
    """Where demands come from, the table, the ribbons and a sentence; it rests while it is hidden.

    Signals: keep_wanted() when the demands are to become a report.
    """

    keep_wanted = Signal()

    def __init__(self, session: ConsoleSession, what_if: WhatIf, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._what_if = session, what_if
        self.source = QComboBox(self)
        self.source.setAccessibleName("Demand from")
        self.source.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.source.setMinimumContentsLength(6)
        self.rule = QComboBox(self)
        self.rule.setAccessibleName("Rule")
        for rule in RULES:
            self.rule.addItem(rule.title, rule)
            self.rule.setItemData(self.rule.count() - 1, rule.source, Qt.ItemDataRole.ToolTipRole)
        self.all_rules = QPushButton("All rules…", self)
        self.all_rules.setToolTip("Compare the results of all rules in one table, with a map for each")
        self.all_rules.clicked.connect(self._on_all_rules)
        self.keep = QPushButton("Keep…", self)
        self.keep.setAccessibleName("Keep as report")
        self.keep.setToolTip("Keep as report: save these demands in the document under a title")
        self.keep.clicked.connect(self.keep_wanted)
        self.table = WhatIfTable(session, what_if, self)
        self._caption = MutedLabel("", self, "caption")
        self.ribbons = SurplusRibbons(session, self)
        self.rule_map = RuleMap(session, self)
        self._sentence = PlainLabel("", self, wraps=True)
        self._build_ui()
        self.source.activated.connect(self._choose)
        self.rule.activated.connect(self._choose_rule)
        what_if.sources_changed.connect(self._fill)
        what_if.changed.connect(self._refresh)
        session.curves.changed.connect(self._refresh)
        self._fill()

    @property
    def sentence(self) -> str:
        """Sentence below the ribbons."""
        return self._sentence.text()

    @property
    def caption(self) -> str:
        """Amount of surplus handed on, or title of the map below."""
        return self._caption.text()

    def _build_ui(self) -> None:
        self._sentence.setFont(tabular_font("table"))
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._sentence.setContentsMargins(12, 2, 12, 8)
        self._caption.setContentsMargins(12, 6, 12, 0)
        label = PlainLabel("Demand from", self, buddy=self.source)
        top = hbox(label, (self.source, 1), self.keep, margins=(12, 6, 12, 4), spacing=8)
        compared = PlainLabel("Rule", self, buddy=self.rule)
        by_rule = hbox(compared, (self.rule, 1), self.all_rules, margins=(12, 0, 12, 4), spacing=8)
        below = self._caption, self.ribbons, self.rule_map, self._sentence, 0
        vbox(top, by_rule, (self.table, 1), *below, on=self, spacing=2)

    def _fill(self) -> None:
        self.source.clear()
        for source in self._what_if.sources:
            self.source.addItem(source.title, source)
        self._refresh()

    def _choose(self, at: int) -> None:
        self._what_if.choose(self.source.itemData(at))

    def _choose_rule(self, at: int) -> None:
        self._what_if.choose_rule(self.rule.itemData(at))

    @Slot()
    def _on_all_rules(self) -> None:
        from fsconsole.console.design.what_if.rules_dialog import RulesDialog

        outlook = self._what_if.outlook
        if outlook is not None:
            RulesDialog(self._session, outlook, self.window()).show()

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        self.rule.setCurrentIndex(RULES.index(self._what_if.rule))
        sources = self._what_if.sources
        for at, source in enumerate(sources):
            is_chosen = source == self._what_if.source
            self.source.setItemText(at, self._what_if.title if is_chosen else source.title)
            if is_chosen:
                self.source.setCurrentIndex(at)
        self.keep.setVisible(self._what_if.can_keep)
        outlook = self._what_if.outlook
        self.table.show_outlook(outlook)
        self.ribbons.show_outlook(outlook)
        has_rule = outlook is not None and outlook.division is not None
        has_flows = outlook is not None and bool(outlook.flows) and not has_rule
        self.rule_map.show_outlook(outlook if has_rule else None)
        self.rule_map.setVisible(has_rule)
        self.ribbons.setVisible(has_flows)
        self._caption.setVisible(has_flows or has_rule)
        if outlook is not None:
            points = numbers.fixed(100 * outlook.surplus, 2)
            surplus = f"Surplus handed on, in points: {points}"
            share = title_of(TreeColumn.PART_OF_MACHINE, of_cluster=self._session.offer(CLUSTER) is not None)
            self._caption.setText(f"{share} by {outlook.rule.title}" if outlook.rule else surplus)
            self._sentence.setText(" ".join(filter(None, [*outlook.sentences, self._what_if.note])))
            self._sentence.setToolTip("\n".join([*outlook.all_left, *_about_rule(outlook)]))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.keep.setText("Keep as report…" if self.width() >= _ROOMY_PX else "Keep…")


def _about_rule(outlook: Outlook) -> list[str]:
    """Return the source of the rule, and the assumptions of the result."""
    if outlook.rule is None or outlook.division is None:
        return []
    rule = outlook.rule
    return [f"{rule.title}: {rule.source}.", *outlook.division.notes, f"Ours: {rule.ours}"]
