"""Compiled functions are kept apart for each state of the sources."""

from __future__ import annotations

from pathlib import Path

from fsconsole.machine.engine import drive
from fsconsole.policies import compiled as compiled_module
from fsconsole.policies.compiled import entry


def test_what_other_sources_left_behind_is_never_read() -> None:
    cache = drive._cache
    folder, name = Path(cache.cache_path), cache._impl.filename_base
    assert folder.name == "fsconsole.machine.engine"
    again = entry(drive.py_func)
    kept = Path(again._cache._cache_file._index_path)
    assert kept.parent == folder
    assert kept.name.startswith(f"{name}-")
    answer = again._cache._cache_file.load("no such signature")
    assert answer is None


def test_functions_of_batch_are_made_anew_by_changes_of_their_own_folder_and_the_engines() -> None:
    def elsewhere() -> None: ...

    home = Path(compiled_module.__file__).parents[1]
    code = elsewhere.__code__
    elsewhere.__code__ = code.replace(co_filename=str(home / "batch" / "measures" / "x.py"))
    assert compiled_module._rooms_of(elsewhere) == ("batch/engine", "batch/measures", "policies")
    elsewhere.__code__ = code.replace(co_filename=str(home / "machine" / "tick_kernel.py"))
    assert compiled_module._rooms_of(elsewhere) == ("policies", "machine")
