"""Yalim, sections 2 and 2.1 to 2.2: the artificial user as a recipe, the first user, outages, precision."""

from __future__ import annotations

import numpy as np

from fsconsole.experiments.claims import Claim
from fsconsole.experiments.experiment import Asked, Experiment, Note, Progress, Result
from fsconsole.experiments.origins import Origin
from fsconsole.experiments.pictures import as_fitted, curve_figure
from fsconsole.experiments.yalim import DAY_S, JOB_S, MONTH_S, PAPER, TABLE_2, TARGET_H, USERS
from fsconsole.figures.spec import Axis, EventMark, FigureSpec, Provenance
from fsconsole.slurm.damping import damping_for, implied_target_h
from fsconsole.slurm.decay import WEEK_S, Spell, continuous_path
from fsconsole.slurm.padding import HOUR_S, Upkeep, UpkeepRule, lost_s, padding_s, upkeep
from fsconsole.slurm.population import Population, model_fairshare, padded_fairshare
from fsconsole.text.numbers import thousands

FIRST_JOB_S = 60.0  # The first job is `sleep 60`.
PER_CPU_S = 1.5e9  # TRESBillingWeights gives a CPU this weight.
PRINTED_DECIMALS = 6
OUTAGES = ((6 * DAY_S, 6 * DAY_S + 8 * HOUR_S), (14 * DAY_S, 14 * DAY_S + 4 * HOUR_S))
SLIPPAGE, NEAR_SLIPPAGE = 5.0, 1.5
FITTED = "the lengths of the outages, to match the slippage that the paper prints"
TEXTS_HOURS, TEXTS_TARGET = 29_798.8, 10_182.3  # The text has these values of the last user of Table 2.
MEANS_H = (700.0, 3000.0, 6000.0)

NOTES = (
    Note(
        "paper",
        "The paper gives the days of the outages, 6 and 14, but not their lengths. The level slipped "
        "by about 5 %.",
    ),
    Note(
        "ours",
        "Outages of 8 h and 4 h without upkeep jobs give a slippage of that size. After an outage "
        "Slurm decays usage for the whole time.",
    ),
    Note(
        "paper",
        "The text has 29 798.8 h for the last user of Table 2, from which 10 184.0 h follow. Its 10 "
        "182.3 h belong to the 29 793.799 h of the table.",
    ),
    Note(
        "ours",
        "sacctmgr(1) and scontrol(1) have the commands of the recipe. The names of partition, account "
        "and user are ours. The numbers are computed.",
    ),
)


def _padding(progress: Progress, cancelled: Asked) -> Result:
    padding = padding_s(TARGET_H, USERS)
    rule = UpkeepRule(padding, JOB_S, JOB_S)
    steady, slipped = upkeep(rule, MONTH_S), upkeep(rule, MONTH_S, OUTAGES)
    claims = (
        *_claims_of_first(padding),
        *_claims_of_upkeep(steady, slipped),
        *_claims_of_mean(),
        *_claims_of_precision(),
    )
    progress(1.0)
    return Result(
        "yalim-padding", claims, (as_fitted(_levels(steady, slipped), FITTED),), NOTES, _recipe(padding)
    )


def _claims_of_first(padding: float) -> tuple[Claim, ...]:
    """Return claims on a user who has the system to itself, without and with padding."""
    alone = Population(np.array([1.0] + [0.0] * (USERS - 2)))
    there = Population(np.array([TARGET_H] + [0.0] * (USERS - 2)))
    bare, padded = padded_fairshare(alone, 0.0)[0], padded_fairshare(alone, padding / HOUR_S)[0]
    return (
        Claim(
            "No padding: fairshare of the only user with usage, which is one core-hour",
            0.0,
            float(bare),
            1e-12,
            origin=Origin.paper("section 2.1"),
        ),
        Claim(
            "With padding: the same user keeps over 0.999",
            expected=True,
            measured=bool(padded > 0.999),
            origin=Origin.law("2^(-1/10 000)"),
        ),
        Claim(
            "With padding: fairshare of the only user at the target hours",
            0.5,
            float(padded_fairshare(there, padding / HOUR_S)[0]),
            0.0005,
            origin=Origin.paper("section 2.1"),
        ),
        Claim(
            "One job of 60 s at 1.5e9 per CPU second gives the padding",
            padding / 1e9,
            FIRST_JOB_S * PER_CPU_S / 1e9,
            0.0,
            "1e9 core-s",
            origin=Origin.paper("section 2.1.1"),
        ),
    )


