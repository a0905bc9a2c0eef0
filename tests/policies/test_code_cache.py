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
from fsconsole.policies.compiled import entry
from fsconsole.recording.run_lock import RunLock

_CHILD = """
import os, sys
from numba.core import caching
from fsconsole.policies.compiled import entry
from fsconsole.recording.run_lock import RunLock

def refuse(self):
    raise PermissionError(13, "Permission denied")

caching._CacheLocator.ensure_cache_path = refuse

@entry
def twice(number):
    return 2 * number

assert twice(21) == 42
print(sum(twice.stats.cache_hits.values()), twice.stats.cache_path)
"""


def run_child(file: Path, **environment: str) -> tuple[int, str, list[str]]:
    """Hits, folder and what was said on stderr."""
    file.write_text(_CHILD)
    ended = subprocess.run(
        [sys.executable, str(file)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    hits, folder = ended.stdout.split()
    return int(hits), folder, ended.stderr.splitlines()


def test_without_a_place_of_numbas_the_users_own_temporary_folder_serves(tmp_path: Path) -> None:
    temporary = tmp_path / "t"
    temporary.mkdir()
    first = run_child(tmp_path / "one.py", TMPDIR=str(temporary))
    again = run_child(tmp_path / "one.py", TMPDIR=str(temporary))
    (made,) = temporary.iterdir()
    assert made.stat().st_mode & 0o777 == 0o700
    assert [hits for hits, _, _ in (first, again)] == [0, 1]
    assert first[1].startswith(str(made))
    for _, _, text in (first, again):
        assert len(text) == 1
        assert str(made) in text[0]


def test_a_folder_of_somebody_else_among_temporary_files_is_not_used(tmp_path: Path) -> None:
    temporary, theirs = tmp_path / "t", tmp_path / "theirs"
    for folder in (temporary, theirs):
        folder.mkdir()
    (temporary / f"fsconsole-compiled-{os.getuid()}").symlink_to(theirs)
    hits, _, shown = run_child(tmp_path / "one.py", TMPDIR=str(temporary))
    assert hits == 0
    assert len(shown) == 1
    assert "compiled again at each start" in shown[0]
    assert not list(theirs.iterdir())


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
    (folder,) = (tmp_path / "kept").iterdir()
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


def test_files_of_other_sources_go_and_those_of_other_pythons_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def sixth(number: float) -> float:
        return number / 6

    assert entry(sixth)(12) == 2
    (folder,) = tmp_path.iterdir()
    files = kept_files(folder)
    python = f"py{sys.version_info.major}{sys.version_info.minor}"
    old, other = (folder / files[-1].name.replace(f"{python}-", f"{tag}-0") for tag in (python, "py399"))
    old.touch()
    other.touch()
    assert entry(sixth)(12) == 2
    assert kept_files(folder) == sorted([*files, other])
