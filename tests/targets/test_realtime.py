from __future__ import annotations

import pytest

from fsconsole.targets import realtime
from fsconsole.targets.base import MAX_SPEED
from fsconsole.targets.realtime import LONG_S, SHORT_S, RealTimeFactor, Stride


class Clock:
    """A wall clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(realtime, "time", made)
    return made


def test_time_passes_at_the_speed_asked_for(clock: Clock) -> None:
    made = RealTimeFactor(60)
    assert made.until(0, 10.0) == 0
    clock.now += 2.0
    assert made.until(0, 10.0) == 2 * 10 * 60


def test_a_new_speed_begins_where_the_machine_is(clock: Clock) -> None:
    made = RealTimeFactor(60)
    made.until(0, 10.0)
    clock.now += 1.0
    assert made.until(600, 1.0) == 600
    clock.now += 1.0
    assert made.until(600, 1.0) == 660


def test_no_time_passes_while_it_rests(clock: Clock) -> None:
    made = RealTimeFactor(60)
    made.until(0, 1.0)
    made.rest()
    clock.now += 1000.0
    assert made.until(60, 1.0) == 60
    assert made.real_speed == 0.0


def test_the_real_speed_is_measured(clock: Clock) -> None:
    made = RealTimeFactor(60)
    made.until(0, 10.0)
    clock.now += 1.0
    made.did(300, 300)
    assert made.real_speed == pytest.approx(5.0)


def test_debt_is_dropped_where_the_machine_cannot_keep_up(clock: Clock) -> None:
    made = RealTimeFactor(60)
    made.until(0, 1000.0)
    clock.now += 10.0
    made.did(60, 60)
    assert made.until(60, 1000.0) == 60


def test_full_speed_never_waits_for_the_wall_clock(clock: Clock) -> None:
    made = RealTimeFactor(60)
    assert made.until(0, MAX_SPEED) >= 3600 * 60
    assert made.pause_s(MAX_SPEED) < made.pause_s(1.0)


def test_a_stride_grows_while_it_is_quick_and_shrinks_down_to_a_second() -> None:
    stride = Stride(60)
    for _ in range(3):
        stride.took(SHORT_S / 2, stride.ticks)
    assert stride.ticks == 8 * 60
    stride.took(SHORT_S / 2, stride.ticks - 1)  # cut short
    stride.took((SHORT_S + LONG_S) / 2, stride.ticks)
    assert stride.ticks == 8 * 60
    for _ in range(9):
        stride.took(2 * LONG_S, stride.ticks)
    assert stride.ticks == 60
