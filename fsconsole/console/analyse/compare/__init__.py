"""Compare: up to four policies or parameter sets on the open scenario, side by side."""

from __future__ import annotations
