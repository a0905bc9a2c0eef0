"""Rules that look back: they run step by step until the start is forgotten, and the mean is the result.

"Ours" in all of them: a node always has as much work as its demand says, the machine can be divided at
will, and time goes in steps of 1/128 of the half-life. Which half-life it is does not matter then.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fsconsole.shares.flat import FlatTree, Floats

# A step is 1/128 of a half-life. After ten half-lives a thousandth of the initial usage is left.
STEPS_A_HALF_LIFE = 128
_HALF_LIVES = 10
_MEAN_OVER = 8
# This limit of steps times rows takes about 30 s.
_MOST = 12_000_000
OURS = "Mean over 8 half-lives after the first 10, at constant demand. The machine is divisible."


def mean_parts(flat: FlatTree, step: Callable[[Floats, int], Floats]) -> tuple[Floats, Floats]:
    """Return mean parts of the machine, and the decayed usage at the end, [rows] each.

    Args:
        flat: the tree.
        step: (usage per row, number of the step) to parts of the machine of that step per row.
    """
    per_half_life = max(min(STEPS_A_HALF_LIFE, _MOST // (len(flat) * (_HALF_LIVES + _MEAN_OVER))), 8)
    keep = 0.5 ** (1 / per_half_life)
    usage, total = np.zeros(len(flat)), np.zeros(len(flat))
    counted = _MEAN_OVER * per_half_life
    first = _HALF_LIVES * per_half_life
    for number in range(first + counted):
        parts = step(usage, number)
        usage = usage * keep + parts
        if number >= first:
            total += parts
    return total / counted, usage
