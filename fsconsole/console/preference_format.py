"""Formats of the files of preferences and of dock layouts, and the keys that moved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fsconsole.shares.stored_format import StoredFormat

PREFERENCES = StoredFormat("fsconsole preferences", "preferences", number=2, was_bare=True)
# Raise the number when a dock is added or removed: layouts with another one are not restored.
LAYOUTS = StoredFormat("fsconsole layouts", "dock layouts", number=7, oldest=7, was_bare=True)

# Tables and their columns, as preferences of number 1 name them, and as they are named today.
_MOVED: dict[str, tuple[str, dict[str, str]]] = {
    "observe/legend": (
        "live/legend",
        {
            "cpu": "cpu_rate",
            "allocated": "allocated_share",
            "effective": "effective_share",
            "usage": "normalised_usage",
        },
    ),
    "cluster.observe/associations": (
        "live/legend",
        {
            "shares": "raw_shares",
            "effective": "effective_usage",
            "usage": "raw_usage",
            "cpus": "cpu_count",
        },
    ),
    "cluster.observe/partitions": ("cluster.observe/partitions", {"waiting": "pending"}),
    "cluster/finished": ("cluster/finished", {"how it ended": "state or exit code at the end"}),
    "cluster/reservations": (
        "cluster/reservations",
        {"who may use it": "users and accounts that can use it"},
    ),
}


def moved(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return preferences of number 1 with columns under their names of today; the old keys stay."""
    found = dict(values)
    for old, (new, names) in _MOVED.items():
        for what in ("hidden", "order", "sort"):
            columns = values.get(f"{old}/{what}")
            if not isinstance(columns, list):
                continue
            renamed = [names.get(name, name) if isinstance(name, str) else name for name in columns]
            known = [] if old == new else found.get(f"{new}/{what}", [])
            if known and what != "hidden":
                continue
            found[f"{new}/{what}"] = [*known, *(name for name in renamed if name not in known)]
    return found
