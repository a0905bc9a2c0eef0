"""Reasons that name a limit: the limit, the association that sets it, and its use.

Source: the reasons in the libraries of Slurm 22.05.8, 24.11.5 and 26.05.5, as squeue prints them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fsconsole.slurm import limits
from fsconsole.slurm.host_list import hosts_or_none
from fsconsole.slurm.jobs import Job
from fsconsole.slurm.limits import Kind, Limit
from fsconsole.slurm.names import in_words
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.values import resource
from fsconsole.slurm.relative_qos import Bound, bound_of

_REASON = re.compile(
    r"(Assoc|QOS)?(Grp|Max|Min)"
    r"(Jobs?|SubmitJobs?|WallDuration|Wall|CPU|Cpu|Memory|Mem|Node|Billing|Energy|GRES|License|BB)"
    r"(Minutes|RunMinutes|RunMins)?(PerJob|PerUser|PerAccount|PerNode)?(?:Limit|NotSatisfied)?"
)
_COUNTED = {"Job": "Jobs", "SubmitJob": "SubmitJobs"}
_TRES = {
    "cpu": "cpu", "mem": "mem", "memory": "mem", "node": "node", "billing": "billing", "energy": "energy",
    "gres": "gres/", "license": "license/", "bb": "bb/",
}  # fmt: skip
_MINUTES = {"": "", "Minutes": "Mins", "RunMinutes": "RunMins", "RunMins": "RunMins"}


@dataclass(frozen=True, slots=True)
class ReasonLimit:
    """The limit that a reason names.

    Attributes:
        limit: of an association, or of a QOS.
        of_qos: which of both.
        tres: which TRES it is about, such as cpu, or gres/ for any; empty for limits that count others.
    """

    limit: Limit
    of_qos: bool
    tres: str = ""

    @property
    def is_of_one_job(self) -> bool:
        """True if the job asks for more than one job may have, whatever else runs."""
        name = self.limit.name
        return name.endswith(("PerJob", "PerNode"))

    @property
    def counts_the_past(self) -> bool:
        """True if past usage is counted, which decays."""
        return self.limit.name in ("GrpWall", "GrpTRESMins")


def limit_of_reason(reason: str) -> ReasonLimit | None:
    """Return the limit that a reason names; None for other reasons and unknown limits."""
    match = _REASON.fullmatch(reason)
    if match is None:
        return None
    owner, bound, what, minutes, per = (text or "" for text in match.groups())
    if not owner and per not in ("PerUser", "PerAccount"):
        return None
    of_qos = owner != "Assoc"
    tres = _TRES.get(what.lower(), "")
    name = f"{bound}TRES{_MINUTES[minutes]}{per}" if tres else f"{bound}{_COUNTED.get(what, what)}{per}"
    limit = limits.limit_named(name, of_qos=of_qos) or limits.limit_named(f"{name}PerJob", of_qos=of_qos)
    return None if limit is None else ReasonLimit(limit, of_qos, tres)


@dataclass(frozen=True, slots=True)
class Place:
    """Association or QOS that may set a limit for a job.

    Attributes:
        where: description, such as `account science`, `games in ocean` or `QOS high`.
        target: argument of `fsconsole slurm limit`.
        value: its own limit for the TRES in readable form; empty if not set.
        bound: limit as a number of jobs, minutes or TRES, as slurmctld has it; None if it is not a number.
        used: amount that running jobs have, with past ones where these count; None if unknown.
        of_qos: limit of a QOS for one TRES; None for others.
    """

    where: str
    target: str
    value: str
    bound: float | None = None
    used: float | None = None
    of_qos: Bound | None = None


@dataclass(frozen=True, slots=True)
class Holders:
    """Places that may hold a job by one limit, the nearest first.

    Attributes:
        places: places that can set the limit, even if they do not.
        holding: places that hold the job; several if they cannot be told apart.
        asked: amount that the job requests; None if unknown.
        is_own_known: whether the associations' own limits are known, or only the limits in force.
        is_by_qos_only: whether no association of the job sets the limit, or can set it.
    """

    places: tuple[Place, ...]
    holding: tuple[Place, ...]
    asked: float | None
    is_own_known: bool = True
    is_by_qos_only: bool = False


def holders(
    found: ReasonLimit,
    job: Job,
    jobs: Sequence[Job] | None,
    stored: StoredAssociations | None,
    qos: Sequence[Qos],
    partitions: Sequence[Partition] = (),
) -> Holders:
    """Return the places that hold a job by the limit in its reason, as far as they are known.

    Args:
        found: the limit.
        job: the pending job.
        jobs: all jobs of squeue, of which running ones count; None where some are missing, so that what is in
            use is unknown.
        stored: the associations; None if they were not read.
        qos: the known QOS.
        partitions: the known partitions: limits of the QOS of the job's partition also apply.
    """
    asked = _asked(found, job)
    path = () if stored is None else tuple(_path(stored, job))
    if found.of_qos:
        places = tuple(_of_qos(found, job, jobs, qos, partitions))
        like = limits.limit_named(found.limit.name.replace("PerUser", ""))
        is_known = stored is not None and stored.own is not None and bool(path)
        by_qos_only = like is None or (
            is_known and not any(place.value for place in _of_path(found, like, job, jobs, stored, path))
        )
        return Holders(places, _holding(found, places, asked), asked, is_known, by_qos_only)
    places = tuple(_of_path(found, found.limit, job, jobs, stored, path))
    holding = _holding(found, places, asked)
    return Holders(places, holding, asked, stored is not None and stored.own is not None)


def _holding(found: ReasonLimit, places: Sequence[Place], asked: float | None) -> tuple[Place, ...]:
    """Return the limit that is reached among those that set it; if only the nearest counts, that one."""
    setting = [place for place in places if place.value]
    if found.limit.comes_down and not found.of_qos:
        return tuple(setting[:1])
    full = [one for one in setting if _is_full(found, one, asked)]
    return tuple(full[:1] or setting)


def _is_full(found: ReasonLimit, place: Place, asked: float | None) -> bool:
    if place.bound is None or asked is None:
        return False
    if found.limit.name.startswith("Min"):
        return asked < place.bound
    used = 0.0 if found.is_of_one_job else place.used
    return used is not None and used + asked > place.bound


# -- who sets it -------------------------------------------------------------------------------------------


def _path(stored: StoredAssociations, job: Job) -> Iterator[int]:
    """Yield rows from the job's association up to the root; empty if it is not stored."""
    mine = {
        stored.partition[row]: row
        for row, both in enumerate(zip(stored.tree.account, stored.tree.user, strict=True))
        if both == (job.account, job.user)
    }
    row = mine.get(job.partition, mine.get("", -1))
    while row >= 0:
        yield row
        row = int(stored.tree.parent[row])


