"""Settings of Slurm's multifactor priority for jobs of a trace."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from fsconsole.text.durations import LONGEST_S, in_words, length_words, seconds
from fsconsole.text.nearest import nearest_or_all

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_MOST_WEIGHT = 2**32 - 1

Priorities = tuple[tuple[str, int], ...]


class OutOfRangeError(ValueError):
    """A setting is out of range.

    Attributes:
        name: the name of the setting on the command line.
        fault: what is wrong, without the name.
    """

    def __init__(self, name: str, fault: str) -> None:
        super().__init__(f"{name}: {fault}")
        self.name = name
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Multifactor:
    """Settings of slurm.conf for the order of waiting jobs; by default those of Slurm's own example.

    Source: Slurm's documentation of priority/multifactor, its sample configuration without the monthly reset.

    Attributes:
        age, fairshare, job_size, partition, qos: PriorityWeight…, whole numbers.
        max_age_s: PriorityMaxAge.
        half_life_s: PriorityDecayHalfLife; 0 if usage never decays.
        calc_period_s: PriorityCalcPeriod: usage and the priorities of waiting jobs change at its multiples.
        fair_tree: whether the fairshare factor is a user's rank (Fair Tree); else 2^(-(usage/share)/damping).
        damping: FairShareDampeningFactor.
        favor_small: PriorityFavorSmall.
        relative_to_time: PriorityFlags=SMALL_RELATIVE_TO_TIME.
        partitions: PriorityJobFactor of partitions by the trace's names; others have 1, Slurm's default.
        qos_priorities: priorities of QOS (in SWF: queues) by the trace's names; others have 0.

    Raises:
        OutOfRangeError: a value is out of range.
    """

    age: int = 1000
    fairshare: int = 10_000
    job_size: int = 1000
    partition: int = 1000
    qos: int = 0
    max_age_s: int = 14 * 86_400
    half_life_s: int = 14 * 86_400
    calc_period_s: int = 300
    fair_tree: bool = False
    damping: float = 1.0
    favor_small: bool = False
    relative_to_time: bool = False
    partitions: Priorities = ()
    qos_priorities: Priorities = ()

    def __post_init__(self) -> None:
        for name in ("age", "fairshare", "job_size", "partition", "qos"):
            weight = getattr(self, name)
            if not 0 <= weight <= _MOST_WEIGHT:
                raise OutOfRangeError(name, f"{weight} is not a weight from 0 to {_MOST_WEIGHT}")
        if self.max_age_s < 1:
            raise OutOfRangeError("max_age", f"{self.max_age_s} s is too short. Write at least 1 s")
        if self.half_life_s != 0 and self.half_life_s < 60:
            fault = f"{self.half_life_s} s is too short. Write at least 1 min, or 0 for no decay"
            raise OutOfRangeError("half_life", fault)
        if not 60 <= self.calc_period_s <= 86_400:
            raise OutOfRangeError("calc_period", f"{self.calc_period_s} s is not from 1 min to 1 d")
        if not (math.isfinite(self.damping) and self.damping > 0):
            raise OutOfRangeError("damping", f"{self.damping:g} is not a number above 0")
        for name in ("partitions", "qos_priorities"):
            for label, priority in getattr(self, name):
                if not 0 <= priority <= _MOST_WEIGHT:
                    fault = f"{priority} of {label} is not a priority from 0 to {_MOST_WEIGHT}"
                    raise OutOfRangeError(name, fault)


SLURMS_EXAMPLE = Multifactor()
SETTINGS = tuple(one.name for one in fields(Multifactor))


def changed_settings(settings: Multifactor) -> dict[str, Any]:
    """Return settings that differ from the defaults, by name."""
    values = {name: getattr(settings, name) for name in SETTINGS}
    return {name: value for name, value in values.items() if value != getattr(SLURMS_EXAMPLE, name)}


def setting_words(settings: Multifactor) -> list[str]:
    """Return settings that differ from the defaults in words, such as `half_life 7 d`."""
    return [
        f"{key_of(name)} {setting_text(name, value)}" for name, value in changed_settings(settings).items()
    ]


def key_of(name: str) -> str:
    """Return the name of a setting in study files and on the command line."""
    return name.removesuffix("_s")


def setting_text(name: str, value: Any) -> str:
    """Return the value of a setting as `read_setting` reads it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return "/".join(f"{label}:{priority}" for label, priority in value) or "none"
    return in_words(value) if name.endswith("_s") else f"{value:.12g}"


def parse_settings(text: str) -> Multifactor:
    """Return settings from `fairshare=10000,half_life=7d,fair_tree=yes,partitions=debug:10/batch:1`.

    Raises:
        ValueError: a setting cannot be read; the message names it.
    """
    given: dict[str, Any] = {}
    by_key = {key_of(name): name for name in SETTINGS}
    for part in text.split(","):
        key, equals, word = (piece.strip() for piece in part.partition("="))
        if not equals or key not in by_key:
            msg = f"{part!r} is not a setting such as age=1000{nearest_or_all(key, by_key)}"
            raise ValueError(msg)
        try:
            given[by_key[key]] = read_setting(SLURMS_EXAMPLE, by_key[key], word)
        except ValueError as error:
            msg = f"{key}: {error}"
            raise ValueError(msg) from None
    return Multifactor(**given)


def read_setting(settings: DataclassInstance, name: str, word: str) -> Any:
    """Return a word as the value of an attribute of a dataclass.

    Raises:
        ValueError: the word has no such value; the message names a valid one.
    """
    usual = getattr(settings, name)
    if isinstance(usual, bool):
        if word not in ("yes", "no"):
            msg = f"{word!r} is neither yes nor no"
            raise ValueError(msg)
        return word == "yes"
    if isinstance(usual, tuple):
        return tuple(_labelled(pair) for pair in word.split("/"))
    if isinstance(usual, float):
        return _number(word)
    return _whole_seconds(word) if name.endswith("_s") else _whole(word)


def _labelled(pair: str) -> tuple[str, int]:
    label, colon, priority = pair.rpartition(":")
    if not colon:
        msg = f"{pair!r} is not a name and a priority such as fast:10"
        raise ValueError(msg)
    return label, _whole(priority)


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        msg = f"{word!r} is not a number"
        raise ValueError(msg) from None


def _whole(word: str) -> int:
    if not (word.isascii() and word.isdecimal()):
        msg = f"{word!r} is not a whole number of at least 0"
        raise ValueError(msg)
    return int(word)


def _whole_seconds(word: str) -> int:
    value = seconds(word)
    if abs(value) > LONGEST_S:
        msg = f"{word!r} is too long. Write at most {length_words(LONGEST_S)}, such as 7 d"
        raise ValueError(msg)
    if value != int(value):
        msg = f"{word!r} is not a whole number of seconds"
        raise ValueError(msg)
    return int(value)
