"""What an operator's action would do, computed on what is shown."""

from __future__ import annotations

from fsconsole.neardedicated.view import ExtendEffect, Fit, NightView, QueueRow


def extend_effect(night: NightView, by_s: float) -> ExtendEffect | None:
    """What extending the running job would do; None where none runs."""
    if night.job is None:
        return None
    watchdog_s = night.job.watchdog_s + by_s
    end_s = night.window.end_s
    past = 0.0 if end_s is None else max(0.0, watchdog_s - end_s)
    problem = "" if watchdog_s > night.time_s else "the watchdog would have to kill it in the past"
    lost = tuple(row for row in night.queue if _is_lost(row, night.job.watchdog_s, watchdog_s, end_s))
    return ExtendEffect(watchdog_s, end_s, past, lost, problem)


def no_longer_fits(estimate_s: float, before_s: float, after_s: float, end_s: float | None) -> bool:
    """Whether a job would end in time if it started before, but not if it started after."""
    return end_s is not None and before_s + estimate_s <= end_s < after_s + estimate_s


def _is_lost(row: QueueRow, before_s: float, after_s: float, end_s: float | None) -> bool:
    return row.fit is Fit.FITS and no_longer_fits(row.estimate_s, before_s, after_s, end_s)
