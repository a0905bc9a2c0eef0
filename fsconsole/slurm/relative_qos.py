"""Relative QOS: TRES limits in percent of the cluster, or of the partition whose QOS it is.

Slurm stores percent as plain numbers, and has amounts in force. After the flag is set or removed, slurmctld
keeps the meaning from before until it is reconfigured: what it has in force may differ from what is stored.
Source: sacctmgr(1), and what slurmctld of 24.11.5 and 26.05.5 had in force, which print the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.limits import Kind, Limit, limit_named, of_qos
from fsconsole.slurm.parsers.assoc_mgr import QosInForce
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.values import resource
from fsconsole.text.numbers import thousands
from fsconsole.text.words import count_words, listed

_FLAG = "relative"
_LICENCE = "license/"
_COUNTED = {"cpu": "CPU", "node": "node"}


def is_relative(qos: Qos) -> bool:
    """Return True if limits of TRES are percent."""
    return any(flag.lower() == _FLAG for flag in qos.flags)


def share_of(percent: int, total: int) -> int:
    """Return the amount that slurmctld has in force for a percentage."""
    return min(percent, 100) * total // 100


def least_percent(amount: float, total: int) -> int | None:
    """Return the least percentage of a total that allows an amount; None if the total does not."""
    return next((percent for percent in range(101) if share_of(percent, total) >= amount), None)


@dataclass(frozen=True, slots=True)
class Bound:
    """Limit of a QOS for one TRES, of memory in MB.

    Attributes:
        tres: the TRES, such as cpu.
        stored: number that sacctmgr prints: percent if `is_relative`.
        is_relative: whether the QOS has the flag.
        total: amount that percent are of; None if unknown.
        in_force: limit of slurmctld; None if it was not read.
        used: amount in use according to slurmctld; None if it was not read.
    """

    limit: Limit
    tres: str
    stored: int
    is_relative: bool
    total: int | None = None
    in_force: float | None = None
    used: float | None = None

    @property
    def computed(self) -> int | None:
        """Amount that the stored number means; None if the total is unknown."""
        if not self.is_relative:
            return self.stored
        return None if self.total is None else share_of(self.stored, self.total)

    @property
    def amount(self) -> float | None:
        """Limit of slurmctld if it was read, else the computed one; None if both are unknown."""
        return self.computed if self.in_force is None else self.in_force

    @property
    def is_late(self) -> bool:
        """True if slurmctld has another limit in force than the stored one."""
        return self.in_force is not None and self.computed is not None and self.in_force != self.computed

    @property
    def words_in_force(self) -> str:
        """The limit of slurmctld in words; empty if it was not read."""
        return "" if self.in_force is None else self.amount_words(self.in_force)

    @property
    def words(self) -> str:
        """Percentage, whole and amount: `37 % of 4 nodes = 1 node`."""
        if not self.is_relative:
            return self.amount_words(self.stored)
        percent = f"{self.stored}\N{NO-BREAK SPACE}%"
        if self.total is None:
            return percent
        whole = amount_words(self.tres, self.total)
        return f"{percent} of {whole} = {self.amount_words(share_of(self.stored, self.total))}"

    def amount_words(self, amount: float) -> str:
        """Return an amount of the limit in words: 8 CPUs, or 8 CPU minutes."""
        return amount_words(self.tres, amount, is_minutes="Mins" in self.limit.name)


def amount_words(tres: str, amount: float, *, is_minutes: bool = False) -> str:
    """Return an amount of a TRES in words: 4 nodes, 96,000 MB, 5 gres/gpu."""
    number = round(amount)
    if is_minutes:
        unit = {"mem": "MB", **_COUNTED}.get(tres, tres)
        return count_words(number, f"{unit} minute")
    if tres in _COUNTED:
        return count_words(number, _COUNTED[tres])
    return f"{thousands(number)} {'MB' if tres == 'mem' else tres}"


def bound_of(qos: Qos, limit: Limit, tres: str, user: str = "", account: str = "") -> Bound | None:
    """Return the limit of a QOS for a TRES and a job of a user in an account; None if it is not set."""
    stored = _amounts(of_qos(qos).get(limit.name, "")).get(tres) if limit.kind is Kind.TRES else None
    if stored is None:
        return None
    seen = None if qos.in_force is None else qos.in_force.amount(limit.name, tres, user, account)
    bound = Bound(limit, tres, stored, is_relative(qos), qos.total.get(tres))
    return bound if seen is None else replace(bound, in_force=seen.limit, used=seen.used)


def bounds_of(qos: Qos) -> Iterator[Bound]:
    """Yield the TRES limits of a QOS; those of each user or account with one that slurmctld has, if any."""
    known = qos.in_force or QosInForce({})
    someone = {"user": next(iter(known.users), ""), "account": next(iter(known.accounts), "")}
    for name, kept in of_qos(qos).items():
        limit = limit_named(name, of_qos=True)
        if limit is not None and limit.kind is Kind.TRES:
            found = (bound_of(qos, limit, tres, **someone) for tres in _amounts(kept))
            yield from (one for one in found if one is not None)


def limit_words(qos: Qos, limit: Limit, kept: str | None = None) -> str:
    """Return the percentages of a relative QOS as amounts: `37 % of 4 nodes = 1 node`; empty for others.

    With `kept`, those of another value of the limit, as Slurm keeps it.
    """
    if not is_relative(qos):
        return ""
    if kept is not None:
        qos = replace(qos, limits={limit.column: kept}, in_force=None)
    return listed([one.words for one in bounds_of(qos) if one.limit is limit])


def with_totals(
    known: Sequence[Qos],
    in_force: Mapping[str, QosInForce],
    partitions: Sequence[Partition] = (),
    cluster_tres: str = "",
) -> tuple[Qos, ...]:
    """Return the QOS with what slurmctld has in force, and relative ones with what their percent are of.

    Args:
        known: QOS by sacctmgr.
        in_force: the same by slurmctld, as far as they were read.
        partitions: all partitions; empty if unknown, and then it is unknown whose QOS is a partition's.
        cluster_tres: TRES of the cluster by sacctmgr; empty if unknown, and computed of the partitions.
    """
    cluster = _amounts(cluster_tres) or _of_partitions(partitions)
    return tuple(
        replace(one, in_force=in_force.get(one.name), total=_total(one, partitions, cluster)) for one in known
    )


def _total(qos: Qos, partitions: Sequence[Partition], cluster: Mapping[str, int]) -> Mapping[str, int]:
    if not is_relative(qos):
        return {}
    own = [one for one in partitions if one.qos == qos.name]
    if not own:
        return cluster if partitions else {}
    if len(own) > 1:  # slurmctld refuses this.
        return {}
    licences = {tres: amount for tres, amount in cluster.items() if tres.startswith(_LICENCE)}
    return {**_amounts(own[0].tres), **licences}


def _of_partitions(partitions: Sequence[Partition]) -> Mapping[str, int]:
    """Return the sum over partitions that have each node of the cluster once; empty if none have.

    Billing is left out, since that of the cluster counts each node with its dearest partition.
    """
    hosts = [(frozenset(hosts_or_none(one.nodes)), one) for one in partitions]
    taken: frozenset[str] = frozenset()
    total: dict[str, int] = {}
    for names, one in sorted(hosts, key=lambda pair: -len(pair[0])):
        if not names or names & taken:
            continue
        taken |= names
        for tres, amount in _amounts(one.tres).items():
            before = total.get(tres, 0)
            total[tres] = max(before, amount) if tres.startswith(_LICENCE) else before + amount
    if any(not names <= taken for names, _ in hosts) or any(not names and one.nodes for names, one in hosts):
        return {}
    return {tres: amount for tres, amount in total.items() if tres != "billing"}


def _amounts(text: str) -> Mapping[str, int]:
    """Return amounts by TRES, of memory in MB; those that are not numbers are left out."""
    names = (part.partition("=")[0].strip() for part in text.split(",") if part.strip())
    found = {name: resource(text, name) for name in names}
    return {name: int(amount) for name, amount in found.items() if amount is not None}
