"""The moving pictures of README and documents: what is done in the console, act by act, with its frames.

python -m fsconsole.console.moving_scenes --out DIR
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

from fsconsole.console.design.share_map import ShareMap
from fsconsole.console.live.branches.dialog import BranchDialog
from fsconsole.console.live.workspace import LiveWorkspace
from fsconsole.console.moving_picture import Frame, apng
from fsconsole.console.stage import Stage
from fsconsole.figures.map_geometry import Boundary
from fsconsole.shares.files import write_atomic

_SIZE = (1280, 800)
_TYPE_MS, _LOOK_MS, _HOLD_MS = 160, 900, 2200
_SETTLE_BEFORE_FRAME_MS = 120

_DRAG_EXAMPLE, _POLICY = "two-against-one.yaml", "policy.share"
_DRAG_QUANTITIES = ("cpu_rate", "allocated_share", "effective_share")
_DRAGGED, _TO_FRACTION = "A", -0.4  # Fraction of the width of the box.
_DRAG_S, _ANSWERED_S, _ANSWER_FRAMES = 300.0, 600.0, 25
_BORDER_FRAMES, _BORDER_MS, _ANSWER_MS = 16, 90, 110

_SCRUB_EXAMPLE = "convex-series-6.yaml"
_SCRUB_QUANTITIES = ("cpu_rate", "effective_share", "charge")
_END_S, _BRANCHED_S = 1200.0, 560.0
_RAISED, _SHARES = "u22", "3200"
_SCRUB_FRAMES, _SCRUB_MS = 22, 120
_STRIP_Y = 24.0


def main(arguments: list[str] | None = None) -> int:
    """Make both animations; return the exit status."""
    parser = argparse.ArgumentParser(description="Moving pictures of the console.")
    parser.add_argument("--out", type=Path, required=True, help="folder for the pictures")
    out: Path = parser.parse_args(arguments).out
    out.mkdir(parents=True, exist_ok=True)
    for name, scene in (("dragging", _DragScene), ("scrubbing", _ScrubScene)):
        with Stage(*_SIZE) as stage:
            write_atomic(out / f"{name}.png", apng(scene(stage).play()))
        print(out / f"{name}.png")  # noqa: T201
    return 0


def send_mouse(widget: QWidget, kind: QEvent.Type, at: QPointF) -> None:
    """Press, move or release the left button at a place of a widget."""
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, at, widget.mapToGlobal(at), left, left, none)
    QApplication.sendEvent(widget, event)


def border_right_of(stage: Stage, name: str) -> tuple[ShareMap, Boundary]:
    """Select a node in Design; return the share map with the border at the right of the node's box.

    Raises:
        RuntimeError: there is no map, or the box has no border to drag.
    """
    stage.window.show_workspace("design")
    stage.settle()
    document, share_map = stage.session.document, stage.window.findChild(ShareMap)
    if document is None or share_map is None:
        raise RuntimeError("The share map was not found.")
    node = document.tree.find(name)
    stage.session.select([node.id])
    border = share_map.layout_of_boxes.boundary_right_of(document.flat.row_of[node.id])
    if border is None:
        raise RuntimeError(f"{name} has no border to drag")
    return share_map, border


class _Scene:
    """A scene in Observe, and the frames that it has so far."""

    def __init__(self, stage: Stage, example: str, quantities: Collection[str]) -> None:
        self._stage = stage
        stage.open_example(example)
        stage.window.show_workspace("observe")
        workspace = stage.window.current
        if not isinstance(workspace, LiveWorkspace):
            raise TypeError("Observe is not shown")
        self._workspace = workspace
        self._frames: list[tuple[Frame, int]] = []
        boxes = workspace.plot_controls.plots_menu.actions()
        for box, name in zip(boxes, workspace.panel.rows, strict=True):
            box.setChecked(name in quantities)

    def _keep(self, shown_ms: int) -> None:
        self._stage.settle(_SETTLE_BEFORE_FRAME_MS)
        self._frames.append((self._stage.frame(), shown_ms))


class _DragScene(_Scene):
    """A border of the share map is dragged, and the plots of the machine answer."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, _DRAG_EXAMPLE, _DRAG_QUANTITIES)

    def play(self) -> list[tuple[Frame, int]]:
        """Do all and return the frames with the milliseconds that each is shown."""
        self._stage.window.workspace("design")  # The workspace adds its actions to the table.
        self._stage.window.table.trigger(_POLICY)
        self._stage.advance_to(_DRAG_S)
        self._keep(_LOOK_MS)
        share_map, border = border_right_of(self._stage, _DRAGGED)
        self._keep(_LOOK_MS)
        at = start = QPointF(border.x, border.left.y + border.left.h / 2)
        send_mouse(share_map, QEvent.Type.MouseButtonPress, start)
        for part in np.linspace(0, _TO_FRACTION * border.left.w, _BORDER_FRAMES).tolist():
            at = start + QPointF(part, 0)
            send_mouse(share_map, QEvent.Type.MouseMove, at)
            self._keep(_BORDER_MS)
        self._keep(_LOOK_MS)
        send_mouse(share_map, QEvent.Type.MouseButtonRelease, at)
        self._keep(_LOOK_MS)
        self._stage.window.show_workspace("observe")
        for time_s in np.linspace(_DRAG_S, _ANSWERED_S, _ANSWER_FRAMES).tolist():
            self._stage.advance_to(time_s)
            self._keep(_ANSWER_MS)
        self._keep(_HOLD_MS)
        return self._frames


class _ScrubScene(_Scene):
    """The play head is dragged back, and a branch leaves the run there with other shares."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage, _SCRUB_EXAMPLE, _SCRUB_QUANTITIES)

    def play(self) -> list[tuple[Frame, int]]:
        """Do all and return the frames with the milliseconds that each is shown."""
        self._stage.advance_to(_END_S)
        self._workspace.span.show_whole()
        self._keep(_LOOK_MS)
        self._drag()
        self._branch()
        return self._frames

    def _drag(self) -> None:
        strip, past = self._workspace.machine.transport.strip, self._stage.session.past
        kind = QEvent.Type.MouseButtonPress
        for time_s in np.linspace(_END_S, _BRANCHED_S, _SCRUB_FRAMES).tolist():
            send_mouse(strip, kind, QPointF(strip.scale.x(time_s), _STRIP_Y))
            kind = QEvent.Type.MouseMove
            self._stage.wait_for(lambda: past.is_whole)
            self._keep(_SCRUB_MS)
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


if __name__ == "__main__":
    raise SystemExit(main())
