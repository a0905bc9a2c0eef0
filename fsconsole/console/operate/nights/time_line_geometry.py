"""Where everything in the time line stands, in pixels and seconds. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.console.operate.nights.words import Times, length
from fsconsole.figures.style import numbers
from fsconsole.neardedicated.view import JobCard, NightView, PlanBar

LABELS = 152.0
RIGHT = 14.0
TOP = 26.0
AXIS = 20.0
REACH = 6.0  # how far from a mark it can be taken hold of
LANES = ("Running", "If estimates are used", "If jobs end as expected", "Does not fit")
_LEAST_LANE = 12.0
_PAD_S = 900.0
_BESIDE_MARK = 8.0  # px from a mark to words behind it
_TICK_PX = 90.0
_STEPS_S = (900.0, 1800.0, 3600.0, 7200.0, 14400.0, 21600.0, 43200.0, 86400.0)

Mark = Literal["start", "end"]
Kind = Literal["over", "done", "rest", "plan", "too long"]


@dataclass(frozen=True, slots=True)
class Lane:
    """A row: its words and where it is."""

    words: str
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A box in a lane; `beyond` where it goes on past the right end."""

    kind: Kind
    lane: int
    x: float
    width: float
    words: str
    tip: str
    request: int
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that is drawn.

    Attributes:
        left, right: ends of the plot in px; from_s, to_s the times there.
        lanes, bars: rows and what is in them.
        start_x, end_x, now_x: marks of the window and of the present; None where there is none.
        expected_x, watchdog_x: marks of the running job.
        beside: words right of the watchdog's mark; spare: words behind the last planned job, at an x.
        ticks: x and words of the axis.
    """

    left: float
    right: float
    from_s: float
    to_s: float
    lanes: tuple[Lane, ...]
    bars: tuple[Bar, ...]
    start_x: float | None
    end_x: float | None
    now_x: float | None
    expected_x: float | None
    watchdog_x: float | None
    beside: tuple[str, str]
    spare: tuple[float, str] | None
    ticks: tuple[tuple[float, str], ...]

    @property
    def beside_room(self) -> float:
        """Px right of the watchdog's mark, up to the window's end if that comes first; 0 without a mark."""
        if self.watchdog_x is None:
            return 0.0
        right = self.right
        if self.end_x is not None and self.end_x > self.watchdog_x:
            right = min(right, self.end_x - 4)
        return max(right - self.watchdog_x - _BESIDE_MARK, 0.0)

    def x(self, time_s: float) -> float:
        """Where a time is, inside the plot."""
        part = (time_s - self.from_s) / (self.to_s - self.from_s)
        return self.left + min(max(part, 0.0), 1.0) * (self.right - self.left)

    def time(self, x: float) -> float:
        """The time at a place."""
        return self.from_s + (x - self.left) / (self.right - self.left) * (self.to_s - self.from_s)

    def mark_at(self, x: float) -> Mark | None:
        """The window's mark near a place; the end where both are."""
        for mark, at in (("end", self.end_x), ("start", self.start_x)):
            if at is not None and abs(at - x) <= REACH:
                return "end" if mark == "end" else "start"
        return None

    def bar_at(self, x: float, y: float) -> Bar | None:
        """The box at a place."""
        for bar in self.bars:
            lane = self.lanes[bar.lane]
            if bar.x <= x <= bar.x + bar.width and lane.y <= y <= lane.y + lane.height:
                return bar
        return None


def clear_of(left: float, right: float, needed: float, mark: float | None) -> tuple[float, float]:
    """The part of a room in which words as wide as `needed` are not crossed by a mark.

    Before the mark if they fit there, else behind it, else in the wider part, where they are cut.
    """
    if mark is None or not left - _BESIDE_MARK < mark < right + _BESIDE_MARK:
        return left, right
    if mark >= left + needed + 4:
        return left, right
    before, behind = mark - 4 - left, right - mark - _BESIDE_MARK
    if behind >= min(needed, max(before, 0.0)):
        return max(left, mark + _BESIDE_MARK), right
    return left, max(left, mark - 4)


def span_of(night: NightView) -> tuple[float, float]:
    """The times shown: the window with a margin, the present and the watchdog."""
    times = [night.time_s]
    times += [time_s for time_s in (night.window.start_s, night.window.end_s) if time_s is not None]
    if night.job is not None:
        times += [night.job.started_s, night.job.watchdog_s]
    if len(times) == 1:
        times.append(night.time_s + 8 * 3600.0)
    return min(times) - _PAD_S, max(times) + _PAD_S


def layout_of(
    night: NightView,
    times: Times,
    width: float,
    height: float,
    *,
    one_lane: bool = False,
    span: tuple[float, float] | None = None,
) -> Layout:
    """Lay a night out; `one_lane` leaves all but the running job out, `span` keeps the times shown."""
    from_s, to_s = span or span_of(night)
    left, right = LABELS, max(width - RIGHT, LABELS + 100)
    scale = _Scale(left, right, from_s, to_s)
    lanes = _lanes(height, 1 if one_lane else len(LANES))
    window, job = night.window, night.job
    return Layout(
        left=left,
        right=right,
        from_s=from_s,
        to_s=to_s,
        lanes=lanes,
        bars=tuple(bar for bar in _bars(night, times, scale) if bar.lane < len(lanes)),
        start_x=scale.mark(window.start_s),
        end_x=scale.mark(window.end_s),
        now_x=scale.mark(night.time_s),
        expected_x=scale.mark(job.expected_end_s) if job is not None else None,
        watchdog_x=scale.mark(job.watchdog_s) if job is not None else None,
        beside=_beside(job, night.cpus, times) if job is not None else ("", ""),
        spare=None if one_lane else _spare(night, scale),
        ticks=tuple((scale.x(at), times.short(at)) for at in _ticks(times, scale)),
    )