def _claims_of_upkeep(steady: Upkeep, slipped: Upkeep) -> tuple[Claim, ...]:
    days = MONTH_S / DAY_S
    jobs = int((steady.after_s > steady.before_s).sum())
    return (
        Claim(
            "Compute time of a day's upkeep, with a job of 1 s whenever a check finds too little",
            6.0,
            jobs * JOB_S / PER_CPU_S / days,
            0.5,
            "s",
            origin=Origin.paper("section 4"),
        ),
        Claim(
            "Largest slippage with outages on days 6 and 14",
            SLIPPAGE,
            100 * (1 - slipped.lowest_fraction),
            NEAR_SLIPPAGE,
            "%",
            origin=Origin.fitted("Figure 1", f"Set so: {FITTED.partition(',')[0]}."),
        ),
    )


def _claims_of_mean() -> tuple[Claim, ...]:
    """Return claims on the mean usage of a system, and on a user with the mean usage."""

    def mean_h(users: int, half_life_s: float, time_s: float) -> float:
        spells = [Spell(100.0, 0.0, 60 * DAY_S)]
        return float(continuous_path(0.0, spells, half_life_s, np.array([time_s]))[0]) / HOUR_S / users

    base = mean_h(2500, WEEK_S, 30 * DAY_S)
    others = (
        mean_h(2500, WEEK_S, 5 * DAY_S),
        mean_h(2500, 2 * WEEK_S, 30 * DAY_S),
        mean_h(5000, WEEK_S, 30 * DAY_S),
    )
    people = Population(np.array([3.0, 1.0, 1.0, 0.0, 0.0]))
    at_mean = model_fairshare(people, "model 0", TARGET_H)[1]
    hours, fairshare = (np.array([row[place] for row in TABLE_2]) for place in (1, 0))
    beats = implied_target_h(fairshare, hours)
    of_text = float(implied_target_h(np.array([TABLE_2[-1][0]]), np.array([TEXTS_HOURS]))[0])
    return (
        Claim(
            "Fairshare of a user at the mean, by default",
            0.5,
            float(at_mean),
            1e-9,
            origin=Origin.paper("section 2, equation 4"),
        ),
        Claim(
            "The mean of one load differs by over a third with time, with half-life and with users",
            expected=True,
            measured=all(abs(other / base - 1) > 1 / 3 for other in others),
            origin=Origin.words("section 2", "The paper gives no numbers."),
        ),
        Claim(
            "The target computed from each of ten users is steady: largest distance from its mean",
            0.0,
            float(100 * np.abs(beats / beats.mean() - 1).max()),
            0.2,
            "%",
            origin=Origin.paper("section 2.1.3", "The paper says that it varies by a small amount."),
        ),
        Claim(
            "The text's 29798.8 h lead to its 10182.3 h",
            expected=False,
            measured=abs(of_text - TEXTS_TARGET) < 0.05,
            kind="discrepancy",
            origin=Origin.words("section 2.1.3", "Table 2 has 29793.799 h."),
        ),
    )


