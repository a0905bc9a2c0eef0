"""Fairness of a schedule in one number: Jain's index, Gini's coefficient, the share error over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.measures.entitlement import used_and_entitled
from fsconsole.batch.schedule import Schedule


def jain_index(values: Floats) -> float | None:
    """Return Jain's fairness index of values [users]: 1/n (one has all) to 1 (all have the same).

    None if no value is above 0.

    Source: Jain, Chiu and Hawe, A Quantitative Measure of Fairness and Discrimination for Resource Allocation
    in Shared Computer Systems, DEC-TR-301, 1984.
    """
    square = float((values**2).sum())
    return float(values.sum()) ** 2 / (len(values) * square) if square > 0 else None


def gini(values: Floats) -> float | None:
    """Return Gini's coefficient of values [users]: 0 (all equal) to 1 - 1/n (one has all).

    None if no value is above 0.

    Source: Gini, Variabilità e mutabilità, 1912; half the mean absolute difference over the mean.
    """
    total = float(values.sum())
    if total <= 0:
        return None
    many = len(values)
    ranks = np.arange(1, many + 1)
    return float((2 * ranks - many - 1) @ np.sort(values)) / (many * total)


@dataclass(frozen=True, eq=False, slots=True)
class ShareErrors:
    """The missed entitlement of users, bin by bin.

    Attributes:
        missed: node-seconds in each bin that users were entitled to but did not use, [bins].
        entitled: node-seconds that all users were entitled to, [bins].
    """

    missed: Floats
    entitled: Floats

    @property
    def by_bin(self) -> Floats:
        """Missed fraction of the entitlement, 0 to 1, [bins]; NaN without users."""
        with np.errstate(invalid="ignore"):
            found: Floats = self.missed / np.where(self.entitled > 0, self.entitled, np.nan)
        return found

    @property
    def mean(self) -> float | None:
        """Missed fraction over all bins."""
        total = float(self.entitled.sum())
        return float(self.missed.sum()) / total if total > 0 else None


def share_errors(schedule: Schedule, edges_s: Ints) -> ShareErrors:
    """Return the share error over time: users' missed entitlement in each bin.

    The missed part was used by others, or idle. A user who gets Monday's entitlement on Tuesday has missed it
    with bins of a day but not with bins of a week: the measure adds this to the deviation over a whole month.

    Source: ours, after the deviation of Vasupongayya, section III-C, and the service lag of
    proportional-share schedulers (Stoica et al., RTSS 1996).

    Args:
        schedule: a schedule of any origin.
        edges_s: starts of the bins and end of the last one, seconds of the trace, [bins + 1].
    """
    used, entitled = used_and_entitled(schedule, edges_s)
    return share_errors_of(used, entitled)


def share_errors_of(used: Ints, entitled: Floats) -> ShareErrors:
    """Return the share error of each bin from node-seconds used and entitled, [users, bins]."""
    return ShareErrors(np.maximum(entitled - used, 0.0).sum(axis=0), entitled.sum(axis=0))
