"""`fsconsole tree elsewhere`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

TREE = "two-organisations.yaml"


def test_one_table_with_a_column_a_rule(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "elsewhere", examples / TREE, "--demand", "u1=10%")
    assert ended.status == 0
    for title in (
        "Share, %",
        "Slurm classic, %",
        "Slurm Fair Tree, %",
        "SGE share tree, %",
        "Kueue, %",
        "KAI, %",
    ):
        assert title in ended.out
    assert "No queue has a nominal quota" in ended.out
    assert "Ours: GPU alone" in ended.out


def test_one_rule_gives_reasons(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "elsewhere", examples / TREE, "--demand", "u1=10%", "--rule", "kai", "--size", "100")
    assert ended.status == 0
    assert "deserved 0.0 %, over quota 40.0 %" in ended.out
    assert "Slurm classic" not in ended.out


def test_json_has_parts_by_rule(cli: Cli, examples: Path) -> None:
    asked = ("--demand", "u1=10%", "--rule", "share", "--rule", "slurm-classic", "--json")
    ended = cli("tree", "elsewhere", examples / TREE, *asked)
    found = json.loads(ended.out)
    nodes = {node["path"].rpartition("/")[2]: node for node in found["nodes"]}
    assert nodes["u2"]["parts"]["share"] == pytest.approx(0.4)
    # The paper on NO_FAIR_TREE: the sibling's usage counts, so the group as a whole falls behind.
    assert nodes["A"]["parts"]["slurm-classic"] < 0.47
    assert [rule["name"] for rule in found["rules"]] == ["share", "slurm-classic"]


def test_a_rule_that_cannot_divide_is_named(cli: Cli, tmp_path: Path) -> None:
    queues = tmp_path / "queues.yaml"
    queues.write_text(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: a}\nspec:\n"
        "  cohortName: all\n  resourceGroups:\n  - coveredResources: [cpu]\n"
        "    flavors: [{name: f, resources: [{name: cpu, nominalQuota: 0}]}]\n"
    )
    ended = cli("tree", "elsewhere", queues, "--rule", "kueue")
    assert ended.status != 0
    assert "Kueue: the ClusterQueues have no resource in common" in ended.err
    ended = cli("tree", "elsewhere", queues)
    assert ended.status == 0
    assert "Kueue: the ClusterQueues have no resource in common" in ended.out
