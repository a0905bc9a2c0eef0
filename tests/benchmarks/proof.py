"""Shows that `make bench` is quiet where nothing changed, and red where a function is slowed by half.

    python -m tests.benchmarks.proof

Three runs as they are, which go into the record, three beside a busy process, and one for each of three
slowed functions, which must be red for the benchmark of that function. Without a record one is made first.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.record import RECORD

_ROOT = Path(__file__).resolve().parents[2]
_SLOWED = {
    "fsconsole.machine.checkpoint:load": ("test_bench_machine.py", "checkpoint and load"),
    "fsconsole.shares.scenario.write:write_text": ("test_bench_shares.py", "writing"),
    "fsconsole.batch.measures.entitlement:used_and_entitled": (
        "test_measures.py",
        "share and not day and KTH",
    ),
}


def bench(*more: str, where: str = "") -> int:
    """Run benchmarks; return the exit status, and print the last line."""
    command = [sys.executable, "-m", "pytest", "-q", "-o", "faulthandler_timeout=0", *more,
               f"tests/benchmarks/{where}"]  # fmt: skip
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    began = time.monotonic()
    done = subprocess.run(command, cwd=_ROOT, env=environment, capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    load = os.getloadavg()[0]
    print(
        f"exit {done.returncode}, {time.monotonic() - began:.0f} s, load {load:.1f}: {lines[-1]}", flush=True
    )
    if done.returncode:
        print(*(line for line in lines if line.startswith("FAILED")), sep="\n", flush=True)
    return done.returncode


@contextmanager
def busy() -> Iterator[None]:
    """Keep one processor busy."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            yield
        finally:
            process.kill()


def main() -> int:
    """Return 0 if all runs ended as they should."""
    as_expected: list[bool] = []
    record = ("--record", str(RECORD))
    if not RECORD.exists():
        print("recorded")
        as_expected.append(bench(*record) == 0)
    print("as it is, three times")
    as_expected += [bench(*record) == 0 for _ in range(3)]
    print("beside a busy process, three times")
    with busy():
        as_expected += [bench() == 0 for _ in range(3)]
    for function, (where, name) in _SLOWED.items():
        print(f"{function} takes half as long again")
        as_expected.append(bench("--slowed", function, "-k", name, where=where) == 1)
    print(f"{sum(as_expected)} of {len(as_expected)} as expected")
    return 0 if all(as_expected) else 1


if __name__ == "__main__":
    sys.exit(main())
