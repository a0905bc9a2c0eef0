"""What an association has besides its place and its shares: as words of sacctmgr, for the audit log.

Source: Slurm 22.05.8. A removed association loses limits and QOS lists; a user with the last one loses the
default account, the admin level, and the accounts to coordinate too.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from fsconsole.slurm import limits

NOTHING = "nothing"  # An empty text is that of older records: it is not known.
QOS, DEFAULT_QOS = "qos", "defaultqos"
_DEFAULT, _COORDINATES, _ADMIN = "defaultaccount", "coordinates", "adminlevel"


@dataclass(frozen=True, slots=True)
class Held:
    """What an association has besides its place and its shares.

    Attributes:
        limits: its own limits by name, and its QOS list and default QOS.
        default: the user's default account before the change; empty for none, None where it is not known.
        coordinates: accounts that the user coordinates, as far as the change takes that away.
        admin: the user's admin level, as far as the change takes that away; empty for none.
    """

    limits: Mapping[str, str] = field(default_factory=dict)
    default: str | None = None
    coordinates: tuple[str, ...] = ()
    admin: str = ""

    @property
    def setting_words(self) -> tuple[str, ...]:
        """Words of `sacctmgr add` that give it again, without the default account and coordinators."""
        found = [
            f"{name}={value}"
            if name in (QOS, DEFAULT_QOS)
            else limits.set_word(limits.limit_or_fault(name), "", value)
            for name, value in self.limits.items()
            if value
        ]
        return (*found, *([f"{_ADMIN}={self.admin}"] if self.admin else []))

    @property
    def text(self) -> str:
        """The words of the log, read by `held_of`."""
        default = [f"{_DEFAULT}={self.default}"] if self.default is not None else []
        coordinates = [f"{_COORDINATES}={','.join(self.coordinates)}"] if self.coordinates else []
        return shlex.join([*self.setting_words, *default, *coordinates]) or NOTHING


def held_of(text: str) -> Held | None:
    """Return the settings in words of the log; None for an empty text.

    Raises:
        ValueError: these are other words.
    """
    if not text:
        return None
    pairs = dict(word.partition("=")[::2] for word in shlex.split(text) if text != NOTHING)
    default, admin = pairs.pop(_DEFAULT, None), pairs.pop(_ADMIN, "")
    accounts = tuple(filter(None, pairs.pop(_COORDINATES, "").split(",")))
    found = {}
    for name, value in pairs.items():
        if name in (QOS, DEFAULT_QOS):
            found[name] = value
        else:
            limit = limits.limit_or_fault(name)
            found[limit.name] = limits.typed(limit, value)
    return Held(found, default, accounts, admin)
