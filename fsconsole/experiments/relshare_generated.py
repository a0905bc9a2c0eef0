"""Vasupongayya's findings on months generated from Table I, with two added users."""

from __future__ import annotations

from dataclasses import replace

from fsconsole.batch.generate import MONTHS, generate_month, period_of_month
from fsconsole.batch.generate.table_one import CLUSTER_NODES
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Note, Progress, Result
from fsconsole.experiments.measure import Steps
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.relshare_findings import (
    POLICIES,
    figures_1,
    findings_text,
    user_claims,
    wait_claims,
)
from fsconsole.experiments.relshare_kth import DAILY, Workload, run_months
from fsconsole.experiments.relshare_story import Suffering, write_story
from fsconsole.experiments.relshare_words import is_so
from fsconsole.figures.spec import FigureSpec, Provenance

NAME = "relshare-generated"
SEED = 1
PLANTED_IN = "7/03"  # The paper's users #8, #24 and #71 are of this month.
PLANTED = ("S1", "S2")

NOTES = (
    Note(
        "paper",
        "Table I prints jobs, users, demand and sizes of ten months. It does not print arrival times, "
        "the jobs of each user, or how nodes and runtimes go together.",
    ),
    Note(
        "ours",
        "These months are generated, not measured. They have the figures of Table I; all other "
        "properties are reconstructed. A finding that holds here may follow from loads and sizes like "
        "the paper's. One that does not may be due to the reconstruction.",
    ),
    Note(
        "ours",
        f"In {PLANTED_IN} two users are planted, modelled on its users #8 (S1, large jobs among small "
        "ones) and #71 (S2, much on some days). Their jobs are chosen so that they suffer. Finding "
        "them shows that the rules find what they should. RelShare against backfilling defines the "
        "words of claims.",
    ),
)


def measure_generated(progress: Progress, cancelled: Asked) -> Result:
    """Measure claims, Figures 1 to 3 and Tables II, III and V on generated months."""
    steps = Steps(progress, cancelled)
    found = run_months(_months(steps.next(0.5)), POLICIES, steps.next(0.3), logged=DAILY)
    story = write_story(found, steps.next(0.2))
    origin = Provenance(
        scenario="Table I, generated months",
        seed=SEED,
        settings={"nodes": CLUSTER_NODES, "planted": f"S1 and S2 in {PLANTED_IN}", "shares": "equal"},
        origin="Generated to the figures of Table I by fsconsole batch generate",
        remarks=("Not measured on any machine. Properties that Table I does not give are reconstructed.",),
    )
    figures = (*figures_1(found, "Months generated to Table I", origin), *story.figures)
    return Result(
        NAME,
        (*wait_claims(found), *user_claims(found), *story.claims, *_planted_claims(story.users)),
        tuple(_as_ours(figure, origin) for figure in figures),
        NOTES,
        findings_text(found, story),
    )


def _months(steps: Steps) -> list[Workload]:
    months = []
    for place, month in enumerate(MONTHS):
        steps.at(place / len(MONTHS))
        jobs = generate_month(month.name, SEED, PLANTED if month.name == PLANTED_IN else ())
        months.append(Workload(jobs, period_of_month(month.name), CLUSTER_NODES))
    steps.at(1.0)
    return months


def _planted_claims(users: tuple[Suffering, ...]) -> tuple[Claim, ...]:
    found = {(one.user.user, one.user.kind) for one in users if one.month == PLANTED_IN}
    return tuple(
        is_so(
            f"The planted user {kind} of {PLANTED_IN} is found to be of type {kind}",
            measured=(kind, kind) in found,
            origin=Origin.ours("users who are planted so that the rules find them"),
            kind="input",
        )
        for kind in PLANTED
    )


def _as_ours(figure: FigureSpec, origin: Provenance) -> FigureSpec:
    return replace(figure, title=f"[ours] {figure.title}, generated", provenance=origin)
