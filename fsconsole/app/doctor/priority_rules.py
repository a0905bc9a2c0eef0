"""Rules on the settings that order a Slurm cluster's queue: usage, fairshare and the weights of factors."""

from __future__ import annotations

import math
from collections.abc import Iterator

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import NO_CHANGE, Site
from fsconsole.policies.multifactor import kept_after
from fsconsole.slurm.job_labels import job_count
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent, thousands
from fsconsole.text.words import listed

_FEW_POINTS = 1000
_OTHERS = {"age", "jobsize", "partition", "qos"}
_CALC_PER_HALF_LIFE = 10
_FLAGS = frozenset((
    "ACCRUE_ALWAYS", "CALCULATE_RUNNING", "DEPTH_OBLIVIOUS", "FAIR_TREE", "INCR_ONLY", "MAX_TRES",
    "NO_FAIR_TREE", "NO_NORMAL_ALL", "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES",
    "SMALL_RELATIVE_TO_TIME",
))  # fmt: skip


@rule("priority-plugin")
def _priority_plugin(site: Site) -> Iterator[Hit]:
    found = site.setting("PriorityType")
    if found == "priority/basic":  # What other plugins do is unknown.
        yield Hit(
            "PriorityType", f"PriorityType={found}: jobs start in the order of submission.",
            "Set PriorityType=priority/multifactor and restart slurmctld.",
            "Shares and usage then order the queue, for all users.",
        )  # fmt: skip


@rule("fairshare-weight")
def _fairshare_weight(site: Site) -> Iterator[Hit]:
    weights = {} if site.settings is None else site.settings.weights
    if weights.get("fairshare") == 0 and site.setting("PriorityType") == "priority/multifactor":
        yield Hit(
            "PriorityWeightFairShare",
            f"PriorityWeightFairShare=0. All other weights together are {thousands(sum(weights.values()))}."
            if weights.keys() >= _OTHERS else "PriorityWeightFairShare=0.",
            "Set PriorityWeightFairShare above the other weights. Example: 100000.",
            "Shares and usage then order the queue. Today they have no effect.",
        )  # fmt: skip


@rule("no-decay")
def _no_decay(site: Site) -> Iterator[Hit]:
    if site.half_life_s == math.inf and site.setting("PriorityUsageResetPeriod") == "":
        yield Hit(
            "PriorityDecayHalfLife", "PriorityDecayHalfLife=0 and PriorityUsageResetPeriod=NONE.",
            "Set PriorityDecayHalfLife, such as 7-0, or a PriorityUsageResetPeriod, such as MONTHLY.",
            "Users who ran long ago gain priority over users who run now.",
        )  # fmt: skip


@rule("decay-and-reset")
def _decay_and_reset(site: Site) -> Iterator[Hit]:
    half_life_s, period = site.half_life_s, site.setting("PriorityUsageResetPeriod")
    if half_life_s and period and math.isfinite(half_life_s):
        yield Hit(
            "PriorityUsageResetPeriod",
            f"PriorityUsageResetPeriod={period} together with a half-life of {length_words(half_life_s)}.",
            "Keep one: PriorityUsageResetPeriod=NONE, or PriorityDecayHalfLife=0.",
            "Without the reset, fairshare does not jump at the start of a period.",
        )  # fmt: skip


@rule("half-life-short")
def _half_life_short(site: Site) -> Iterator[Hit]:
    half_life_s = site.half_life_s
    if half_life_s is None or not math.isfinite(half_life_s):
        return
    limits = [
        (job.time_limit_s, job)
        for job in site.jobs
        if not job.is_finished and job.time_limit_s and math.isfinite(job.time_limit_s)
    ]
    longest, job = max(limits, key=lambda pair: pair[0], default=(0.0, None))
    if job is not None and longest > half_life_s:
        forgotten = 1 - kept_after(longest, half_life_s)
        yield Hit(
            "PriorityDecayHalfLife",
            f"Half-life {length_words(half_life_s)}. Job {job.label} of {job.user} may "
                f"run {length_words(longest)}.",
            "Set PriorityDecayHalfLife to several times the longest job. Example: "
                f"{length_words(7 * longest)}.",
            f"Today {percent(forgotten, 0)} of the first usage of such a job has decayed when it "
                "ends. Users with long jobs lose that advantage.",
        )  # fmt: skip


