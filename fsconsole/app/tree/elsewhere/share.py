"""Share: the unused part of a node goes to its siblings by their shares, level by level.

Source: Everitt, Jones, Knesel, Tables 1-1 and 1-2; see `shares.saturation`.
"""

from __future__ import annotations

from fsconsole.app.tree.elsewhere.rule import Asked, Division, Rule
from fsconsole.shares.saturation import split
from fsconsole.text.numbers import percent

_SMALLEST_SHOWN = 0.0005


def divide(asked: Asked) -> Division:
    """Divide by shares, and hand surplus on."""
    result = split(asked.flat, asked.wanted)
    why = {}
    for row in range(1, len(asked.flat)):
        left, received = float(result.left[row]), float(result.received[row])
        if left > _SMALLEST_SHOWN:
            why[row] = f"leaves {percent(left)}"
        elif received > _SMALLEST_SHOWN:
            why[row] = f"receives {percent(received)}"
        else:
            why[row] = "entitlement"
    return Division(result.what_if, why)


RULE = Rule(
    "share",
    "Share",
    divide,
    "Everitt, Jones, Knesel 1995, Tables 1-1 and 1-2",
    "Usage settled at constant demand. Nodes without shares get the time that all others leave.",
)
