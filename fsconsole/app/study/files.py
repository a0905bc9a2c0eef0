"""Recognition of study files and folders, and location of results; imports little, for a fast start."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from platformdirs import user_data_path

from fsconsole.resources import resource
from fsconsole.shares.files import is_there_as_file, is_there_as_folder
from fsconsole.shares.input_files import open_regular

PLAN = "plan.json"
STUDY = "study.yaml"
SEARCH_PLAN, SEARCH = "search.json", "search.yaml"
_LOOKED_AT = 1 << 16
_KEYS = (re.compile(rb"^workloads\s*:", re.MULTILINE), re.compile(rb"^policies\s*:", re.MULTILINE))
_SEARCH_KEYS = (re.compile(rb"^goals\s*:", re.MULTILINE), re.compile(rb"^space\s*:", re.MULTILINE))


def is_study(path: Path) -> bool:
    """Return True if this is a study's file, or a folder with a study's results; False for what cannot be
    read.
    """
    return _is_of(path, PLAN, _KEYS)


def is_search(path: Path) -> bool:
    """Return True if this is a search's file, or a folder with a search's results."""
    return _is_of(path, SEARCH_PLAN, _SEARCH_KEYS)


def _is_of(path: Path, plan: str, keys: Sequence[re.Pattern[bytes]]) -> bool:
    try:
        if path.is_dir():
            return (path / plan).is_file()
        if path.suffix.lower() not in (".yaml", ".yml") or not path.is_file():
            return False
        with open_regular(path) as file:
            begun = file.read(_LOOKED_AT)
    except OSError:
        return False
    return all(key.search(begun) for key in keys)


def results_of(path: Path) -> Path:
    """Return the folder of a study's or search's results: itself, that of the file, or one beside the file.

    Studies that come with the program have theirs in the user's data folder.
    """
    if is_there_as_folder(path):
        return path
    if any(is_there_as_file(path.parent / plan) for plan in (PLAN, SEARCH_PLAN)):
        return path.parent
    if is_example(path):
        return user_data_path("fsconsole") / path.resolve().parent.name / path.stem
    return path.with_name(f"{path.stem}.results")


def is_example(path: Path) -> bool:
    """Return True if a study or search is bundled with the program."""
    folder = path.resolve().parent
    return folder in (examples_folder().resolve(), resource("searches").resolve())


def examples_folder() -> Path:
    """Return the folder of the bundled studies."""
    return resource("studies")


def example_studies() -> list[tuple[Path, str]]:
    """Return the bundled studies with their names, those with the fewest runs first."""
    return _named(examples_folder())


def example_searches() -> list[tuple[Path, str]]:
    """Return the bundled searches with their names."""
    return _named(resource("searches"))


def _named(folder: Path) -> list[tuple[Path, str]]:
    found = []
    for path in sorted(folder.glob("*.yaml"), key=lambda one: one.stat().st_size):
        match = re.search(r"^name: *(.+)$", path.read_text("utf-8"), re.MULTILINE)
        found.append((path, match[1].strip("\"' ") if match else path.stem))
    return found
