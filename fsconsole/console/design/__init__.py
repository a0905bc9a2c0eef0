"""Design: the share tree as a table and as a map, with what is wrong with it and what was changed."""

from __future__ import annotations
