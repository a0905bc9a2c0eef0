"""The scheduler's constants as `charges` and `shrview` write them."""

from __future__ import annotations

from fsconsole.machine.shell import text
from fsconsole.policies.registry import policy_named
from fsconsole.shares.scenario.actions import NICE_LEVELS, NORMAL_NICE
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import MachineSpec


def decay_usage(policy: PolicySpec) -> float:
    """Return K of Everitt et al., equation 6 (mended): the fraction of usage left after a delta."""
    return float(0.5 ** (policy.delta_s / policy.half_life_s))


def constants(machine: MachineSpec, policy: PolicySpec, rate: float, *, verbose: bool) -> list[str]:
    """Return values that are the same for all users; decay factors too with `verbose`."""
    words = [
        f"half-life {text.length(policy.half_life_s)}",
        f"delta {text.length(policy.delta_s)}",
        f"rate filter {text.length(policy.rate_half_life_s)}",
    ]
    flags = [f"flags {flags_of(policy)}", "max depth none", f"policy {policy.name}"]
    costs = [
        f"tick {text.si(machine.tick_cost)}",
        f"syscall {text.si(machine.syscall_cost)}",
        f"bio {text.si(machine.bio_cost)}",
        f"tio {text.si(machine.tio_cost)}",
        f"click {text.si(machine.click_cost)}",
        f"rate now {text.si(rate)}",
    ]
    clock = [
        f"clock 1/{machine.hz} s",
        f"priorities decay each {text.length(machine.decay_interval_s)}",
        f"sharer each {text.length(machine.sharer_interval_s)}",
        f"processors {machine.cpus}",
    ]
    lines = [line for part in (words, flags, costs, clock) for line in text.paragraph(part)]
    return lines + _decays(machine, policy) if verbose else lines


def flags_of(policy: PolicySpec) -> str:
    """Return SHARE or NOSHARE, and the other flags that are set."""
    words = ["NOSHARE" if policy.nosched else "SHARE"]
    if policy.adjgroups != "off":
        words.append("ADJGROUPS" if policy.adjgroups == "share" else f"ADJGROUPS={policy.adjgroups}")
    words += ["LIMSHARE"] * policy.limshare
    words.append(policy_named(policy.name).flag)
    return " ".join(filter(None, words))


def _decays(machine: MachineSpec, policy: PolicySpec) -> list[str]:
    rate_decay = 0.5 ** (machine.decay_interval_s / policy.rate_half_life_s)
    words = [
        f"DecayUsage {decay_usage(policy):.8f}",
        f"DecayRate {rate_decay:.8f}",
        f"PriDecay {machine.priority_decay(NICE_LEVELS - 1):.8f}",
        f"PriDecayBase {machine.k3:g}",
    ]
    nices = [
        f"nice {nice}: {text.seconds(round(machine.priority_half_life_s(nice), 2))}"
        for nice in (0, NORMAL_NICE, NICE_LEVELS - 1)
    ]
    limits = [
        f"maxushare {policy.maxushare:g}",
        f"mingshare {policy.mingshare:g}",
        f"sharemin {policy.sharemin:g}",
        f"maxusage {policy.max_kusage:g}",
    ]
    half_lives = ["half-lives of priorities:", *nices]
    return text.paragraph(words) + text.paragraph(half_lives) + text.paragraph(limits)


def shrview_constants(policy: PolicySpec) -> list[str]:
    """Return the output of shconsts: K to ten digits."""
    words = [
        f"half-life {text.length(policy.half_life_s)}",
        f"delta {text.length(policy.delta_s)}",
        f"rate filter {text.length(policy.rate_half_life_s)}",
        f"flags {flags_of(policy)}",
    ]
    limits = [
        f"sharemin {policy.sharemin:g}",
        f"mingshare {policy.mingshare:g}",
        f"maxushare {policy.maxushare:g}",
    ]
    return [f" K (DecayUsage) {decay_usage(policy):.10f}", *text.paragraph(words), *text.paragraph(limits)]
