"""`python -m tests.linux.kills COUNT`: kill -9 between any two writes, and take everything back.

The writes are those of an apply, of a sharer that sets other weights, and of another tree that is applied.

Prints how many kills left something that could not be taken back; the exit status is 1 for any.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

from fsconsole.linux.plan import Step
from fsconsole.linux.share_tree_groups import ShareTreeGroups
from fsconsole.linux.sharer import Sharer
from fsconsole.resources import examples
from fsconsole.shares.edits import Move, Remove
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ShareTree

ROOT = "fsconsole-kills"
_STRIDE = 37  # so that few kills are at places far apart


def child(groups: ShareTreeGroups, tree: ShareTree, after: int) -> None:
    """Apply, and die after so many steps."""
    left = [after]

    def count(_step: Step) -> None:
        left[0] -= 1
        if left[0] <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    groups.apply(tree, after=count)
    sharer = Sharer(tree, 120.0)
    users = frozenset(tree.find(name).id for name in ("u11", "u21", "u22"))
    sharer.take({tree.find("u11").id: 3.0}, 4.0)
    groups.set_weights(tree, sharer.weights(users, groups.hierarchy.limits), after=count)
    groups.apply(edited(tree), before=groups.paths(tree), after=count)
    os._exit(0)


def edited(tree: ShareTree) -> ShareTree:
    """The tree with a user in another group, and one of them gone."""
    wanted = tree.copy()
    Move(wanted.find("u22").id, wanted.find("gr1").id, 0).apply(wanted)
    Remove(wanted.find("u12").id).apply(wanted)
    return wanted


def killed(folder: Path, tree: ShareTree, top: Path, after: int) -> str:
    """Kill one apply after so many steps and release; return what is left that was not there before."""
    process = os.fork()
    if not process:
        child(ShareTreeGroups(ROOT, folder=folder), tree, after)
    os.waitpid(process, 0)
    groups = ShareTreeGroups(ROOT, folder=folder)
    found = groups.release()
    groups.let_go()
    if found.left:
        return "; ".join(found.left)
    weight = (top / "cpu.shares").read_text().strip()
    return f"{top}/cpu.shares holds {weight}" if weight != "4321" else ""


def main(count: int) -> int:
    """Kill so many times; return the exit status."""
    tree = read_scenario(examples() / "convex-series-6.yaml").tree
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        groups = ShareTreeGroups(ROOT, folder=folder)
        top = groups.hierarchy.cpu / ROOT / "gr1"
        top.mkdir(parents=True)  # a group that was there before, with a weight of its own
        (top / "cpu.shares").write_text("4321")
        steps = len(groups.plan(tree).steps) + len(groups.plan(edited(tree)).steps)
        try:
            bad = [
                shown for at in range(count) if (shown := killed(folder, tree, top, 1 + at * _STRIDE % steps))
            ]
        finally:
            top.rmdir()
            top.parent.rmdir()
    print(f"{count} kills, {steps} places: {len(bad)} left something")
    print("\n".join(bad[:10]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
