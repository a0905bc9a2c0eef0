"""Fairshare as predicted before an apply, compared with sshare's output after it, on a terminal."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.tables import print_table
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.numbers import thousands

if TYPE_CHECKING:
    from fsconsole.app.cluster.reached import Expectation, Reached
    from fsconsole.cli.cluster_changes import Plan
    from fsconsole.targets.slurm.reports import ApplyReport
    from fsconsole.targets.slurm.tools import Stop

_MOST_ROWS = 20
_EVERY_S = 5.0


def expected(plan: Plan, report: ApplyReport) -> Expectation | None:
    """Return the prediction for the applied changes; None if nothing was applied or predicted."""
    from fsconsole.app.cluster.reached import expectation_of

    standing = plan.reading.standing(plan.tree)
    undone = sum(not row.result.is_done for row in report.rows)
    wanted = plan.staged.wanted
    if standing is None or wanted is None or undone == len(report.rows):
        return None
    return expectation_of(
        plan.tree, standing, wanted, plan.gains,
        usage_s=plan.reading.begun_s, applied_s=time.time(), undone=undone,
    )  # fmt: skip


def hold_against(
    plan: Plan, expectation: Expectation, stop: Stop, *, waits: bool
) -> tuple[Reached | None, str]:
    """Compare sshare's present values with the prediction; return the result and a sentence.

    With `waits`, wait until slurmctld has calculated. If reading fails, the sentence has the reason.
    """
    from fsconsole.app.cluster.reached import reached, summary
    from fsconsole.cli.cluster import read

    settings = plan.reading.settings
    period_s = settings.calc_period_s if settings is not None else 0.0
    by_rank = settings is not None and settings.is_fair_tree
    while True:
        reading = read(plan.reading.place.prefix, PartName.TREE, PartName.USAGE, PartName.JOBS)
        tree = reading.tree() if PartName.TREE in reading.found else None
        standing = reading.standing(tree) if tree is not None else None
        if tree is None or standing is None:
            why = next(iter(reading.problems.values()), "sshare printed nothing")
            return None, f"Cannot compare fairshare with the prediction: {why}"
        jobs = reading.found.get(PartName.JOBS, ())
        found = reached(expectation, tree, standing, jobs, time.time(), period_s, by_rank=by_rank)
        if not waits or found.is_calculated or found.is_late or stop.wait(_EVERY_S):
            return found, summary(found, expectation, period_s)


def say_reached(found: Reached, sentence: str) -> None:
    """Print the comparison as a table, most different first."""
    from fsconsole.targets.slurm.link_words import at

    print(f"\n{sentence}")
    print(
        "Before: printed by sshare when the plan was made. Predicted: computed from that usage. "
        f"Reached: printed by sshare at {at(found.as_of_s)}."
    )
    rows = [[row.name, *map(_shown, (row.before, row.predicted, row.reached))] for row in found.rows]
    print_table(["Association", "Before (sshare)", "Predicted", "Reached (sshare)"], rows[:_MOST_ROWS])
    if len(rows) > _MOST_ROWS:
        click.echo(f"and {thousands(len(rows) - _MOST_ROWS)} more")


def plain_reached(found: Reached | None, sentence: str) -> dict[str, Any]:
    """Return the fairshares reached, with their sentence, as plain data."""
    rows = found.rows if found is not None else ()
    return {
        "calculated": found is not None and found.is_calculated,
        "text": sentence,
        "associations": [
            {
                "association": row.name, "before": _number(row.before), "predicted": _number(row.predicted),
                "reached": _number(row.reached), "as_predicted": row.is_as_predicted, "why": row.why,
            }
            for row in rows
        ],
    }  # fmt: skip


def _shown(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.6f}"


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
