"""Brady, Ciuffini, Hardy, section 4: the time that preemption of memory, SDS and processors takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.measure import Example, Measured, Steps, measure
from fsconsole.experiments.near_dedicated import PAPER, accounts_of, mean_of, with_loads
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import as_fitted, curve_figure
from fsconsole.figures.spec import Axis, Expected, FigureSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW

NIGHT_S = 4 * 3600.0
SAMPLE_S = 60.0
STARTS = 27
MEMORY_S, SDS_S = 22.0, 47.0
NEAR_S = 2.0
HOLDERS, HELD_MW = 20, 102.0
POLL_S = 10.0
# Of 20 holders of 5.1 MW, eleven must leave: 56.1 MW at 2.5 MW/s, and half a poll.
MANY_S = 56.1 / 2.5 + POLL_S / 2
SECONDS_PER_H, PERCENT = 42.0, 1.17
NEAR_PERCENT = 0.1
JOB_S = 3600.0
SERIAL, CYCLE_S = 0.11, 300.0
_CPU = Origin.fitted(
    "section 4", "Shares, serial time and the number of other processes are set to give that."
)
RATIOS = (100, 200, 300, 500, 1000)
FITTED = "bandwidth, SDS, serial time and shares, to these means"
NOTES = (
    Note(
        "paper",
        "22 s for memory, 47 s for SDS and 42 s an hour (1.17 %) for processors, on average. The text "
        "does not give bandwidths, the size of SDS, shares or the background mix.",
    ),
    Note(
        "ours",
        "Fitted to the paper's numbers: a swap device of 2.5 MW/s, and shares of 300 to 1. Also 256 "
        "MW of SDS, of which one process holds 102 MW (41 s to write out, and half a poll of 10 s). "
        "Nine of 20 images leave to make room for 27.3 MW, which are then read in.",
    ),
    Note(
        "ours",
        "If many processes hold little SDS each, only the needed amount is written out, in 28 s. The "
        "paper's 47 s imply that few processes held much.",
    ),
    Note(
        "ours",
        "Waiting for processors: 11 % serial time in cycles of 5 min, 20 endless processes in memory. "
        "A job without serial time loses 1.5 %, one with cycles of 1 min 1.0 %.",
    ),
)


def _preemption(progress: Progress, cancelled: Asked) -> Result:
    steps = Steps(progress, cancelled)
    example = Example.named("near-dedicated-preemption")
    one = measure(example, NIGHT_S, steps.next(0.3), sample_s=SAMPLE_S)
    many = measure(_many_holders(example), NIGHT_S, steps.next(0.3), sample_s=SAMPLE_S)
    alone = _computes(example, steps.next(0.05), loaded=False)
    loaded = {ratio: _computes(example, steps.next(0.07), ratio=ratio) for ratio in RATIOS}
    losses = {ratio: (_wall_s(run) - _wall_s(alone)) / _wall_s(alone) for ratio, run in loaded.items()}
    claims = (*_claims_of_waits(one, many), *_claims_of_cpu(losses))
    return Result(
        "near-dedicated-preemption",
        claims,
        tuple(as_fitted(figure, FITTED) for figure in _figures(one, many, losses)),
        NOTES,
    )


def _many_holders(example: Example) -> Example:
    each = round(HELD_MW / HOLDERS * CLICKS_PER_MW)
    return with_loads(example, f"{HOLDERS} processes hold 5.1 MW of SDS each", sds_clicks=each)


def _computes(example: Example, steps: Steps, *, loaded: bool = True, ratio: int = 300) -> Measured:
    """Run an hour's job without memory needs, alone or beside processes without memory needs."""
    tree = example.scenario.tree.copy()
    tree.writable(tree.find("PRI_ND").id).shares = ratio
    job = replace(
        example.scenario.jobs[0],
        memory_mw=0.0,
        sds_mw=0.0,
        setup_s=0.0,
        setup_mw=0.0,
        serial_fraction=SERIAL,
        cycle_s=CYCLE_S,
        cpu_s=JOB_S * (SERIAL + (1 - SERIAL) * example.scenario.machine.cpus),
        requested_cpu_s=2 * JOB_S * example.scenario.machine.cpus,
    )
    words = f"one job of an hour without memory, shares {ratio} to 1"
    changed = with_loads(example, words, clicks=0, sds_clicks=0)
    loads = changed.scenario.workloads if loaded else ()
    changed = changed.changed("beside others" if loaded else "alone", tree=tree, jobs=(job,), workloads=loads)
    settings = {"memory.size_mw": 0.0, "memory.sds_mw": 0.0}
    return measure(changed, 1.5 * JOB_S, steps, settings=settings, sample_s=SAMPLE_S)


