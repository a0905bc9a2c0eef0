"""Single values as Slurm's tools print them: lengths of time, moments, counts, resources.

Source: the man pages of Slurm 22.05, and output of that version.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import datetime, tzinfo
from functools import lru_cache

from fsconsole.slurm.parsers.findings import DamagedError, shown

_NOTHING = frozenset(
    ("", "(null)", "n/a", "none", "unknown", "invalid", "not_set", "partition_limit", "none assigned")
)
_ENDLESS = frozenset(("unlimited", "infinite"))
_LENGTH = re.compile(r"(?:([0-9]{1,7})-)?(?:([0-9]{1,7}):)?([0-9]{1,7}):([0-9]{1,7})(?:\.[0-9]{1,9})?")
_WITH_UNIT = re.compile(r"([0-9]{1,12}) ?(sec|min|usec)")
_MOMENT = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})")
_EPOCH = re.compile(r"[0-9]{1,12}")
_COUNT = re.compile(r"([0-9]{1,15})(\.[0-9]{1,9})?([KMGT]?)(?:-[0-9]{1,15}[KMGT]?)?")
_PLAIN_DIGITS = 12
_UNIT_S = {"sec": 1.0, "min": 60.0, "usec": 1e-6}
_FACTOR = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}


def non_null(text: str) -> str:
    """Return the text, empty for Slurm's words for nothing such as (null) or N/A."""
    text = text.strip()
    return "" if text.lower() in _NOTHING else text


def named(text: str) -> str:
    """Return a name, empty for (null) or N/A; an account may be called `none`."""
    text = text.strip()
    return "" if text in ("(null)", "N/A") else text


@lru_cache(maxsize=4096)  # Thousands of jobs have few different lengths of time.
def length_s(text: str, bare_unit_s: float = 60.0) -> float | None:
    """Return seconds of [days-][hours:]minutes:seconds, of `5 min`, or of a number in its own unit.

    Infinity for UNLIMITED; None for no value or for the partition's limit.

    Raises:
        DamagedError: it is none of these.
    """
    bare = non_null(text)
    if not bare:
        return None
    if bare.lower() in _ENDLESS:
        return math.inf
    if match := _LENGTH.fullmatch(bare):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
        return days * 86400.0 + hours * 3600.0 + minutes * 60.0 + seconds
    if match := _WITH_UNIT.fullmatch(bare):
        return int(match[1]) * _UNIT_S[match[2]]
    if _EPOCH.fullmatch(bare):
        return int(bare) * bare_unit_s
    msg = f"{shown(text)} is not a length of time. Example: 1-02:30:00 or UNLIMITED"
    raise DamagedError(msg)


def moment_s(text: str, zone: tzinfo) -> int | None:
    """Return seconds since 1970 of a time in `zone`, or of such a number (SLURM_TIME_FORMAT=%s).

    None for no value, and for 0, which means never.

    Raises:
        DamagedError: it is not a time.
    """
    if _is_plain(text):
        return int(text) or None
    bare = non_null(text)
    if not bare:
        return None
    if _EPOCH.fullmatch(bare):
        return int(bare) or None
    match = _MOMENT.fullmatch(bare)
    try:
        if match:
            year, month, day, hour, minute, second = (int(part) for part in match.groups())
            when = datetime(year, month, day, hour, minute, second, tzinfo=zone)
            return int(when.timestamp())
    except (ValueError, OverflowError):
        pass  # A date such as the 31st of February is reported below.
    msg = f"{shown(text)} is not a time. Example: 2026-11-20T09:36:20"
    raise DamagedError(msg)


def count(text: str) -> int:
    """Return a count; Slurm shortens some (2K is 2048), and of a range the least is taken. 0 where nothing is
    said.

    Raises:
        DamagedError: it is not a count.
    """
    if _is_plain(text):
        return int(text)
    bare = non_null(text)
    if not bare:
        return 0
    match = _COUNT.fullmatch(bare)
    if match is None:
        msg = f"{shown(text)} is not a count, expected a whole number"
        raise DamagedError(msg)
    return round(float(match[1] + (match[2] or "")) * _FACTOR[match[3]])


def known_count(fields: Mapping[str, str], key: str) -> int:
    """Return the count of a field that the tools always print.

    Raises:
        DamagedError: it is missing or blank, or not a count.
    """
    text = fields.get(key, "")
    if not non_null(text):
        msg = f"it has no {key}"
        raise DamagedError(msg)
    return count(text)


def _is_plain(text: str) -> bool:
    """Return True if a text is a number that needs no closer look; most of millions are."""
    return len(text) <= _PLAIN_DIGITS and text.isascii() and text.isdigit()


@lru_cache(maxsize=4096)
def resource(text: str, name: str) -> float | None:
    """Return the amount of `name` in a list such as cpu=6,mem=4000M,node=1; None if it is missing.

    With a unit, K, M, G, T or P, it is in MiB.
    """
    for piece in text.split(","):
        key, _, value = piece.partition("=")
        if key == name:
            unit = _MIB.get(value[-1:], 0.0)
            try:
                amount = float(value[:-1]) * unit if unit else float(value)
            except ValueError:
                return None
            return amount if 0 <= amount < math.inf else None
    return None


_MIB = {"K": 1 / 1024, "M": 1.0, "G": 1024.0, "T": 1024.0**2, "P": 1024.0**3}


@lru_cache(maxsize=1024)  # Many rows have few different values.
def exit_code(text: str) -> tuple[int, int] | None:
    """Read exit status and signal of `3:0`; None for an empty field.

    Raises:
        DamagedError: it is not two numbers.
    """
    bare = non_null(text)
    if not bare:
        return None
    status, _, signal = bare.partition(":")
    return count(status), count(signal)
