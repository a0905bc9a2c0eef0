"""What all views look at: selected and drawn nodes, the time cursor, and with or without system groups."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal


class Sight(QObject):
    """The part of the session that only views change; its subclass knows the document and the target."""

    selection_changed = Signal()
    shown_changed = Signal()  # Other nodes are plotted.
    cursor_moved = Signal()
    system_left_out_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._selection: tuple[int, ...] = ()
        self._shown: tuple[int, ...] = ()
        self._cursor_s: float | None = None
        self._leave_out_system = True

    @property
    def selection(self) -> tuple[int, ...]:
        """Selected node ids, the primary one first."""
        return self._selection

    def select(self, nodes: Iterable[int]) -> None:
        """Select nodes in all views."""
        chosen = tuple(dict.fromkeys(nodes))
        if chosen != self._selection:
            self._selection = chosen
            self.selection_changed.emit()

    @property
    def shown(self) -> tuple[int, ...]:
        """Ids of the nodes whose curves are drawn."""
        return self._shown

    def show_nodes(self, nodes: Iterable[int]) -> None:
        """Draw the curves of these nodes."""
        chosen = tuple(dict.fromkeys(nodes))
        if chosen != self._shown:
            self._shown = chosen
            self._watch_shown()
            self.shown_changed.emit()

    @property
    def cursor_s(self) -> float | None:
        """Time of the cursor in simulated seconds; None where it follows the present."""
        return self._cursor_s

    def set_cursor(self, time_s: float | None) -> None:
        """Put the cursor at a time in all plots."""
        if time_s != self._cursor_s:
            self._cursor_s = time_s
            self.cursor_moved.emit()

    @property
    def leave_out_system(self) -> bool:
        """Whether percentages are of what is left without system groups; not where there are none."""
        return self._leave_out_system and self.can_leave_out_system

    @property
    def can_leave_out_system(self) -> bool:
        """Whether the target has shares without system groups, and the tree such groups."""
        raise NotImplementedError

    def set_leave_out_system(self, leave_out: bool) -> None:
        """Rescale percentages, or not."""
        if leave_out != self._leave_out_system:
            self._leave_out_system = leave_out
            self.system_left_out_changed.emit()

    def _watch_shown(self) -> None:
        """Have the target keep what is drawn."""
        raise NotImplementedError

    def _look_at_all(self) -> None:
        """Have all views look again, at another document."""
        self.selection_changed.emit()
        self.shown_changed.emit()
        self.cursor_moved.emit()
        self.system_left_out_changed.emit()
