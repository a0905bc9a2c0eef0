"""The audit log on disk: a line for each action, kept over kills, never twice."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from fsconsole.recording.audit import AuditRow, Result
from fsconsole.recording.audit_log import AuditLog, file_name, lines_of
from fsconsole.text.numbers import percent

START = datetime(1996, 2, 19, 22, 50)  # noqa: DTZ001 (the machine's own clock)


def row(tick: int, who: str = "hale", *, done: bool = True, why: str = "") -> AuditRow:
    result = Result.DONE if done else Result.REFUSED
    return AuditRow(tick, who, "kill job", "sbert ccm-0219a", "running", "ended", result, "killed", why)


def test_a_line_says_when_who_what_and_why(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "deep" / "a.jsonl", 60, START)
    log.write([row(36_000, why="12 % efficiency"), row(36_030, done=False)])
    first, second = lines_of(log.path)
    assert first["clock"] == "1996-02-19T23:00:00"
    assert (first["time_s"], first["tick"]) == (600.0, 36_000)
    assert datetime.fromisoformat(first["wall"]).tzinfo is not None
    texts = [first[name] for name in ("who", "action", "on", "before", "after", "result", "text", "why")]
    assert texts == [
        "hale", "kill job", "sbert ccm-0219a", "running", "ended", "done", "killed", "12 % efficiency",
    ]  # fmt: skip
    assert second["result"] == "refused"


def test_it_is_only_added_to(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    AuditLog(path, 60, START).write([row(1)])
    before = path.read_bytes()
    AuditLog(path, 60, START).write([row(2)])
    assert path.read_bytes().startswith(before)
    assert [line["tick"] for line in lines_of(path)] == [1, 2]


def test_what_a_kill_cut_off_does_not_swallow_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    AuditLog(path, 60, START).write([row(1), row(2)])
    path.write_bytes(path.read_bytes()[:-20])
    AuditLog(path, 60, START).write([row(3)])
    assert [line["tick"] for line in lines_of(path)] == [1, 3]
    with path.open("ab") as stream:
        stream.write(b'\xff\xfe\n[1]\n{"tick": "x"}\n')
    assert [line["tick"] for line in lines_of(path)] == [1, 3]


def test_what_the_same_run_does_again_is_not_written_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    AuditLog(path, 60, START).write([row(1), row(5), row(5), row(9)])
    again = AuditLog(path, 60, START)
    again.know(5)
    again.write([row(5), row(5), row(5), row(9), row(12)])
    assert [line["tick"] for line in lines_of(path)] == [1, 5, 5, 9, 5, 12]


def test_a_percentage_is_written_and_known_with_a_plain_space(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    written = row(5, why="seen: 70.0 %")
    AuditLog(path, 60, START).write([written])
    again = AuditLog(path, 60, START)
    again.know(0)
    again.write([replace(written, why=f"seen: {percent(0.7)}"), row(9, why=percent(0.7))])
    assert [line["why"] for line in lines_of(path)] == ["seen: 70.0 %", "70.0 %"]


def test_nothing_done_makes_no_file(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "a.jsonl", 60, START)
    log.write([])
    assert lines_of(log.path) == []
    assert not log.path.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_says_so(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").symlink_to("/dev/full")
    with pytest.raises(OSError, match="No space left"):
        AuditLog(tmp_path / "a.jsonl", 60, START).write([row(1)])


def test_names_that_cannot_be_of_a_file_are_replaced() -> None:
    answer = file_name("Simulated Y-MP 8/64")
    assert answer == "Simulated-Y-MP-8-64.jsonl"
    assert file_name("../../etc") == "etc.jsonl"
    assert file_name("") == file_name("..") == "machine.jsonl"
    assert len(file_name("x" * 5000)) < 100


def test_odd_characters_stay_on_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    AuditLog(path, 60, START).write([row(1, "a\nb\u2028\udcff")])
    assert path.read_text("utf-8").count("\n") == 1
    assert json.loads(path.read_text("utf-8"))["who"] == "a\nb\u2028\udcff"
