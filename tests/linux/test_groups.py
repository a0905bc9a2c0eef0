"""Share trees as control groups: what is planned, done and taken back, on folders like the kernel's."""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from fsconsole.linux import changes
from fsconsole.linux.hierarchy import ControlGroupsError, find_hierarchy, group_name, node_name
from fsconsole.linux.idle_weights import idle_weights
from fsconsole.linux.plan import SET_PROPERTY, Kind, Step, plan
from fsconsole.linux.share_tree_groups import OtherStepsError, ShareTreeGroups
from fsconsole.linux.undo_log import Entry, UndoLog, UndoLogError
from fsconsole.shares.edits import Move, Remove
from fsconsole.shares.formats import format_named
from fsconsole.shares.formats.systemd import slice_name
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, ShareTree
from fsconsole.shares.tree import Kind as NodeKind
from fsconsole.text.numbers import thousands
from tests.linux.control_groups import FileGroups, as_kernel, fill, put_process, removable, v2
from tests.texts import refuses, refuses_naming, says, wording

__all__ = ["removable"]


def tree() -> ShareTree:
    made = ShareTree()
    group = made.add(ROOT_ID, "gr1", 2, NodeKind.GROUP).id
    made.add(group, "u11", 3)
    made.add(group, "u.12", 1)
    made.add(ROOT_ID, "tasks", 1)
    return made


@pytest.fixture
def log(tmp_path: Path) -> UndoLog:
    return UndoLog(tmp_path / "state" / "undo.jsonl", tmp_path / "proc")


def write(value: str, path: Path, now: str) -> str:
    """The words of a step that writes to a file."""
    return wording("linux.write-to-2", value=value, path=path, now=f", now {now}")


def test_every_write_is_planned_and_after_it_nothing_is_left_to_do(tmp_path: Path, log: UndoLog) -> None:
    hierarchy = v2(tmp_path / "cgroup")
    found = plan(tree(), hierarchy)
    top = tmp_path / "cgroup"
    assert [str(step) for step in found.steps[:6]] == [
        write("+cpu", top / "cgroup.subtree_control", "-cpu"),
        f"mkdir {top}/fsconsole",
        write("+cpu", top / "fsconsole/cgroup.subtree_control", "-cpu"),
        f"mkdir {top}/fsconsole/gr1",
        write("+cpu", top / "fsconsole/gr1/cgroup.subtree_control", "-cpu"),
        wording(
            "linux.write-to-2",
            value="200",
            path=top / "fsconsole/gr1/cpu.weight",
            now=wording("linux.new-group-has", before="100"),
        ),
    ]
    assert changes.apply(found.steps, log, after=as_kernel) == len(found.steps)
    weights = {file.parent.name: file.read_text() for file in (top / "fsconsole").glob("**/cpu.weight")}
    assert weights["gr1"] == "200"
    assert (weights["u11"], weights["u%2E12"], weights["%74asks"]) == ("300", "100", "100")


@pytest.mark.usefixtures("removable")
def test_all_is_taken_back(tmp_path: Path, log: UndoLog) -> None:
    hierarchy = v2(tmp_path / "cgroup")
    (tmp_path / "cgroup" / "cgroup.subtree_control").write_text("io\n")
    changes.apply(plan(tree(), hierarchy).steps, log, after=as_kernel)
    (tmp_path / "cgroup" / "cgroup.subtree_control").write_text("cpu io\n")  # as the kernel shows +cpu
    again = UndoLog(log.path, tmp_path / "proc")
    assert again.entries == log.entries
    (log.path.parent / ".undo.jsonl.k1ll3d.tmp").touch()  # what a kill leaves of a write
    found = changes.release(again)
    assert found.left == ()
    assert not (tmp_path / "cgroup" / "fsconsole").exists()
    assert (tmp_path / "cgroup" / "cgroup.subtree_control").read_text() == "-cpu"
    assert not list(log.path.parent.iterdir())


