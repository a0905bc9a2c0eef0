"""Settings given as text, KEY=VALUE, and their values checked by the dataclass that holds them."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.spec import PARTS, MachineSpec, SettingError, split_setting
from fsconsole.text.durations import in_words
from fsconsole.text.words import shortened

_ROOMS: dict[str, type[Any]] = {"machine": MachineSpec, "policy": PolicySpec, **PARTS}


def parse_setting(text: str) -> tuple[str, Any]:
    """Read (dotted key, typed value) of `policy.half_life_s=8 h`.

    Raises:
        SettingError: either is wrong.
    """
    key, equals, written = (part.strip() for part in text.partition("="))
    if not equals:
        shown = shortened(text)
        msg = f"{shown!r} is not a setting. Write KEY=VALUE. Example: policy.half_life_s=600"
        raise SettingError(msg)
    split_setting(key)  # A fault of the key itself names it already.
    try:
        return key, parse_value(key, written)
    except SettingError as error:
        raise SettingError(f"{key}: {error}") from None


def parse_value(key: str, written: str) -> Any:
    """Return the value of a setting that a text means; SettingError, without the key, where it is wrong."""
    room, name = split_setting(key)
    return _checked(room, name, _plain(setting_types(room)[name], written), written)


@cache
def setting_types(room: str) -> dict[str, Any]:
    """Return types of the settings of a room, by name; it is fast enough for each key that is typed."""
    return get_type_hints(_ROOMS[room])


def setting_text(key: str, value: Any, *, in_flow: bool = False) -> str:
    """Return a setting's value as files and `--set` write it: times with units, several values as a list."""
    from fsconsole.shares.scenario.scalars import scalar

    if isinstance(value, tuple):
        return f"[{', '.join(setting_text(key, item, in_flow=True) for item in value)}]"
    if is_time(key) and isinstance(value, float | int):
        return in_words(float(value))
    if value == "off":
        return "off"  # People write "off", and YAML reads it back as the same word.
    return scalar(value, in_flow=in_flow)


def _plain(hint: Any, written: str) -> Any:
    """Return the value that a text is before its setting has checked it."""
    from fsconsole.shares.scenario.yaml_nodes import plain_value

    if hint is str:
        return written
    if get_origin(hint) is not tuple:
        return plain_value(written)
    if written.startswith("["):
        return _list(written)
    item = get_args(hint)[0]
    return [_plain(item, written)] if written else []


def _list(written: str) -> Any:
    """Return the items of `[0.5, 0.7]`; the text itself where it is not a list."""
    from fsconsole.shares.scenario.problems import ScenarioError
    from fsconsole.shares.scenario.yaml_nodes import read_document

    try:
        document = read_document(written)
    except ScenarioError:
        return written
    return written if document.problems else document.data


def value_of(key: str, value: Any) -> Any:
    """Return the value of a setting as its dataclass holds it.

    Raises:
        SettingError: the key or the value is wrong.
    """
    room, name = split_setting(key)
    try:
        return _checked(room, name, value, value)
    except SettingError as error:
        raise SettingError(f"{key}: {error}") from None


def _checked(room: str, name: str, value: Any, written: Any) -> Any:
    """Return a value as its dataclass holds it; the error shows the value as it was `written`."""
    from pydantic import ValidationError

    from fsconsole.shares.scenario.field_types import field_adapter

    try:
        return field_adapter(_ROOMS[room], name).validate_python(value)
    except ValidationError as error:
        raise SettingError(_message_of(error, written)) from None


def _message_of(error: Any, written: Any) -> str:
    from fsconsole.shares.scenario.explain import wanted

    fault = error.errors(include_url=False, include_input=False)[0]
    if fault["type"] == "message":
        return str(fault["ctx"]["message"])
    shown = shortened(repr(written))
    return f"{shown} is not allowed. It must be {wanted(fault) or fault['msg']}"
