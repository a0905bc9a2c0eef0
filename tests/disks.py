"""Disks that are full or read-only, as the system reports them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Never


def fails_with(number: int) -> Callable[..., Never]:
    """Return a function that takes anything, and raises the OSError of a number without a file name."""

    def fail(*_: object, **__: object) -> Never:
        raise OSError(number, os.strerror(number))

    return fail
