"""Settings as fields of dataclasses: their declarations and ranges, and values outside these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any

MOST_HZ = 10_000
JUNGLAS = "Junglas 1991"
SHARE = "original Share kernel"
UNICOS = "UNICOS paper"
NEAR_DEDICATED = "near-dedicated paper"
OURS = "ours"
_KEY = "setting"


@dataclass(frozen=True, slots=True)
class Range:
    """From a lowest to a highest value, both allowed unless `above` excludes the lowest."""

    lowest: float
    highest: float
    above: bool = False
    unit: str = ""

    def holds(self, value: float) -> bool:
        """Return True if a value is inside."""
        return (self.lowest < value if self.above else self.lowest <= value) and value <= self.highest

    @property
    def text(self) -> str:
        """Message for a value outside, such as `needs a number from 1 to 10 s`."""
        first = "above" if self.above else "from"
        return f"needs a number {first} {self.lowest:g} to {self.highest:g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Declared:
    """Declaration of a setting besides its type and default; `range` is that of a number, or of each."""

    label: str
    source: str
    unit: str = ""
    range: Range | None = None


def setting(default: Any, label: str, source: str, unit: str = "", range: Range | None = None) -> Any:  # noqa: A002
    """Return a field of a dataclass."""
    return field(default=default, metadata={_KEY: Declared(label, source, unit, range)})


def declared(item: Field[Any]) -> Declared:
    """Return the declaration that `setting` gave a field."""
    found: Declared = item.metadata[_KEY]
    return found


def is_declared(item: Field[Any]) -> bool:
    """Return True if a field was made by `setting`."""
    return _KEY in item.metadata


def outside(spec: Any, ranges: Mapping[str, Range] | None = None) -> list[tuple[str, str]]:
    """Yield (field, condition) of each number outside its range; None is always allowed.

    Args:
        spec: a dataclass.
        ranges: by field; those that its settings declare if None.
    """
    found = []
    for name, limits in (_declared_ranges(type(spec)) if ranges is None else ranges).items():
        value = getattr(spec, name)
        values = value if isinstance(value, tuple) else (value,)
        found += [(name, limits.text) for one in values if one is not None and not limits.holds(one)]
    return found


def _declared_ranges(kind: type[Any]) -> dict[str, Range]:
    ranges = ((item.name, declared(item).range) for item in fields(kind) if is_declared(item))
    return {name: limits for name, limits in ranges if limits is not None}


def whole_ticks(seconds: float, hz: int) -> bool:
    """Return True if a time is a whole number of ticks, at least one."""
    if not 1 <= hz <= MOST_HZ:  # A wrong hz has a message of its own.
        return True
    ticks = seconds * hz
    return 1 <= ticks < 1e12 and abs(ticks - round(ticks)) < 1e-6


def is_time(key: str) -> bool:
    """Return True if a file's key holds a time."""
    return key == "at" or (key.endswith("_s") and not key.endswith("_per_s"))
