"""Many names of nodes as Slurm writes them: n1, n2, n4 are n[1-2,4]."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)


def folded(names: Iterable[str]) -> str:
    """Names in Slurm's short form, those that differ in their last number put together.

    Numbers with leading zeros fold with those of the same width, as `scontrol show hostlist` does it.
    """
    numbered: dict[tuple[str, int], list[int]] = {}
    plain = []
    for name in dict.fromkeys(names):
        match = _NUMBERED.fullmatch(name)
        if match is None:
            plain.append(name)
            continue
        width = len(match[2]) if match[2].startswith("0") and len(match[2]) > 1 else 0
        numbered.setdefault((match[1], width), []).append(int(match[2]))
    groups = [_group(stem, width, sorted(numbers)) for (stem, width), numbers in numbered.items()]
    return ",".join([*groups, *plain])


def _group(stem: str, width: int, numbers: Sequence[int]) -> str:
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    parts = [_run(first, last, width) for first, last in runs]
    return f"{stem}{parts[0]}" if len(numbers) == 1 else f"{stem}[{','.join(parts)}]"


def _run(first: int, last: int, width: int) -> str:
    return f"{first:0{width}d}" if first == last else f"{first:0{width}d}-{last:0{width}d}"
