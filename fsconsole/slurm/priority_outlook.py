"""A job's priority over time: its factors by the cluster's weights, with a fairshare that is forecast.

Source: priority_multifactor of Slurm 22.05 and slurm.conf(5); held against sprio. Age grows until
PriorityMaxAge, fairshare is forecast, all else stays. Without SMALL_RELATIVE_TO_TIME job size is the mean of
the parts of the cluster's nodes and CPUs that the job asks for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from fsconsole.slurm.associations import Floats
from fsconsole.slurm.billing import price, usage_factor
from fsconsole.slurm.job_priority import factors_of, title_of
from fsconsole.slurm.parsers.billing import tres_weights
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_config import WEIGHTS, SlurmConfig
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.parsers.sprio import JobPriority
from fsconsole.slurm.parsers.values import length_s, resource
from fsconsole.text.words import count_words

_RELATIVE = "SMALL_RELATIVE_TO_TIME"
_RAW_TRES = frozenset(("NO_NORMAL_ALL", "NO_NORMAL_TRES"))  # Amounts then count as they are, memory in MB.


@dataclass(frozen=True, slots=True)
class JobMix:
    """Factors of one job's priority besides its fairshare.

    Attributes:
        title: the job in words.
        fairshare_weight, age_weight: PriorityWeightFairShare and PriorityWeightAge.
        max_age_s: PriorityMaxAge.
        age_s: how long it has waited now.
        points: what stays: weighted factors by title; nice below 0.
        note: what is not counted, in a sentence; empty for nothing.
        printed: priority now, as sprio prints it; None for a job that is not submitted yet.
    """

    title: str
    fairshare_weight: int
    age_weight: int
    max_age_s: float
    age_s: float = 0.0
    points: Mapping[str, float] = field(default_factory=dict)
    note: str = ""
    printed: float | None = None

    def parts(self, times_s: Floats, fairshare: Floats) -> dict[str, Floats]:
        """Return points over time by factor, those that count, float64 [k] each; fairshare first.

        Points of an unknown fairshare are NaN.
        """
        age = np.ones(len(times_s))
        if self.max_age_s:
            age = np.minimum((self.age_s + times_s) / self.max_age_s, 1.0)
        own = self.fairshare_weight * fairshare if self.fairshare_weight else np.zeros(len(times_s))
        found = {title_of("fairshare"): own}
        if self.age_weight:
            found[title_of("age")] = self.age_weight * age
        constant = {title: np.full(len(times_s), value) for title, value in self.points.items() if value}
        return found | constant

    def priority(self, times_s: Floats, fairshare: Floats) -> Floats:
        """Return the sum, float64 [k]; never below 0, as slurmctld keeps it."""
        total: Floats = np.sum([*self.parts(times_s, fairshare).values()], axis=0)
        return np.maximum(total, 0.0)


@dataclass(frozen=True, slots=True)
class JobShape:
    """A job that is submitted now, with its requests.

    Attributes:
        nodes: nodes that it gets at least.
        gres: others by name, such as gres/gpu:a100.
        is_on_nodes: whether it gets no more than these nodes.
    """

    partition: str = ""
    qos: str = ""
    cpus: int = 1
    nodes: int = 1
    memory_mib: float = 0.0
    nice: int = 0
    gres: Mapping[str, float] = field(default_factory=dict)
    is_on_nodes: bool = False

    @property
    def amounts(self) -> dict[str, float]:
        """What it would be allocated at least, by name; a typed GRES counts as an untyped one too."""
        found = {"cpu": float(self.cpus), "node": float(self.nodes), "mem": self.memory_mib}
        for name, count in self.gres.items():
            bare = name.partition(":")[0]
            found[name] = found.get(name, 0.0) + count
            if bare != name:
                found[bare] = found.get(bare, 0.0) + count
        return found


def mix_of_waiting(row: JobPriority, config: SlurmConfig) -> JobMix:
    """Return the mix of a waiting job, from its row of sprio.

    Raises:
        ValueError: a setting, or a factor that changes, was not printed.
    """
    changing = ("Age", "FairShare")
    _require(config, *(f"PriorityWeight{name}" for name in changing))
    for name in map(str.lower, changing):
        if config.weights[name] and name not in row.parts:
            msg = f"sprio printed no {name.upper()} of job {row.job_id}, so its priority over time is unknown"
            raise ValueError(msg)
    weight, max_age_s = config.weights["age"], max_age_of(config)
    titles = {title_of(name.lower()) for name in changing}
    constant = {one.title: one.points for one in factors_of(row, config.weights) if one.title not in titles}
    age_s = row.parts["age"] / weight * max_age_s if weight else 0.0
    title, of_fairshare = f"job {row.job_id}", config.weights["fairshare"]
    return JobMix(title, of_fairshare, weight, max_age_s, age_s, constant, printed=row.priority)


def mix_of_new(
    shape: JobShape, config: SlurmConfig, partitions: Sequence[Partition], qos: Iterable[Qos]
) -> JobMix:
    """Return the mix of a job that is submitted now.

    Raises:
        ValueError: the partition or QOS does not exist, or a setting was not printed.
    """
    _require(config, *WEIGHTS)
    weights, notes = config.weights, []
    partition, qos_part = partition_of(shape.partition, partitions), _qos_part(shape.qos, list(qos))
    points = {
        "partition": weights["partition"] * _part(
            partition.job_factor, max(one.job_factor for one in partitions)
        ),
        "qos": 0.0 if math.isnan(qos_part) else weights["qos"] * qos_part,
        "tres": _tres_points(shape, config, partition),
        "nice": -float(shape.nice),
    }  # fmt: skip
    if weights["jobsize"] and _RELATIVE in config.flags:
        notes.append("Job size by time limit (SMALL_RELATIVE_TO_TIME) is not counted.")
    elif weights["jobsize"]:
        points["jobsize"] = weights["jobsize"] * _size(shape, config, partitions)
    if weights["qos"] and math.isnan(qos_part):
        notes.append("The points of its QOS are not counted: name one with qos=.")
    if weights["assoc"]:
        notes.append("Priorities of associations are not counted.")
    title = f"a new job of {count_words(shape.cpus, 'CPU')} in {partition.name}"
    by_title = {title_of(name): value for name, value in points.items()}
    note = " ".join(notes)
    return JobMix(title, weights["fairshare"], weights["age"], max_age_of(config), 0.0, by_title, note)


def max_age_of(config: SlurmConfig) -> float:
    """Return PriorityMaxAge, s; infinite where age has no weight.

    Raises:
        ValueError: it was not printed, or is not a time.
    """
    if not config.weights["age"]:
        return math.inf
    _require(config, "PriorityMaxAge")
    try:
        found = length_s(config.values["prioritymaxage"], bare_unit_s=1.0)
    except DamagedError as error:
        msg = f"PriorityMaxAge: {error}"
        raise ValueError(msg) from None
    return math.inf if found is None else found


def _require(config: SlurmConfig, *keys: str) -> None:
    """Raise ValueError if a setting was not printed: Slurm's default is that of slurm.conf alone."""
    if lacking := config.lacking(*keys):
        msg = f"`scontrol show config` printed no {lacking}, so the priority is unknown"
        raise ValueError(msg)


