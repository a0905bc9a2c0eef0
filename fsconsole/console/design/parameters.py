"""The settings of machine and policy as a person reads them: name, unit, meaning, where a default is from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args, get_type_hints

from fsconsole.shares.scenario.durations import in_words
from fsconsole.shares.scenario.spec import POLICY_NAMES, MachineSpec, PolicySpec, settings_of

JUNGLAS = "Junglas 1991"
SHARE = "original Share kernel"
OURS = "ours"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One setting.

    Attributes:
        key: dotted key as in files and on the command line.
        label, unit: what stands beside the field; durations are typed with their unit.
        source: where the default value is from.
    """

    key: str
    label: str
    unit: str
    source: str


PARAMETERS = (
    Parameter("machine.name", "Name", "", OURS),
    Parameter("machine.start", "Date and time at 0", "", OURS),
    Parameter("machine.cpus", "Processors", "CPUs", JUNGLAS),
    Parameter("machine.hz", "Clock ticks, 1/t3", "per second", JUNGLAS),
    Parameter("machine.decay_interval_s", "Decay of priorities, t2", "", JUNGLAS),
    Parameter("machine.k2", "K2", "per nice step", SHARE),
    Parameter("machine.k3", "K3", "nice steps", SHARE),
    Parameter("machine.tick_cost", "Cost of a tick", "cost units", SHARE),
    Parameter("machine.nice_cost", "Nice in the cost", "", JUNGLAS),
    Parameter("machine.count_inactive", "Count inactive users", "", JUNGLAS),
    Parameter("policy.name", "Policy", "", JUNGLAS),
    Parameter("policy.delta_s", "Delta, t1", "", JUNGLAS),
    Parameter("policy.half_life_s", "Half-life of usage", "", JUNGLAS),
    Parameter("policy.rate_half_life_s", "Half-life of the process count", "", SHARE),
    Parameter("policy.adjgroups", "Adjust groups", "", SHARE),
    Parameter("policy.mingshare", "Group minimum, mingshare", "of entitlement", SHARE),
    Parameter("policy.min_kusage", "Least usage / share²", "", SHARE),
    Parameter("policy.max_kusage", "Most usage / share²", "", SHARE),
)

_SPECS: dict[str, type[Any]] = {"machine": MachineSpec, "policy": PolicySpec}
_WHOLE_FROM = 1e5


def room_of(parameter: Parameter) -> str:
    """`machine` or `policy`."""
    return parameter.key.partition(".")[0]


def choices(parameter: Parameter) -> tuple[str, ...]:
    """The words that a setting can have; empty where it is a number or a text."""
    room, _, name = parameter.key.partition(".")
    if parameter.key == "policy.name":
        return POLICY_NAMES
    hint = get_type_hints(_SPECS[room])[name]
    return ("no", "yes") if hint is bool else tuple(str(word) for word in get_args(hint))


def default_of(parameter: Parameter) -> Any:
    """The value where a file says nothing."""
    return settings_of(MachineSpec(), PolicySpec())[parameter.key]


def written(parameter: Parameter, value: Any) -> str:
    """A value as it is typed, with six digits where it has more, as K2 does."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return str(value)
    if parameter.key.endswith("_s"):
        return in_words(float(value))
    return f"{value:g}" if isinstance(value, float) and _is_short(value) else str(value)


def _is_short(value: float) -> bool:
    return float(f"{value:g}") == value or abs(value) < _WHOLE_FROM


def parsed(parameter: Parameter, text: str) -> Any:
    """The value that a text means; SettingError says what would be right."""
    from fsconsole.shares.scenario.settings import parse_setting

    if isinstance(default_of(parameter), bool):
        return text == "yes"
    return parse_setting(f"{parameter.key}={text}")[1]
