"""Times as multiples of a calibrator's, measured in turns with it in the same process."""

from __future__ import annotations

import time
from collections.abc import Callable
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tests.benchmarks.calibrators import CALIBRATORS, LOOP, PYTHON

T = TypeVar("T")
Clock = Callable[[], float]
MEGABYTES = "MB"
_TURN_S, _ALL_S = 0.01, 1.0
_LEAST_TURNS, _MOST_TURNS = 3, 40


class Value(NamedTuple):
    """What one benchmark measured; `unit` is a calibrator or MEGABYTES."""

    name: str
    unit: str
    value: float


def all_processes() -> float:
    """Return the processor time of this process and of those that it has ended, in seconds."""
    used = (getrusage(one) for one in (RUSAGE_SELF, RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def _clock_of(of: str, clock: Clock) -> Clock:
    """Return the clock; what is held against another process is one, too."""
    return all_processes if of == PYTHON and clock is not time.perf_counter else clock


class Benchmark:
    """Measures for one test, and keeps its values.

    Attributes:
        values: the measured values; of a repeated name the last one.
        seconds: measured times of the last call, for ratios of a test's own.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self.values: dict[str, Value] = {}
        self.seconds: list[float] = []

    def __call__(
        self,
        act: Callable[..., T],
        *args: Any,
        of: str = LOOP,
        clock: Clock = time.process_time,
        setup: Callable[[], object] | None = None,
        rounds: int | None = None,
        warm: bool = True,
        name: str = "",
    ) -> T:
        """Measure a call, and return its last result.

        Args:
            act: the call; a short one is repeated within a turn, unless it has a `setup`.
            args: its arguments.
            of: the calibrator.
            clock: processor time of all threads, or another clock.
            setup: called before each, and not measured.
            rounds: number of turns; by default as many as fit into a second, within bounds.
            warm: whether to call once before measuring.
            name: name of the value, of a test with several.
        """
        clock = _clock_of(of, clock)
        results: list[T] = []
        times = 1

        def timed() -> float:
            if setup is not None:
                setup()
            began = clock()
            for _ in range(times):
                results[:] = [act(*args)]
            return (clock() - began) / times

        first_s = timed() if warm else _ALL_S
        if setup is None and rounds is None:
            times = max(1, round(_TURN_S / max(first_s, 1e-7)))
        if rounds is None:
            rounds = int(np.clip(_ALL_S / (times * first_s + _TURN_S), _LEAST_TURNS, _MOST_TURNS))
        self.seconds_of(timed, of=of, clock=clock, rounds=rounds, name=name)
        return results[0]

    def seconds_of(
        self,
        act: Callable[[], float],
        *,
        of: str = LOOP,
        clock: Clock = time.process_time,
        rounds: int = 1,
        name: str = "",
    ) -> float:
        """Call what returns a time in seconds in turns with the calibrator; return their ratio.

        Of both the lower quartile counts: what other programs do lengthens some turns.
        """
        calibrator, clock = CALIBRATORS[of], _clock_of(of, clock)
        calibrator()
        units: list[float] = []

        def calibrate() -> None:
            for _ in range(2 if of == PYTHON else 4):
                began = clock()
                calibrator()
                units.append(clock() - began)

        self.seconds = []
        calibrate()
        for _ in range(rounds):
            self.seconds.append(act())
            calibrate()
        ratio = float(np.quantile(self.seconds, 0.25) / np.quantile(units, 0.25))
        self._keep(name, of, ratio)
        return ratio

    def megabytes(self, value: float, name: str = "") -> None:
        """Keep a size; sizes are absolute, and their tests have goals for them."""
        self._keep(name, MEGABYTES, value)

    def times(self, ratio: float, unit: str, name: str = "") -> None:
        """Keep a ratio to a unit of the test's own, measured in the same process."""
        self._keep(name, unit, ratio)

    def _keep(self, name: str, unit: str, value: float) -> None:
        whole = f"{self._name}:{name}" if name else self._name
        self.values[whole] = Value(whole, unit, value)
