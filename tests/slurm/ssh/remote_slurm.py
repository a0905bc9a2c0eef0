"""Slurm's fake tools on the login node, where other users than this process's run them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.slurm.ssh.remote_tool import Moment

_SCRIPT = """\
#!{python} -IS
import sys
sys.path.insert(0, {checkout!r})
from tests.slurm.ssh.remote_tool import main
sys.exit(main())
"""


class RemoteSlurm(FakeSlurm):
    """Fake tools that everybody may run, and that can cut the connection through which they are run."""

    def __init__(self, folder: Path, python: str, checkout: str) -> None:
        """Make the tools.

        Args:
            folder: where the node's users may go.
            python, checkout: an interpreter and the sources, as the node sees them.
        """
        with _open_to_all():
            super().__init__(folder)
            self.log.touch(0o666)
        (self.bin / "tool").write_text(_SCRIPT.format(python=python, checkout=checkout))

    def answer(self, tool: str, *words: str, stdout: str | bytes | Path = b"", **more: Any) -> None:
        """See FakeSlurm.answer."""
        data = stdout.read_bytes() if isinstance(stdout, Path) else stdout
        with _open_to_all():
            super().answer(tool, *words, stdout=data, **more)

    def cut(self, moment: Moment, *words: str) -> None:
        """Cut the connection of the next call that has these words, in this order, the tool's name included.

        Args:
            moment: `before` the tool acts, which it then does not; `in` its work, which it goes on with;
                `after` it, with nothing of its answer sent; `gone`: likewise, and nobody listens any more.
            words: such as "sacctmgr", "modify".
        """
        shutil.rmtree(self.folder / "cut-taken", ignore_errors=True)
        made = self.folder / "cut.tmp"
        made.write_text(json.dumps({"moment": moment, "words": words}))
        made.rename(self.folder / "cut.json")

    @property
    def environments(self) -> list[dict[str, str]]:
        """The environment of each call so far; `tool` and `argv` are the words of the call."""
        log = self.folder / "environments.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def was_cut(self) -> bool:
        """True once the call of `cut` has come."""
        return (self.folder / "cut-taken").exists()


@contextmanager
def _open_to_all() -> Iterator[None]:
    before = os.umask(0)
    try:
        yield
    finally:
        os.umask(before)
