"""One user under classic fairshare with a fixed time for halving it: the effects of planned jobs.

Source: Yalim, section 3, equations 8 and 9, Figure 3. When a fairshare is reached for good is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fsconsole.app.forecast.entry import DAY_S, HOUR_S, WEEK_S
from fsconsole.app.forecast.jobs import PAPER_JOBS, Job, jobs_from_json, jobs_to_json
from fsconsole.slurm.damping import Controlled, controlled, controlled_fairshare
from fsconsole.slurm.decay import continuous_path, decay_rate

PAPER_TARGET_H = 10_000.0
PAPER_NOTE = "The paper states that F stays above 0.85. Its own equations give 0.349 at week 5."
_NUMBERS = ("target_h", "damping", "usage_h", "half_life_d", "until_wk")


@dataclass(frozen=True, slots=True)
class OneUser:
    """Parameters of the forecast; the defaults are those of the paper's Figure 3.

    Attributes:
        jobs: planned jobs.
        target_h: u* = d times the mean usage, core-hours at which fairshare is one half.
        damping: d, which changes u* while the mean usage stays.
        usage_h: present raw usage, core-hours.
        half_life_d: half-life of usage, days.
        until_wk: end of the forecast, weeks.
        compared: another d, at the same mean usage, or None.
        wished: fairshare to reach again, or None.
    """

    jobs: tuple[Job, ...] = PAPER_JOBS
    target_h: float = PAPER_TARGET_H
    damping: float = 1.0
    usage_h: float = 0.0
    half_life_d: float = 7.0
    until_wk: float = 8.0
    compared: float | None = 2.0
    wished: float | None = None

    @property
    def is_papers(self) -> bool:
        """True if the question is the paper's table, with its hours and half-life."""
        numbers = (self.target_h, self.usage_h, self.half_life_d)
        return self.jobs == PAPER_JOBS and numbers == (PAPER_TARGET_H, 0.0, 7.0)

    @property
    def mean_h(self) -> float:
        """Mean usage of all users, core-hours."""
        return self.target_h / self.damping

    @property
    def half_life_s(self) -> float:
        """Half-life of usage, s."""
        return self.half_life_d * DAY_S

    @property
    def until_s(self) -> float:
        """End of the curves, s."""
        return self.until_wk * WEEK_S

    def to_json(self) -> dict[str, object]:
        """Return plain values for the preferences."""
        numbers = {name: getattr(self, name) for name in (*_NUMBERS, "compared", "wished")}
        return {"jobs": jobs_to_json(self.jobs), **numbers}

    @classmethod
    def from_json(cls, found: Mapping[str, object]) -> OneUser:
        """Return the remembered question, or the initial one where that is unreadable."""
        first = cls()
        jobs = jobs_from_json(found.get("jobs"), first.jobs)
        numbers = {name: _number(found.get(name), getattr(first, name)) for name in _NUMBERS}
        numbers["usage_h"] = _number(found.get("usage_h"), 0.0, can_be_0=True)
        compared, wished = (_maybe(found, name, getattr(first, name)) for name in ("compared", "wished"))
        if wished is not None and wished > 1:
            wished = None
        return cls(jobs, **numbers, compared=compared, wished=wished)


def _number(found: object, otherwise: float, *, can_be_0: bool = False) -> float:
    is_number = isinstance(found, int | float) and not isinstance(found, bool) and math.isfinite(found)
    if not is_number or not isinstance(found, int | float):
        return otherwise
    return float(found) if found > 0 or (can_be_0 and found == 0) else otherwise


def _maybe(found: Mapping[str, object], name: str, otherwise: float | None) -> float | None:
    if name not in found:
        return otherwise
    value = _number(found[name], math.nan)
    return None if math.isnan(value) else value


@dataclass(frozen=True, eq=False, slots=True)
class OneOutlook:
    """Result: the curves, fairshare with the other d, ends of jobs in sight, time when the wish holds (s)."""

    asked: OneUser
    path: Controlled
    compared: Controlled | None
    marks_s: tuple[float, ...]
    reached_s: float | None

    def fairshare_at(self, time_s: float) -> float:
        """Return F at one of the times."""
        return float(self.path.fairshare[int(np.searchsorted(self.path.times_s, time_s))])


def look(asked: OneUser) -> OneOutlook:
    """Compute the outlook for the typed numbers.

    Raises:
        ValueError: a number is impossible, as in `controlled`.
    """
    spells = [job.spell for job in asked.jobs]
    path = controlled(asked.usage_h, spells, asked.target_h, asked.until_s, asked.half_life_s)
    compared = None
    if asked.compared is not None:
        fairshare = controlled_fairshare(path.usage_h, asked.mean_h * asked.compared)
        compared = Controlled(path.times_s, path.usage_h, fairshare)
    # The paper also gives F where a job begins after a rest: at week 2.5.
    ends = {job.end_s for job in asked.jobs} | {job.start_s for job in asked.jobs if job.start_s > 0}
    marks = tuple(sorted(time for time in ends if time <= asked.until_s))
    return OneOutlook(asked, path, compared, marks, reached_s(asked))


def reached_s(asked: OneUser) -> float | None:
    """Return the time from which fairshare stays at least as wished, s from now; None without a wish.

    Exact: between beginnings and ends of jobs usage tends to what the cores make of it, equation 9. Only a
    wish of 1 is never reached once anything was used.
    """
    if asked.wished is None:
        return None
    most_h = -asked.target_h * math.log2(asked.wished)
    times = sorted({0.0, *(time for job in asked.jobs for time in (job.start_s, job.end_s))})
    decay = decay_rate(asked.half_life_s)
    usage_h = _usage_h(asked, times)
    for number in range(len(times) - 1, -1, -1):
        tends_to_h = _cores_from(asked, times[number]) / (decay * HOUR_S)
        last_s = times[number + 1] if number + 1 < len(times) else math.inf
        end_h = usage_h[number + 1] if number + 1 < len(times) else tends_to_h
        if end_h > most_h:
            return last_s
        if usage_h[number] > most_h:
            return times[number] + _falls_in(usage_h[number], tends_to_h, most_h, decay)
    return 0.0


def _usage_h(asked: OneUser, times: list[float]) -> list[float]:
    spells = [job.spell for job in asked.jobs]
    path = continuous_path(asked.usage_h * HOUR_S, spells, asked.half_life_s, np.array(times))
    return [float(value) for value in path / HOUR_S]


def _cores_from(asked: OneUser, time_s: float) -> float:
    return sum(job.cores for job in asked.jobs if job.start_s <= time_s < job.end_s)


def _falls_in(usage_h: float, tends_to_h: float, most_h: float, decay: float) -> float:
    """Return the time in which usage falls to a limit, s; infinite for one that it only tends to."""
    left = (most_h - tends_to_h) / (usage_h - tends_to_h)
    return -math.log(left) / decay if left > 0 else math.inf
