"""When the running job will end at the pace that it has [ours]."""

from __future__ import annotations

from fsconsole.neardedicated.state import Run


def expected_end_s(
    now_s: float, left_cpu_s: float, tasks: int, efficiency: float | None, watchdog_s: float
) -> float | None:
    """Time at which all CPU time asked for is used, if it goes on at an efficiency; times in s since 0.

    What was asked for is all that is known: a job that needs less ends earlier. The watchdog ends what is too
    slow for it; nothing ends before now; None without an efficiency. The mock-up has 16 h asked for on 8
    processors, of which 4:34:51 are used by 23:45 at 89.7 %: that comes to 01:20 here, where it says 01:13,
    which is 16 h at that efficiency from the job's start on, without its setup.
    """
    if efficiency is None:
        return None
    latest_s = max(now_s, watchdog_s)
    left_s = max(0.0, left_cpu_s)
    if left_s >= tasks * efficiency * (latest_s - now_s):
        return latest_s
    return now_s + left_s / (tasks * efficiency)


def pace_of(run: Run, shown: float | None, mean: float | None) -> float | None:
    """CPU efficiency to go by: that of the last whole interval, before one is over what was shown, or so far.

    An interval in part of which the job prepared says nothing of its pace.
    """
    last = run.history[-1] if run.history else None
    if last is not None and last.efficiency is not None and not last.partly_setup:
        return last.efficiency
    return mean if shown is None else shown
