"""Whether this machine lets its control groups be changed, and busy processes to put into them."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fsconsole.linux.hierarchy import ControlGroupsError, Hierarchy, find_hierarchy


def why_not() -> str:
    """Return the reason why groups cannot be changed here; empty if they can."""
    if os.geteuid() != 0:
        return "only root can change control groups"
    try:
        found = find_hierarchy()
    except ControlGroupsError as error:
        return str(error)
    if found.is_of_systemd:
        return "systemd owns the control groups here"
    probe = found.cpu / "fsconsole-probe"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError as error:
        return f"no group can be made here: {error.strerror}"
    return ""


def here() -> Hierarchy:
    """The hierarchy of this machine."""
    return find_hierarchy()


@pytest.fixture
def alone() -> Iterator[None]:
    """One test at a time measures the kernel: others would take the CPU from it."""
    with Path(tempfile.gettempdir(), "fsconsole-kernel-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def busy(count: int) -> Iterator[list[int]]:
    """So many processes that never rest, all on one processor, once each of them has begun to work."""
    cpu = min(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{cpu}}})\nos.write(1, b'.')\nwhile 1: pass"
    running = [
        subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE) for _ in range(count)
    ]
    try:
        for one in running:
            assert one.stdout is not None
            assert one.stdout.read(1) == b"."
        yield [one.pid for one in running]
    finally:
        for one in running:
            one.kill()
        for one in running:
            one.communicate(timeout=60)
