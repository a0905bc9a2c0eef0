"""A real cluster as target: read, changed by others, daemons that go away and come back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from fsconsole.slurm.change_set import change_set
from fsconsole.targets.slurm.location import Location
from fsconsole.targets.slurm.polling import PaceOptions
from fsconsole.targets.slurm.state import ClusterState, Link, PartName
from fsconsole.targets.slurm.target import SlurmTarget
from fsconsole.targets.slurm.tools import Tools
from tests.slurm.lab.demo_tree import SYSTEM_PEOPLE
from tests.slurm.lab.lab import Lab
from tests.texts import says, wording

WAIT_S = 60.0
QUICK = PaceOptions(settings_s=5, tree_s=1, usage_s=1, jobs_s=0.5, hardware_s=1)


@pytest.fixture
def target(slurm_lab: Lab) -> Iterator[SlurmTarget]:
    place = Location((*slurm_lab.place.prefix, "env", "LANG=C"), "the lab")
    made = SlurmTarget(place, pace=QUICK, tools=Tools(place, slurm_lab.environment))
    yield made
    made.close(wait=True)


def _until(target: SlurmTarget, is_so: Callable[[ClusterState], object], what: str) -> ClusterState:
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        if is_so(target.state()):
            return target.state()
        time.sleep(0.02)
    parts = {part.value: one for part, one in target.state().parts.items()}
    raise AssertionError(f"{what} did not come: {target.state().link}, {parts}")


def _all_read(state: ClusterState) -> bool:
    return all(part.as_of_s is not None for part in state.parts.values())


def test_all_is_read_and_agrees(slurm_lab: Lab, target: SlurmTarget) -> None:
    number = slurm_lab.submit(SYSTEM_PEOPLE[0], "ocean", cpus=2)
    try:
        state = _until(
            target,
            lambda state: _all_read(state) and any(job.state == "RUNNING" for job in state.jobs),
            "all of it, with a job",
        )
    finally:
        slurm_lab.cancel_all()
    assert state.name == slurm_lab.options.cluster
    assert state.settings is not None
    assert state.tree is not None
    assert state.standing is not None
    assert [part.problem for part in state.parts.values() if part.problem] == []
    job = next(job for job in state.jobs if job.job_id == number)
    assert (job.user, job.account, job.cpus, job.billing) == (SYSTEM_PEOPLE[0], "ocean", 2, 2)
    assert {one.name for one in state.partitions} == {"batch", "dedicated", "scavenge"}
    assert len(state.nodes) == slurm_lab.options.nodes
    assert np.allclose(state.standing.computed.norm_shares, state.standing.printed.norm_shares, atol=1e-6)
    assert not [text for text in state.standing.lagging.values() if "stored" in text]


def test_what_others_do_to_the_tree_is_reported(slurm_lab: Lab, target: SlurmTarget) -> None:
    first = _until(target, _all_read, "all of it").tree
    assert first is not None
    before = slurm_lab.run("sacctmgr", "-nP", "show", "assoc", "format=id").stdout.count("\n")
    try:
        slurm_lab.run("sacctmgr", "-i", "modify", "account", "where", "name=ocean", "set", "fairshare=8")
        slurm_lab.run("sacctmgr", "-i", "add", "user", "sync", "account=climate", "fairshare=parent")
        state = _until(target, lambda state: state.tree and len(state.tree.nodes) == before + 1, "a new user")
        lines = [line for change in state.outside for line in change.line.split("; ")]
        assert wording("slurm.shares", node="ocean", was="3", now="8") in lines
        added = wording("slurm.in-2", user="sync", account="climate")
        assert any(line.startswith(f"{added} added") for line in lines)
        copy = first.shares.copy()
        for change in state.outside:
            for edit in change.edits:
                edit.apply(copy)
        assert state.tree is not None
        assert change_set(state.tree, copy).changes == ()
    finally:
        slurm_lab.run("sacctmgr", "-i", "modify", "account", "where", "name=ocean", "set", "fairshare=3")
        slurm_lab.run("sacctmgr", "-i", "delete", "user", "where", "name=sync", "account=climate")
    again = _until(target, lambda state: state.tree and len(state.tree.nodes) == before, "as it was").tree
    assert again is not None
    assert again.nodes == first.nodes


def test_slurmdbd_goes_away_and_comes_back(slurm_lab: Lab, target: SlurmTarget) -> None:
    tree = _until(target, _all_read, "all of it").tree
    slurm_lab.stop("slurmdbd")
    try:
        # QOS come from slurmdbd too, and may be the first to miss it.
        state = _until(target, lambda state: state.parts[PartName.TREE].problem, "a problem")
        assert state.link is Link.PARTLY
        assert state.parts[PartName.TREE].problem.startswith(
            wording("targets.slurm.slurmdbd-does-not-respond", where="", why="")
        )
        assert state.tree is tree
        assert not state.parts[PartName.JOBS].problem
    finally:
        slurm_lab.start("slurmdbd")
    target.refresh(PartName.TREE)
    _until(target, lambda state: state.link is Link.ANSWERS, "all of it again")


def test_slurmctld_goes_away_and_comes_back(slurm_lab: Lab, target: SlurmTarget) -> None:
    _until(target, _all_read, "all of it")
    slurm_lab.stop("slurmctld")
    try:
        state = _until(target, lambda state: state.parts[PartName.JOBS].problem, "a problem")
        assert state.parts[PartName.JOBS].problem.startswith(
            wording("targets.slurm.does-not-respond-2", who="slurmctld")
        )
        assert state.link is Link.PARTLY
        assert not state.parts[PartName.TREE].problem
    finally:
        slurm_lab.start("slurmctld")
    target.refresh()
    _until(target, lambda state: state.link in (Link.ANSWERS, Link.SLOW), "all of it again")


def test_a_configuration_that_is_not_there(slurm_lab: Lab) -> None:
    tools = Tools(slurm_lab.place, slurm_lab.environment | {"SLURM_CONF": "/nonexistent/slurm.conf"})
    target = SlurmTarget(slurm_lab.place, pace=replace(QUICK, jobs_s=60), limit_s=2.0, tools=tools)
    try:
        state = _until(target, lambda state: state.link is Link.NO_ANSWER, "no answer")
        problem = state.parts[PartName.JOBS].problem
        # A release in a folder is reached as another host is.
        where = "on-names-which" if slurm_lab.place.prefix else "names-which-does"
        assert says(problem, f"targets.slurm.slurm-conf-{where}", path="/nonexistent/slurm.conf")
    finally:
        target.close(wait=True)
