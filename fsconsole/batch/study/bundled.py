"""Traces and studies that come with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fsconsole.resources import resource


@cache
def bundled_traces() -> dict[str, Path]:
    """Return files of the traces by the name that studies call them."""
    found = sorted(resource("traces").glob("*.swf.gz"))
    return {path.name.removesuffix(".swf.gz"): path for path in found}


@cache
def bundled_studies() -> dict[str, Path]:
    """Return files of the studies that come with the program, by what the command line calls them."""
    return {path.stem: path for path in sorted(resource("studies").glob("*.yaml"))}
