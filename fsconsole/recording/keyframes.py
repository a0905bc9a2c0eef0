"""Keyframes: complete states of a machine, kept from time to time, to reach any instant between them."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import Protocol

LEAST_S = 60.0
BYTES_PER_S = 290.0  # A day of keyframes then takes 25 MB.
WORTH = 20  # Keyframes take at most 1 / this of the wall time.
WORTH_RECORDING = 40  # A recording writes them too, so they get a smaller part.
BUDGET_BYTES = 256_000_000


class KeyframePace:
    """The pace of keyframes: when the next one is worth its bytes and its time.

    A day costs at most 25 MB: a keyframe must cover as many simulated seconds as its bytes are worth. At most
    one part in `WORTH` of the wall time goes into keyframes, in a recording one in `WORTH_RECORDING`. The
    time of the first one does not count: it loads code, and a fast machine would run far before the next one.
    """

    def __init__(self, *, is_recording: bool = False) -> None:
        """Start without keyframes; the first one is due at once."""
        self._worth = WORTH_RECORDING if is_recording else WORTH
        self._next_s = self._next_at = float("-inf")
        self._is_first = True

    def is_due(self, time_s: float, now: float) -> bool:
        """Return True to keep a keyframe at a simulated time; `now` is wall time from any clock, in s."""
        return time_s >= self._next_s and now >= self._next_at

    def kept(self, time_s: float, size: int, now: float, cost_s: float) -> None:
        """Note that one of `size` bytes was kept at a simulated time.

        `cost_s` is its processor time: waiting for a turn or for the disk is a cost that fewer keyframes
        would not save.
        """
        self._next_s = time_s + max(LEAST_S, size / BYTES_PER_S)
        self._next_at = now if self._is_first else now + self._worth * cost_s
        self._is_first = False


class KeyframeSource(Protocol):
    """A source of keyframes."""

    def before(self, tick: int) -> Iterator[tuple[int, bytes]]:
        """Yield ticks and checkpoints of keyframes at or before a tick, newest first."""
        ...

    def nearest(self, tick: int) -> int | None:
        """Return the tick of the newest keyframe at or before a tick; None without one."""
        ...


class Keyframes:
    """Keyframes in memory. One thread adds, others read; old ones are thinned when they exceed the budget."""

    def __init__(self, budget_bytes: int = BUDGET_BYTES) -> None:
        """Start without keyframes."""
        self._budget = budget_bytes
        self._kept: list[tuple[int, bytes]] = []
        self._size = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Size of all keyframes in bytes."""
        return self._size

    def until(self, tick: int) -> Keyframes:
        """Return the keyframes before a tick, as the past of a run that branches off there."""
        found = Keyframes(self._budget)
        for at, checkpoint in reversed(list(self.before(tick - 1))):
            found.add(at, checkpoint)
        return found

    def add(self, tick: int, checkpoint: bytes) -> None:
        """Add a keyframe that is later than all others."""
        with self._lock:
            self._kept.append((tick, checkpoint))
            self._size += len(checkpoint)
            if self._size > self._budget:
                half = len(self._kept) // 2
                self._kept = self._kept[:half:2] + self._kept[half:]
                self._size = sum(len(data) for _, data in self._kept)

    def before(self, tick: int) -> Iterator[tuple[int, bytes]]:
        """Yield keyframes at or before a tick, newest first."""
        with self._lock:
            found = [one for one in self._kept if one[0] <= tick]
        return reversed(found)

    def nearest(self, tick: int) -> int | None:
        """Return the tick of the newest keyframe at or before a tick; None without one."""
        return next((at for at, _ in self.before(tick)), None)
