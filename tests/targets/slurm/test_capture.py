"""A capture answers as the cluster did, and nothing can be done to it."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fsconsole.app.kinds import Kind, kind_of
from fsconsole.slurm.parsers import sinfo
from fsconsole.slurm.parsers.scontrol_node import COMMAND as NODES_COMMAND
from fsconsole.targets.slurm import reading
from fsconsole.targets.slurm.location import (
    Location,
    capture_place,
    captured_folder,
    captured_s,
    clock_of,
    example_capture,
    is_capture,
)
from fsconsole.targets.slurm.reading import Reader, capture, commands
from fsconsole.targets.slurm.replay import FORMAT, MANIFEST, CaptureError, main, read_manifest
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.target import SlurmTarget
from fsconsole.targets.slurm.tools import Answer, ToolError, Tools
from tests.slurm.captured import captured
from tests.slurm.fake.fake_slurm import FakeSlurm
from tests.texts import Expected, naming, refuses, says, worded


def keep(folder: Path, command: list[str], text: str) -> None:
    (folder / "one.txt").write_text(text)
    answers = [{"command": command, "file": "one.txt", "rc": 0}]
    manifest = {**FORMAT.header(), "cluster": "lab", "captured_s": 1, "answers": answers}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_what_was_captured_is_read_again(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    tools = Tools(Location())
    kept = capture(tools, tmp_path / "kept")
    assert kept.problems == ()
    # And own limits, what sprio says, limits in force, and the TRES of the cluster.
    assert len(kept.files) == len(PartName) + 4
    live, again = Reader(tools), Reader(Tools(capture_place(tmp_path / "kept")))
    live.cluster = again.cluster = kept.cluster
    for part in (PartName.SETTINGS, PartName.PARTITIONS, PartName.NODES):
        assert again.read(part).value == live.read(part).value
    assert again.read(PartName.TREE).value.tree.user == live.read(PartName.TREE).value.tree.user
    assert {job.job_id for job in again.read(PartName.JOBS).value} == {
        job.job_id for job in live.read(PartName.JOBS).value
    }


@pytest.mark.parametrize("mask", [0o000, 0o022])
def test_a_capture_is_its_users_alone(fake_slurm: FakeSlurm, tmp_path: Path, mask: int) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    before = os.umask(mask)
    try:
        for name in ("new", "there"):
            capture(Tools(Location()), tmp_path / name)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "there").stat().st_mode) == 0o755  # A folder of before is its user's.
    for name in ("new", "there"):
        assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / name).iterdir()} == {0o600}


def test_the_example_holds_all_that_a_capture_holds_now(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    """Else it is taken anew: `make example-capture`."""

    def questions(folder: Path) -> set[str]:
        manifest = json.loads((folder / MANIFEST).read_text())
        words = (" ".join(one["command"]) for one in manifest["answers"])
        return {one.replace(manifest["cluster"], "CLUSTER") for one in words}

    capture(Tools(Location()), tmp_path)
    # It is of a version that asked sinfo for nodes.
    asked = questions(example_capture()) - {" ".join(sinfo.COMMAND)} | {" ".join(NODES_COMMAND)}
    assert asked == questions(tmp_path)


def test_nodes_of_which_only_the_load_changes_are_the_same(fake_slurm: FakeSlurm) -> None:
    nodes = captured("plain/scontrol-show-node.txt")
    reader = Reader(Tools(Location()))
    fake_slurm.answer("scontrol", "show", "node", stdout=nodes)
    assert len(reader.read(PartName.NODES).value) == 4
    fake_slurm.answer("scontrol", "show", "node", stdout=re.sub("(CPULoad|FreeMem)=[^ \n]*", r"\1=7", nodes))
    assert reader.read(PartName.NODES).value is None
    fake_slurm.answer("scontrol", "show", "node", stdout=nodes.replace("State=MIXED", "State=MIXED+DRAIN"))
    assert [node.state for node in reader.read(PartName.NODES).value[1:3]] == ["draining", "draining"]
    reader.forget(PartName.NODES)
    assert reader.read(PartName.NODES).value is not None


def test_the_example_answers_all_that_is_asked_now() -> None:
    reader = Reader(Tools(capture_place(example_capture())))
    reader.cluster = reader.read(PartName.SETTINGS).value.cluster
    found = {part: reader.read(part).value for part in PartName if part is not PartName.SETTINGS}
    assert all(value is not None for value in found.values())
    assert len(found[PartName.JOBS]) > 10


def test_what_is_set_for_a_tool_is_no_part_of_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path, ["env", "SLURM_TIME_FORMAT=%s", "squeue", "-a"], "7\n")
    for before in (
        [],
        ["env", "SLURM_TIME_FORMAT=%s"],
        ["env", "SLURM_TIME_FORMAT=%s", "SLURM_BITSTR_LEN=1"],
    ):
        assert main([str(tmp_path), *before, "squeue", "-a"]) == 0
        assert capsys.readouterr().out == "7\n"
    assert main([str(tmp_path), "env", "A=b", "squeue"]) == 1


def test_what_failed_is_reported_and_fails_again(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    fake_slurm.answer("sacctmgr", stderr="sacctmgr: error: Connection refused\n", rc=1)
    kept = capture(Tools(Location()), tmp_path / "kept")
    assert len(kept.problems) == 2  # of associations and of QOS
    again = Reader(Tools(capture_place(tmp_path / "kept")), cluster=kept.cluster)
    with pytest.raises(ToolError):
        again.read(PartName.TREE)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("scancel", "7"), worded("targets.slurm.this-is-capture-folder-read")),
        (("sacctmgr", "-i", "modify", "account"), worded("targets.slurm.this-is-capture-folder-read")),
        (("sdiag",), naming("no output of: sdiag")),
    ],
)
def test_nothing_can_be_done_to_a_capture(
    fake_slurm: FakeSlurm, tmp_path: Path, command: tuple[str, ...], message: Expected
) -> None:
    capture(Tools(Location()), tmp_path / "kept")
    answer = Tools(capture_place(tmp_path / "kept")).run(command)
    assert answer.rc == 1
    assert says(answer.stderr, message)


def test_a_capture_begins_with_format_number_and_program(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    capture(Tools(Location()), tmp_path)
    manifest = json.loads((tmp_path / MANIFEST).read_text())
    assert manifest | FORMAT.header() == manifest
    newer = manifest | {"version": FORMAT.number + 1, "program": "fsconsole 99.0.0 (0123abcd)"}
    (tmp_path / MANIFEST).write_text(json.dumps(newer))
    with refuses(CaptureError, "shares.is-from-newer-fsconsole-its", place=tmp_path / MANIFEST):
        read_manifest(tmp_path)


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    place = capture_place(tmp_path)
    for text in (None, "{", "[]", json.dumps({"format": "another", "answers": []})):
        if text is not None:
            (tmp_path / MANIFEST).write_text(text)
        ended = subprocess.run(
            [*place.prefix, "sshare"], capture_output=True, text=True, timeout=60, check=False
        )
        assert ended.returncode == 1
        assert ended.stderr.startswith("capture: ")
        assert "Traceback" not in ended.stderr


def test_a_capture_is_known_by_its_folder_or_list(tmp_path: Path) -> None:
    assert not is_capture(tmp_path)
    (tmp_path / MANIFEST).write_text("{}")
    assert is_capture(tmp_path)
    assert is_capture(tmp_path / MANIFEST)
    assert captured_folder(capture_place(tmp_path / MANIFEST).prefix) == tmp_path
    assert captured_folder(("ssh", "login1")) is None


def test_the_replaying_program_is_light() -> None:
    heavy = "'numpy' in sys.modules or 'click' in sys.modules"
    code = f"import sys, fsconsole.targets.slurm.replay; sys.exit({heavy})"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_accounts_asked_for_do_not_matter(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    capture(Tools(Location()), tmp_path / "kept")
    tools = Tools(capture_place(tmp_path / "kept"))
    asked = commands("lab")[PartName.USAGE]
    whole = tools.run(asked)
    assert whole.stdout
    assert tools.run((*asked, "-A", "bio,hep")).stdout == whole.stdout


def test_every_part_has_a_command() -> None:
    assert set(commands("lab")) == set(PartName)


def test_the_clock_of_a_capture_stands_still() -> None:
    place = capture_place(example_capture())
    made_s = json.loads((example_capture() / MANIFEST).read_text())["captured_s"]
    reader = Reader(Tools(place), cluster="testlab")
    (reservation,) = reader.read(PartName.RESERVATIONS).value
    assert 40 * 60 < reservation.start_s - made_s < 45 * 60
    read = reader.read(PartName.JOBS)
    assert read.began_s == made_s
    running = [job for job in read.value if job.state == "RUNNING"]
    assert all(0 < made_s - job.start_s < 3600 for job in running)
    assert captured_s(place.prefix) == made_s


def test_the_state_of_a_capture_is_as_of_its_time() -> None:
    target = SlurmTarget(capture_place(example_capture()))
    try:
        pause = threading.Event()
        while any(part.as_of_s is None for part in target.state().parts.values()):
            pause.wait(0.05)
        state = target.state()
        assert state.captured_s is not None
        assert {part.as_of_s for part in state.parts.values()} == {state.captured_s}
    finally:
        target.close(wait=True)


@pytest.mark.parametrize("message", ["null", "-1", "0", "1e20", "1e400", '"then"', "NaN", "9" * 400])
def test_a_capture_of_no_time_is_refused(tmp_path: Path, message: str) -> None:
    keep(tmp_path, ["squeue"], "")
    text = (tmp_path / MANIFEST).read_text().replace('"captured_s": 1', f'"captured_s": {message}')
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(CaptureError, match=MANIFEST):
        clock_of(capture_place(tmp_path).prefix)
    with pytest.raises(CaptureError, match=MANIFEST):
        SlurmTarget(capture_place(tmp_path))


def test_a_capture_that_is_stopped_or_dies_is_not_taken_for_a_whole_one(
    fake_slurm: FakeSlurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept"
    tools = Tools(Location())
    run = tools.run

    def stopped(command: Sequence[str], **bounds: Any) -> Answer:
        answer = run(command, **bounds)
        if command[:2] != ("scontrol", "show"):
            tools.closed.stop()
        return answer

    monkeypatch.setattr(tools, "run", stopped)
    with pytest.raises(ToolError):
        capture(tools, kept)
    assert not any(kept.iterdir())
    capture(Tools(Location()), kept)
    assert kind_of(kept) is Kind.CAPTURE

    def dies(path: Path, *_: Any, **__: Any) -> None:
        if path.name == "nodes.txt":
            raise KeyboardInterrupt

    monkeypatch.setattr(reading, "write_atomic", dies)
    with pytest.raises(KeyboardInterrupt):
        capture(Tools(Location()), kept)
    assert kind_of(kept) is Kind.UNFINISHED_CAPTURE


@pytest.mark.parametrize(
    "change",
    [
        {"captured_s": 10**400},
        {"answers": [{"command": ["squeue", "-a"], "file": "one.txt", "rc": float("nan")}]},
        {"answers": [{"command": ["squeue", "-a"], "file": "one.txt", "rc": 10**400}]},
        {"answers": [{"command": ["squeue", "-a"], "file": "../one.txt", "rc": 0}]},
        {"answers": [{"command": ["squeue", "-a"], "file": "/etc/passwd", "rc": 0}]},
        {"answers": [{"command": ["squeue", "-a"], "file": "pipe", "rc": 0}]},
        {"answers": [{"command": ["squeue", "-a"], "file": "endless", "rc": 0}]},
        {"answers": [[]]},
        {"answers": 5},
    ],
)
def test_a_capture_that_cannot_be_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, object]
) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    keep(folder, ["squeue", "-a"], f"{int(time.time())}\n")
    os.mkfifo(folder / "pipe")
    (folder / "endless").symlink_to("/dev/zero")
    (tmp_path / "one.txt").write_text("outside")
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    assert main([str(folder), "squeue", "-a"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"capture: {folder}")


def test_a_manifest_nested_too_deep_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / MANIFEST).write_text("[" * 100_000)
    assert main([str(tmp_path), "squeue"]) == 1
    assert says(capsys.readouterr().err, "shares.it-is-nested-too-deep")


def test_a_capture_runs_no_module_of_the_present_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "fsconsole"
    package.mkdir()
    (package / "__init__.py").write_text("raise SystemExit('of somebody else')\n")
    monkeypatch.chdir(tmp_path)
    of_earlier = (sys.executable, "-m", *capture_place(example_capture()).prefix[-2:])
    for prefix in (capture_place(example_capture()).prefix, of_earlier):
        assert Reader(Tools(Location(prefix))).read(PartName.SETTINGS).value.cluster
