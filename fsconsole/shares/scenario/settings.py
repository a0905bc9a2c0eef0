"""Settings given as text, KEY=VALUE, and their values checked by the dataclass that holds them."""

from __future__ import annotations

from functools import cache
from typing import Any, get_type_hints

from fsconsole.shares.scenario.spec import MachineSpec, PolicySpec, SettingError, split_setting

_ROOMS = {"machine": MachineSpec, "policy": PolicySpec}


def parse_setting(text: str) -> tuple[str, Any]:
    """(dotted key, typed value) of `policy.half_life_s=8 h`; SettingError where either is wrong."""
    from fsconsole.shares.scenario.yaml_nodes import plain_value

    key, equals, written = (part.strip() for part in text.partition("="))
    if not equals:
        msg = f"{text!r} is no setting: write KEY=VALUE, such as policy.half_life_s=600"
        raise SettingError(msg)
    room, name = split_setting(key)
    is_text = get_type_hints(_ROOMS[room])[name] is str
    return key, value_of(key, written if is_text else plain_value(written), written)


def value_of(key: str, value: Any, written: str | None = None) -> Any:
    """The value of a setting as its dataclass holds it; SettingError where the key or the value is wrong.

    The error shows the value as it was `written`, where it came as text.
    """
    from pydantic import ValidationError

    room, name = split_setting(key)
    try:
        return _adapter(room, name).validate_python(value)
    except ValidationError as error:
        msg = f"{key} cannot be {(value if written is None else written)!r}: {_said(error)}"
        raise SettingError(msg) from None


def _said(error: Any) -> str:
    from fsconsole.shares.scenario.explain import wanted

    fault = error.errors(include_url=False, include_input=False)[0]
    if fault["type"] == "time":
        return str(fault["ctx"]["told"])
    return f"it must be {wanted(fault) or fault['msg']}"


@cache
def _adapter(room: str, name: str) -> Any:
    from pydantic import TypeAdapter

    from fsconsole.shares.scenario.schema import Strict, field_type

    return TypeAdapter(field_type(name, get_type_hints(_ROOMS[room])[name]), config=Strict.model_config)
