"""The layout of the timeline, in pixels and seconds. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from fsconsole.app.nights.times import Times
from fsconsole.console.kit.lanes import AXIS, TOP, Bar, Lane, LanesLayout, TimeAxis
from fsconsole.neardedicated.job_view import end_words
from fsconsole.neardedicated.view import JobCard, NightView, PlanBar
from fsconsole.text import numbers
from fsconsole.text.durations import length_words
from fsconsole.text.words import more_label

LABELS = 152.0
REACH = 6.0  # Distance at which the pointer grips a mark.
NAMES = ("Running", "If estimates hold", "If jobs end as expected", "Does not fit")
_TIPS = ("", "If jobs run as long as estimated", "", "")
_LEAST_LANE = 12.0
_PAD_S = 900.0
_BESIDE_MARK = 8.0  # Distance in px from a mark to the text beside it.

Mark = Literal["start", "end"]


@dataclass(frozen=True, slots=True)
class Layout(LanesLayout):
    """Everything that is drawn.

    Attributes:
        start_x, end_x: marks of the window; None where there is none.
        expected_x, watchdog_x: marks of the running job.
        beside: words right of the watchdog's mark; spare: words behind the last planned job, at an x.
    """

    start_x: float | None
    end_x: float | None
    expected_x: float | None
    watchdog_x: float | None
    beside: tuple[str, str]
    spare: tuple[float, str] | None

    @property
    def beside_room(self) -> float:
        """Px right of the watchdog's mark, up to the window's end if that comes first; 0 without a mark."""
        if self.watchdog_x is None:
            return 0.0
        right = self.axis.right
        if self.end_x is not None and self.end_x > self.watchdog_x:
            right = min(right, self.end_x - 4)
        return max(right - self.watchdog_x - _BESIDE_MARK, 0.0)

    def mark_at(self, x: float) -> Mark | None:
        """Return the window's mark near a place; the end where both are."""
        for mark, at in (("end", self.end_x), ("start", self.start_x)):
            if at is not None and abs(at - x) <= REACH:
                return "end" if mark == "end" else "start"
        return None


def clear_of(left: float, right: float, needed: float, mark: float | None) -> tuple[float, float]:
    """Return the part of a room in which words as wide as `needed` are not crossed by a mark.

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
    """Return the times shown: the window with a margin, the present and the watchdog."""
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
    labels: float = LABELS,
    grown: float = 0,
) -> Layout:
    """Lay a night out; `one_lane` leaves all but the running job out, `span` keeps the times shown.

    `labels` is the width of the names of lanes, in pixels, `grown` by how much a line of text is higher than
    in the specification.
    """
    axis = TimeAxis.in_width(width, labels, span or span_of(night))
    window, job = night.window, night.job
    return Layout(
        axis=axis,
        ticks=tuple((axis.x(at), times.short(at)) for at in axis.round_times(times.day_s(axis.from_s))),
        lanes=_lanes(night, times, axis, height, 1 if one_lane else len(NAMES), grown),
        more=0,
        now_x=axis.mark(night.time_s),
        now=f"Now {times.clock(night.time_s)}",
        grown=grown,
        start_x=axis.mark(window.start_s),
        end_x=axis.mark(window.end_s),
        expected_x=axis.mark(job.expected_end_s) if job is not None else None,
        watchdog_x=axis.mark(job.watchdog_s) if job is not None else None,
        beside=_beside(job, night.cpus, times) if job is not None else ("", ""),
        spare=None if one_lane else _spare(night, axis),
    )


def _lanes(
    night: NightView, times: Times, axis: TimeAxis, height: float, count: int, grown: float
) -> tuple[Lane, ...]:
    """Return the lanes; the first one is a little higher than the others."""
    top = TOP + grown
    room = max(height - top - AXIS - grown, _LEAST_LANE * count)
    first = room if count == 1 else room / count + 3
    rest = (room - first) / max(count - 1, 1)
    heights = [first] + [rest] * (count - 1)
    inside = (
        lambda: _over(night, times, axis) + _running(night, times, axis),
        lambda: [_plan("plan", one, _long_words(one, times), times, axis) for one in night.plan_by_estimate],
        lambda: [_plan("plan", one, f"{one.place} {one.label}", times, axis) for one in night.plan_by_pace],
        lambda: _too_long(night, times, axis),
    )
    bars: tuple[Callable[[], list[Bar]], ...] = inside[:count]
    return tuple(
        Lane(
            "" if row else NAMES[0], NAMES[row] if row else "", top + sum(heights[:row]), heights[row],
            tuple(bar for bar in made() if bar.width > 0), _TIPS[row],
        )
        for row, made in enumerate(bars)
    )  # fmt: skip


def _over(night: NightView, times: Times, axis: TimeAxis) -> list[Bar]:
    """Return bars of the night's ended jobs."""
    bars = []
    for row in night.night.jobs if night.night is not None else ():
        end_s = row.start_s + row.wall_s
        name = f"{row.person} {row.name}"
        tip = f"{name}, {times.short(row.start_s)} to {times.short(end_s)}: {row.how}"
        bars.append(axis.bar("over", row.start_s, min(end_s, axis.to_s), name, tip, row.request))
    return bars


