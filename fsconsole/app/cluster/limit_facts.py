"""Limits, QOS and weights of a cluster that bear on an association, as captions and values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fsconsole.slurm.limits import ASSOCIATION, Limit, limit_named, of_qos, shown
from fsconsole.slurm.own_limits import in_force
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import SlurmConfig
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.relative_qos import bounds_of, limit_words

Facts = list[tuple[str, str]]

_NO_LIMITS = ("Priority", "UsageFactor")
_PARTS = (
    ("grp", "Grp"), ("max", "Max"), ("mins", "Mins"), ("min", "Min"), ("tres", "TRES"), ("run", "Run"),
    ("jobs", "Jobs"), ("submit", "Submit"), ("wall", "Wall"), ("accrue", "Accrue"), ("per", "Per"),
    ("node", "Node"), ("priority", "Priority"), ("pu", "PU"), ("pa", "PA"),
)  # fmt: skip


def limit_facts(stored: StoredAssociations, row: int, qos: Sequence[Qos] = ()) -> Facts:
    """Return limits in force of an association with their origin, and each of its QOS."""
    facts: Facts = []
    if stored.partition[row]:
        facts.append(("Partition", stored.partition[row]))
    if stored.qos[row]:
        default = f", {stored.default_qos[row]} by default" if stored.default_qos[row] else ""
        facts.append(("QOS", ", ".join(stored.qos[row]) + default))
    usable = [one for one in qos if one.name in stored.qos[row]]
    facts += [(f"QOS {one.name}", text) for one in usable if (text := _of(one))]
    if stored.own is None:
        limits = _limits(stored.limits[row].items())
        return [*facts, ("Limits in force", limits)] if limits else facts
    if found := [text for one in ASSOCIATION if (text := _in_force(stored, row, one))]:
        facts.append(("Limits in force", ", ".join(found)))
    if shared := _shared(stored, row):
        facts.append(("Shared limits", "; ".join(shared)))
    if only := [text for one in usable if (text := _only_by(one, stored, row))]:
        facts.append(("By QOS only", ", ".join(only)))
    return facts


def _in_force(stored: StoredAssociations, row: int, limit: Limit) -> str:
    """Return a limit per job or per user in force here, with the account that it is inherited from."""
    kept, source = in_force(stored, row, limit)
    if not kept:
        return ""
    return f"{limit.label} {shown(limit, kept)}{f' from {source}' if source else ''}"


def _shared(stored: StoredAssociations, row: int) -> list[str]:
    """Return the limits that accounts above set for all their jobs together."""
    assert stored.own is not None  # noqa: S101 (who asks has seen to that)
    found, above = [], int(stored.tree.parent[row])
    while above >= 0:
        own = stored.own[above]
        kept = [(one, own[one.name]) for one in ASSOCIATION if one.name in own and not one.comes_down]
        if kept:
            text = ", ".join(f"{one.label} {shown(one, value)}" for one, value in kept)
            found.append(f"{text} of {stored.tree.account[above]}")
        above = int(stored.tree.parent[above])
    return found


def _is_set_above(stored: StoredAssociations, row: int, limit: Limit) -> bool:
    assert stored.own is not None  # noqa: S101 (who asks has seen to that)
    while row >= 0:
        if limit.name in stored.own[row]:
            return True
        row = int(stored.tree.parent[row])
    return False


def _only_by(qos: Qos, stored: StoredAssociations, row: int) -> str:
    """Return limits of a QOS that no association from here up to the root sets."""
    parts = []
    for name, kept in of_qos(qos).items():
        limit, like = limit_named(name, of_qos=True), limit_named(name.replace("PerUser", ""))
        is_set = like is not None and _is_set_above(stored, row, like)
        if limit is not None and limit.name not in _NO_LIMITS and not is_set:
            parts.append(f"{limit.label} {limit_words(qos, limit) or shown(limit, kept)}")
    return f"{', '.join(parts)} ({qos.name})" if parts else ""


def weight_facts(settings: SlurmConfig | None, partitions: Sequence[Partition]) -> Facts:
    """Return the weights of job priorities and the billing of partitions, for the whole cluster."""
    facts: Facts = []
    if settings is not None:
        weights = [f"{name} {weight}" for name, weight in settings.weights.items() if weight]
        tres = settings.values.get("priorityweighttres", "(null)")
        facts.append(("Priority weights", ", ".join(weights)))
        facts.append(("PriorityWeightTRES", "" if tres == "(null)" else tres))
    bills = [f"{one.name} {one.billing_weights}" for one in partitions if one.billing_weights]
    facts.append(("TRESBillingWeights", "; ".join(bills)))
    return [(caption, text) for caption, text in facts if text]


def _of(qos: Qos) -> str:
    """Return the settings of a QOS; empty if it changes nothing."""
    parts = [f"priority {qos.priority}"] if qos.priority else []
    parts += [f"usage counts {qos.usage_factor:g} times"] if qos.usage_factor != 1 else []
    parts += (
        [f"requires fairshare {qos.usage_threshold:g} or more"] if qos.usage_threshold is not None else []
    )
    limits = [_limit(qos, column, text) for column, text in qos.limits.items()]
    late = [
        f"{one.limit.label} {one.words_in_force} until scontrol reconfigure"
        for one in bounds_of(qos)
        if one.is_late
    ]
    return ", ".join((*parts, *filter(None, limits), *qos.flags, *late))


def _limit(qos: Qos, column: str, text: str) -> str:
    """Return a limit as sacctmgr prints it; of a relative QOS with its amounts."""
    limit = limit_named(column, of_qos=True)
    amounts = "" if limit is None else limit_words(qos, limit)
    return f"{limit.label} {amounts}" if limit is not None and amounts else _limits([(column, text)])


def _limits(limits: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{_spelt(name)} {value}" for name, value in limits if value)


def _spelt(name: str) -> str:
    """Return a column of sacctmgr as its manual spells it: GrpTRESMins for grptresmins."""
    text, rest = "", name
    while rest:
        word = next((pair for pair in _PARTS if rest.startswith(pair[0])), None)
        if word is None:
            return name
        text, rest = text + word[1], rest[len(word[0]) :]
    return text
