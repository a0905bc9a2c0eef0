"""All rules in the order of their findings: what each finds, how severe that is, and its documentation."""

from __future__ import annotations

from enum import StrEnum


class Grade(StrEnum):
    """Severity of a finding, the worst first."""

    BROKEN = "broken"
    CONTRADICTION = "contradicts itself"
    UNUSUAL = "unusual"


_BROKEN, _CONTRADICTION, _UNUSUAL = Grade
_CONF = "slurm.conf(5)"
_MULTIFACTOR = "Slurm, Multifactor Priority Plugin"
_FAIR_TREE = "Slurm, Fair Tree Fairshare Algorithm"
_CLASSIC = "Slurm, Classic Fairshare Algorithm"
_SACCTMGR = "sacctmgr(1)"
_RELATIVE_QOS = "sacctmgr(1), flag Relative"
_PARTITION_QOS = "slurm.conf(5), partition QOS; slurmctld 24.11.5 and 26.05.5"
_OURS = "arithmetic of shares: a node's share is its shares divided by those of its group"
_SQUEUE = "squeue(1), job reason codes"

CATALOGUE: tuple[tuple[str, Grade, str, str], ...] = (
    ("priority-plugin", _BROKEN, "Fairshare is not part of the priority", f"{_CONF}, PriorityType"),
    ("fairshare-weight", _BROKEN, "Fairshare has no weight", f"{_MULTIFACTOR}, PriorityWeightFairshare"),
    ("associations-not-enforced", _BROKEN, "Jobs can run outside the share tree",
     f"{_CONF}, AccountingStorageEnforce"),
    ("no-decay", _BROKEN, "Usage never decays", f"{_CONF}, PriorityDecayHalfLife"),
    ("decay-and-reset", _CONTRADICTION, "Usage both decays and is reset",
     f"{_CONF}, PriorityUsageResetPeriod"),
    ("half-life-short", _UNUSUAL, "Usage decays within one job", f"{_MULTIFACTOR}, half-life"),
    ("coarse-recalculation", _UNUSUAL, "Usage is seldom recalculated", f"{_CONF}, PriorityCalcPeriod"),
    ("dampening-unused", _CONTRADICTION, "The dampening factor has no effect",
     f"{_CONF}, FairShareDampeningFactor: classic fairshare only"),
    ("factor-drowns-fairshare", _UNUSUAL, "Another factor outweighs fairshare", f"{_MULTIFACTOR}, weights"),
    ("age-without-limit", _CONTRADICTION, "The age factor reaches its maximum at once",
     f"{_CONF}, PriorityMaxAge"),
    ("favor-small-unweighted", _CONTRADICTION, "Small jobs are favoured with weight 0",
     f"{_CONF}, PriorityFavorSmall"),
    ("gpu-not-billed", _BROKEN, "GPUs are not billed", f"{_CONF}, TRESBillingWeights"),
    ("unknown-tres-billed", _BROKEN, "A weight refers to an untracked resource",
     f"{_CONF}, AccountingStorageTRES"),
    ("uneven-billing", _UNUSUAL, "Partitions bill by different rules", f"{_CONF}, TRESBillingWeights"),
    ("depth-oblivious", _UNUSUAL, "Depth-oblivious fairshare is on", f"{_CONF}, PriorityFlags"),
    ("no-backfill", _UNUSUAL, "Gaps in the schedule stay empty", f"{_CONF}, SchedulerType"),
    ("preemption-off", _CONTRADICTION, "Preemption is configured but switched off", f"{_CONF}, PreemptMode"),
    ("usage-hidden", _UNUSUAL, "Users cannot see why their jobs wait", f"{_CONF}, PrivateData"),
    ("limits-not-enforced", _CONTRADICTION, "Limits are set but not enforced",
     f"{_CONF}, AccountingStorageEnforce"),
    ("few-points", _UNUSUAL, "Fairshare has too few points", f"{_MULTIFACTOR}, weights are whole numbers"),
    ("no-accounting", _BROKEN, "Usage is not recorded", f"{_CONF}, AccountingStorageType"),
    ("tres-weight-untracked", _BROKEN, "Priority has a weight for an untracked resource",
     f"{_CONF}, PriorityWeightTRES"),
    ("max-tres-idle", _CONTRADICTION, "MAX_TRES has no effect", f"{_CONF}, PriorityFlags"),
    ("held-jobs-age", _UNUSUAL, "Jobs that cannot start gain age", f"{_CONF}, ACCRUE_ALWAYS"),
    ("priority-flag-unknown", _UNUSUAL, "A priority flag is not known here", f"{_CONF}, PriorityFlags"),
    ("site-factor", _UNUSUAL, "A plugin of the site adds to priorities", f"{_CONF}, site factor"),
    ("user-at-zero", _BROKEN, "A user with work has no shares", f"{_CLASSIC}: F is 0 without shares"),
    ("parents-only", _UNUSUAL, "All users of an account take the parent's share",
     f"{_SACCTMGR}, fairshare=parent"),
    ("account-takes-parent", _UNUSUAL, "An account has no share of its own",
     f"{_FAIR_TREE}, fairshare=parent"),
    ("root-competes", _UNUSUAL, "User root holds a large share",
     f"{_SACCTMGR}: root is added with fairshare 1"),
    ("fairshare-exhausted", _UNUSUAL, "Many users are near fairshare 0",
     f"{_CLASSIC}, FairShareDampeningFactor"),
    ("usage-of-removed", _CONTRADICTION, "An account has more usage than all its members",
     "sacctmgr(1), deleted associations"),
    ("limit-below-share", _CONTRADICTION, "A limit prevents an account from using its share",
     f"{_SACCTMGR}, GrpTRES"),
    ("limit-above-parent", _CONTRADICTION, "A limit is above that of its account", f"{_SACCTMGR}, limits"),
    ("cannot-run", _BROKEN, "An association that cannot run jobs has shares",
     f"{_SACCTMGR}, MaxJobs, GrpJobs"),
    ("shares-lag", _CONTRADICTION, "slurmctld and the database have different shares",
     "sshare(1) against sacctmgr(1)"),
    ("user-in-many-accounts", _UNUSUAL, "A user has shares in many accounts", f"{_SACCTMGR}, associations"),
    ("relative-qos-shared", _BROKEN, "Several partitions have one relative QOS", _PARTITION_QOS),
    ("relative-not-in-force", _BROKEN, "slurmctld has other limits of a QOS than stored", _RELATIVE_QOS),
    ("relative-percent-above-100", _CONTRADICTION, "A percentage is above 100", _RELATIVE_QOS),
    ("relative-rounds-to-0", _BROKEN, "A percentage is less than one", _RELATIVE_QOS),
    ("relative-partition-qos-listed", _CONTRADICTION, "A relative partition QOS is offered to users",
     _PARTITION_QOS),
    ("relative-minutes", _UNUSUAL, "Minutes are a percentage of an amount", _RELATIVE_QOS),
    ("only-child", _UNUSUAL, "Shares of an only child have no effect", _OURS),
    ("level-of-zeros", _BROKEN, "All nodes of a level have 0 shares", _OURS),
    ("group-at-zero", _BROKEN, "A group with users has no shares", _OURS),
    ("empty-group", _UNUSUAL, "A group without users holds shares", _OURS),
    ("lopsided-level", _UNUSUAL, "Shares of one level differ by a factor of 1000", _OURS),
    ("all-shares-equal", _UNUSUAL, "All groups have the default share", _OURS),
    ("dialect", _BROKEN, "The tree breaks a rule of its scheduler", "documentation of the scheduler"),
    ("dialect-odd", _UNUSUAL, "The scheduler of the tree may behave differently", "its documentation"),
    ("system-groups-large", _UNUSUAL, "System groups hold most of the machine", "Junglas 1991, J9"),
    ("work-without-login", _UNUSUAL, "Users have work but never log in", "Junglas 1991, J4"),
    ("event-after-end", _CONTRADICTION, "An event comes after the end of the run", "scenario file"),
    ("sharemin-above-entitlement", _CONTRADICTION, "The share quantum exceeds an entitlement",
     "Everitt 1995"),
    ("switch-without-effect", _CONTRADICTION, "A setting has no effect under the policy", "scenario file"),
    ("policy-constant", _CONTRADICTION, "Constants of the policy contradict each other", "scenario file"),
    ("sched-ext", _BROKEN, "The kernel's scheduler ignores weights", "Linux, sched-ext.rst"),
    ("controller-off", _BROKEN, "The cpu controller is off", "Linux, cgroup-v2.rst"),
    ("cpu-max-below-share", _CONTRADICTION, "A CPU limit is below the share",
     "Linux, cgroup-v2.rst, cpu.max"),
    ("dependency-never", _BROKEN, "Jobs wait for something impossible", _SQUEUE),
    ("job-beyond-partition", _BROKEN, "Jobs request more than their partition allows", _SQUEUE),
    ("job-without-association", _BROKEN, "Jobs of deleted accounts or QOS", _SQUEUE),
    ("partition-closed", _BROKEN, "Jobs wait in a partition that is not up", f"{_CONF}, partition State"),
    ("partition-without-nodes", _BROKEN, "All nodes of a partition are unavailable", "sinfo(1), node states"),
    ("tier-beats-fairshare", _UNUSUAL, "A partition tier outranks fairshare", f"{_CONF}, PriorityTier"),
    ("age-full", _UNUSUAL, "Jobs are too old for the age factor", f"{_CONF}, PriorityMaxAge"),
    ("nice-beats-fairshare", _UNUSUAL, "Nice outweighs fairshare", "sbatch(1), --nice"),
    ("one-fairshare-for-all", _UNUSUAL, "All pending jobs have the same fairshare", "sprio(1)"),
)  # fmt: skip
"""Stable name, severity, the problem in a few words, and documentation of the problem, of each rule."""
