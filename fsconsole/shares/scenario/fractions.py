"""Parts of the machine in files: a fraction 0 .. 1, or a percentage as text such as `2.08 %`."""

from __future__ import annotations

import re
from decimal import Decimal

PATTERN = r"^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)? *%$"
_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]{1,3})?)\s*%")


def fraction(text: str) -> float:
    """Return a percentage as a fraction, rounded once.

    Raises:
        ValueError: the text is not a percentage.
    """
    match = _PERCENT.fullmatch(text.strip())
    if match is None:
        msg = (
            f"{text!r} is not a share of machine. Write a percentage such as 2.08 %, or a number from 0 to 1"
        )
        raise ValueError(msg)
    return float(Decimal(match[1]).scaleb(-2))


def in_percent(value: float) -> str:
    """Return a fraction as `fraction` reads it back exactly."""
    percent = Decimal(repr(float(value))).scaleb(2).normalize()
    return f"{percent:f} %" if value == 0 or value > 1e-6 else f"{percent} %"
