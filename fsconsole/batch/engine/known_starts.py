"""Latest starts found so far, by classes of nodes and runtimes.

Nodes and runtimes are divided into classes, eight to a doubling. A two-dimensional Fenwick tree stores the
starts: each entry holds the latest start in a range of classes. A query over all smaller and shorter classes
takes a few dozen steps.

Source: Fenwick, A new data structure for cumulative frequency tables, 1994; here with maxima.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from fsconsole.batch.job_table import Ints
from fsconsole.policies.compiled import compiled

_FINE = 3  # A class keeps this many binary digits behind the first one.
_FINE_CLASSES = 1 << _FINE


def nothing_known(most_nodes: int, longest_s: int) -> Ints:
    """Return an empty table for jobs up to a size and a runtime, int64 [classes, classes]."""
    rows, columns = ((_FINE_CLASSES + 1) * (most.bit_length() + 1) for most in (most_nodes, longest_s))
    return np.zeros((rows, columns), dtype=np.int64)


@compiled
def no_start_before(known: Ints, nodes: int, runtime_s: int) -> int:
    """Return the latest start found for a job that is neither larger nor longer; 0 without such a job."""
    found = 0
    row = _class_below(nodes)
    while row > 0:
        column = _class_below(runtime_s)
        while column > 0:
            found = max(found, known[row, column])
            column &= column - 1
        row &= row - 1
    return found


@compiled
def learn(known: Ints, nodes: int, runtime_s: int, start: int) -> None:
    """Record the first possible start of a job."""
    row = _class_above(nodes)
    while row < known.shape[0]:
        column = _class_above(runtime_s)
        while column < known.shape[1]:
            known[row, column] = max(known[row, column], start)
            column += column & -column
        row += row & -row


@compiled
def _class_below(value: int) -> int:
    """Return the largest class, from 1, that begins at or below a value above 0."""
    shift = 0
    while value >> (shift + _FINE + 1) > 0:
        shift += 1
    return (shift << _FINE) + (value >> shift)


@compiled
def _class_above(value: int) -> int:
    """Return the smallest class that begins at or above a value above 0."""
    below = _class_below(value)
    shift = 0
    while value >> (shift + _FINE + 1) > 0:
        shift += 1
    return below + int(value >> shift << shift < value)
