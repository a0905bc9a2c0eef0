from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.settings import parse_setting, setting_text, value_of
from fsconsole.shares.scenario.spec import (
    MachineSpec,
    SettingError,
    changed_settings,
    settings_in_order,
    settings_of,
)
from tests.texts import Expected, naming, refuses, refuses_naming, says, worded, wording


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("policy.half_life_s=8 h", "policy.half_life_s", 28800.0),
        ("policy.half_life_s = 600", "policy.half_life_s", 600.0),
        ("policy.adjgroups=off", "policy.adjgroups", "off"),
        ("policy.adjgroups=share", "policy.adjgroups", "share"),
        ("policy.name=flat", "policy.name", "flat"),
        ("machine.name=no", "machine.name", "no"),
        ("machine.name=a=b", "machine.name", "a=b"),
        ("machine.cpus=16", "machine.cpus", 16),
        ("machine.count_inactive=true", "machine.count_inactive", True),
        ("machine.count_inactive=off", "machine.count_inactive", False),
        ("machine.k2=1e-2", "machine.k2", 0.01),
        ("machine.start=1991-03-04 14:00:00", "machine.start", datetime.fromisoformat("1991-03-04 14:00")),
        ("policy.k_mu=0.5", "policy.k_mu", (0.5,)),
        ("policy.k_mu=[1]", "policy.k_mu", (1.0,)),
        ("policy.level_half_lives_s=8 h", "policy.level_half_lives_s", (28800.0,)),
        ("policy.level_half_lives_s=", "policy.level_half_lives_s", ()),
        (
            "machine.calendar=[mon-fri 08:00-18:00 1, daily 0.25]",
            "machine.calendar",
            ("mon-fri 08:00-18:00 1", "daily 0.25"),
        ),
        ("machine.calendar=sat,sun 0.25", "machine.calendar", ("sat,sun 0.25",)),
        ("machine.start=1991-03-04", "machine.start", datetime.fromisoformat("1991-03-04")),
    ],
)
def test_values_are_typed_by_the_setting(text: str, key: str, value: Any) -> None:
    found = parse_setting(text)
    assert found == (key, value)
    assert type(found[1]) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("policy.half_life_s", worded("shares.scenario.is-not-setting-write-key")),
        ("policy.halflife_s=4", naming("Did you mean policy.half_life_s")),
        ("cpus=4", worded("shares.scenario.did-you-mean", repr="machine.cpus")),
        (
            "machine.cpus=1.5",
            worded(
                "shares.scenario.is-not-allowed-it-must",
                shown="machine.cpus: '1.5'",
                value=wording("shares.scenario.whole-number"),
            ),
        ),
        ("machine.cpus=true", naming("It must be a whole number")),
        ("machine.k2=nan", worded("shares.scenario.is-not-allowed-it-must", value="a number")),
        ("machine.k2=.nan", naming("It must be a finite number")),
        ("policy.half_life_s=8 x", naming("'8 x' is not a time")),
        ("policy.half_life_s=", worded("shares.scenario.is-not-allowed-it-must")),
        ("policy.adjgroups=on", naming("It must be 'off', 'share' or 'integral'")),
        ("machine.start=tomorrow", worded("shares.scenario.date-and-time-such-as")),
        ("machine.start=1991-03-04 14:00+01:00", worded("shares.scenario.date-and-time-such-as")),
        ("policy.k_mu=[0.5, x]", worded("shares.scenario.is-not-allowed-it-must", value="a number")),
        ("policy.k_mu=[0.5", worded("shares.scenario.is-not-allowed-it-must", value="a number")),
        ("policy.level_half_lives_s=[8 x]", naming("'8 x' is not a time")),
        ("machine.calendar=[1]", naming("It must be text")),
        ("zzz=4", worded("figures.choose-one-of", quantity_names="machine.name, machine.cpus")),
    ],
)
def test_what_cannot_be_is_reported(text: str, message: Expected) -> None:
    with pytest.raises(SettingError) as error:
        parse_setting(text)
    assert says(str(error.value), message)


@pytest.mark.parametrize("text", ["machine.cpus={}", "policy.half_life_s={}", "{}"])
def test_a_message_shows_the_ends_of_a_long_value(text: str) -> None:
    with refuses_naming(SettingError, "…") as error:
        parse_setting(text.format("x" * 1_000_000))
    assert len(str(error.value)) < 250


@pytest.mark.parametrize("key", list(settings_of(MachineSpec(), PolicySpec())))
def test_every_setting_is_read_back_as_it_is_written(key: str) -> None:
    value = settings_of(MachineSpec(), replace(PolicySpec(), adjgroups="off"))[key]
    written = value if isinstance(value, str) else setting_text(key, value)
    assert parse_setting(f"{key}={written}") == (key, value)


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [
        ("policy.k_mu", (0.5, 0.7), "[0.5, 0.7]"),
        ("policy.level_half_lives_s", (604800.0, 28800.0), "[7 d, 8 h]"),
        ("machine.calendar", ("mon-fri 08:00-18:00 1", "sat,sun 0.25"), None),
        ("machine.calendar", (), "[]"),
    ],
)
def test_several_values_are_a_list(key: str, value: tuple[Any, ...], text: str | None) -> None:
    written = setting_text(key, value)
    assert text is None or written == text
    assert parse_setting(f"{key}={written}") == (key, value)
    assert json.loads(json.dumps(value_of(key, list(value)))) == list(value)


def test_decays_lie_no_further_apart_than_the_engine_has_room_for() -> None:
    changed_settings(MachineSpec(), PolicySpec(), {"machine.decay_interval_s": 3600.0})
    with refuses(SettingError, "shares.scenario.needs-at-most-s-with", most="333333", cpus="1", hz="60"):
        changed_settings(MachineSpec(), PolicySpec(), {"machine.decay_interval_s": 1e8})


@pytest.mark.parametrize(("low", "high"), [(30.0, 60.0), (1.0, 5.0), (15.0, 18.0)])
def test_both_limits_of_a_range_are_changed_in_an_order_in_which_each_is_allowed(
    low: float, high: float
) -> None:
    first, last = "urm.preferred_from_mw", "urm.preferred_to_mw"
    machine, policy = changed_settings(MachineSpec(), PolicySpec(), {first: 10.0, last: 20.0})
    for given in ({first: low, last: high}, {last: high, first: low}):
        order = settings_in_order(machine, policy, given)
        assert order == given
        now = machine, policy
        for key, value in order.items():
            now = changed_settings(*now, {key: value})


def test_what_cannot_stand_with_the_others_is_last_in_order() -> None:
    given = {"policy.half_life_s": -1.0, "policy.nu": 1.001}
    assert list(settings_in_order(MachineSpec(), PolicySpec(), given)) == ["policy.nu", "policy.half_life_s"]


def test_costs_are_those_of_the_share_kernel_as_delivered() -> None:
    """charge(1) of Share: a tick costs 1000 and nothing else has a price; so a CPU second costs 60,000."""
    machine = MachineSpec()
    costs = (machine.syscall_cost, machine.bio_cost, machine.tio_cost, machine.click_cost)
    assert (machine.tick_cost, costs) == (1000.0, (0.0, 0.0, 0.0, 0.0))
    assert MachineSpec(tick_cost=250.0).cost_per_cpu_s == machine.cost_per_cpu_s == 60_000.0
