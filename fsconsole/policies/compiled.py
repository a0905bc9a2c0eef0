"""How functions are compiled: without the GIL, kept on disk, and anew after any of them has changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from glob import escape
from pathlib import Path
from typing import Any

import numba
from llvmlite.ir import Constant  # type: ignore[import-untyped]
from numba import types
from numba.core.caching import IndexDataCacheFile
from numba.extending import intrinsic

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


def compiled(function: Callable[..., Any]) -> Any:
    """A function that compiled functions call; Python cannot, which saves a third of the time.

    It is kept as a part of those that call it.
    """
    options: dict[str, Any] = {"nogil": True, "no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    return numba.njit(**options)(function)


def entry(function: Callable[..., Any]) -> Any:
    """A function that Python calls too."""
    options: dict[str, Any] = {"nogil": True, "cache": True, "no_cfunc_wrapper": True}
    made: Any = numba.njit(**options)(function)
    _keep_apart(made._cache)  # noqa: SLF001
    return made


def _keep_apart(cache: Any) -> None:
    """Keep what is compiled in files of its own for each state of the sources, and remove those of others.

    numba looks at a function's own file alone: it would go on with what that calls as it once was, and fails
    where a kept file names a module that is there no more.
    """
    folder, name = cache.cache_path, cache._impl.filename_base  # noqa: SLF001
    now = f"{name}-{_stamp()[:16]}"
    made: Any = IndexDataCacheFile
    cache._cache_file = made(folder, now, _stamp())  # noqa: SLF001
    function = name.rsplit("-", 1)[0]  # behind it stands the line
    with suppress(OSError):
        for path in Path(folder).glob(f"{escape(function)}-*.nb[ic]"):
            if not path.name.startswith(f"{now}."):
                path.unlink()


def _bare(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value with the count of each array's users taken out."""
    if isinstance(kind, types.BaseTuple):
        parts: list[Any] = list(kind)  # type: ignore[call-overload]
        made = [
            _bare(context, builder, part, builder.extract_value(value, at)) for at, part in enumerate(parts)
        ]
        return context.make_tuple(builder, kind, made)
    if isinstance(kind, types.Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = Constant(array.meminfo.type, None)
        return array._getvalue()  # noqa: SLF001
    return value


def _borrowed(_: Any, value: Any) -> Any:
    """The same array, or named tuple of arrays and numbers, without a count of its users.

    Counting them costs more than a step of a small machine does. Whoever calls must keep the arrays alive.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _bare(context, builder, signature.args[0], arguments[0])

    return value(value), generate


borrowed: Any = intrinsic(_borrowed)
