from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from fsconsole.shares.files import append_lines, make_own_folder, write_atomic
from tests.texts import refuses, refuses_naming


def test_a_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    write_atomic(path, "ä\n")
    assert path.read_bytes() == "ä\n".encode()
    write_atomic(path, b"\x00")
    assert path.read_bytes() == b"\x00"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failure_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with refuses_naming(OSError, "No space"):
        write_atomic(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    path = tmp_path / "real.yaml"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.yaml"
    link.symlink_to(path)
    write_atomic(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_failure_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        write_atomic(tmp_path / "none" / "a.yaml", "x")
    assert error.value.filename == str(tmp_path / "none" / "a.yaml")
    with pytest.raises(IsADirectoryError) as told_of_folder:
        write_atomic(tmp_path, "x")
    assert told_of_folder.value.filename == str(tmp_path)


def test_the_longest_name_and_a_link_to_itself(tmp_path: Path) -> None:
    longest = tmp_path / ("x" * 250 + ".yaml")
    write_atomic(longest, "new")
    assert longest.read_text() == "new"
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    write_atomic(loop, "new")
    assert loop.read_text() == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # the writer does not wait for a reader, then
    try:
        write_atomic(pipe, "told")
        assert os.read(reading, 100) == b"told"
    finally:
        os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_full_disk_names_the_file_that_lines_are_added_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "audit.jsonl"

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with refuses_naming(OSError, os.strerror(errno.ENOSPC), "audit.jsonl'"):
        append_lines(path, ["x"])


def test_an_own_folder_is_no_link_to_anywhere(tmp_path: Path) -> None:
    make_own_folder(tmp_path / "a" / "own")
    assert stat.S_IMODE((tmp_path / "a" / "own").stat().st_mode) == 0o700
    (tmp_path / "link").symlink_to(tmp_path / "a" / "own")
    with refuses(PermissionError, "shares.not-folder-of-this-user"):
        make_own_folder(tmp_path / "link")
