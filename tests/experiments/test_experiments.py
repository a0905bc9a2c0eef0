"""Each experiment gives the values that its paper and the formulas ask for."""

from __future__ import annotations

import math
from itertools import groupby

import pytest

from fsconsole.experiments.experiment import Cancelled, Result
from fsconsole.experiments.machine_share import EXPECTED
from fsconsole.experiments.registry import UnknownExperiment, experiment_named, experiments

NAMES = [experiment.name for experiment in experiments()]
RESULTS: dict[str, Result] = {}
HEARD: dict[str, list[float]] = {}
# They take seconds; that a run repeats itself is shown by the others, which go the same way.
LONG = {"navoceano-nice", "navoceano-half-life", "unicos-damping", "unicos-fig-2-3"}
LONG |= {"navoceano-urm", "navoceano-memory", "near-dedicated-utilisation", "near-dedicated-report"}
LONG |= {"memory-locked-io", "relshare-generated"}

# These ask whether what a paper found on its machine is so on another one: some of it is not.
ELSEWHERE = {"relshare-findings", "relshare-windows", "relshare-reservation-choice", "relshare-generated"}
ELSEWHERE |= {"yalim-fig-2"}

# Done within milliseconds, so that there is nothing to stop.
ARITHMETIC = {"machine-share-example", "navoceano-tables", "yalim-table-1", "yalim-table-2", "yalim-upkeep"}
ARITHMETIC |= {"yalim-fig-3"}

PLOTS_1 = {1: "allocated_share", 2: "effective_share", 3: "normalised_usage", 4: "charge", 5: "cpu_rate"}


def result_of(name: str) -> Result:
    """Each experiment runs once for all tests that look at it."""
    if name not in RESULTS:
        HEARD[name] = []
        RESULTS[name] = experiment_named(name).run(HEARD[name].append)
    return RESULTS[name]


def test_the_list_has_what_the_papers_report() -> None:
    wanted = {"junglas-1", "junglas-2", "junglas-4", "junglas-6", "machine-share-example"}
    wanted |= {"junglas-effective-share", "edge-effects", "granularity", "io-interference", "saturation"}
    wanted |= {f"unicos-{name}" for name in ("process-fair", "eq2", "adjgroups", "fig-2-3", "damping")}
    wanted |= {f"navoceano-{name}" for name in ("tables", "nice", "half-life", "urm", "memory")}
    near = ("preemption", "dedicated-vs-nd", "utilisation", "report")
    wanted |= {f"near-dedicated-{name}" for name in near}
    wanted |= {f"memory-{name}" for name in ("hard-sleep", "locked-io", "thrash")}
    wanted |= {f"yalim-{name}" for name in ("table-1", "table-2", "upkeep", "fig-2", "fig-3")}
    assert wanted | ELSEWHERE <= set(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    assert all(experiment.title and experiment.paper and experiment.about for experiment in experiments())


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownExperiment, match="did you mean junglas-1"):
        experiment_named("jungla-1")


@pytest.mark.parametrize("name", sorted({*NAMES} - ELSEWHERE))
def test_all_claims_hold(name: str) -> None:
    result = result_of(name)
    assert [claim for claim in result.claims if claim.is_retested] == []
    assert [claim.failure() for claim in result.claims if not claim.holds] == []
    assert result.all_hold
    assert result.holding == len(result.claims) >= 3


@pytest.mark.parametrize("name", sorted(ELSEWHERE))
def test_only_findings_asked_of_other_data_may_fail(name: str) -> None:
    result = result_of(name)
    assert result.is_sound
    assert [claim.failure() for claim in result.claims if not claim.holds and not claim.is_retested] == []


@pytest.mark.parametrize("name", sorted({*NAMES} - LONG))
def test_an_experiment_gives_the_same_numbers_again(name: str) -> None:
    assert experiment_named(name).run().to_json() == result_of(name).to_json()


@pytest.mark.parametrize("name", NAMES)
def test_progress_rises_to_one(name: str) -> None:
    result_of(name)
    heard = HEARD[name]
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("name", sorted({*NAMES} - ARITHMETIC))
def test_an_experiment_stops_when_asked(name: str) -> None:
    heard: list[float] = []
    with pytest.raises(Cancelled):
        experiment_named(name).run(heard.append, lambda: len(heard) > 2)
    assert heard[-1] < 0.5


