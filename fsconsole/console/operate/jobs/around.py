"""What is around the jobs of a cluster that something is to be done to."""

from __future__ import annotations

from fsconsole.console.operate.jobs.desk import ClusterDesk
from fsconsole.slurm.job_change import JobChange
from fsconsole.slurm.job_dangers import Danger, Surroundings, dangers


def dangers_now(desk: ClusterDesk, change: JobChange) -> tuple[Danger, ...]:
    """What is to be known before it is done, as the cluster was read last; nothing without a cluster."""
    state = desk.state
    if state is None:
        return ()
    around = Surroundings(
        jobs=state.jobs,
        now_s=desk.now_s,
        partitions=state.partitions,
        nodes=state.nodes,
        reservations=state.reservations,
        settings=state.settings,
    )
    return dangers(change, around)
