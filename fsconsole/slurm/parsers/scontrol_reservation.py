"""`scontrol show reservation`: who has nodes to himself, and when."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A reservation.

    Attributes:
        start_s, end_s: seconds since 1970.
        nodes: names in Slurm's short form, such as n[1-4].
        users, accounts: who may use it; a leading minus, where Slurm prints one, stays.
        flags: in upper case.
        state: ACTIVE or INACTIVE.
    """

    name: str
    start_s: int
    end_s: int
    nodes: str
    node_count: int
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    state: str = ""
    partition: str = ""
