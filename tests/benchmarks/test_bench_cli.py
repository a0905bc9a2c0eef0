"""How soon the command line answers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any


def test_help(benchmark: Any) -> None:
    """Goal: below 0.2 s, process start included."""
    command = [sys.executable, "-c", "from fsconsole.cli.main import main; main()", "--help"]
    root = Path(__file__).resolve().parents[2]
    benchmark(lambda: subprocess.run(command, check=True, capture_output=True, cwd=root))
    if benchmark.stats is not None:
        assert benchmark.stats.stats.median < 0.2
