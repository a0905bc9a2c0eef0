"""Readings of a cluster since it was connected, as curves over wall-clock time."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fsconsole.recording.sparse_series import Readings
from fsconsole.shares.flat import Floats
from fsconsole.targets.slurm.state import Part, PartName
from fsconsole.targets.slurm.summary import ClusterSummary
from fsconsole.text.moments import midnight_before

USAGE = ("fairshare", "norm_shares", "effective_usage", "norm_usage", "level_fs")
WORK = ("cpus", "running", "waiting")


class ClusterHistory:
    """Usage and work of every association, in bounded memory; one thread takes, another one reads.

    A reading that failed leaves a gap. Usage and jobs are read at times of their own, so they are kept apart.
    Times are seconds since midnight, local time, of the day on which it began: whole hours and minutes of
    these are whole on the clock.

    Attributes:
        base_s: that midnight in seconds since 1970.
        usage: as sshare prints it; level fairshare without what is infinite.
        work: CPUs of running jobs as a part of the cluster's, jobs that run, jobs that wait.
    """

    def __init__(self, began_s: float) -> None:
        """Begin at a time in seconds since 1970."""
        self.base_s = midnight_before(began_s)
        self.began_s = began_s - self.base_s
        self.usage = Readings(USAGE)
        self.work = Readings(WORK)

    def readings(self, quantity: str) -> Readings:
        """Return the columns that keep a quantity."""
        return self.usage if quantity in USAGE else self.work

    def take(self, digest: ClusterSummary, now_s: float) -> None:
        """Keep the new values of a state; `now_s` since 1970."""
        state = digest.state
        if digest.index is None:
            return
        nodes = digest.index.tree.nodes
        usage, jobs = state.parts.get(PartName.USAGE, Part()), state.parts.get(PartName.JOBS, Part())
        self._take(self.usage, usage, nodes, self._usage(digest), now_s)
        self._take(self.work, jobs, nodes, _work(digest), now_s)

    def _take(
        self,
        readings: Readings,
        part: Part,
        nodes: tuple[int, ...],
        columns: Mapping[str, Floats] | None,
        now_s: float,
    ) -> None:
        if part.as_of_s is not None and columns is not None:
            readings.append(part.as_of_s - self.base_s, nodes, columns)
        if part.problem:
            readings.gap(now_s - self.base_s)

    def _usage(self, digest: ClusterSummary) -> Mapping[str, Floats] | None:
        standing = digest.state.standing
        if (
            standing is None
            or digest.index is None
            or len(standing.norm_usage) != len(digest.index.tree.nodes)
        ):
            return None
        printed = standing.printed
        return {
            "fairshare": printed.fairshare,
            "norm_shares": printed.norm_shares,
            "effective_usage": printed.effective_usage,
            "norm_usage": standing.norm_usage,
            "level_fs": np.where(np.isinf(printed.level_fs), np.nan, printed.level_fs),
        }


def _work(digest: ClusterSummary) -> Mapping[str, Floats]:
    return {"cpus": digest.cpus / digest.all_cpus, "running": digest.running, "waiting": digest.waiting}
