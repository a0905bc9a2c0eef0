"""Junglas 1991, section 4: the worked example of machine shares."""

from __future__ import annotations

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Progress, Result
from fsconsole.experiments.origins import Origin
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import Kind, ShareTree

ROOT_SHARES = 1000
GROUPS = {"g1": (40, {"u11": 1, "u12": 1}), "g2": (60, {"u21": 1, "u22": 1, "u23": 2})}
EXPECTED = {"g1": 400.0, "g2": 600.0, "u11": 200.0, "u12": 200.0, "u21": 150.0, "u22": 150.0, "u23": 300.0}


def example_tree() -> ShareTree:
    """Return the tree with root 1000, groups 40 and 60, users 1 1 and 1 1 2."""
    tree = ShareTree(shares=ROOT_SHARES)
    for group, (shares, users) in GROUPS.items():
        parent = tree.add(tree.root.id, group, shares, Kind.GROUP)
        for user, its_shares in users.items():
            tree.add(parent.id, user, its_shares)
    return tree


def _measure(progress: Progress, cancelled: Asked) -> Result:
    tree = example_tree()
    flat = FlatTree.of(tree)
    scaled = flat.machine_share() * tree.root.shares
    found = {name: float(scaled[flat.row_of[tree.find(name).id]]) for name in EXPECTED}
    claims = [
        _claim("Machine shares of g1 g2, root 1000", ("g1", "g2"), found),
        _claim("Machine shares of u11 u12", ("u11", "u12"), found),
        _claim("Machine shares of u21 u22 u23", ("u21", "u22", "u23"), found),
    ]
    progress(1.0)
    return Result("machine-share-example", tuple(claims))


def _claim(text: str, names: tuple[str, ...], found: dict[str, float]) -> Claim:
    expected, measured = (tuple(values[name] for name in names) for values in (EXPECTED, found))
    return Claim(text, expected, measured, 0.0, names=names, origin=Origin.paper("section 4"))


def machine_share() -> Experiment:
    """Return the experiment that checks the tree editor's "share of machine" column."""
    return Experiment(
        "machine-share-example",
        "Machine shares: the worked example",
        "Junglas 1991, Convex",
        "Groups of 40 and 60 shares, two and three users, scaled to 1000 at the root.",
        _measure,
    )
