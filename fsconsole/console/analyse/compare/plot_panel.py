"""Curves of a comparison, a tab per quantity: colour is the node, dash the variant."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from fsconsole.console.analyse.figure_tabs import FigureTabs
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.boxes import hbox, vbox
from fsconsole.console.widgets.buttons import SegmentedButtons
from fsconsole.console.widgets.elided import ElidedLabel
from fsconsole.experiments.comparing import Comparison
from fsconsole.figures.of_nodes import plotted_nodes
from fsconsole.figures.style.curves import CurveStyle, assign_curves
from fsconsole.shares.tree import ShareTree

QUANTITIES = ("cpu_rate", "allocated_share", "effective_share", "normalised_usage", "charge")
_MOST_NODES = 8  # With four variants, a figure can label this many nodes.
SHOWN, SELECTED = "shown", "selected"


def curve_styles(session: ConsoleSession, tree: ShareTree) -> dict[int, CurveStyle]:
    """Return styles of all nodes by id: the session's for nodes of the document, new ones for others."""
    document = session.document
    known = {} if document is None else {
        node.id: session.curves.style(node.id) for node in tree.walk() if node.id in document.tree
    }  # fmt: skip
    return assign_curves(tree, known)


class ComparePlot(QWidget):
    """Overlaid curves of the nodes that Observe shows, or of those selected."""

    def __init__(self, session: ConsoleSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._comparison: Comparison | None = None
        self._is_stale = False
        self._drawn: object = None
        self.figures = FigureTabs(self)
        self.whose = SegmentedButtons(((SHOWN, "Shown"), (SELECTED, "Selected")), "Curves of nodes", self)
        self.whose.setToolTip("Nodes with a curve in Observe, or the selected nodes")
        self._remark = ElidedLabel(self, loses=Qt.TextElideMode.ElideRight)
        self._build_ui()
        self.whose.chosen.connect(self._refresh)
        session.shown_changed.connect(self._refresh)
        session.selection_changed.connect(self._refresh)
        session.system_left_out_changed.connect(self._refresh)

    @property
    def remark(self) -> str:
        """Remark beside the choice of nodes."""
        return self._remark.text()

    def show_comparison(self, comparison: Comparison | None) -> None:
        """Show another comparison, or none."""
        self._comparison, self._drawn = comparison, None
        self.whose.setVisible(comparison is not None)
        self._refresh()

    def show_stale(self, is_stale: bool) -> None:
        """Show whether the document has changed since the run."""
        self._is_stale = is_stale
        self._show_remark(len(self._wanted()))

    def _wanted(self) -> tuple[int, ...]:
        """Return the chosen nodes that the runs have."""
        comparison, session = self._comparison, self._session
        if comparison is None:
            return ()
        nodes = session.selection if self.whose.value == SELECTED else session.shown
        if self.whose.value == SHOWN and not any(node in comparison.tree for node in nodes):
            nodes = plotted_nodes(comparison.scenario)
            # The comparison has recorded runs of another tree.
            if not any(node in comparison.tree for node in nodes):
                tree = comparison.tree
                nodes = tuple(n.id for n in tree.walk() if not n.is_group and not tree.is_system(n.id))
        return tuple(node for node in nodes if node in comparison.tree)

    @Slot()
    def _refresh(self) -> None:
        comparison, wanted = self._comparison, self._wanted()
        leave_out = self._session.leave_out_system
        drawing = (wanted[:_MOST_NODES], leave_out)
        if drawing == self._drawn:
            return
        self._drawn = drawing
        self._show_remark(len(wanted))
        if comparison is None or not wanted:
            self.figures.show_figures(())
            return
        styles = curve_styles(self._session, comparison.tree)
        self.figures.show_figures(
            [
                comparison.figure(quantity, drawing[0], leave_out_system=leave_out, styles=styles)
                for quantity in QUANTITIES
            ]
        )

    def _show_remark(self, nodes: int) -> None:
        parts = []
        if self._is_stale:
            parts.append("The document has changed since this run.")
        if self._comparison is not None and not nodes:
            parts.append("No node selected. Click a row of the table.")
        if nodes > _MOST_NODES:
            parts.append(f"Only the first {_MOST_NODES} of {nodes} nodes are shown.")
        if self._comparison is not None:
            parts += self._comparison.remarks
        self._remark.setText(" ".join(parts))
        self._remark.setToolTip("\n".join(parts))

    def _build_ui(self) -> None:
        top = hbox(self.whose, (self._remark, 1), margins=(12, 6, 12, 4), spacing=12)
        vbox(top, (self.figures, 1), on=self)
