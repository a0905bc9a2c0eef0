"""The command line through a real sshd at 300 ms of round trip, beside a bare `ssh HOST echo`."""

from __future__ import annotations

import shlex
import statistics
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from tests.cli.conftest import program
from tests.slurm.ssh.login_node import LoginNode

ONE_WAY_S = 0.15
GOALS_S = {"status": 4.0, "jobs": 2.0, "capture": 8.0}
ROUNDS = 3


@pytest.fixture
def far(login_node: LoginNode) -> tuple[str, ...]:
    """Return a prefix whose bytes take 150 ms each way."""
    return login_node.delayed(ONE_WAY_S)


@pytest.mark.parametrize("is_warm", [False, True], ids=["first", "again"])
@pytest.mark.parametrize("command", GOALS_S)
def test_far_cluster(
    benchmark: Any, login_node: LoginNode, far: Sequence[str], tmp_path: Path, command: str, is_warm: bool
) -> None:
    """The first command of a minute logs in; those after it share its connection."""
    folders = iter(range(100))

    def run() -> None:
        more = (str(tmp_path / str(next(folders))),) if command == "capture" else ()
        words = program("slurm", command, *more, "--via", shlex.join(far))
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def begin() -> None:
        login_node.cut()
        if is_warm:
            run()

    bare_s = _took_s(lambda: subprocess.run((*far, "echo"), check=True, stdout=subprocess.DEVNULL))
    before = login_node.logins()
    benchmark.pedantic(run, setup=begin, rounds=ROUNDS)
    rounds = 1 if benchmark.stats is None else ROUNDS
    assert login_node.logins() - before == rounds
    if benchmark.stats is not None:
        median_s = benchmark.stats.stats.median
        benchmark.extra_info.update(
            bare_ssh_s=round(bare_s, 2),
            times_bare=round(median_s / bare_s, 2),
            start_s=round(_took_s(lambda: subprocess.run(program("--version"), check=True)), 2),
            goal_s=GOALS_S[command],
        )


def _took_s(act: Callable[[], object]) -> float:
    found = []
    for _ in range(ROUNDS):
        begun = perf_counter()
        act()
        found.append(perf_counter() - begun)
    return statistics.median(found)
