"""The bundled example scenarios: their titles, their order, their groups."""

from __future__ import annotations

import re
from pathlib import Path

from fsconsole.resources import examples

# These come first: one machine, one site and one cluster of each kind. The scenarios of single experiments
# follow.
_FIRST = (
    "convex-series-1",
    "convex-series-6",
    "two-organisations",
    "navoceano-c916",
    "near-dedicated-ymp",
    "slurm-lab",
    "share-by-account",
)
# Each group has prefixes of file names and a title. A file without a prefix belongs to the last group.
EXAMPLE_GROUPS = {
    "convex": "Junglas 1991: Convex",
    "near-dedicated": "Brady 1996: near-dedicated nights",
    "navoceano": "Everitt 1995: NAVOCEANO",
    "memory io": "Memory and disks",
    "": "Everitt 1995: schemes and their limits",
    "slurm": "Slurm",
}
_BEGIN = "First steps"


def example_titles() -> list[tuple[Path, str]]:
    """Return the example scenarios with their titles: those for beginners first, then by file name."""
    found = []
    for path in sorted(examples().glob("*.yaml"), key=_order):
        match = re.search(r"^title: *(.+)$", path.read_text("utf-8"), re.MULTILINE)
        found.append((path, match[1].strip("\"' ") if match else path.stem))
    return found


def examples_by_title() -> list[tuple[str, list[tuple[Path, str]]]]:
    """Return groups of examples with their titles: those for beginners, then by paper and machine."""
    found = example_titles()
    groups = [(_BEGIN, [one for one in found if one[0].stem in _FIRST])]
    rest = [one for one in found if one[0].stem not in _FIRST]
    groups += [
        (title, [one for one in rest if example_group(one[0]) == group])
        for group, title in EXAMPLE_GROUPS.items()
    ]
    return [(title, items) for title, items in groups if items]


def example_group(path: Path) -> str:
    """Return the group of an example scenario, one of `EXAMPLE_GROUPS`."""
    return next((one for one in EXAMPLE_GROUPS if one and path.stem.startswith(tuple(one.split()))), "")


def _order(path: Path) -> tuple[int, str]:
    return _FIRST.index(path.stem) if path.stem in _FIRST else len(_FIRST), path.stem
