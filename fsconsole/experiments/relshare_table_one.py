"""Vasupongayya, Table I: generated months compared with the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure
from fsconsole.experiments.relshare import PAPER
from fsconsole.figures.spec import Axis, Curve, Expected, FigureSpec, Floats, Provenance

if TYPE_CHECKING:
    from fsconsole.batch.generate import Figure
    from fsconsole.batch.generate.table_one import PrintedMonth
    from fsconsole.batch.job_table import JobTable

SEED = 1
SHOWN = "7/03"  # The paper examines this month most closely.
DEMAND = "Processor demand, fraction of the machine"
_UNITS = ("node-h", "h")
# We allow half a percent of the printed demand, and half a tenth of the average job's node-hours.
_DEMAND_TOLERANCE = 0.75

_NOTES = (
    Note(
        "paper",
        "The NCSA traces are not public. Table I is compared with jobs generated to match its "
        "figures. Agreement shows that the generator follows the table, not that the real jobs were "
        "like these.",
    ),
    Note(
        "ours",
        "A figure holds if it rounds to the printed one; counts must be exact. The paper does not "
        "describe how to get jobs from its figures. The combination of nodes, runtimes and users, and "
        "the arrival times, are reconstructed.",
    ),
    Note(
        "paper",
        "Table V counts 74 users in 8/03 and 77 in 10/03. Table I's averages per user are of its own "
        "73 and 75. We read a median runtime of 0.00 h as 10 s, and a median job of 0.0 node-hours as "
        "150 node-seconds.",
    ),
)


def _measure(progress: Progress, cancelled: Asked) -> Result:
    from fsconsole.batch.generate import MONTHS, jobs_of_month  # Importing it compiles the generator.
    from fsconsole.batch.generate.achieved import figures_of

    steps = Steps(progress, cancelled)
    steps.at(0.0)
    tables: dict[str, tuple[Figure, ...]] = {}
    shown: JobTable | None = None
    for month in MONTHS:
        jobs = jobs_of_month(month.name, SEED)
        tables[month.name] = figures_of(month, jobs)
        shown = jobs if month.name == SHOWN else shown
        steps.next(1 / len(MONTHS)).at(1.0)
    claims = (*_claims(tables), _agreement(MONTHS))
    figures = [_demands(tables)]
    if shown is not None:
        figures.append(_concentration(shown, tables[SHOWN]))
    return Result("relshare-table-1", claims, tuple(figures), _NOTES)


def _claims(tables: Mapping[str, Sequence[Figure]]) -> list[Claim]:
    """Return a claim for each quantity, with a number for each month."""
    return [_claim(row, tuple(tables)) for row in zip(*tables.values(), strict=True)]


def _claim(row: Sequence[Figure], months: tuple[str, ...]) -> Claim:
    text, unit = _parts_of(row[0].quantity)
    printed, achieved = zip(*((float(one.printed), float(one.achieved)) for one in row), strict=True)
    return Claim(
        text,
        printed,
        achieved,
        row[0].tolerance,
        unit,
        months,
        kind="input",
        origin=Origin.paper("Table I", "Jobs are generated to these figures."),
    )


def _parts_of(quantity: str) -> tuple[str, str]:
    """Return a quantity's name and its unit, if it has one of these."""
    text, _, unit = quantity.rpartition(", ")
    return (text, unit) if unit in _UNITS else (quantity, "")


def _agreement(months: Sequence[PrintedMonth]) -> Claim:
    """Return the claim that printed demands follow from printed jobs and average node-hours."""
    asked = [100 * 3600 * one.jobs * one.size_nh.avg / (128 * one.length_s) for one in months]
    return Claim(
        "Table I: printed demand, from its jobs and their average node-hours",
        tuple(100 * one.demand for one in months),
        tuple(asked),
        _DEMAND_TOLERANCE,
        "%",
        tuple(one.name for one in months),
        origin=Origin.paper("Table I"),
    )


def _provenance(what: str) -> Provenance:
    return Provenance(what, seed=SEED, remarks=("Generated jobs; the traces of NCSA are not public.",))


def _demands(tables: Mapping[str, Sequence[Figure]]) -> FigureSpec:
    """Return a figure of each month's demand, generated and printed."""
    at = np.arange(len(tables), dtype=np.float64)
    rows = [next(row for row in table if row.quantity == DEMAND) for table in tables.values()]
    generated, printed = (np.array([getattr(row, name) for row in rows]) for name in ("achieved", "printed"))
    return FigureSpec(
        "demand",
        "Processor demand of the generated months",
        Axis("demand", "%", 100.0, "fraction", (0.0, 100.0)),
        (Curve("generated", at, generated, "c2"), Curve("printed", at, printed, "c4", shape="tick")),
        Axis("month", kinds=tuple(tables)),
        "Node-hours of all submitted jobs, as a fraction of 128 nodes for the month. Dashes: Table I.",
        provenance=_provenance("The ten months of Table I, generated"),
    )


def _concentration(jobs: JobTable, table: Sequence[Figure]) -> FigureSpec:
    """Return a figure of the first users' fractions of the month."""
    printed = {figure.quantity: figure.printed for figure in table}
    users = float(printed["Users"])
    most_nh = printed["Nodes x runtime of a user, maximum, node-h"]
    all_nh = printed["Nodes x runtime of a user, average, node-h"] * users
    most_jobs = printed["Jobs per user, maximum"] / printed["Jobs"]
    curves = {
        "Node-hours": _first_have(np.bincount(jobs.user, jobs.node_seconds).astype(np.float64)),
        "Jobs": _first_have(np.bincount(jobs.user).astype(np.float64)),
    }
    return curve_figure(
        "concentration",
        f"[ours] Share of the first users in {SHOWN}",
        "Users in descending order. Squares: the printed maximum of a user.",
        curves,
        _provenance(f"{SHOWN} of Table I, generated"),
        x_axis=Axis("users", "", 1.0, ""),
        y_axis=Axis("fraction of the month", "%", 100.0, "fraction"),
        expected=(Expected(1.0, most_nh / all_nh), Expected(1.0, most_jobs)),
    )


def _first_have(of_users: Floats) -> tuple[Floats, Floats]:
    """Return numbers of first users, and their common fractions."""
    falling = np.sort(of_users[of_users > 0])[::-1]
    return np.arange(1.0, len(falling) + 1), np.cumsum(falling) / falling.sum()


def relshare_table_one() -> Experiment:
    """Return the experiment on the workloads that represent the paper's."""
    return Experiment(
        "relshare-table-1",
        "Table I: generated months",
        PAPER,
        "Jobs, users, demand and sizes of generated months, each next to the paper's figure.",
        _measure,
    )
