"""A capture answers as the cluster did, and nothing can be done to it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsconsole.targets.slurm.capture import capture
from fsconsole.targets.slurm.place import (
    Place,
    capture_place,
    captured_folder,
    example_capture,
    is_capture,
)
from fsconsole.targets.slurm.reading import Reader, commands
from fsconsole.targets.slurm.replay import FORMAT, MANIFEST, main, moved
from fsconsole.targets.slurm.state import PartName
from fsconsole.targets.slurm.tools import ToolError, Tools
from tests.slurm.fake.fake_slurm import FakeSlurm


def keep(folder: Path, command: list[str], text: str) -> None:
    (folder / "one.txt").write_text(text)
    answers = [{"command": command, "file": "one.txt", "rc": 0}]
    manifest = {"format": FORMAT, "cluster": "lab", "captured_s": 0, "answers": answers}
    (folder / MANIFEST).write_text(json.dumps(manifest))


def test_what_was_captured_is_read_again(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    tools = Tools(Place())
    kept = capture(tools, tmp_path / "kept")
    assert kept.problems == ()
    assert len(kept.files) == len(PartName)
    live, again = Reader(tools), Reader(Tools(capture_place(tmp_path / "kept")))
    live.cluster = again.cluster = kept.cluster
    for part in (PartName.SETTINGS, PartName.PARTITIONS, PartName.NODES):
        assert again.read(part).value == live.read(part).value
    assert again.read(PartName.TREE).value.tree.user == live.read(PartName.TREE).value.tree.user
    assert {job.job_id for job in again.read(PartName.JOBS).value} == {
        job.job_id for job in live.read(PartName.JOBS).value
    }


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


def test_what_failed_is_said_and_fails_again(fake_slurm: FakeSlurm, tmp_path: Path) -> None:
    fake_slurm.answer("sacctmgr", stderr="sacctmgr: error: Connection refused\n", rc=1)
    kept = capture(Tools(Place()), tmp_path / "kept")
    assert len(kept.problems) == 1
    again = Reader(Tools(capture_place(tmp_path / "kept")), cluster=kept.cluster)
    with pytest.raises(ToolError):
        again.read(PartName.TREE)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("scancel", "7"), "nothing can be done to it"),
        (("sacctmgr", "-i", "modify", "account"), "nothing can be done to it"),
        (("sdiag",), "no answer to: sdiag"),
    ],
)
def test_nothing_can_be_done_to_a_capture(
    fake_slurm: FakeSlurm, tmp_path: Path, command: tuple[str, ...], said: str
) -> None:
    capture(Tools(Place()), tmp_path / "kept")
    answer = Tools(capture_place(tmp_path / "kept")).run(command)
    assert answer.rc == 1
    assert said in answer.stderr


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


def test_moments_near_the_capture_move_and_nothing_else() -> None:
    text = "start=1790000000 id=1234567890123 usage=1690000000 far=1000000000 1790000000.5"
    assert moved(text, 1_790_000_100, 1_790_000_600) == text.replace("start=1790000000", "start=1790000500")


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
    capture(Tools(Place()), tmp_path / "kept")
    tools = Tools(capture_place(tmp_path / "kept"))
    asked = commands("lab")[PartName.USAGE]
    whole = tools.run(asked)
    assert whole.stdout
    assert tools.run((*asked, "-A", "bio,hep")).stdout == whole.stdout


def test_every_part_has_a_command() -> None:
    assert set(commands("lab")) == set(PartName)


def test_times_of_the_example_are_of_now() -> None:
    reader = Reader(Tools(capture_place(example_capture())), cluster="testlab")
    (reservation,) = reader.read(PartName.RESERVATIONS).value
    assert 40 * 60 < reservation.start_s - time.time() < 45 * 60
    running = [job for job in reader.read(PartName.JOBS).value if job.state == "RUNNING"]
    assert all(0 < time.time() - job.start_s < 3600 for job in running)
    shares = reader.read(PartName.TREE).value.tree.shares
    assert max(one for one in shares if one < 2**31 - 1) == 50
