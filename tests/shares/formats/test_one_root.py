"""The only cohort at the top may be called root: where a format has each name once, it becomes the root."""

from __future__ import annotations

import pytest

from fsconsole.shares.flat import FlatTree
from fsconsole.shares.formats import format_named
from fsconsole.shares.tree import ShareTree
from tests.texts import wording

# As in Kueue's documentation of hierarchical cohorts, under a cohort called root.
KUEUE = """apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: root}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: team-a}
spec: {parentName: root, fairSharing: {weight: "2"}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: team-b}
spec: {parentName: root}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq-a}
spec: {cohortName: team-a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq-b}
spec: {cohortName: team-b}
"""


def _parts(tree: ShareTree) -> dict[str, float]:
    parts = FlatTree.of(tree).machine_share().tolist()
    return {node.name: part for node, part in zip(tree.walk(), parts, strict=True)}


@pytest.mark.parametrize("name", ["slurm", "flux", "pbs"])
def test_a_second_root_is_the_root(name: str) -> None:
    scenario, form = format_named("kueue").read(KUEUE), format_named(name)
    assert [node.name for node in scenario.tree.children(0)] == ["root"]
    back = form.read(form.write(scenario)).tree
    assert {node.name for node in back.children(0)} == {"team-a", "team-b"}
    assert _parts(back) == pytest.approx(_parts(scenario.tree))
    becomes = wording("shares.formats.called-root-becomes-root-itself")
    (words,) = (loss.words() for loss in form.lost(scenario) if becomes in loss.words())
    assert words.removesuffix(becomes).split() == ["1", "group"]
    # What was read stays as it is.
    assert len(scenario.tree) == len(back) + 1


def test_other_names_stay() -> None:
    scenario = format_named("kueue").read(
        KUEUE.replace("name: root}", "name: org}").replace("Name: root", "Name: org")
    )
    form = format_named("slurm")
    assert [node.name for node in form.read(form.write(scenario)).tree.children(0)] == ["org"]
    assert not [loss for loss in form.lost(scenario) if "itself" in loss.words()]
