"""Everitt, Jones, Knesel, Tables 1-1 and 1-2: entitlements and usage in May 1995."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.unicos_flat import PAPER
from fsconsole.figures.of_nodes import NodeSeries, figure_of
from fsconsole.figures.spec import Axis, Expected, FigureSpec, Provenance
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.saturation import saturated, split
from fsconsole.shares.tree import ShareTree
from fsconsole.text.numbers import fixed, thousands

# Table 1-1 has these CPU hours; it says NAVO and Support, the tree NAVOCEANO, and System with Staff.
HOURS = {
    "Army": 442.4701,
    "Navy R&D": 3705.8881,
    "Air Force": 4935.7895,
    "DoD Other": 88.9370,
    "NAVOCEANO": 1158.1426,
    "Support": 219.8616,
}
NAMES = tuple(HOURS)
JOBS = (685, 22920, 28646, 528, 116954, 42897)
USERS = (29, 345, 177, 13, 121, 45)
SUPPORT = ("System", "Staff")
BUSY = ("Navy R&D", "Air Force")
TARGET = 40.952
_PERCENT = (4.19, 35.12, 46.78, 0.84, 10.98, 2.08)
_ENTITLED = (19.125, 19.125, 19.125, 6.375, 11.25, 25.0)
_SURPLUS = (14.935, -15.995, -27.655, 5.535, 0.27, 22.92)
_STEPS = 60
_TOTAL_NOTE = Note(
    "paper",
    "The target follows from the hours of Table 1-1; the rounded percentages of Table 1-2 give 40.955 %.",
)
_TREE_NOTE = Note(
    "ours",
    "Shares are rebuilt from the printed entitlements. Support in the tables is System with Staff here.",
)


def of_groups(tree: ShareTree, flat: FlatTree, values: Floats) -> tuple[float, ...]:
    """Return fractions [rows] of the tables' groups in %; Support is the sum of its two."""

    def value(name: str) -> float:
        return 100 * float(values[flat.row_of[tree.find(name).id]])

    return tuple(sum(map(value, SUPPORT)) if name == "Support" else value(name) for name in NAMES)


def demands_of_table(tree: ShareTree, flat: FlatTree) -> Floats:
    """Return demands as fractions of the machine, [rows].

    The two busy groups are saturated; all others demand what they used.
    """
    demands, total = saturated(flat), sum(HOURS.values())
    for name, hours in HOURS.items():
        if name not in BUSY:
            group = SUPPORT[0] if name == "Support" else name
            demands[flat.row_of[tree.find(group).id]] = hours / total
    demands[flat.row_of[tree.find(SUPPORT[1]).id]] = 0.0
    return demands


def _measure(progress: Progress, cancelled: Asked) -> Result:
    example = Example.named("navoceano-c916")
    tree, flat = example.scenario.tree, FlatTree.of(example.scenario.tree)
    demands = demands_of_table(tree, flat)
    result = split(flat, demands)
    total = sum(HOURS.values())
    used = tuple(100 * hours / total for hours in HOURS.values())
    entitled = of_groups(tree, flat, result.entitled)
    target = dict(zip(NAMES, of_groups(tree, flat, result.what_if), strict=True))
    targets = tuple(target[name] for name in BUSY)
    had = tuple(100 * HOURS[name] / total for name in BUSY)
    surplus = _differences(entitled, used)
    claims = (
        Claim(
            "CPU hours of May 1995",
            10551.0889,
            total,
            0.00005,
            "h",
            origin=Origin.ours("the sum of the printed hours", "The paper does not print it."),
            kind="input",
        ),
        Claim(
            "Parts of the hours, Table 1-1",
            _PERCENT,
            used,
            0.005,
            "%",
            NAMES,
            origin=Origin.paper("Table 1-1"),
        ),
        Claim(
            "Entitlements, Table 1-2",
            _ENTITLED,
            entitled,
            0.0005,
            "%",
            NAMES,
            origin=Origin.paper("Table 1-2", "Shares are rebuilt from these."),
            kind="input",
        ),
        Claim(
            "Surplus or deficit, Table 1-2",
            _SURPLUS,
            surplus,
            0.0055,
            "points",
            NAMES,
            origin=Origin.paper("Table 1-2"),
        ),
        Claim(
            "Target of the busy groups",
            (TARGET, TARGET),
            targets,
            0.0005,
            "%",
            BUSY,
            origin=Origin.paper("section 1.4"),
        ),
        Claim(
            "Measured minus target",
            (-5.83, 5.83),
            _differences(had, targets),
            0.005,
            "points",
            BUSY,
            origin=Origin.paper("section 1.4"),
        ),
    )
    progress(1.0)
    provenance = Provenance(example.scenario.title, example.digest)
    figure = _figure(tree, flat, demands, provenance)
    return Result("navoceano-tables", claims, (figure,), (_TOTAL_NOTE, _TREE_NOTE), _table())


def _table() -> str:
    """Return Table 1-1 with results from its numbers of jobs and users."""
    lines = [
        "Table 1-1, and CPU time of a job and of a user in May 1995",
        f"{'':10}{'CPU h':>11}{'jobs':>9}{'users':>7}{'min a job':>11}{'h a user':>10}{'jobs a user':>13}",
    ]
    for (name, hours), jobs, users in zip(HOURS.items(), JOBS, USERS, strict=True):
        rates = f"{60 * hours / jobs:11.1f}{hours / users:10.1f}{jobs / users:13.0f}"
        lines.append(f"{name:10}{fixed(hours, 1):>11}{thousands(jobs):>9}{users:7}{rates}")
    return "\n".join(lines)


def _differences(first: tuple[float, ...], second: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(one - other for one, other in zip(first, second, strict=True))


def _figure(tree: ShareTree, flat: FlatTree, demands: Floats, provenance: Provenance) -> FigureSpec:
    """Return a figure of the groups' use as Army's demand grows, since the busy groups use its surplus."""
    army = flat.row_of[tree.find("Army").id]
    asked, rows = np.linspace(0.0, 0.3, _STEPS + 1), []
    for demand in asked:
        demands = demands.copy()
        demands[army] = demand
        rows.append(split(flat, demands).what_if)
    table = np.array(rows).T
    series = NodeSeries("allocated_share", asked, dict(zip(flat.ids.tolist(), table, strict=True)))
    made = figure_of(
        tree,
        series,
        [tree.find(name).id for name in ("Army", *BUSY, "DoD Other", "NAVOCEANO")],
        name="surplus-of-army",
        title="Shares of the machine by the demand of Army",
        caption="All others as in Table 1-1. Squares: the month's target.",
        expected=(Expected(HOURS["Army"] / sum(HOURS.values()), TARGET / 100),),
        provenance=provenance,
    )
    return _over_demand(made)


def _over_demand(made: FigureSpec) -> FigureSpec:
    return replace(
        made,
        x_axis=Axis("demand of Army", "%", 100.0, "fraction of the machine"),
        y_axis=replace(made.y_axis, title="share of machine"),
        quantity="part_of_machine",
    )


def navoceano_tables() -> Experiment:
    """Return the experiment that checks the What if dock."""
    return Experiment(
        "navoceano-tables",
        "Surplus of unsaturated groups: Tables 1-1 and 1-2",
        PAPER,
        "Six groups of a C916: entitlements, usage, and the target after the surplus is passed on.",
        _measure,
    )
