"""How many processes of each node could run, on average over the time lately."""

from __future__ import annotations

import numpy as np

from fsconsole.machine.machine import Machine
from fsconsole.shares.flat import FlatTree, Floats

# Bursts and sleeps are averaged over at least so many samples.
_LEAST_SAMPLES = 16


class MeanRunnable:
    """A mean of the counts at the samples; older ones fade as the rate window goes by."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._flat: FlatTree | None = None
        self._mean: Floats = np.zeros(0)
        self._heard = 0

    def heed(self, machine: Machine) -> None:
        """Take the counts at a sample."""
        if self._flat is not machine.flat:
            self._carry_over(machine.flat)
        if machine.tick == 0:
            return  # nobody has had his turn yet
        plot = machine.scenario.plot
        self._heard += 1
        weight = 1 / min(self._heard, max(_LEAST_SAMPLES, round(plot.rate_window_s / plot.sample_s)))
        self._mean += weight * (machine.state.runnable - self._mean)

    def column(self, flat: FlatTree) -> Floats:
        """The mean counts per row, groups with the sums of their leaves."""
        if self._flat is not flat:
            self._carry_over(flat)
        return flat.group_sum(self._mean)

    def _carry_over(self, flat: FlatTree) -> None:
        before, mean = self._flat, np.zeros(len(flat))
        if before is not None:
            for node, value in zip(before.ids.tolist(), self._mean.tolist(), strict=True):
                row = flat.row_of.get(node)
                if row is not None:
                    mean[row] = value
        self._flat, self._mean = flat, mean
