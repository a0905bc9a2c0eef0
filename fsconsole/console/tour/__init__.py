"""Tours of the console, one for each role: seven steps that the console carries out itself."""

from __future__ import annotations
