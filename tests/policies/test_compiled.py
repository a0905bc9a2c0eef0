"""Compiled functions are kept apart for each state of the sources."""

from __future__ import annotations

from pathlib import Path

from fsconsole.machine.engine import drive
from fsconsole.policies.compiled import entry


def test_what_other_sources_left_behind_is_removed_and_never_read() -> None:
    cache = drive._cache
    folder, name = Path(cache.cache_path), cache._impl.filename_base
    old = folder / f"{name}-0123456789abcdef.nbi"
    folder.mkdir(parents=True, exist_ok=True)
    old.write_bytes(b"an index that names a module that is gone")
    again = entry(drive.py_func)
    assert not old.exists()
    kept = Path(again._cache._cache_file._index_path)
    assert kept.name.startswith(f"{name}-")
    assert again._cache._cache_file.load("no such signature") is None
