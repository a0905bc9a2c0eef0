from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from fsconsole.shares.scenario.scalars import scalar
from fsconsole.shares.scenario.settings import parse_setting
from fsconsole.shares.scenario.spec import MachineSpec, PolicySpec, SettingError, settings_of


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
        ("machine.start=1991-03-04", "machine.start", datetime.fromisoformat("1991-03-04")),
    ],
)
def test_values_are_typed_by_the_setting(text: str, key: str, value: Any) -> None:
    found = parse_setting(text)
    assert found == (key, value)
    assert type(found[1]) is type(value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("policy.half_life_s", "write KEY=VALUE"),
        ("policy.halflife_s=4", "did you mean policy.half_life_s"),
        ("cpus=4", "did you mean machine.cpus"),
        ("machine.cpus=1.5", "machine.cpus cannot be '1.5': it must be a whole number"),
        ("machine.cpus=true", "it must be a whole number"),
        ("machine.k2=nan", "it must be a number"),
        ("machine.k2=.nan", "it must be a finite number"),
        ("policy.half_life_s=8 x", "'8 x' is no time"),
        ("policy.half_life_s=", "it must be"),
        ("policy.adjgroups=on", "it must be 'off' or 'share'"),
        ("machine.start=tomorrow", "a date and time such as"),
        ("machine.start=1991-03-04 14:00+01:00", "a date and time such as"),
        ("zzz=4", "known are machine.name, machine.cpus"),
    ],
)
def test_what_cannot_be_is_told(text: str, told: str) -> None:
    with pytest.raises(SettingError) as error:
        parse_setting(text)
    assert told in str(error.value)


@pytest.mark.parametrize("key", list(settings_of(MachineSpec(), PolicySpec())))
def test_every_setting_is_read_back_as_it_is_written(key: str) -> None:
    value = settings_of(MachineSpec(), replace(PolicySpec(), adjgroups="off"))[key]
    written = value if isinstance(value, str) else scalar(value)
    assert parse_setting(f"{key}={written}") == (key, value)
