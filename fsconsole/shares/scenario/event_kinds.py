"""Declarations of actions: their names in files, their fields, and the objects that the fields refer to.

Reading, writing, leaving out what has gone, following new names, request numbers, the schema and the words
in plots look here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from fsconsole.shares.scenario.ranges import Range

_Kind = TypeVar("_Kind", bound=type[Any])
_REFERS, _KEY, _WITHIN, _FORM = "refers", "key", "within", "form"


class Refers(StrEnum):
    """Meaning of a field's value; the field's default value refers to nothing."""

    WORKER = "worker"  # The value is the id of a node that can have work.
    WORKER_OR_ROOT = "worker or root"  # It may also be the root, which is exempt.
    # It is a worker; where the action has a `person`, it is one of that person's accounts.
    ACCOUNT = "account"
    USER = "user"  # Files give the user by name.
    QUEUE = "queue"
    REQUEST = "request"
    JOB = "job"  # It is a whole `JobSpec`, whose own fields refer to things.


NODES = (Refers.WORKER, Refers.WORKER_OR_ROOT, Refers.ACCOUNT)
NAMED = (*NODES, Refers.USER)  # Files refer to these objects by name.


def refers(
    to: Refers | None = None, *, key: str = "", within: Range | None = None, **form: float
) -> Mapping[str, Any]:
    """Return metadata of a field: its object, its key in files if that is not its name, its limits.

    Limits are a range of which the schema says nothing, or those of the `form`, by pydantic's names.
    """
    return {_REFERS: to, _KEY: key, _WITHIN: within, _FORM: form}


@dataclass(frozen=True, slots=True)
class EventKind:
    """Words for an action in files and plots.

    Several actions can share a key: the fields of an event that are `given` choose one.

    Attributes:
        key: of the event in a file.
        mark: what a plot says of it, with fields in braces.
        about: what the schema says of the event, where that is not the docstring.
        given: keys of which the event needs one at least.
        wrong: message for an event that has none of them, or those of several actions.
        is_bare: whether the event may say nothing more, such as `close_window: true`.
        is_word: whether it is one value and no mapping.
        needs_windows: whether it makes no sense without the section near_dedicated.
    """

    key: str
    mark: str = ""
    about: str = ""
    given: tuple[str, ...] = ()
    wrong: str = ""
    is_bare: bool = False
    is_word: bool = False
    needs_windows: bool = False


EVENTS: dict[type[Any], EventKind] = {}
_REFERRING: dict[type[Any], tuple[tuple[str, Refers, Any], ...]] = {}


def event(key: str, mark: str = "", **declared: Any) -> Callable[[_Kind], _Kind]:
    """Declare a class of actions; `declared` are fields of `EventKind`."""

    def declare(kind: _Kind) -> _Kind:
        EVENTS[kind] = EventKind(key, mark, **declared)
        return kind

    return declare


def kinds_by_key() -> dict[str, list[type[Any]]]:
    """Return actions by the key of their event, in the order of their declarations."""
    found: dict[str, list[type[Any]]] = {}
    for kind, declared in EVENTS.items():
        found.setdefault(declared.key, []).append(kind)
    return found


def called(kind: type[Any]) -> dict[str, str]:
    """Return keys in files by field."""
    return {item.name: item.metadata.get(_KEY) or item.name for item in fields(kind)}


def form_limits(kind: type[Any], name: str) -> Mapping[str, Any]:
    """Return limits of a field in the schema, by pydantic's names."""
    found: Mapping[str, Any] = kind.__dataclass_fields__[name].metadata.get(_FORM, {})
    return found


def limits(kind: type[Any]) -> dict[str, Range]:
    """Return ranges of numbers by field."""
    return {item.name: found for item in fields(kind) if (found := item.metadata.get(_WITHIN))}


def fields_that_refer(kind: type[Any]) -> tuple[tuple[str, Refers, Any], ...]:
    """Return (field, kind of object, default value) of each field that refers to something."""
    if kind not in _REFERRING:
        found = ((item, item.metadata.get(_REFERS)) for item in fields(kind))
        _REFERRING[kind] = tuple((item.name, to, item.default) for item, to in found if to is not None)
    return _REFERRING[kind]


def references(action: Any) -> Iterator[tuple[str, Refers, Any]]:
    """Yield (field, kind of object, value) of all fields that refer to something now."""
    for name, to, default in fields_that_refer(type(action)):
        if (value := getattr(action, name)) != default:
            yield name, to, value