@pytest.mark.parametrize("name", NAMES)
def test_figures_say_where_they_are_from_and_can_be_told_apart(name: str) -> None:
    figures = result_of(name).figures
    assert len({figure.name for figure in figures}) == len(figures)
    for figure in figures:
        assert figure.provenance.scenario
        assert figure.caption
        assert len({(curve.colour, curve.dash) for curve in figure.curves}) == len(figure.curves)
        assert all(len(curve.x) == len(curve.y) > 0 for curve in figure.curves)


def test_the_experiments_of_a_paper_stand_together() -> None:
    papers = [experiment.paper for experiment in experiments()]
    assert len(list(groupby(papers))) == len(set(papers))


@pytest.mark.parametrize(
    ("name", "plots"),
    [
        (
            "junglas-1",
            {1: "allocated_share", 2: "effective_share", 3: "normalised_usage", 4: "charge", 5: "cpu_rate"},
        ),
        ("junglas-2", {6: "effective_share"}),
        ("junglas-4", {7: "cpu_rate", 8: "normalised_usage"}),
        ("junglas-6", {9: "cpu_rate"}),
    ],
)
def test_the_plots_of_the_paper_are_all_there(name: str, plots: dict[int, str]) -> None:
    figures = result_of(name).figures
    numbered = {int(figure.title.partition(":")[0].removeprefix("Plot ")): figure for figure in figures}
    assert {number: figure.quantity for number, figure in numbered.items()} == plots
    for figure in figures:
        assert all(len(curve.x) == len(curve.y) > 30 for curve in figure.curves)
        assert figure.curves[0].x[1] - figure.curves[0].x[0] == 10.0  # "in Abständen von etwa 10s"
        assert figure.provenance.scenario_digest
        assert len({(curve.colour, curve.dash) for curve in figure.curves}) == len(figure.curves)


def test_series_1_splits_the_cpu_by_groups_first() -> None:
    cpu = next(figure for figure in result_of("junglas-1").figures if figure.quantity == "cpu_rate")
    at_end = {curve.name: 100 * float(curve.y[-6:].mean()) for curve in cpu.curves}
    expected = {"u11": 25, "u12": 25, "u21": 16.67, "u22": 16.67, "u23": 16.67}
    assert at_end == {name: pytest.approx(value, abs=0.5) for name, value in expected.items()}


def test_users_hold_few_percent_of_the_machine_while_system_groups_are_logged_in() -> None:
    allocated = result_of("junglas-1").figures[0]
    assert {curve.name: round(100 * float(curve.y[-1]), 2) for curve in allocated.curves} == {
        "u11": 2.5,
        "u12": 2.5,
        "u21": 1.67,
        "u22": 1.67,
        "u23": 1.67,
    }


def test_the_hypothesis_swings_for_the_system_groups_alone_and_is_labelled_ours() -> None:
    result = result_of("junglas-effective-share")
    shares = next(figure for figure in result.figures if figure.name == "effective-share-hypothesis")
    swings = {curve.name: float(curve.y[10:].max() - curve.y[10:].min()) for curve in shares.curves}
    assert all(swing > 0.5 for swing in swings.values())
    assert shares.title.startswith("[ours]")
    assert shares.provenance.remarks
    assert "ours" in {note.kind for note in result.notes}


def test_series_6_marks_the_login_at_sample_49() -> None:
    (figure,) = result_of("junglas-6").figures
    assert [(event.at_s, event.text) for event in figure.events] == [(490.0, "u21 logs in")]
    assert {square.x for square in figure.expected} == {490.0, 500.0, 610.0, 970.0}


def test_the_worked_example_of_machine_shares_is_exact() -> None:
    measured = [value for claim in result_of("machine-share-example").claims for value in claim.measured]  # type: ignore[union-attr]
    assert measured == list(EXPECTED.values()) == [400, 600, 200, 200, 150, 150, 300]
    assert not any(math.isnan(value) for value in measured)
