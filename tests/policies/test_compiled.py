"""Compiled functions are kept apart for each state of the sources."""

from __future__ import annotations

from pathlib import Path

from fsconsole.machine.engine import drive
from fsconsole.policies import compiled as compiled_module
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


def test_functions_of_batch_are_made_anew_by_changes_of_their_own_folder_and_the_engines() -> None:
    def elsewhere() -> None: ...

    home = Path(compiled_module.__file__).parents[1]
    code = elsewhere.__code__
    elsewhere.__code__ = code.replace(co_filename=str(home / "batch" / "measures" / "x.py"))
    assert compiled_module._rooms_of(elsewhere) == ("batch/engine", "batch/measures", "policies")
    elsewhere.__code__ = code.replace(co_filename=str(home / "machine" / "tick_kernel.py"))
    assert compiled_module._rooms_of(elsewhere) == ("policies", "machine")
