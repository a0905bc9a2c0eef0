"""Dialogs that become as high as their words need, inside the screen."""

from __future__ import annotations

from fsconsole.console.widgets.dialog import Dialog


def grow_to_fit(dialog: Dialog) -> None:
    """Make a dialog that is shown higher where its rows need it; never lower, so that buttons stay.

    On a screen that is too small for it the content scrolls.
    """
    layout = dialog.layout()
    if layout is None or not dialog.isVisible():
        return
    layout.activate()
    needed = layout.totalHeightForWidth(dialog.width())
    if needed <= dialog.height():
        return
    dialog.resize(dialog.width(), needed)
    dialog.fit_screen()
    screen, frame = dialog.screen().availableGeometry(), dialog.frameGeometry()
    if (below := frame.bottom() - screen.bottom()) > 0:
        dialog.move(dialog.x(), max(screen.top(), dialog.y() - below))
