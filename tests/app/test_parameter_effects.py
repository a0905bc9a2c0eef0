from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.parameter_effects import effect_of
from fsconsole.policies.words import setting_label
from fsconsole.shares.scenario.parameters import PARAMETERS, choices, default_of
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec, SettingError, changed_settings, default_settings
from tests.texts import says


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "policy.half_life_s",
            28800.0,
            (
                "CPU time from 8 h ago counts half, from 16 h ago a quarter. After 1 d 10 h less than 5 % "
                "is left."
            ),
        ),
        ("policy.delta_s", 2.0, "every 2 s, 120 clock ticks"),
        # K2 = 0.988514 / 66 and K3 = 27: a priority at nice 39 halves in 60 s.
        ("machine.k2", 0.988514 / 66, "A priority at nice 20 falls to half after 2 s, at nice 39 after 60 s"),
        ("machine.nice_cost", "share", "1.5 times one at nice 20"),
        ("policy.nosched", True, "no user is favoured"),
        ("machine.bio_cost", 3000.0, "as much as 3 clock ticks"),
        ("policy.adjgroups", "share", "A group above 1.33 times its entitlement is slowed down."),
    ],
)
def test_effects_give_the_numbers_that_follow(key: str, value: object, message: str) -> None:
    assert message in effect_of(key, {**default_settings(), key: value})


@given(st.data())
def test_every_sound_setting_has_a_sentence_or_none(data: st.DataObject) -> None:
    parameter = data.draw(st.sampled_from(PARAMETERS))
    value = default_of(parameter)
    if options := choices(parameter):
        word = data.draw(st.sampled_from(options))
        value = word == "yes" if isinstance(value, bool) else word
    elif isinstance(value, float | int):
        value = type(value)(data.draw(st.floats(0, 1e6)))
    try:
        changed_settings(MachineSpec(), PolicySpec(), {parameter.key: value})
    except SettingError:
        return
    shown = effect_of(parameter.key, {**default_settings(), parameter.key: value})
    assert not shown or shown.endswith(".")


@pytest.mark.parametrize(
    ("size_wt", "low", "high", "message"),
    [
        (5.0, 0.0, 0.0, "URM does not prefer a range of sizes."),
        (0.0, 8.0, 32.0, "No effect while urm.size_wt, the weight of the preferred size, is 0."),
        (5.0, 8.0, 32.0, "URM prefers jobs of 8 to 32 MW."),
        (5.0, 8.0, 0.0, "URM prefers jobs of 8 MW or more."),
    ],
)
def test_both_ends_of_the_preferred_size_give_the_range(
    size_wt: float, low: float, high: float, message: str
) -> None:
    preferred = {"urm.size_wt": size_wt, "urm.preferred_from_mw": low, "urm.preferred_to_mw": high}
    for key in ("urm.preferred_from_mw", "urm.preferred_to_mw"):
        assert effect_of(key, {**default_settings(), **preferred}) == message


def test_each_setting_has_a_label_of_its_own() -> None:
    """The journal and comparisons of runs name settings by label."""
    assert len({setting_label(key) for key in default_settings()}) == len(default_settings())


def test_a_gain_too_small_to_change_one_has_a_sentence() -> None:
    shown = effect_of("policy.k_c", {**default_settings(), "policy.k_c": 1e-20})
    assert says(shown, "app.charges-are-averaged-over")
