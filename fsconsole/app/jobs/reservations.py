"""Slurm reservations of a cluster: their times, users and jobs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from fsconsole.slurm.jobs import Job
from fsconsole.slurm.parsers.scontrol_reservation import Reservation
from fsconsole.text import moments
from fsconsole.text.durations import length_words
from fsconsole.text.words import count_words, plural


class ReservationSort(StrEnum):
    """Phase of a reservation: future, active or past."""

    ACTIVE = "active"
    COMING = "coming"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class ReservationView:
    """A reservation with the jobs that asked for it, by number.

    Attributes:
        running: those that have its nodes.
        pending: those that wait for it.
    """

    reservation: Reservation
    running: tuple[Job, ...]
    pending: tuple[Job, ...]


def reservation_views(
    reservations: Sequence[Reservation], jobs: Iterable[Job]
) -> tuple[ReservationView, ...]:
    """Return reservations with their jobs, the first to begin first."""
    of: Mapping[str, list[Job]] = defaultdict(list)
    for job in jobs:
        if job.reservation and not job.is_finished:
            for name in job.reservation.split(","):
                of[name].append(job)
    views = []
    for one in sorted(reservations, key=lambda one: (one.start_s, one.name)):
        own = sorted(of.get(one.name, ()), key=lambda job: job.job_id)
        running = tuple(job for job in own if not job.is_pending)
        views.append(ReservationView(one, running, tuple(job for job in own if job.is_pending)))
    return tuple(views)


def sort_of_reservation(one: Reservation, now_s: float) -> ReservationSort:
    """Return a reservation's phase, by Slurm's own word if there is one."""
    if one.state == "ACTIVE" or (not one.state and one.start_s <= now_s < one.end_s):
        return ReservationSort.ACTIVE
    return ReservationSort.OVER if one.end_s <= now_s else ReservationSort.COMING


def when_words(one: Reservation, now_s: float) -> str:
    """Describe the time as `Active, ends in 20 min` or `Begins in 3 h 12 min`."""
    sort = sort_of_reservation(one, now_s)
    if sort is ReservationSort.COMING:
        return f"Begins in {length_words(max(one.start_s - now_s, 0.0))}"
    if sort is ReservationSort.OVER:
        return f"Ended {length_words(now_s - one.end_s)} ago"
    return f"Active, ends in {length_words(max(one.end_s - now_s, 0.0))}"


def who_words(one: Reservation) -> str:
    """Describe the permitted users: `users fs_anna, fs_ben`, `accounts hep`; `all but user fs_anna`."""
    parts = [
        _names(title, names)
        for title, names in (("user", one.users), ("group", one.groups), ("account", one.accounts))
        if names
    ]
    return "; ".join(parts)


def where_words(one: Reservation) -> str:
    """Name the nodes, their number, and the licences."""
    nodes = f"{one.nodes} ({count_words(one.node_count, 'node')})" if one.nodes else ""
    return ", ".join(filter(None, (nodes, one.licenses)))


def flag_words(one: Reservation) -> str:
    """Return Slurm's own words for the flags, in order."""
    return ", ".join(sorted(one.flags))


def jobs_of(view: ReservationView) -> str:
    """Name the jobs with their users, and mark those that are pending."""
    labels = [f"{job.label} ({job.user})" for job in view.running]
    labels += [f"{job.label} ({job.user}, pending)" for job in view.pending]
    return ", ".join(labels)


def node_line(one: Reservation, now_s: float) -> str:
    """Return a reservation as the tooltip of one of its nodes has it."""
    who = who_words(one)
    span = f"{moments.moment(one.start_s, now_s)} to {moments.moment(one.end_s, now_s)}"
    return f"Reservation {one.name}: {span}{f', {who}' if who else ''}"


def _names(title: str, names: tuple[str, ...]) -> str:
    """Format names: `users anna, ben`; a leading minus excludes one and permits all others."""
    out = [name.removeprefix("-") for name in names if name.startswith("-")]
    allowed = [name for name in names if not name.startswith("-")]
    called = plural(len(allowed or out), title)
    return f"{called} {', '.join(allowed)}" if allowed else f"all but {called} {', '.join(out)}"