def _of_path(
    found: ReasonLimit,
    limit: Limit,
    job: Job,
    jobs: Sequence[Job] | None,
    stored: StoredAssociations | None,
    path: Sequence[int],
) -> Iterator[Place]:
    if stored is None:
        return
    account, user = stored.tree.account, stored.tree.user
    below: set[str] = set()
    for place, row in enumerate(path):
        if stored.own is not None:
            kept = stored.own[row].get(limit.name, "")
        elif place and limit.comes_down:
            return  # Only the limit in force is known, not its origin.
        else:
            kept = limits.printed(limit, stored.limits[row].get(limit.column, ""))
        if not user[row]:
            below |= _accounts_below(stored, row)
        counts = _counting(job, below, is_of_user=bool(user[row]) or limit.comes_down)
        value = _part(limit, kept, found.tres)
        key = account[row], user[row], stored.partition[row]
        yield Place(
            in_words(key) if user[row] else f"account {account[row]}",
            f"{user[row]}@{account[row]}" if user[row] else account[row],
            value,
            _number(limit, value),
            None if jobs is None else _used(found, filter(counts, jobs)),
        )


def _accounts_below(stored: StoredAssociations, row: int) -> set[str]:
    """Return the account of a row and all below it; rows are depth first."""
    parents, inside = stored.tree.parent, {row}
    for one in range(row + 1, len(parents)):
        if int(parents[one]) not in inside:
            break
        inside.add(one)
    return {stored.tree.account[one] for one in inside}


def _counting(job: Job, below: set[str], *, is_of_user: bool) -> Callable[[Job], bool]:
    """Return a test for the jobs that count at an association: all below it, or the user's where each
    user has the limit.
    """
    if is_of_user:
        return lambda one: (one.account, one.user) == (job.account, job.user)
    accounts = frozenset(below)
    return lambda one: one.account in accounts


def _of_qos(
    found: ReasonLimit,
    job: Job,
    jobs: Sequence[Job] | None,
    qos: Sequence[Qos],
    partitions: Sequence[Partition],
) -> Iterator[Place]:
    """Yield the QOS of the job and of its partition; all jobs in its partition count for the latter."""
    per = found.limit.name
    known = {one.name: one for one in qos}
    requested = job.partition.split(",")
    of_partition = (one.qos for one in partitions if one.name in requested)
    for name in dict.fromkeys((*job.qos.split(","), *of_partition)):
        if name not in known:
            continue
        value = _part(found.limit, limits.of_qos(known[name]).get(found.limit.name, ""), found.tres)
        inside = {one.name for one in partitions if one.qos == name}
        mine = [
            one
            for one in jobs or ()
            if (one.qos == name or one.partition in inside)
            and (not per.endswith("PerUser") or one.user == job.user)
            and (not per.endswith("PerAccount") or one.account == job.account)
        ]
        bound = bound_of(known[name], found.limit, value.partition("=")[0], job.user, job.account)
        yield Place(
            f"QOS {name}",
            f"qos:{name}",
            value,
            _number(found.limit, value) if bound is None or "," in value else bound.amount,
            _used_by_slurm(
                found, known[name], job, value, bound, None if jobs is None else _used(found, mine)
            ),
            None if "," in value else bound,
        )


