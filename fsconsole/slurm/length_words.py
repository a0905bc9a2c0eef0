"""Lengths of time and lists of jobs in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

_UNITS = ((86400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s"))
_LISTED = 3


def span_words(length_s: float) -> str:
    """A length of time: `45 s`, `3 min 20 s`, `3 h 12 min`, `2 d 5 h`; what is below is left out."""
    if math.isinf(length_s):
        return "for ever"
    seconds = max(0, int(length_s))
    for size, unit, part, part_unit in _UNITS:
        if seconds >= size:
            rest = seconds % size // part
            return f"{seconds // size} {unit} {rest} {part_unit}" if rest else f"{seconds // size} {unit}"
    return f"{seconds} s"


def limit_words(length_s: float | None) -> str:
    """A time limit as Slurm writes it: `30:00`, `1-02:00:00`, `UNLIMITED`; `not said` for None."""
    if length_s is None:
        return "not said"
    if math.isinf(length_s):
        return "UNLIMITED"
    minutes, seconds = divmod(int(length_s), 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days}-{hours:02}:{minutes:02}:{seconds:02}"
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def jobs_words(labels: Sequence[str]) -> str:
    """`job 7`, `jobs 7 and 9`; of many only the first are named: `jobs 7, 9, 12 and 30 more`."""
    if len(labels) == 1:
        return f"job {labels[0]}"
    if len(labels) > _LISTED + 1:
        return f"jobs {', '.join(labels[:_LISTED])} and {len(labels) - _LISTED:,} more"
    return f"jobs {', '.join(labels[:-1])} and {labels[-1]}"
