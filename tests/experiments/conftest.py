"""Each experiment is run once in a run of the tests, by whichever process needs it first."""

from __future__ import annotations

import fcntl
import os
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from fsconsole.experiments.experiment import Result
from fsconsole.experiments.registry import experiment_named


@dataclass(frozen=True)
class Ran:
    """What an experiment gave, and the progress that it reported."""

    result: Result
    progress: tuple[float, ...]


RunOf = Callable[[str], Ran]
ResultOf = Callable[[str], Result]


@pytest.fixture(scope="session")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> RunOf:
    """Return a function that gives an experiment's run by its name.

    The processes of pytest-xdist share a folder; a lock on a file makes the others wait for the first.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "experiments"
    folder.mkdir(exist_ok=True)
    return cache(lambda name: _kept(folder / name))


@pytest.fixture(scope="session")
def result_of(run_of: RunOf) -> ResultOf:
    """Return a function that gives an experiment's result by its name."""
    return lambda name: run_of(name).result


def _kept(place: Path) -> Ran:
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        file = place.with_suffix(".pickle")
        if not file.exists():
            progress: list[float] = []
            result = experiment_named(place.name).run(progress.append)
            file.write_bytes(pickle.dumps(Ran(result, tuple(progress))))
        ran = pickle.loads(file.read_bytes())
    assert isinstance(ran, Ran)
    return ran
