"""Slurm: users in the order of their fairshare factor, each up to its demand, until the machine is full.

Sources: `slurm.classic` and `slurm.fair_tree`, which are held against sshare; multifactor priority with the
weight of fairshare alone. Ours: users with equal factors take turns; in each step a sixteenth of what runs
ends, and what is free goes to those who come first.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.app.tree.elsewhere.decaying import OURS, mean_parts
from fsconsole.app.tree.elsewhere.rule import Asked, Division, Rule, leaves_summed
from fsconsole.shares.flat import Floats
from fsconsole.shares.foreign import PARENT_SHARES, takes_parents_shares
from fsconsole.slurm.associations import Associations, Fairshare
from fsconsole.slurm.fairshare import fairshare_of
from fsconsole.text.numbers import percent

_NOTHING = 1e-12
_STEPS_A_JOB = 16


def _associations(asked: Asked) -> Associations:
    """Return groups as accounts, leaves as users of the account that they are in."""
    flat, tree = asked.flat, asked.tree
    nodes = [tree.node(node) for node in flat.ids.tolist()]
    shares = np.minimum(flat.shares, PARENT_SHARES - 1).astype(np.int64)
    shares[[takes_parents_shares(node) for node in nodes]] = PARENT_SHARES
    shares[0] = 0
    leaf = flat.is_leaf.tolist()
    above = flat.parent.tolist()
    return Associations(
        tuple(nodes[above[row]].name if leaf[row] else node.name for row, node in enumerate(nodes)),
        tuple(node.name if leaf[row] else "" for row, node in enumerate(nodes)),
        flat.parent,
        shares,
        np.zeros(len(flat)),
    )


def _started(asked: Asked, running: Floats, order: list[int]) -> Floats:
    """Return the amount that each leaf starts: its demand, as far as it and the groups above it have
    capacity left.
    """
    room, above = (asked.wanted - running).tolist(), asked.flat.parent.tolist()
    found = np.zeros(len(room))
    for leaf in order:
        if room[0] <= _NOTHING:
            break
        path, row = [], leaf
        while row >= 0:
            path.append(row)
            row = above[row]
        amount = min(room[row] for row in path)
        if amount > 0:
            found[leaf] = amount
            for row in path:
                room[row] -= amount
    return found


def _run(asked: Asked, *, by_rank: bool) -> tuple[Floats, Fairshare]:
    stored = _associations(asked)
    leaves = np.flatnonzero(asked.flat.is_leaf & (asked.wanted > 0))
    running = np.zeros(len(asked.flat))

    def step(usage: Floats, number: int) -> Floats:
        factor = fairshare_of(replace(stored, usage=usage), by_rank=by_rank).fairshare[leaves]
        turn = (np.arange(len(leaves)) + number) % max(len(leaves), 1)
        order = np.lexsort((turn, -factor))
        running[:] = leaves_summed(asked.flat, running * (1 - 1 / _STEPS_A_JOB))
        running[:] += leaves_summed(asked.flat, _started(asked, running, leaves[order].tolist()))
        return running.copy()

    parts, usage = mean_parts(asked.flat, step)
    return parts, fairshare_of(replace(stored, usage=usage), by_rank=by_rank)


def _classic(asked: Asked) -> Division:
    parts, state = _run(asked, by_rank=False)
    why = {
        row: f"F {state.fairshare[row]:.3f}: usage {percent(float(state.effective_usage[row]))} "
        f"against shares {percent(float(state.norm_shares[row]))}"
        for row in range(1, len(asked.flat))
    }
    return Division(parts, why)


def _fair_tree(asked: Asked) -> Division:
    parts, state = _run(asked, by_rank=True)
    why = {}
    for row in range(1, len(asked.flat)):
        level = float(state.level_fs[row])
        text = "uses the share of its account" if np.isnan(level) else f"level fairshare {level:.3g}"
        why[row] = "no usage" if np.isinf(level) else text
    return Division(parts, why)


_OURS = f"{OURS} A job lasts 1/8 of a half-life. Fairshare is the only priority. Equal factors take turns."
CLASSIC = Rule(
    "slurm-classic",
    "Slurm classic",
    _classic,
    "Slurm, classic fairshare (PriorityFlags=NO_FAIR_TREE); factors as sshare of 22.05 prints them",
    f"{_OURS} Dampening factor 1.",
)
FAIR_TREE = Rule(
    "fair-tree",
    "Slurm Fair Tree",
    _fair_tree,
    "Slurm, Fair Tree; ranks as sshare of 22.05 prints them",
    _OURS,
)
