"""Rules on what a Slurm cluster enforces, records, shows, and lets others displace."""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import Site
from fsconsole.text.words import listed


@rule("associations-not-enforced")
def _associations_not_enforced(site: Site) -> Iterator[Hit]:
    if site.setting("AccountingStorageEnforce") in ("", "0"):
        yield Hit(
            "AccountingStorageEnforce",
            "AccountingStorageEnforce is not set: jobs can run without an association.",
            "Set AccountingStorageEnforce=associations,limits,qos.",
            "Users without an association can no longer submit. Add them with sacctmgr first.",
        )  # fmt: skip


@rule("no-backfill")
def _no_backfill(site: Site) -> Iterator[Hit]:
    found = site.setting("SchedulerType")
    if found == "sched/builtin":
        yield Hit(
            "SchedulerType", f"SchedulerType={found}.", "Set SchedulerType=sched/backfill.",
            "Jobs that fit before the next job's start can start earlier. Others may start later: those "
                "whose place depends on when running jobs end.",
        )  # fmt: skip


@rule("preemption-off")
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


@rule("usage-hidden")
def _usage_hidden(site: Site) -> Iterator[Hit]:
    kinds = (site.setting("PrivateData") or "").lower().split(",")
    if "usage" in kinds:
        yield Hit(
            "PrivateData", f"PrivateData={site.setting('PrivateData')}.",
            "Remove usage from PrivateData if the rules of the site allow it.",
            "sshare then shows all users the usage behind their fairshare.",
        )  # fmt: skip


@rule("limits-not-enforced")
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


@rule("no-accounting")
def _no_accounting(site: Site) -> Iterator[Hit]:
    found = site.printed.get("accountingstoragetype")
    if found in ("(null)", "accounting_storage/none"):
        yield Hit(
            "AccountingStorageType", f"AccountingStorageType={found}: fairshare has no recorded usage.",
            "Set AccountingStorageType=accounting_storage/slurmdbd.",
            "Usage is recorded from then on, for all users.",
        )  # fmt: skip