def charged_rate(
    shape: JobShape, config: SlurmConfig, partitions: Sequence[Partition], qos: Sequence[Qos]
) -> float:
    """Return billing units a second for what a job requests, by the weights of its partition, PriorityFlags
    and the UsageFactor of its QOS.

    Raises:
        ValueError: the partition or QOS does not exist, or the price is unknown.
    """
    partition = partition_of(shape.partition, partitions)
    _qos_part(shape.qos, list(qos))
    factor = usage_factor(shape.qos, qos)
    if math.isnan(factor):
        msg = (
            f"the QOS have different usage factors. Add one of {', '.join(f'qos={one.name}' for one in qos)}"
        )
        raise ValueError(msg)
    try:
        return price(shape.amounts, partition.billing_weights, config.flags) * factor
    except DamagedError as error:
        msg = f"TRESBillingWeights of partition {partition.name}: {error}"
        raise ValueError(msg) from None


def partition_of(name: str, partitions: Sequence[Partition]) -> Partition:
    """Return a partition by name, or the default one; ValueError if there is none."""
    if not partitions:
        msg = "no partitions are known. A capture folder has them"
        raise ValueError(msg)
    if not name:
        found = next((one for one in partitions if one.is_default), None)
        if found is None:
            names = ", ".join(f"partition={one.name}" for one in partitions)
            msg = f"no partition is the default one. Add one of {names}"
            raise ValueError(msg)
        return found
    found = next((one for one in partitions if one.name == name), None)
    if found is None:
        msg = f"no partition {name!r}. Choose one of {', '.join(one.name for one in partitions)}"
        raise ValueError(msg)
    return found


def _qos_part(name: str, known: list[Qos]) -> float:
    """Return the priority of a QOS relative to the highest; without a name that of all, NaN if it differs.

    ValueError for a QOS that is not known.
    """
    if name and not known:
        msg = "no QOS are known. A capture folder has them"
        raise ValueError(msg)
    if not name:
        return 0.0 if known and not any(one.priority for one in known) else math.nan
    found = next((one for one in known if one.name == name), None)
    if found is None:
        msg = f"no QOS {name!r}. Choose one of {', '.join(one.name for one in known)}"
        raise ValueError(msg)
    return _part(found.priority, max(one.priority for one in known))


def _size(shape: JobShape, config: SlurmConfig, partitions: Sequence[Partition]) -> float:
    """Compute the job-size factor by the largest partition, which has all nodes unless some have none."""
    nodes = max(one.node_count for one in partitions)
    cpus = max(one.cpus for one in partitions)
    found = (_part(shape.nodes, nodes) + _part(shape.cpus, cpus)) / 2
    _require(config, "PriorityFavorSmall")
    favours_small = config.values["priorityfavorsmall"].lower() in ("yes", "1")
    return 1.0 - found if favours_small else found


def _tres_points(shape: JobShape, config: SlurmConfig, partition: Partition) -> float:
    try:
        weights = tres_weights(config.values["priorityweighttres"])
    except DamagedError as error:
        msg = f"PriorityWeightTRES: {error}"
        raise ValueError(msg) from None
    asked = shape.amounts
    if config.flags & _RAW_TRES:
        return sum(weight * asked.get(name, 0.0) for name, (weight, _) in weights.items())
    if weights and not partition.tres:
        msg = f"scontrol printed no TRES of partition {partition.name}, so the priority is unknown"
        raise ValueError(msg)
    there = {name: resource(partition.tres, name) or 0.0 for name in weights}
    return sum(weight * _part(asked.get(name, 0.0), there[name]) for name, (weight, _) in weights.items())


def _part(value: float, whole: float) -> float:
    return min(value / whole, 1.0) if whole > 0 else 0.0
