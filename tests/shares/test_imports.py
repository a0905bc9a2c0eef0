from __future__ import annotations

import subprocess
import sys


def test_the_ground_floor_loads_no_heavy_library() -> None:
    """The command line and the window start with these; YAML and pydantic come with the first file."""
    rooms = ["tree", "edits", "diff", "formats", "scenario.spec", "scenario.read", "scenario.write"]
    rooms += ["scenario.check_batch", "scenario.settings"]
    imports = ", ".join([*(f"fsconsole.shares.{room}" for room in rooms), "fsconsole.text.durations"])
    heavy = "{'yaml', 'pydantic', 'numpy', 'numba', 'polars', 'PySide6'}"
    code = f"import sys, {imports}; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
