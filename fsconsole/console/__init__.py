"""The console: everything that needs a window."""

from __future__ import annotations
