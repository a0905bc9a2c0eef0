"""Measures an older commit against the present code, in turns: `make bench-compare BASE=… [NAME=…]`.

The present benchmarks are laid over the older commit, so that both measure the same. Where its code has
another interface, a benchmark is left out there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.record import read_record

_ROOT = Path(__file__).resolve().parents[2]
_HERE = Path(__file__).resolve().parent.relative_to(_ROOT)


@contextmanager
def checkout(base: str) -> Iterator[Path]:
    """Check a commit out into a temporary folder, with the present benchmarks."""
    with TemporaryDirectory() as folder:
        tree = Path(folder) / "base"
        git = ("git", "-C", str(_ROOT), "worktree")
        subprocess.run((*git, "add", "--quiet", "--detach", str(tree), base), check=True)
        try:
            shutil.rmtree(tree / _HERE, ignore_errors=True)
            shutil.copytree(_ROOT / _HERE, tree / _HERE)
            yield tree
        finally:
            subprocess.run((*git, "remove", "--force", str(tree)), check=True)


def measure(tree: Path, files: list[str], name: str, into: Path) -> str:
    """Measure in a process of its own, with this environment's libraries; return what pytest printed."""
    command = [
        *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--continue-on-collection-errors"),
        *("-c", str(_ROOT / "pyproject.toml"), "--rootdir", str(tree), "--confcutdir", str(tree)),
        # That of the configuration would be the present checkout.
        *(
            "-o",
            f"pythonpath={tree}",
            "-o",
            "faulthandler_timeout=0",
            "--record",
            str(into),
            "-k",
            name,
            *files,
        ),
    ]
    environment = os.environ | {"PYTHONPATH": str(tree), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main() -> None:
    """Print the medians of both and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", help="the older commit")
    parser.add_argument("name", nargs="?", default="", help="pytest's pattern of names; default: all")
    parser.add_argument("--file", action="append", default=[], help="file of tests/benchmarks; default: all")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    files = [str(_HERE / file) for file in given.file] or [str(_HERE)]
    with checkout(given.base) as tree:
        trees = {given.base: tree, "now": _ROOT}
        records = {name: tree.parent / f"{name.replace('/', '-')}.csv" for name in trees}
        for turn in range(given.turns):
            for name, place in trees.items():
                told = measure(place, files, given.name, records[name])
                print(f"turn {turn + 1}, {name}: {told.splitlines()[-1]}", flush=True)
                if turn == 0:
                    print(
                        *(line for line in told.splitlines() if line.startswith(("FAILED", "ERROR"))),
                        sep="\n",
                    )
        before, after = (read_record(path) for path in records.values())
    print(f"{given.base:>12} {'now':>12} {'ratio':>7}")
    for key in sorted(before.keys() & after.keys()):
        old, new = median(before[key]), median(after[key])
        print(f"{old:12.4g} {new:12.4g} {new / old:7.2f}  {key[0]} ({key[1]})")
    for title, only in ((f"only at {given.base}", before.keys() - after.keys()),
                        ("only now", after.keys() - before.keys())):  # fmt: skip
        for name, _ in sorted(only):
            print(f"{title}: {name}")


if __name__ == "__main__":
    main()
