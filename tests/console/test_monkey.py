"""Nothing that is clicked, typed or dragged at random makes the console report a fault, warn or die."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

_A_LONG_TIME = pytest.mark.whole("takes ten minutes; its seed is the date")
_TODAY = datetime.now(UTC).date().toordinal()


@pytest.mark.dear("seconds of keys and clicks without a pause")
@pytest.mark.parametrize(
    ("seed", "seconds"), [(1, 5), (2, 5), pytest.param(_TODAY, 600, marks=_A_LONG_TIME, id="today")]
)
def test_a_monkey_at_the_console_finds_no_fault(
    seed: int, seconds: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    log = tmp_path / "steps.txt"
    command = [sys.executable, "-m", "tests.console.monkey", "--seed", str(seed), "--seconds", str(seconds)]
    done = subprocess.run(
        [*command, "--log", str(log)], capture_output=True, text=True, check=False, timeout=seconds + 250
    )
    last = "\n".join(log.read_text("utf-8").splitlines()[-30:])
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\nLast steps:\n{last}"
