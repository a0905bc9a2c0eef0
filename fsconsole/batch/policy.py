"""Who goes first among waiting jobs, and how reservations are kept: a batch policy and its parameters."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

Order = Literal["fcfs", "lxf", "relshare", "upper", "lower", "weighted"]
Form = Literal["ratio", "difference"]

DAY_S = 86400


@dataclass(frozen=True, slots=True)
class UsageWeights:
    """Weights of LSF's usage: node-hours used, node-hours running now, nodes in use or reserved.

    The paper (section II-B) names the three parts; the defaults and the 1 beside the nodes in use, which
    keeps the sum above 0, are those of LSF's own formula.
    """

    used: float = 0.7
    running: float = 0.7
    slots: float = 3.0


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """An order of waiting jobs with EASY backfilling.

    Attributes:
        order: `fcfs` by arrival; `lxf` largest (wait + runtime)/runtime first; `relshare` by entitled share
            and cumulated usage of the owner; `upper` owners above their entitled share last, `lower` owners
            below it first, by arrival otherwise; `weighted` by shares over LSF's weighted usage.
        window_s: length of the fair-share window; usage and entitlement are counted from its start.
        origin_s: a second of the trace at which a window begins.
        expected_usage: whether what running and reserved jobs will use in this window counts as used.
        form: entitled/used, or entitled less used ("remaining share").
        decay: what part of usage and entitlement is carried into the next window, 0 .. below 1.
        carry_reservation: whether a reservation counts as expected usage from one pass to the next one's
            start (not built anew at each pass).
        reservations: how many of the first jobs that do not fit hold a reservation, at least 1.
        boundary_passes: whether jobs are also looked at when a window begins.
        lxf_bound_s: runtimes below it count as this long in `lxf`; 0 for none.
        weights: for `weighted` alone.

    Raises:
        ValueError: for a parameter out of range; the message names it.
    """

    order: Order = "fcfs"
    window_s: int = DAY_S
    origin_s: int = 0
    expected_usage: bool = True
    form: Form = "ratio"
    decay: float = 0.0
    carry_reservation: bool = False
    reservations: int = 1
    boundary_passes: bool = False
    lxf_bound_s: int = 0
    weights: UsageWeights = UsageWeights()

    def __post_init__(self) -> None:
        if self.window_s < 1:
            msg = f"the fair-share window is {self.window_s} s, it must be at least 1 s"
            raise ValueError(msg)
        if not 0 <= self.decay < 1:
            msg = f"decay is {self.decay:g}, it must be 0 or more and below 1 (the part carried over)"
            raise ValueError(msg)
        if self.reservations < 1:
            msg = f"{self.reservations} reservations: at least 1 is needed, or large jobs never start"
            raise ValueError(msg)
        if self.lxf_bound_s < 0:
            msg = f"the bound of LXF is {self.lxf_bound_s} s, it must not be negative"
            raise ValueError(msg)

    @property
    def is_by_user(self) -> bool:
        """Whether all jobs of a user have one priority."""
        return self.order not in ("fcfs", "lxf")

    @property
    def label(self) -> str:
        """What people call it, such as `RelShare(1d)`; two policies that differ have different labels."""
        return _label(self)


_NAMES: dict[str, str] = {
    "fcfs": "FCFS-backfill",
    "lxf": "LXF-backfill",
    "relshare": "RelShare",
    "upper": "Upper bound",
    "lower": "Lower bound",
    "weighted": "Weighted usage",
}


def span(seconds: int) -> str:
    """A length of time in its largest whole unit: `4h`, `1d`, `90s`."""
    for unit, size in (("d", DAY_S), ("h", 3600), ("min", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _label(policy: BatchPolicy) -> str:
    name = _NAMES[policy.order]
    if policy.is_by_user:
        name = f"{name}({span(policy.window_s)})"
    parts = [_words(policy, item.name) for item in fields(policy) if _is_told(policy, item.name)]
    return ", ".join([name, *parts])


def _is_told(policy: BatchPolicy, field: str) -> bool:
    if field in ("order", "window_s") or getattr(policy, field) == getattr(_PLAIN, field):
        return False
    for_users = (
        "origin_s",
        "expected_usage",
        "form",
        "decay",
        "carry_reservation",
        "boundary_passes",
        "weights",
    )
    return policy.is_by_user if field in for_users else field != "lxf_bound_s" or policy.order == "lxf"


def _words(policy: BatchPolicy, field: str) -> str:
    weights = policy.weights
    return {
        "origin_s": f"origin {span(policy.origin_s)}",
        "expected_usage": "no expected usage",
        "form": "difference",
        "decay": f"decay {policy.decay:g}",
        "carry_reservation": "carried reservation",
        "reservations": f"{policy.reservations} reservations",
        "boundary_passes": "passes at boundaries",
        "lxf_bound_s": f"bound {span(policy.lxf_bound_s)}",
        "weights": f"weights {weights.used:g}/{weights.running:g}/{weights.slots:g}",
    }[field]


_PLAIN = BatchPolicy()

# What the command line and study files call policies; parameters are given beside the name.
POLICIES: dict[str, BatchPolicy] = {
    "fcfs-backfill": BatchPolicy("fcfs"),
    "lxf-backfill": BatchPolicy("lxf"),
    "relshare": BatchPolicy("relshare"),
    "relshare-no-expected": BatchPolicy("relshare", expected_usage=False),
    "share-upper": BatchPolicy("upper"),
    "share-lower": BatchPolicy("lower"),
    "weighted-usage": BatchPolicy("weighted"),
}
