"""Limits, QOS and weights of a cluster that bear on an association, as captions and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_partition import Partition

Facts = list[tuple[str, str]]

_PARTS = (
    ("grp", "Grp"), ("max", "Max"), ("mins", "Mins"), ("min", "Min"), ("tres", "TRES"), ("run", "Run"),
    ("jobs", "Jobs"), ("submit", "Submit"), ("wall", "Wall"), ("accrue", "Accrue"), ("per", "Per"),
    ("node", "Node"), ("priority", "Priority"), ("pu", "PU"), ("pa", "PA"),
)  # fmt: skip


def limit_facts(stored: StoredAssociations, row: int, qos: Sequence[Qos] = ()) -> Facts:
    """What an association may use: limits in force, and each QOS with its own, as far as they are set."""
    facts: Facts = []
    if stored.partition[row]:
        facts.append(("Partition", stored.partition[row]))
    if stored.qos[row]:
        default = f", {stored.default_qos[row]} unless said otherwise" if stored.default_qos[row] else ""
        facts.append(("QOS", ", ".join(stored.qos[row]) + default))
    facts += [(f"QOS {one.name}", said) for one in qos if one.name in stored.qos[row] and (said := _of(one))]
    if limits := _limits(stored.limits[row].items()):
        facts.append(("Limits", limits))
    return facts


def weight_facts(settings: SlurmConfig | None, partitions: Sequence[Partition]) -> Facts:
    """What priorities of jobs are made of, and what partitions bill, of the whole cluster."""
    facts: Facts = []
    if settings is not None:
        weights = [f"{name} {weight}" for name, weight in settings.weights.items() if weight]
        tres = settings.values.get("priorityweighttres", "(null)")
        facts.append(("Priority weights", ", ".join(weights)))
        facts.append(("PriorityWeightTRES", "" if tres == "(null)" else tres))
    bills = [f"{one.name} {one.billing_weights}" for one in partitions if one.billing_weights]
    facts.append(("TRESBillingWeights", "; ".join(bills)))
    return [(caption, said) for caption, said in facts if said]


def _of(qos: Qos) -> str:
    """What a QOS says beside its name; empty for one that changes nothing."""
    said = [f"priority {qos.priority}"] if qos.priority else []
    said += [f"usage counts {qos.usage_factor:g} times"] if qos.usage_factor != 1 else []
    said += [f"not below fairshare {qos.usage_threshold:g}"] if qos.usage_threshold is not None else []
    limits = _limits(qos.limits.items())
    return ", ".join((*said, *([limits] if limits else []), *qos.flags))


def _limits(limits: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{_spelt(name)} {value}" for name, value in limits if value)


def _spelt(name: str) -> str:
    """A column of sacctmgr as its manual spells it: GrpTRESMins for grptresmins."""
    said, rest = "", name
    while rest:
        word = next((pair for pair in _PARTS if rest.startswith(pair[0])), None)
        if word is None:
            return name
        said, rest = said + word[1], rest[len(word[0]) :]
    return said
