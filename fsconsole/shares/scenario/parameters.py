"""Settings of a scenario as a person reads them: name, unit, meaning, where a default is from."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Literal, get_args, get_origin

from fsconsole.shares.scenario.job_spec import URM_SECTIONS, UrmSpec
from fsconsole.shares.scenario.memory_spec import MEMORY_SECTIONS, MemorySpec
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES, POLICY_SECTIONS, PolicySpec
from fsconsole.shares.scenario.ranges import declared, is_declared, is_time
from fsconsole.shares.scenario.settings import parse_value, setting_types
from fsconsole.shares.scenario.spec import MACHINE_SECTIONS, PARTS, MachineSpec, default_settings
from fsconsole.text.durations import in_words


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


def _sections(
    room: str, spec: type[Any], names: dict[str, tuple[str, ...]]
) -> dict[str, tuple[Parameter, ...]]:
    """Return sections of settings as a specification declares them."""
    declarations = {item.name: declared(item) for item in fields(spec) if is_declared(item)}

    def parameter(name: str) -> Parameter:
        return Parameter(
            f"{room}.{name}", declarations[name].label, declarations[name].unit, declarations[name].source
        )

    return {title: tuple(map(parameter, of_section)) for title, of_section in names.items()}


SECTIONS: dict[str, tuple[Parameter, ...]] = {
    **_sections("machine", MachineSpec, MACHINE_SECTIONS),
    **_sections("policy", PolicySpec, POLICY_SECTIONS),
    **_sections("memory", MemorySpec, MEMORY_SECTIONS),
    **_sections("urm", UrmSpec, URM_SECTIONS),
}
PARAMETERS = tuple(parameter for section in SECTIONS.values() for parameter in section)

SPECS: dict[str, type[Any]] = {"machine": MachineSpec, "policy": PolicySpec, **PARTS}
_WHOLE_FROM = 1e5


def choices(parameter: Parameter) -> tuple[str, ...]:
    """Return the words that a setting can have; empty where it is a number or a text."""
    room, _, name = parameter.key.partition(".")
    if parameter.key == "policy.name":
        return POLICY_NAMES
    hint = setting_types(room)[name]
    if get_origin(hint) is not Literal:
        return ("no", "yes") if hint is bool else ()
    return tuple(str(word) for word in get_args(hint))


def default_of(parameter: Parameter) -> Any:
    """Return the value that holds if a file omits the setting."""
    return default_settings()[parameter.key]


def written(parameter: Parameter, value: Any) -> str:
    """Return a value as it is typed, with six digits where it has more, as K2 does."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return str(value)
    if isinstance(value, tuple):
        return ", ".join(in_words(item) if is_time(parameter.key) else _text(item) for item in value)
    if is_time(parameter.key):
        return in_words(float(value))
    return _text(value)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) and _is_short(value) else str(value)


def _is_short(value: float) -> bool:
    return float(f"{value:g}") == value or abs(value) < _WHOLE_FROM


def parsed(parameter: Parameter, text: str) -> Any:
    """Return the value of a text.

    Raises:
        SettingError: the text is wrong; the message names a valid one.
    """
    if isinstance(default_of(parameter), bool):
        return text == "yes"
    if isinstance(default_of(parameter), tuple):
        text = f"[{text}]"
    return parse_value(parameter.key, text)
