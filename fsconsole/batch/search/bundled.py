"""Searches that come with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fsconsole.resources import resource


@cache
def bundled_searches() -> dict[str, Path]:
    """Return files of the searches that come with the program, by their names on the command line."""
    return {path.stem: path for path in sorted(resource("searches").glob("*.yaml"))}
