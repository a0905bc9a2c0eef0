"""TRESBillingWeights and PriorityWeightTRES: the weight of one of each resource.

Source: slurm.conf(5), and output of Slurm 22.05.8, 24.11.5 and 26.05.5.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from fsconsole.slurm.parsers.findings import DamagedError, shown
from fsconsole.slurm.parsers.values import non_null

_WEIGHT = re.compile(r"([^=,]+)=([0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?)([KMGTP]?)")


def tres_weights(text: str) -> Mapping[str, tuple[float, str]]:
    """Read weight and unit of each resource of a list such as CPU=1.0,Mem=0.25G,GRES/gpu=2.0.

    The names are in lower case. The unit, K, M, G, T or P, says of how much the weight is: 0.25G is a quarter
    for each GB; without one it is for each, of memory for each MB. Empty where nothing is said.

    Raises:
        DamagedError: it is not such a list.
    """
    bare, found = non_null(text), dict[str, tuple[float, str]]()
    for piece in bare.split(",") if bare else ():
        match = _WEIGHT.fullmatch(piece.strip())
        if match is None or not math.isfinite(float(match[2])):
            msg = f"{shown(piece)} is not the weight of a resource. Example: CPU=1.0 or Mem=0.25G"
            raise DamagedError(msg)
        found[match[1].strip().lower()] = float(match[2]), match[3]
    return found
