"""The live plots: curves of nodes over time, linked in their range and their cursor."""

from __future__ import annotations
