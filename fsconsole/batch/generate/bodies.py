"""Jobs without their times of arrival."""

from __future__ import annotations

from dataclasses import dataclass

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.policy import HOUR_S


@dataclass(frozen=True, eq=False, slots=True)
class Bodies:
    """What jobs are: nodes int64 and runtime_s int64, both [jobs] and above 0."""

    nodes: Ints
    runtime_s: Ints

    @property
    def node_hours(self) -> Floats:
        """Nodes by runtime, float64 [jobs]."""
        hours: Floats = self.nodes * self.runtime_s / HOUR_S
        return hours
