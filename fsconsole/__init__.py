"""A console for fair-share schedulers: share trees, the machines that obey them, plots of what happened."""

from __future__ import annotations

__version__ = "0.1.0"
