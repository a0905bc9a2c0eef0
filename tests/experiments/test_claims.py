from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from fsconsole.experiments.claims import Claim, Kind, Value, describe_tally, format_probability
from fsconsole.experiments.experiment import Result
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_words import in_most
from tests.texts import refuses_naming, says, wording

PRINTED = Origin.paper("section 4", "It prints no decimals.")
OURS = Origin.ours("a reference simulator")
FITTED = Origin.fitted("section 4", "Bandwidth is set so.")
LAW = Origin.law("equation 2")
IN_WORDS = Origin.words("section 4")


@pytest.mark.parametrize(
    ("expected", "measured", "tolerance", "holds"),
    [
        (25.0, 25.5, 0.5, True),
        (25.0, 24.4, 0.5, False),
        ((25.0, 16.67), (25.2, 16.5), 0.5, True),
        ((25.0, 16.67), (25.2, 17.5), 0.5, False),
        (400.0, 400.0, 0.0, True),
        (True, True, None, True),
        (True, False, None, False),
        (25.0, float("nan"), 0.5, False),
    ],
)
def test_a_claim_holds_within_its_tolerance(
    expected: Value, measured: Value, tolerance: float | None, holds: bool
) -> None:
    claim = Claim("CPU", expected, measured, tolerance, origin=PRINTED)
    assert claim.holds is holds
    assert bool(claim.explain()) is not holds


@pytest.mark.parametrize(
    ("origin", "grade"),
    [(PRINTED, "checked"), (IN_WORDS, "checked"), (LAW, "checked"), (FITTED, "fitted"), (OURS, "shown")],
)
def test_a_claim_checks_by_a_paper_or_a_law_and_not_by_a_fit_a_program_an_input_or_a_coin(
    origin: Origin, grade: str
) -> None:
    claim = Claim("CPU", 25.0, 25.0, 0.5, origin=origin)
    for of_claim in (claim, replace(claim, measured=30.0), replace(claim, kind="discrepancy")):
        assert of_claim.grade == grade
    assert replace(claim, kind="input").grade == "shown"
    assert in_most("longer", [True] * 6 + [False] * 4, origin=origin).grade == "shown"


def test_a_finding_tested_on_other_data_is_not_a_fault_of_the_measurement() -> None:
    found = Claim(
        "longer waits", 10.0, 7.0, 2.0, "months", is_retested=True, origin=PRINTED, count="nearly all"
    )
    kept = Claim("jobs", 5.0, 5.0, 0.0, origin=OURS)
    result = Result("x", (found, kept))
    assert not result.all_hold
    assert result.is_sound
    assert not Result("x", (found, replace(kept, measured=6.0))).is_sound
    assert found.head() == wording("experiments.paper-s-finding-does-not")
    assert found.explain() == wording(
        "experiments.and-are-needed",
        found=wording("experiments.in-of", text="longer waits", agreeing="7", cases="10", unit="months"),
        cases="8",
    )
    assert found.to_json()["retested"] is True
    assert "retested" not in kept.to_json()


@pytest.mark.parametrize("cases", range(1, 11))
def test_the_probability_is_the_part_of_all_tosses_with_as_many_heads(cases: int) -> None:
    tosses = [sum(toss) for toss in product((0, 1), repeat=cases)]
    for agreeing in range(cases + 1):
        claim = in_most("x", [place < agreeing for place in range(cases)], origin=PRINTED)
        assert claim.p_value == sum(heads >= agreeing for heads in tosses) / len(tosses)


@pytest.mark.parametrize(
    ("agreeing", "cases", "verdict", "p_value"),
    [
        (6, 10, "undecided", 0.377),
        (16, 30, "undecided", 0.428),
        (8, 10, "undecided", 0.0547),
        (9, 10, "holds", 0.0107),
        (125, 223, "holds", 0.0409),
        (5, 10, "fails", 0.623),
        (0, 10, "fails", 1.0),
        (0, 0, "undecided", 1.0),
    ],
)
def test_a_majority_that_a_coin_gives_as_often_decides_nothing(
    agreeing: int, cases: int, verdict: str, p_value: float
) -> None:
    claim = in_most("longer", [place < agreeing for place in range(cases)], "users", origin=PRINTED)
    assert claim.verdict == verdict
    assert claim.p_value == pytest.approx(p_value, rel=5e-3)
    assert claim.to_json()["p_value"] == claim.p_value
    assert claim.to_json()["holds"] is {"holds": True, "fails": False}.get(verdict)


def test_what_is_not_decided_says_how_often_a_coin_gives_it() -> None:
    claim = in_most("longer", [True] * 6 + [False] * 4, origin=PRINTED)
    assert claim.head() == wording("experiments.not-decided-on-these-data")
    assert claim.explain() == wording(
        "experiments.chance-gives-at-least-as",
        found=wording("experiments.in-of", text="longer", agreeing="6", cases="10", unit="months"),
        format_probability="0.38",
    )
    expected = "not decided (p = 0.38)"
    assert claim.describe_verdict() == expected
    assert format_probability(1e-5) == "below 0.001"


@pytest.mark.parametrize("kind", ["input", "discrepancy"])
def test_rows_that_are_not_claims_do_not_count_unless_they_fail(kind: Kind) -> None:
    row = Claim("setup", 526.0, 526.0, 1.0, "s", origin=PRINTED, kind=kind)
    claim = Claim("waits", 22.0, 21.0, 2.0, "s", origin=PRINTED)
    result = Result("x", (row, claim))
    assert (row.verdict, row.holds, row.to_json()["holds"]) == (kind, False, None)
    assert (result.holding, result.counted, result.all_hold, result.standing) == (1, 1, True, "nothing fails")
    assert result.tally() == (
        wording("experiments.of-claims-hold", found="1", counted="1") + ", " + f"1 {kind}"
    )
    wrong = Result("x", (replace(row, measured=100.0), claim))
    assert (wrong.holding, wrong.counted, wrong.standing) == (1, 2, "ours fails")


