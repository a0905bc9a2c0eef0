"""The Why panel: two nodes, the levels between the root and them, factors, a verdict in words."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHeaderView,
    QWidget,
)

from fsconsole.console.insight.factor_model import FactorModel
from fsconsole.console.insight.level_model import ChipDelegate, LevelModel, LevelNodeRole
from fsconsole.console.insight.paced_query import PacedQuery
from fsconsole.console.insight.pair import Pair
from fsconsole.console.kit.tables import RowModel, Table
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import tabular_font
from fsconsole.console.style.sizes import grown_px, row_px
from fsconsole.console.widgets.boxes import INHERIT, hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.dock import DockHeader
from fsconsole.console.widgets.labels import MutedLabel, PlainLabel, RichLabel
from fsconsole.console.widgets.scrolling import scrolling
from fsconsole.targets.base import EXPLAINER, HOLD, Explained

_WIDE_PX = 900
_LOW_PX, _LOW_WIDE_PX = 260, 640
_SIDE_PX, _WIDE_SIDE_PX, _ROOMY_PX = 300, 340, 1100
_FOOT_HEIGHT_PART = 0.45
_LOW_ROW = 18
_MARGIN = 12


class WhyPanel(QWidget):
    """The comparison of two nodes now; it queries the target after each change while it is visible.

    Attributes:
        pages: chooses levels or factors where there is no room for both; it is for the dock's header.
        on_policy_changed: called with the policy's name, for the dock's header.
    """

    def __init__(
        self, session: ConsoleSession, parent: QWidget | None = None, *, follows_hold: bool = False
    ) -> None:
        """Create the panel; `follows_hold` is whether values stay while the display is held."""
        super().__init__(parent)
        self._session, self._follows_hold = session, follows_hold
        self.pair = Pair(session, self)
        self.levels = LevelModel(session, self)
        self.factors = FactorModel(self)
        self.explanation: Explained | None = None
        self.pages = SegmentedButtons((("levels", "Levels"), ("factors", "Factors")), "Show", self)
        self.on_policy_changed: Callable[[str], None] = lambda _words: None
        pair = self.pair
        self._query = PacedQuery(
            session,
            self,
            lambda: (pair.first, pair.other, pair.pid),
            self._question,
            self._show,
            self._show_failure,
        )
        self.first, self.other = QComboBox(self), QComboBox(self)
        self.level_table, self.factor_table = _table(self.levels, "Levels"), _table(self.factors, "Factors")
        self._verdict, self._standing = RichLabel(self), MutedLabel("", self)
        self._build_ui()
        self._connect_signals()

    @property
    def verdict(self) -> str:
        """Verdict of the panel in words."""
        return "" if self.explanation is None else self.explanation.verdict

    def show_process(self, pid: int, node: int) -> None:
        """Explain one process of a node."""
        self.pair.choose_process(pid, node)

    # -- making -------------------------------------------------------------------------------------------

    def _build_ui(self) -> None:
        asked = hbox(margins=(_MARGIN, 6, _MARGIN, 4), spacing=6)
        for text, box, name in (
            ("Compare", self.first, "First user"),
            ("with", self.other, "Second user"),
        ):
            asked.addWidget(PlainLabel(text, self))
            box.setAccessibleName(name)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(4)
            asked.addWidget(box, 1)
        tables = hbox((self.level_table, 1), (self.factor_table, 1), spacing=1)
        self.level_table.setItemDelegate(ChipDelegate(self.level_table))
        self._make_foot()
        self._side = vbox(asked, spacing=INHERIT)
        self._all = vbox(self._side, (tables, 1), self._foot, on=self, margins=(0, 0, 0, 6), spacing=2)

    def _make_foot(self) -> None:
        """Build the sentences below the table, in an area that scrolls."""
        words = QWidget(self)
        for label in (self._verdict, self._standing):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._verdict.setFont(tabular_font("table"))
        self._verdict.setAlignment(Qt.AlignmentFlag.AlignTop)
        margins = (_MARGIN, 2, _MARGIN, 2)
        self._words = vbox(self._verdict, self._standing, 0, on=words, margins=margins, spacing=INHERIT)
        self._foot = scrolling(words)

    def _connect_signals(self) -> None:
        session = self._session
        session.curves.changed.connect(self.level_table.viewport().update)
        session.document_changed.connect(self._clear)
        session.target_changed.connect(self._show_tables)
        # What an edit means for the document is computed by others, on the same signal.
        session.edited.connect(lambda: QTimer.singleShot(0, self, self._show_standing))
        self.pair.changed.connect(self._on_pair_changed)
        self.pair.choices_changed.connect(self._fill)
        self.first.activated.connect(lambda at: self.pair.choose_first(self.first.itemData(at)))
        self.other.activated.connect(lambda at: self.pair.choose_other(self.other.itemData(at)))
        self.level_table.clicked.connect(self._select)
        self.pages.chosen.connect(self._show_tables)
        self._show_tables()
        self._show_failure("")

    # -- asking -------------------------------------------------------------------------------------------

    @Slot()
    def refresh(self) -> None:
        """Query again if the panel is visible and the target may have changed."""
        self._query.refresh()

    def _question(self) -> Future[Any] | None:
        first, other, pid = self.pair.first, self.pair.other, self.pair.pid
        explainer = self._session.offer(EXPLAINER)
        if first is None or explainer is None:
            return None
        hold, past = self._session.offer(HOLD), self._session.past
        is_held = self._follows_hold and hold is not None and hold.is_held
        return explainer.why(first, other, pid, at=self._session.moment if is_held or past.is_on else None)

    @property
    def _has_factors(self) -> bool:
        """Whether there are processes whose priority is made of something; so it is while nothing is open."""
        explainer = self._session.offer(EXPLAINER)
        return explainer is None or explainer.has_factors

    @Slot()
    def _on_pair_changed(self) -> None:
        if self.pair.first is None:
            self._clear()
        self._fill()
        self._query.ask_again()

    @Slot()
    def _clear(self) -> None:
        """Clear the panel after a tree is closed; show what is missing without a user."""
        self._query.forget()
        self._show_failure("")
        self.on_policy_changed("")
        if self._session.document is not None and self.pair.first is None:
            self._verdict.setText("No users to compare. Add a user in Design.")

    # -- showing ------------------------------------------------------------------------------------------

    @Slot()
    def _fill(self) -> None:
        """Fill the combos with all users; those chosen are current."""
        if not self.isVisible():
            return
        document = self._session.document
        for box, chosen in ((self.first, self.pair.leaf), (self.other, self.pair.other)):
            choices = list(self.pair.choices)
            tree = None if document is None else document.tree
            if tree is not None and chosen is not None and chosen in tree and chosen not in dict(choices):
                choices.insert(0, (chosen, tree.node(chosen).name))
            if box.count() != len(choices) or any(
                (box.itemData(at), box.itemText(at)) != item for at, item in enumerate(choices)
            ):
                box.clear()
                for node, text in choices:
                    box.addItem(text, node)
            box.setCurrentIndex(next((at for at, item in enumerate(choices) if item[0] == chosen), -1))
            box.setToolTip(box.currentText())

    def _show(self, found: Explained) -> None:
        self.explanation = found
        self.pair.was_explained(found.leaf)
        self.levels.show_explanation(found)
        self.factors.show_explanation(found)
        head, stop, rest = found.verdict.partition(": " if ": " in found.verdict else ". ")
        self._verdict.setText(f"<b>{escape(head)}</b>{escape(stop)}{escape(rest)}")
        self._show_standing()
        self._show_tables()
        self.on_policy_changed(found.rule_title)
        self._fill()
        self.refresh()

    @Slot()
    def _show_standing(self) -> None:
        """Show remarks on the explanation, also that it leaves out staged edits."""
        found, document = self.explanation, self._session.document
        if found is None:
            return
        words = (found.standing, "" if document is None else document.staged_note)
        self._standing.setText(" ".join(filter(None, words)))
        self._standing.setVisible(any(words))

    def _show_failure(self, reason: str) -> None:
        self.explanation = None
        self.levels.show_explanation(None)
        self.factors.show_explanation(None)
        self._verdict.setText(escape(f"Nothing to explain: {reason}.") if reason else "")
        self._standing.setVisible(False)

    @Slot()
    def _show_tables(self) -> None:
        is_wide, has_factors = self.width() >= _WIDE_PX, self._has_factors
        self._arrange(beside=self._has_words_beside())
        self.pages.setVisible(has_factors and not is_wide and self.isVisible())
        self.level_table.setVisible(is_wide or not has_factors or self.pages.value == "levels")
        self.factor_table.setVisible(has_factors and (is_wide or self.pages.value == "factors"))
        self._size_columns()
        self._fit_rows()

    @Slot()
    def _fit_rows(self) -> None:
        """Lower the rows if not all levels fit, and hide those that both have in common."""
        table, levels = self.level_table, self.levels
        low_px = _LOW_ROW + grown_px()
        room, count = table.viewport().height(), levels.rowCount()
        hidden = {row for row in range(count) if count * low_px > room and levels.is_common(row)}
        height = min(max(room // max(count - len(hidden), 1), low_px), row_px())
        if table.verticalHeader().defaultSectionSize() != height:
            table.verticalHeader().setDefaultSectionSize(height)
        for row in range(count):
            if table.isRowHidden(row) is not (row in hidden):
                table.setRowHidden(row, row in hidden)

    def _has_words_beside(self) -> bool:
        """Return True if the text is beside the table: in a wide dock, or in one too low for both."""
        return self.width() >= (_LOW_WIDE_PX if self.height() < _LOW_PX else _WIDE_PX)

    def _side_width(self) -> int:
        return _WIDE_SIDE_PX if self.width() >= _ROOMY_PX else _SIDE_PX

    def _arrange(self, *, beside: bool) -> None:
        """Place words beside the tables, or below them."""
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._all.direction() is not direction:
            self._all.setDirection(direction)
            self._all.removeWidget(self._foot)
            self._side.removeWidget(self._foot)
            (self._side if beside else self._all).addWidget(self._foot, 1 if beside else 0)
        width = self._side_width() if beside else self.width()
        self._foot.setFixedWidth(width)
        # Its room does not follow its words, which change as time passes.
        below_px = round(_FOOT_HEIGHT_PART * self.height()) if self._words.heightForWidth(width) > 0 else 0
        self._foot.setMinimumHeight(0 if beside else below_px)
        self._foot.setMaximumHeight(self.height() if beside else below_px)

    def _size_columns(self) -> None:
        is_wide, last = self.width() >= _WIDE_PX, self.factors.columnCount() - 1
        room = self.width() - (self._side_width() if self._has_words_beside() else 0)
        room //= 2 if is_wide and self._has_factors else 1
        for section in range(last + 1):
            self.factor_table.setColumnHidden(section, section == last and not is_wide)
        for section in range(self.levels.columnCount()):
            self.level_table.setColumnHidden(section, not self.levels.has_room(section, room))
        for table in (self.level_table, self.factor_table):
            header = table.horizontalHeader()
            for section in range(header.count()):
                mode = QHeaderView.ResizeMode.Stretch if _stretches(table, section) else _FITTED
                if header.sectionResizeMode(section) is not mode:
                    header.setSectionResizeMode(section, mode)

    @Slot(QModelIndex)
    def _select(self, index: QModelIndex) -> None:
        self._session.select((int(index.data(LevelNodeRole)),))

    def sizeHint(self) -> QSize:
        return QSize(360, 260)

    def minimumSizeHint(self) -> QSize:
        return QSize(340, 104)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            QTimer.singleShot(0, self, self._fit_rows)  # Deferred until the tables have computed their sizes.

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_tables()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show_tables()
        self._fill()
        self.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        # Remove the widgets from the dock's header, where other widgets may appear now.
        super().hideEvent(event)
        self.pages.hide()
        self.on_policy_changed("")


def why_in(
    header: DockHeader, session: ConsoleSession, parent: QWidget, *, follows_hold: bool = False
) -> WhyPanel:
    """Return a panel whose policy and choice of pages are in a dock's header."""
    made = WhyPanel(session, parent, follows_hold=follows_hold)
    made.on_policy_changed = header.set_remark
    header.add_widget(made.pages)
    return made


_FITTED = QHeaderView.ResizeMode.ResizeToContents


def _stretches(table: Table[Any], section: int) -> bool:
    """Return True if a column takes the room left: the first one; in the factors the note, where it shows."""
    model = table.model()
    note = model.columnCount() - 1 if isinstance(model, FactorModel) else -1
    return section == note if note > 0 and not table.isColumnHidden(note) else section == 0


def _table(model: RowModel[Any], name: str) -> Table[Any]:
    table = Table(model, name)
    table.setFont(tabular_font("table"))
    table.verticalHeader().setMinimumSectionSize(_LOW_ROW)
    table.horizontalHeader().setStretchLastSection(False)
    table.horizontalHeader().setMinimumSectionSize(40)
    table.setMinimumSize(0, row_px() * 3)
    return table
