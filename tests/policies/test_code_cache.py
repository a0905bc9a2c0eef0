"""Compiled functions run where numba could keep nothing of them."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core.caching import IndexDataCacheFile

from fsconsole.policies import code_cache
from fsconsole.policies import compiled as compiled_module
from fsconsole.policies.compiled import entry
from fsconsole.recording.run_lock import RunLock
from tests.texts import says

CHECKOUT = Path(__file__).resolve().parents[2]
_CHILD = """
from fsconsole.policies.compiled import entry

@entry
def twice(number):
    return 2 * number

assert twice(21) == 42
print(sum(twice.stats.cache_hits.values()), twice.stats.cache_path)
"""


def run_child(file: Path, *, home: Path, temporary: Path) -> tuple[int, Path, list[str]]:
    """Hits, folder and what was said on stderr."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(_CHILD)
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    ended = subprocess.run(
        [sys.executable, str(file)],
        env=environment
        | {"XDG_CACHE_HOME": str(home), "TMPDIR": str(temporary), "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=True,
    )
    hits, folder = ended.stdout.split()
    return int(hits), Path(folder), ended.stderr.splitlines()


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "t"
    folder.mkdir()
    return folder


def test_checkouts_with_the_same_contents_share_the_users_own_folder(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "h").mkdir(mode=0o755)
    places = {"home": tmp_path / "h", "temporary": temporary}
    first = run_child(tmp_path / "a" / "one.py", **places)
    again = run_child(tmp_path / "b" / "one.py", **places)
    assert (first[0], again[0]) == (0, 1)
    assert first[1] == again[1]
    own = tmp_path / "h" / "fsconsole" / f"compiled-{os.getuid()}"
    assert own in first[1].parents
    assert own.stat().st_mode & 0o777 == 0o700
    assert first[2] == again[2] == []
    assert not list(temporary.rglob("*.nb?"))
    assert not list(tmp_path.rglob("__pycache__/*.nbi"))


@pytest.mark.parametrize("obstacle", ["file", "link"])
def test_without_a_cache_of_the_user_a_temporary_folder_serves(
    tmp_path: Path, temporary: Path, obstacle: str
) -> None:
    home, theirs = tmp_path / "h", tmp_path / "theirs"
    if obstacle == "file":
        home.touch()
    else:  # that belongs to somebody, as far as can be seen
        theirs.mkdir()
        (home / "fsconsole").mkdir(parents=True)
        (home / "fsconsole" / f"compiled-{os.getuid()}").symlink_to(theirs)
    first = run_child(tmp_path / "one.py", home=home, temporary=temporary)
    again = run_child(tmp_path / "one.py", home=home, temporary=temporary)
    (made,) = temporary.iterdir()
    assert made.stat().st_mode & 0o777 == 0o700
    assert [hits for hits, _, _ in (first, again)] == [0, 1]
    assert made in first[1].parents
    for _, _, text in (first, again):
        assert len(text) == 1
        assert str(made) in text[0]
    assert not theirs.exists() or not list(theirs.iterdir())


def test_a_folder_of_somebody_else_among_temporary_files_is_not_used(tmp_path: Path, temporary: Path) -> None:
    (tmp_path / "h").touch()
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (temporary / f"fsconsole-compiled-{os.getuid()}").symlink_to(theirs)
    hits, _, shown = run_child(tmp_path / "one.py", home=tmp_path / "h", temporary=temporary)
    assert hits == 0
    assert len(shown) == 1
    assert says(shown[0], "policies.compiled-again-at-each-start")
    assert not list(theirs.iterdir())


def test_the_cache_folder_of_another_user_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with sudo, which keeps HOME."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(code_cache, "_reported", ["before"])
    other = os.getuid() + 1
    monkeypatch.setattr(code_cache, "user_id", lambda: other)
    monkeypatch.setattr(code_cache, "fallback_folder", lambda: tmp_path / "fallback")
    assert code_cache._folder.__wrapped__("") == tmp_path / "fallback"
    assert not list(tmp_path.iterdir())


def test_a_home_that_is_closed_to_this_user_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with `sudo -u` from a private home; root may look into any, so the refusal is made here."""

    def refuse(path: Path) -> bool:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "closed"))
    monkeypatch.setattr(code_cache, "_reported", ["before"])
    monkeypatch.setattr(code_cache, "fallback_folder", lambda: tmp_path / "fallback")
    monkeypatch.setattr(Path, "exists", refuse)
    assert code_cache._folder.__wrapped__("") == tmp_path / "fallback"


def test_a_full_home_is_reported_once_and_the_fallback_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Disk quota: empty files can be made, but nothing fits in."""

    def full(self: IndexDataCacheFile, name: str, _: object) -> None:
        if not Path(self._cache_path).is_relative_to(tmp_path):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(self, name, _)

    write: Any = IndexDataCacheFile._save_data
    monkeypatch.setattr(IndexDataCacheFile, "_save_data", full)
    monkeypatch.setattr(code_cache, "fallback_folder", lambda: tmp_path)
    monkeypatch.setattr(code_cache, "_reported", [])

    def half(number: float) -> float:
        return number / 2

    with caplog.at_level(logging.WARNING):
        made = entry(half)
        assert made(3) == 1.5
        assert made(3.0) == 1.5
    (record,) = caplog.records
    assert "No space left on device" in record.getMessage()
    assert str(tmp_path) in record.getMessage()
    again = entry(half)
    assert again(3) == 1.5
    assert sum(again.stats.cache_hits.values()) == 1


def test_with_no_room_anywhere_it_is_compiled_and_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(IndexDataCacheFile, "_save_index", full)
    monkeypatch.setattr(code_cache, "fallback_folder", lambda: None)
    monkeypatch.setattr(code_cache, "_reported", [])

    def third(number: float) -> float:
        return number / 3

    with caplog.at_level(logging.WARNING):
        assert entry(third)(6) == 2
    assert "Set NUMBA_CACHE_DIR" in caplog.text


def kept_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.nb[ic]"))


def test_what_another_program_compiles_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "kept"))

    def fifth(number: float) -> float:
        return number / 5

    assert entry(fifth)(10) == 2
    (folder,) = (tmp_path / "kept").glob("*/*")
    assert not list(folder.glob("*.lock"))
    files, aside = kept_files(folder), tmp_path / "aside"
    aside.mkdir()
    for file in files:
        file.rename(aside / file.name)
    lock_path = folder / f"{files[-1].stem}.lock"
    lock_path.touch()
    other = RunLock(lock_path)

    def has_compiled(_: float) -> None:
        for file in files:
            (aside / file.name).rename(file)
        other.release()

    monkeypatch.setattr("fsconsole.policies.code_cache.time.sleep", has_compiled)
    waited = entry(fifth)
    assert waited(10) == 2
    assert sum(waited.stats.cache_hits.values()) == 1
    assert not list(folder.glob("*.lock"))


