"""A plugin of pytest: with `--dist loadgroup` a process gets a module of tests at a time, the longest first.

What a module sets up, computes once or compiles is then there once, and not in each process; and no process
is left with a long module when the others have ended. How long each took is kept for later runs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from fsconsole.shares.files import make_own_folder
from tests.user_cache import USER_CACHE

_FILE = USER_CACHE / "seconds-of-modules.json"
# Where nothing is known: what waits long, then what has long modules.
_FIRST = ("tests/test_hangs.py", "tests/walks/", "tests/experiments/", "tests/console/")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Durations())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling | None:
    if config.getoption("dist") != "loadgroup":
        return None
    config.option.loadscopereorder = False
    return LongestFirst(config, log)


class LongestFirst(LoadScopeScheduling):
    """Gives a free process the module that is expected to take longest."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._seconds = read_seconds()

    def _split_scope(self, nodeid: str) -> str:
        return module_of(nodeid)

    def remove_node(self, node: Any) -> str | None:
        """Give others what a lost process has left; return the test it was in, which counts as run.

        xdist gives its finished modules out as well, for which no process ever reports a test: it would wait.
        """
        workload = self.assigned_work.pop(node)
        left = [(unit, test) for unit in workload.values() for test, is_done in unit.items() if not is_done]
        if not left:
            return None
        unit, lost = left[0]
        unit[lost] = True
        self.workqueue.update({name: unit for name, unit in workload.items() if not all(unit.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return str(lost)

    def _assign_work_unit(self, node: Any) -> None:
        self.workqueue.move_to_end(first_of(self.workqueue, self._seconds), last=False)
        super()._assign_work_unit(node)


class Durations:
    """Keeps how long each module took by the clock."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[module_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write them, with those of other runs; part of a module says less than the whole did before."""
        seconds = read_seconds()
        for module, taken_s in self._seconds.items():
            seconds[module] = round(max(taken_s, seconds.get(module, 0.0) / 2), 2)
        with suppress(OSError):
            make_own_folder(USER_CACHE)
            written = _FILE.with_suffix(".new")
            written.write_text(json.dumps(seconds, indent=0, sort_keys=True), "utf-8")
            written.replace(_FILE)


def module_of(nodeid: str) -> str:
    """Return the file of a test."""
    return nodeid.split("::", 1)[0]


def first_of(modules: Any, seconds: dict[str, float]) -> str:
    """Return the module that is expected to take longest, the first of several."""

    def rank(module: str) -> tuple[float, int]:
        place = next((at for at, start in enumerate(_FIRST) if module.startswith(start)), len(_FIRST))
        return (-seconds.get(module, 0.0), place)

    return str(min(modules, key=rank))


def read_seconds(file: Path = _FILE) -> dict[str, float]:
    """Return the seconds of modules in earlier runs; empty where nothing readable is there."""
    with suppress(OSError, ValueError, AttributeError):
        return {
            str(module): float(taken_s) for module, taken_s in json.loads(file.read_text("utf-8")).items()
        }
    return {}
