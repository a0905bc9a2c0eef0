"""`fsconsole linux`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.cli.main import run
from fsconsole.operating_system import ENDING_SIGNALS
from fsconsole.resources import examples
from tests.cli.conftest import Cli, start
from tests.linux.control_groups import v2
from tests.linux.real_kernel import here, why_not
from tests.texts import Expected, naming, says, span, worded, wording

TREE = examples() / "convex-series-6.yaml"
needs_groups = pytest.mark.skipif(bool(why_not()), reason=why_not() or "control groups can be changed here")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return f"fsconsole-cli-{os.getpid()}"


@needs_groups
def test_groups_are_planned_made_used_and_taken_back(cli: Cli, root: str) -> None:
    plan = json.loads(cli("linux", "plan", TREE, "--root", root, "--json").out)
    assert plan["steps"][0] == {"do": "make", "path": str(here().cpu / root), "value": "", "before": ""}
    assert plan["weights"]["root/gr2/u21"] / plan["weights"]["root/gr2/u22"] == 4.0
    assert any(says(note, "linux.cannot-write-0-shares-it", id="u12") for note in plan["notes"])
    try:
        made = cli("linux", "apply", TREE, "--root", root, "--yes")
        assert made.out == (
            wording(
                "cli.done-in-force",
                done=f"{len(plan['steps'])} steps",
                weights=f"{len(plan['weights'])} weights",
            )
            + "\n"
        )
        words = [
            sys.executable,
            "-c",
            "from fsconsole.cli.main import main; main()",
            "linux",
            "start",
            str(TREE),
            "u21",
            "--root",
            root,
        ]
        code = "print(open('/proc/self/cgroup').read())"
        ended = subprocess.run(
            [*words, "--", sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert f"cpu:/{root}/gr2/u21" in ended.stdout
        rates = json.loads(cli("linux", "rates", TREE, "--root", root, "--for", "0.1s", "--json").out)
        assert [node["node"] for node in rates["nodes"]][:2] == ["root", "root/Daemon"]
        again = json.loads(cli("linux", "plan", TREE, "--root", root, "--json").out)
        assert again["steps"] == []
        other = cli("linux", "plan", TREE, "--root", f"{root}-2").err
        assert says(
            other,
            "cli.note-groups-of-are-still",
            left=root,
            command=wording("cli.fsconsole-linux-release-root", left=root),
        )
    finally:
        released = cli("linux", "release", "--yes", "--root", root)
    assert released.status == 0
    assert not (here().cpu / root).exists()
    assert cli("linux", "release", "--yes", "--root", root).out == (
        wording("cli.nothing-to-release-below", root=root) + "\n"
    )


@needs_groups
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("rates", TREE), worded("cli.no-groups-of-yet-fsconsole")),
        (
            ("assign", TREE, "gr2", "--pid", "1"),
            worded("cli.is-group-and-processes-belong"),
        ),
        (("assign", TREE, "nobody-here", "--pid", "1"), naming("nobody-here")),
        (("start", TREE, "u21", "true"), worded("cli.no-groups-of-yet-fsconsole")),
        (("share", TREE), worded("cli.no-groups-of-yet-fsconsole")),
        (("apply", TREE), worded("cli.cannot-ask-for-confirmation-stdin", dry="--dry-run")),
    ],
)
def test_what_cannot_be_is_reported(
    cli: Cli, root: str, words: tuple[object, ...], message: Expected
) -> None:
    ended = cli("linux", *words, "--root", root)
    assert ended.status == 1
    assert says(ended.err, message)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (" ", worded("cli.group-needs-name-such-as", root_name="fsconsole")),
        (
            "a\udcffb",
            worded("cli.cannot-be-printed-write-name", root_name="fsconsole"),
        ),  # a byte that is not UTF-8
        ("a\nb", worded("cli.cannot-be-printed-write-name", root_name="fsconsole")),
    ],
)
def test_a_root_without_a_name_is_refused(cli: Cli, name: str, message: Expected) -> None:
    ended = cli("linux", "plan", TREE, "--root", name)
    assert ended.status == 2
    assert says(ended.err, message)


@needs_groups
def test_what_a_process_has_started_is_moved_on_demand_and_else_named(cli: Cli, root: str) -> None:
    code = "import subprocess,sys;p=subprocess.Popen(['sleep','60']);print(p.pid,flush=True);p.wait()"
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        words = ("linux", "assign", "--yes", TREE, "u21", "--pid", str(parent.pid), "--root", root)
        first = cli(*words)
        assert first.out.split() == ["root/gr2/u21:", "1", "process"]
        assert says(first.err, "cli.note-that-they-have-started", named="1 process", verb="stays")
        assert f"cpu:/{root}" not in Path(f"/proc/{child}/cgroup").read_text()
        assert cli(*words, "--children").out.split() == ["root/gr2/u21:", "2", "processes"]
        assert f"cpu:/{root}/gr2/u21" in Path(f"/proc/{child}/cgroup").read_text()
    finally:
        os.kill(child, signal.SIGKILL)
        parent.wait()
        parent.stdout.close()
        assert cli("linux", "release", "--yes", "--root", root).status == 0


@needs_groups
def test_the_sharer_says_how_it_goes_on_and_what_all_got(cli: Cli, root: str) -> None:
    try:
        cli("linux", "apply", TREE, "--root", root, "--yes")
        ended = cli("linux", "share", "--yes", TREE, "--root", root, "--delta", "0.1s", "--for", "0.2s")
    finally:
        cli("linux", "release", "--yes", "--root", root)
    halves = wording("cli.usage-halves-in-weights-are", half_life=span(s=120), delta=span(s=0.1))
    assert ended.out.startswith(wording("cli.until", message=halves, until=span(s=0.2)) + "\n")
    assert "root/gr2/u21" in ended.out
    assert ended.out.endswith(wording("linux.weights-follow-shares-alone-again").capitalize() + ".\n")


def _groups(root: str) -> dict[str, str]:
    """Each group below a root of the kernel, with its weight."""
    top, file = here().cpu / root, here().limits.file
    folders = sorted(top.rglob("*/")) if top.is_dir() else []
    return {str(folder.relative_to(top)): (folder / file).read_text().strip() for folder in folders}


OTHER = """version: 1
machine: {name: M, cpus: 1}
policy: {name: share}
tree: {name: root, shares: 1, children: [{name: carl, shares: 10}, {name: gr2, shares: 30}]}
"""


@needs_groups
@pytest.mark.parametrize("meanwhile", ["apply", "release", "remove", "nothing"])
def test_the_sharer_leaves_in_the_end_what_others_have_made_and_removed(
    cli: Cli, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: str
) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(OTHER.replace("gr2", "dora"))
    group = here().cpu / root / "gr2"
    left: list[dict[str, str]] = []

    def meddle(_seconds: float) -> None:
        if left:
            return
        left.append({})  # Steps below sleep, too.
        if meanwhile in ("apply", "release"):
            words = ["apply", str(other)] if meanwhile == "apply" else ["release"]
            assert run(["linux", *words, "--root", root, "--yes"]) == 0
        elif meanwhile == "remove":
            for top in here().tops:
                (top / root / "gr2/u21").rmdir()
        if meanwhile in ("remove", "nothing"):
            (group / here().limits.file).write_text("77")  # As the sharer would.
        left[0] = _groups(root)

    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        before = _groups(root)
        with monkeypatch.context() as patch:
            patch.setattr("fsconsole.cli.linux_share.time.sleep", meddle)
            ended = cli("linux", "share", "--yes", TREE, "--root", root, "--delta", "0.1s", "--for", "0.1s")
        assert _groups(root).keys() == left[0].keys()
        if meanwhile == "apply":
            assert _groups(root) == left[0]
        else:
            assert _groups(root).items() <= before.items()
        assert ended.status == (0 if meanwhile == "nothing" else 1)
        assert ("root/gr2/u21" in ended.out.splitlines()[-1]) is (meanwhile == "remove")
    finally:
        cli("linux", "release", "--yes", "--root", root)


@needs_groups
@pytest.mark.parametrize("name", ["dora", "gr2"])
def test_the_sharer_refuses_a_tree_whose_groups_are_not_those_in_force(
    cli: Cli, root: str, tmp_path: Path, name: str
) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(OTHER.replace("gr2", name).replace("{name: carl, shares: 10}, ", ""))
    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        before = _groups(root)
        ended = cli("linux", "share", "--yes", other, "--root", root, "--delta", "0.1s", "--for", "0.1s")
        assert ended.status == 1
        assert says(ended.err, "cli.groups-in-force-below-are", root=root, file=other)
        assert _groups(root) == before
    finally:
        cli("linux", "release", "--yes", "--root", root)


@needs_groups
@pytest.mark.parametrize("numbers", [*((one,) for one in ENDING_SIGNALS), (signal.SIGHUP, signal.SIGHUP)])
def test_the_sharer_sets_the_weights_of_the_shares_whatever_signal_ends_it(
    cli: Cli, root: str, numbers: tuple[signal.Signals, ...]
) -> None:
    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        before = _groups(root)
        options = ("--root", root, "--yes", "--delta", "0.05s")
        with start("linux", "share", TREE, *options) as process:
            assert process.stdout is not None
            process.stdout.readline()
            weight = here().cpu / root / "gr2" / here().limits.file
            weight.write_text("77")  # The sharer sets it again, and so has begun.
            end_s = time.monotonic() + 60
            while weight.read_text().strip() == "77":
                assert process.poll() is None
                assert time.monotonic() < end_s
                time.sleep(0.01)
            for number in numbers:
                process.send_signal(number)
            out, err = process.communicate(timeout=60)
        assert (process.returncode, err.lstrip()) == (130, "fsconsole linux share: Interrupted.\n")
        assert out.endswith(wording("linux.weights-follow-shares-alone-again").capitalize() + ".\n")
        assert _groups(root) == before
    finally:
        cli("linux", "release", "--yes", "--root", root)


def test_where_there_are_no_control_groups_that_is_reported(
    cli: Cli, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsconsole.linux import share_tree_groups
    from fsconsole.linux.hierarchy import find_hierarchy

    monkeypatch.setattr(share_tree_groups, "find_hierarchy", lambda _proc: find_hierarchy(tmp_path / "none"))
    ended = cli("linux", "plan", TREE, "--root", root)
    assert ended.status == 1
    assert says(ended.err, "linux.cannot-be-read-so-this")


def test_on_slices_of_systemd_weights_are_planned_and_no_process_is_moved(
    cli: Cli, root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsconsole.linux import share_tree_groups

    slices = replace(v2(tmp_path / "cgroup"), is_of_systemd=True)
    monkeypatch.setattr(share_tree_groups, "find_hierarchy", lambda _proc: slices)
    plan = cli("linux", "plan", TREE, "--root", "fsc")
    assert plan.out.startswith(
        (wording("linux.systemd-slices-cgroup-v2") + ", ")
        + wording("linux.not-run-on-real-kernel")
        + ": "
        + "15 steps\n"
    )
    expected = "  systemctl set-property --runtime fsc-gr2-u21.slice CPUWeight=800\n"
    assert expected in plan.out
    ended = cli("linux", "assign", "--yes", TREE, "u21", "--pid", "1", "--root", root)
    assert ended.status == 1
    assert says(ended.err, "cli.systemd-owns-control-groups-here")
    started = []
    monkeypatch.setattr(os, "execvp", lambda _file, words: started.extend(words))
    monkeypatch.setattr(share_tree_groups.ShareTreeGroups, "is_applied", lambda _: True)
    assert cli("linux", "start", TREE, "u21", "--root", "fsc", "--", "make", "-j4").status == 0
    assert started[:3] == ["systemd-run", "--scope", "--collect"]
    assert started[3:] == ["--slice=fsc-gr2-u21.slice", "--", "make", "-j4"]


@needs_groups
def test_what_is_done_stands_in_the_audit_log(cli: Cli, root: str, tmp_path: Path) -> None:
    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            cli("linux", "assign", "--yes", TREE, "u21", "--pid", sleeper.pid, "--root", root)
        finally:
            sleeper.kill()
            sleeper.wait()
        cli("linux", "share", "--yes", TREE, "--root", root, "--for", "0.1s", "--delta", "0.05s")
    finally:
        cli("linux", "release", "--yes", "--root", root)
    path = next((tmp_path / "state").rglob(f"linux-{root}.jsonl"))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    done = [(row["action"], row["on"]) for row in rows if row["text"] != "begun"]
    assert done == [
        ("apply", root), ("assign", "root/gr2/u21"), (wording("cli.weigh-by-usage"), root),
        (wording("cli.weigh-by-shares"), root),
        ("release", root),
    ]  # fmt: skip
    assert sum(row["text"] == "begun" for row in rows) == len(done)
    assert path.stat().st_mode & 0o77 == 0


@needs_groups
def test_without_a_log_nothing_is_done(cli: Cli, root: str, tmp_path: Path) -> None:
    folder = tmp_path / "state/fsconsole"
    folder.mkdir(parents=True)
    (folder / "audit").write_text("not a folder")
    ended = cli("linux", "apply", TREE, "--root", root, "--yes")
    assert ended.status == 1
    assert says(ended.err, "targets.linux.was-not-begun-because-it")
    assert not (here().cpu / root).exists()
    (folder / "audit").unlink()
    assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
    shutil.rmtree(folder / "audit")
    (folder / "audit").write_text("not a folder")
    # What was changed is taken back all the same.
    assert cli("linux", "release", "--yes", "--root", root).status == 0
    assert not (here().cpu / root).exists()


@needs_groups
def test_dry_runs_change_nothing(cli: Cli, root: str) -> None:
    def dry_run(*words: object) -> str:
        ended = cli("linux", words[0], "--root", root, "--dry-run", *words[1:])
        assert (ended.status, ended.err) == (0, "")
        return ended.out

    group = here().cpu / root
    shown = dry_run("apply", TREE)
    assert shown.startswith(cli("linux", "plan", TREE, "--root", root).out)
    plan = shown.split()[-1]
    assert says(shown, "cli.plan-to-make-exactly-these", plan=plan)
    assert cli("linux", "apply", TREE, "--root", root, "--yes", "--plan", "0").status == 1
    for empty in ("", " "):  # as from a script without its variable
        assert cli("linux", "apply", TREE, "--root", root, "--yes", "--plan", empty).status == 2
    assert not group.exists()
    try:
        ended = cli("linux", "apply", TREE, "--root", root, "--yes", "--plan", plan, "--reason", "trial")
        assert ended.status == 0
        assert cli("linux", "apply", TREE, "--root", root, "--yes", "--plan", plan).status == 1
        before = {path: path.read_text() for path in group.rglob("cpu.shares")}
        assert dry_run("assign", TREE, "u21", "--pid", 1).startswith(
            wording("cli.move-process-to", pid="1", cpu=group)
        )
        *started, place = dry_run("start", TREE, "u21", "--", "sleep", "9").split()[:5]
        assert started == ["sleep", "9", "#", "in"]
        assert place.startswith(str(group))
        share = ("share", TREE, "--delta", "0.1s", "--for", "0.1s")
        shown = dry_run(*share)
        assert "After " + span(s=0.1) in shown
        assert cli("linux", *share, "--root", root, "--yes", "--plan", plan).status == 1
        assert cli("linux", *share, "--root", root, "--yes", "--plan", shown.split()[-1]).status == 0
        lines = dry_run("release").splitlines()
        assert cli("linux", "release", "--root", root, "--yes", "--plan", plan).status == 1
        assert lines.index(f"rmdir {group}/gr2/u21") < lines.index(f"rmdir {group}/gr2")
        assert lines.index(f"rmdir {group}/gr2") < lines.index(f"rmdir {group}")
        assert {path: path.read_text() for path in group.rglob("cpu.shares")} == before
    finally:
        assert says(cli("linux", "release", "--root", root).err, "cli.cannot-ask-for-confirmation-stdin")
        assert cli("linux", "release", "--yes", "--root", root, "--reason", "over").status == 0
    assert not group.exists()


@needs_groups
def test_what_was_shown_is_done_or_nothing(cli: Cli, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    weight = here().cpu / root / "gr2" / here().limits.file

    def meddle(_text: str) -> str:
        weight.write_text("777")
        return "y"

    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    monkeypatch.setattr("click.termui.visible_prompt_func", meddle)
    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        weight.write_text("555")
        ended = cli("linux", "apply", TREE, "--root", root)
        assert ended.status == 1
        assert "777" in ended.err
        assert weight.read_text().strip() == "777"
        assert cli("linux", "apply", TREE, "--root", root).status == 0
    finally:
        assert cli("linux", "release", "--yes", "--root", root).status == 0


@needs_groups
def test_hints_name_those_in_force(cli: Cli, root: str) -> None:
    try:
        assert cli("linux", "apply", TREE, "--root", root, "--yes").status == 0
        output = cli("linux", "start", TREE, "u21", "true", "--root", f"{root}-2").err
        assert says(output, "cli.groups-of-are-in-force", others=root)
    finally:
        cli("linux", "release", "--yes", "--root", root)