def test_a_result_says_whether_a_paper_or_a_number_of_ours_fails() -> None:
    paper, ours = (Claim("a", 1.0, 2.0, 0.1, origin=origin) for origin in (PRINTED, OURS))
    fitted = replace(paper, origin=FITTED)
    assert Result("x", (paper,)).standing == Result("x", (fitted,)).standing == "paper fails"
    assert Result("x", (replace(paper, is_retested=True),)).standing == "paper fails"
    assert Result("x", (paper, ours)).standing == "ours fails"
    assert Result("x", (replace(paper, measured=1.0),)).standing == "nothing fails"


def test_a_tally_names_what_is_there() -> None:
    undecided = in_most("x", [True, True, False], origin=PRINTED)
    rows = [Claim("a", 1.0, 1.0, 0.0, origin=OURS, kind="input")] * 2
    assert describe_tally([undecided, *rows]) == (
        wording("experiments.of-claims-hold", found="0", counted="1")
        + ", "
        + wording("experiments.not-decided", found="1")
        + ", "
        + "2 inputs"
    )


def test_a_failed_claim_names_the_worst_number_and_who_has_it() -> None:
    claim = Claim("CPU at the end", (25.0, 25.0), (25.6, 22.0), 0.5, "%", ("u11", "u12"), origin=OURS)
    assert "u12" in claim.explain()
    assert says(
        claim.explain(),
        "experiments.expected-tolerance",
        text=claim.text,
        shown="22",
        unit=" %",
        by="3",
        side="below",
        expected="25",
        tolerance="0.5",
    )


def test_counts_that_do_not_agree_are_reported_in_whole_numbers() -> None:
    longer = Claim("longer waits", 10.0, 7.0, 2.0, "months", origin=OURS)
    assert longer.explain() == wording(
        "experiments.expected-tolerance",
        text="longer waits",
        shown="",
        unit="",
        who="7 months",
        by="3",
        side="below",
        expected="10",
        tolerance="2",
    )
    jobs = Claim("jobs", 28481.0, 28000.0, 0.0, origin=OURS)
    assert jobs.explain() == wording(
        "experiments.expected-tolerance",
        text="jobs",
        shown="28000",
        unit="",
        who="",
        by="481",
        side="below",
        expected="28481",
        tolerance="0",
    )


def test_numbers_are_shown_as_finely_as_they_are_compared() -> None:
    assert Claim("K", 0.9999037342, 0.9999037341, 5e-11, origin=OURS).shown(0.9999037342) == "0.9999037342"
    assert Claim("K", 0.9999037342, 0.9999037341, 5e-11, origin=OURS).is_fine
    assert Claim("CPU", 25.0, 25.03, 0.5, origin=OURS).shown(25.034) == "25.03"
    assert not Claim("CPU", 25.0, 25.03, 0.5, origin=OURS).is_fine
    assert Claim("hours", 10551.0889, 10551.0889, 1e-4, origin=OURS).shown(10551.0889) == "10551.0889"
    assert Claim("exact", 400.0, 400.0, 0.0, origin=OURS).shown(400.0) == "400"
    assert Claim("exact", 12825.0, 12826.0, 0.0, origin=OURS).shown(12826.0) == "12826"
    assert Claim("exact", 12825.0, 12826.0, 0.0, origin=OURS).is_fine
    assert Claim("CPU", 25.0, float("nan"), 0.5, origin=OURS).shown(float("nan")) == "nan"


def test_a_measurement_with_a_number_missing_is_an_error_not_an_agreement() -> None:
    with refuses_naming(ValueError, "longer"):
        _ = Claim("CPU", (1.0, 2.0), (1.0,), 0.5, origin=OURS).holds


def test_json_has_numbers_lists_and_truth() -> None:
    assert Claim("a", (1.0, 2.0), (1.0, 2.5), 0.1, origin=PRINTED).to_json() == {
        "text": "a",
        "expected": [1.0, 2.0],
        "measured": [1.0, 2.5],
        "tolerance": 0.1,
        "holds": False,
        "verdict": "fails",
        "kind": "claim",
        "origin": {"kind": "paper", "place": "section 4", "note": PRINTED.note},
    }
    assert Claim("b", True, True, origin=OURS).to_json()["expected"] is True
    assert Claim("c", 3.0, 3.0, 0.0, origin=OURS).to_json()["measured"] == 3.0


def test_one_of_a_unit_is_reported_as_one() -> None:
    one_month = Claim("a", 10.0, 1.0, 2.0, "months", origin=OURS)
    assert one_month.explain() == wording(
        "experiments.expected-tolerance",
        text="a",
        shown="",
        unit="",
        who="1 month",
        by="9",
        side="below",
        expected="10",
        tolerance="2",
    )
    one_second = Claim("a", 10.0, 1.0, 2.0, "s", origin=OURS)
    assert says(
        one_second.explain(),
        "experiments.expected-tolerance",
        text="a",
        shown="1",
        unit=" s",
        who="",
        by="9",
        side="below",
    )


def test_json_has_unit_names_and_why_a_tolerance_is_wide() -> None:
    shown = Claim(
        "a", (1.0,), (1.0,), 0.5, "s", ("u",), origin=OURS, why_tolerance="Two deviations."
    ).to_json()
    assert (shown["unit"], shown["names"], shown["why_tolerance"]) == ("s", ["u"], "Two deviations.")
    assert "note" not in shown["origin"]
