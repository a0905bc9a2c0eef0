"""Everitt, Jones, Knesel, section 2.1: no hierarchy, and results of the printed equations."""

from __future__ import annotations

import numpy as np

from fsconsole.experiments import printed_forms
from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import curve_figure, diamonds, node_figure
from fsconsole.figures.spec import Axis, FigureSpec, Provenance

PAPER = "Everitt, Jones, Knesel 1995, UNICOS"
POINTS = 0.5
SETTLED_S = 300.0
LENGTH_S = 1200.0

# -- process-fair -----------------------------------------------------------------------------------------

USERS = ("u11", "u12", "u21", "u22", "u23")
PROCESSES = 5
RATE_TIMES_S = (1.0, 4.0, 16.0)
BY_PROCESS = (500 / 9, *(100 / 9,) * 4)
BY_SHARE = (25.0, 25.0, 50 / 3, 50 / 3, 50 / 3)
TREE_NOTE = Note(
    "ours",
    "The paper describes the scheduler and measures nothing. The tree is that of Junglas' series 1, "
    "where u11 has five endless processes instead of one.",
)


def _process_fair(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("convex-series-1").with_processes("u11", PROCESSES - 1)
    fair = measure(example, LENGTH_S, steps.next(0.5), settings={"policy.name": "process-fair"})
    share = measure(example, LENGTH_S, steps.next(0.25))
    exempt = measure(example, LENGTH_S, steps.next(0.24), settings={"policy.nosched": True})
    claims = (
        _split("CPU under process-fair UNIX, u11 with five processes", BY_PROCESS, fair),
        _split("CPU under Share, u11 with five processes", BY_SHARE, share),
        _split("CPU under Share with NOSCHED: process-fair again", BY_PROCESS, exempt),
        _claim_of_rate(example, steps.next(0.01)),
    )
    figures = (
        node_figure(
            fair,
            USERS,
            "process-fair-cpu-rate",
            "Process-fair UNIX: CPU rate",
            "u11 runs five processes, all others one. Diamonds: expected. The paper prints no number.",
            expected=diamonds(LENGTH_S, BY_PROCESS),
        ),
        node_figure(
            share,
            USERS,
            "share-cpu-rate",
            "Share: CPU rate",
            "The same load. Diamonds: the shares; the paper prints no number.",
            expected=diamonds(LENGTH_S, BY_SHARE),
        ),
    )
    return Result("unicos-process-fair", claims, figures, (TREE_NOTE,))


def _split(text: str, expected: tuple[float, ...], run: Measured) -> Claim:
    return Claim(
        text,
        expected,
        run.cpu_percent(USERS, SETTLED_S, LENGTH_S),
        POINTS,
        "%",
        USERS,
        origin=Origin.law(
            "section 2.1: processes, and shares", "The paper gives no numbers; the tree is ours."
        ),
    )


def _claim_of_rate(example: Example, steps: Steps) -> Claim:
    """Return the claim on the filtered number of processes: 1 at once, and more within a few half-lives."""
    run = measure(example, RATE_TIMES_S[-1], steps, sample_s=1.0, watched=("rate",))
    half_life_s = example.scenario.policy.rate_half_life_s
    expected = [PROCESSES - (PROCESSES - 1) * 0.5 ** (time_s / half_life_s) for time_s in RATE_TIMES_S]
    measured = [run.state("rate", user)[int(time_s)] for user in USERS[:2] for time_s in RATE_TIMES_S]
    return Claim(
        "Number of processes of u11 and u12, filtered, after 1, 4 and 16 s",
        (*expected, *(1.0 for _ in RATE_TIMES_S)),
        tuple(map(float, measured)),
        1e-6,
        names=tuple(f"{user}, {time_s:g} s" for user in USERS[:2] for time_s in RATE_TIMES_S),
        origin=Origin.law(
            "n - (n - 1) 2^(-t/4 s) for n processes", "The filter of the original Share kernel, at least 1."
        ),
    )


# -- equation 2 -------------------------------------------------------------------------------------------

THREE = ("one", "two", "four")
SHARES = (1 / 7, 2 / 7, 4 / 7)
ENTITLED = tuple(100 * share for share in SHARES)
SQUARE_ROOTS = (22.7, 32.0, 45.3)
EQUATION_1 = (38.0, 62.0)
HALF_LIFE_S = 120.0
DELTA_S = 4.0
# Each half-life in hours has K of equation 6 for a delta of 4 s.
DECAYS = ((8, 0.9999037342), (24, 0.9999679104), (168, 0.9999954157))
MISPRINTS = (
    Note(
        "paper",
        "Equation 1 as printed does not give entitlements: shares of 1:3 split the CPU 38:62. The "
        "policy exponential implements it to show this.",
    ),
    Note(
        "paper",
        "Equation 4 has ln(5) instead of ln(0.5), and its exponent is wrongly divided by 2.",
    ),
    Note(
        "paper",
        "Equations 5 and 8 lack the time difference: past usage decays with the time since it was charged.",
    ),
    Note(
        "ours",
        "Equation 2 holds as printed, usage/share times processes/share. With only one of the two "
        "factors, users get the square roots of their shares. A short program outside the policies "
        "computes that.",
    ),
)


def _equation_2(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("three-users")
    flat = measure(example, LENGTH_S, steps.next(0.4))
    first = _one_to_three(example)
    printed = measure(first, LENGTH_S, steps.next(0.3), settings={"policy.name": "exponential"})
    rule = printed_forms.usage_over_share(SHARES)
    roots = printed_forms.cpu_parts(rule, len(SHARES), int(LENGTH_S), HALF_LIFE_S)
    decays = tuple(_decay(example, hours, steps.next(0.1)) for hours, _ in DECAYS)
    hours = tuple(f"{hours} h" for hours, _ in DECAYS)
    claims = (
        Claim(
            "CPU for shares of 1:2:4, equation 2",
            ENTITLED,
            flat.cpu_percent(THREE, SETTLED_S, LENGTH_S),
            POINTS,
            "%",
            THREE,
            origin=Origin.law(
                "equation 2: entitlements", "It is called fair over time; the shares are ours."
            ),
        ),
        Claim(
            "The same with share to the power of 1: square roots",
            SQUARE_ROOTS,
            tuple(100 * part for part in roots),
            POINTS,
            "%",
            THREE,
            origin=Origin.law("square roots of the shares"),
        ),
        Claim(
            "CPU for shares of 1:3, equation 1 as printed",
            EQUATION_1,
            printed.cpu_percent(THREE[:2], SETTLED_S, LENGTH_S),
            POINTS,
            "%",
            THREE[:2],
            kind="discrepancy",
            origin=Origin.law(
                "equation 1, computed",
                "The paper says that it fairly distributes the CPU, which would be 25 and 75 %.",
            ),
        ),
        Claim(
            "K of equation 6, delta 4 s",
            tuple(k for _, k in DECAYS),
            decays,
            5e-11,
            names=hours,
            origin=Origin.law("equation 6, computed"),
        ),
    )
    figures = (
        node_figure(
            flat,
            THREE,
            "equation-2-cpu-rate",
            "Equation 2: CPU rate",
            "Shares of 1, 2 and 4. Diamonds: the shares; the paper prints no number.",
            expected=diamonds(LENGTH_S, ENTITLED),
        ),
        node_figure(
            printed,
            THREE[:2],
            "equation-1-cpu-rate",
            "Equation 1 as printed: CPU rate",
            "Shares of 1 and 3. Diamonds: the result of the equation, not the paper's intention.",
            expected=diamonds(LENGTH_S, EQUATION_1),
        ),
        _decay_figure(flat.provenance),
    )
    return Result("unicos-eq2", claims, figures, MISPRINTS)


def _one_to_three(example: Example) -> Example:
    """Return an example in which two of the three users work, with shares of 1 and 3."""
    scenario = example.scenario
    tree = scenario.tree.copy()
    tree.writable(tree.find("two").id).shares = 3
    away = tree.find("four").id
    return example.changed(
        "two users alone, with 1 and 3 shares",
        tree=tree,
        logins=tuple(node for node in scenario.logins if node != away),
        workloads=tuple(load for load in scenario.workloads if load.node != away),
    )


def _decay(example: Example, hours: int, steps: Steps) -> float:
    """Return the K of a machine: the fraction of usage left after a delta."""
    settings = {"policy.half_life_s": 3600.0 * hours}
    return float(measure(example, 0.0, steps, settings=settings).machine.parameters.usage_decay)


def _decay_figure(provenance: Provenance) -> FigureSpec:
    """Return a figure of usage over time, by delta with the K of each half-life (Figure 2-1)."""
    days = np.linspace(0.0, 14.0, 337)
    curves = {f"half-life {hours} h": (days, k ** (days * 86400 / DELTA_S)) for hours, k in DECAYS}
    return curve_figure(
        "usage-decay",
        "Usage decay",
        "Figure 2-1: the fraction of a usage left by equation 6, with a delta of 4 s.",
        curves,
        provenance,
        x_axis=Axis("time", "days", 1.0, "days"),
        y_axis=Axis("usage left", "%", 100.0, "fraction", (0.0, 100.0)),
    )


def unicos_flat() -> tuple[Experiment, ...]:
    """Return the experiment on section 2.1 of the paper."""
    return (
        Experiment(
            "unicos-process-fair",
            "Process-fair UNIX",
            PAPER,
            "A user with many processes wins without shares and gains nothing with them.",
            _process_fair,
        ),
        Experiment(
            "unicos-eq2",
            "Equations 1, 2 and 6",
            PAPER,
            "The results of the printed forms: entitlements by equation 2, misprints elsewhere.",
            _equation_2,
        ),
    )
