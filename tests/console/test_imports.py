"""What is loaded in two threads at once."""

from __future__ import annotations

import sys

import fsconsole.console


def test_what_two_libraries_import_in_two_threads_is_loaded_before() -> None:
    """pyqtgraph in the thread of the window and numba in that of a target both import colorama."""
    assert fsconsole.console.__doc__
    assert "colorama" in sys.modules
