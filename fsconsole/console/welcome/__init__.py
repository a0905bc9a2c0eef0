"""Welcome: what is shown while nothing is open."""

from __future__ import annotations
