"""Rules on the resources that a Slurm cluster bills, and gives priority for."""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.app.doctor.rule import Hit, rule
from fsconsole.app.doctor.site import NO_CHANGE, Site
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.words import listed


@rule("gpu-not-billed")
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


@rule("unknown-tres-billed")
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


@rule("uneven-billing")
def _uneven_billing(site: Site) -> Iterator[Hit]:
    weighted = [one for one in site.partitions if one.billing_weights and one.nodes]
    nodes = {one.nodes for one in weighted}
    plain = [one.name for one in site.partitions if not one.billing_weights and one.nodes in nodes]
    if plain:
        weights = listed([f"{one.name} {one.billing_weights}" for one in weighted], 2)
        yield Hit(
            f"partition {plain[0]}",
            f"Without TRESBillingWeights: {listed(plain, 4)}. On the same nodes with them: {weights}.",
            "Give all partitions on the same nodes weights, or none of them.",
            "The same job then causes the same usage in each of them.",
        )  # fmt: skip


@rule("tres-weight-untracked")
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
            "Add it to AccountingStorageTRES, or remove its weight.", NO_CHANGE,
        )  # fmt: skip


@rule("max-tres-idle", PartName.PARTITIONS)
def _max_tres_idle(site: Site) -> Iterator[Hit]:
    flags = frozenset() if site.settings is None else site.settings.flags
    flag = next((one for one in ("MAX_TRES", "MAX_TRES_GRES") if one in flags), "")
    if flag and site.partitions and not any(one.billing_weights for one in site.partitions):
        yield Hit(
            "PriorityFlags", f"{flag} is set, but no partition has TRESBillingWeights.",
            f"Set TRESBillingWeights, or remove {flag}.", NO_CHANGE,
        )  # fmt: skip
