"""Compilation of functions: without the GIL, kept on disk, repeated after any of them has changed.

Importing this does not import numba, so that policies can be listed and described without it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

_ROOMS = ("policies", "machine")
# Compiled functions of a room call those of these folders, besides those of their own.
_OTHER_ROOMS = {"batch": ("policies", "batch/engine"), "figures": ("policies",)}
_HOME = Path(__file__).resolve().parents[1]
_KEPT: list[Any] = []  # An address is valid as long as these objects exist.


def _rooms_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the folders that may contain a function and the functions it calls."""
    folder = Path(function.__code__.co_filename).resolve().parent
    own = folder.relative_to(_HOME) if folder.is_relative_to(_HOME) else None
    if own is None or own.parts[0] not in _OTHER_ROOMS:
        return _ROOMS
    return tuple(sorted({*_OTHER_ROOMS[own.parts[0]], own.as_posix()}))


@cache
def _stamp(rooms: tuple[str, ...]) -> str:
    """Return a digest of all files that may contain compiled functions or constants that they use."""
    import numba

    digest = hashlib.sha256(numba.__version__.encode())
    for room in rooms:
        for path in sorted((_HOME / room).glob("*.py")):
            digest.update(f"{path.relative_to(_HOME)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _stamp_of(function: Callable[..., Any]) -> str:
    """Return the digest of a function's rooms, and of its own file where that is in none of them."""
    rooms, file = _rooms_of(function), Path(function.__code__.co_filename).resolve()
    if file.parent in [_HOME / room for room in rooms] or not file.is_file():
        return _stamp(rooms)
    return hashlib.sha256(_stamp(rooms).encode() + file.read_bytes()).hexdigest()


def _options(*, allocates: bool) -> dict[str, Any]:
    # Without `allocates`, references to arrays are not counted, and there are no whole-array expressions to
    # fuse.
    # Divisors that may be 0 are checked before the division.
    return {"nogil": True, "error_model": "numpy", "_nrt": allocates, "no_rewrites": not allocates}


class _Part:
    """A function that compiled functions call. numba meets it when it compiles the first of those."""

    def __init__(self, function: Callable[..., Any], *, allocates: bool) -> None:
        self.py_func, self._allocates = function, allocates

    @cached_property
    def _numba_type_(self) -> Any:
        import numba

        from fsconsole.policies.linking import PartCompiler

        options = _options(allocates=self._allocates) | {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
        self._made: Any = numba.njit(pipeline_class=PartCompiler, **options)(self.py_func)
        return self._made._numba_type_


def compiled(function: Callable[..., Any] | None = None, *, allocates: bool = False) -> Any:
    """Return a function that only compiled functions can call; it is cached as a part of its callers.

    It may create arrays, or get them from a function that does, only if it `allocates`.
    """
    return (
        partial(compiled, allocates=allocates) if function is None else _Part(function, allocates=allocates)
    )


def entry(function: Callable[..., Any] | None = None, *, allocates: bool = True) -> Any:
    """Return a compiled function that Python can call too."""
    if function is None:
        return partial(entry, allocates=allocates)
    import numba

    from fsconsole.policies.code_cache import keep_apart
    from fsconsole.policies.linking import WholeCompiler

    options = _options(allocates=allocates) | {"no_cfunc_wrapper": True, "cache": True}
    made: Any = numba.njit(pipeline_class=WholeCompiler, **options)(function)
    keep_apart(made._cache, _stamp_of(function))  # noqa: SLF001
    return made


def address_of(function: Callable[..., Any], *kinds: Any) -> int:
    """Compile or load a function without a result, for arguments of these types; return its address."""
    from numba import types
    from numba.core.ccallback import CFunc

    from fsconsole.policies.code_cache import keep_apart
    from fsconsole.policies.linking import WholeCompiler

    compiler: Any = WholeCompiler
    made: Any = CFunc(function, (kinds, types.void), {}, _options(allocates=True), pipeline_class=compiler)
    made.enable_caching()
    keep_apart(made._cache, _stamp_of(function))  # noqa: SLF001
    made.compile()
    _KEPT.append(made)
    return int(made.address)
