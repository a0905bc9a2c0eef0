"""Slowdowns in the three forms of a bounded slowdown, and the nearest rank (rule 8 of the batch rules).

The paper's text and its formula differ: jobs shorter than a minute "are treated as 1-minute jobs", but the
formula divides wait + runtime by the bounded runtime, which can be below 1.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

import numpy as np
import polars as pl

from fsconsole.batch.job_table import Floats, Ints

BOUND_S = 60

Count = TypeVar("Count", int, pl.Expr)


class SlowdownForm(StrEnum):
    """Form of a slowdown; the paper's formula is `BOUNDED`."""

    BOUNDED = "bounded"  # The formula is (wait + T) / max(60 s, T).
    AT_LEAST_1 = "at least 1"  # It is the same, but at least 1 (Feitelson's bounded slowdown).
    MINUTE_JOB = "minute job"  # The formula is (wait + max(60 s, T)) / max(60 s, T).


def slowdown(wait_s: Ints, runtime_s: Ints, form: SlowdownForm = SlowdownForm.BOUNDED) -> Floats:
    """Return the slowdown of each job, float64 [jobs].

    Args:
        wait_s: wait of each job in s, int64 [jobs].
        runtime_s: runtime T of each job in s, int64 [jobs].
        form: the formula, as `SlowdownForm` has it.
    """
    bounded_s = np.maximum(runtime_s, BOUND_S)
    if form is SlowdownForm.MINUTE_JOB:
        return (wait_s + bounded_s) / bounded_s
    ratio: Floats = (wait_s + runtime_s) / bounded_s
    return np.maximum(ratio, 1.0) if form is SlowdownForm.AT_LEAST_1 else ratio


def p99_rank(count: Count) -> Count:
    """Return the nearest rank of the 99th percentile, ceil(0.99 count), counted from 1, without rounding."""
    return (99 * count + 99) // 100


def p99(values: Ints) -> int:
    """Return the 99th percentile of [n] values by nearest rank, which is one of the values.

    Raises:
        ValueError: there are no values.
    """
    if not len(values):
        msg = "a percentile needs at least one value"
        raise ValueError(msg)
    rank = p99_rank(len(values)) - 1
    return int(np.partition(values, rank)[rank])
