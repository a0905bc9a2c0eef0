"""The table of the What if dock: demand, entitlement, result and measured usage of each node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPixmap

from fsconsole.app.tree.outlook import Outlook
from fsconsole.console.design.tree_model import NODE_ROLE
from fsconsole.console.design.what_if.what_if import WhatIf
from fsconsole.console.kit.tables import Column, Index, RowModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import fonts, marks
from fsconsole.console.style.theme import colour
from fsconsole.shares.demand_words import demand_text
from fsconsole.text import numbers

GROUP, DEMAND, ENTITLED, WHAT_IF, BY_RULE, MEASURED, DIFFERENCE = range(7)
_Role = Qt.ItemDataRole
_DIGITS = numbers.PERCENT_OF_MACHINE_DIGITS
_SUM_DIGITS = 2
_POINT = 0.00005


class WhatIfRow(NamedTuple):
    """A row of an outlook; that with the sums has no place in it."""

    outlook: Outlook
    place: int | None

    @property
    def node(self) -> int | None:
        """The group; None for the sum."""
        return None if self.place is None else int(self.outlook.flat.ids[self.place])

    @property
    def wants_more(self) -> bool:
        """Whether the group could use more than it gets."""
        return self.place is not None and bool(self.outlook.result.wants_more(self.place))


_Value = Callable[[Outlook, int], float]


class WhatIfModel(RowModel[WhatIfRow]):
    """Rows are the outlook's, and a last one with the sums."""

    def __init__(self, session: ConsoleSession, what_if: WhatIf) -> None:
        super().__init__((_group_column(session), *_COLUMNS), key=lambda row: row.node)
        self._what_if = what_if

    def show_outlook(self, outlook: Outlook | None) -> None:
        """Show another outlook; if it has the same nodes, editors stay open."""
        places = [] if outlook is None else outlook.rows.tolist()
        if outlook is None or not places:
            self.set_rows(())
        else:
            self.set_rows([WhatIfRow(outlook, place) for place in (*places, None)])

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if index.isValid() and index.data(NODE_ROLE) is None:
            return flags & ~Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() and index.column() == DEMAND else flags

    def setData(self, index: Index, value: Any, role: int = _Role.EditRole) -> bool:
        if role != _Role.EditRole or not index.isValid() or index.column() != DEMAND:
            return False
        self._what_if.set_demand(int(self.data(index, NODE_ROLE)), float(value))
        return True


# -- columns ------------------------------------------------------------------------------------------------


def _background(row: WhatIfRow) -> Any:
    return colour("alt") if row.place is None else None


_OF_ALL: dict[int, Callable[[WhatIfRow], Any]] = {
    NODE_ROLE: lambda row: row.node,
    int(_Role.BackgroundRole): _background,
}


def _ink(row: WhatIfRow) -> str:
    return "muted" if row.place is None else ""


def _group_column(session: ConsoleSession) -> Column[WhatIfRow]:
    def name(row: WhatIfRow) -> str:
        return "Total, %" if row.node is None else row.outlook.tree.node(row.node).name

    def path(row: WhatIfRow) -> str | None:
        return None if row.node is None else row.outlook.tree.path(row.node)

    def chip(row: WhatIfRow) -> QPixmap | None:
        return None if row.node is None else marks.chip(session.curves.style(row.node).colour_token)

    return Column("Group", name, tip=path, ink=_ink, more={int(_Role.DecorationRole): chip} | _OF_ALL)


def _figure(title: str, about: str, value: _Value, width: int, **more: Any) -> Column[WhatIfRow]:
    """Return a part of the machine."""
    digits = more.pop("digits", _DIGITS)

    def text(row: WhatIfRow) -> str:
        if row.place is not None:
            return numbers.percent(value(row.outlook, row.place), digits, unit=False)
        values = np.array([value(row.outlook, place) for place in row.outlook.rows.tolist()])
        whole = float("nan") if np.all(np.isnan(values)) else float(np.nansum(values))
        return numbers.percent(whole, _SUM_DIGITS, unit=False)

    what = {"text": text, "ink": _ink, "tip": _tip(value)} | more
    return Column(title, about=about, width=width, is_number=True, more=_OF_ALL, **what)


def _tip(value: _Value) -> Callable[[WhatIfRow], str | None]:
    def tip(row: WhatIfRow) -> str | None:
        if row.place is None or np.isnan(part := value(row.outlook, row.place)):
            return None
        return f"{numbers.full(100 * part)}{numbers.PERCENT}"

    return tip


def _why(row: WhatIfRow) -> str | None:
    return None if row.place is None else row.outlook.why(row.place)


def _demand(row: WhatIfRow) -> str:
    return "" if row.place is None else demand_text(row.outlook.demand(row.place))


def _difference(row: WhatIfRow) -> str:
    """Return a difference of reports, which have two digits, cannot have more."""
    value = 0.0 if row.place is None else row.outlook.difference(row.place)
    return "" if abs(value) < _POINT else numbers.points(value)


def _ink_of_difference(row: WhatIfRow) -> str:
    if row.place is None:
        return "muted"
    return "warn" if row.wants_more and abs(row.outlook.difference(row.place)) > _POINT else ""


def _bold(row: WhatIfRow) -> QFont | None:
    return fonts.tabular_font(semibold=True) if row.wants_more else None


_COLUMNS: tuple[Column[WhatIfRow], ...] = (
    Column("Demand", _demand, "Largest share of the machine that the group can use. Saturated: no limit",
           tip=lambda _row: None, ink=_ink, width=94, more={int(_Role.EditRole): _demand} | _OF_ALL),
    _figure("Entitled", "Share by shares alone, % of the machine or cluster",
            lambda outlook, place: float(outlook.result.entitled[place]), 58),
    _figure("What if", "Share when unused time is handed on, % of the machine or cluster",
            lambda outlook, place: float(outlook.result.what_if[place]), 62, font=_bold),
    _figure("By rule", "Share by the chosen rule, % of the machine or cluster",
            lambda outlook, place: float(outlook.parts[place]), 62, tip=_why),
    _figure("Measured", "Measured share, % of the machine or cluster",
            lambda outlook, place: float(outlook.measured[place]), 72, digits=2),
    _figure("Diff.", "Measured minus what-if, in points", Outlook.difference, 58,
            text=_difference, ink=_ink_of_difference),
)  # fmt: skip