@pytest.mark.usefixtures("removable")
def test_groups_of_nodes_that_went_go_and_their_processes_follow_the_node(tmp_path: Path) -> None:
    made, groups = tree(), FileGroups(tmp_path)
    put_process(tmp_path / "proc", 71)
    put_process(tmp_path / "proc", 72)
    groups.apply(made)
    paths = groups.paths(made)
    moved, gone = made.find("u11").id, made.find("u.12").id
    assert groups.move([71], paths[moved]) == groups.move([72], paths[gone]) == []
    groups.put(made, {"u11": 71, "u.12": 72})
    wanted = made.copy()
    Move(moved, ROOT_ID, 0).apply(wanted)
    Remove(gone).apply(wanted)
    top = tmp_path / "cgroup"
    assert [str(step) for step in groups.plan(wanted, paths).steps if step.kind is Kind.REMOVE] == [
        f"rmdir {top}/fsconsole/gr1/u%2E12",
        (f"rmdir {top}/fsconsole/gr1/u11" + wording("linux.its-processes-to", value=f"{top}/fsconsole/u11")),
    ]
    named = [step.value for step in groups.plan(wanted).steps if step.kind is Kind.REMOVE]
    # By name where the tree before is not known.
    assert named == ["", f"{top}/fsconsole/u11"]
    groups.apply(wanted, before=paths)
    assert (top / "fsconsole/u11/cgroup.procs").read_text() == "71"
    assert not (top / "fsconsole/gr1/u11").exists()
    # It came from there.
    assert (top / "cgroup.procs").read_text() == "72"
    (top / "cgroup.procs").write_text("")
    assert groups.plan(wanted, groups.paths(wanted)).steps == ()
    assert groups.release().left == ()
    # Also from where it went on to.
    assert (top / "cgroup.procs").read_text() == "71"


def test_only_the_steps_that_were_shown_are_done(tmp_path: Path) -> None:
    groups = FileGroups(tmp_path)
    groups.apply(tree())
    weight = tmp_path / "cgroup/fsconsole/gr1/cpu.weight"
    weight.write_text("300\n")
    shown = [str(step) for step in groups.plan(tree()).steps]
    assert shown == [write("200", weight, "300")]
    lines = groups.to_release()
    # Somebody else writes while the question is open.
    weight.write_text("400\n")
    with pytest.raises(OtherStepsError) as error:
        groups.apply(tree(), shown=shown)
    assert write("200", weight, "400") in str(error.value)
    assert weight.read_text() == "400\n"
    assert groups.apply(tree(), shown=[write("200", weight, "400")]) == 1
    groups.log.add(Entry(Kind.WRITE, str(tmp_path / "cgroup/cpu.weight"), "7", "100"))
    with pytest.raises(OtherStepsError):
        groups.release(shown=lines)
    assert weight.exists()


@pytest.mark.usefixtures("removable")
def test_a_step_that_fails_takes_those_before_it_back(tmp_path: Path, log: UndoLog) -> None:
    hierarchy = v2(tmp_path / "cgroup")
    steps = [step for step in plan(tree(), hierarchy).steps if step.kind is not Kind.MAKE or step.node != 2]
    with refuses_naming(changes.ChangeError, os.strerror(errno.ENOENT)):
        changes.apply(steps, log, after=as_kernel)
    assert not (tmp_path / "cgroup" / "fsconsole").exists()
    assert not log


def test_a_value_that_others_have_written_since_stays(tmp_path: Path, log: UndoLog) -> None:
    hierarchy = v2(tmp_path / "cgroup")
    made = tree()
    for folder in ("", "/gr1", "/gr1/u11", "/gr1/u%2E12", "/%74asks"):
        fill(tmp_path / f"cgroup/fsconsole{folder}")
    changes.apply(plan(made, hierarchy).steps, log)
    file = tmp_path / "cgroup/fsconsole/gr1/cpu.weight"
    assert file.read_text() == "200"
    file.write_text("777")
    found = changes.release(log)
    assert found.left == (
        wording("linux.holds-written-by-another-program", file=file, now="777", before="100"),
    )
    assert file.read_text() == "777"
    assert (tmp_path / "cgroup/fsconsole/gr1/u11/cpu.weight").read_text() == "100"


