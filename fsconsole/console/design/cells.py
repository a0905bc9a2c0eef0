"""The values of cells in the share tree's table, by column and role."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from fsconsole.app.tree.dialect_columns import value_of
from fsconsole.app.tree.share_entry import PARENT, shares_words
from fsconsole.console.cluster.tree_cells import ClusterCells
from fsconsole.console.design.columns import Column
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style import fonts, icons, marks
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.share_bar import ShareBarRole
from fsconsole.shares.demand_words import demand_text
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.formats.base import Column as DialectColumn
from fsconsole.shares.parent_shares import how_counted
from fsconsole.shares.saturation import SATURATED
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.text import numbers
from fsconsole.text.visible_text import visible_line

_Role = Qt.ItemDataRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ICONS = {Kind.GROUP: "group", Kind.USER: "user", Kind.ACCOUNT: "user"}
_POINT = 5e-6


class Cells:
    """Values of cells.

    Attributes:
        problems: by node id; they appear in the note.
        fresh: nodes that others have just changed; they are highlighted.
        demand_of: text on a node's demand, by its id.
        of_cluster: a cluster's values of associations.
    """

    def __init__(self, session: ConsoleSession, preview: SharePreview) -> None:
        self._session = session
        self._preview = preview
        self.problems: dict[int, Problem] = {}
        self.fresh: frozenset[int] = frozenset()
        self.demand_of: Callable[[int], float] = lambda _: SATURATED
        self.of_cluster = ClusterCells(session)
        self._by_column: dict[Column, Callable[[Node, int], Any]] = {
            Column.NAME: self._name,
            Column.KIND: self._kind,
            Column.SHARES: self._shares,
            Column.PART_OF_GROUP: partial(self._part, of_machine=False),
            Column.PART_OF_MACHINE: partial(self._part, of_machine=True),
            Column.USAGE: self.of_cluster.usage,
            Column.FAIRSHARE: self.of_cluster.fairshare,
            Column.LEVEL_FS: self.of_cluster.level_fs,
            Column.DEMAND: self._demand,
            Column.NOTE: self._note,
        }

    def dialect_value(self, tree: ShareTree, node: Node, column: DialectColumn, role: int) -> Any:
        """Return the value of a cell in another scheduler's column."""
        if role == _Role.BackgroundRole:
            return self._ground(node)
        if role in (_Role.DisplayRole, _Role.EditRole):
            return value_of(tree, node, column)
        return None

    def value(self, node: Node, column: Column, role: int) -> Any:
        """Return the value of a cell for a role; None to let the view choose."""
        if role == _Role.BackgroundRole:
            return self._ground(node)
        return self._by_column[column](node, role)

    def _ground(self, node: Node) -> Any:
        problem = self.problems.get(node.id)
        if problem is not None and problem.severity is Severity.ERROR:
            return colour("dangerbg")
        return colour("hover") if node.id in self.fresh else None

    def _name(self, node: Node, role: int) -> Any:
        if role in (_Role.DisplayRole, _Role.EditRole):
            return node.name
        style = self._session.curves.style(node.id)
        if role == _Role.DecorationRole:
            icon = "tree" if node.parent is None else _ICONS[node.kind]
            return marks.chip_and_icon(style.colour_token, icon, _ratio())
        if role == _Role.FontRole and style.colour_token == "g1":
            return fonts.tabular_font(semibold=True)
        if role == _Role.ToolTipRole and self._session.document is not None:
            return self._session.document.tree.path(node.id)
        return None

    def _kind(self, node: Node, role: int) -> Any:
        if role == _Role.ForegroundRole:
            return colour("muted")
        if role == _Role.EditRole:
            return str(node.kind)
        if role != _Role.DisplayRole:
            return None
        return "root" if node.parent is None else str(node.kind)

    @property
    def _takes_parents(self) -> bool:
        document = self._session.document
        return document is not None and document.takes_parents_shares

    def _shares(self, node: Node, role: int) -> Any:
        if role == _Role.TextAlignmentRole:
            return _RIGHT
        if role == _Role.EditRole:
            return shares_words(node, takes_parents=self._takes_parents)
        tried = self._preview.tries(node.id)
        if role == _Role.DisplayRole:
            if node.parent is None:
                return numbers.UNKNOWN
            if not tried and self._takes_parents and takes_parents_shares(node):
                return PARENT
            return numbers.thousands(self._preview.shares(node.id) if tried else node.shares)
        if role == _Role.ForegroundRole and tried:
            return colour("accent")
        if role == _Role.FontRole and tried:
            return fonts.tabular_font(semibold=True)
        return None

    def _part(self, node: Node, role: int, *, of_machine: bool) -> Any:
        if node.parent is None and not of_machine:
            return None
        now, before = self._preview.shown, self._preview.settled
        row = now.flat.row_of.get(node.id)
        if row is None:
            return None
        values = (now.machine, before.machine) if of_machine else (now.part, before.part)
        value, old = float(values[0][row]), float(values[1][row])
        if role == ShareBarRole.COLOUR:
            return self._session.curves.style(node.id).colour_token
        found = _part_value(value, old, role, of_machine=of_machine)
        document = self._session.document
        if role in (_Role.ToolTipRole, _Role.AccessibleTextRole, ShareBarRole.NOTE) and document is not None:
            counted = how_counted(document.tree, node.id)
            if role == _Role.ToolTipRole:
                return "\n".join(filter(None, (found, counted)))
            return " ".join(filter(None, (found, "(ours)" if counted else ""))) or None
        return found

    def _demand(self, node: Node, role: int) -> Any:
        if node.parent is None:
            return None
        if role in (_Role.DisplayRole, _Role.EditRole):
            return demand_text(self.demand_of(node.id))
        if role == _Role.ForegroundRole and self.demand_of(node.id) == SATURATED:
            return colour("muted")
        return None

    def _note(self, node: Node, role: int) -> Any:
        problem = self.problems.get(node.id)
        if role == _Role.EditRole:
            return node.note
        if role == _Role.DisplayRole:
            return visible_line(node.note) or (problem.text if problem is not None else "")
        if role == _Role.ForegroundRole:
            return colour("muted")
        if role == _Role.ToolTipRole:
            return "\n".join(filter(None, (node.note, problem.text if problem is not None else "")))
        if role == _Role.DecorationRole and problem is not None and problem.severity is not Severity.NOTE:
            token = "danger" if problem.severity is Severity.ERROR else "warn"
            return icons.pixmap("warning", token, ratio=_ratio())
        return None


def _part_value(value: float, old: float, role: int, *, of_machine: bool) -> Any:
    digits = numbers.PERCENT_OF_MACHINE_DIGITS if of_machine else numbers.PERCENT_OF_GROUP_DIGITS
    differs = abs(value - old) > _POINT
    if role == _Role.DisplayRole:
        return numbers.percent(value, digits)
    if role == ShareBarRole.FRACTION:
        return value
    if role == ShareBarRole.OLD_FRACTION:
        return old if differs else None
    if role == ShareBarRole.DIFFERENCE:
        return numbers.points(value - old) if differs and of_machine else None
    if role == _Role.ToolTipRole:
        return f"{numbers.full(100 * value)}{numbers.PERCENT}"
    if role == _Role.AccessibleTextRole:
        return numbers.spoken_percent("share of machine" if of_machine else "share of group", value, digits)
    return None


def _ratio() -> float:
    app = QGuiApplication.instance()
    return float(app.devicePixelRatio()) if isinstance(app, QGuiApplication) else 1.0
