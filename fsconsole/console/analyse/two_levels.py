"""A model of two levels, groups and their rows, as the lists of Analyse are."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()


class TwoLevelModel(QAbstractItemModel):
    """A model of two levels; subclasses return the number of groups and of rows in each.

    Internal ids are 0 for groups, row of the group + 1 for what is below.
    """

    def group_count(self) -> int:
        """Return number of groups."""
        raise NotImplementedError

    def row_count(self, group: int) -> int:
        """Return number of rows in a group."""
        raise NotImplementedError

    def below(self, group: int, row: int, column: int = 0) -> QModelIndex:
        """Return a cell of a row in a group."""
        return self.createIndex(row, column, group + 1)

    @staticmethod
    def group_of(index: Index) -> int:
        """Return the group that a cell is in; -1 for the cell of a group itself."""
        return int(index.internalId()) - 1

    # -- Qt -----------------------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: Index = NOWHERE) -> QModelIndex:
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, child: Index = NOWHERE) -> QModelIndex:  # type: ignore[override]
        if not child.isValid() or child.internalId() == 0:
            return QModelIndex()
        return self.createIndex(self.group_of(child), 0, 0)

    def rowCount(self, parent: Index = NOWHERE) -> int:
        if not parent.isValid():
            return self.group_count()
        return 0 if parent.internalId() or parent.column() else self.row_count(parent.row())
