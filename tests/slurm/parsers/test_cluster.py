"""Partitions, nodes, settings and priorities, as the tools of one cluster printed them."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.scontrol_node import read_scontrol_node
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.parsers.sinfo import read_sinfo
from fsconsole.slurm.parsers.sprio import read_sprio
from fsconsole.slurm.parsers.squeue import read_squeue
from tests.slurm.captured import SPRIO_COLUMNS, captured, captured_nodes
from tests.texts import Expected, naming, says, worded, wording

PARTITIONS = captured("plain/scontrol-show-partition.txt")
CONFIG = captured("plain/scontrol-show-config.txt")
FOLDERS = ("running", "drained", "fairtree")


def test_partitions_are_those_of_slurm_conf() -> None:
    listing = read_scontrol_partition(PARTITIONS)
    assert not listing.problems
    assert [(part.name, part.priority_tier) for part in listing.items] == [
        ("batch", 10),
        ("dedicated", 20),
        ("scavenge", 1),
    ]
    assert [part.preempt_mode for part in listing.items] == ["GANG,SUSPEND", "OFF", "REQUEUE"]
    assert [part.billing_weights for part in listing.items] == ["", "CPU=2.0", "CPU=0.5"]
    batch = listing.items[0]
    assert (batch.state, batch.nodes, batch.cpus, batch.is_default) == ("UP", "n[1-4]", 32, True)
    assert batch.max_time_s == 7 * 86400


def test_partitions_in_one_line_each() -> None:
    blocks = PARTITIONS.strip().split("\n\n")
    one = "\n".join(" ".join(block.split()) for block in blocks)
    assert read_scontrol_partition(one) == read_scontrol_partition(PARTITIONS)
    unlimited = read_scontrol_partition(one.replace("MaxTime=7-00:00:00", "MaxTime=UNLIMITED"))
    assert unlimited.items[0].max_time_s == math.inf


def test_settings_are_those_of_slurm_conf() -> None:
    config = read_scontrol_config(CONFIG)
    assert (config.cluster, config.version) == ("lab", "22.05.8")
    assert (config.half_life_s, config.calc_period_s, config.dampening) == (600, 60, 1)
    assert not config.is_fair_tree
    assert dict(config.weights) == {
        "age": 1000,
        "assoc": 0,
        "fairshare": 100000,
        "jobsize": 1000,
        "partition": 1000,
        "qos": 1000,
    }
    assert (config.preempt_type, config.preempt_mode) == ("preempt/partition_prio", "GANG,SUSPEND")
    assert config.values["minjobage"] == "3600 sec"


@pytest.mark.parametrize(
    ("flags", "rule"),
    [
        ("NO_FAIR_TREE", "classic fairshare"),
        ("", "Fair Tree"),
        ("ACCRUE_ALWAYS", "Fair Tree"),
        ("DEPTH_OBLIVIOUS", "depth-oblivious fairshare"),
        ("ACCRUE_ALWAYS,DEPTH_OBLIVIOUS,NO_FAIR_TREE", "depth-oblivious fairshare"),
    ],
)
def test_flags_say_which_fairshare_it_is(flags: str, rule: str) -> None:
    text = CONFIG.replace("= NO_FAIR_TREE", f"= {flags}")
    assert read_scontrol_config(text).rule == rule


def test_a_half_life_of_zero_is_none() -> None:
    text = CONFIG.replace("PriorityDecayHalfLife   = 00:10:00", "PriorityDecayHalfLife   = 00:00:00")
    assert read_scontrol_config(text).half_life_s == math.inf


def test_every_capture(shared: Path) -> None:
    for folder in FOLDERS:
        captures = shared / "slurm-lab" / "captures" / folder
        config = read_scontrol_config((captures / "scontrol-show-config.txt").read_text("utf-8"))
        assert config.is_fair_tree == (folder == "fairtree")
        parts = (captures / "scontrol-show-partition.txt").read_text("utf-8")
        assert len(read_scontrol_partition(parts).items) == 3
        nodes = captured_nodes(str(captures / "sinfo.txt"))
        known = json.loads((captures / "sinfo.json").read_text("utf-8"))["nodes"]
        assert [(node.name, [*node.partitions], node.cpus) for node in nodes] == [
            (node["name"], node["partitions"], node["cpus"]) for node in known
        ]
        shown = read_scontrol_node((captures / "scontrol-show-node.txt").read_text("utf-8")).items
        assert [replace(node, busy_cpus=None) for node in shown] == [
            replace(node, busy_cpus=None) for node in nodes
        ]
        priorities = read_sprio((captures / "sprio.psv").read_text("utf-8"), SPRIO_COLUMNS).items
        waiting = [row.job_id for row in priorities]
        assert waiting == ([19, 22] if folder == "running" else [])
        assert [
            row.job_id for row in read_sprio((captures / "sprio-l.txt").read_text("utf-8")).items
        ] == waiting
        assert [
            row.job_id for row in read_sprio((captures / "sprio-norm.txt").read_text("utf-8")).items
        ] == waiting


def test_nodes_are_in_all_their_partitions() -> None:
    nodes = captured_nodes("plain/sinfo.txt")
    assert [node.name for node in nodes] == ["n1", "n2", "n3", "n4"]
    assert nodes[0].partitions == ("batch", "dedicated", "scavenge")
    assert [node.state for node in nodes] == ["allocated", "mixed", "mixed", "allocated"]
    assert [node.cpus for node in nodes] == [8, 8, 8, 8]


def test_priorities_add_up_and_are_weights_times_factors() -> None:
    weights = read_scontrol_config(CONFIG).weights
    weighted = read_sprio(captured("plain/sprio-l.txt")).items
    factors = read_sprio(captured("plain/sprio.psv"), SPRIO_COLUMNS).items
    queue = {job.job_id: job.priority for job in read_squeue(captured("plain/squeue.json")).items}
    for row, factor in zip(weighted, factors, strict=True):
        assert row.priority == pytest.approx(sum(row.parts.values()), abs=1)  # of cut numbers
        for part, weight in weights.items():
            assert row.parts[part] == pytest.approx(weight * factor.parts.get(part, 0.0), abs=1)
        assert (row.partition, row.user) == (factor.partition, factor.user)
    assert queue[19] == weighted[0].priority


def test_priorities_with_other_columns() -> None:
    (row,) = read_sprio(captured("odd/sprio.psv")).items
    assert (row.job_id, row.partition, row.user, row.priority) == (3, "batch", "fs_ben", 100640)
    assert (row.parts["fairshare"], row.parts["partition"], row.parts["site"]) == (100000, 500, 0)
    norm = read_sprio(captured("plain/sprio-norm.txt")).items
    assert (norm[0].partition, norm[0].parts["partition"], norm[0].priority) == ("", 500, None)
    assert read_sprio("").items == ()


@pytest.mark.parametrize(
    ("read", "text", "words"),
    [
        (
            read_scontrol_partition,
            "PartitionName=x State=UP\n",
            worded("slurm.parsers.was-left-out-it-has", kind="PartitionName", name="x", missing="Nodes"),
        ),
        (
            read_scontrol_partition,
            "PartitionName=x State=UP Nodes=n1 TotalNodes=1 TotalCPUs=8 QoS=N/A MaxTime=ages\n",
            worded("slurm.parsers.is-not-length-of-time", text="'ages'"),
        ),
        (
            read_scontrol_config,
            "",
            naming("no PriorityDecayHalfLife, PriorityCalcPeriod, PriorityFlags, FairShareDamp"),
        ),
        (
            read_scontrol_config,
            "PriorityType = priority/basic\n",
            worded("slurm.parsers.prioritytype-is-priority-basic-this"),
        ),
        (
            read_scontrol_config,
            CONFIG.replace("= 00:10:00", "= soon"),
            naming("PriorityDecayHalfLife: 'soon' is not a length"),
        ),
        (
            read_scontrol_config,
            CONFIG.replace("WeightAge       = 1000", "WeightAge       = x"),
            worded("slurm.parsers.is-expected-whole-number", text="'x'"),
        ),
        (
            read_sinfo,
            "n1|batch|idle\n",
            worded("slurm.parsers.fields-instead-of-line-may", fields="3", fields_2="6"),
        ),
        (
            read_sinfo,
            "n1|batch||8|0/8/0/8|none\n",
            worded("slurm.parsers.node-was-left-out", error=wording("slurm.parsers.its-name-or-state-is")),
        ),
        (read_sprio, "hello\n", worded("slurm.parsers.no-column-jobid-this-is")),
        (
            read_sprio,
            "JOBID AGE\nseven 1\n",
            worded("slurm.parsers.is-not-count-expected-whole", text="'seven'"),
        ),
        (read_sprio, "JOBID|AGE\n7|x\n", worded("slurm.parsers.is-expected-number", name="age", str="'x'")),
        (
            read_sprio,
            "JOBID PARTITION AGE\nWeights 1 2\n",
            worded("slurm.parsers.these-are-weights-w-not"),
        ),
    ],
)
def test_what_is_wrong_is_reported(read: object, text: str, words: Expected) -> None:
    assert callable(read)
    with pytest.raises(ScenarioError) as caught:
        read(text)
    assert says(str(caught.value), words)
