"""Everitt, Jones, Knesel, section on node saturation: users with too little work for their entitlement."""

from __future__ import annotations

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.navoceano_tables import BUSY, SUPPORT, TARGET
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import as_fitted
from fsconsole.experiments.unicos_flat import PAPER, POINTS
from fsconsole.figures.of_nodes import figure_of
from fsconsole.figures.spec import Expected, FigureSpec
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import Split, demands_of_processes, saturated, split

CPUS = 8
FEW = (37.5, 62.5)
_NAMES = ("favoured", "others")
_TARGETS = (TARGET, TARGET)
_FEW_S = 600.0
_LIGHT = ("Army", "DoD Other", "NAVOCEANO", *SUPPORT)
_C916_S = 4 * 3600.0
_SETTLED_S = 3600.0
_ARITHMETIC = Origin.law("section 3.1: 3 of 8 CPUs", "The paper gives no numbers.")
FITTED = "the load of the light groups, to Table 1-1"
_LOAD_NOTE = Note(
    "ours",
    "The load of the C916 is ours: bursts and sleeps that use about as much as in Table 1-1, and "
    "endless work in the busy groups. It is simulated for four hours; the paper has a month.",
)


def _measure(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    few = measure(Example.named("unsaturated-node"), _FEW_S, steps.next(0.3))
    c916 = measure(Example.named("navoceano-c916"), _C916_S, steps.next(0.7), sample_s=60.0)
    claims = (*_claims_of_few(few), *_claims_of_c916(c916))
    return Result(
        "saturation", claims, (_figure_of_few(few), as_fitted(_figure_of_c916(c916), FITTED)), (_LOAD_NOTE,)
    )


def _claims_of_few(run: Measured) -> tuple[Claim, ...]:
    """Return claims on the machine, on the arithmetic of its process counts, and on the favoured user."""
    flat = run.machine.flat
    result = split(flat, demands_of_processes(flat, run.machine.state.runnable.astype(np.float64), CPUS))
    rows = [flat.row_of[node] for node in run.nodes(_NAMES)]
    computed = tuple(100 * float(result.what_if[row]) for row in rows)
    simulated = run.cpu_percent(_NAMES, _FEW_S / 3, _FEW_S)
    return (
        Claim(
            "CPU of 3 processes of a 75 % user and 16 others, 8 CPUs",
            FEW,
            simulated,
            POINTS,
            "%",
            _NAMES,
            origin=_ARITHMETIC,
        ),
        Claim(
            "The same by arithmetic on runnable processes",
            FEW,
            computed,
            0.0,
            "%",
            _NAMES,
            origin=_ARITHMETIC,
        ),
        Claim("The favoured user's node is saturated", False, result.wants_more(rows[0]), origin=_ARITHMETIC),
    )


def _claims_of_c916(run: Measured) -> tuple[Claim, ...]:
    simulated = run.cpu_percent(BUSY, _SETTLED_S, _C916_S)
    flat, result = run.machine.flat, _by_light_loads(run)
    computed = tuple(100 * float(result.what_if[flat.row_of[node]]) for node in run.nodes(BUSY))
    return (
        Claim(
            "C916: CPU of the busy groups, and the month's target",
            _TARGETS,
            simulated,
            POINTS,
            "%",
            BUSY,
            origin=Origin.fitted(
                "section 1.4", "The light groups have a load that uses about as much as in Table 1-1."
            ),
        ),
        Claim(
            "The same compared with the CPU that the others leave in this run",
            computed,
            simulated,
            POINTS,
            "%",
            BUSY,
            origin=Origin.law("surplus of this run, passed on"),
        ),
        Claim(
            "Both get the same",
            True,
            abs(simulated[0] - simulated[1]) < POINTS,
            origin=Origin.words(
                "section 1.4", "The paper says that both should have received equal amounts."
            ),
        ),
    )


def _by_light_loads(run: Measured) -> Split:
    """Return the arithmetic with the light groups' demands in this run."""
    flat: FlatTree = run.machine.flat
    demands = saturated(flat)
    used = run.cpu_percent(_LIGHT, _SETTLED_S, _C916_S)
    for name, percent in zip(_LIGHT, used, strict=True):
        demands[flat.row_of[run.node(name)]] = percent / 100
    return split(flat, demands)


def _figure_of_few(run: Measured) -> FigureSpec:
    return figure_of(
        run.machine.tree,
        run.series("cpu_rate"),
        run.nodes(_NAMES),
        name="three-processes-of-75-percent",
        title="Three processes cannot use 75 % of eight CPUs",
        caption="Diamonds: 37.5 and 62.5 %; the paper prints no number.",
        expected=tuple(Expected(_FEW_S, value / 100, is_papers=False) for value in FEW),
        provenance=run.provenance,
    )


def _figure_of_c916(run: Measured) -> FigureSpec:
    return figure_of(
        run.machine.tree,
        run.series("cpu_rate"),
        run.nodes((*BUSY, "Army", "DoD Other", "NAVOCEANO")),
        name="c916-surplus",
        title="The busy groups of the C916 get the CPU that the others leave",
        caption="CPU rate over five minutes. Square: the target of 40.952 %.",
        expected=(Expected(_C916_S, TARGET / 100),),
        provenance=run.provenance,
    )


def saturation() -> Experiment:
    """Return the experiment on unsaturated nodes, simulated and by arithmetic."""
    return Experiment(
        "saturation",
        "Node saturation: too few processes, too little work",
        PAPER,
        "A favoured user with three processes on eight CPUs, and the C916 with its light groups of May 1995.",
        _measure,
    )
