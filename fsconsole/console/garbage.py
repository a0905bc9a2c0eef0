"""Where Python looks for objects that hold nothing but each other: in the window's thread alone.

By itself it does so in whichever thread makes one object too many, the machine's for one, and deletes there
what it finds. An object of Qt that the window has left is then deleted in a thread that is not its own: Qt
locks its connections and waits for the GIL; the window's thread has the GIL, and waits for that lock.
The console stands still without end.

The collector takes objects of Qt apart in any order, and PySide (6.10, `SbkObject_tp_clear`) then has Python
delete each part by itself. QObjects tell their parents; changes on an undo stack and items of a layout do
not, and are deleted twice. So Qt deletes a window, and a document its changes (`Document.__del__`), before
the collector comes to them.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Slot

# Time between collections. Each one takes longer the more objects were created since the last.
EVERY_MS = 500
_OLDEST = 2
_GROWTH = 1.25


class Collector(QObject):
    """Collects from the event loop of the thread that makes it, by the rule that Python has for itself.

    The rule (CPython 3.11, Modules/gcmodule.c): each generation once its count is above its threshold, and
    the oldest only after it has grown by a quarter.

    Attributes:
        timer: stop it to collect at moments of one's own choice, by `look`.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._oldest = 0
        self.timer = QTimer(self)
        self.timer.setTimerType(Qt.TimerType.VeryCoarseTimer)
        self.timer.timeout.connect(self.look)
        self.timer.timeout.connect(self.give_back)
        self.timer.start(EVERY_MS)

    @Slot()
    def look(self) -> None:
        """Collect what is due."""
        made, young, middle = gc.get_count()
        most_made, most_young, most_middle = gc.get_threshold()
        if made <= most_made:
            return
        if young <= most_young:
            gc.collect(0)
        elif middle <= most_middle or _old() < _GROWTH * self._oldest:
            gc.collect(1)
        else:
            gc.collect(_OLDEST)
            self._oldest = _old()

    def leave_out(self) -> None:
        """Look no more at what is there now, until `look_at_all`.

        For very many objects that hold no objects that hold them, such as 100,000 jobs: each look at them
        takes 0.2 s. Without references they go as ever; what is garbage now waits until `look_at_all`.
        """
        gc.freeze()
        self._oldest = 0

    def look_at_all(self) -> None:
        """Look again at what was left out."""
        gc.unfreeze()

    @Slot()
    def give_back(self) -> None:
        """Give freed memory back to the system: glibc would keep 20 MB after a check of a large tree."""
        if trim := _trim():
            trim(0)


def collect_here(app: QCoreApplication) -> Collector:
    """Collect garbage from now on only in the application's thread, which must call this."""
    gc.disable()
    found: Collector | None = app.findChild(Collector)
    return found or Collector(app)


def collector() -> Collector | None:
    """Return the collector of the application; None where Python collects by itself."""
    app = QCoreApplication.instance()
    return app.findChild(Collector) if app is not None else None


@cache
def _trim() -> Callable[[int], int] | None:
    import ctypes

    return getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def _old() -> int:
    return len(gc.get_objects(_OLDEST))
