"""Effect of each parameter at its present value, in one sentence each."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from fsconsole.shares.scenario.actions import NICE_LEVELS, NORMAL_NICE
from fsconsole.shares.scenario.calendar import CostCalendar
from fsconsole.text.durations import in_words, length_words
from fsconsole.text.numbers import percent, thousands
from fsconsole.text.words import count_words

Settings = Mapping[str, Any]
_FORGOTTEN = 0.05


def effect_of(key: str, settings: Settings) -> str:
    """Return the effect of a setting, given all settings by dotted key; empty if its meaning suffices.

    The values must be valid together.
    """
    found = _EFFECTS.get(key)
    return found(settings) if found is not None else ""


def _share_of_tick(nice: int) -> float:
    return (60 - nice) / 40


def _half_life(settings: Settings) -> str:
    half_s = settings["policy.half_life_s"]
    gone_s = half_s * math.log(_FORGOTTEN, 0.5)
    return (
        f"CPU time from {_time(half_s)} ago counts half, from {_time(2 * half_s)} ago a quarter. "
        f"After {length_words(gone_s)} less than 5 % is left."
    )


def _delta(settings: Settings) -> str:
    delta_s, hz = settings["policy.delta_s"], settings["machine.hz"]
    return (
        f"Shares, usage and edits take effect every {_time(delta_s)}, {thousands(delta_s * hz)} clock ticks."
    )


def _decay(settings: Settings) -> str:
    interval_s = settings["machine.decay_interval_s"]
    factor = settings["machine.k2"] * (NORMAL_NICE + settings["machine.k3"])
    if not 0 < factor < 1:
        return ""
    half_s = interval_s * math.log(0.5) / math.log(factor)
    last = settings["machine.k2"] * (NICE_LEVELS - 1 + settings["machine.k3"])
    slow = f", at nice {NICE_LEVELS - 1} after {interval_s * math.log(0.5) / math.log(last):.2g} s"
    words = f"A priority at nice {NORMAL_NICE} falls to half after {half_s:.2g} s"
    return f"{words}{slow if 0 < last < 1 else ''}."


def _cost(what: str, key: str) -> Callable[[Settings], str]:
    def effect(settings: Settings) -> str:
        cost, tick = settings[key], settings["machine.tick_cost"]
        if not cost:
            return f"{what} costs nothing."
        ticks = f", as much as {cost / tick:.3g} clock ticks of CPU time" if tick else ""
        return f"{what} adds {cost:g} to the usage{ticks}."

    return effect


def _tick_cost(settings: Settings) -> str:
    cost = settings["machine.tick_cost"]
    a_second = cost * settings["machine.hz"]
    return (
        f"A second of CPU time adds {thousands(a_second)} to the usage."
        if cost
        else "CPU time costs nothing."
    )


def _nice_cost(settings: Settings) -> str:
    if settings["machine.nice_cost"] == "unit":
        return "A tick costs the same at every nice value."
    cheap, dear = _share_of_tick(NICE_LEVELS - 1), _share_of_tick(0)
    base = f"A tick at nice 0 costs {dear:g} times one at nice {NORMAL_NICE}"
    return f"{base}, at nice {NICE_LEVELS - 1} {cheap:g} times."


def _calendar(settings: Settings) -> str:
    lines = settings["machine.calendar"]
    if not lines:
        return "All hours cost the same."
    start = settings["machine.start"]
    return f"The run starts at a rate of {CostCalendar(lines).rate_at(start):g}."


def _policy(settings: Settings) -> str:
    return _OF_POLICIES.get(settings["policy.name"], "")


def _yes_no(key: str, yes: str, no: str) -> Callable[[Settings], str]:
    return lambda settings: yes if settings[key] else no


def _every(key: str, what: str) -> Callable[[Settings], str]:
    return lambda settings: f"{what} every {_time(settings[key])}."


def _adjgroups(settings: Settings) -> str:
    limit = 1 / settings["policy.mingshare"]
    if settings["policy.adjgroups"] == "off":
        return "Groups above their entitlement are not slowed down."
    if settings["policy.adjgroups"] == "integral":
        return "Groups above their entitlement are slowed down, and more so the longer it lasts."
    return f"A group above {limit:.3g} times its entitlement is slowed down."


def _limshare(settings: Settings) -> str:
    most = settings["policy.maxushare"]
    if not settings["policy.limshare"]:
        return "A user with little usage may get any share of the machine for a while."
    return f"No effective share exceeds {most:g} times the allocated share."


def _kusage(settings: Settings) -> str:
    least, most = settings["policy.min_kusage"], settings["policy.max_kusage"]
    return f"The best and the worst priority by usage differ by a factor of {most / least:.2g} at most."


def _gain(settings: Settings) -> str:
    gain, delta_s = settings["policy.k_c"], settings["policy.delta_s"]
    if not 0 < gain < 1:
        return "Charges are used as they are, without averaging."
    return f"Charges are averaged over {length_words(-delta_s / math.log1p(-gain))}."


def _memory(settings: Settings) -> str:
    size = settings["memory.size_mw"]
    return (
        f"Images of {size:g} MW in all fit; others are swapped out." if size else "Memory is not simulated."
    )


def _swap(settings: Settings) -> str:
    rate = settings["memory.swap_mw_per_s"]
    return f"An image of 10 MW moves in {length_words(10 / rate)}." if rate > 0 else ""


def _limit(key: str, words: str, unlimited: str) -> Callable[[Settings], str]:
    return lambda settings: words.format(f"{settings[key]:g}") if settings[key] else unlimited


def _preferred_size(settings: Settings) -> str:
    low, high = settings["urm.preferred_from_mw"], settings["urm.preferred_to_mw"]
    if not (low or high):
        return "URM does not prefer a range of sizes."
    if not settings["urm.size_wt"]:
        return "No effect while urm.size_wt, the weight of the preferred size, is 0."
    span = f"{low:g} to {high:g} MW" if high else f"{low:g} MW or more"
    return f"URM prefers jobs of {span}."


def _time(time_s: float) -> str:
    return in_words(float(time_s))


_OF_POLICIES = {
    "share": "Groups divide the machine by their shares, and users divide the share of their group.",
    "flat": "Users divide the machine by their own shares. Groups are ignored.",
    "feedback": "Each level corrects its base shares by past usage, and hands on the rest.",
    "fixed": "Priorities follow shares alone, whatever the usage.",
    "process-fair": "All processes run alike, whatever the shares.",
    "exponential": "Priorities follow the printed equation 1, which is a misprint.",
}
_EFFECTS: dict[str, Callable[[Settings], str]] = {
    "machine.cpus": lambda settings: (
        f"{count_words(settings['machine.cpus'], 'process', 'processes')} can run at a time."
    ),
    "machine.hz": lambda settings: f"Time is counted in steps of {1000 / settings['machine.hz']:.3g} ms.",
    "machine.decay_interval_s": _decay,
    "machine.k2": _decay,
    "machine.k3": _decay,
    "machine.sharer_interval_s": _every("machine.sharer_interval_s", "Users who left are forgotten"),
    "machine.count_inactive": _yes_no(
        "machine.count_inactive",
        "The shares of inactive users stay reserved for them.",
        "The shares of inactive users go to active users.",
    ),
    "machine.io_queue": lambda settings: (
        "Devices serve requests in the order of their arrival."
        if settings["machine.io_queue"] == "fifo"
        else "Devices first serve the user whom the policy favours."
    ),
    "machine.defer_interactive_to": lambda settings: (
        f"{settings['machine.defer_interactive_to']} pays for all interactive work."
        if settings["machine.defer_interactive_to"]
        else "Users pay for their own interactive work."
    ),
    "machine.tick_cost": _tick_cost,
    "machine.nice_cost": _nice_cost,
    "machine.syscall_cost": _cost("A system call", "machine.syscall_cost"),
    "machine.bio_cost": _cost("A request to a block device", "machine.bio_cost"),
    "machine.tio_cost": _cost("A request to a stream device", "machine.tio_cost"),
    "machine.click_cost": _cost("A click of memory held for a delta", "machine.click_cost"),
    "machine.calendar": _calendar,
    "policy.name": _policy,
    "policy.nosched": _yes_no(
        "policy.nosched", "Usage is recorded, but no user is favoured.", "Shares decide which user runs."
    ),
    "policy.delta_s": _delta,
    "policy.half_life_s": _half_life,
    "policy.rate_half_life_s": lambda settings: (
        f"A process that starts counts half after {_time(settings['policy.rate_half_life_s'])}."
    ),
    "policy.sharemin": lambda settings: (
        f"An active user counts as at least {percent(settings['policy.sharemin'], 2)} of the machine."
        if settings["policy.sharemin"]
        else "Shares count as they are, even very small ones."
    ),
    "policy.adjgroups": _adjgroups,
    "policy.mingshare": _adjgroups,
    "policy.min_kusage": _kusage,
    "policy.max_kusage": _kusage,
    "policy.limshare": _limshare,
    "policy.maxushare": _limshare,
    "policy.k_c": _gain,
    "policy.redistribution_s": _every("policy.redistribution_s", "Base shares are set again"),
    "policy.base_min": lambda settings: (
        f"An active node keeps at least {percent(settings['policy.base_min'], 2)} of the machine."
    ),
    "memory.size_mw": _memory,
    "memory.swap_mw_per_s": _swap,
    "memory.min_residence_s": lambda settings: (
        f"An image stays in memory for at least {_time(settings['memory.min_residence_s'])}."
    ),
    "memory.max_outage_s": _limit(
        "memory.max_outage_s", "An image out for {} s comes first.", (
            "An image may stay out of "
            "memory for any time."
        )
    ),
    "memory.size_factor": _limit(
        "memory.size_factor",
        "The claim of an image to stay in memory falls by {} for each MW.",
        "The size of an image does not count in swapping.",
    ),
    "memory.nice_factor": _limit(
        "memory.nice_factor",
        "The claim of an image to stay in memory falls by {} for each step of nice.",
        "Nice does not count in swapping.",
    ),
    "memory.pass_s": _every("memory.pass_s", "The memory scheduler runs"),
    "memory.sds_mw": _limit("memory.sds_mw", "Users share {} MW of SDS.", "There is no SDS."),
    "memory.sds_poll_s": _every("memory.sds_poll_s", "The SDS daemon runs"),
    "memory.cpu_factor": _limit(
        "memory.cpu_factor",
        "Images come in while fewer than {} processes per processor are runnable.",
        "Images come in, however many processes are runnable.",
    ),
    "urm.run_limit": _limit("urm.run_limit", "At most {} jobs run at a time.", "Any number of jobs may run."),
    "urm.memory_mw": _limit(
        "urm.memory_mw", "Running jobs request at most {} MW.", "Running jobs may request any memory."
    ),
    "urm.preferred_from_mw": _preferred_size,
    "urm.preferred_to_mw": _preferred_size,
    "urm.pass_s": _every("urm.pass_s", "URM looks for jobs to start"),
}  # fmt: skip
