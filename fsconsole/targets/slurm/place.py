"""Where the tools of a cluster are: on this machine, or behind a command such as ssh."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """How a cluster is reached.

    Attributes:
        prefix: argument list before every command; empty where the tools are here.
        name: what a person calls the place; the prefix in words where empty.
    """

    prefix: tuple[str, ...] = ()
    name: str = ""
