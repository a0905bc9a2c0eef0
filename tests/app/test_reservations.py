"""Slurm reservations in words, with the jobs in them, on what a real cluster printed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fsconsole.app.jobs.nodes import node_views
from fsconsole.app.jobs.reservations import (
    ReservationSort,
    jobs_of,
    reservation_views,
    sort_of_reservation,
    when_words,
    who_words,
)
from fsconsole.slurm.parsers.scontrol_reservation import read_scontrol_reservation
from fsconsole.slurm.parsers.squeue_text import read_squeue_text
from tests.slurm.captured import captured, captured_nodes
from tests.texts import span, wording

NOW_S = 1795660884  # when captures/arrays was taken
RESERVATIONS = read_scontrol_reservation(captured("arrays/scontrol-show-reservation.txt")).items
JOBS = read_squeue_text(captured("arrays/squeue-O.txt"), NOW_S).items
COURSE = next(one for one in RESERVATIONS if one.name == "course")


def test_jobs_are_reported_by_the_reservation_that_they_asked_for() -> None:
    course, maint = reservation_views(RESERVATIONS, JOBS)
    assert (course.reservation.name, maint.reservation.name) == ("course", "maint")
    assert jobs_of(course) == "14 (fs_cora)"
    assert jobs_of(maint) == ""
    waiting = [replace(job, states=("PENDING",)) for job in JOBS]
    assert jobs_of(reservation_views(RESERVATIONS, waiting)[0]) == wording(
        "app.jobs.pending", label="14", user="fs_cora"
    )


def test_when_it_is() -> None:
    maint = next(one for one in RESERVATIONS if one.name == "maint")
    assert when_words(COURSE, NOW_S) == wording("app.jobs.active-ends-in", end_s=span(h=1, min=58))
    assert when_words(maint, NOW_S) == wording("app.jobs.begins-in", start_s=span(h=1, min=58))
    unsaid = replace(COURSE, state="")
    sorts = [sort_of_reservation(unsaid, at) for at in (0, COURSE.start_s, COURSE.end_s - 1, COURSE.end_s)]
    assert sorts == [
        ReservationSort.COMING, ReservationSort.ACTIVE, ReservationSort.ACTIVE, ReservationSort.OVER
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("who", "message"),
    [
        ({"accounts": ("hep",)}, "account hep"),
        ({"users": ("fs_anna", "fs_ben"), "accounts": ()}, "users fs_anna, fs_ben"),
        ({"users": ("-fs_anna",), "accounts": ()}, "all but user fs_anna"),
        ({"users": ("root",)}, "user root; account hep"),
    ],
)
def test_who_may_use_it(who: dict[str, tuple[str, ...]], message: str) -> None:
    assert who_words(replace(COURSE, **who)) == message  # type: ignore[arg-type]


def test_nodes_have_their_reservations() -> None:
    views = node_views(captured_nodes("plain/sinfo.txt"), JOBS, RESERVATIONS)
    assert [[one.name for one in view.reservations] for view in views] == [[], [], ["maint"], ["course"]]
