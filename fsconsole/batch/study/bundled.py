"""Traces and studies that come with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fsconsole.resources import resource


@cache
def bundled_traces() -> dict[str, Path]:
    """Return files of the traces by their names in studies."""
    found = sorted(resource("traces").glob("*.swf.gz"))
    return {path.name.removesuffix(".swf.gz"): path for path in found}


@cache
def bundled_studies() -> dict[str, Path]:
    """Return files of the studies that come with the program, by their names on the command line."""
    return {path.stem: path for path in sorted(resource("studies").glob("*.yaml"))}
