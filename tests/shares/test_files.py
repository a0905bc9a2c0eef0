from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_what_another_program_is_just_appending_stays_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "audit.jsonl"
    path.write_text("half")

    def wait_for_the_other(_file: int, how: int) -> None:
        assert how == fcntl.LOCK_EX
        with path.open("a") as other:
            other.write(" of it\n")

    monkeypatch.setattr(fcntl, "flock", wait_for_the_other)
    append_lines(path, ["x", "y"])
    assert path.read_text() == "half of it\nx\ny\n"
    # What was cut off for good does not swallow the next line.
    path.write_text("half")
    monkeypatch.undo()
    append_lines(path, ["x"])
    assert path.read_text() == "half\nx\n"


def test_an_own_folder_is_no_link_to_anywhere(tmp_path: Path) -> None:
    make_own_folder(tmp_path / "a" / "own")
    assert stat.S_IMODE((tmp_path / "a" / "own").stat().st_mode) == 0o700
    (tmp_path / "link").symlink_to(tmp_path / "a" / "own")
    with refuses(PermissionError, "shares.not-folder-of-this-user"):
        make_own_folder(tmp_path / "link")


@given(
    mode=st.sampled_from([0o600, 0o640, 0o644, 0o664, 0o755]),
    ids=st.tuples(st.sampled_from([0, 1050]), st.sampled_from([0, 1051])),
    names=st.integers(1, 3),
    private=st.booleans(),
    texts=st.lists(st.binary(max_size=40), min_size=1, max_size=3),
)
def test_saving_keeps_owner_group_mode_and_all_names(
    mode: int, ids: tuple[int, int], names: int, private: bool, texts: list[bytes]
) -> None:
    if os.geteuid() != 0:
        ids = (os.geteuid(), os.getegid())
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.yaml"
        path.write_bytes(b"an older text, and a longer one than those to come" * 2)
        others = [Path(folder) / f"name {number}" for number in range(1, names)]
        for other in others:
            other.hardlink_to(path)
        os.chown(path, *ids)
        path.chmod(mode)
        for text in texts:
            write_atomic(path, text, private=private)
            found = path.stat()
            assert (found.st_uid, found.st_gid, found.st_nlink) == (*ids, names)
            assert stat.S_IMODE(found.st_mode) == (0o600 if private else mode)
            assert [one.read_bytes() for one in (path, *others)] == [text] * names
        assert sorted(Path(folder).iterdir()) == sorted([path, *others])


def test_a_file_with_several_names_is_complete_beside_it_where_writing_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    path.write_text("old")
    other.hardlink_to(path)

    def full(_source: object, _target: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("fsconsole.shares.files.shutil.copyfileobj", full)
    with refuses_naming(OSError, os.strerror(errno.ENOSPC)):
        write_atomic(path, "new")
    (kept,) = tmp_path.glob(".a.yaml.*.kept")
    assert kept.read_text() == "new"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_file_that_another_user_may_not_write_is_not_replaced() -> None:
    code = (
        "import os, sys; from pathlib import Path; from fsconsole.shares.files import write_atomic; "
        "os.setuid(1050); write_atomic(Path(sys.argv[1]), 'new')"
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.yaml"
        path.write_text("old")
        path.parent.chmod(0o777)
        ended = subprocess.run(
            [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
        )
        assert ended.returncode == 1
        assert "PermissionError" in ended.stderr
        assert (path.read_text(), path.stat().st_uid, list(path.parent.iterdir())) == ("old", 0, [path])
