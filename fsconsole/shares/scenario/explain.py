"""Messages for the faults that pydantic finds in a file: line, column and a valid value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.scenario import schema
from fsconsole.shares.scenario.field_types import NO_KEY
from fsconsole.shares.scenario.problems import Problem
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.yaml_nodes import Document, Map, Seq
from fsconsole.text.nearest import nearest

_Model = TypeVar("_Model", bound=BaseModel)

# The last key on the way to a mapping gives its form.
_FORMS: dict[str, type[BaseModel]] = {
    "": schema.ScenarioForm,
    "machine": schema.Machine,
    "policy": schema.Policy,
    "tree": schema.NodeRow,
    "workloads": schema.ProcessForm,
    "start": schema.ProcessForm,
    "work": schema.WorkForm,
    "events": schema.EventForm,
    "people": schema.PersonForm,
    "devices": schema.DeviceForm,
    "reports": schema.ReportForm,
    "plot": schema.PlotForm,
    "memory": schema.Memory,
    "urm": schema.Urm,
    "queues": schema.QueueForm,
    "jobs": schema.JobForm,
    "submit": schema.JobForm,
    "near_dedicated": schema.NearDedicated,
    **schema.EVENT_FORMS,
}

_WANTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "string_too_short": "text that is not empty",
    "list_type": "a list, each item after a dash",
    "dict_type": "a mapping of keys to values",
    "model_type": "a mapping of keys to values",
    "model_attributes_type": "a mapping of keys to values",
    "datetime_type": "a date and time such as 1991-03-04 14:00:00",
    "greater_than_equal": "at least {ge}",
    "greater_than": "above {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "below {lt}",
    "literal_error": "{expected}",
}


def sound(model: type[_Model], raw: Any) -> _Model | None:
    """Return the model of raw data, or None where something is wrong with it."""
    try:
        return model.model_validate(raw)
    except ValidationError:
        return None


def faults(
    model: type[BaseModel],
    raw: Any,
    document: Document,
    form: str = "",
    path: str = "",
    forms: Mapping[str, type[BaseModel]] = _FORMS,
) -> list[Problem]:
    """Return the faults of raw data by its model; `form` names the kind of mapping, `path` its subject.

    `forms` has the models of a file of another kind than a scenario.
    """
    try:
        model.model_validate(raw)
    except ValidationError as error:
        listed = error.errors(include_url=False, include_input=False)
        return [_problem(item, raw, document, form, path, forms) for item in listed]
    return []


def _problem(
    error: Any, raw: Any, document: Document, form: str, path: str, forms: Mapping[str, type[BaseModel]]
) -> Problem:
    keys = [key for key in error["loc"] if not str(key).startswith(NO_KEY)]
    holder, place, value = raw, raw.place, raw
    for key in keys:
        holder = value
        if isinstance(holder, Map) and key in holder:
            place, value = holder.place_of(key), holder[key]
        elif isinstance(holder, Seq) and isinstance(key, int):
            place, value = holder.places[key], holder[key]
    names = [str(key) for key in keys if not isinstance(key, int)]
    key = names[-1] if names else form
    subject = path or ".".join(_dotted(keys[:-1] if error["type"] == "missing" else keys))
    if error["type"] == "missing":
        return document.problem(place, f"the key {key} is missing", subject)
    if error["type"] == "extra_forbidden" and isinstance(holder, Map):
        place = holder.place_of(key, of_key=True)
        model = forms.get(names[-2] if len(names) > 1 else form)
        return document.problem(place, _unknown(key, model, holder), path or ".".join(_dotted(keys[:-1])))
    if names and isinstance(keys[-1], int):
        key = f"each item of {key}"
    wrong = _wrong(error, key, value, document.written(place))
    if subject == key or subject.endswith(f".{key}"):
        wrong = wrong.removeprefix(key).removeprefix(":").lstrip()
    return document.problem(place, wrong, subject)


def _dotted(keys: list[Any]) -> list[str]:
    """Return keys as a place in the file: workloads[2].work."""
    parts: list[str] = []
    for key in keys:
        if isinstance(key, int) and parts:
            parts[-1] += f"[{key + 1}]"
        else:
            parts.append(str(key))
    return parts


def _unknown(key: str, model: type[BaseModel] | None, holder: Map) -> str:
    if key == "<<":
        return "merge keys (<<) are not read: write the values out"
    known = list(model.model_fields) if model is not None else []
    unused = ", ".join(name for name in known if name not in holder)
    near = nearest(key, known)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else f" Possible here: {unused}."
    return f"Unknown key {key!r}.{hint if near or unused else ''}"


def _wrong(error: Any, key: str, value: Any, written: str) -> str:
    kind = error["type"]
    if kind == "message":
        return f"{key}: {error['ctx']['message']}"
    if kind == "too_short":
        return f"{key} is an empty list. Give at least one item"
    is_scalar = not isinstance(value, Map | Seq | None | str)
    if kind == "string_type" and is_scalar:
        return f'{key} must be text. {written} may be read as something else. Put it in quotes: "{written}"'
    right = wanted(error)
    if key == "shares" or "set_shares" in error["loc"]:
        right = f"a whole number from 0 to {MAX_SHARES}"
    elif {"demands", "measured"} & set(error["loc"][-2:-1]):
        right = "a share of machine, from 0 % to 100 %"
    elif key.endswith(("_fraction", "_efficiency")):
        right = "a number from 0 to 1, or a percentage such as 88 %"
    elif kind == "float_type" and is_time(key):
        right = "a time: seconds, or a number with a unit such as 8 h"
    elif kind == "float_type" and key.endswith("_mw"):
        right = "a number of MW, 8 MB each"
    elif kind == "float_type" and key.endswith("_mw_per_s"):
        right = "a number of MW/s (20 MB/s are 2.5)"
    if not right:
        return f"{key}: {error['msg']}"
    if key == "version" and len(error["loc"]) == 1:
        return version_words(right, value, written)
    return f"{key} must be {right}, not {value_text(value, written)}"


def version_words(right: object, value: Any, written: str) -> str:
    """Return a message on a version of a file that is not the right one."""
    words = f"version must be {right}, the version that this program reads, not {value_text(value, written)}"
    is_newer = type(value) is int and value > 1
    return f"{words}. A newer fsconsole may have written the file" if is_newer else words


def wanted(error: Any) -> str:
    """Return the allowed value for one of pydantic's faults; empty where it has no short name."""
    limits = {
        key: f"{value:g}" if isinstance(value, float) else value
        for key, value in (error.get("ctx") or {}).items()
    }
    return _WANTED.get(error["type"], "").format_map(limits)


def value_text(value: Any, written: str) -> str:
    """Return a value as a message shows it."""
    if value is None:
        return "empty"
    if isinstance(value, Map):
        return "a mapping"
    if isinstance(value, Seq):
        return "a list"
    if isinstance(value, str):
        return f'"{value[:60]}"'
    return written[:60] or str(value)
