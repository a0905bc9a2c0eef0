from __future__ import annotations

import pytest

from fsconsole.experiments.claims import Claim, Value
from fsconsole.experiments.experiment import Result


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
    claim = Claim("CPU", expected, measured, tolerance)
    assert claim.holds is holds
    assert bool(claim.failure()) is not holds


def test_a_finding_asked_of_other_data_is_no_fault_of_the_measurement() -> None:
    found = Claim("longer waits", 10.0, 7.0, 2.0, "months", is_retested=True)
    kept = Claim("jobs", 5.0, 5.0, 0.0)
    result = Result("x", (found, kept))
    assert not result.all_hold
    assert result.is_sound
    assert not Result("x", (found, Claim("jobs", 5.0, 6.0, 0.0))).is_sound
    assert found.verdict() == "The paper's finding is not so on these data"
    assert found.to_json()["retested"] is True
    assert "retested" not in kept.to_json()


def test_a_failed_claim_names_the_worst_number_and_who_has_it() -> None:
    claim = Claim("CPU at the end", (25.0, 25.0), (25.6, 22.0), 0.5, "%", ("u11", "u12"))
    assert claim.failure() == "CPU at the end: 22 % for u12, 3 below the expected 25 (tolerance 0.5)."


def test_counts_that_do_not_agree_are_said_in_whole_numbers() -> None:
    longer = Claim("longer waits", 10.0, 7.0, 2.0, "months")
    assert longer.failure() == "longer waits: 7 months, 3 below the expected 10 (tolerance 2)."
    assert (
        Claim("jobs", 28481.0, 28000.0, 0.0)
        .failure()
        .endswith("28000, 481 below the expected 28481 (tolerance 0).")
    )


def test_numbers_are_shown_as_finely_as_they_are_compared() -> None:
    assert Claim("K", 0.9999037342, 0.9999037341, 5e-11).shown(0.9999037342) == "0.9999037342"
    assert Claim("K", 0.9999037342, 0.9999037341, 5e-11).is_fine
    assert Claim("CPU", 25.0, 25.03, 0.5).shown(25.034) == "25.03"
    assert not Claim("CPU", 25.0, 25.03, 0.5).is_fine
    assert Claim("hours", 10551.0889, 10551.0889, 1e-4).shown(10551.0889) == "10551.0889"
    assert Claim("exact", 400.0, 400.0, 0.0).shown(400.0) == "400"
    assert Claim("exact", 12825.0, 12826.0, 0.0).shown(12826.0) == "12826"
    assert Claim("exact", 12825.0, 12826.0, 0.0).is_fine
    assert Claim("CPU", 25.0, float("nan"), 0.5).shown(float("nan")) == "nan"


def test_a_measurement_with_a_number_missing_is_an_error_not_an_agreement() -> None:
    with pytest.raises(ValueError, match="longer"):
        _ = Claim("CPU", (1.0, 2.0), (1.0,), 0.5).holds


def test_json_has_numbers_lists_and_truth() -> None:
    assert Claim("a", (1.0, 2.0), (1.0, 2.5), 0.1).to_json() == {
        "text": "a",
        "expected": [1.0, 2.0],
        "measured": [1.0, 2.5],
        "tolerance": 0.1,
        "holds": False,
    }
    assert Claim("b", True, True).to_json()["expected"] is True
    assert Claim("c", 3.0, 3.0, 0.0).to_json()["measured"] == 3.0


def test_one_of_a_unit_is_said_as_one() -> None:
    one_month = Claim("a", 10.0, 1.0, 2.0, "months")
    assert one_month.failure() == "a: 1 month, 9 below the expected 10 (tolerance 2)."
    assert Claim("a", 10.0, 1.0, 2.0, "s").failure().startswith("a: 1 s, 9 below")
