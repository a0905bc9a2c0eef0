"""Types of the keys of a scenario file: units, dates and percentages as people write them.

Sections that are derived from their dataclasses are made here, so a new setting is a key of the file at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from datetime import date, datetime
from functools import cache
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    TypeAdapter,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from pydantic_core import PydanticCustomError

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.scenario.actions import MAX_SYSCALLS_PER_S, NICE_LEVELS
from fsconsole.shares.scenario.event_kinds import NAMED, called, fields_that_refer, form_limits
from fsconsole.shares.scenario.fractions import PATTERN as PERCENT
from fsconsole.shares.scenario.fractions import fraction
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.spec import PARTS
from fsconsole.text.durations import LONGEST_S, PATTERN, seconds

# Pydantic reports tags of unions among the places; this prefix shows that they are not keys of the file.
NO_KEY = "as:"


class Strict(BaseModel):
    """No unknown keys, no conversions, no endless numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())


def _seconds(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return seconds(value)
        except ValueError as error:
            raise value_problem(str(error)) from None
    return value


def value_problem(text: str) -> PydanticCustomError:
    """Return a fault whose own message states the allowed values."""
    return PydanticCustomError("message", "{message}", {"message": text})


def _fraction(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return fraction(value)
        except ValueError as error:
            raise value_problem(str(error)) from None
    return value


def _portion(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return fraction(value)
        except ValueError:
            msg = f"{value!r} is not a fraction. Write a percentage such as 88 %, or a number from 0 to 1"
            raise value_problem(msg) from None
    return value


def mapping_like(example: str) -> BeforeValidator:
    """Return a section that must be a mapping; the message for anything else has an example."""

    def checked(value: Any) -> Any:
        if isinstance(value, dict | BaseModel):
            return value
        msg = f"write its keys below it. Example: {example}"
        raise value_problem(msg)

    return BeforeValidator(checked)


def nothing_more(value: Any) -> Any:
    """Return `true` where a mapping may be empty."""
    return {} if value is True else value


def _limit(value: Any) -> Any:
    """Return a demand's word or number as its limit, None without one."""
    if value is None:
        msg = "a demand is a percentage such as 2.08 %, saturated or idle"
        raise value_problem(msg)
    return {"saturated": None, "idle": 0.0}.get(value, value) if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    """Return a list as a tuple; a single value becomes a list of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def yes_only(value: Any) -> Any:
    """Check that a value is true, the only one allowed."""
    if value is not True:
        msg = "leave the event out if nothing restarts, or write restart: true"
        raise value_problem(msg)
    return value


def _moment(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 (the machine's own clock)
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is not None and moment.tzinfo is None:
            return moment
    return value


def _switch(value: Any) -> Any:
    """Read a switch; YAML 1.1 reads a plain off as false."""
    return "off" if value is False else value


def _duration_schema(**limits: float) -> dict[str, Any]:
    number = {"type": "number", **limits}
    text = {"type": "string", "pattern": PATTERN}
    return {"anyOf": [number, text], "description": "Seconds, or text with a unit such as 8 h"}


Seconds = Annotated[float, BeforeValidator(_seconds), WithJsonSchema(_duration_schema(minimum=0))]
Duration = Annotated[
    float,
    Field(ge=0, le=LONGEST_S),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(minimum=0, maximum=LONGEST_S)),
]
LongDuration = Annotated[
    float,
    Field(gt=0, le=LONGEST_S),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(exclusiveMinimum=0, maximum=LONGEST_S)),
]
PastSeconds = Annotated[
    float,
    Field(ge=-LONGEST_S, le=0),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(minimum=-LONGEST_S, maximum=0)),
]
AnySeconds = Annotated[
    float,
    Field(ge=-LONGEST_S, le=LONGEST_S),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(minimum=-LONGEST_S, maximum=LONGEST_S)),
]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "description": "Date and time, such as 1991-03-04 14:00:00"}),
]
Shares = Annotated[int, Field(ge=0, le=MAX_SHARES)]
Reference = Annotated[
    str, Field(min_length=1, description="A path such as g1/u11, or a name that occurs once")
]
Name = Annotated[str, Field(min_length=1)]
Rate = Annotated[float, Field(ge=0, le=MAX_SYSCALLS_PER_S)]
Nice = Annotated[int, Field(ge=0, lt=NICE_LEVELS)]
_PART: dict[str, Any] = {
    "anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string", "pattern": PERCENT}]
}
Part = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_fraction),
    WithJsonSchema(_PART | {"description": "Part of the machine: 0 .. 1, or text such as 2.08 %"}),
]
Portion = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_portion),
    WithJsonSchema(_PART | {"description": "0 .. 1, or text such as 88 %"}),
]
Limit = Annotated[
    Part | None,
    BeforeValidator(_limit),
    WithJsonSchema(
        {"anyOf": [*_PART["anyOf"], {"enum": ["saturated", "idle"]}]}
        | {
            "description": "Most that the node can use of the machine: a percentage, "
            "saturated for all it gets, or idle"
        }
    ),
]


def field_type(name: str, hint: Any) -> Any:
    """Return the file's type of a dataclass field: its own, with units, dates and `off` as files write
    them.
    """
    if get_origin(hint) in (Union, UnionType):
        (one,) = (item for item in get_args(hint) if item is not NoneType)
        return field_type(name, one) | None
    if hint is float and name == "by_s":
        return AnySeconds
    if hint is float and is_time(name):
        return Seconds
    if hint is float and name.endswith(("_fraction", "_efficiency")):
        return Portion
    if hint is datetime:
        return Moment
    if get_origin(hint) is Literal and "off" in get_args(hint):
        schema = {"enum": [*get_args(hint), False]}
        return Annotated[hint, BeforeValidator(_switch), WithJsonSchema(schema)]
    if get_origin(hint) is tuple:
        return _list_type(field_type(name, get_args(hint)[0]))
    return hint


def _list_type(item: Any) -> Any:
    """Return a tuple that files write as a list, or as its one value."""
    one = TypeAdapter(item).json_schema()
    schema = {"anyOf": [{"type": "array", "items": one}, one]}
    return Annotated[tuple[item, ...], BeforeValidator(_listed), WithJsonSchema(schema)]


def descriptions(spec: type[Any]) -> dict[str, str]:
    """Return the texts under Attributes of a dataclass's docstring, by field."""
    # Python removes the indentation of docstrings only from 3.13 on.
    _, _, listed = cleandoc(spec.__doc__ or "").partition("Attributes:")
    found = {}
    for names, text in re.findall(r"^ {4}([a-z][\w, ]*): (.*(?:\n {5,}.*)*)", listed, re.MULTILINE):
        for name in names.split(", "):
            found[name] = " ".join(text.split())
    return found


def derived(
    title: str,
    *specs: type[Any],
    about: str = "",
    types: Mapping[str, Any] | None = None,
    more: Mapping[str, Any] | None = None,
) -> Any:
    """Return the form of a dataclass in files, or of several that share it: fields that not all of
    them have are optional.

    `about` stands in place of the first line of the docstring, `types` (by key) in place of those of fields,
    `more` has (type, field) of keys that the dataclasses have not.
    """
    forms = [_keys(spec, types or {}) for spec in specs]
    shared = [key for key in forms[0] if all(key in form for form in forms)]
    made: dict[str, Any] = {}
    for form in forms:
        made |= {key: (kind | None, None) for key, (kind, _) in form.items() if key not in shared}
    made |= {key: forms[0][key] for key in shared} | dict(more or {})
    doc = about or (specs[0].__doc__ or "").splitlines()[0]
    return create_model(title, __base__=Strict, __doc__=doc, **made)


def _keys(spec: type[Any], types: Mapping[str, Any]) -> dict[str, Any]:
    """Return (type, field) by the key of a file."""
    texts, keys = descriptions(spec), called(spec)
    found = [(keys[item.name], item) for item in fields(spec) if item.name not in PARTS]
    return {
        key: (types.get(key) or type_in_files(spec, item.name), _about(item.default, texts.get(item.name)))
        for key, item in found
    }


def _about(default: Any, text: str | None) -> Any:
    if default is MISSING:
        return Field(description=text) if text else ...  # The type may have a description.
    shown = str(default) if isinstance(default, datetime) else default
    shown = list(shown) if isinstance(shown, tuple) else shown
    return Field(default, description=text, json_schema_extra={"default": shown})


def field_adapter(spec: Any, name: str) -> TypeAdapter[Any]:
    """Return the adapter that checks one field of a dataclass."""
    return _adapter(spec, name)


@cache
def _adapter(spec: Any, name: str) -> TypeAdapter[Any]:
    return TypeAdapter(type_in_files(spec, name), config=Strict.model_config)


def type_in_files(spec: Any, name: str) -> Any:
    """Return the file's type of a field: the name of its object, or its value within its limits."""
    if any(field == name and to in NAMED for field, to, _ in fields_that_refer(spec)):
        return Reference
    kind, within = field_type(name, get_type_hints(spec)[name]), form_limits(spec, name)
    return Annotated[kind, Field(**within)] if within else kind


def sound_values(spec: type[Any], raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return values of a dataclass's fields in raw data that are right each by itself."""
    found = {}
    for name, key in called(spec).items():
        if key in raw and name not in PARTS:
            with suppress(ValidationError):
                found[name] = field_adapter(spec, name).validate_python(raw[key])
    return found
