"""Slurm's short form of many names, such as `n[1-4,7]` or `rack[01-03]n[1-2]`, and the names that it means.

Source: scontrol(1), `show hostnames`. That of three-dimensional machines (`bgl[000x133]`) is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import prod

from fsconsole.slurm.parsers.findings import DamagedError, shown
from fsconsole.text.numbers import thousands

MOST = 100_000  # Slurm's own limit for the names of one list is 64 k nodes.

_PART = re.compile(r"([^\[\],\s]*)\[([^\[\]]*)\]|([^\[\],\s]+)")
_RANGE = re.compile(r"([0-9]{1,15})(?:-([0-9]{1,15}))?")


@lru_cache(maxsize=16384)
def expand_hosts(text: str, most: int = MOST) -> tuple[str, ...]:
    """Return the names of a host list in order, such as n1, n2, n3, n4, n7; an empty text has none.

    Numbers are padded like the first number of their range. Repeated names stay repeated.

    Raises:
        DamagedError: a bracket or a range is damaged, or there would be more than `most` names.
    """
    names: list[str] = []
    for piece in _pieces(text.strip()):
        parts = [*_parts(piece, most)]
        if len(names) + prod(len(part) for part in parts) > most:
            msg = f"{shown(text)} names more than {thousands(most)} nodes"
            raise DamagedError(msg)
        names += ("".join(words) for words in product(*parts))
    return tuple(names)


def hosts_or_none(text: str) -> tuple[str, ...]:
    """Return the names of a host list, or no names if the list is damaged."""
    try:
        return expand_hosts(text)
    except DamagedError:
        return ()


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts between commas outside brackets."""
    if not text:
        return
    start, depth = 0, 0
    for place, sign in enumerate(f"{text},"):
        depth += (sign == "[") - (sign == "]")
        if depth not in (0, 1):
            break
        if sign == "," and depth == 0:
            if place == start:
                break
            yield text[start:place]
            start = place + 1
    if start <= len(text):
        msg = f"{shown(text)} is not a list of nodes. Example: n[1-4,7],login1"
        raise DamagedError(msg)


def _parts(piece: str, most: int) -> Iterator[list[str]]:
    """Yield the parts of a name in turn: fixed texts, and the numbers of brackets."""
    end = 0
    for match in _PART.finditer(piece):
        if match.start() != end:
            break
        end = match.end()
        if match[3] is not None:
            yield [match[3]]
        else:
            yield _bracket(match[1], match[2], piece, most)
    if end != len(piece):
        msg = f"{shown(piece)} is not a name of nodes. Example: n[1-4,7]"
        raise DamagedError(msg)


def _bracket(before: str, ranges: str, piece: str, most: int) -> list[str]:
    names: list[str] = []
    for text in ranges.split(","):
        names += (before + number for number in _numbers(text, piece, most - len(names)))
    return names


def _numbers(text: str, piece: str, most: int) -> list[str]:
    match = _RANGE.fullmatch(text.strip())
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if match is None or high < low:
        msg = f"{shown(text)} in {shown(piece)} is not a range of numbers. Example: 01-12"
        raise DamagedError(msg)
    if high - low >= most:
        msg = f"{shown(piece)} names too many nodes"
        raise DamagedError(msg)
    width = len(match[1])
    return [f"{number:0{width}}" for number in range(low, high + 1)]


_NUMBERED = re.compile(r"(.*?)(\d+)", re.DOTALL)


def folded(names: Iterable[str]) -> str:
    """Return names in Slurm's short form, those that differ in their last number put together.

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
