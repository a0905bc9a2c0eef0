"""Share trees on the control groups of this machine, where they may be changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsconsole.linux.accounting import charged_s
from fsconsole.linux.rates import rates_of
from fsconsole.linux.share_tree_groups import ShareTreeGroups, left_behind
from fsconsole.linux.sharer import Sharer, active_leaves
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ROOT_ID
from tests.linux.real_kernel import alone, busy, here, why_not

__all__ = ["alone"]
pytestmark = [
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "control groups can be changed here"),
    pytest.mark.usefixtures("alone"),
]
ROOT = f"fsconsole-test-{os.getpid()}"


def test_the_kernel_divides_by_the_shares_and_all_is_taken_back(tmp_path: Path) -> None:
    """Junglas' series 1: five users in two equal groups of two and three."""
    tree = read_scenario(examples() / "convex-series-1.yaml").tree
    names = ("u11", "u12", "u21", "u22", "u23")
    groups = ShareTreeGroups(ROOT, folder=tmp_path)
    try:
        groups.apply(tree)
        assert groups.plan(tree).steps == ()
        assert left_behind(tmp_path) == [ROOT]
        with busy(len(names)) as pids:
            for name, pid in zip(names, pids, strict=True):
                assert groups.move([pid], groups.paths(tree)[tree.find(name).id]) == []
            before = groups.reading(tree)
            charged: dict[int, float] = {}
            while charged.get(ROOT_ID, 0.0) < 3.0:  # CPU seconds, however long others keep them waiting
                time.sleep(0.05)
                charged = charged_s(before, groups.reading(tree))
            found = rates_of(tree, charged)
            for name in names:
                node = tree.find(name).id
                assert found.allocated[node] == pytest.approx(0.25 if name < "u2" else 1 / 6)
                assert found.rate[node] == pytest.approx(found.allocated[node], abs=0.01)
            released = groups.release()
            assert released.left == ()
            cpu, accounting = (Path(f"/proc/{pids[0]}/cgroup").read_text().count(ROOT), here().accounting)
            assert (cpu, (accounting / ROOT).exists(), (here().cpu / ROOT).exists()) == (0, False, False)
    finally:
        groups.release()
        groups.let_go()
    assert left_behind(tmp_path) == []


def test_kills_between_any_two_writes_leave_nothing() -> None:
    words = [sys.executable, "-m", "tests.linux.kills", "12"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    kills, *_, left = re.findall(r"\d+", ended.stdout.splitlines()[0])
    assert (kills, left) == ("12", "0")


def test_a_user_who_starts_among_busy_ones_is_given_a_weight(tmp_path: Path) -> None:
    """With the least weight of 2 it would get next to nothing, and never be seen to work."""
    tree = read_scenario(examples() / "convex-series-1.yaml").tree
    names = ("u11", "u12", "u21", "u22")
    late = tree.find("u23").id
    groups = ShareTreeGroups(ROOT, folder=tmp_path)
    try:
        groups.apply(tree)
        sharer, limits = Sharer(tree, 120.0), groups.hierarchy.limits
        with busy(len(names) + 1) as pids:
            for name, pid in zip(names, pids, strict=False):
                assert groups.move([pid], groups.paths(tree)[tree.find(name).id]) == []
            assert late not in groups.waiting(tree)
            sharer.take(dict.fromkeys((tree.find(name).id for name in names), 20.0), 1.0)
            groups.set_weights(tree, sharer.weights(groups.waiting(tree), limits))
            alone_weight = groups.weights(tree)[late]
            assert groups.move([pids[-1]], groups.paths(tree)[late]) == []
            active = active_leaves(tree, {}, 1.0, groups.waiting(tree))
            assert late in active
            groups.set_weights(tree, sharer.weights(active, limits))
            assert groups.weights(tree)[late] > 100 * max(alone_weight, 1)
    finally:
        groups.release()
        groups.let_go()