@rule("coarse-recalculation")
def _coarse_recalculation(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if settings is None or not math.isfinite(settings.half_life_s) or not settings.calc_period_s:
        return
    if settings.calc_period_s * _CALC_PER_HALF_LIFE > settings.half_life_s:
        yield Hit(
            "PriorityCalcPeriod",
            f"PriorityCalcPeriod is {length_words(settings.calc_period_s)} for a half-life of "
                f"{length_words(settings.half_life_s)}.",
            "Set PriorityCalcPeriod to 5 min, or to a hundredth of the half-life.",
            "The usage of jobs that start within one period counts sooner, for all users.",
        )  # fmt: skip


@rule("dampening-unused")
def _dampening_unused(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if settings is not None and settings.is_fair_tree and settings.dampening > 1:
        yield Hit(
            "FairShareDampeningFactor", f"FairShareDampeningFactor={settings.dampening} with Fair Tree.",
            "Remove FairShareDampeningFactor, or set PriorityFlags=NO_FAIR_TREE.", NO_CHANGE,
        )  # fmt: skip


@rule("factor-drowns-fairshare")
def _factor_drowns_fairshare(site: Site) -> Iterator[Hit]:
    fairshare = site.weight("fairshare")
    weights = {} if site.settings is None or not fairshare else site.settings.weights
    for name, weight in weights.items():
        if fairshare and weight > fairshare:
            yield Hit(
                f"PriorityWeight{name}",
                f"{name} gives up to {thousands(weight)} points, fairshare up to {thousands(fairshare)}.",
                f"Lower PriorityWeight{name}, or set PriorityWeightFairShare above {thousands(weight)}.",
                f"A job with the highest {name} factor and fairshare 0 no longer starts before one "
                    "with fairshare 1.",
            )  # fmt: skip


@rule("age-without-limit")
def _age_without_limit(site: Site) -> Iterator[Hit]:
    weight = site.weight("age")
    if weight and site.setting("PriorityMaxAge") in ("00:00:00", "0"):
        yield Hit(
            "PriorityMaxAge", f"PriorityWeightAge={thousands(weight)} with PriorityMaxAge=0.",
            "Set PriorityMaxAge, such as 7-0.", "The older of two jobs of one user then goes first again.",
        )  # fmt: skip


@rule("favor-small-unweighted")
def _favor_small_unweighted(site: Site) -> Iterator[Hit]:
    is_wanted = (site.setting("PriorityFavorSmall") or "").upper() == "YES"
    if is_wanted and site.weight("jobsize") == 0:
        yield Hit(
            "PriorityFavorSmall", "PriorityFavorSmall=YES with PriorityWeightJobSize=0.",
            "Set PriorityWeightJobSize, "
            "or PriorityFavorSmall=NO.", "With a weight, small jobs start earlier.",
        )  # fmt: skip


@rule("depth-oblivious")
def _depth_oblivious(site: Site) -> Iterator[Hit]:
    if site.settings is not None and site.settings.is_depth_oblivious:
        yield Hit(
            "PriorityFlags", "PriorityFlags contains DEPTH_OBLIVIOUS.",
            "Remove it. Fair Tree, the default, treats accounts at any depth alike.",
            "All fairshares become ranks of Fair Tree.",
        )  # fmt: skip


@rule("few-points")
def _few_points(site: Site) -> Iterator[Hit]:
    weight = site.weight("fairshare")
    if weight and weight < _FEW_POINTS:
        yield Hit(
            "PriorityWeightFairShare",
            f"PriorityWeightFairShare={weight}: fairshares closer than {1 / weight:.4f} give the same "
            f"points.",
            "Multiply all weights until this one is 10000 or more.",
            "Users with nearly the same fairshare then get different points.",
        )  # fmt: skip


@rule("priority-flag-unknown")
def _priority_flag_unknown(site: Site) -> Iterator[Hit]:
    unknown = sorted(() if site.settings is None else site.settings.flags - _FLAGS)
    if unknown:
        yield Hit(
            "PriorityFlags", f"PriorityFlags has {listed(unknown)}, which no calculation here follows.",
            "Compare computed fairshares and priorities with those of sshare and sprio.",
            "Slurm's own numbers are right. Forecasts may be wrong for all users.",
        )  # fmt: skip


@rule("site-factor")
def _site_factor(site: Site) -> Iterator[Hit]:
    plugin = site.setting("PrioritySiteFactorPlugin")
    if plugin:
        with_parameters = site.setting("PrioritySiteFactorParameters")
        parameters = f" with {with_parameters}" if with_parameters else ""
        yield Hit(
            "PrioritySiteFactorPlugin", f"PrioritySiteFactorPlugin={plugin}{parameters}.",
            "Nothing, if it is intended. sprio shows its points as SITE.",
            "Priorities forecast for new jobs leave its points out.",
        )  # fmt: skip


@rule("held-jobs-age")
def _held_jobs_age(site: Site) -> Iterator[Hit]:
    weight = site.weight("age")
    if weight and site.settings is not None and "ACCRUE_ALWAYS" in site.settings.flags:
        held = [job for job in site.pending if job.is_held or job.reason == "Dependency"]
        users = listed(sorted({job.user for job in held}), 5)
        state = f"ACCRUE_ALWAYS is set, with PriorityWeightAge={thousands(weight)}."
        now = f"Held, or dependent on others: {site.jobs_counted(job_count(held))}."
        yield Hit(
            "PriorityFlags", f"{state} {now}" if held else state,
            "Remove ACCRUE_ALWAYS from PriorityFlags.",
            f"Jobs of {users} lose the age gained this way." if held
            else "Jobs that are held or depend on others no longer gain age.",
        )  # fmt: skip
