"""Dependencies of a job as squeue and scontrol print them: `afterok:8(unfulfilled),afterany:1_*(failed)`.

A comma means that all have to hold, `?` that one of them is enough; Slurm never mixes the two.
Source: sbatch(1), --dependency, and output of Slurm 22.05.8.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_ONE = re.compile(
    r"(?P<kind>[a-z]+)(?::(?P<number>[0-9]{1,10})(?P<tasks>_\*|_[0-9]{1,8})?(?:\+(?P<wait>[0-9]{1,8}))?)?"
    r"(?:\((?P<status>[a-z]+)\))?"
)
_ANY = "?"


@dataclass(frozen=True, slots=True)
class Dependency:
    """One condition of a job.

    Attributes:
        kind: Slurm's word, such as afterok, aftercorr, singleton.
        job: label of the other job: 8, 1_3 for a task, 1 for a whole array; empty for singleton.
        is_array: whether the condition covers all tasks of an array.
        wait_min: minutes after the other job's begin; 0 if Slurm prints none.
        status: unfulfilled, fulfilled or failed; empty if Slurm prints none.
    """

    kind: str
    job: str = ""
    is_array: bool = False
    wait_min: int = 0
    status: str = ""


@dataclass(frozen=True, slots=True)
class Dependencies:
    """All conditions of a job.

    Attributes:
        is_any: whether one of them is enough.
        rest: what cannot be read, as Slurm prints it.
    """

    items: tuple[Dependency, ...]
    is_any: bool = False
    rest: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def read_dependencies(text: str) -> Dependencies:
    """Read the dependencies that Slurm prints; keep unknown ones in Slurm's words."""
    is_any = _ANY in text
    items, rest = [], []
    for piece in text.split(_ANY if is_any else ","):
        match = _ONE.fullmatch(piece.strip())
        if match is None:
            rest += [piece.strip()] if piece.strip() else []
            continue
        number, tasks = match["number"] or "", match["tasks"] or ""
        is_array = tasks == "_*"
        job = number if is_array else f"{number}{tasks}"
        items.append(Dependency(match["kind"], job, is_array, int(match["wait"] or 0), match["status"] or ""))
    return Dependencies(tuple(items), is_any, tuple(rest))
