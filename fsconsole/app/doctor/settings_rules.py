"""Rules on the settings of a Slurm cluster."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from fsconsole.app.doctor.rule import Grade, Hit, rule
from fsconsole.app.doctor.site import Site
from fsconsole.policies.multifactor import kept_after
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent, thousands
from fsconsole.text.words import listed

_CONF = "slurm.conf(5)"
_MULTIFACTOR = "Slurm, Multifactor Priority Plugin"
_FEW_POINTS = 1000
_CALC_PER_HALF_LIFE = 10
_FLAGS = frozenset((
    "ACCRUE_ALWAYS", "CALCULATE_RUNNING", "DEPTH_OBLIVIOUS", "FAIR_TREE", "INCR_ONLY", "MAX_TRES",
    "NO_FAIR_TREE", "NO_NORMAL_ALL", "NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES",
    "SMALL_RELATIVE_TO_TIME",
))  # fmt: skip
_NO_USER = "Nothing changes for any user today."


@rule("priority-plugin", Grade.BROKEN, "Fairshare is not part of the priority", f"{_CONF}, PriorityType")
def _priority_plugin(site: Site) -> Iterator[Hit]:
    found = site.setting("PriorityType")
    if found == "priority/basic":  # What other plugins do is unknown.
        yield Hit(
            "PriorityType", f"PriorityType={found}: jobs start in the order of submission.",
            "Set PriorityType=priority/multifactor and restart slurmctld.",
            "Shares and usage then order the queue, for all users.",
        )  # fmt: skip


@rule("fairshare-weight", Grade.BROKEN, "Fairshare has no weight", f"{_MULTIFACTOR}, PriorityWeightFairshare")
def _fairshare_weight(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if settings is None or site.setting("PriorityType") != "priority/multifactor":
        return
    if settings.weights.get("fairshare") == 0:
        total = sum(settings.weights.values())
        yield Hit(
            "PriorityWeightFairShare",
            f"PriorityWeightFairShare=0. All other weights together are {thousands(total)}.",
            "Set PriorityWeightFairShare above the other weights. Example: 100000.",
            "Shares and usage then order the queue. Today they have no effect.",
        )  # fmt: skip


@rule(
    "associations-not-enforced", Grade.BROKEN, "Jobs can run outside the share tree",
    f"{_CONF}, AccountingStorageEnforce",
)  # fmt: skip
def _associations_not_enforced(site: Site) -> Iterator[Hit]:
    if site.setting("AccountingStorageEnforce") in ("", "0"):
        yield Hit(
            "AccountingStorageEnforce",
            "AccountingStorageEnforce is not set: jobs can run without an association.",
            "Set AccountingStorageEnforce=associations,limits,qos.",
            "Users without an association can no longer submit. Add them with sacctmgr first.",
        )  # fmt: skip


@rule("no-decay", Grade.BROKEN, "Usage never decays", f"{_CONF}, PriorityDecayHalfLife")
def _no_decay(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if (
        settings is not None
        and math.isinf(settings.half_life_s)
        and site.setting("PriorityUsageResetPeriod") == ""
    ):
        yield Hit(
            "PriorityDecayHalfLife", "PriorityDecayHalfLife=0 and PriorityUsageResetPeriod=NONE.",
            "Set PriorityDecayHalfLife, such as 7-0, or a PriorityUsageResetPeriod, such as MONTHLY.",
            "Users who ran long ago gain priority over users who run now.",
        )  # fmt: skip


@rule(
    "decay-and-reset",
    Grade.CONTRADICTION,
    "Usage both decays and is reset",
    f"{_CONF}, PriorityUsageResetPeriod",
)
def _decay_and_reset(site: Site) -> Iterator[Hit]:
    settings, period = site.settings, site.setting("PriorityUsageResetPeriod")
    if settings is not None and period and math.isfinite(settings.half_life_s):
        yield Hit(
            "PriorityUsageResetPeriod",
            f"PriorityUsageResetPeriod={period} together with a half-life of "
                f"{length_words(settings.half_life_s)}.",
            "Keep one: PriorityUsageResetPeriod=NONE, or PriorityDecayHalfLife=0.",
            "Without the reset, fairshare does not jump at the start of a period.",
        )  # fmt: skip


@rule("half-life-short", Grade.UNUSUAL, "Usage decays within one job", f"{_MULTIFACTOR}, half-life")
def _half_life_short(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if settings is None or not math.isfinite(settings.half_life_s):
        return
    limits = [
        (job.time_limit_s, job)
        for job in site.jobs
        if not job.is_finished and job.time_limit_s and math.isfinite(job.time_limit_s)
    ]
    longest, job = max(limits, key=lambda pair: pair[0], default=(0.0, None))
    if job is not None and longest > settings.half_life_s:
        forgotten = 1 - kept_after(longest, settings.half_life_s)
        yield Hit(
            "PriorityDecayHalfLife",
            f"Half-life {length_words(settings.half_life_s)}. Job {job.label} of {job.user} may "
                f"run {length_words(longest)}.",
            "Set PriorityDecayHalfLife to several times the longest job. Example: "
                f"{length_words(7 * longest)}.",
            f"Today {percent(forgotten, 0)} of the first usage of such a job has decayed when it "
                "ends. Users with long jobs lose that advantage.",
        )  # fmt: skip


@rule("coarse-recalculation", Grade.UNUSUAL, "Usage is seldom recalculated", f"{_CONF}, PriorityCalcPeriod")
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


@rule(
    "dampening-unused", Grade.CONTRADICTION, "The dampening factor has no effect",
    f"{_CONF}, FairShareDampeningFactor: classic fairshare only",
)  # fmt: skip
def _dampening_unused(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if settings is not None and settings.is_fair_tree and settings.dampening > 1:
        yield Hit(
            "FairShareDampeningFactor", f"FairShareDampeningFactor={settings.dampening} with Fair Tree.",
            "Remove FairShareDampeningFactor, or set PriorityFlags=NO_FAIR_TREE.", _NO_USER,
        )  # fmt: skip


@rule(
    "factor-drowns-fairshare", Grade.UNUSUAL, "Another factor outweighs fairshare", f"{_MULTIFACTOR}, weights"
)
def _factor_drowns_fairshare(site: Site) -> Iterator[Hit]:
    settings = site.settings
    fairshare = 0 if settings is None else settings.weights.get("fairshare", 0)
    if settings is None or not fairshare:
        return
    for name, weight in settings.weights.items():
        if name != "fairshare" and weight > fairshare:
            yield Hit(
                f"PriorityWeight{name}",
                f"{name} gives up to {thousands(weight)} points, fairshare up to {thousands(fairshare)}.",
                f"Lower PriorityWeight{name}, or set PriorityWeightFairShare above {thousands(weight)}.",
                f"A job with the highest {name} factor and fairshare 0 no longer starts before one "
                    "with fairshare 1.",
            )  # fmt: skip


@rule(
    "age-without-limit",
    Grade.CONTRADICTION,
    "The age factor reaches its maximum at once",
    f"{_CONF}, PriorityMaxAge",
)
def _age_without_limit(site: Site) -> Iterator[Hit]:
    settings = site.settings
    weight = 0 if settings is None else settings.weights.get("age", 0)
    if weight and site.setting("PriorityMaxAge") in ("00:00:00", "0"):
        yield Hit(
            "PriorityMaxAge", f"PriorityWeightAge={thousands(weight)} with PriorityMaxAge=0.",
            "Set PriorityMaxAge, such as 7-0.", "The older of two jobs of one user then goes first again.",
        )  # fmt: skip


@rule(
    "favor-small-unweighted",
    Grade.CONTRADICTION,
    "Small jobs are favoured with weight 0",
    f"{_CONF}, PriorityFavorSmall",
)
def _favor_small_unweighted(site: Site) -> Iterator[Hit]:
    settings = site.settings
    is_wanted = (site.setting("PriorityFavorSmall") or "").upper() == "YES"
    if settings is not None and is_wanted and settings.weights.get("jobsize") == 0:
        yield Hit(
            "PriorityFavorSmall", "PriorityFavorSmall=YES with PriorityWeightJobSize=0.",
            "Set PriorityWeightJobSize, "
            "or PriorityFavorSmall=NO.", "With a weight, small jobs start earlier.",
        )  # fmt: skip


@rule("gpu-not-billed", Grade.BROKEN, "GPUs are not billed", f"{_CONF}, TRESBillingWeights")
def _gpu_not_billed(site: Site) -> Iterator[Hit]:
    if "gres/gpu" not in (site.setting("AccountingStorageTRES") or "").lower():
        return
    for partition in site.partitions:
        has_gpus, weights = "gres/gpu" in partition.tres.lower(), partition.billing_weights.lower()
        # With a weight of nodes, those who take whole nodes pay for their GPUs.
        if has_gpus and "gres/gpu" not in weights and "node=" not in weights:
            weights = partition.billing_weights or "none, so only CPUs are billed"
            yield Hit(
                f"partition {partition.name}", f"gres/gpu is accounted. TRESBillingWeights is {weights}.",
                f"Add GRES/gpu to TRESBillingWeights of {partition.name}, such as CPU=1.0,GRES/gpu=16.0.",
                "Users of GPUs are charged for them. Their fairshare falls, and that of CPU users rises.",
            )  # fmt: skip


@rule(
    "unknown-tres-billed",
    Grade.BROKEN,
    "A weight refers to an untracked resource",
    f"{_CONF}, AccountingStorageTRES",
)
def _unknown_tres_billed(site: Site) -> Iterator[Hit]:
    tracked = site.setting("AccountingStorageTRES") or ""
    counted = {name.strip().lower() for name in tracked.split(",")} - {""}
    if not counted:
        return
    for partition in site.partitions:
        billed = [item.partition("=")[0].strip().lower() for item in partition.billing_weights.split(",")]
        unknown = [name for name in billed if name and name not in counted]
        if unknown:
            yield Hit(
                f"partition {partition.name}",
                f"TRESBillingWeights names {listed(unknown)}. AccountingStorageTRES does not.",
                f"Add {listed(unknown)} to AccountingStorageTRES, or remove it from the weights.",
                "slurmctld ends at its next start or reconfigure with such a weight.",
            )  # fmt: skip


@rule("uneven-billing", Grade.UNUSUAL, "Partitions bill by different rules", f"{_CONF}, TRESBillingWeights")
def _uneven_billing(site: Site) -> Iterator[Hit]:
    weighted = [one for one in site.partitions if one.billing_weights]
    plain = [
        one.name for one in site.partitions if not one.billing_weights and _shares_nodes(one.nodes, weighted)
    ]
    if plain:
        weights = listed([f"{one.name} {one.billing_weights}" for one in weighted], 2)
        yield Hit(
            f"partition {plain[0]}",
            f"Without TRESBillingWeights: {listed(plain, 4)}. On the same nodes with them: {weights}.",
            "Give all partitions on the same nodes weights, or none of them.",
            "The same job then causes the same usage in each of them.",
        )  # fmt: skip


def _shares_nodes(nodes: str, others: Iterable[object]) -> bool:
    return any(getattr(other, "nodes", "") == nodes for other in others)


@rule("depth-oblivious", Grade.UNUSUAL, "Depth-oblivious fairshare is on", f"{_CONF}, PriorityFlags")
def _depth_oblivious(site: Site) -> Iterator[Hit]:
    if site.settings is not None and site.settings.is_depth_oblivious:
        yield Hit(
            "PriorityFlags", "PriorityFlags contains DEPTH_OBLIVIOUS.",
            "Remove it. Fair Tree, the default, treats accounts at any depth alike.",
            "All fairshares become ranks of Fair Tree.",
        )  # fmt: skip


@rule("no-backfill", Grade.UNUSUAL, "Gaps in the schedule stay empty", f"{_CONF}, SchedulerType")
def _no_backfill(site: Site) -> Iterator[Hit]:
    found = site.setting("SchedulerType")
    if found == "sched/builtin":
        yield Hit(
            "SchedulerType", f"SchedulerType={found}.", "Set SchedulerType=sched/backfill.",
            "Jobs that fit before the next job's start can start earlier. Others may start later: those "
                "whose place depends on when running jobs end.",
        )  # fmt: skip


@rule(
    "preemption-off",
    Grade.CONTRADICTION,
    "Preemption is configured but switched off",
    f"{_CONF}, PreemptMode",
)
def _preemption_off(site: Site) -> Iterator[Hit]:
    """Find preemption without a mode for the whole cluster, whatever partitions and QOS have.

    slurmctld 22.05.8 ends with "PreemptType and PreemptMode values incompatible" for both.
    """
    kind, mode = site.setting("PreemptType"), site.setting("PreemptMode")
    modes = {word.strip() for word in (mode or "unknown").upper().split(",")}
    if kind in ("preempt/partition_prio", "preempt/qos") and modes <= {"OFF", "GANG"}:
        yield Hit(
            "PreemptMode", f"PreemptType={kind} with PreemptMode={mode}.",
            "Set PreemptMode, such as REQUEUE, or PreemptType=preempt/none.",
            "slurmctld does not start with these two settings. With a mode, jobs of a higher tier "
                "or QOS displace others, unless PreemptMode=OFF of their partition or QOS protects "
                "them.",
        )  # fmt: skip


@rule("usage-hidden", Grade.UNUSUAL, "Users cannot see why their jobs wait", f"{_CONF}, PrivateData")
def _usage_hidden(site: Site) -> Iterator[Hit]:
    kinds = (site.setting("PrivateData") or "").lower().split(",")
    if "usage" in kinds:
        yield Hit(
            "PrivateData", f"PrivateData={site.setting('PrivateData')}.",
            "Remove usage from PrivateData if the rules of the site allow it.",
            "sshare then shows all users the usage behind their fairshare.",
        )  # fmt: skip


@rule(
    "limits-not-enforced",
    Grade.CONTRADICTION,
    "Limits are set but not enforced",
    f"{_CONF}, AccountingStorageEnforce",
)
def _limits_not_enforced(site: Site) -> Iterator[Hit]:
    enforced = (site.setting("AccountingStorageEnforce") or "").lower()
    if not enforced or {"limits", "safe", "all"} & set(enforced.split(",")):
        return
    names = [
        site.levels.paths[row]
        for row, limits in enumerate(site.limits)
        if any(value for key, value in limits.items() if key.startswith(("max", "grp")))
    ]
    if names:
        yield Hit(
            "AccountingStorageEnforce",
            f"AccountingStorageEnforce={enforced}, but {listed(names, 3)} have limits.",
            "Add limits to AccountingStorageEnforce.",
            f"The limits then apply to {listed(names, 3)} and to all associations below.",
        )  # fmt: skip


@rule(
    "few-points", Grade.UNUSUAL, "Fairshare has too few points", f"{_MULTIFACTOR}, weights are whole numbers"
)
def _few_points(site: Site) -> Iterator[Hit]:
    weight = 0 if site.settings is None else site.settings.weights.get("fairshare", 0)
    if 0 < weight < _FEW_POINTS:
        yield Hit(
            "PriorityWeightFairShare",
            f"PriorityWeightFairShare={weight}: fairshares closer than {1 / weight:.4f} give the same "
            f"points.",
            "Multiply all weights until this one is 10000 or more.",
            "Users with nearly the same fairshare then get different points.",
        )  # fmt: skip


@rule("no-accounting", Grade.BROKEN, "Usage is not recorded", f"{_CONF}, AccountingStorageType")
def _no_accounting(site: Site) -> Iterator[Hit]:
    found = site.printed.get("accountingstoragetype")
    if found in ("(null)", "accounting_storage/none"):
        yield Hit(
            "AccountingStorageType", f"AccountingStorageType={found}: fairshare has no recorded usage.",
            "Set AccountingStorageType=accounting_storage/slurmdbd.",
            "Usage is recorded from then on, for all users.",
        )  # fmt: skip


@rule(
    "tres-weight-untracked", Grade.BROKEN, "Priority has a weight for an untracked resource",
    f"{_CONF}, PriorityWeightTRES",
)  # fmt: skip
def _tres_weight_untracked(site: Site) -> Iterator[Hit]:
    tracked, weights = site.setting("AccountingStorageTRES"), site.setting("PriorityWeightTRES")
    if not tracked or not weights:
        return
    known = {word.strip().lower() for word in tracked.split(",")}
    weighed = [word.partition("=")[0].strip() for word in weights.split(",")]
    lost = [word for word in weighed if word and word.lower() not in known]
    if lost:
        yield Hit(
            "PriorityWeightTRES", f"{listed(lost)} has a weight but is not in AccountingStorageTRES.",
            "Add it to AccountingStorageTRES, or remove its weight.", _NO_USER,
        )  # fmt: skip


@rule("max-tres-idle", Grade.CONTRADICTION, "MAX_TRES has no effect", f"{_CONF}, PriorityFlags")
def _max_tres_idle(site: Site) -> Iterator[Hit]:
    flags = frozenset() if site.settings is None else site.settings.flags
    flag = next((one for one in ("MAX_TRES", "MAX_TRES_GRES") if one in flags), "")
    if flag and site.partitions and not any(one.billing_weights for one in site.partitions):
        yield Hit(
            "PriorityFlags", f"{flag} is set, but no partition has TRESBillingWeights.",
            f"Set TRESBillingWeights, or remove {flag}.", _NO_USER,
        )  # fmt: skip


@rule("priority-flag-unknown", Grade.UNUSUAL, "A priority flag is not known here", f"{_CONF}, PriorityFlags")
def _priority_flag_unknown(site: Site) -> Iterator[Hit]:
    unknown = sorted(() if site.settings is None else site.settings.flags - _FLAGS)
    if unknown:
        yield Hit(
            "PriorityFlags", f"PriorityFlags has {listed(unknown)}, which no calculation here follows.",
            "Compare computed fairshares and priorities with those of sshare and sprio.",
            "Slurm's own numbers are right. Forecasts may be wrong for all users.",
        )  # fmt: skip


@rule("site-factor", Grade.UNUSUAL, "A plugin of the site adds to priorities", f"{_CONF}, site factor")
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


def _held_words(count: int) -> str:
    return (
        "1 job is held or depends on others."
        if count == 1
        else f"{thousands(count)} jobs are held or depend on others."
    )


@rule("held-jobs-age", Grade.UNUSUAL, "Jobs that cannot start gain age", f"{_CONF}, ACCRUE_ALWAYS")
def _held_jobs_age(site: Site) -> Iterator[Hit]:
    settings = site.settings
    if settings is not None and "ACCRUE_ALWAYS" in settings.flags and settings.weights.get("age"):
        held = [job for job in site.pending if job.is_held or job.reason == "Dependency"]
        users = listed(sorted({job.user for job in held}), 5) if held else ""
        yield Hit(
            "PriorityFlags", "ACCRUE_ALWAYS is set, with "
                f"PriorityWeightAge={thousands(settings.weights['age'])}. {_held_words(len(held))}",
            "Remove ACCRUE_ALWAYS from PriorityFlags.",
            f"Jobs of {users} lose the age gained this way." if held else _NO_USER,
        )  # fmt: skip


RULES = (
    _priority_plugin, _fairshare_weight, _associations_not_enforced, _no_decay, _decay_and_reset,
    _half_life_short,
    _coarse_recalculation, _dampening_unused, _factor_drowns_fairshare, _age_without_limit,
    _favor_small_unweighted, _gpu_not_billed, _unknown_tres_billed, _uneven_billing, _depth_oblivious,
    _no_backfill, _preemption_off, _usage_hidden, _limits_not_enforced, _few_points,
    _no_accounting, _tres_weight_untracked, _max_tres_idle, _held_jobs_age, _priority_flag_unknown,
    _site_factor,
)  # fmt: skip
