"""The example scenarios with their titles."""

from __future__ import annotations

import re
from pathlib import Path

from fsconsole.resources import examples

# A machine, a site and a cluster of each kind, before the scenarios of single experiments.
_FIRST = (
    "convex-series-1",
    "convex-series-6",
    "two-organisations",
    "navoceano-c916",
    "near-dedicated-ymp",
    "slurm-lab",
    "share-by-account",
)


def example_titles() -> list[tuple[Path, str]]:
    """Return the files of the examples with their titles: those to begin with first, then by file name."""
    found = []
    for path in sorted(examples().glob("*.yaml"), key=_place):
        match = re.search(r"^title: *(.+)$", path.read_text("utf-8"), re.MULTILINE)
        found.append((path, match[1].strip("\"' ") if match else path.stem))
    return found


def _place(path: Path) -> tuple[int, str]:
    return _FIRST.index(path.stem) if path.stem in _FIRST else len(_FIRST), path.stem
