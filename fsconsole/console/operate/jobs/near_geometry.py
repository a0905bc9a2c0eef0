"""Where the time line of the near-dedicated class has its rows, in pixels and seconds. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from fsconsole.console.operate.jobs import moments
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.near_dedicated import DedicatedView, NdClass, RowKind, TimeRow
from fsconsole.slurm.preemption import Certainty

LABELS = 168.0
RIGHT = 12.0
TOP = 24.0
AXIS = 18.0
LEAST_LANE = 18.0
MOST_LANE = 30.0
_MARGIN_S = 600.0
_MOST_BACK_S, _MOST_AHEAD_S = 6 * 3600.0, 24 * 3600.0
_TICK_PX = 90.0
_STEPS_S = (300.0, 900.0, 1800.0, 3600.0, 7200.0, 14400.0, 21600.0, 43200.0)

_SURE = {Certainty.LIKELY: "probably", Certainty.POSSIBLE: "possibly"}

Style = Literal["reserved", "done", "rest", "displaced"]


@dataclass(frozen=True, slots=True)
class Bar:
    """A box of a lane; `before` and `beyond` where it goes on past an end of what is shown."""

    style: Style
    x: float
    width: float
    words: str = ""
    before: bool = False
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """A row: whose it is, its boxes, and what the pointer is told; `job` is a job's number, 0 for none."""

    words: str
    rest: str
    y: float
    height: float
    bars: tuple[Bar, ...]
    tip: str
    job: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Everything that is drawn.

    Attributes:
        left, right: ends of the plot in px; from_s, to_s the times there, seconds since 1970.
        lanes: from the top; more: how many rows there was no room for.
        now_x: the present; ticks: x and words of the axis.
    """

    left: float
    right: float
    from_s: float
    to_s: float
    lanes: tuple[Lane, ...]
    more: int
    now_x: float
    now: str
    ticks: tuple[tuple[float, str], ...]

    def lane_at(self, y: float) -> Lane | None:
        """The row at a height."""
        return next((lane for lane in self.lanes if lane.y <= y < lane.y + lane.height), None)


@dataclass(frozen=True, slots=True)
class _Scale:
    left: float
    right: float
    from_s: float
    to_s: float

    def x(self, time_s: float) -> float:
        within = min(max(time_s, self.from_s), self.to_s)
        return self.left + (within - self.from_s) / (self.to_s - self.from_s) * (self.right - self.left)


def layout_of(view: DedicatedView, width: float, height: float) -> Layout:
    """Place the rows of a view in a widget of a size, px; as many as there is room for."""
    from_s, to_s = span_of(view)
    scale = _Scale(LABELS, max(width - RIGHT, LABELS + 40.0), from_s, to_s)
    room = max(height - TOP - AXIS, LEAST_LANE)
    fitting = max(int(room // LEAST_LANE), 1)
    more = max(len(view.rows) - fitting, 0)
    if more:
        fitting = max(fitting - 1, 1)  # the last lane says how many more there are
        more = len(view.rows) - fitting
    rows = view.rows[:fitting]
    each = min(max(room / max(len(rows) + bool(more), 1), LEAST_LANE), MOST_LANE)
    facts = _Facts.of(view)
    lanes = tuple(_lane(row, TOP + each * place, each, scale, view, facts) for place, row in enumerate(rows))
    ticks = tuple((scale.x(at), words) for at, words in _ticks(scale))
    now = f"Now {moments.clock(view.now_s)}"
    return Layout(scale.left, scale.right, from_s, to_s, lanes, more, scale.x(view.now_s), now, ticks)


def span_of(view: DedicatedView) -> tuple[float, float]:
    """The times shown: all rows with a margin, but not too long ago and not too far ahead."""
    now_s = view.now_s
    starts = [row.start_s for row in view.rows]
    ends = [row.end_s for row in view.rows if row.end_s is not None]
    first = max(min([now_s, *starts]), now_s - _MOST_BACK_S)
    last = min(max([now_s, *starts, *ends]), now_s + _MOST_AHEAD_S)
    margin = max(_MARGIN_S, (last - first) * 0.04)
    return first - margin, last + margin


@dataclass(frozen=True, slots=True)
class _Facts:
    """Jobs and classes of a view by their names."""

    jobs: Mapping[str, Job]
    classes: Mapping[str, NdClass]

    @staticmethod
    def of(view: DedicatedView) -> _Facts:
        jobs = {one.job.label: one.job for each in view.classes for one in each.running}
        jobs |= {one.job.label: one.job for one in view.displaced}
        return _Facts(jobs, {one.name: one for one in view.classes})


def _lane(row: TimeRow, y: float, height: float, scale: _Scale, view: DedicatedView, facts: _Facts) -> Lane:
    if row.kind is RowKind.RESERVATION:
        return _reservation(row, y, height, scale, view, facts.classes.get(row.of))
    job = facts.jobs.get(row.label)
    name = f"{row.label} {job.user}" if job is not None else row.label
    number = job.job_id if job is not None else 0
    if row.kind is RowKind.RUNNING:
        bars, tip = _running(row, scale, view, job)
        return Lane(name, row.of, y, height, bars, tip, number)
    lost = next((one for one in view.displaced if one.job.label == row.label), None)
    how = f"{lost.effect.value}ed".replace("ee", "e") if lost is not None else "displaced"
    by = f", {_SURE[lost.certainty]} by {lost.by[0].label}" if lost is not None else ""
    words = f"{how} since {moments.clock(row.start_s)}{by}"
    bar = _bar("displaced", row.start_s, view.now_s, scale, words)
    tip = f"{name}: {words}. That is worked out here; Slurm does not record it."
    return Lane(name, "displaced", y, height, (bar,), tip, number)


def _reservation(
    row: TimeRow, y: float, height: float, scale: _Scale, view: DedicatedView, one: NdClass | None
) -> Lane:
    end_s = row.end_s if row.end_s is not None else scale.to_s + 1
    who = ", ".join([*one.users, *one.accounts]) if one is not None else ""
    nodes = f"{row.nodes} node{'' if row.nodes == 1 else 's'}"
    if row.start_s > view.now_s:
        when = f"begins {moments.moment(row.start_s, view.now_s)}"
    else:
        when = f"{moments.length(end_s - view.now_s)} left" if end_s > view.now_s else "over"
    words = ", ".join(filter(None, (who, nodes, when)))
    ends = f"{moments.moment(row.start_s, view.now_s)} to {moments.moment(row.end_s, view.now_s)}"
    tip = f"Reservation {row.label}, {ends}: {words}"
    return Lane(
        row.label, "reservation", y, height, (_bar("reserved", row.start_s, end_s, scale, words),), tip, 0
    )


def _running(
    row: TimeRow, scale: _Scale, view: DedicatedView, job: Job | None
) -> tuple[tuple[Bar, ...], str]:
    now_s = view.now_s
    done = _bar("done", row.start_s, now_s, scale)
    end_s = row.end_s if row.end_s is not None else scale.to_s + 1
    ends = (
        f"ends at {moments.moment(row.end_s, now_s)} at the latest" if row.end_s is not None else "no limit"
    )
    about = f"{job.name}, {job.nodes}" if job is not None else ""
    words = ", ".join(filter(None, (about, ends)))
    tip = f"{row.label} in {row.of} since {moments.moment(row.start_s, now_s)}: {words}"
    return (done, _bar("rest", now_s, max(end_s, now_s), scale, words)), tip


def _bar(style: Style, start_s: float, end_s: float, scale: _Scale, words: str = "") -> Bar:
    x = scale.x(start_s)
    end = max(scale.x(end_s), x)  # the cluster's clock may be ahead of ours
    return Bar(style, x, end - x, words, start_s < scale.from_s, end_s > scale.to_s)


def _ticks(scale: _Scale) -> list[tuple[float, str]]:
    """Round times of the clock here."""
    per_s = (scale.right - scale.left) / (scale.to_s - scale.from_s)
    step_s = next((step for step in _STEPS_S if step * per_s >= _TICK_PX), _STEPS_S[-1])
    offset = moments.local(scale.from_s).utcoffset()
    zone_s = offset.total_seconds() if offset is not None else 0.0
    first_s = scale.from_s + (-(scale.from_s + zone_s)) % step_s
    count = int((scale.to_s - first_s) // step_s) + 1
    times = [first_s + number * step_s for number in range(max(count, 0))]
    return [(at, f"{moments.local(at):%H:%M}") for at in times]
