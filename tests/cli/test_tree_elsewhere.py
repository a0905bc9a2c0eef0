"""`fsconsole tree elsewhere`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.texts import says, wording

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
    assert says(ended.out, "app.tree.elsewhere.no-queue-has-nominal-quota")
    assert "Ours: GPU" in ended.out


def test_one_rule_gives_reasons(cli: Cli, examples: Path) -> None:
    ended = cli("tree", "elsewhere", examples / TREE, "--demand", "u1=10%", "--rule", "kai", "--size", "100")
    assert ended.status == 0
    assert says(ended.out, "app.tree.elsewhere.deserved-over-quota", deserved="0.0 %", over="40.0 %")
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
    why = wording("app.tree.elsewhere.clusterqueues-share-no-resource-with")
    assert "Kueue: " + why in ended.err
    ended = cli("tree", "elsewhere", queues)
    assert ended.status == 0
    assert "Kueue: " + why in ended.out


def test_who_takes_the_accounts_share_in_slurm_gets_some_by_other_rules(cli: Cli, tmp_path: Path) -> None:
    dump = tmp_path / "a.dump"
    dump.write_text(
        "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'p':Fairshare=1\nParent - 'p'\n"
        "User - 'anna':Fairshare=10\nUser - 'ben':Fairshare=parent\n"
    )
    for rule in ("share", "sge", "kueue", "kai"):
        found = json.loads(cli("tree", "elsewhere", dump, "--rule", rule, "--json").out)
        parts = {node["path"].rpartition("/")[2]: node["parts"][rule] for node in found["nodes"]}
        assert parts["ben"] == pytest.approx(0.5, abs=0.001)
        notes = found["rules"][0]["notes"]
        keys = (
            "policies.only-slurm-has-fairshare-parent",
            "app.tree.elsewhere.only-slurm-has-fairshare-parent",
        )
        assert [says(notes, key) for key in keys].count(True) == 1
    ended = cli("tree", "elsewhere", dump, "--rule", "fair-tree")
    assert wording("app.tree.elsewhere.uses-share-of-its-account") in ended.out
    assert "Fairshare=parent is" not in ended.out


def test_a_queue_of_kai_without_a_limit_gets_nothing(cli: Cli, tmp_path: Path) -> None:
    queues = tmp_path / "queues.yaml"
    queues.write_text("---\n".join(
        f"apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {{name: {name}}}\n"
        f"spec: {{{parent}resources: {{gpu: {{{gpu}}}}}}}\n"
        for name, parent, gpu in (
            ("top", "", "quota: 8, limit: -1, overQuotaWeight: 1"),
            ("a", "parentQueue: top, ", "quota: 2, limit: -1, overQuotaWeight: 1"),
            ("b", "parentQueue: top, ", "quota: 2, overQuotaWeight: 1"),
            ("c", "parentQueue: top, ", "quota: 2, limit: -1"),
        )
    ))  # fmt: skip
    found = json.loads(cli("tree", "elsewhere", queues, "--rule", "kai", "--json").out)
    parts = {node["path"].rpartition("/")[2]: node["parts"]["kai"] for node in found["nodes"]}
    assert [parts[name] for name in "abc"] == pytest.approx([6 / 8, 0, 2 / 8])
