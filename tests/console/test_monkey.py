"""Nothing that is clicked, typed or dragged at random makes the console report a fault, warn or die."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SECONDS = 30  # each; a minute in all, and the time that opening takes


@pytest.mark.parametrize("seed", [1, 2])
def test_a_monkey_at_the_console_finds_no_fault(seed: int, tmp_path: Path) -> None:
    log = tmp_path / "steps.txt"
    command = [sys.executable, "-m", "tests.console.monkey", "--seed", str(seed), "--seconds", str(SECONDS)]
    done = subprocess.run(
        [*command, "--log", str(log)], capture_output=True, text=True, check=False, timeout=280
    )
    last = "\n".join(log.read_text("utf-8").splitlines()[-30:])
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nLast steps:\n{last}"
