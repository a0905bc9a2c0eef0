"""How the associations of a cluster stand: what sshare prints of each, and what does not agree with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsconsole.shares.flat import Floats
from fsconsole.slurm.associations import Fairshare


@dataclass(frozen=True, eq=False, slots=True)
class Standing:
    """What one call of sshare says, in the rows of a `ClusterTree`; NaN where it says nothing of a row.

    Attributes:
        raw_usage: billing-seconds, float64 [rows].
        norm_usage: part of the cluster's usage, float64 [rows].
        printed: NormShares, EffectvUsage, FairShare and LevelFS as printed.
        computed: the same worked out from the printed NormUsage and the stored shares.
        lagging: by node, why what is printed is not what follows from the stored shares and usage, in words:
            a period behind while jobs run, or slurmctld has not heard of an edit yet.
    """

    raw_usage: Floats
    norm_usage: Floats
    printed: Fairshare
    computed: Fairshare
    lagging: Mapping[int, str]