def test_what_a_kill_cut_off_in_the_log_was_not_done(tmp_path: Path, log: UndoLog) -> None:
    changes.apply(plan(tree(), v2(tmp_path / "cgroup")).steps, log, after=as_kernel)
    whole = log.path.read_bytes()
    log.path.write_bytes(whole[:-7])
    assert UndoLog(log.path, tmp_path / "proc").entries == log.entries[:-1]
    again = UndoLog(log.path, tmp_path / "proc")
    again.add(log.entries[-1])  # not behind what is left of the line
    assert UndoLog(log.path, tmp_path / "proc").entries == log.entries
    log.path.write_bytes(whole.replace(b'"kind": "make"', b'"kind": "mess"', 1))
    message = wording("linux.not-line-of-undo-log")
    with refuses(UndoLogError, "linux.line", path="undo.jsonl", row="3", message=message):
        UndoLog(log.path, tmp_path / "proc")
    log.path.unlink()
    log.path.symlink_to("/dev/zero")
    with refuses(UndoLogError, "linux.is-not-file", path="undo.jsonl"):
        UndoLog(log.path, tmp_path / "proc")


@pytest.mark.parametrize(
    "entry",
    [
        Entry(Kind.WRITE, "/etc/passwd", "", "root::0:0"),
        Entry(Kind.WRITE, "/etc/cpu.weight", "100", "1"),
        Entry(Kind.WRITE, "cgroup/cpu.weight", "100", "1"),
        Entry(Kind.MAKE, "TOP/../other"),
        Entry(Kind.MAKE, "TOP/a\0b"),
        Entry(Kind.MOVE, "TOP/a", "not numbers", "TOP"),
        Entry(Kind.MOVE, "TOP/a", "1 2", "/"),
        Entry(Kind.RUN, "a.slice", "\n".join((*SET_PROPERTY, "a.slice", "CPUWeight=1")), "rm\n-r\n/"),
    ],
    ids=str,
)
def test_a_log_that_names_what_is_never_done_is_not_obeyed(
    tmp_path: Path, log: UndoLog, entry: Entry
) -> None:
    """With sudo, root may find the folder of the user who called it."""
    top = tmp_path / "cgroup"
    in_top = {name: getattr(entry, name).replace("TOP", str(top)) for name in ("path", "before")}
    log.add(replace(entry, **in_top))
    message = wording("linux.not-line-of-undo-log")
    with refuses(UndoLogError, "linux.line", row="2", message=message):
        UndoLog(log.path, tmp_path / "proc", (top,))


