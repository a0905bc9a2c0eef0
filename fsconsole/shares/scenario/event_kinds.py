"""How an action declares itself: what files call it and its fields, and what the fields refer to.

Reading, writing, leaving out what has gone, following new names, request numbers and the schema look here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, TypeVar

from fsconsole.shares.scenario.ranges import Range

_Kind = TypeVar("_Kind", bound=type[Any])
_REFERS, _KEY, _WITHIN = "refers", "key", "within"


class Refers(StrEnum):
    """What the value of a field stands for; the field's default value stands for nothing."""

    WORKER = "worker"  # id of a node that can have work
    ACCOUNT = "account"  # the same; where the action has a `person`, one of that person's accounts
    USER = "user"  # who, by name
    QUEUE = "queue"
    REQUEST = "request"
    JOB = "job"  # a whole `JobSpec`, whose own fields refer to things


def refers(to: Refers | None = None, *, key: str = "", within: Range | None = None) -> Mapping[str, Any]:
    """Metadata of a field: what it refers to, its key in files where that is not its name, its limits.

    What is read as it is, field by field, can refer to users, queues and requests.
    """
    return {_REFERS: to, _KEY: key, _WITHIN: within}


@dataclass(frozen=True, slots=True)
class EventKind:
    """What files say of an action.

    Attributes:
        key: of the event in a file.
        is_derived: whether fields are read as they are; else `TimelineReader` has a way of its own.
        is_bare: whether the event may say nothing more, such as `close_window: true`.
        is_word: whether it is one value and no mapping.
        needs_windows: whether it makes no sense without the section near_dedicated.
    """

    key: str
    is_derived: bool = True
    is_bare: bool = False
    is_word: bool = False
    needs_windows: bool = False


EVENTS: dict[type[Any], EventKind] = {}
_REFERRING: dict[type[Any], tuple[tuple[str, Refers, Any], ...]] = {}


def event(key: str, **declared: bool) -> Callable[[_Kind], _Kind]:
    """Declare a class of actions; `declared` are fields of `EventKind`."""

    def declare(kind: _Kind) -> _Kind:
        EVENTS[kind] = EventKind(key, **declared)
        return kind

    return declare


def derived_events(*, words: bool) -> dict[str, type[Any]]:
    """Actions that are read field by field, by key: those of one value, or those of a mapping."""
    return {one.key: kind for kind, one in EVENTS.items() if one.is_derived and one.is_word is words}


def called(kind: type[Any]) -> dict[str, str]:
    """Keys in files by field, where they differ."""
    return {item.name: key for item in fields(kind) if (key := item.metadata.get(_KEY))}


def limits(kind: type[Any]) -> dict[str, Range]:
    """Ranges of numbers by field."""
    return {item.name: found for item in fields(kind) if (found := item.metadata.get(_WITHIN))}


def fields_that_refer(kind: type[Any]) -> tuple[tuple[str, Refers, Any], ...]:
    """(field, what it refers to, default value)."""
    if kind not in _REFERRING:
        found = ((item, item.metadata.get(_REFERS)) for item in fields(kind))
        _REFERRING[kind] = tuple((item.name, to, item.default) for item, to in found if to is not None)
    return _REFERRING[kind]


def references(action: Any) -> Iterator[tuple[str, Refers, Any]]:
    """(field, what it refers to, value) of all fields that refer to something now."""
    for name, to, default in fields_that_refer(type(action)):
        if (value := getattr(action, name)) != default:
            yield name, to, value
