"""A plugin of pytest: counts how many tests `make test` keeps, of those of `make test-all`, by folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import pytest

LEAST, LEAST_OF_FOLDER = 0.9, 0.7
APART = {"tests/walks"}  # Each takes a minute at least; `make walks` runs all.


@dataclass(frozen=True)
class Kept:
    """Numbers of tests by folder of tests/, subfolders left out.

    Attributes:
        every: all tests that are collected.
        kept: those without the mark `whole`.
    """

    every: Mapping[str, int]
    kept: Mapping[str, int]

    def faults(self) -> Iterator[tuple[str, float]]:
        """Give each folder that keeps too few of its tests, and its share; `.` is all of them."""
        if sum(self.kept.values()) < LEAST * sum(self.every.values()):
            yield ".", sum(self.kept.values()) / sum(self.every.values())
        for folder, count in self.every.items():
            if folder not in APART and self.kept.get(folder, 0) < LEAST_OF_FOLDER * count:
                yield folder, self.kept.get(folder, 0) / count


KEPT = pytest.StashKey[Kept]()


@pytest.hookimpl(tryfirst=True)  # before `costs` leaves out what is marked
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    every = Counter(_folder(item) for item in items)
    kept = Counter(_folder(item) for item in items if item.get_closest_marker("whole") is None)
    config.stash[KEPT] = Kept(every, kept)


def _folder(item: pytest.Item) -> str:
    return str(PurePosixPath(item.nodeid.partition("::")[0]).parent)
