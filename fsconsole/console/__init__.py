"""The console: everything that needs a window."""

from __future__ import annotations

import sys
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


_skip_sources()
