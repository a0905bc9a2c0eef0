"""What Observe shows of some targets beside legend and plots: docks, a strip above, actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu, QWidget

from fsconsole.console.actions import Action
from fsconsole.console.session import ConsoleSession
from fsconsole.console.widgets.dock import Dock
from fsconsole.targets.base import Capability

if TYPE_CHECKING:
    from fsconsole.console.live.workspace import LiveWorkspace


class Side(QObject):
    """Belongs to targets that offer what it needs.

    Attributes:
        needs: the capability.
        name: in remembered layouts.
        head: the strip above the docks.
        docks: its docks, which show for no other target.
        tools: ids of the actions on the tool bar.
    """

    needs: Capability[Any]
    name = ""
    tools: tuple[str, ...] = ()
    head: QWidget

    def __init__(self, session: ConsoleSession, workspace: LiveWorkspace) -> None:
        super().__init__(workspace)
        self.session, self.workspace = session, workspace
        self.docks: list[Dock] = []

    @property
    def is_present(self) -> bool:
        """Whether the target offers what it needs."""
        return self.session.shows(self.needs)

    def actions(self) -> list[Action]:
        """Rows of the action table."""
        return []

    def wire(self) -> None:
        """Give widgets their keys: the actions are in the workspace's table now."""

    def begin(self) -> None:
        """Another target is open, or another document of it."""

    def follow(self) -> None:
        """The target shows something new."""

    def status_text(self) -> str:
        """Facts for the left of the status bar."""
        return ""

    def status_details(self) -> str:
        """What there is no room for in the status bar."""
        return ""

    def adapt(self, *, narrow: bool, low: bool) -> None:
        """Fit a narrow or a low window."""

    def share_out(self, *, narrow: bool, low: bool) -> None:
        """Give the docks their first sizes."""

    def node_menu(self, node: int) -> QMenu | None:
        """What can be done with a node of the legend; None for nothing."""
        return None
