"""A share tree on this machine as a target: on folders like the kernel's, and on the kernel itself."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from fsconsole.linux.share_tree_groups import HeldError, ShareTreeGroups, left_behind
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree
from fsconsole.targets.linux import target as target_module
from fsconsole.targets.linux.audit import GroupsAudit, LinuxError
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.state import Memory
from fsconsole.targets.linux.target import QUANTITIES, LinuxTarget
from tests.linux.control_groups import FileGroups, put_process, removable
from tests.linux.real_kernel import alone, why_not
from tests.texts import refuses, refuses_naming, says, wording

__all__ = ["alone", "removable"]
# It ends by itself where a test is killed before it can end it.
BUSY = ("taskset", "-c", str(min(os.sched_getaffinity(0))), "sh", "-c", "ulimit -t 30; while :; do :; done")


def tree() -> ShareTree:
    made = ShareTree()
    group = made.add(ROOT_ID, "gr1", 1, Kind.GROUP).id
    made.add(group, "u11", 3)
    made.add(group, "u12", 1)
    made.add(ROOT_ID, "u2", 1)
    return made


def until(is_so: Callable[[], bool], limit_s: float = 10.0) -> None:
    end_s = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < end_s
        time.sleep(0.01)


@pytest.fixture
def groups(tmp_path: Path, removable: None) -> FileGroups:
    return FileGroups(tmp_path)


@pytest.fixture
def target(tmp_path: Path, groups: FileGroups, monkeypatch: pytest.MonkeyPatch) -> Iterator[LinuxTarget]:
    monkeypatch.setattr(target_module, "WINDOW_S", 1000.0)  # rates stay, however slow this machine is
    made = LinuxTarget(
        lambda changed: GroupsWorker(groups, tree(), changed, log=tmp_path / "audit.jsonl", sys=tmp_path),
        period_s=0.05,
    )
    yield made
    made.close(wait=True)


def values(target: LinuxTarget, quantity: str, *names: str) -> list[float]:
    known = target.tree()
    return [float(value) for value in target.at().values(quantity, [known.find(name).id for name in names])]


def write(value: str, path: Path, now: str) -> str:
    """The words of a step that writes to a file."""
    return wording("linux.write-to-2", value=value, path=path, now=f", now {now}")


def test_rates_come_from_what_was_charged_and_not_from_weights(
    target: LinuxTarget, groups: FileGroups
) -> None:
    assert target.at().remark(tree().find("u11").id) == wording("targets.linux.no-group-yet")
    assert target.status().text == (
        wording("targets.linux.target-linux", title="cgroup v2", what="")
        + wording("linux.not-run-on-real-kernel")
        + ", "
        + wording("targets.linux.no-groups-yet")
    )
    assert target.worker.apply(tree(), "anna", "to try").result(60).split() == ["12", "steps", "done"]
    until(lambda: target.at().remark(tree().find("u11").id) == "no process")
    groups.put(tree(), {"u11": 71})
    groups.charge(tree(), {"u11": 0.4, "u2": 0.6})
    until(lambda: values(target, "cpu_rate", "u2")[0] > 0)
    assert values(target, "cpu_rate", "gr1", "u11", "u12", "u2") == pytest.approx([0.4, 0.4, 0.0, 0.6])
    assert values(target, "allocated_share", "gr1", "u11", "u2") == pytest.approx([0.5, 0.5, 0.5])
    assert values(target, "effective_share", "u11", "u2") == pytest.approx([0.5, 0.5])
    assert values(target, "cpu_s", "gr1", "u2") == pytest.approx([0.4, 0.6])
    assert np.isnan(values(target, "normalised_usage", "u11")).all()
    assert target.at().remark(tree().find("u11").id) == ""
    group = groups.hierarchy.cpu / "fsconsole/gr1/cpu.weight"
    group.write_text("300\n")  # by somebody else
    until(lambda: values(target, "effective_share", "u2") == pytest.approx([0.25]))
    assert values(target, "cpu_rate", "u2") == pytest.approx([0.6])
    assert target.worker.pending(tree()).result(60).lines == (write("100", group, "300"),)
    assert [event.text for event in target.events()] == ["apply"]
    assert target.curves("cpu_rate", [tree().find("u2").id], 0.0, 1e6, 100)[1].shape[0] == 1


def test_share_edits_lead_to_weight_writes_once_applied(target: LinuxTarget, groups: FileGroups) -> None:
    target.worker.apply(tree(), "anna").result(60)
    wanted = tree()
    SetShares(((wanted.find("u12").id, 6),)).apply(wanted)
    pending = target.worker.pending(wanted).result(60)
    top = groups.hierarchy.cpu
    assert pending.lines == (write("600", top / "fsconsole/gr1/u12/cpu.weight", "100"),)
    assert pending.nodes == {wanted.find("u12").id}
    assert (top / "fsconsole/gr1/u12/cpu.weight").read_text().strip() == "100"
    target.worker.apply(wanted, "anna").result(60)
    assert (top / "fsconsole/gr1/u12/cpu.weight").read_text() == "600"
    assert target.worker.pending(wanted).result(60).lines == ()
    shown = target.worker.release("anna").result(60)
    assert shown.endswith("changes reverted")
    assert not (top / "fsconsole").exists()
    until(lambda: bool(np.isnan(values(target, "cpu_rate", "u2")).all()))


def test_weights_follow_usage_while_they_have_a_memory(target: LinuxTarget, groups: FileGroups) -> None:
    target.worker.apply(tree(), "anna").result(60)
    groups.charge(tree(), {"u11": 4.0, "u2": 1.0})
    target.worker.remember(Memory(half_life_s=100.0, delta_s=0.1), "anna").result(60)
    weight = groups.hierarchy.cpu / "fsconsole/u2/cpu.weight"

    def is_weighed() -> bool:
        groups.charge(tree(), {"u11": 0.01, "u2": 0.01})
        return int(weight.read_text() or 0) > 200  # it may be empty while it is written

    until(is_weighed)
    until(lambda: bool(target.state.usage) and values(target, "normalised_usage", "u11")[0] > 0)
    assert target.unused() == frozenset()
    # The sharer's weights are not the person's.
    assert target.worker.pending(tree()).result(60).lines == ()
    wanted = tree()
    SetShares(((wanted.find("u2").id, 5),)).apply(wanted)
    assert target.worker.pending(wanted).result(60).lines
    target.worker.forget("anna").result(60)
    assert int(weight.read_text()) == 100
    assert target.worker.pending(tree()).result(60).lines == ()


@pytest.mark.parametrize("end", ["forget", "close"])
@pytest.mark.parametrize("is_released", [True, False])
def test_the_end_of_the_memory_leaves_what_others_have_made_and_removed(
    target: LinuxTarget, groups: FileGroups, tmp_path: Path, end: str, is_released: bool
) -> None:
    target.worker.apply(tree(), "anna").result(60)
    target.worker.remember(Memory(half_life_s=100.0, delta_s=60.0), "anna").result(60)
    top, other, another = groups.hierarchy.cpu / "fsconsole", ShareTree(), FileGroups(tmp_path)
    other.add(ROOT_ID, "carl", 1)
    try:
        another.release() if is_released else another.apply(other)
    finally:
        another.let_go()
    if end == "forget":
        assert says(target.worker.forget("anna").result(60), "linux.without-those-of-removed-groups")
    target.close(wait=True)
    names = {folder.name for folder in top.glob("*/")} if top.is_dir() else set()
    assert names == (set() if is_released else {"carl"})


def test_a_memory_is_refused_where_the_groups_in_force_are_those_of_another_tree(
    target: LinuxTarget, tmp_path: Path
) -> None:
    target.worker.apply(tree(), "anna").result(60)
    other, another = ShareTree(), FileGroups(tmp_path)
    other.add(ROOT_ID, "carl", 1)
    another.apply(other)
    another.let_go()
    with refuses(LinuxError, "targets.linux.groups-in-force-are-not"):
        target.worker.remember(Memory(half_life_s=100.0, delta_s=60.0), "anna").result(60)
    assert target.worker.sharer is None


def test_what_cannot_be_done_is_one_sentence_and_logged(
    target: LinuxTarget, groups: FileGroups, tmp_path: Path
) -> None:
    worker, leaf = target.worker, tree().find("u11").id
    with refuses(LinuxError, "targets.linux.no-groups-yet-apply-tree"):
        worker.assign(leaf, [71], "", "anna").result(60)
    worker.apply(tree(), "anna").result(60)
    with refuses(LinuxError, "linux.process-it-does-not-exist", pid="71"):
        worker.assign(leaf, [71], "", "anna").result(60)
    with refuses(LinuxError, "targets.linux.user-not-found-on-this", login="'nobody-such'"):
        worker.assign(leaf, [], "nobody-such", "anna").result(60)
    put_process(tmp_path / "proc", 71)
    assert worker.assign(leaf, [71, 72], "", "anna", "test").result(60) == (
        wording("targets.linux.moved-to", moved="1 process", node="root/gr1/u11; ")
        + wording("linux.process-it-does-not-exist", pid="72")
    )
    assert (groups.hierarchy.cpu / "fsconsole/gr1/u11/cgroup.procs").read_text() == "71"
    rows = [(row.action, row.on, row.after, row.done) for row in worker.audit]
    assert rows[-1] == ("assign", "root/gr1/u11", "71, 72", True)
    assert ("assign", "root/gr1/u11", "71", False) in rows
    log = tmp_path / "audit.jsonl"
    log.unlink()
    log.mkdir()
    with refuses(LinuxError, "targets.linux.was-not-begun-because-it"):
        worker.release("anna").result(60)
    assert (groups.hierarchy.cpu / "fsconsole").is_dir()


@pytest.mark.parametrize("fails", [False, True])
def test_what_was_done_is_told_as_done_where_the_log_breaks_meanwhile(tmp_path: Path, fails: bool) -> None:
    log = tmp_path / "log" / "audit.jsonl"
    audit, done = GroupsAudit("fsconsole", log), list[str]()

    def work() -> str:
        shutil.rmtree(log.parent)
        log.parent.write_text("not a folder")
        done.append("made")
        if fails:
            raise LinuxError("It failed.")
        return "20 steps done"

    if fails:
        with pytest.raises(LinuxError, match="It failed"):
            audit.change("apply", work, "anna")
    else:
        assert audit.change("apply", work, "anna") == "20 steps done"
    assert done == ["made"]
    assert says(audit.problem, "targets.linux.audit-log-cannot-be-written", path=log)
    with refuses(LinuxError, "targets.linux.was-not-begun-because-it", action="Apply"):
        audit.change("apply", work, "anna")
    assert done == ["made"]


def test_weights_of_the_shares_come_back_without_a_log(target: LinuxTarget, tmp_path: Path) -> None:
    worker = target.worker
    worker.apply(tree(), "anna").result(60)
    log = tmp_path / "audit.jsonl"
    log.unlink()
    log.mkdir()
    assert says(worker.forget("anna").result(60), "targets.linux.but-it-was-not-logged")


def test_one_console_looks_after_the_groups_and_others_do_not_call_them_left(
    target: LinuxTarget, tmp_path: Path
) -> None:
    target.worker.apply(tree(), "anna").result(60)
    state, proc = tmp_path / "state", tmp_path / "proc"
    assert left_behind(state, proc) == []
    with refuses(HeldError, "linux.another-console-has-opened-groups", root="fsconsole"):
        LinuxTarget(lambda changed: GroupsWorker(FileGroups(tmp_path), tree(), changed))
    target.close(wait=True)
    assert left_behind(state, proc) == ["fsconsole"]


def test_slices_of_systemd_are_set_by_its_command_and_read_in_their_groups(
    tmp_path: Path, groups: FileGroups
) -> None:
    from dataclasses import replace

    groups.hierarchy = replace(groups.hierarchy, is_of_systemd=True)
    ran: list[list[str]] = []

    def run(words: object) -> str:
        ran.append(list(words))  # type: ignore[call-overload]
        return ""

    target = LinuxTarget(
        lambda changed: GroupsWorker(groups, tree(), changed, log=tmp_path / "log", run=run, sys=tmp_path),
        period_s=0.05,
    )
    try:
        target.worker.apply(tree(), "anna").result(60)
        assert ran[0] == ["systemctl", "set-property", "--runtime", "fsconsole-gr1.slice", "CPUWeight=100"]
        folder = groups.hierarchy.cpu / "fsconsole.slice" / "fsconsole-gr1.slice" / "fsconsole-gr1-u11.slice"
        folder.mkdir(parents=True)
        (folder / "cpu.weight").write_text("300\n")
        (folder / "cpu.stat").write_text("usage_usec 1000000\n")
        until(lambda: target.state.weights == {2: 300})
        until(lambda: values(target, "cpu_s", "u11") == [1.0])
        with refuses(LinuxError, "targets.linux.systemd-owns-control-groups-here"):
            target.worker.assign(2, [71], "", "anna").result(60)
        target.worker.release("anna").result(60)
        assert ran[-1][-1] == "CPUWeight="
    finally:
        target.close(wait=True)


@pytest.mark.dear("keeps the kernel busy, to be read")
@pytest.mark.usefixtures("alone")
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "control groups can be changed here")
def test_the_kernel_itself_is_read_and_taken_back(tmp_path: Path) -> None:
    made = read_scenario(examples() / "convex-series-6.yaml").tree
    root = f"fsconsole-test-{os.getpid()}"
    groups = ShareTreeGroups(root, folder=tmp_path)
    target = LinuxTarget(
        lambda changed: GroupsWorker(groups, made, changed, log=tmp_path / "audit.jsonl"), period_s=0.5
    )
    names = ("u11", "u21", "u22")
    try:
        target.worker.apply(made, "test").result(60)
        with refuses_naming(LinuxError, os.strerror(errno.ENOENT)):
            target.worker.start(made.find("u11").id, ["no-such-command"], "test").result(60)
        for name in names:
            target.worker.start(made.find(name).id, BUSY, "test").result(60)
        until(lambda: all(target.state.processes.get(made.find(name).id) for name in names))
        first = len(target.series)
        until(lambda: len(target.series) > first + 12, 20.0)  # the window is over busy time alone
        assert values(target, "allocated_share", *names) == pytest.approx([0.5, 0.4, 0.1])
        assert values(target, "cpu_rate", *names) == pytest.approx([0.5, 0.4, 0.1], abs=0.02)
    finally:
        paths = groups.paths(made)
        pids = [
            int(pid)
            for name in names
            for pid in (groups.hierarchy.cpu / paths[made.find(name).id] / "cgroup.procs").read_text().split()
        ]
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        shown = target.worker.release("test").result(60)
        target.close(wait=True)
    assert len(pids) == 3
    assert shown.endswith("changes reverted")
    assert not (groups.hierarchy.cpu / root).exists()
    assert set(QUANTITIES) >= {"cpu_rate", "allocated_share"}


# A console's target that has weights by usage and a command running; it is killed once it says so.
_CHILD = """
import sys, time
from pathlib import Path
from fsconsole.linux.share_tree_groups import ShareTreeGroups
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.linux.groups_worker import GroupsWorker
from fsconsole.targets.linux.state import Memory
from fsconsole.targets.linux.target import LinuxTarget

