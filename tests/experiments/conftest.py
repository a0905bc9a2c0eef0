"""Each experiment is run once for a state of the sources, by whichever process of the tests needs it first.

Results are kept in the user's cache, by a digest of what they are made from. With `--whole`, or with
FSCONSOLE_AFRESH set, each run computes its own.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pickle
import platform
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from fsconsole.experiments.experiment import Result
from fsconsole.experiments.registry import experiment_named
from fsconsole.shares.files import make_own_folder
from tests.costs import aside
from tests.user_cache import USER_CACHE

CHECKOUT = Path(__file__).resolve().parents[2]
_DIGESTS = 4  # of checkouts that are tested in turns
_RUN_S = 86400.0  # Within that, another run may be at it.


@dataclass(frozen=True)
class Ran:
    """What an experiment gave, and the progress that it reported."""

    result: Result
    progress: tuple[float, ...]


RunOf = Callable[[str], Ran]
ResultOf = Callable[[str], Result]


@pytest.fixture(scope="session")
def run_of(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunOf:
    """Return a function that gives an experiment's run by its name.

    The processes of pytest-xdist share a folder; a lock on a file makes the others wait for the first.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "experiments"
    if not (request.config.getoption("whole") or os.environ.get("FSCONSOLE_AFRESH")):
        with suppress(OSError):
            folder = folder_of_digest(USER_CACHE / "experiments", digest_of_sources())
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
            with aside():
                result = experiment_named(place.name).run(progress.append)
            written = file.with_suffix(".new")
            written.write_bytes(pickle.dumps(Ran(result, tuple(progress))))
            written.replace(file)  # A run that is killed leaves no half of it.
        ran = pickle.loads(file.read_bytes())
    assert isinstance(ran, Ran)
    return ran


def digest_of_sources(root: Path = CHECKOUT) -> str:
    """Return a digest of all that a result can depend on: code, examples, resources and libraries."""
    digest = hashlib.sha256(f"{sys.version} {platform.machine()}".encode())
    for path in sorted(_sources(root)):
        digest.update(f"{path.relative_to(root)} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(root: Path) -> Iterator[Path]:
    """Yield the files below the rooms that import experiments, and the locked versions of libraries."""
    for top, left_out in (
        ("fsconsole", {"console", "cli", "app"}),
        ("example_trees", set()),
        ("resources", {"screenshots", "icons"}),
    ):
        for path in (root / top).rglob("*"):
            inside = path.relative_to(root / top)
            if path.is_file() and inside.parts[0] not in left_out and "__pycache__" not in inside.parts:
                yield path


def folder_of_digest(folder: Path, digest: str) -> Path:
    """Return the folder of a digest, made if there is none, and remove others that no run is at.

    Results are pickled, and a pickle can run anything: only a folder that belongs to this user, and that no
    other user can write to, is read.

    Raises:
        OSError: the folder cannot be made, or belongs to another user.
    """
    make_own_folder(folder)
    own = folder / digest
    make_own_folder(own)
    os.utime(own)
    others = {path: _used_s(path) for path in folder.iterdir() if path != own}
    for old in sorted(others, key=others.__getitem__, reverse=True)[_DIGESTS - 1 :]:
        if others[old] < time.time() - _RUN_S:
            shutil.rmtree(old, ignore_errors=True)
    return own


def _used_s(path: Path) -> float:
    with suppress(OSError):  # Another run removes it.
        return path.stat().st_mtime
    return 0.0