def _running(night: NightView, times: Times, axis: TimeAxis) -> list[Bar]:
    job = night.job
    if job is None:
        return []
    name = f"{job.person} {job.name}"
    tip = f"{name} since {times.short(job.started_s)}, watchdog at {times.short(job.watchdog_s)}"
    return [
        axis.bar("done", job.started_s, night.time_s, "", tip, job.request),
        axis.bar(
            "rest", night.time_s, job.watchdog_s, f"{name}\n{end_words(job, times.short)}", tip, job.request
        ),
    ]


def _too_long(night: NightView, times: Times, axis: TimeAxis) -> list[Bar]:
    """Return the first job that does not fit."""
    if not night.too_long:
        return []
    first = night.too_long[0]
    facts = [
        f"{first.place} {first.label}",
        *more_label(len(night.too_long) - 1),
        f"estimate {length_words(first.end_s - first.start_s)}",
        f"ends {times.short(first.end_s)}",
    ]
    return [_plan("too long", first, ", ".join(facts), times, axis)]


def _plan(kind: str, plan: PlanBar, words: str, times: Times, axis: TimeAxis) -> Bar:
    tip = f"{plan.place} {plan.label}, {times.short(plan.start_s)} to {times.short(plan.end_s)}"
    return axis.bar(kind, plan.start_s, plan.end_s, words, tip, plan.request)


def _long_words(plan: PlanBar, times: Times) -> str:
    planned = f"{plan.place} {plan.label} {times.short(plan.start_s)} to {times.short(plan.end_s)}"
    return f"{planned}, fits" if plan.fits else f"{planned}, does not fit"


def _beside(job: JobCard, cpus: int, times: Times) -> tuple[str, str]:
    """Return the action of the watchdog, and the source of the estimate."""
    if job.is_over:
        return job.state, ""
    factor = job.estimate_s * cpus / job.requested_cpu_s if job.requested_cpu_s else 0.0
    asked = f"{numbers.fixed(job.requested_cpu_s / 3600, 1).removesuffix('.0')} h CPU"
    origin = f"estimate {length_words(job.estimate_s)} = {asked} × {factor:.3g} ÷ {cpus} CPUs"
    extended_s = job.watchdog_s - job.started_s - job.estimate_s
    if abs(extended_s) >= 60:
        length = length_words(abs(extended_s))
        origin = f"extended by {length}, {origin}" if extended_s > 0 else f"cut by {length}, {origin}"
    return f"Watchdog kills at {times.short(job.watchdog_s)}", origin


def _spare(night: NightView, axis: TimeAxis) -> tuple[float, str] | None:
    end_s = night.window.end_s
    if end_s is None or not night.plan_by_estimate:
        return None
    last_s = max(bar.end_s for bar in night.plan_by_estimate)
    return (axis.x(last_s), f"{length_words(end_s - last_s)} left") if last_s <= end_s else None
