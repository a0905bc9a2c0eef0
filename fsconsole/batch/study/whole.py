"""The period of a run of all jobs."""

from __future__ import annotations

from fsconsole.batch.months import Period
from fsconsole.batch.schedule import Schedule


def whole_period(schedule: Schedule) -> Period:
    """From the first submit to the last end; what measures take where nobody names a period."""
    if not len(schedule.jobs):
        return Period(0, 1, "whole trace")
    return Period(int(schedule.jobs.submit_s[0]), int(schedule.end_s.max()), "whole trace")
