"""The one assignment of colours and dashes to nodes that legend, plots, map and exports share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QColor

from fsconsole.console.style.theme import colour, theme
from fsconsole.figures.style.curves import CurveStyle, apart_by_dash, assign_curves, colour_level
from fsconsole.figures.style.palette import curve_colours
from fsconsole.shares.edits import Edit, Insert, Move, Remove, SetField
from fsconsole.shares.tree import ShareTree

_UNKNOWN = CurveStyle("g2")


class NodeCurves(QObject):
    """Curve style of every node of the open document.

    Styles follow from the tree alone, so that a saved tree looks the same when it is opened again. While a
    run or a cluster is plotted, a node keeps its style if others change.

    Signals: changed() after styles changed. Another document changes all styles; views learn of it from the
    session, after this object.
    """

    changed = Signal()

    def __init__(
        self, tree: Callable[[], ShareTree | None], is_free: Callable[[], bool], parent: QObject
    ) -> None:
        """Style the nodes of a tree; `is_free`: nothing is drawn yet that would change its colour."""
        super().__init__(parent)
        self._tree, self._is_free = tree, is_free
        self._styles: dict[int, CurveStyle] = {}
        self._is_stale = False
        self._has_families = False
        self._colours = curve_colours()
        theme().changed.connect(self._on_theme_changed)

    def style(self, node_id: int) -> CurveStyle:
        """Colour token and dash of a node; grey for one that is not known."""
        if self._is_stale:
            self._assign()
        style = self._styles.get(node_id, _UNKNOWN)
        return apart_by_dash(style) if curve_colours() == "safe" else style

    def colour(self, node_id: int) -> QColor:
        """Return the colour of a node in the present theme. Treat it as read-only."""
        return colour(self.style(node_id).colour_token)

    @Slot()
    def restart(self) -> None:
        """Discard all styles because of another tree."""
        self._styles = {}
        self._is_stale = True

    @Slot()
    def on_target_changed(self) -> None:
        """Discard the styles for another run if they are not fixed."""
        if self._is_free():
            self.restart()
            self.changed.emit()

    @Slot(object)
    def follow(self, edits: Sequence[Edit]) -> None:
        """Follow an edit of the tree."""
        if not any(_is_of_structure(edit) for edit in edits):
            return
        if self._is_free():
            self._styles = {}
        self._is_stale = True
        if any(isinstance(edit, Remove) for edit in edits):
            # Emitted after all views have dropped the removed nodes.
            QTimer.singleShot(0, self, self.changed.emit)
        else:
            self.changed.emit()

    @Slot()
    def _on_theme_changed(self) -> None:
        """Update the dashes, which differ with the colours of curves."""
        if curve_colours() != self._colours:
            self._colours = curve_colours()
            self.changed.emit()

    def _assign(self) -> None:
        self._is_stale = False
        tree = self._tree()
        if tree is None:
            return
        has_families = colour_level(tree) > 0
        if has_families and not self._has_families:
            self._styles = {}  # The first group takes the curve style of the root.
        self._has_families = has_families
        self._styles = assign_curves(tree, self._styles)


def _is_of_structure(edit: Edit) -> bool:
    """Return True if styles may differ after an edit."""
    return isinstance(edit, Insert | Remove | Move) or (
        isinstance(edit, SetField) and edit.field in ("kind", "system")
    )