def _wall_s(run: Measured) -> float:
    return accounts_of(run)[0].wall_s


def _claims_of_waits(one: Measured, many: Measured) -> tuple[Claim, ...]:
    accounts = accounts_of(one)
    waits = [account.sds_wait_s for account in accounts]
    return (
        Claim(
            "Measured starts, at different phases of the daemon",
            float(STARTS),
            float(len(accounts)),
            0.0,
            origin=Origin.ours("jobs of the example"),
            kind="input",
        ),
        Claim(
            "Wait for 27.3 MW of memory, mean",
            MEMORY_S,
            mean_of(accounts, "swap_s"),
            NEAR_S,
            "s",
            origin=Origin.fitted("section 4", "Bandwidth and sizes of memory are set to give that."),
        ),
        Claim(
            "Wait for 210 MW of SDS, mean; one process holds 102 MW",
            SDS_S,
            mean_of(accounts, "sds_wait_s"),
            NEAR_S,
            "s",
            origin=Origin.fitted(
                "section 4", "The size of SDS and the amount that one process holds are set to give that."
            ),
        ),
        Claim(
            "The shortest and the longest of these waits differ by at most one poll of the daemon",
            expected=True,
            measured=0 < max(waits) - min(waits) <= POLL_S,
            origin=Origin.law("the poll of the daemon"),
        ),
        Claim(
            "Wait for SDS, mean; 20 processes hold 5.1 MW each (ours)",
            MANY_S,
            mean_of(accounts_of(many), "sds_wait_s"),
            NEAR_S,
            "s",
            origin=Origin.law("amount that eleven of 20 holders write out"),
        ),
    )


def _claims_of_cpu(losses: dict[int, float]) -> tuple[Claim, ...]:
    loss = losses[300]
    return (
        Claim(
            "Wall time that a job of an hour loses to 20 others, at shares of 300 to 1",
            SECONDS_PER_H,
            3600 * loss,
            36 * NEAR_PERCENT,
            "s",
            origin=_CPU,
        ),
        Claim(
            "The same in % of the wall time that it takes alone",
            PERCENT,
            100 * loss,
            NEAR_PERCENT,
            "%",
            origin=_CPU,
        ),
        Claim(
            "The more shares it has, the less it loses",
            expected=True,
            measured=list(losses.values()) == sorted(losses.values(), reverse=True),
            origin=Origin.words("section 3.1.1", "Shares are priorities."),
        ),
    )


def _figures(one: Measured, many: Measured, losses: dict[int, float]) -> tuple[FigureSpec, ...]:
    starts = np.arange(1.0, STARTS + 1)
    accounts = accounts_of(one)
    waits = {
        "memory": [account.swap_s for account in accounts],
        "SDS, one holder": [account.sds_wait_s for account in accounts],
        "SDS, 20 holders": [account.sds_wait_s for account in accounts_of(many)],
    }
    ratios = np.array(RATIOS, np.float64)
    return (
        curve_figure(
            "preemption",
            "Waits of a near-dedicated job at its start",
            "27.3 MW of memory, 210 MW of SDS. Squares: the paper's means.",
            {name: (starts[: len(values)], np.array(values)) for name, values in waits.items()},
            one.provenance,
            x_axis=Axis("start"),
            y_axis=Axis("wait", "s", 1.0, "s"),
            expected=[Expected(14.0, MEMORY_S), Expected(14.0, SDS_S)],
        ),
        curve_figure(
            "processors",
            "Wall time lost to 20 others that compute",
            "By the shares of the job against 1. Square: the paper's 1.17 %.",
            {"lost": (ratios, np.array([losses[ratio] for ratio in RATIOS]))},
            one.provenance,
            x_axis=Axis("shares against 1"),
            y_axis=Axis("lost", "%", 100.0, "fraction"),
            expected=[Expected(300.0, PERCENT / 100)],
        ),
    )


def near_dedicated_preemption() -> Experiment:
    """Return the experiment on waits at the start of a job, and for processors while it runs."""
    return Experiment(
        "near-dedicated-preemption",
        "Near-dedicated: preemption",
        PAPER,
        "The job's waits for memory and SDS, and its loss to other computing processes.",
        _preemption,
    )