@pytest.mark.usefixtures("removable")
def test_what_others_make_while_a_tree_is_applied_stays_theirs(
    tmp_path: Path, log: UndoLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that came after the plan keeps its weight, and one below ours is named at once."""
    theirs = tmp_path / "cgroup/fsconsole/gr1/u11"

    def meanwhile(step: Step) -> None:
        if step.path != theirs:
            as_kernel(step)
        if step.path == theirs.parent:
            fill(theirs)
            (theirs / "cpu.weight").write_text("4321")

    changes.apply(plan(tree(), v2(tmp_path / "cgroup")).steps, log, after=meanwhile)
    assert (theirs / "cpu.weight").read_text() == "300"
    waits: list[float] = []
    monkeypatch.setattr(changes, "time", SimpleNamespace(sleep=waits.append))
    found = changes.release(log)
    assert waits == []
    assert [sentence.partition(": ")[2] for sentence in found.left] == [
        wording("linux.holds-group-of-another-program", others="", more="u11"),
        wording("linux.holds-group-of-another-program", others="", more="gr1"),
    ]
    assert (theirs / "cpu.weight").read_text() == "4321"
    changes.remove_folder(theirs)
    assert changes.release(log).left == ()
    assert not (tmp_path / "cgroup/fsconsole").exists()


@pytest.mark.usefixtures("removable")
def test_processes_come_back_from_below_groups_that_were_there_before(tmp_path: Path) -> None:
    made, groups = tree(), FileGroups(tmp_path)
    top = tmp_path / "cgroup"
    fill(top / "fsconsole")
    fill(top / "fsconsole/gr1")
    put_process(tmp_path / "proc", 71)
    groups.apply(made)
    paths = groups.paths(made)
    user = made.find("u11").id
    assert groups.move([71], paths[user]) == []
    groups.put(made, {"u11": 71})
    wanted = made.copy()
    Move(user, ROOT_ID, 0).apply(wanted)
    groups.apply(wanted, before=paths)
    assert (top / "fsconsole/u11/cgroup.procs").read_text() == "71"
    assert groups.release().left == ()
    assert (top / "cgroup.procs").read_text() == "71"


def test_the_sharer_leaves_out_groups_that_others_have_removed(tmp_path: Path) -> None:
    made, groups = tree(), FileGroups(tmp_path)
    groups.apply(made)
    gone, other = made.find("u11").id, made.find("u.12").id
    shutil.rmtree(tmp_path / "cgroup" / groups.paths(made)[gone])
    assert groups.set_weights(made, {gone: 7, other: 8}) == 1
    assert groups.weights(made)[other] == 8


def test_a_log_of_another_boot_has_nothing_to_take_back(tmp_path: Path, log: UndoLog) -> None:
    changes.apply(plan(tree(), v2(tmp_path / "cgroup")).steps, log, after=as_kernel)
    boot = tmp_path / "proc/sys/kernel/random/boot_id"
    boot.parent.mkdir(parents=True)
    boot.write_text("another\n")
    assert not UndoLog(log.path, tmp_path / "proc")
    assert not log.path.exists()


def test_weights_that_do_nothing_are_named(tmp_path: Path) -> None:
    hierarchy = v2(tmp_path / "cgroup")
    made = tree()
    group = made.find("gr1").id
    only = made.add(made.add(ROOT_ID, "gr2", 1, NodeKind.GROUP).id, "alone", 1).id
    found = plan(made, hierarchy)
    folder = tmp_path / "cgroup" / found.groups[group]
    folder.mkdir(parents=True)
    (folder / "cpu.max").write_text("50000 100000\n")
    state = tmp_path / "sys/kernel/sched_ext"
    (state / "root").mkdir(parents=True)
    (state / "state").write_text("enabled\n")
    (state / "root/ops").write_text("scx_lavd\n")
    idle = list(idle_weights(made, hierarchy, found.groups, sys=tmp_path / "sys", cpus=4))
    message = "\n".join(one.text for one in idle)
    assert {one.node for one in idle} == {None, group, only}
    assert says(message, "linux.kernel-schedules-with-sched-ext", name="scx_lavd")
    assert says(message, "linux.cgroup-subtree-control-does-not")
    assert says(
        message,
        "linux.allows-cpus-less-than-of",
        path="root/gr1",
        hierarchy="cpu.max",
        limit="0.50",
        shares="2.00",
    )
    assert says(message, "linux.cpu-controller-is-off-in", path="root/gr1")
    assert says(message, "linux.only-child-of-its-weight", path=made.path(only), parent="root/gr2")


def test_hierarchies_are_found_and_what_lacks_is_reported(tmp_path: Path) -> None:
    proc, info = tmp_path / "proc", tmp_path / "proc/self/mountinfo"
    info.parent.mkdir(parents=True)
    info.write_text("1 0 0:1 / /tmp rw - tmpfs tmpfs rw\n")
    with refuses(ControlGroupsError, "linux.control-groups-are-not-mounted"):
        find_hierarchy(proc, tmp_path / "run")
    v1 = ["32 31 0:29 / /cg/cpu rw - cgroup c rw,cpu", "33 31 0:30 / /cg/acct rw - cgroup c rw,cpuacct"]
    info.write_text("\n".join(v1))
    found = find_hierarchy(proc, tmp_path / "run")
    assert (found.title, str(found.cpu), str(found.accounting)) == ("cgroup v1", "/cg/cpu", "/cg/acct")
    info.write_text(v1[0])
    with refuses(ControlGroupsError, "linux.cpuacct-controller-is-not-mounted"):
        find_hierarchy(proc, tmp_path / "run")
    top = tmp_path / "a b"
    v2(top)
    info.write_text(f"41 31 0:38 / {str(top).replace(' ', chr(92) + '040')} rw - cgroup2 cgroup2 rw\n")
    assert find_hierarchy(proc, tmp_path / "run").cpu == top
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    assert find_hierarchy(proc, tmp_path / "run").title == wording("linux.systemd-slices-cgroup-v2")
    (top / "cgroup.controllers").write_text("hugetlb\n")
    with refuses(ControlGroupsError, "linux.does-not-offer-cpu-controller"):
        find_hierarchy(proc, tmp_path / "run")


@pytest.mark.parametrize(
    "name", ["u11", "tasks", "cpu.shares", "a/b", "Höhe %", ".", "notify_on_release", "x y"]
)
def test_names_are_folders_that_no_file_of_the_kernel_has(name: str) -> None:
    folder = group_name(name)
    assert "/" not in folder
    assert "." not in folder
    assert folder not in ("tasks", "notify_on_release", "release_agent")
    assert node_name(folder) == name


def test_slices_get_the_weights_that_a_file_of_them_holds(tmp_path: Path) -> None:
    made = tree()
    found = plan(made, replace(v2(tmp_path / "cgroup"), is_of_systemd=True))
    written = format_named("systemd").write(Scenario(made))
    in_file = dict(re.findall(r"# /etc/systemd/system/(\S+)\.slice\n\[Slice\]\nCPUWeight=(\d+)", written))
    assert len(in_file) == len(found.steps) == 4
    assert {f"fsconsole-{stem}.slice": f"CPUWeight={weight}" for stem, weight in in_file.items()} == {
        str(step.path): step.value.split("\n")[-1] for step in found.steps
    }


def test_slices_are_set_once_by_commands_also_by_the_sharer_and_set_back_once_each(tmp_path: Path) -> None:
    slices = replace(v2(tmp_path / "cgroup"), is_of_systemd=True)
    groups = ShareTreeGroups("fsc", hierarchy=slices, folder=tmp_path / "state", proc=tmp_path / "proc")
    made, ran = tree(), list[list[str]]()

    def run(words: Sequence[str]) -> str:
        ran.append(list(words[3:]))
        return ""

    node = made.find("u11").id
    assert groups.apply(made, run=run) == len(ran) == 4
    # What is in force is not set again.
    assert groups.plan(made).steps == ()
    # A slice without a process has no weight yet.
    assert groups.set_weights(made, {node: 7}, run=run) == 0
    folder = tmp_path / "cgroup" / groups.paths(made)[node]
    folder.mkdir(parents=True)
    (folder / "cpu.weight").write_text("75\n")
    assert groups.set_weights(made, {node: 7}, run=run) == 1
    assert ran[-1] == ["fsc-gr1-u11.slice", "CPUWeight=7"]
    # It is systemd that writes it.
    assert (folder / "cpu.weight").read_text() == "75\n"
    less = made.copy()
    Remove(node).apply(less)
    wanted = ["systemctl", "set-property", "--runtime", "fsc-gr1-u11.slice", "CPUWeight="]
    assert wanted in [str(step).split() for step in groups.plan(less).steps]
    assert [str(step.path) for step in groups.plan(made).steps] == ["fsc-gr1-u11.slice"]
    ran.clear()
    assert groups.release(run).left == ()
    assert sorted(ran) == sorted([unit, "CPUWeight="] for unit, _ in {tuple(one) for one in ran})
    assert len(ran) == 4


def test_slices_are_named_as_systemd_escapes() -> None:
    assert slice_name(("fsconsole", "gr1", "u-1")) == r"fsconsole-gr1-u\x2d1.slice"
    assert slice_name(("a b", ".x")) == r"a\x20b-\x2ex.slice"


def test_shares_too_far_apart_are_named_with_what_they_get(tmp_path: Path) -> None:
    tree = ShareTree()
    for name, shares in (("a", 40_000), ("b", 1), ("c", 700)):
        tree.add(0, name, shares)
    (note,) = plan(tree, v2(tmp_path / "cgroup")).notes
    given, wanted = (f"{thousands(number)} : 1" for number in (10_000, 40_000))
    assert note == wording(
        "linux.shares-differ-by-more-than",
        where="root",
        range_words=wording("linux.1-which-cannot-express", most=thousands(10_000), file="cpu.weight"),
        what=wording("linux.gets", names="b", least="1"),
        name="a",
        name_2="b",
        given=given,
        wanted=wanted,
    )
