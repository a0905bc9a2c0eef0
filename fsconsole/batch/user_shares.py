"""Shares of the users of a workload, from a share tree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fsconsole.batch.job_table import Floats
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import ShareTree
from fsconsole.text.nearest import did_you_mean

_MOST_LISTED = 10


def shares_of(tree: ShareTree, users: Sequence[str]) -> Floats:
    """Return the part of the machine that each user may have, float64 [users], above 0.

    It is the machine share of the leaf of the user's name; of several such leaves, as when a user works in
    two groups, the sum, since a trace does not say which group a job belongs to. The sum over all users
    is below 1 where the tree has leaves without jobs.

    Raises:
        ValueError: users that the tree has no leaf of, or that it gives nothing.
    """
    part: dict[str, float] = {}
    for node, share in zip(tree.walk(), FlatTree.of(tree).machine_share().tolist(), strict=True):
        if not node.is_group:
            part[node.name] = part.get(node.name, 0.0) + share
    missing = [name for name in users if name not in part]
    if missing:
        hint = did_you_mean(missing[0], part)
        msg = f"the share tree does not have a leaf for {_listed(missing, len(users))}{hint}"
        raise ValueError(msg)
    idle = [name for name in users if part[name] <= 0]
    if idle:
        msg = (
            f"the share tree does not give a share of the machine to {_listed(idle, len(users))}. It "
            "must be above 0"
        )
        raise ValueError(msg)
    return np.array([part[name] for name in users], dtype=np.float64)


def _listed(names: Sequence[str], users: int) -> str:
    """`2 of 5 users: anna, ben`; the first few names."""
    more = ", …" if len(names) > _MOST_LISTED else ""
    return f"{len(names)} of {users} users of the workload: {', '.join(names[:_MOST_LISTED])}{more}"
