"""How functions are compiled: without the GIL, kept on disk, and anew after any of them has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

_ROOMS = ("policies", "machine")


@cache
def _stamp() -> str:
    """Differs whenever a file does that compiled functions, or what they name, may be in."""
    digest = hashlib.sha256(numba.__version__.encode())
    home = Path(__file__).resolve().parents[1]
    for room in _ROOMS:
        for path in sorted((home / room).glob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _kept(function: Callable[..., Any], **options: bool) -> Any:
    given: dict[str, Any] = {"nogil": True, "cache": True, "no_cfunc_wrapper": True, **options}
    made: Any = numba.njit(**given)(function)
    # numba looks at a function's own file alone, and would go on with what it calls as that once was.
    made._cache._cache_file._source_stamp = _stamp()  # noqa: SLF001
    return made


def compiled(function: Callable[..., Any]) -> Any:
    """A function that compiled functions call; Python cannot, which saves a third of the time."""
    return _kept(function, no_cpython_wrapper=True)


def entry(function: Callable[..., Any]) -> Any:
    """A function that Python calls too."""
    return _kept(function)
