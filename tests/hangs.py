"""A plugin of pytest: what hangs is ended, with the stacks of all threads on stderr.

A test that hangs has pytest's own clock (`faulthandler_timeout`): its worker ends, and the others go on.
Here is what hangs outside a test, for HANG_S seconds: collecting, a fixture of the session, the start or the
end of a worker. The whole run ends then, since each worker would hang in the same way.

The clocks of faulthandler need no GIL. The process that distributes the tests watches its workers besides.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

HANG_S = float(os.environ.get("FSCONSOLE_HANG_S", "240"))
_STACKS_S = 3.0  # that workers get for writing where they stand
_stderr = 2  # a copy of it, while nothing captures it


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Start the clock as soon as this is loaded, before the rest of conftest.py and its plugins."""
    global _stderr  # noqa: PLW0603
    with _uncaptured(pluginmanager):
        _stderr = os.dup(2)
    faulthandler.enable(file=_stderr)  # A worker that the watch aborts shows its stacks.
    _start_clock()


def pytest_configure(config: pytest.Config) -> None:
    _start_clock()
    if not hasattr(config, "workerinput") and config.getoption("numprocesses", 0):
        config.pluginmanager.register(Watch(config))


def pytest_collectreport() -> None:
    _start_clock()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Stop the clock of a worker, which may wait long for its tests; the watch has another."""
    if hasattr(session.config, "workerinput"):
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Stop the clock for a test, which has pytest's, and start it again afterwards."""
    faulthandler.cancel_dump_traceback_later()
    result = yield
    if not hasattr(item.config, "workerinput"):
        _start_clock()
    return result


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Set the test's clock again: pytest stops it at a failure, and what failed may well hang at its end."""
    _start_clock_of_test(item.config)
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """Note a fixture of the session while it is made, so that the run ends where it hangs."""
    if fixturedef.scope != "session":
        return (yield)
    note = getattr(request.config, "workerinput", {}).get("hangs_note")
    if note:
        Path(note).write_text(fixturedef.argname, "utf-8")
    _start_clock()
    try:
        return (yield)
    finally:
        if note:
            Path(note).unlink(missing_ok=True)
        _start_clock_of_test(request.config)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    _start_clock()


class Watch:
    """Ends the run where no worker reports anything, in the process that distributes the tests."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._notes = tempfile.TemporaryDirectory(prefix="hangs-")
        self._heard, self._ended = threading.Event(), threading.Event()
        self._started = 0
        threading.Thread(target=self._run, daemon=True).start()

    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput["hangs_note"] = str(Path(self._notes.name) / node.gateway.id)

    def pytest_testnodeready(self) -> None:
        self._hear()

    def pytest_xdist_node_collection_finished(self) -> None:
        self._started += 1
        self._hear()

    def pytest_runtest_logreport(self) -> None:
        self._hear()

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        self._hear()
        cache: pytest.Cache | None = getattr(self._config, "cache", None)
        if cache is not None:  # For `.ci/run`, which repeats tests that failed only where all were run.
            cache.set("fsconsole/exit-status", int(exitstatus))

    def pytest_unconfigure(self) -> None:
        self._ended.set()
        self._heard.set()
        self._notes.cleanup()

    def pytest_handlecrashitem(self) -> None:
        """End the run where a worker died in a fixture of the session."""
        self._hear()
        for note in Path(self._notes.name).iterdir():
            with suppress(FileNotFoundError):  # That of another worker, whose fixture is made now.
                text = f"the session's fixture {note.read_text('utf-8')} hangs or ends its process"
                self._config.pluginmanager.getplugin("dsession").shouldstop = text
                return

    def _hear(self) -> None:
        self._heard.set()
        _start_clock(self._limit_s() + 3 * _STACKS_S)

    def _limit_s(self) -> float:
        """Return the time that all workers may be silent: a test has a clock of its own, in its worker."""
        if self._started < int(self._config.getoption("numprocesses")):
            return HANG_S
        test_s = _limit_of_test_s(self._config)
        return HANG_S + test_s if test_s > 0 else threading.TIMEOUT_MAX / 2

    def _run(self) -> None:
        while self._heard.wait(self._limit_s()):
            self._heard.clear()
            if self._ended.is_set():
                return
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os.write(_stderr, b"\nNo worker has reported anything for long. Where all of them stand:\n")
        workers = psutil.Process().children()
        for worker in workers:
            with suppress(psutil.Error):
                worker.send_signal(signal.SIGABRT)
        psutil.wait_procs(workers, _STACKS_S)
        faulthandler.dump_traceback(file=_stderr)
        os._exit(pytest.ExitCode.INTERNAL_ERROR)


def _start_clock(limit_s: float = HANG_S) -> None:
    faulthandler.dump_traceback_later(limit_s, exit=True, file=_stderr)


def _start_clock_of_test(config: pytest.Config) -> None:
    if (limit_s := _limit_of_test_s(config)) > 0:
        _start_clock(limit_s)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit_of_test_s(config: pytest.Config) -> float:
    return float(config.getini("faulthandler_timeout") or 0)


@contextmanager
def _uncaptured(pluginmanager: pytest.PytestPluginManager) -> Iterator[None]:
    capture = pluginmanager.getplugin("capturemanager")
    if capture is None:
        yield
    else:
        with capture.global_and_fixture_disabled():
            yield
