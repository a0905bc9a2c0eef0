"""What is known of one association, as captions and values."""

from __future__ import annotations

import math

from fsconsole.slurm.association_status import AssociationStatus
from fsconsole.slurm.associations import Fairshare
from fsconsole.slurm.parsers.assoc import StoredAssociations
from fsconsole.targets.slurm.state import ClusterState
from fsconsole.text import numbers

Facts = list[tuple[str, str]]

_AGREES = 1.5e-6  # sshare rounds to six digits, from figures that are rounded too


def facts_of(state: ClusterState, row: int) -> Facts:
    """Captions and values of a row of the cluster's tree; what is not there is left out."""
    facts: Facts = []
    if state.standing is not None:
        facts += _standing(state.standing, row)
    if state.tree is not None:
        facts += _stored(state.tree.stored, row)
    return facts


def _standing(standing: AssociationStatus, row: int) -> Facts:
    printed, ours = standing.printed, standing.computed
    raw = float(standing.raw_usage[row])
    usage = numbers.percent(float(standing.norm_usage[row]), 3)
    facts = [
        ("FairShare", _both(printed, ours, "fairshare", row, 6)),
        ("LevelFS", _both(printed, ours, "level_fs", row, 4)),
        ("NormShares", _both(printed, ours, "norm_shares", row, 6)),
        ("EffectvUsage", _both(printed, ours, "effective_usage", row, 6)),
        ("Usage", f"{usage}, raw {numbers.thousands(raw)} billing-seconds" if not math.isnan(raw) else ""),
    ]
    return [(what, said) for what, said in facts if said]


def _both(printed: Fairshare, ours: Fairshare, name: str, row: int, digits: int) -> str:
    """What sshare prints; ours beside it where that is something else."""
    value, other = float(getattr(printed, name)[row]), float(getattr(ours, name)[row])
    if math.isnan(value):
        return ""
    said = numbers.fixed(value, digits)
    same = math.isnan(other) or abs(value - other) <= max(_AGREES, abs(value) * 10.0**-digits)
    return said if same else f"{said} as sshare prints it, {numbers.fixed(other, digits)} as computed here"


def _stored(stored: StoredAssociations, row: int) -> Facts:
    facts: Facts = []
    if stored.partition[row]:
        facts.append(("Partition", stored.partition[row]))
    if stored.qos[row]:
        default = f", {stored.default_qos[row]} unless said otherwise" if stored.default_qos[row] else ""
        facts.append(("QOS", ", ".join(stored.qos[row]) + default))
    limits = ", ".join(f"{name} {value}" for name, value in stored.limits[row].items() if value)
    if limits:
        facts.append(("Limits", limits))
    return facts
