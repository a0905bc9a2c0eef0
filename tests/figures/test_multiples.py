"""Small multiples: a panel for each curve on the same axes, with the data of all."""

from __future__ import annotations

import numpy as np

from fsconsole.figures.multiples import has_lines, is_panel, multiples_of, on_log_axis
from fsconsole.figures.of_batch import LONGEST_WAIT, figure_1, over_workloads
from fsconsole.figures.of_waits import wait_figures
from tests.figures.test_of_batch import kth


def test_each_policy_has_a_panel_before_the_others_in_grey() -> None:
    numbers = kth(("A", "B"))
    spec = over_workloads(numbers, LONGEST_WAIT, list(numbers.policies))
    panels = multiples_of(spec)
    assert [one.title for one in panels] == [curve.name for curve in spec.curves]
    assert len({one.name for one in panels}) == len(panels)
    for panel, own in zip(panels, spec.curves, strict=True):
        # Drawn last, above the others.
        assert panel.curves[-1] is own
        assert [curve.name for curve in panel.curves].count("") == len(spec.curves) - 1
        assert {curve.path for curve in panel.curves[:-1]} == {
            curve.name for curve in spec.curves if curve is not own
        }
        assert is_panel(panel)
        assert max(curve.y.max() for curve in panel.curves) == max(curve.y.max() for curve in spec.curves)


def test_bars_and_few_curves_stay_one_figure() -> None:
    numbers = kth(("A",))
    bars = figure_1(numbers)[0]
    assert not has_lines(bars)
    assert multiples_of(bars) == (bars,)
    assert on_log_axis(bars) is bars
    waits = {label: np.array([0.0, 60.0]) for label in ("FCFS-backfill", "RelShare(1d)")}
    percentiles, parts = wait_figures(numbers, "A", waits)
    assert multiples_of(percentiles) == (percentiles,)
    assert on_log_axis(parts) is parts, "per cent"
    lines = over_workloads(kth(("A", "B")), LONGEST_WAIT, ["FCFS-backfill"])
    assert on_log_axis(lines).y_axis.is_log
