"""Child process: limited in time and output, in its own process group, which is ended as a whole."""

from __future__ import annotations

import atexit
import contextlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fsconsole.operating_system import KILLED, end_group, own_group
from fsconsole.targets.slurm.child_output import PolledOutput, Received, ThreadedOutput

_LOOK_S = 0.1  # A cancellation is seen after this time at the latest.
_GRACE_S = 1.0  # Force follows after this time.
_STDERR_BYTES = 1 << 16

# These processes could not be ended, such as another user's. They are looked after when the next one begins.
_STRAYS: list[subprocess.Popen[bytes]] = []
_STRAYS_LOCK = threading.Lock()
# Child processes must not outlive this program, as its waiting threads end without notice.
_RUNNING: set[subprocess.Popen[bytes]] = set()
_IS_OVER = threading.Event()
# Held from the last look at `_IS_OVER` until the new process is among those that run.
_STARTING = threading.Lock()
OUTPUT: type[PolledOutput] | type[ThreadedOutput] = (
    ThreadedOutput if sys.platform == "win32" else PolledOutput
)


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a child process.

    Attributes:
        limit_s: time after which it is ended.
        most_bytes: amount of output after which it is ended; the first 64 kB of stderr are kept.
        is_stopped: checked ten times a second; returns whether to end the child now.
    """

    limit_s: float
    most_bytes: int
    is_stopped: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Ended:
    """End of a child: its exit status (negative: the signal), its output, and why we ended it."""

    rc: int = 0
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    took_s: float = 0.0
    was_cut: bool = False
    timed_out: bool = False
    was_stopped: bool = False

    @property
    def must_end(self) -> bool:
        """True if the process must be ended."""
        return self.was_cut or self.timed_out or self.was_stopped


def run_child(argv: Sequence[str], environment: Mapping[str, str], bounds: Bounds) -> Ended:
    """Run a program with nothing on its standard input.

    Raises:
        OSError: it cannot be started.
    """
    _look_after_strays()
    with _STARTING:
        if _IS_OVER.is_set():
            raise OSError("the program ends")
        process = subprocess.Popen(
            list(argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            bufsize=0,
            **own_group(),
        )
        with _STRAYS_LOCK:
            _RUNNING.add(process)
    try:
        return _Watch(process, bounds).ended()
    finally:
        with _STRAYS_LOCK:
            _RUNNING.discard(process)


@atexit.register
def end_all() -> None:
    """End all children within a second, politely and then by force, and start no more."""
    _IS_OVER.set()
    if _STARTING.acquire(timeout=_GRACE_S):  # A program on a disk that hangs takes longer to start.
        _STARTING.release()
    with _STRAYS_LOCK:
        left = list(_RUNNING)
    for process in left:
        end_group(process, by_force=False)
    until = time.monotonic() + _GRACE_S
    while left and time.monotonic() < until:
        time.sleep(_GRACE_S / 50)
        left = [process for process in left if process.poll() is None]
    for process in left:
        end_group(process, by_force=True)


class _Watch:
    """Reads the output of a process until it has ended, or has to be ended."""

    def __init__(self, process: subprocess.Popen[bytes], bounds: Bounds) -> None:
        self._process, self._bounds = process, bounds
        self._began = time.monotonic()
        self._kill_at = 0.0  # Force follows at this time, once the process was asked to end.
        self._found = Ended()
        self._stdout, self._stderr = Received(bounds.most_bytes), Received(_STDERR_BYTES)
        pipes = ((process.stdout, self._stdout), (process.stderr, self._stderr))
        self._output = OUTPUT([(stream, received) for stream, received in pipes if stream is not None])

    def ended(self) -> Ended:
        """Wait for the end."""
        try:
            while not self._is_over():
                self._end_if_due()
                if self._output.is_open():
                    self._output.wait(_LOOK_S)
                else:
                    self._wait_a_moment()
            self._output.take_rest()
        finally:
            self._clear_away()
        self._found.stdout, self._found.stderr = self._stdout.data, self._stderr.data
        self._found.was_cut = self._stdout.was_cut
        self._found.took_s = time.monotonic() - self._began
        return self._found

    def _is_over(self) -> bool:
        if self._process.poll() is not None:
            return True
        # Force had no effect on another user's process. Its further output is discarded.
        return bool(self._kill_at) and time.monotonic() > self._kill_at + _GRACE_S

    def _end_if_due(self) -> None:
        found, now = self._found, time.monotonic()
        found.was_cut = self._stdout.was_cut
        if not found.must_end:
            found.timed_out = now - self._began >= self._bounds.limit_s
            found.was_stopped = not found.timed_out and self._bounds.is_stopped()
        if found.must_end and not self._kill_at:
            end_group(self._process, by_force=False)
            self._kill_at = now + _GRACE_S
        elif self._kill_at and now > self._kill_at:
            end_group(self._process, by_force=True)

    def _wait_a_moment(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_LOOK_S)

    def _clear_away(self) -> None:
        """End the remaining processes of the group, such as one that the tool started and left."""
        if self._output.is_open() or self._process.poll() is None:
            end_group(self._process, by_force=True)
        self._output.close()
        rc = self._process.poll()
        if rc is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                rc = self._process.wait(_LOOK_S)
        if rc is None:
            with _STRAYS_LOCK:
                _STRAYS.append(self._process)
        self._found.rc = KILLED if rc is None else rc


def _look_after_strays() -> None:
    with _STRAYS_LOCK:
        _STRAYS[:] = [process for process in _STRAYS if process.poll() is None]
