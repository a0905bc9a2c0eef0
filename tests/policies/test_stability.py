"""Where the feedback policy is stable: nu - 1 above 1 to 1.5 x redistribution / tau, k_mu at most 0.5."""

from __future__ import annotations

from math import log

import pytest

from fsconsole.policies.registry import stability_warnings
from fsconsole.shares.scenario.policy_spec import PolicySpec
from tests.texts import Expected, naming, says, wording


def feedback(**values: object) -> PolicySpec:
    return PolicySpec(name="feedback", **values)  # type: ignore[arg-type]


def at_ratio(ratio: float) -> PolicySpec:
    """Return a policy whose nu - 1 is `ratio` times redistribution period / tau."""
    return feedback(nu=1 + ratio * 20 * log(2) / 600, redistribution_s=20.0, half_life_s=600.0)


def test_the_two_organisations_are_stable() -> None:
    """Figure 2-3's parameters: half-life 600 s, nu 1.1, redistribution every 20 s, k_mu 0.5."""
    assert stability_warnings(feedback(half_life_s=600.0)) == []


@pytest.mark.parametrize(
    ("ratio", "message"),
    [
        (0.99, naming("feedback may hunt: nu")),
        (1.01, naming("may hunt under some loads")),
        (1.49, naming("may hunt under some loads")),
    ],
)
def test_a_small_nu_hunts(ratio: float, message: Expected) -> None:
    (text,) = stability_warnings(at_ratio(ratio))
    assert says(text, message)
    assert says(text, "policies.every-at-half-life-of", redistribution_s="20 s", half_life_s="10 min")
    safe = float(text.rpartition("Set nu to at least ")[2])
    assert stability_warnings(feedback(nu=safe, half_life_s=600.0)) == []
    assert safe == pytest.approx(at_ratio(1.5).nu, abs=1e-3)


def test_a_large_nu_settles() -> None:
    assert stability_warnings(at_ratio(1.51)) == []


def test_the_shortest_half_life_counts() -> None:
    assert stability_warnings(feedback(half_life_s=1.0, level_half_lives_s=(600.0,))) == []
    assert stability_warnings(feedback(level_half_lives_s=(600.0, 30.0)))


def test_large_gains_are_named_by_level() -> None:
    (text,) = stability_warnings(feedback(half_life_s=600.0, k_mu=(0.5, 0.7, 1.0)))
    assert text == (
        wording(
            "policies.feedback-may-swing-k-mu",
            gains=wording("policies.at-level", gain="0.7", level="2, ")
            + wording("policies.at-level", gain="1", level="3"),
            most_k_mu="0.5",
        )
    )


def test_other_policies_have_no_such_loop() -> None:
    assert stability_warnings(PolicySpec(k_mu=(2.0,), nu=1.001)) == []
