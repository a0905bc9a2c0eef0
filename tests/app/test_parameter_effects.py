from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.parameter_effects import effect_of
from fsconsole.policies.words import setting_label
from fsconsole.shares.scenario.parameters import PARAMETERS, choices, default_of
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec, SettingError, changed_settings, default_settings
from tests.texts import Expected, says, span, worded


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "policy.half_life_s",
            28800.0,
            (worded("app.cpu-time-from-ago-counts", half_s="8 h", half_s_2="16 h", gone_s=span(d=1, h=10))),
        ),
        ("policy.delta_s", 2.0, worded("app.shares-usage-and-edits-take", delta_s="2 s", delta_s_2="120")),
        # K2 = 0.988514 / 66 and K3 = 27: a priority at nice 39 halves in 60 s.
        ("machine.k2", 0.988514 / 66, worded("app.priority-at-nice-falls-to", normal_nice="20")),
        ("machine.nice_cost", "share", worded("app.tick-at-nice-0-costs", dear="1.5", normal_nice="20")),
        ("policy.nosched", True, worded("app.usage-is-recorded-but-no")),
        ("machine.bio_cost", 3000.0, worded("app.as-much-as-clock-ticks", cost="3")),
        ("policy.adjgroups", "share", worded("app.group-above-times-its-entitlement", limit="1.33")),
    ],
)
def test_effects_give_the_numbers_that_follow(key: str, value: object, message: Expected) -> None:
    assert says(effect_of(key, {**default_settings(), key: value}), message)


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
