"""A large cluster, made up: accounts of a hundred users each, with usage and jobs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.classic import classic_fairshare
from fsconsole.slurm.cluster_tree import ClusterTree, share_tree
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.targets.slurm.state import ClusterState
from tests.console.cluster.play import cluster_state, job

_USERS = 100
_USED_BY = 3  # every third user has used something


def large_tree(associations: int) -> ClusterTree:
    """About so many associations below the root; the node of a row is the row."""
    account, user, parent = ["root"], [""], [-1]
    for number in range(associations // (_USERS + 1)):
        account += [f"a{number:03d}"] * (_USERS + 1)
        user += ["", *(f"u{number * _USERS + one:05d}" for one in range(_USERS))]
        top = len(parent)
        parent += [0, *([top] * _USERS)]
    rows = len(parent)
    shares = np.random.default_rng(1).integers(1, 40, rows)
    shares[0] = 0
    tree = Associations(tuple(account), tuple(user), np.array(parent), shares, np.zeros(rows))
    nothing = ("",) * rows
    stored = StoredAssociations(
        "large", tree, np.arange(1, rows + 1), nothing, ((),) * rows, nothing, ({},) * rows
    )
    keys = {row: (account[row], user[row], "") for row in range(rows)}
    return ClusterTree(stored, share_tree(stored), tuple(range(rows)), keys)


def large_standing(tree: ClusterTree, seed: int = 1) -> AssociationStatus:
    """What sshare would say of made-up usage."""
    stored = tree.stored.tree
    own = np.random.default_rng(seed).exponential(1e6, len(stored))
    own[~stored.is_user | (np.arange(len(stored)) % _USED_BY > 0)] = 0
    below = np.bincount(stored.parent[1:], weights=own[1:], minlength=len(stored))
    used = own + below
    used[0] = used[stored.parent == 0].sum()
    found = classic_fairshare(replace(stored, usage=used))
    return AssociationStatus(np.floor(used), used / used[0], found, found, {})


def large_jobs(tree: ClusterTree, count: int) -> tuple[Job, ...]:
    """So many jobs of its users, a third of them running."""
    stored = tree.stored.tree
    users = np.flatnonzero(stored.is_user)
    rows = users[np.random.default_rng(2).integers(0, len(users), count)].tolist()
    return tuple(
        job(1000 + at, stored.user[row], "batch", ("RUNNING", "PENDING", "PENDING")[at % 3],
            account=stored.account[row], cpus=1 + at % 32)
        for at, row in enumerate(rows)
    )  # fmt: skip


def large_state(associations: int = 50_000, jobs: int = 20_000) -> ClusterState:
    """The captured cluster with so many associations and jobs."""
    tree = large_tree(associations)
    return replace(
        cluster_state(),
        name="large",
        tree=tree,
        standing=large_standing(tree),
        jobs=large_jobs(tree, jobs),
    )
