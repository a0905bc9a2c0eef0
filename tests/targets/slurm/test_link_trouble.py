"""What is said of a cluster that does not respond, or answers in part."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.targets.slurm.link_trouble import link_trouble
from fsconsole.targets.slurm.ssh_faults import FaultKind, LinkFault
from fsconsole.targets.slurm.state import ClusterState, Link, Part, PartName
from fsconsole.targets.slurm.tool_errors import late, trouble
from tests.texts import says, wording

_HUNG = "slurm_load_ctl_conf error: Socket timed out on send/recv operation\n"


def _clock(time_s: float) -> str:
    return f"{time_s:.0f} s"


def _state(link: Link = Link.PARTLY, **parts: Part) -> ClusterState:
    every = {name: parts.get(name.value, Part(as_of_s=90.0)) for name in PartName}
    return ClusterState(1, "demo", link, every)


def test_a_controller_that_hangs_is_named_and_what_is_old_with_it() -> None:
    hung = trouble((), "scontrol", 1, "", _HUNG)
    state = _state(
        settings=Part(30.0, problem=hung),
        usage=Part(41.0),
        jobs=Part(27.0, problem=late("squeue", 60.0, "")),
        nodes=Part(27.0, problem=hung),
    )
    found = link_trouble(state, _clock)
    assert found is not None
    assert found.short == wording("targets.slurm.does-not-respond-2", who="slurmctld")
    assert found.text == (
        "slurmctld of demo does not respond (timed out); slurmdbd does. "
        "Last read: jobs and nodes at 27 s, usage at 41 s, settings at 30 s."
    )


def test_a_database_that_is_away_is_named() -> None:
    message = (
        "sacctmgr: error: slurm_persist_conn_open_without_init: failed to open persistent connection to "
        "host:127.0.0.1:6819: Connection refused\n"
    )
    found = link_trouble(_state(tree=Part(30.0, problem=trouble((), "sacctmgr", 1, "", message))), _clock)
    assert found is not None
    assert found.text == (
        "slurmdbd of demo does not respond (connection refused); slurmctld does. Last read: "
        "associations at 30 s."
    )


def test_what_nobody_else_answers_is_not_reported_to() -> None:
    down = trouble((), "squeue", 1, "", "squeue: error: Unable to contact slurm controller (connect failure)")
    refused = "slurmdbd does not respond at host:h:1: Connection refused"
    of_database = (PartName.TREE, PartName.QOS)
    every = {name.value: Part(problem=refused if name in of_database else down) for name in PartName}
    found = link_trouble(_state(Link.NO_ANSWER, **every), _clock)
    assert found is not None
    assert found.text == "slurmctld and slurmdbd of demo do not respond (connection refused)."


def test_a_way_that_does_not_lead_there_is_no_fault_of_a_daemon() -> None:
    fault = LinkFault(FaultKind.SILENT, "host login1 does not respond to ssh. Check the network")
    every = {name.value: Part(5.0, problem=fault.sentence) for name in PartName}
    found = link_trouble(replace(_state(Link.NO_ANSWER, **every), fault=fault), _clock)
    assert found is not None
    assert found.sentence == f"H{fault.sentence[1:]}."
    assert says(found.as_of, "targets.slurm.last-read")
    parts = found.as_of.partition(": ")[2].split(", ")
    assert parts[:4] == ["jobs", "usage", "associations", "nodes"]


def test_output_that_cannot_be_read_is_named_by_its_part() -> None:
    found = link_trouble(_state(nodes=Part(5.0, problem="cannot read the output of sinfo: line 1")), _clock)
    assert found is not None
    assert found.sentence == wording(
        "targets.slurm.cannot-read-of",
        names="nodes",
        name="demo",
        problem=wording("targets.slurm.cannot-read-output-of", part="sinfo", error="line 1"),
    )


def test_nothing_is_said_of_a_cluster_that_answers() -> None:
    assert link_trouble(_state(Link.ANSWERS), _clock) is None


def test_accounting_that_is_off_is_called_so() -> None:
    message = "Slurm accounting storage is disabled"
    assert says(trouble((), "sacctmgr", 1, "", message), "targets.slurm.accounting-storage-is-disabled-on")
