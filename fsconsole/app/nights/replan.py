"""Preview of a changed window or queue: the controller's own plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fsconsole.neardedicated.plan import lane_by_estimate, lane_by_pace, lane_of_too_long
from fsconsole.neardedicated.view import Fit, NightView, PlanBar, QueueRow
from fsconsole.neardedicated.waiting import Waiting
from fsconsole.text.words import listed, plural

_MAY_START = (Fit.FITS, Fit.TOO_LONG, Fit.TAKES_CHANCES)


def free_s(night: NightView, *, by_pace: bool) -> float:
    """Return the time from which the machine is free for the next job: after the running one, and once the
    window is open.
    """
    start_s = night.window.start_s
    free = night.time_s if start_s is None else max(night.time_s, start_s)
    if night.job is None:
        return free
    expected_s = night.job.expected_end_s
    end_s = expected_s if by_pace and expected_s is not None else night.job.watchdog_s
    return max(free, end_s)


def with_window(night: NightView, start_s: float | None, end_s: float | None) -> NightView:
    """Return the night with another window: the jobs that would fit, and their times."""
    other = replace(night, window=replace(night.window, start_s=start_s, end_s=end_s, closing=False))
    waiting, at_s = waiting_of(other), free_s(other, by_pace=False)
    return replace(
        other,
        plan_by_estimate=lane_by_estimate(waiting, at_s, end_s) if end_s is not None else (),
        plan_by_pace=expected_plan(other),
        too_long=lane_of_too_long(waiting, at_s, end_s),
    )


def moved(waiting: Sequence[Waiting], request: int, place: int) -> list[Waiting]:
    """Return waiting jobs with one of them at another place, counted from 1."""
    found = [job for job in waiting if job.request == request]
    left = [job for job in waiting if job.request != request]
    at = min(max(place, 1), len(waiting)) - 1
    return [*left[:at], *found, *left[at:]]


def expected_plan(night: NightView) -> tuple[PlanBar, ...]:
    """Return the order of jobs up to the window's end if they end as expected."""
    return _lane(night, waiting_of(night))


def _lane(night: NightView, waiting: Sequence[Waiting]) -> tuple[PlanBar, ...]:
    if night.window.end_s is None or night.window.closing:
        return ()
    return lane_by_pace(waiting, free_s(night, by_pace=True), night.window.end_s)


@dataclass
class _Last:
    """The last queue that was requested, with its result: a drag asks often for the same one."""

    queue: tuple[QueueRow, ...] = ()
    cpus: int = 0
    waiting: tuple[Waiting, ...] = ()


_last = _Last()


def waiting_of(night: NightView) -> tuple[Waiting, ...]:
    """Return the queue as the plan takes it."""
    if _last.queue is not night.queue or _last.cpus != night.cpus:
        _last.queue, _last.cpus = night.queue, night.cpus
        _last.waiting = tuple(_as_waiting(row, night.cpus) for row in night.queue)
    return _last.waiting


def _as_waiting(row: QueueRow, cpus: int) -> Waiting:
    """Return a row as the plan takes it; whether a job that fits now takes chances is not shown in one."""
    shown = row.shown_efficiency
    expected_s = row.requested_cpu_s / (cpus * shown) if shown else row.estimate_s
    return Waiting(
        row.request,
        row.person,
        row.name,
        row.requested_cpu_s,
        row.estimate_s,
        expected_s,
        shown,
        take_chances=row.fit is Fit.TAKES_CHANCES,
        held="" if row.fit in _MAY_START else row.why,
    )


def move_sentence(night: NightView, request: int, place: int) -> str:
    """Return the effect of a move in a sentence or two."""
    waiting = waiting_of(night)
    name = next((row.name for row in night.queue if row.request == request), "")
    old, new = _lane(night, waiting), _lane(night, moved(waiting, request, place))
    if night.window.closing:
        return f"{name} moves to position {place} and is not started: the window is closing."
    sentences = [f"{name} moves to position {place} and {_runs(night, request, old, new)}."]
    gone = [bar for bar in old if bar.request not in {one.request for one in new} and bar.request != request]
    if gone:
        names = listed([_names(night)[bar.request] for bar in gone])
        sentences.append(f"{names} no longer {plural(len(gone), 'fits', 'fit')}.")
    return " ".join(sentences)


def _runs(night: NightView, request: int, old: Sequence[PlanBar], new: Sequence[PlanBar]) -> str:
    before, after = _comes_after(night, request, old), _comes_after(night, request, new)
    if after is None:
        return "does not run in this window" if before is None else "no longer fits"
    return f"still runs{after}" if before == after else f"runs{after}"


def _comes_after(night: NightView, request: int, bars: Sequence[PlanBar]) -> str | None:
    """Return ` after NAME` or ` first`; None for a job that does not run."""
    names = _names(night)
    before = night.job.name if night.job is not None else ""
    for bar in bars:
        if bar.request == request:
            return f" after {before}" if before else " first"
        before = names.get(bar.request, bar.label)
    return None


def _names(night: NightView) -> dict[int, str]:
    return {row.request: row.name for row in night.queue}
