"""What a job depends on, as squeue and scontrol print it: `afterok:8(unfulfilled),afterany:1_*(failed)`.

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
    """One condition.

    Attributes:
        kind: Slurm's word, such as afterok, aftercorr, singleton.
        job: the label that it is about: 8, 1_3 of a task, 1 of a whole array; empty for singleton.
        is_array: whether all tasks of an array are meant.
        wait_min: minutes after its begin; 0 where none are said.
        status: unfulfilled, fulfilled or failed; empty where Slurm says none.
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
    """Read what Slurm prints; what is not understood is kept in its words."""
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
