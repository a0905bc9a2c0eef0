"""Live curves of the console: sampled columns, and shares without system groups.

Rescaled columns are stored beside the recorded ones, so that minima and maxima of merged samples are exact in
both. Run folders hold both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fsconsole.machine.sample import COLUMNS, Sample
from fsconsole.recording.run_format import RESCALED
from fsconsole.recording.series import TieredSeries
from fsconsole.shares.flat import FlatTree, Ints
from fsconsole.targets.base import without_system

# Larger trees always keep the curves of this many nodes, and of the watched ones.
MAX_KEPT_NODES = 256


LIVE_COLUMNS = (*COLUMNS, *map(without_system, RESCALED))
LEGEND_COLUMNS = (*RESCALED, "normalised_usage")  # The legend shows its columns in this order.


def live_sample(sample: Sample, flat: FlatTree) -> Sample:
    """Return the sample with `LIVE_COLUMNS`.

    Rescaled shares of system nodes are NaN, as are all rates at 0 s. Normalised usage is NaN without an
    allocated share, because it is then unknown and not 0.
    """
    columns = dict(sample.columns)
    has_part = columns["allocated_share"] > 0
    columns["normalised_usage"] = np.where(has_part, columns["normalised_usage"], np.nan)
    for name in RESCALED:
        columns[without_system(name)] = flat.without_system(columns[name])
    if sample.tick == 0:
        for name in ("cpu_rate", without_system("cpu_rate")):
            columns[name] = np.full(len(flat), np.nan)
    return replace(sample, columns=columns)


def kept_rows(flat: FlatTree, watched: Iterable[int]) -> Ints | None:
    """Return rows with stored curves, int64 [kept]: the topmost and the watched nodes; None for all."""
    if len(flat) <= MAX_KEPT_NODES:
        return None
    topmost = np.concatenate(flat.levels)[:MAX_KEPT_NODES]
    wanted = [flat.row_of[node] for node in watched if node in flat.row_of]
    return np.union1d(topmost, np.array(wanted, np.int64))


def append_rows(series: TieredSeries, live: Sample, rows: Ints | None) -> None:
    """Append rows of a sample with `LIVE_COLUMNS` to the curves, int64 [kept]; None for all."""
    ids, columns = live.ids, live.columns
    if rows is not None:
        ids, columns = ids[rows], {name: column[rows] for name, column in columns.items()}
    series.append(live.time_s, ids.tolist(), columns)
