"""Users of this machine, by their login names."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    import pwd


def user_numbers() -> dict[str, int]:
    """Return the numbers of all users that the system lists."""
    found: dict[str, int] = {}
    if sys.platform != "win32":
        found = {entry.pw_name: entry.pw_uid for entry in pwd.getpwall()}
    return found


def user_number(login: str) -> int | None:
    """Return the number of a user, also of one that the system does not list; None if there is none."""
    if sys.platform != "win32":
        try:
            return pwd.getpwnam(login).pw_uid
        except KeyError:
            pass
    return None
