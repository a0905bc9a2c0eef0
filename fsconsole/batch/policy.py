"""A batch policy and its parameters: the order of waiting jobs, and their reservations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from math import isfinite
from typing import Literal

from fsconsole.batch.multifactor import SLURMS_EXAMPLE, Multifactor, OutOfRangeError, setting_words

Order = Literal["fcfs", "sjf", "lxf", "conservative", "relshare", "upper", "lower", "weighted", "multifactor"]
Form = Literal["ratio", "difference"]

HOUR_S = 3600
DAY_S = 24 * HOUR_S
EVERY = 1 << 31  # This many reservations are enough for any job, since it exceeds the number of jobs.

_WITHOUT_USERS = ("fcfs", "sjf", "lxf", "conservative", "multifactor")


@dataclass(frozen=True, slots=True)
class UsageWeights:
    """Weights of LSF's usage: node-hours used, node-hours running now, nodes in use or reserved.

    The paper (section II-B) names the parts as CPU time, wall time, and running or reserved jobs. Here nodes
    are counted in place of jobs, as LSF's own formula counts job slots; the defaults, and the 1 beside the
    nodes, which keeps the sum above 0, are those of that formula.

    Raises:
        OutOfRangeError: a weight is below 0 or not finite, or nodes have no weight.
    """

    used: float = 0.7
    running: float = 0.7
    slots: float = 3.0

    def __post_init__(self) -> None:
        for name in ("used", "running", "slots"):
            weight, is_last = getattr(self, name), name == "slots"
            if not (isfinite(weight) and (weight > 0 if is_last else weight >= 0)):
                least = "above 0" if is_last else "of at least 0"
                raise OutOfRangeError(name, f"{weight:g} is not a finite number {least}")


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """An order of waiting jobs, with EASY backfilling but for `conservative`.

    Attributes:
        order: `fcfs` by arrival; `sjf` shortest runtime first, equal ones by arrival; `lxf` largest (wait +
            runtime)/runtime first; `conservative` by arrival, and every job that does not fit holds a
            reservation (Mu'alem and Feitelson 2001, section 2.2); `relshare` by entitled share and cumulated
            usage of the owner; `upper` owners above their entitled share last, `lower` owners below it first,
            by arrival otherwise; `weighted` by shares over LSF's weighted usage; `multifactor` by Slurm's
            priority, equal ones by arrival.
        window_s: length of the fair-share window; usage and entitlement are counted from its start.
        origin_s: a second of the trace at which a window begins.
        expected_usage: whether the future usage of running and reserved jobs in this window counts as used.
        form: entitled/used, or entitled minus used ("remaining share").
        decay: fraction of usage and entitlement that is carried into the next window, 0 .. below 1.
        carry_reservation: whether a reservation counts as expected usage from one pass to the next one's
            start (not built again at each pass).
        reservations: number of the first jobs that do not fit and hold a reservation, at least 1.
        boundary_passes: whether a scheduling pass also takes place when a window begins.
        lxf_bound_s: runtimes below it count as this long in `lxf`, (wait + R)/R with R = max(runtime, bound),
            so that no slowdown is below 1; 0 for none.
        lxf_printed_bound_s: the bounded slowdown as printed, (wait + runtime)/max(bound, runtime), which is
            below 1 for short jobs; 0 for none. Source: Vasupongayya 2009, section IV.
        weights: only for `weighted`.
        multifactor: only for `multifactor`.

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
    lxf_printed_bound_s: int = 0
    weights: UsageWeights = UsageWeights()
    multifactor: Multifactor = SLURMS_EXAMPLE

    def __post_init__(self) -> None:
        if self.window_s < 1:
            msg = f"the fair-share window is {self.window_s} s. It must be at least 1 s"
            raise ValueError(msg)
        if not 0 <= self.decay < 1:
            msg = f"decay is {self.decay:g}. It must be at least 0 and below 1 (the fraction carried over)"
            raise ValueError(msg)
        if self.reservations < 1:
            msg = (
                f"{self.reservations} reservations are too few. At least 1 is needed, or large jobs "
                "never start"
            )
            raise ValueError(msg)
        for bound_s in (self.lxf_bound_s, self.lxf_printed_bound_s):
            if bound_s < 0:
                msg = f"the bound of LXF is {bound_s} s. It must not be negative"
                raise ValueError(msg)
        if self.lxf_bound_s and self.lxf_printed_bound_s:
            msg = "LXF has only one bound: that of runtimes or the printed one"
            raise ValueError(msg)

    @property
    def is_by_user(self) -> bool:
        """True if all jobs of a user have the same priority."""
        return self.order not in _WITHOUT_USERS

    @property
    def remembers_usage(self) -> bool:
        """True if earlier usage counts, so that the order does not follow from the queue alone."""
        return self.is_by_user or self.order == "multifactor"

    @property
    def most_reservations(self) -> int:
        """Largest number of jobs with reservations at a time."""
        return EVERY if self.order == "conservative" else self.reservations

    @property
    def label(self) -> str:
        """Name in lists and figures, such as `RelShare(1d)`.

        Two policies that differ in any meaningful parameter have different labels.
        """
        window = f"({span(self.window_s)})" if self.is_by_user else ""
        return ", ".join([f"{_NAMES[self.order]}{window}", *_settings_words(self)])

    @property
    def family(self) -> str:
        """Common name of policies that differ only in their window: `RelShare`."""
        return ", ".join([_NAMES[self.order], *_settings_words(self)])

    def means(self, parameter: str) -> bool:
        """Return True if a parameter, by the name of its field, has an effect under this policy."""
        return parameter not in _MEANT_FOR or _MEANT_FOR[parameter](self)

    def slowdown(self, wait_s: float, runtime_s: float) -> float:
        """Return the slowdown by which `lxf` orders a job after `wait_s` of waiting."""
        counted_s = max(runtime_s, self.lxf_bound_s)
        return (wait_s + counted_s) / max(counted_s, self.lxf_printed_bound_s)

    def window_start_s(self, second: int) -> int:
        """Return the first second of the fair-share window around a second of the trace."""
        return self.origin_s + (second - self.origin_s) // self.window_s * self.window_s


def _is_by_user(policy: BatchPolicy) -> bool:
    return policy.is_by_user


# Each parameter here has an effect only under some policies; others have one under all.
_MEANT_FOR: dict[str, Callable[[BatchPolicy], bool]] = {
    **dict.fromkeys(("window_s", "origin_s", "expected_usage", "decay", "boundary_passes"), _is_by_user),
    "form": lambda policy: policy.order == "relshare",
    "carry_reservation": lambda policy: policy.is_by_user and policy.expected_usage,
    **dict.fromkeys(("lxf_bound_s", "lxf_printed_bound_s"), lambda policy: policy.order == "lxf"),
    "weights": lambda policy: policy.order == "weighted",
    "multifactor": lambda policy: policy.order == "multifactor",
    "reservations": lambda policy: policy.order != "conservative",
}

_NAMES: dict[str, str] = {
    "fcfs": "FCFS-backfill",
    "sjf": "SJF-backfill",
    "lxf": "LXF-backfill",
    "conservative": "Conservative backfill",
    "relshare": "RelShare",
    "upper": "Upper bound",
    "lower": "Lower bound",
    "weighted": "Weighted usage",
    "multifactor": "Slurm multifactor",
}


def span(seconds: int) -> str:
    """Return a length of time in its largest whole unit: `4h`, `1d`, `90s`."""
    for unit, size in (("d", DAY_S), ("h", HOUR_S), ("min", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def _settings_words(policy: BatchPolicy) -> list[str]:
    """Return all parameters that differ from the defaults, in words."""
    return [_words(policy, item.name) for item in fields(policy) if _is_shown(policy, item.name)]


def _is_shown(policy: BatchPolicy, field: str) -> bool:
    is_usual = getattr(policy, field) == getattr(_PLAIN, field)
    return field not in ("order", "window_s") and policy.means(field) and not is_usual


def _short(value: float) -> str:
    """Return a number with as few digits as identify it."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _words(policy: BatchPolicy, field: str) -> str:
    weights = policy.weights
    return {
        "origin_s": f"origin {span(policy.origin_s)}",
        "expected_usage": "no expected usage",
        "form": "difference",
        "decay": f"decay {_short(policy.decay)}",
        "carry_reservation": "carried reservation",
        "reservations": f"{policy.reservations} reservations",
        "boundary_passes": "passes at boundaries",
        "lxf_bound_s": f"bound {span(policy.lxf_bound_s)}",
        "lxf_printed_bound_s": f"printed bound {span(policy.lxf_printed_bound_s)}",
        "weights": f"weights {'/'.join(map(_short, (weights.used, weights.running, weights.slots)))}",
        "multifactor": ", ".join(setting_words(policy.multifactor)),
    }[field]


_PLAIN = BatchPolicy()

# The command line and study files use these names; parameters are given beside the name.
POLICIES: dict[str, BatchPolicy] = {
    "fcfs-backfill": BatchPolicy("fcfs"),
    "sjf-backfill": BatchPolicy("sjf"),
    "lxf-backfill": BatchPolicy("lxf"),
    "conservative-backfill": BatchPolicy("conservative"),
    "relshare": BatchPolicy("relshare"),
    "relshare-no-expected": BatchPolicy("relshare", expected_usage=False),
    "share-upper": BatchPolicy("upper"),
    "share-lower": BatchPolicy("lower"),
    "weighted-usage": BatchPolicy("weighted"),
    "slurm-multifactor": BatchPolicy("multifactor"),
}

# Lists of policies show these descriptions.
POLICY_WORDS: dict[str, str] = {
    "fcfs-backfill": "First come, first served, with EASY backfilling",
    "sjf-backfill": "Shortest job first, equal jobs by arrival, with EASY backfilling",
    "lxf-backfill": "Largest slowdown first, with EASY backfilling",
    "conservative-backfill": "First come, first served; each waiting job holds a reservation",
    "relshare": "Largest entitled share over usage first, counting expected usage",
    "relshare-no-expected": "Largest entitled share over usage first, counting only past usage",
    "share-upper": "By arrival, users above their entitled share last",
    "share-lower": "By arrival, users below their entitled share first",
    "weighted-usage": "Largest share over LSF's weighted usage first",
    "slurm-multifactor": "Slurm's priority of age, fairshare, size, partition and QOS, with EASY backfilling",
}
