"""Where the feedback policy settles and where it hunts (rules of thumb from runs of the mended scheme)."""

from __future__ import annotations

from math import ceil, log

from fsconsole.shares.scenario.durations import in_words
from fsconsole.shares.scenario.spec import PolicySpec

MOST_K_MU = 0.5
# nu - 1 settles from 1 to 1.5 times redistribution period / tau on, by the load.
_SURE = 1.5


def stability_warnings(policy: PolicySpec) -> list[str]:
    """What may keep the feedback policy from settling, one sentence each; nothing for other policies."""
    if policy.name != "feedback":
        return []
    return [*_about_nu(policy), *_about_k_mu(policy)]


def _about_nu(policy: PolicySpec) -> list[str]:
    half_life_s = min(policy.level_half_lives_s or (policy.half_life_s,))
    least = policy.redistribution_s * log(2) / half_life_s  # redistribution period / tau
    ahead = policy.nu - 1
    if ahead >= _SURE * least:
        return []
    what = "hunt" if ahead < least else "hunt under some loads"
    times = f"every {in_words(policy.redistribution_s)} at a half-life of {in_words(half_life_s)}"
    sure = ceil(1000 * (1 + _SURE * least)) / 1000
    told = f"nu {policy.nu:g} is small for a redistribution {times}"
    return [f"feedback may {what}: {told}; {sure:g} is safe"]


def _about_k_mu(policy: PolicySpec) -> list[str]:
    high = [(level, gain) for level, gain in enumerate(policy.k_mu, 1) if gain > MOST_K_MU]
    if not high:
        return []
    told = ", ".join(f"{gain:g} at level {level}" for level, gain in high)
    return [f"feedback may swing: k_mu is {told}; {MOST_K_MU:g} at most is safe"]
