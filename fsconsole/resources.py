"""Files that belong to the program, in a checkout and in an installed wheel alike, and the commit of both."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from fsconsole import __version__

COMMIT = "_commit"  # A wheel has a file of this name; tools/packages/commit_hook.py writes it.
_PACKAGE = Path(__file__).resolve().parent
_DIGITS = 8


@cache
def this_program() -> str:
    """Return the program with version and commit, such as `fsconsole 0.2.0 (8faa7dd3)`."""
    commit = commit_of(_PACKAGE)
    return f"fsconsole {__version__} ({commit})" if commit else f"fsconsole {__version__}"


def commit_of(package: Path) -> str:
    """Return the first digits of the commit that a package is of; empty if it is unknown.

    That of a checkout comes from git's own files, since git need not be installed. What was changed and not
    committed is not seen.
    """
    try:
        if (package / COMMIT).is_file():
            return (package / COMMIT).read_text("ascii").strip()
        git = package.parent / ".git"
        if git.is_file():  # That of a worktree names its folder.
            git = git.parent / git.read_text("utf-8").partition(":")[2].strip()
        found = (git / "HEAD").read_text("utf-8").strip()
        if found.startswith("ref:"):
            found = _commit_of_branch(git, found.partition(":")[2].strip())
    except (OSError, UnicodeDecodeError):
        return ""
    return found[:_DIGITS] if re.fullmatch(r"[0-9a-f]{40,64}", found) else ""


def _commit_of_branch(git: Path, name: str) -> str:
    common = git / "commondir"
    folder = git / common.read_text("utf-8").strip() if common.is_file() else git
    if (folder / name).is_file():
        return (folder / name).read_text("utf-8").strip()
    lines = (folder / "packed-refs").read_text("utf-8").splitlines()
    return next((line.partition(" ")[0] for line in lines if line.endswith(f" {name}")), "")


def resource(name: str) -> Path:
    """Return the path of the file or folder `name` below resources/, such as "icons/play.svg".

    Raises FileNotFoundError when there is none.
    """
    path = _folder("_resources", "resources") / name
    if not path.exists():
        raise FileNotFoundError(f"no such resource: {name}")
    return path


def examples() -> Path:
    """Return the folder of the example scenarios."""
    return _folder("_examples", "example_trees")


def documents() -> Path:
    """Return the folder of the pages that explain the program."""
    return _folder("_docs", "docs")


def _folder(in_wheel: str, in_checkout: str) -> Path:
    installed = _PACKAGE / in_wheel
    return installed if installed.is_dir() else _PACKAGE.parent / in_checkout
