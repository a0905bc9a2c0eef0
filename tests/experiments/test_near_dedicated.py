"""What the near-dedicated experiments share, and what is theirs beside claims."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fsconsole.experiments.experiment import Experiment, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import (
    MemoryWatch,
    bar_figure,
    images_of,
    memory_of,
    night_of,
    with_jobs,
    with_loads,
)
from fsconsole.experiments.near_dedicated_modes import KINDS, Components
from fsconsole.experiments.near_dedicated_utilisation import MONTH, SERIAL, STRIDE, Usage, _of_night
from fsconsole.figures.spec import Axis, Provenance
from tests.experiments.conftest import ResultOf
from tests.texts import refuses, says, wording


def ran(name: str, until_s: float, watch: MemoryWatch | Usage | None = None) -> Measured:
    return measure(
        Example.named(name), until_s, Steps(lambda _: None, lambda: False), sample_s=1.0, beside=watch
    )


def test_memory_is_watched_by_command() -> None:
    watch = MemoryWatch()
    run = ran("memory-locked-io", 70.0, watch)
    times, seismic = watch.of("seismic")
    assert times[-1] == 70
    assert set(seismic) == {30.0}
    assert set(watch.of("climate")[1]) == {0.0}
    assert [image.where for image in images_of(run.machine, "climate")] == ["out"]


def test_usage_is_that_of_the_time_between_two_samples() -> None:
    """Two processors with more work than they can do: nothing is idle."""
    usage = Usage()
    run = ran("memory-thrash", 30.0, usage)
    parts = usage.parts(10.0, 20.0, run.machine.spec.cpus)
    assert parts.values == pytest.approx((1.0, 0.0, 0.0))


def test_what_a_scenario_lacks_is_reported() -> None:
    run = ran("three-users", 1.0)
    with refuses(LookupError, "experiments.does-not-define-memory"):
        memory_of(run.machine)
    with refuses(LookupError, "experiments.has-had-no-near-dedicated"):
        night_of(run)


def test_bars_have_squares_in_their_middle() -> None:
    axis = Axis("part", "%", 100.0)
    figure = bar_figure(
        "n", "t", "c", ("x", "y"), {"a": [0.1, 0.2], "b": [0.3, 0.4]}, axis, Provenance(), {"b": {"y": 0.5}}
    )
    (square,) = figure.expected
    assert 1.0 < square.x < 1.4
    assert square.y == 0.5
    assert [curve.y.tolist() for curve in figure.curves] == [[0.1, 0.2], [0.3, 0.4]]
    assert figure.x_axis.kinds == ("x", "y")


def test_changes_are_reported_in_the_remarks_of_figures() -> None:
    example = with_jobs(Example.named("near-dedicated-sequence"), "no SDS", sds_mw=0.0)
    example = with_loads(example, "no memory", clicks=0)
    assert {job.sds_mw for job in example.scenario.jobs} == {0.0}
    assert {load.work.clicks for load in example.scenario.workloads} == {0}
    assert [change.split(": ") for change in example.changes] == [
        ["Changed", "no SDS"],
        ["Changed", "no memory"],
    ]


def test_components_of_figure_5_are_in_the_order_of_their_names() -> None:
    values = Components(*map(float, range(9))).values
    assert values == tuple(map(float, range(len(KINDS))))


@pytest.mark.parametrize("nights", [3, MONTH])
def test_serial_time_differs_from_night_to_night_and_has_the_same_mean(nights: int) -> None:
    example = Example.named("near-dedicated-utilisation")
    made = [_of_night(example, number, nights).scenario for number in range(nights)]
    serial = [scenario.jobs[0].serial_fraction for scenario in made]
    assert len(set(serial)) == nights
    assert np.mean(serial) == pytest.approx(SERIAL)
    assert len({scenario.seed for scenario in made}) == nights
    assert np.gcd(STRIDE, nights) == 1


def test_the_report_stands_beside_the_papers(result_of: ResultOf) -> None:
    text = result_of("near-dedicated-report").text
    assert text.index("Figure 3") < text.index(
        wording("neardedicated.near-dedicated-performance-report", when="")
    )
    assert says(text, "experiments.job-summary-of-paper-s")
    answer = text.count("sbert  ")
    assert answer >= 6


def test_the_full_version_is_run_where_there_is_one() -> None:
    short, full = (Result(name, ()) for name in ("short", "full"))
    both = Experiment("e", "E", "paper", "about", lambda p, c: short, lambda p, c: full)
    assert (both.run().name, both.run(full=True).name) == ("short", "full")
    assert replace(both, measure_full=None).run(full=True).name == "short"
