"""What Observe shows of every target, and of some beside it: docks, a strip above, actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action
from fsconsole.console.live.plots.exports import PlotExports
from fsconsole.console.live.plots.panel import PlotsPanel
from fsconsole.console.live.time_range import TimeRange
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.console.workspace import Workspace
from fsconsole.targets.base import Capability

if TYPE_CHECKING:
    from fsconsole.console.insight.why_panel import WhyPanel


class LiveFrame(Workspace):
    """The common parts of all targets in Observe, for use by sides.

    Attributes:
        span: the time range of the plots.
        panel, exports: the plots, and their ways out.
        plots_dock, legend_dock: the docks beside which sides are placed.
    """

    span: TimeRange
    panel: PlotsPanel
    exports: PlotExports
    plots_dock: Dock
    legend_dock: Dock

    @property
    def why_panel(self) -> WhyPanel:
        """The explanation of why one node goes before another."""
        raise NotImplementedError

    def is_open(self) -> bool:
        """Return True if there is a target, and it has not broken down."""
        target = self.session.target
        return target is not None and target.at() is not None and not target.fault_report


class Side(QObject):
    """Belongs to targets that offer what it needs.

    Attributes:
        needs: the capability.
        name: in remembered layouts.
        head: the strip above the docks.
        docks: its docks, which show for no other target.
        tools: ids of the actions on the tool bar.
        legend_px: width of the legend in a wide and a narrow window; `legend_percent` is most of a tight one.
        below_px: height of the docks in a high and a low window.
    """

    needs: Capability[Any]
    name = ""
    tools: tuple[str, ...] = ()
    legend_px = (390, 376)
    legend_percent = 40
    below_px = (222, 150)
    head: QWidget

    def __init__(self, session: ConsoleSession, workspace: LiveFrame) -> None:
        super().__init__(workspace)
        self.session, self.workspace = session, workspace
        self.docks: list[Dock] = []

    @property
    def is_present(self) -> bool:
        """Whether the target offers what it needs."""
        return self.session.shows(self.needs)

    def actions(self) -> list[Action]:
        """Return rows of the action table."""
        return []

    def wire(self) -> None:
        """Give widgets their keys: the actions are in the workspace's table now."""

    def begin(self) -> None:
        """Show another target, or another document of it."""

    def follow(self) -> None:
        """Follow what the target shows."""

    def status_text(self) -> str:
        """Return facts for the left of the status bar."""
        return ""

    def status_details(self) -> str:
        """Return the facts left out of the status bar."""
        return ""

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fit a narrow or a low window."""

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the plots what legend and docks leave."""
        workspace = self.workspace
        width = workspace.side_px(self.legend_px[narrow], self.legend_percent)
        workspace.resizeDocks([workspace.legend_dock], [width], Qt.Orientation.Horizontal)
        workspace.resizeDocks(self.docks, [self.below_px[low]] * len(self.docks), Qt.Orientation.Vertical)

    def add_node_actions(self, menu: QMenu, node: int) -> None:
        """Put what can be done with a node of the legend into its menu."""
