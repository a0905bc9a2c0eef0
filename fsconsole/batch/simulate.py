"""Simulation of a workload under a policy: checks the arguments and selects the engine."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fsconsole.batch.job_table import Floats, JobTable
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.schedule import Schedule
from fsconsole.text.numbers import thousands

# An engine takes jobs, nodes of the machine, the policy, shares, and whether to log reservations.
Engine = Callable[[JobTable, int, BatchPolicy, Floats, bool], Schedule]


def simulate(
    jobs: JobTable,
    cluster_nodes: int,
    policy: BatchPolicy,
    shares: Floats | None = None,
    *,
    reservations: bool = False,
) -> Schedule:
    """Return the schedule on an empty machine by the rules of `reference_loop.py`, by the fastest engine.

    Args:
        jobs: the workload.
        cluster_nodes: nodes of the machine, at least 1.
        policy: the batch policy.
        shares: shares of each user, above 0, [users]; equal ones if None. Only their ratios count.
        reservations: whether to log reservations.

    Raises:
        ValueError: for jobs larger than the machine, a machine without nodes, shares that are not one
            positive number for each user. The message says which.
    """
    shares = np.ones(len(jobs.users)) if shares is None else np.asarray(shares, dtype=np.float64)
    _check_machine(jobs, cluster_nodes)
    _check_shares(jobs, shares)
    return engine_of(policy)(jobs, cluster_nodes, policy, shares, reservations)


def engine_of(policy: BatchPolicy) -> Engine:
    """Return the engine that works a policy out; it is imported here, and compiled when it is first
    called.
    """
    if policy.order == "lxf":
        from fsconsole.batch.engine import lxf

        return lxf.run
    if policy.order == "conservative":
        from fsconsole.batch.engine import conservative

        return conservative.run
    if policy.order == "multifactor":
        from fsconsole.batch.engine import multifactor

        return multifactor.run
    from fsconsole.batch.engine import multi_reservation

    return multi_reservation.run


# Engines keep a byte for each node; the largest machine has some ten million processors.
MOST_NODES = 1 << 27


def _check_machine(jobs: JobTable, cluster_nodes: int) -> None:
    if cluster_nodes > MOST_NODES:
        msg = (
            f"the machine has {thousands(cluster_nodes)} nodes. At most {thousands(MOST_NODES)} can be "
            "simulated"
        )
        raise ValueError(msg)
    if cluster_nodes < 1:
        msg = f"a machine of {cluster_nodes} nodes cannot run jobs. It must have at least 1"
        raise ValueError(msg)
    larger = np.flatnonzero(jobs.nodes > cluster_nodes)
    if not len(larger):
        return
    row = int(larger[0])
    others = f" (and {len(larger) - 1} more jobs are too large)" if len(larger) > 1 else ""
    msg = (
        f"job {jobs.job_id[row]} needs {jobs.nodes[row]} nodes, but the machine has "
        f"{cluster_nodes}{others}. Leave such jobs out, or give the machine more nodes"
    )
    raise ValueError(msg)


def _check_shares(jobs: JobTable, shares: Floats) -> None:
    if shares.shape != (len(jobs.users),):
        msg = f"there are shares for {shares.size} users, but the workload has {len(jobs.users)}"
        raise ValueError(msg)
    wrong = np.flatnonzero(~(np.isfinite(shares) & (shares > 0)))
    if len(wrong):
        row = int(wrong[0])
        msg = f"user {jobs.users[row]} has {shares[row]:g} shares. Shares must be above 0 and finite"
        raise ValueError(msg)
