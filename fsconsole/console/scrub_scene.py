"""The moving picture of the README: the play head is dragged back, and a branch leaves the run there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.moving_picture import Frame, apng
from fsconsole.console.stage import Stage
from fsconsole.shares.files import write_atomic

_SIZE = (1280, 800)
_EXAMPLE = "convex-series-6.yaml"
_QUANTITIES = ("cpu_rate", "effective_share", "charge")
_END_S, _BRANCHED_S = 1200.0, 560.0
_RAISED, _SHARES = "u22", "3200"
_DRAG_FRAMES, _DRAG_MS, _TYPE_MS, _LOOK_MS, _HOLD_MS = 22, 120, 160, 900, 2200
_STRIP_Y = 24.0


def keep_scrub_scene(path: Path) -> Path:
    """Write the picture: drag the play head back, branch there with other shares, compare the curves."""
    with Stage(*_SIZE) as stage:
        write_atomic(path, apng(_Scene(stage).play()))
    return path


def send_mouse(widget: QWidget, kind: QEvent.Type, at: QPointF) -> None:
    """Press, move or release the left button at a place of a widget."""
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, at, widget.mapToGlobal(at), left, left, none)
    QApplication.sendEvent(widget, event)


class _Scene:
    """What is done, one act after the other, each with its frames."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        stage.open_example(_EXAMPLE)
        stage.window.show_workspace("observe")
        workspace = stage.window.current
        if not isinstance(workspace, LiveWorkspace):
            raise TypeError("Observe is not shown")
        self._workspace = workspace
        self._frames: list[tuple[Frame, int]] = []

    def play(self) -> list[tuple[Frame, int]]:
        """Do all and return the frames with the milliseconds that each is shown."""
        self._stage.advance_to(_END_S)
        self._workspace.span.show_whole()
        quantities = self._workspace.panel.rows
        for box, name in zip(self._workspace.plot_controls.plots_menu.actions(), quantities, strict=True):
            box.setChecked(name in _QUANTITIES)
        self._keep(_LOOK_MS)
        self._drag()
        self._branch()
        return self._frames

    def _drag(self) -> None:
        strip, past = self._workspace.machine.transport.strip, self._stage.session.past
        kind = QEvent.Type.MouseButtonPress
        for time_s in np.linspace(_END_S, _BRANCHED_S, _DRAG_FRAMES).tolist():
            send_mouse(strip, kind, QPointF(strip.scale.x(time_s), _STRIP_Y))
            kind = QEvent.Type.MouseMove
            self._stage.wait_for(lambda: past.is_whole)
            self._keep(_DRAG_MS)
        send_mouse(strip, QEvent.Type.MouseButtonRelease, QPointF(strip.scale.x(_BRANCHED_S), _STRIP_Y))
        self._stage.session.past.go(_BRANCHED_S)
        self._stage.wait_for(lambda: past.is_whole)
        self._keep(_LOOK_MS)

    def _branch(self) -> None:
        branches = self._workspace.machine.branches
        branches.branch_here()
        dialog = self._find_dialog()
        self._keep(_LOOK_MS)
        dialog.changes.kind.fill("shares")
        self._type(dialog.changes.subject.setEditText, _RAISED)
        self._type(dialog.changes.value.setText, _SHARES)
        dialog.changes.add.click()
        self._keep(_LOOK_MS)
        dialog.accept()
        self._stage.wait_for(lambda: (made := branches.shown) is not None and made.state == "done")
        self._keep(_HOLD_MS)
        self._stage.session.past.leave()
        self._keep(_HOLD_MS)

    def _find_dialog(self) -> BranchDialog:
        found = self._workspace.findChild(BranchDialog)
        if found is None:
            raise RuntimeError("no branch can begin")
        return found

    def _type(self, fill: Callable[[str], object], text: str) -> None:
        for count in range(1, len(text) + 1):
            fill(text[:count])
            self._keep(_TYPE_MS)

    def _keep(self, shown_ms: int) -> None:
        self._stage.settle()
        self._frames.append((self._stage.frame(), shown_ms))
