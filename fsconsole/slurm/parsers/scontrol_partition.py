"""`scontrol show partition`, with or without -o: access, time limits and preemption.

Source: scontrol(1) and slurm.conf(5), and output of Slurm 22.05.8.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsconsole.slurm.parsers.findings import DamagedError, Listing
from fsconsole.slurm.parsers.scontrol_records import listing
from fsconsole.slurm.parsers.values import known_count, length_s, non_null

_NEEDED = ("PartitionName", "State", "Nodes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A partition.

    Attributes:
        state: UP, DOWN, DRAIN or INACTIVE.
        nodes: names in Slurm's short form, such as n[1-4].
        max_time_s: longest time limit, infinity for no limit; None if unknown.
        job_factor: PriorityJobFactor, which the partition weight counts relative to the highest of all.
        priority_tier: jobs of a higher tier are placed first, and preempt others if preemption is by tier.
        preempt_mode: effect of preemption on its jobs, such as OFF, REQUEUE or GANG,SUSPEND.
        billing_weights: TRESBillingWeights as written, such as CPU=2.0; empty for one per CPU.
        qos: QOS whose limits also apply in it; may be empty.
        tres: TRES of its nodes as printed, such as cpu=8,mem=32G,node=2,gres/gpu=4; empty if unknown.
    """

    name: str
    state: str
    nodes: str
    node_count: int
    cpus: int
    is_default: bool
    max_time_s: float | None
    priority_tier: int
    preempt_mode: str
    billing_weights: str
    qos: str = ""
    tres: str = ""
    job_factor: int = 1


def read_scontrol_partition(text: str) -> Listing[Partition]:
    """Read the partitions; ScenarioError if problems prevent reading any of them."""
    return listing(text, "partition", _NEEDED, _partition)


def _partition(fields: Mapping[str, str]) -> Partition:
    # scontrol leaves TRESBillingWeights out where there are none, and prints N/A for no QOS.
    for key in ("QoS", *({"TRESBillingWeights"} & fields.keys())):
        if not fields.get(key):
            msg = f"it has no {key}"
            raise DamagedError(msg)
    return Partition(
        name=fields["PartitionName"],
        state=fields["State"],
        nodes=non_null(fields["Nodes"]),
        node_count=known_count(fields, "TotalNodes"),
        cpus=known_count(fields, "TotalCPUs"),
        is_default=fields.get("Default") == "YES",
        max_time_s=length_s(fields.get("MaxTime", "")),
        priority_tier=known_count(fields, _key(fields, "PriorityTier")),
        preempt_mode=non_null(fields.get("PreemptMode", "")),
        billing_weights=non_null(fields.get("TRESBillingWeights", "")),
        qos=non_null(fields["QoS"]),
        tres=non_null(fields.get("TRES", "")),
        job_factor=known_count(fields, _key(fields, "PriorityJobFactor")),
    )


def _key(fields: Mapping[str, str], key: str) -> str:
    """Return the key of a priority: before 16.05 Slurm had one for both tier and factor."""
    return "Priority" if key not in fields and "Priority" in fields else key
