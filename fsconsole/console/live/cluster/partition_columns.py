"""Columns of the tables of partitions and of nodes."""

from __future__ import annotations

from fsconsole.console.kit.tables import Bar, Column
from fsconsole.console.widgets.share_bar import MACHINE_BAR_WIDTH
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.targets.slurm.summary import NodeGroup, PartitionUse
from fsconsole.text import durations, numbers

_WIDEST = "0000 / 0000"
PartitionRow = tuple[Partition, PartitionUse]


def _busy(busy: int | None, cpus: int) -> str:
    return f"{numbers.UNKNOWN if busy is None else busy} / {cpus}"


def _part(busy: int | None, cpus: int) -> float | None:
    return None if busy is None or not cpus else busy / cpus


def _partition_ink(row: PartitionRow) -> str:
    return "ok" if row[0].state == "UP" else "warn"


def _node_ink(row: NodeGroup) -> str:
    state = row.state.rstrip("*~#!%$@^-+ ")
    if state.startswith(("down", "fail", "error", "unknown")) or "*" in row.state:
        return "danger"
    return "warn" if state.startswith(("drain", "maint", "reboot", "power")) else ""


PARTITION_COLUMNS: tuple[Column[PartitionRow], ...] = (
    Column("Partition", lambda row: row[0].name + ("*" if row[0].is_default else ""),
           "An asterisk marks where jobs go that name none", order=lambda row: row[0].name, width=90),
    Column("State", lambda row: row[0].state, "UP, DOWN, DRAIN or INACTIVE", ink=_partition_ink, width=54),
    Column("CPUs busy", lambda row: _busy(row[1].busy_cpus, row[1].cpus),
           "CPUs of its nodes that are allocated, whichever partition the jobs are in",
           order=lambda row: row[1].busy_cpus or 0, width=170,
           bar=Bar(lambda row: _part(row[1].busy_cpus, row[1].cpus), MACHINE_BAR_WIDTH, _WIDEST)),
    Column("Running", lambda row: numbers.thousands(row[1].running), "Jobs that run in it",
           order=lambda row: row[1].running, width=70, is_number=True),
    Column("Pending", lambda row: numbers.thousands(row[1].waiting),
           "Jobs that wait for it, each task of an array counted", order=lambda row: row[1].waiting, width=70,
           is_number=True),
    Column("Tier", lambda row: str(row[0].priority_tier),
           "PriorityTier: jobs of a higher tier are placed first", order=lambda row: row[0].priority_tier,
           width=44, is_number=True),
    Column("Preempt mode", lambda row: row[0].preempt_mode or numbers.UNKNOWN,
           "What is done to its jobs when others preempt them", width=114),
    Column("Max time", lambda row: durations.day_duration(row[0].max_time_s), "Longest time limit",
           order=lambda row: -1.0 if row[0].max_time_s is None else row[0].max_time_s, width=80,
           is_number=True),
    Column("Billing", lambda row: row[0].billing_weights or "CPU=1.0",
           "TRESBillingWeights; without any a CPU is billed once", width=80),
    Column("Nodes", lambda row: row[0].nodes),
)  # fmt: skip

NODE_COLUMNS: tuple[Column[NodeGroup], ...] = (
    Column("State", lambda row: row.state, "As sinfo has it; an asterisk: not responding", ink=_node_ink,
           width=96),
    Column("Nodes", lambda row: numbers.thousands(row.count), "How many", order=lambda row: row.count,
           width=58, is_number=True),
    Column("CPUs busy", lambda row: _busy(row.busy_cpus, row.cpus), "CPUs that are allocated",
           order=lambda row: row.busy_cpus or 0, width=190,
           bar=Bar(lambda row: _part(row.busy_cpus, row.cpus), MACHINE_BAR_WIDTH, _WIDEST)),
    Column("Names", lambda row: row.names, "In Slurm's short form", width=130),
    Column("Reason", lambda row: row.reason, "Why they are down or drained"),
)  # fmt: skip
