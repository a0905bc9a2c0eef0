"""The checkpoints of a run folder as keyframes, and their journal."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import CHECKPOINTS, JOURNAL, RunError
from fsconsole.resources import this_program
from fsconsole.shares.input_files import read_limited, stamp_of
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.stored_format import PROGRAM
from fsconsole.targets.base import RewindError
from fsconsole.targets.rewind import Question, Rewinder
from fsconsole.targets.run_scenario import journal_of
from fsconsole.text.durations import length_words
from fsconsole.text.words import capitalised

FURTHEST_S = 3 * 86400.0
_LAST = 1 << 62  # No tick is later.


class FolderKeyframes:
    """Implements `recording.keyframes.KeyframeSource`; unreadable keyframes are skipped."""

    def __init__(self, run: RunReader) -> None:
        """Look into a folder."""
        self._run = run
        self._kept: list[tuple[int, Path]] = []
        self._stamp: object = None

    def before(self, tick: int) -> Iterator[tuple[int, bytes]]:
        """Yield ticks and checkpoints at or before a tick, the newest first."""
        for at, path in reversed(self._up_to(tick)):
            with suppress(OSError):
                yield at, read_limited(path)

    def nearest(self, tick: int) -> int | None:
        """Return the tick of the newest one at or before a tick."""
        return next((at for at, _ in reversed(self._up_to(tick))), None)

    def first(self) -> int | None:
        """Return the tick of the oldest one."""
        return next((at for at, _ in self._up_to(_LAST)), None)

    def last(self) -> int | None:
        """Return the tick of the newest one."""
        return self.nearest(_LAST)

    def other_program(self) -> str:
        """Return the sentence on keyframes that another version of the program wrote; empty if it did not."""
        if self._run.manifest.get(PROGRAM) == this_program():
            return ""
        from fsconsole.machine.checkpoint import CheckpointError, OtherCheckpointError, journal_in

        for _, data in self.before(_LAST):
            try:
                journal_in(data)
            except OtherCheckpointError as error:
                return capitalised(str(error))
            except CheckpointError:
                continue
            break
        return ""

    def _up_to(self, tick: int) -> list[tuple[int, Path]]:
        stamp = stamp_of(self._run.path / CHECKPOINTS)
        if stamp != self._stamp:
            self._stamp, self._kept = stamp, self._run.checkpoints()
        return self._kept[: bisect_right(self._kept, tick, key=lambda one: one[0])]


class FolderRewinder(Rewinder):
    """Goes to instants with a keyframe near enough; from further away a machine would run for minutes."""

    def __init__(
        self,
        scenario: Scenario,
        keyframes: FolderKeyframes,
        journal: Callable[[], Sequence[JournalEntry]],
        *,
        is_whole: bool = True,
    ) -> None:
        super().__init__(scenario, keyframes, journal, is_whole=is_whole)
        self._clock, self._near = scenario.machine, keyframes.nearest

    def _submit(self, time_s: float, question: Question) -> Future[Any]:
        tick = self._clock.ticks(time_s)
        near = self._near(tick) or 0
        if tick - near <= self._clock.ticks(FURTHEST_S):
            return super()._submit(time_s, question)
        far = length_words((tick - near) / self._clock.hz)
        future: Future[Any] = Future()
        future.set_exception(RewindError(f"The nearest checkpoint is {far} earlier."))
        return future


class FolderJournal:
    """Journal of the actions on the run's machine from outside, read again when it grows."""

    def __init__(self, run: RunReader) -> None:
        """Look into a folder."""
        self._run = run
        self._entries: tuple[JournalEntry, ...] = ()
        self._stamp: object = None

    def entries(self) -> tuple[JournalEntry, ...]:
        """Return all of it, oldest first.

        Raises:
            RunError: it is damaged.
        """
        stamp = stamp_of(self._run.path / JOURNAL)
        if stamp is None:
            msg = f"{self._run.path / JOURNAL} is missing"
            raise RunError(msg)
        if stamp != self._stamp:
            self._entries, self._stamp = tuple(journal_of(self._run)), stamp
        return self._entries
