"""The command line through a real sshd at 300 ms of round trip, beside a bare `ssh HOST echo`."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import pytest

from tests.benchmarks.measure import Benchmark
from tests.cli.conftest import program
from tests.slurm.ssh.login_node import LoginNode

ONE_WAY_S = 0.15
COMMANDS = ("status", "jobs", "capture")
ROUNDS = 2


@pytest.fixture
def far(login_node: LoginNode) -> tuple[str, ...]:
    """Return a prefix whose bytes take 150 ms each way."""
    return login_node.delayed(ONE_WAY_S)


@pytest.mark.parametrize("command", COMMANDS)
def test_far_cluster(
    bench: Benchmark, login_node: LoginNode, far: Sequence[str], tmp_path: Path, command: str
) -> None:
    """The first command of a minute logs in; those after it share its connection."""
    folders = iter(range(100))

    def run() -> None:
        more = (str(tmp_path / str(next(folders))),) if command == "capture" else ()
        words = program("slurm", command, *more, "--via", shlex.join(far))
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    bare_s = min(_took_s(lambda: subprocess.run((*far, "echo"), check=True, stdout=subprocess.DEVNULL))
                 for _ in range(ROUNDS))  # fmt: skip
    before, first_s, again_s = login_node.logins(), [], []
    for _ in range(ROUNDS):
        login_node.cut()
        first_s.append(_took_s(run))
        again_s.append(_took_s(run))
    assert login_node.logins() - before == ROUNDS
    bench.times(min(first_s) / bare_s, "ssh", "first")
    bench.times(min(again_s) / bare_s, "ssh", "again")


def _took_s(act: Callable[[], object]) -> float:
    begun = perf_counter()
    act()
    return perf_counter() - begun
