"""`sacctmgr -P show qos`: qualities of service, their limits, and how they count usage.

Columns are taken by their names, as releases differ: 24.11 added MaxTRESRunMinsPA and MaxTRESRunMinsPU.
Source: sacctmgr(1), and output of Slurm 22.05.8, 24.11.5 and 26.05.5.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from fsconsole.slurm.parsers.assoc_mgr import QosInForce
from fsconsole.slurm.parsers.findings import DamagedError, Findings, Listing, shown
from fsconsole.slurm.parsers.pipes import Row, rows
from fsconsole.slurm.parsers.values import known_count

COMMAND = ("sacctmgr", "-P", "show", "qos")
_NEEDED = ("name", "priority", "flags", "usagefactor")
_NOT_LIMITS = frozenset(
    ("name", "description", "id", "priority", "gracetime", "preempt", "preemptexempttime", "preemptmode")
) | {"flags", "usagethres", "usagefactor", "limitfactor"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Qos:
    """A quality of service.

    Attributes:
        priority: raw priority; PriorityWeightQOS counts it relative to the highest of all.
        usage_factor: factor for the usage of its jobs.
        usage_threshold: least fairshare for a job; None without such a bound.
        flags: such as DenyOnLimit, NoDecay, OverPartQOS, Relative.
        preempts: QOS whose jobs it preempts.
        limits: set limits as printed, by column in lower case, such as grptres and maxjobspu; with flag
            Relative those of TRES are percent, see `relative_qos`.
        in_force: limits and their use in slurmctld; None if they were not read.
        total: amounts by TRES that percent are of, of memory in MB; empty if unknown, and without the flag.
    """

    name: str
    priority: int
    usage_factor: float
    usage_threshold: float | None
    flags: tuple[str, ...]
    preempts: tuple[str, ...]
    limits: Mapping[str, str]
    in_force: QosInForce | None = None
    total: Mapping[str, int] = field(default_factory=dict)


def read_qos(text: str) -> Listing[Qos]:
    """Read the output of sacctmgr.

    Raises:
        ScenarioError: problems prevent reading any QOS.
    """
    found, made = Findings(), list[Qos]()
    for number, row in rows(text, found, _NEEDED, " ".join(COMMAND)):
        try:
            made.append(_qos(row))
        except DamagedError as error:
            found.add(number, f"QOS {shown(row['name'])} was left out: {error}")
    return found.listing(made)


def _qos(row: Row) -> Qos:
    name = row["name"].strip()
    if not name:
        msg = "it has no name"
        raise DamagedError(msg)
    threshold = row.get("usagethres", "").strip()
    return Qos(
        name=name,
        priority=known_count(row, "priority"),
        usage_factor=_factor(row["usagefactor"].strip()),
        usage_threshold=_factor(threshold) if threshold else None,
        flags=_words(row.get("flags", "")),
        preempts=_words(row.get("preempt", "")),
        limits={
            column: value.strip()
            for column, value in row.items()
            if column not in _NOT_LIMITS and value.strip()
        },
    )


def _factor(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        msg = f"{shown(text)} is not a factor. Expected a number such as 1.0"
        raise DamagedError(msg)
    return value


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for part in text.split(",") if (word := part.strip()))
