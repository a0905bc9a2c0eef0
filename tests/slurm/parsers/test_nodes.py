"""Nodes as scontrol shows them, in the words of sinfo."""

from __future__ import annotations

import pytest

from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.scontrol_node import ClusterNode, read_scontrol_node
from fsconsole.slurm.parsers.sinfo import read_sinfo
from tests.slurm.captured import captured
from tests.slurm.fake.as_text import in_one_line, node_lines
from tests.texts import wording

SHOWN = captured("plain/scontrol-show-node.txt")


def test_nodes_of_a_real_cluster_in_both_forms() -> None:
    nodes = read_scontrol_node(SHOWN).items
    assert nodes == read_scontrol_node(in_one_line(SHOWN)).items
    assert nodes[1] == ClusterNode(
        name="n2", partitions=("batch", "dedicated", "scavenge"), state="mixed", marks=(), cpus=8,
        busy_cpus=7, reason="",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["odd/sinfo-o.psv", "finished/sinfo-drained.psv"])
def test_what_sinfo_printed_is_read_of_scontrol_too(name: str) -> None:
    assert read_scontrol_node(node_lines(captured(name))).items == read_sinfo(captured(name)).items


@pytest.mark.parametrize(
    ("printed", "state"),
    [
        ("IDLE", "idle"),
        ("IDLE+CLOUD+POWERED_DOWN", "idle~"),
        ("IDLE+PLANNED", "planned"),
        ("IDLE+RESERVED", "reserved"),
        ("IDLE+COMPLETING+DRAIN", "draining"),
        ("IDLE+DRAIN", "drained"),
        ("IDLE+DRAIN+NOT_RESPONDING", "drained*"),
        ("IDLE+MAINTENANCE+RESERVED", "maint"),
        ("IDLE+MAINTENANCE+DRAIN", "drained$"),
        ("IDLE+REBOOT_ISSUED", "reboot^"),
        ("IDLE+FAIL", "fail"),
        ("IDLE+COMPLETING", "completing"),
        ("IDLE+CLOUD+POWERING_UP+NOT_RESPONDING", "idle#"),
        ("MIXED+PLANNED", "mixed-"),
        ("MIXED+DRAIN", "draining"),
        ("MIXED+MAINTENANCE", "mixed$"),
        ("ALLOCATED+COMPLETING", "allocated+"),
        ("ALLOCATED+FAIL", "failing"),
        ("ALLOCATED+REBOOT_REQUESTED", "allocated@"),
        ("DOWN", "down"),
        ("DOWN+NOT_RESPONDING", "down*"),
        ("DOWN+MAINTENANCE+RESERVED", "down$"),
        ("DOWN+INVALID_REG", "inval"),
        ("DOWN*+DRAIN", "drained*"),
        ("UNKNOWN+NOT_RESPONDING", "unknown*"),
    ],
)
def test_states_have_the_words_of_sinfo(printed: str, state: str) -> None:
    """As node_state_string() of Slurm 22.05 gives them, with marks; older versions have some in the state."""
    (node,) = read_scontrol_node(f"NodeName=n1 CPUTot=8 State={printed} Partitions=b\n").items
    assert f"{node.state}{''.join(node.marks)}" == state


@pytest.mark.parametrize(
    ("behind", "reason"),
    [
        ("", ""),
        (" Reason=fan 2 | is = loud; State=IDLE [root@2026-11-20T09:36:20]", "fan 2 | is = loud; State=IDLE"),
        (" Reason=first [root@2026-11-20T09:36:20]         second Comment=CPUTot=9", "first second"),
        (" Comment=Reason=none CPUTot=9 Extra=State=IDLE", ""),
        (" Reason=Not responding [slurm@1795167491] ReservationName=ded", "Not responding"),
    ],
)
def test_what_people_write_is_a_reason_alone(behind: str, reason: str) -> None:
    (node,) = read_scontrol_node(f"NodeName=n1 CPUAlloc=0 CPUTot=8 State=DOWN Partitions=b{behind}\n").items
    assert (node.state, node.cpus, node.reason) == ("down", 8, reason)


def test_a_node_of_no_partition_is_left_out_and_one_without_a_field_is_reported() -> None:
    text = "NodeName=n1 CPUTot=8 State=IDLE\nNodeName=n2 State=IDLE Partitions=b\n"
    listing = read_scontrol_node(f"{text}NodeName=n3 CPUTot=8 State=IDLE Partitions=b\n")
    assert [(node.name, node.busy_cpus) for node in listing.items] == [("n3", None)]
    assert [problem.text for problem in listing.problems] == [
        wording("slurm.parsers.was-left-out-it-has", kind="NodeName", name="n2", missing="CPUTot")
    ]
    with pytest.raises(ScenarioError):
        read_scontrol_node("scontrol is not there\n")
