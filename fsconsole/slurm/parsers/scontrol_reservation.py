"""`scontrol show reservation`, with or without -o: exclusive use of nodes, and its times.

Source: scontrol(1), and its output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, tzinfo

from fsconsole.slurm.parsers.findings import DamagedError, Listing
from fsconsole.slurm.parsers.scontrol_records import listing
from fsconsole.slurm.parsers.values import known_count, moment_s, non_null

_NEEDED = ("ReservationName", "StartTime", "EndTime")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation:
    """A Slurm reservation.

    Attributes:
        start_s, end_s: seconds since 1970.
        nodes: names in Slurm's short form, such as n[1-4].
        users, groups, accounts: permitted users; a leading minus from Slurm is kept.
        flags: in upper case.
        state: ACTIVE or INACTIVE.
        licenses: reserved licenses, such as matlab:2.
    """

    name: str
    start_s: int
    end_s: int
    nodes: str
    node_count: int
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    state: str = ""
    partition: str = ""
    licenses: str = ""


def read_scontrol_reservation(text: str, zone: tzinfo = UTC) -> Listing[Reservation]:
    """Read the reservations; ScenarioError if problems prevent reading any of them.

    Args:
        text: output of scontrol, in either form.
        zone: time zone of the process that printed it; irrelevant with SLURM_TIME_FORMAT=%s.
    """
    return listing(text, "reservation", _NEEDED, lambda fields: _reservation(fields, zone))


def _reservation(fields: Mapping[str, str], zone: tzinfo) -> Reservation:
    start_s, end_s = (moment_s(fields[key], zone) for key in ("StartTime", "EndTime"))
    if start_s is None or end_s is None:
        msg = "its start or end is missing"
        raise DamagedError(msg)
    return Reservation(
        name=fields["ReservationName"],
        start_s=start_s,
        end_s=end_s,
        nodes=non_null(fields.get("Nodes", "")),
        node_count=known_count(fields, "NodeCnt"),
        users=_words(fields.get("Users", "")),
        groups=_words(fields.get("Groups", "")),
        accounts=_words(fields.get("Accounts", "")),
        flags=frozenset(word.upper() for word in _words(fields.get("Flags", ""))),
        state=non_null(fields.get("State", "")),
        partition=non_null(fields.get("PartitionName", "")),
        licenses=non_null(fields.get("Licenses", "")),
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in non_null(text).split(",") if word)
