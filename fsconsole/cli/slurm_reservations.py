"""`fsconsole slurm reservations`: Slurm reservations, their users and the jobs in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import read, via_option
from fsconsole.cli.errors import UserError, print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.targets.slurm.state import PartName
from fsconsole.text import moments

if TYPE_CHECKING:
    from fsconsole.app.jobs.reservations import ReservationView

_TITLES = ("Reservation", "State", "Begin", "End", "Nodes", "Access", "Flags", "Jobs")


@click.command("reservations")
@via_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list.")
def command(via: tuple[str, ...], as_json: bool) -> None:
    """List Slurm reservations: begin, end, nodes, who may use them, and their jobs."""
    from fsconsole.app.jobs.reservations import reservation_views
    from fsconsole.targets.slurm.location import clock_of

    reading = read(via, PartName.RESERVATIONS, PartName.JOBS)
    if PartName.RESERVATIONS not in reading.found:
        raise UserError(reading.problems[PartName.RESERVATIONS])
    if PartName.JOBS in reading.problems:
        print_problem(f"note: {reading.problems[PartName.JOBS]}")
    now_s = clock_of(reading.place.prefix)()
    views = reservation_views(reading.found[PartName.RESERVATIONS], reading.found.get(PartName.JOBS, ()))
    if as_json:
        print_json([_plain(view, now_s) for view in views])
    elif views:
        print_table(_TITLES, [_row(view, now_s) for view in views], numbers=False)
    else:
        print(f"{reading.name} has no reservations.")


def _row(view: ReservationView, now_s: float) -> list[str]:
    from fsconsole.app.jobs.reservations import flag_words, jobs_of, when_words, where_words, who_words

    one = view.reservation
    return [
        one.name, when_words(one, now_s), moments.whole(one.start_s), moments.whole(one.end_s),
        where_words(one), who_words(one), flag_words(one), jobs_of(view),
    ]  # fmt: skip


def _plain(view: ReservationView, now_s: float) -> dict[str, Any]:
    from fsconsole.app.jobs.reservations import sort_of_reservation
    from fsconsole.slurm.host_list import hosts_or_none

    one = view.reservation
    return {
        "reservation": one.name, "state": str(sort_of_reservation(one, now_s)), "start_s": one.start_s,
        "end_s": one.end_s, "nodes": list(hosts_or_none(one.nodes)), "partition": one.partition,
        "licenses": one.licenses, "users": list(one.users), "groups": list(one.groups),
        "accounts": list(one.accounts), "flags": sorted(one.flags),
        "running": [job.label for job in view.running], "pending": [job.label for job in view.pending],
    }  # fmt: skip
