"""How soon the command line answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.benchmarks.calibrators import PYTHON
from tests.benchmarks.measure import Benchmark


def test_help(bench: Benchmark) -> None:
    """Process start included."""
    command = [sys.executable, "-c", "from fsconsole.cli.main import main; main()", "--help"]
    root = Path(__file__).resolve().parents[2]
    bench(lambda: subprocess.run(command, check=True, capture_output=True, cwd=root), of=PYTHON, rounds=20)
