"""p-values corrected for many tests at once.

Source: Holm, Scandinavian Journal of Statistics 6(2), 1979; Benjamini and Hochberg, Journal of the Royal
Statistical Society B 57(1), 1995.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from fsconsole.batch.job_table import Floats

Correction = Literal["holm", "bh"]
CORRECTIONS: dict[Correction, str] = {
    "holm": "Holm: at most 5 % probability of any false finding",
    "bh": "Benjamini-Hochberg: at most 5 % of the findings are expected to be false",
}


def corrected(p_values: Floats, correction: Correction) -> Floats:
    """Return p-values adjusted for their number, [tests], for comparison with the level as single ones.

    NaN stays and does not count.

    Args:
        p_values: p-values of the tests, 0 to 1, float64 [tests].
        correction: `holm` (family-wise error) or `bh` (false discovery rate).
    """
    known = np.flatnonzero(np.isfinite(p_values))
    made = np.full(len(p_values), np.nan)
    order = known[np.argsort(p_values[known], kind="stable")]
    many = len(order)
    ranks = np.arange(1, many + 1)
    if correction == "holm":
        steps = np.maximum.accumulate(p_values[order] * (many - ranks + 1))
    else:
        steps = np.minimum.accumulate((p_values[order] * many / ranks)[::-1])[::-1]
    made[order] = np.minimum(steps, 1.0)
    return made