def test_a_few_states_of_the_sources_stay_and_all_those_of_other_pythons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def sixth(number: float) -> float:
        return number / 6

    assert entry(sixth)(12) == 2
    (folder,) = tmp_path.glob("*/*")
    files = kept_files(folder)
    index = next(path for path in files if path.suffix == ".nbi")
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    others = []
    for age, tag in enumerate((python, python, python, python, "py399", "py399", "py399", "py399")):
        other = [path.with_name(path.name.replace(f"{python}-", f"{tag}-{age}")) for path in files]
        for path in other:
            path.touch()
            os.utime(path, (1e9 - age, 1e9 - age))
        others.append(other)
    os.utime(index, (1e9 - 9, 1e9 - 9))
    assert entry(sixth)(12) == 2
    assert kept_files(folder) == sorted(sum(others[:3] + others[4:], files))


def test_what_no_program_has_used_for_long_goes_when_something_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def seventh(number: float) -> float:
        return number / 7

    assert entry(seventh)(14) == 2
    (folder,) = tmp_path.glob("*/*")
    gone = folder.with_name("a.module.that.is.gone")
    folder.rename(gone)
    (gone / "another.nbi").touch()
    for path in gone.glob("seventh*.nbi"):
        os.utime(path, (1e9, 1e9))
    for path in gone.glob("*seventh*.nbi"):
        os.utime(path, (1e9, 1e9))
    assert entry(seventh)(14) == 2
    assert [path.name for path in gone.iterdir()] == ["another.nbi"]


@pytest.mark.parametrize("file", ["own", "room"])
def test_a_change_of_any_file_that_a_function_may_come_from_is_another_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    for room in ("policies", "machine"):
        (tmp_path / "fsconsole" / room).mkdir(parents=True)
    changing = {"own": tmp_path / "function.py", "room": tmp_path / "fsconsole" / "machine" / "part.py"}
    for path in changing.values():
        path.write_text("1")

    def function() -> None: ...

    function.__code__ = function.__code__.replace(co_filename=str(changing["own"]))
    monkeypatch.setattr(compiled_module, "_HOME", tmp_path / "fsconsole")
    stamps = []
    for text in ("1", "2", "1"):
        changing[file].write_text(text)
        compiled_module._stamp.cache_clear()
        stamps.append(compiled_module._stamp_of(function))
    compiled_module._stamp.cache_clear()
    assert stamps[0] == stamps[2] != stamps[1]
