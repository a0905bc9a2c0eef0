"""The legend: its rows, which are the tree with what is drawn, and its columns with the newest values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from fsconsole.console.kit.node_tree import Index, NodeModel
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.fonts import semibold, tabular_font
from fsconsole.console.style.marks import curve_sample
from fsconsole.console.style.theme import colour
from fsconsole.console.widgets.copying import CopyRole
from fsconsole.console.widgets.model_news import emit_changed
from fsconsole.shares.foreign import takes_parents_shares
from fsconsole.shares.tree import ROOT_ID, Node, ShareTree
from fsconsole.targets.base import Moment, column_of
from fsconsole.text import numbers

_NOWHERE = QModelIndex()
_SHARES = "raw_shares"
_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_HOUR_S = 3600.0

LAST_RESORT = 9


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """How a quantity is shown beside the nodes.

    Attributes:
        quantity: what `Moment.last_known` is asked for, or the same `without_system`.
        title, tip: of the header.
        text: how a value is written.
        width: px.
        scale, unit: what the full value is multiplied by where it is told or copied, and its unit there.
        leaves: which columns go first where there is no room, by number; 0 for one that stays. The last
            resort goes only where next to nothing of the names would be left.
        is_bold: whether it is what decides.
        is_of_users: whether groups show none.
    """

    quantity: str
    title: str
    tip: str
    text: Callable[[float], str]
    width: int
    scale: float = 1.0
    unit: str = ""
    leaves: int = 0
    is_bold: bool = False
    is_of_users: bool = False

    def full(self, value: float) -> str:
        """Return all digits with the unit."""
        return f"{numbers.full(value * self.scale)} {self.unit}".rstrip()


def _part(value: float) -> str:
    return numbers.percent(value, unit=False)


def _small_part(value: float) -> str:
    return numbers.percent(value, 2, unit=False)


def _count(value: float) -> str:
    return numbers.thousands(value) if value else ""


def _number(digits: int) -> Callable[[float], str]:
    return lambda value: numbers.fixed(value, digits)


_OF_MACHINES = (
    ValueColumn("cpu_rate", "CPU %", "CPU rate: share of the machine's CPU time over the rate window",
                _part, 54, 100.0, "%", is_bold=True),
    ValueColumn("allocated_share", "Alloc. %",
                "Allocated share: share of machine among active users", _part, 63, 100.0, "%",
                leaves=LAST_RESORT),
    ValueColumn("effective_share", "Eff. %", "Effective share: current aim of the priorities",
                _part, 52, 100.0, "%"),
    ValueColumn("normalised_usage", "N. usage", (
        "Normalised usage: usage divided by allocated "
        "share, in cost units per share"
    ),
                numbers.si, 69, leaves=1, is_of_users=True),
)  # fmt: skip
_OF_CLUSTERS = (
    ValueColumn("raw_shares", "Shares", "Raw shares among siblings, as stored", numbers.thousands, 54),
    ValueColumn("norm_shares", "NormShares %",
                "NormShares: share of cluster. Under Fair Tree: share of the level", _small_part, 96, 100.0,
                leaves=5),
    ValueColumn("norm_usage", "Usage %", "NormUsage: decayed usage divided by the cluster's", _small_part,
                66, 100.0, leaves=1),
    ValueColumn("effective_usage", "Eff. %", "EffectvUsage: usage that is compared with the share",
                _small_part, 56, 100.0, leaves=3),
    ValueColumn("fairshare", "Fairshare", (
        "FairShare: the user with the higher "
        "value goes first"
    ), _number(4), 74, is_bold=True),
    ValueColumn("level_fs", "LevelFS", (
        "LevelFS: shares divided by usage among siblings. The "
        "higher value goes first"
    ),
                lambda value: "" if math.isnan(value) else numbers.fixed(value, 3), 68),
    ValueColumn("raw_usage", "Usage h", "Raw usage: decayed billing-hours, by default CPU hours",
                lambda value: numbers.si(value / _HOUR_S), 66, 1 / _HOUR_S, leaves=2),
    ValueColumn("cpu_count", "CPUs", "CPUs of running jobs", _count, 50, leaves=LAST_RESORT),
    ValueColumn("waiting", "Pending", "Pending jobs, without held ones. Each task of an array is a job",
                _count, 64, leaves=4),
)  # fmt: skip
COLUMNS = (*_OF_MACHINES, *_OF_CLUSTERS)
NAMES = ("node", *(column.quantity for column in COLUMNS))


def place_of(quantity: str) -> int:
    """Return the place of a quantity among the legend's columns, where the first is the node's name."""
    return NAMES.index(quantity)


class LegendModel(NodeModel):
    """The document's tree with check boxes for drawn curves."""

    def __init__(self, session: ConsoleSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._moment: Moment | None = None
        self._troubles: dict[str, str] = {}
        self._columns: frozenset[str] = frozenset()
        self._partly: frozenset[int] = frozenset()
        self._wholly: frozenset[int] = frozenset()
        self.count_shown()

    @property
    def tree(self) -> ShareTree | None:
        """The tree that is shown."""
        document = self._session.document
        return document.tree if document is not None else None

    def reset(self) -> None:
        """Show other nodes of the tree."""
        self.beginResetModel()
        self.count_shown()
        self.endResetModel()

    def count_shown(self) -> None:
        """Compute the check boxes again."""
        tree, shown = self.tree, set(self._session.shown)
        if tree is None:
            self._wholly = self._partly = frozenset()
            return
        inside = {node for node in shown if node in tree}
        above = {up.id for node in inside for up in tree.ancestors(node)}
        wholly = {group for group in above if all(user in inside for user in users_below(tree, group))}
        self._wholly = frozenset(wholly | {node for node in inside if not tree.node(node).is_group})
        self._partly = frozenset((above | inside) - self._wholly)

    def take_values(self) -> None:
        """Read the newest values; `emit_values` then signals the rows to the view."""
        target = self._session.target
        self._moment = moment = self._session.moment
        self._troubles = {}
        self._columns = frozenset(() if target is None else target.columns)
        if target is not None and moment is not None:
            self._troubles = {name: words for name in target.columns if (words := moment.trouble(name))}

    def emit_values(self, ranges: Iterable[tuple[QModelIndex, int, int]]) -> None:
        """Signal changed values of rows first to last under parents."""
        for parent, first, last in ranges:
            columns = (0, self.columnCount() - 1)
            emit_changed(self, (first, last), columns, parent, [Qt.ItemDataRole.DisplayRole])

    def emit_checks(self, ranges: Iterable[tuple[QModelIndex, int, int]]) -> None:
        """Signal changed check boxes."""
        for parent, first, last in ranges:
            emit_changed(self, (first, last), (0, 0), parent)

    def remark(self, node: int) -> str:
        """Return the text in place of values: not logged in, or left out. Empty if there are values."""
        tree = self.tree
        if tree is None or node not in tree or self._moment is None:
            return ""
        if self._session.leave_out_system and tree.is_system(node):
            return self._left_out(node)
        return self._moment.remark(node)

    def _last(self, node: int, column: str) -> float:
        return math.nan if self._moment is None else float(self._moment.last_known(column, (node,))[0])

    def _left_out(self, node: int) -> str:
        share = self._last(node, "allocated_share")
        if not share > 0:
            return "left out because not active"
        rate = self._last(node, "cpu_rate")
        doing = f"CPU {numbers.percent(rate)}" if rate >= 0.0005 else "idle"
        return f"left out, {numbers.percent(share)}, {doing}"

    def _value(self, node: int, column: ValueColumn) -> float:
        target, left_out = self._session.target, self._session.leave_out_system
        if target is None:
            return math.nan
        return self._last(node, column_of(target, column.quantity, leave_out_system=left_out))

    def _text(self, node: int, column: ValueColumn) -> str:
        """Return the displayed text; empty for an unknown value, or beside a remark."""
        tree = self.tree
        if self._moment is None or tree is None or column.quantity not in self._columns:
            return ""
        if self.remark(node):
            return ""
        if column.is_of_users and tree.node(node).is_group:
            return ""
        note, value = self._moment.note(column.quantity, node), self._value(node, column)
        if self._session.past.is_on and math.isnan(value):
            return ""
        if note.text or (column.quantity == _SHARES and math.isnan(value)):
            return note.text
        return note.mark + column.text(value)

    def _full(self, node: int, column: ValueColumn) -> str:
        text = self._text(node, column)
        is_word = self._moment is None or bool(self._moment.note(column.quantity, node).text)
        return text if not text or is_word else column.full(self._value(node, column))

    def _tip(self, node: int, column: ValueColumn) -> str | None:
        if not self._text(node, column) or self._moment is None:
            return None
        name = "Raw shares" if column.quantity == _SHARES else f"{column.tip}:"
        lines = (
            f"{name} {self._full(node, column)}{self._staged(node, column)}",
            self._moment.note(column.quantity, node).tip,
            self._troubles.get(column.quantity, ""),
        )
        return "\n".join(filter(None, lines))

    def _staged(self, node: int, column: ValueColumn) -> str:
        """Return the value of the document if it differs from that of the target."""
        tree, document = self.tree, self._session.document
        if column.quantity != _SHARES or tree is None or document is None or node == ROOT_ID:
            return ""
        found = tree.node(node)
        takes_parents = document.takes_parents_shares and takes_parents_shares(found)
        mine = "parent" if takes_parents else column.full(found.shares)
        return "" if mine == self._full(node, column) else f", staged: {mine}"

    def _state(self, node: int) -> Qt.CheckState:
        if node in self._wholly:
            return Qt.CheckState.Checked
        return Qt.CheckState.PartiallyChecked if node in self._partly else Qt.CheckState.Unchecked

    def _of_name(self, node: Node, role: int) -> Any:
        target = self._session.target
        name = (target.root_title if target is not None and node.id == ROOT_ID else "") or node.name
        if role == Qt.ItemDataRole.DisplayRole:
            return name
        if role == Qt.ItemDataRole.CheckStateRole:
            return self._state(node.id)
        if role == Qt.ItemDataRole.DecorationRole and node.id != ROOT_ID:
            return curve_sample(self._session.curves.style(node.id))
        if role == Qt.ItemDataRole.FontRole and node.is_group and not node.system:
            return semibold(tabular_font())
        if role == Qt.ItemDataRole.ToolTipRole:
            tree = self.tree
            path = tree.path(node.id) if tree is not None else name
            return "\n".join(filter(None, (path, self.remark(node.id))))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            drawn = "drawn" if node.id in self._wholly else "not drawn"
            return ", ".join(part for part in (name, drawn, self.remark(node.id)) if part)
        return None

    def _of_value(self, node: int, column: ValueColumn, role: int) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(node, column)
        if role == CopyRole:
            return self._full(node, column).removesuffix(column.unit).rstrip()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role == Qt.ItemDataRole.ForegroundRole:
            return colour("muted") if column.quantity in self._troubles else None
        if role == Qt.ItemDataRole.FontRole and column.is_bold:
            return tabular_font(semibold=True)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self._tip(node, column)
        return None

    # -- Qt's overrides -------------------------------------------------------------------------------------

    def columnCount(self, _parent: Index = _NOWHERE) -> int:
        return len(NAMES)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        found = self.selectable(Qt.ItemFlag.ItemIsEnabled)
        return found | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else found

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        tree = self.tree
        if tree is None or not index.isValid():
            return None
        node = self.node_of(index)
        if node not in tree:
            return None
        if index.column() == 0:
            return self._of_name(tree.node(node), role)
        return self._of_value(node, COLUMNS[index.column() - 1], role)

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        tree = self.tree
        if role != Qt.ItemDataRole.CheckStateRole or tree is None or not index.isValid():
            return False
        self._session.show_nodes(toggled(tree, self._session.shown, self.node_of(index)))
        return True

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if section == 0:
            target = self._session.target
            title = "Node" if target is None else target.node_title
            return title if role == Qt.ItemDataRole.DisplayRole else None
        column = COLUMNS[section - 1]
        found = {
            int(Qt.ItemDataRole.DisplayRole): column.title,
            int(Qt.ItemDataRole.ToolTipRole): column.tip,
            int(Qt.ItemDataRole.TextAlignmentRole): _RIGHT,
        }
        return found.get(int(role))


def users_below(tree: ShareTree, node: int) -> list[int]:
    """Return users of a group and its subgroups, without system groups inside; a user gives itself."""
    if not tree.node(node).is_group:
        return [node]
    inside_system = tree.is_system(node)
    found = []
    stack = [node]
    while stack:
        current = tree.node(stack.pop())
        if current.system and not inside_system:
            continue
        if not current.is_group:
            found.append(current.id)
        stack.extend(reversed(current.children))
    return found


def toggled(tree: ShareTree, shown: Sequence[int], node: int) -> list[int]:
    """Return nodes to draw after a click on a node's box: all users below, or none if all were drawn."""
    users = dict.fromkeys(users_below(tree, node))
    rest = [other for other in shown if other not in users]
    if users.keys() <= set(shown):
        return rest
    wanted = users.keys() | rest
    return [found.id for found in tree.walk() if found.id in wanted]
