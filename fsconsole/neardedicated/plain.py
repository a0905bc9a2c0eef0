"""Dataclasses of plain values as JSON, for checkpoints."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Return dataclasses as dictionaries, tuples as lists, and anything else unchanged."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: to_plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: to_plain(item) for key, item in value.items()}
    return value


def several(kind: type[T], rows: list[dict[str, Any]]) -> list[T]:
    """Return dataclasses of plain values from their dictionaries."""
    return [kind(**row) for row in rows]
