"""`scontrol show config`: the settings that fairshare and priorities follow.

Source: slurm.conf(5), priority_multifactor of Slurm 22.05, and output of Slurm 22.05.8.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from fsconsole.shares.scenario.problems import Problem, ScenarioError
from fsconsole.slurm.parsers.findings import DamagedError, Findings, shown
from fsconsole.slurm.parsers.values import known_count, length_s, non_null
from fsconsole.text.words import listed

_LINE = re.compile(r"([^\s=]+) *=(?: (.*))?")
_NEEDED = ("PriorityDecayHalfLife", "PriorityCalcPeriod", "PriorityFlags", "FairShareDampeningFactor")
_WEIGHT = "priorityweight"
WEIGHTS = tuple(
    f"PriorityWeight{of}" for of in ("Age", "Assoc", "FairShare", "JobSize", "Partition", "QOS", "TRES")
)
"""What a priority depends on. Slurm prints all of them, 0 too: one that is missing is unknown."""

_DEPTH_OBLIVIOUS = "DEPTH_OBLIVIOUS"
_BASIC = "priority/basic"

UNKNOWN_RULE = (
    "the cluster uses depth-oblivious fairshare (DEPTH_OBLIVIOUS), which the console cannot compute"
)
"""Why nothing is computed for such a cluster, in words that go on a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmConfig:
    """Settings of a cluster.

    Attributes:
        cluster: name of the cluster.
        version: version of Slurm, such as 22.05.8.
        half_life_s: time in which usage decays to a half; infinity without decay.
        calc_period_s: period at which usage and fairshares are recalculated.
        dampening: FairShareDampeningFactor, at least 1.
        flags: PriorityFlags.
        weights: PriorityWeight… by suffix in lower case: age, assoc, fairshare, jobsize, partition, qos.
        preempt_type, preempt_mode: rule of preemption, and its effect on jobs.
        values: all printed values, by key in lower case.
        utc_offset_s: offset of the cluster's time zone, s; None where it is unknown.
    """

    cluster: str
    version: str
    half_life_s: float
    calc_period_s: float
    dampening: int
    flags: frozenset[str]
    weights: Mapping[str, int]
    preempt_type: str
    preempt_mode: str
    values: Mapping[str, str]
    utc_offset_s: float | None = None

    def lacking(self, *keys: str) -> str:
        """Return the settings that were not printed, or have no value, in words; empty if all have."""
        return listed([key for key in keys if not self.values.get(key.lower())])

    @property
    def private(self) -> frozenset[str]:
        """Kinds of data in PrivateData, such as jobs; only operators see those of other users."""
        return frozenset(kind.strip() for kind in self.values.get("privatedata", "").lower().split(","))

    @property
    def is_fair_tree(self) -> bool:
        """True if fairshares are ranks of Fair Tree; else they are classic, or depth-oblivious."""
        return not self.flags & {"NO_FAIR_TREE", _DEPTH_OBLIVIOUS}

    @property
    def is_depth_oblivious(self) -> bool:
        """True if fairshares use the variant with unknown arithmetic: see `UNKNOWN_RULE`."""
        return _DEPTH_OBLIVIOUS in self.flags

    @property
    def rule(self) -> str:
        """Rule of fairshares in words."""
        if self.is_fair_tree:
            return "Fair Tree"
        return "depth-oblivious fairshare" if self.is_depth_oblivious else "classic fairshare"


class NoFairshareError(ScenarioError):
    """The cluster orders jobs without fairshare; `values` are its settings, by key in lower case."""

    def __init__(self, values: Mapping[str, str]) -> None:
        """Keep the settings."""
        text = "PriorityType is priority/basic: this cluster has no fairshare. priority/multifactor has"
        super().__init__([Problem(text)])
        self.values = values


def read_scontrol_config(text: str) -> SlurmConfig:
    """Read the settings of `scontrol show config`.

    Raises:
        NoFairshareError: the cluster has no fairshare; it is a ScenarioError.
        ScenarioError: settings are missing or damaged; it lists them.
    """
    found = Findings()
    values, line_of = _values(text)
    if values.get("prioritytype") == _BASIC:
        raise NoFairshareError(values)
    _check(values, found)
    found.refuse()

    def setting(key: str) -> str:
        return values.get(key.lower(), "")

    def time_s(key: str) -> float | None:
        try:
            length = length_s(setting(key), bare_unit_s=1.0)
            if length is not None:
                return length
            found.add(line_of[key.lower()], f"{key} has no value. Expected a length of time")
        except DamagedError as error:
            found.add(line_of[key.lower()], f"{key}: {error}")
        return None

    half_life_s = time_s("PriorityDecayHalfLife")
    config = SlurmConfig(
        cluster=setting("ClusterName"),
        version=setting("SLURM_VERSION"),
        half_life_s=half_life_s or math.inf,
        calc_period_s=time_s("PriorityCalcPeriod") or 0.0,
        dampening=_whole("FairShareDampeningFactor", values, line_of, found),
        flags=frozenset(flag.strip() for flag in non_null(setting("PriorityFlags")).split(",")) - {""},
        weights={
            key.removeprefix(_WEIGHT): _whole(key, values, line_of, found)
            for key in values
            if key.startswith(_WEIGHT) and key != f"{_WEIGHT}tres"
        },
        preempt_type=setting("PreemptType"),
        preempt_mode=setting("PreemptMode"),
        values=values,
    )
    found.refuse()
    return config


def _values(text: str) -> tuple[dict[str, str], dict[str, int]]:
    """Return values and their lines; the first of a key counts."""
    values: dict[str, str] = {}
    line_of: dict[str, int] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        match = _LINE.fullmatch(line.rstrip())
        if match and match[1].lower() not in values:
            values[match[1].lower()] = (match[2] or "").strip()
            line_of[match[1].lower()] = number
    return values, line_of


def _check(values: Mapping[str, str], found: Findings) -> None:
    missing = [key for key in _NEEDED if key.lower() not in values]
    if missing:
        found.add(0, f"no {', '.join(missing)}: this is not the whole output of `scontrol show config`")


def _whole(key: str, values: Mapping[str, str], line_of: Mapping[str, int], found: Findings) -> int:
    value = values[key.lower()]
    try:
        return known_count({key: value}, key)
    except DamagedError:
        found.add(line_of[key.lower()], f"{key} is {shown(value)}, expected a whole number")
        return 0