@dataclass(frozen=True, slots=True)
class _Scale:
    left: float
    right: float
    from_s: float
    to_s: float

    def x(self, time_s: float) -> float:
        return self.left + (time_s - self.from_s) / (self.to_s - self.from_s) * (self.right - self.left)

    def mark(self, time_s: float | None) -> float | None:
        return None if time_s is None or not self.from_s <= time_s <= self.to_s else self.x(time_s)


def _lanes(height: float, count: int) -> tuple[Lane, ...]:
    """The first lane is a little higher than the others."""
    room = max(height - TOP - AXIS, _LEAST_LANE * count)
    first = room if count == 1 else room / count + 3
    rest = (room - first) / max(count - 1, 1)
    heights = [first] + [rest] * (count - 1)
    return tuple(Lane(LANES[row], TOP + sum(heights[:row]), heights[row]) for row in range(count))


def _bars(night: NightView, times: Times, scale: _Scale) -> list[Bar]:
    bars = _over(night, times, scale) + _running(night, times, scale)
    for lane, plan in ((1, night.plan_by_estimate), (2, night.plan_by_pace)):
        words = _long_words if lane == 1 else _short_words
        bars += [_bar("plan", lane, one, words(one, times), times, scale) for one in plan]
    if night.too_long:
        first = night.too_long[0]
        more = f" and {len(night.too_long) - 1} more," if len(night.too_long) > 1 else ""
        said = f"{first.place} {first.label}{more} estimate {length(first.end_s - first.start_s)}, ends"
        bars.append(_bar("too long", 3, first, f"{said} {times.short(first.end_s)}", times, scale))
    return [bar for bar in bars if bar.width > 0]


def _over(night: NightView, times: Times, scale: _Scale) -> list[Bar]:
    """Jobs of the night that have ended."""
    bars = []
    for row in night.night.jobs if night.night is not None else ():
        end_s = row.start_s + row.wall_s
        if end_s <= scale.from_s or row.start_s >= scale.to_s:
            continue
        x, end = scale.x(max(row.start_s, scale.from_s)), scale.x(min(end_s, scale.to_s))
        name = f"{row.person} {row.name}"
        tip = f"{name}, {times.short(row.start_s)} to {times.short(end_s)}: {row.how}"
        bars.append(Bar("over", 0, x, end - x, name, tip, row.request))
    return bars


def _running(night: NightView, times: Times, scale: _Scale) -> list[Bar]:
    job = night.job
    if job is None:
        return []
    name = f"{job.person} {job.name}"
    start, now, end = (scale.x(at) for at in (job.started_s, night.time_s, job.watchdog_s))
    tip = f"{name} since {times.short(job.started_s)}, watchdog at {times.short(job.watchdog_s)}"
    expected = f"expected end {times.short(job.expected_end_s)}" if job.expected_end_s is not None else ""
    return [
        Bar("done", 0, start, now - start, "", tip, job.request),
        Bar("rest", 0, now, end - now, f"{name}\n{expected}", tip, job.request),
    ]


def _bar(kind: Kind, lane: int, plan: PlanBar, words: str, times: Times, scale: _Scale) -> Bar:
    x, end = scale.x(max(plan.start_s, scale.from_s)), scale.x(min(plan.end_s, scale.to_s))
    tip = f"{plan.place} {plan.label}, {times.short(plan.start_s)} to {times.short(plan.end_s)}"
    return Bar(kind, lane, x, end - x, words, tip, plan.request, plan.end_s > scale.to_s)


def _long_words(plan: PlanBar, times: Times) -> str:
    fits = "fits" if plan.fits else "does not fit"
    return f"{plan.place} {plan.label} {times.short(plan.start_s)} to {times.short(plan.end_s)}, {fits}"


def _short_words(plan: PlanBar, _times: Times) -> str:
    return f"{plan.place} {plan.label}"


def _beside(job: JobCard, cpus: int, times: Times) -> tuple[str, str]:
    """What the watchdog does, and where the estimate comes from."""
    if job.is_over:
        return job.state, ""
    factor = job.estimate_s * cpus / job.requested_cpu_s if job.requested_cpu_s else 0.0
    asked = f"{numbers.fixed(job.requested_cpu_s / 3600, 1).removesuffix('.0')} h CPU"
    said = f"estimate {length(job.estimate_s)} = {asked} × {factor:.3g} ÷ {cpus} CPUs"
    extended_s = job.watchdog_s - job.started_s - job.estimate_s
    if abs(extended_s) >= 60:
        said = f"{'extended' if extended_s > 0 else 'cut'} by {length(abs(extended_s))}, {said}"
    return f"Watchdog kills at {times.short(job.watchdog_s)}", said


def _spare(night: NightView, scale: _Scale) -> tuple[float, str] | None:
    end_s = night.window.end_s
    if end_s is None or not night.plan_by_estimate:
        return None
    last_s = max(bar.end_s for bar in night.plan_by_estimate)
    return (scale.x(last_s), f"{length(end_s - last_s)} left") if last_s <= end_s else None


def _ticks(times: Times, scale: _Scale) -> list[float]:
    px_per_s = (scale.right - scale.left) / (scale.to_s - scale.from_s)
    step_s = next((step for step in _STEPS_S if step * px_per_s >= _TICK_PX), _STEPS_S[-1])
    return times.ticks(scale.from_s, scale.to_s, step_s)