def _claims_of_precision() -> tuple[Claim, ...]:
    zero = next(times for times in range(1, 60) if float(f"{2.0**-times:.{PRINTED_DECIMALS}f}") == 0.0)
    errors = [_largest_error(mean) for mean in MEANS_H]
    times = np.linspace(0.0, 4 * WEEK_S, 200)
    usage = continuous_path(0.0, [Spell(28.0, 0.0, 4 * WEEK_S)], WEEK_S, times)
    return (
        Claim(
            "Multiples of the mean usage from which six decimals print 0",
            20.0,
            float(zero),
            1.0,
            origin=Origin.paper("section 2", "The paper says about 20 means."),
        ),
        Claim(
            "A whole-number dampening factor misses the target more as the mean approaches it (700, "
            "3000, 6000 h)",
            expected=True,
            measured=errors == sorted(errors) and errors[-1] > 5 * errors[0],
            origin=Origin.words("section 2.2", "The paper gives no numbers."),
        ),
        Claim(
            "Usage grows less than in proportion to time while 28 cores run",
            expected=True,
            measured=bool((np.diff(usage, 2) < 0).all()),
            origin=Origin.words("section 3"),
        ),
    )


def _largest_error(mean_h: float) -> float:
    """Return the largest relative error of whole factors, for means within a tenth of one."""
    means = np.linspace(0.9 * mean_h, 1.1 * mean_h, 101)
    return max(abs(damping_for(TARGET_H, float(mean)).halves_at_h / TARGET_H - 1) for mean in means)


def _recipe(padding: float) -> str:
    lost = lost_s(padding, DAY_S)
    weight = lost / 1.0  # A job of one CPU second has this weight.
    damp = damping_for(TARGET_H, MEANS_H[0])
    return "\n".join((
        f"Recipe for {USERS} users and {thousands(TARGET_H)} h, computed; names are ours",
        "  slurm.conf, a separate partition for the artificial user, one node:",
        "    PartitionName=padding Nodes=admin1 AllowAccounts=padding",
        f"      TRESBillingWeights=CPU={PER_CPU_S:.4g}",
        "  the account and the user (sacctmgr can set usage only to 0):",
        "    sacctmgr add account padding",
        "    sacctmgr add user padding account=padding",
        "    sacctmgr modify user padding set RawUsage=0",
        f"  once, as that user, for {padding:.4g} core-seconds:",
        '    sbatch --wrap="sleep 60" -t 1 -p padding',
        f"  every 4 hours, if {JOB_S:.4g} are missing:",
        '    sbatch --wrap="sleep 1" -t 1 -p padding',
        f"  or once a day, with TRESBillingWeights=CPU={weight:.4f}: the same line",
        f"Instead, for a mean of {MEANS_H[0]:g} h: a dampening factor of {damp.exact:.3f}",
        f"    scontrol fsdampeningfactor {damp.whole}",
        "  or, if that has no effect, as on the paper's cluster, in slurm.conf:",
        f"    FairShareDampeningFactor={damp.whole}",
        "    scontrol reconfigure",
        f"  Fairshare then halves every {thousands(damp.halves_at_h)} h.",
    ))  # fmt: skip


def _levels(steady: Upkeep, slipped: Upkeep) -> FigureSpec:
    curves = {
        name: (run.times_s, 100 * run.before_s / run.rule.padding_s)
        for name, run in (("no outage", steady), ("outages", slipped))
    }
    return curve_figure(
        "slippage",
        "Figure 1: level of the padding with outages",
        "The level at each check, in % of the padding. The paper's month slipped by about 5 %.",
        curves,
        Provenance("The artificial user of Table 1, 2501 users and 10 000 h"),
        x_axis=Axis("time", "d", 1 / DAY_S, "s"),
        y_axis=Axis("level", "%", 1.0, "%", (90.0, 101.0)),
        events=tuple(EventMark(start, "outage") for start, _ in OUTAGES),
    )


def yalim_padding() -> Experiment:
    """Return the experiment on the statements on control outside the tables."""
    return Experiment(
        "yalim-padding",
        "The artificial user: recipe, first user, outages",
        PAPER,
        "The effect of padding on the first user, its upkeep, and its slippage during outages.",
        _padding,
    )