root, folder = sys.argv[1], Path(sys.argv[2])
tree = read_scenario(examples() / "convex-series-6.yaml").tree
groups = ShareTreeGroups(root, folder=folder)
target = LinuxTarget(
    lambda changed: GroupsWorker(groups, tree, changed, log=folder / "audit.jsonl"), period_s=0.1
)
target.worker.apply(tree, "test").result()
for name in ("u11", "u22"):
    target.worker.start(tree.find(name).id, ["sleep", "60"], "test").result()
target.worker.remember(Memory(2.0, 0.1), "test").result()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.usefixtures("alone")
@pytest.mark.skipif(bool(why_not()), reason=why_not() or "control groups can be changed here")
def test_a_killed_console_leaves_nothing_that_release_cannot_undo(tmp_path: Path) -> None:
    root = f"fsconsole-killed-{os.getpid()}"
    child = subprocess.Popen(
        [sys.executable, "-c", _CHILD, root, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    # A console has them open.
    assert left_behind(tmp_path) == []
    child.kill()
    child.wait()
    child.stdout.close()
    assert left_behind(tmp_path) == [root]
    groups = ShareTreeGroups(root, folder=tmp_path)
    folder = groups.hierarchy.cpu / root
    pids = [int(pid) for file in folder.rglob("cgroup.procs") for pid in file.read_text().split()]
    worker = GroupsWorker(groups, ShareTree(), lambda: None, log=tmp_path / "audit.jsonl")
    shown = worker.release("test").result(60)
    worker.close(wait=True)
    homes = [Path(f"/proc/{pid}/cgroup").read_text() for pid in pids]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    # Commands go on.
    assert len(pids) == 2
    # Nothing was left.
    assert shown.endswith("changes reverted")
    assert not folder.exists()
    assert not any(root in home for home in homes)
    assert left_behind(tmp_path) == []