def _used_by_slurm(
    found: ReasonLimit, qos: Qos, job: Job, value: str, bound: Bound | None, of_jobs: float | None
) -> float | None:
    """Return the use that slurmctld counts, of past jobs too where these count; of the jobs if unknown."""
    if found.is_of_one_job or "," in value:
        return None
    tres = "" if bound is None else bound.tres
    if qos.in_force is None:
        return of_jobs
    seen = qos.in_force.amount(found.limit.name, tres, job.user, job.account)
    if seen is None or seen.used is None:
        return of_jobs
    if found.limit.name != "GrpTRESMins":
        return seen.used
    running = qos.in_force.amount("GrpTRESRunMins", tres)
    return None if running is None or running.used is None else seen.used + running.used


# -- how much of it ----------------------------------------------------------------------------------------


def _part(limit: Limit, kept: str, tres: str) -> str:
    """Select from a limit of TRES the resources in question."""
    if limit.kind is not Kind.TRES or not kept:
        return limits.shown(limit, kept)
    meant = tres if tres.endswith("/") else f"{tres}="
    return ",".join(part for part in kept.split(",") if part.startswith(meant))


def _number(limit: Limit, value: str) -> float | None:
    """Return a value as jobs, minutes, MiB of memory or another TRES; None unless it is a single number."""
    if limit.kind is Kind.TRES:
        return None if "," in value else resource(value, value.partition("=")[0])
    text = limits.typed(limit, value) if limit.kind is Kind.WALL and value else value
    return float(text) if text.isdecimal() else None


def _used(found: ReasonLimit, mine: Iterable[Job]) -> float | None:
    running = [one for one in mine if not one.is_pending and not one.is_finished]
    if found.is_of_one_job:
        return None
    if found.limit.name.startswith(("GrpJobs", "MaxJobs")):
        return float(len(running))
    if found.limit.name in ("GrpTRES", "MaxTRESPerUser", "MaxTRESPerAccount"):
        if found.tres == "node":
            return _nodes(running)
        parts = [_amount(found.tres, one) for one in running]
        return None if None in parts else float(sum(part for part in parts if part is not None))
    return None


def _nodes(running: Sequence[Job]) -> float | None:
    """Return the number of the jobs' nodes, each counted once as in Slurm; None if a list is unreadable."""
    lists = [hosts_or_none(one.nodes) for one in running]
    return None if not all(lists) and running else float(len(set().union(*lists)))


def _asked(found: ReasonLimit, job: Job) -> float | None:
    """Return the amount that a job requests of a limit; None if squeue does not report it."""
    if found.limit.kind is Kind.COUNT:
        return 1.0
    minutes = None if job.time_limit_s is None else job.time_limit_s / 60
    if found.limit.kind is Kind.WALL:
        return minutes
    amount = job.node_count if found.tres == "node" else _amount(found.tres, job)
    if "Mins" not in found.limit.name:
        return None if found.limit.name.endswith("PerNode") else amount
    return None if amount is None or minutes is None else amount * minutes


def _amount(tres: str, job: Job) -> float | None:
    """Return a job's allocated or requested amount of a TRES; None if neither tool reports it."""
    known = {"cpu": float(job.cpus), "billing": job.billing}.get(tres)
    if known is None and job.tres and tres:
        return resource(job.tres, tres) or 0.0
    return known


def kinds_of(found: ReasonLimit, job: Job) -> tuple[ReasonLimit, ...]:
    """Return a limit of any GRES, licence or burst buffer as limits of each that the job asks for; else
    itself.
    """
    if not found.tres.endswith("/"):
        return (found,)
    names = (part.partition("=")[0] for part in job.tres.split(","))
    named = [name for name in names if name.startswith(found.tres)]
    return (*(replace(found, tres=name) for name in sorted(named, key=len, reverse=True)), found)


def with_tres(jobs: Sequence[Job], tres: Mapping[int, str]) -> tuple[Job, ...]:
    """Return jobs with the resources that scontrol reports, by number."""
    return tuple(replace(job, tres=tres[job.job_id]) if job.job_id in tres else job for job in jobs)
