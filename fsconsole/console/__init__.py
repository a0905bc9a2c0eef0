"""The console: everything that needs a window.

`session.py` holds what views share; `actions.py` is the table behind menus, tool bars and command search.
Nothing blocks the window: files, machines and experiments work in threads, which emit no signals. They post
their results to the thread of the window. Python collects garbage in that thread alone (`garbage.py`), as
elsewhere it would delete objects of Qt. Hidden views do nothing, and one timer in the session draws frames.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import PySide6.QtCore  # noqa: F401 (brings in shiboken's support)


def _skip_sources() -> None:
    """Keep shiboken from reading the source of every module that is imported after it.

    It looks for modules that might use `from __feature__ import`, which none here does. That would take a
    tenth of the start, and linecache would keep what was read: 35 MB.
    """
    support: Any = sys.modules.get("shibokensupport.feature")
    if hasattr(support, "_mod_uses_pyside"):
        support._mod_uses_pyside = lambda _module: False  # noqa: SLF001


def _load_colorama() -> None:
    """Load what pyqtgraph and numba both import, or have its import fail at once where it is not installed.

    While the window loads one of them and a target's thread the other, Python may raise KeyError in place of
    ImportError, which neither expects.
    """
    try:
        import_module("colorama.winterm")
    except ImportError:
        vars(sys)["modules"].setdefault("colorama", None)


_skip_sources()
_load_colorama()
