"""What the experiment says of generated months."""

from __future__ import annotations

import pytest

from fsconsole.batch.generate import MONTHS
from fsconsole.experiments.claims import Claim, numbers
from fsconsole.experiments.experiment import Cancelled, Result
from fsconsole.experiments.relshare_table_one import relshare_table_one
from tests.experiments.conftest import ResultOf


@pytest.fixture
def result(result_of: ResultOf) -> Result:
    return result_of("relshare-table-1")


def claim(result: Result, text: str) -> Claim:
    return next(claim for claim in result.claims if claim.text == text)


def test_all_figures_of_the_ten_months_are_met_and_none_counts_as_a_claim(result: Result) -> None:
    # The demand follows from the paper's own numbers.
    assert (result.holding, result.counted) == (1, 1)
    assert [claim.explain() for claim in result.claims if claim.fails] == []
    assert all(len(claim.names) == len(MONTHS) == 10 for claim in result.claims)


def test_expected_is_what_the_paper_prints(result: Result) -> None:
    assert numbers(claim(result, "Jobs").expected) == (
        2191,
        1400,
        3221,
        3057,
        4149,
        3443,
        3521,
        3156,
        3969,
        3466,
    )
    most = claim(result, "Nodes x runtime of a user, maximum")
    assert numbers(most.expected) == (24071, 16719, 14346, 18499, 8060, 10183, 17776, 10340, 8931, 12892)
    assert most.tolerance == pytest.approx(0.5)
    assert most.unit == "node-h"
    answer = numbers(claim(result, "Runtime of a job, maximum").expected)
    assert answer == (12,) * 6 + (24,) * 4


def test_the_demand_follows_from_jobs_and_their_size(result: Result) -> None:
    # 2,191 jobs of 34.5 node-hours in 30 days of 128 nodes
    followed = numbers(
        claim(result, "Table I: printed demand, from its jobs and their average node-hours").measured
    )
    assert followed[0] == pytest.approx(82.02, abs=0.01)


def test_figures_show_demand_and_who_has_most(result: Result) -> None:
    demand, most = result.figures
    assert demand.x_axis.kinds == tuple(month.name for month in MONTHS)
    assert [curve.name for curve in demand.curves] == ["generated", "printed"]
    squares = [square.y for square in most.expected]
    assert squares == [pytest.approx(16719 / (68 * 1247.4)), pytest.approx(145 / 1400)]
    assert [float(curve.y[0]) for curve in most.curves] == [
        pytest.approx(value, abs=1e-4) for value in squares
    ]


def test_it_is_reported_that_jobs_are_generated(result: Result) -> None:
    assert any("not public" in note.text for note in result.notes)
    assert all("not public" in figure.provenance.remarks[0] for figure in result.figures)


def test_it_stops_when_asked() -> None:
    progress: list[float] = []
    with pytest.raises(Cancelled):
        relshare_table_one().run(progress.append, lambda: len(progress) > 2)
    assert progress == sorted(progress)
    assert progress[-1] < 0.5
