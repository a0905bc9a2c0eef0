"""Places of the files that belong to the program, in a checkout and in an installed wheel alike."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


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
