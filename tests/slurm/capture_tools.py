"""A capture folder as a cluster within this process: `Tools` that answer without a child for each command."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from fsconsole.targets.slurm.location import capture_place
from fsconsole.targets.slurm.replay import captured_answer
from fsconsole.targets.slurm.tools import Answer, Tools


class CaptureTools(Tools):
    """Tools of a capture folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(capture_place(folder))
        self.folder = folder

    def run(
        self,
        command: Sequence[str],
        *,
        limit_s: float = 60.0,
        most_bytes: int | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> Answer:
        stdout, stderr, rc = captured_answer(self.folder, command)
        problem = f"{command[0]} failed: {stderr.strip()}" if rc else ""
        return Answer(tuple(command), rc, stdout, stderr, problem=problem)
