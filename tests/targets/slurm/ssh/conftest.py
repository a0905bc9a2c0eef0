"""Fixtures of tests through a real sshd."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence

import pytest

from fsconsole.cli.main import run
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.tools import Tools

Slurm = Callable[..., tuple[int, str]]


@pytest.fixture
def tools_of() -> Iterator[Callable[[Sequence[str]], Tools]]:
    """Return a maker of tools behind a prefix; close them at the end."""
    made: list[Tools] = []

    def make(prefix: Sequence[str]) -> Tools:
        made.append(Tools(Location(tuple(prefix))))
        return made[-1]

    yield make
    for one in made:
        one.close()
        one.close_shared()


@pytest.fixture
def slurm(capsys: pytest.CaptureFixture[str]) -> Slurm:
    """Run `fsconsole slurm` with words, through a prefix: exit status and all that it prints."""

    def call(*words: str, via: Sequence[str]) -> tuple[int, str]:
        status = run(["slurm", *words, "--via", shlex.join(via)])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return status, printed.out + printed.err

    return call
