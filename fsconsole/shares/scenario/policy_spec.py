"""The names of policies, and their settings; each new policy of `policies/` adds its own here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from fsconsole.shares.scenario.ranges import (
    JUNGLAS,
    OURS,
    SHARE,
    UNICOS,
    Range,
    outside,
    setting,
    whole_ticks,
)
from fsconsole.text.durations import LONGEST_S
from fsconsole.text.nearest import nearest_or_all

# They repeat the names in `policies`, which may not be imported here, so that a message can name the place.
POLICY_NAMES = ("share", "flat", "feedback", "fixed", "process-fair", "exponential")
_SHORTEST_S = 1e-6  # Numbers divided by shorter times leave the range of floats.


@dataclass(frozen=True, slots=True)
class PolicySpec:
    """Which policy rules the machine, and its parameters.

    Attributes:
        name: `share` (hierarchical), `flat` (leaf shares alone, groups ignored), `feedback` (share nodes and
            redistribution), `fixed` (priority by shares alone), `process-fair` (no shares) or `exponential`
            (the printed equation 1, a misprint).
        delta_s: t1, the run interval of the user-level scheduler.
        half_life_s: half-life of usage.
        rate_half_life_s: half-life of the filter that counts a user's runnable processes.
        nosched: shares decide nothing; usage and charge go on (NOSCHED).
        adjgroups: `off`, `share` for group adjustment as the Share kernel does it, or `integral` (ours).
        mingshare: group adjustment acts above 1/mingshare of a group's entitlement.
        limshare: keep effective shares below maxushare times the allocated ones (LIMSHARE).
        maxushare: largest effective share with limshare, in allocated shares.
        sharemin: smallest part of the machine that an active leaf counts as (share quantum); 0 for none.
        nu: feedback: how far ahead on the fair line redistribution aims; above 1.
        k_c: feedback: low-pass gain of the charges, per delta. 0.3 averages over 11 s at a delta of 4 s; the
            paper wants 1 to 5 minutes, which is 0.065 to 0.013.
        k_mu: feedback: gain of the share error, level by level below the root; the last one goes on. The
            paper wants it to increase with depth.
        level_half_lives_s: feedback: half-life of usage, level by level below the root; half_life_s if empty.
        redistribution_s: feedback: time between two redistributions.
        base_min: feedback: smallest base share of a node.
        min_kusage, max_kusage: limits of usage / share^2.
    """

    name: str = setting("share", "Policy", JUNGLAS)
    delta_s: float = setting(4.0, "Delta, t1", JUNGLAS)
    half_life_s: float = setting(120.0, "Half-life of usage", JUNGLAS)
    rate_half_life_s: float = setting(4.0, "Half-life of the process count", SHARE)
    nosched: bool = setting(False, "Ignore shares, NOSCHED", UNICOS)
    adjgroups: Literal["off", "share", "integral"] = setting("off", "Adjust groups, ADJGROUPS", SHARE)
    mingshare: float = setting(
        0.75, "Group minimum, mingshare", SHARE, "of entitlement", Range(0, 1, above=True)
    )
    limshare: bool = setting(False, "Limit shares, LIMSHARE", SHARE)
    maxushare: float = setting(2.0, "Most effective share", SHARE, "of allocated share", Range(1, 1000))
    sharemin: float = setting(0.0, "Share quantum, sharemin", UNICOS, "of the machine", Range(0, 0.5))
    nu: float = setting(1.1, "Aim at the fair line, nu", OURS, range=Range(1, 100, above=True))
    k_c: float = setting(0.3, "Low-pass gain, K_c", OURS, "per delta", Range(0, 1, above=True))
    k_mu: tuple[float, ...] = setting((0.5,), "Error gain, K_mu, by level", OURS, range=Range(0, 2))
    level_half_lives_s: tuple[float, ...] = setting((), "Half-lives by level", OURS)
    redistribution_s: float = setting(20.0, "Redistribution every", OURS)
    base_min: float = setting(0.01, "Least base share", OURS, "of the machine", Range(1e-6, 0.5))
    min_kusage: float = setting(2.0, "Least usage / share²", SHARE)
    max_kusage: float = setting(1e12, "Most usage / share²", SHARE)

    def problems(self, hz: int) -> list[tuple[str, str]]:
        """Return (setting, what is wrong) for values that cannot stand together."""
        found = []
        if self.name not in POLICY_NAMES:
            found.append(("name", f"unknown policy {self.name!r}{nearest_or_all(self.name, POLICY_NAMES)}"))
        if not whole_ticks(self.delta_s, hz):
            found.append(("delta_s", f"needs a whole number of ticks of 1/{hz} s"))
        times = [("half_life_s", self.half_life_s), ("rate_half_life_s", self.rate_half_life_s)]
        times += [("level_half_lives_s", value) for value in self.level_half_lives_s]
        for name, value in times:
            if not 0 < value < float("inf"):
                found.append((name, "needs a time above 0 s"))
            elif value < _SHORTEST_S:
                found.append((name, f"needs at least {_SHORTEST_S:g} s"))
        if not self.delta_s <= self.redistribution_s <= LONGEST_S:
            message = f"needs at least a delta, {self.delta_s:g} s, and at most {LONGEST_S:g} s"
            found.append(("redistribution_s", message))
        if not self.k_mu:
            found.append(("k_mu", "needs a number for the first level at least"))
        found += outside(self)
        if not 1e-15 <= self.min_kusage < self.max_kusage <= 1e15:
            found.append(("min_kusage", "must be at least 1e-15 and below max_kusage, which is at most 1e15"))
        return found


# Dialogs group the fields like this, in this order.
POLICY_SECTIONS: dict[str, tuple[str, ...]] = {
    "Policy": ("name", "nosched", "delta_s", "half_life_s", "rate_half_life_s", "sharemin"),
    "Groups (share)": ("adjgroups", "mingshare"),
    "Limits (share, flat)": ("min_kusage", "max_kusage", "limshare", "maxushare"),
    "Hierarchical feedback": ("nu", "k_c", "k_mu", "level_half_lives_s", "redistribution_s", "base_min"),
}
