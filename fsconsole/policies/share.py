"""`share`, the hierarchical Share scheduler, and `flat`, the same with groups ignored.

Sources: Junglas 1991 section 3; Everitt, Jones, Knesel equation 2 (usage / share^2, mended); the constants,
LIMSHARE and group adjustment are those of the original Share kernel; the integral variant is ours.
"""

# ruff: noqa: ANN001, ANN201, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from math import isclose, log

import numpy as np

from fsconsole.policies.accounting import DELTA, LARGEST_RATE, begin
from fsconsole.policies.compiled import compiled
from fsconsole.policies.diagram import (
    EVERITT,
    OURS,
    Block,
    Diagram,
    Wire,
    charged,
    cpu_block,
    priority_block,
    wire_of_increment,
    wire_to_cpu,
)
from fsconsole.policies.explanation import (
    Contribution,
    Factor,
    Level,
    Side,
    by_processes,
    groups_inside,
    leaves,
    parting,
    place_of_parting,
    share_words,
    used,
)
from fsconsole.policies.policy import OF_SHARE, Policy, rate_factor
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import PolicyInput, PolicyState
from fsconsole.shares.flat import FlatTree, Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario

SMALLEST_WEIGHT = 1e-6
_LARGEST_FACTOR = 1e300
# `par.own` has these places.
MIN_KUSAGE, MAX_KUSAGE, LIMSHARE, MAXUSHARE, MINGSHARE = range(5)


@compiled
def set_kusage(par, state):  # type: ignore[no-untyped-def]
    """Kusage = usage / share^2 within its limits; the upper limit for those without shares."""
    least, most = par.own[MIN_KUSAGE], par.own[MAX_KUSAGE]
    for row in range(len(state.kusage)):
        square = state.entitled[row] * state.entitled[row]
        kusage = state.usage[row] / square if square > 0.0 else most
        state.kusage[row] = min(max(kusage, least), most)
    if par.own[LIMSHARE] > 0.0:
        limit_shares(par, state)
    for row in range(len(state.kusage)):
        state.rank[row] = state.kusage[row]


@compiled
def limit_shares(par, state):  # type: ignore[no-untyped-def]
    """Apply LIMSHARE: no effective share exceeds `maxushare` times the allocated one.

    kusage = (1 / (maxushare * share) - 1) / sum of the others' 1/kusage puts the effective share there.
    """
    total = 0.0
    for leaf in par.present:
        total += 1.0 / state.kusage[leaf]
    for leaf in par.present:
        most = par.own[MAXUSHARE] * state.entitled[leaf]
        others = total - 1.0 / state.kusage[leaf]
        if 0.0 < most < 1.0 and others > 0.0 and 1.0 / state.kusage[leaf] > most * total:
            state.kusage[leaf] = min((1.0 / most - 1.0) / others, par.own[MAX_KUSAGE])


@compiled
def set_increments(par, state, is_weighted):  # type: ignore[no-untyped-def]
    """Increment = kusage * rate, times the weights of the integral group adjustment."""
    for leaf in par.present:
        wanted = state.kusage[leaf] * state.rate[leaf]
        if is_weighted:
            wanted *= state.weight[leaf]
        state.increment[leaf] = np.int64(np.rint(min(max(wanted, 1.0), par.largest_increment)))


@compiled(allocates=True)
def count_work(par, runnable):  # type: ignore[no-untyped-def]
    """Return the number of runnable processes at or below each row."""
    work = runnable.copy()
    for row in range(len(work) - 1, 0, -1):
        work[par.parent[row]] += work[row]
    return work


@compiled(allocates=True)
def fractions(par, charged, entitled, busy):  # type: ignore[no-untyped-def]
    """Return the (actual, entitled) fraction of each row among its busy siblings."""
    n = len(charged)
    charged_sum, entitled_sum = np.zeros(n), np.zeros(n)
    for row in range(1, n):
        if busy[row]:
            charged_sum[par.parent[row]] += charged[row]
            entitled_sum[par.parent[row]] += entitled[row]
    actual, due = np.zeros(n), np.zeros(n)
    for row in range(1, n):
        above = par.parent[row]
        if busy[row] and charged_sum[above] > 0.0 and entitled_sum[above] > 0.0:
            actual[row] = charged[row] / charged_sum[above]
            due[row] = entitled[row] / entitled_sum[above]
    return actual, due


@compiled(allocates=True)
def adjust_groups(par, state):  # type: ignore[no-untyped-def]
    """Apply Share's ADJGROUPS: from the root down, raise the rate below groups that got too much.

    f = mingshare * (charge fraction among siblings in the last delta) / (entitled fraction); where f > 1 the
    rates of all leaves below are multiplied by it.
    """
    work = count_work(par, state.runnable)
    # Deviation: only siblings with work count. With idle siblings in the sum, as in the literal rule, every
    # busy group exceeds its fraction, all factors exceed 1 and the rates grow without bound.
    actual, due = fractions(par, state.charged, state.entitled, (state.charged > 0.0) | (work > 0))
    factor = np.ones(len(actual))
    for row in range(1, len(factor)):
        factor[row] = factor[par.parent[row]]
        if not par.is_leaf[row] and due[row] > 0.0:
            factor[row] *= max(1.0, par.own[MINGSHARE] * actual[row] / due[row])
        # In deep trees the product of all factors may be infinite, and 0 times that is not a number.
        state.rate[row] = min(state.rate[row] * min(factor[row], _LARGEST_FACTOR), LARGEST_RATE)


@compiled(allocates=True)
def integrate_groups(par, state):  # type: ignore[no-untyped-def]
    """Integrate group weights (ours): w *= sqrt(actual / entitled), largest sibling 1.

    Leaves get the product of the weights above. Groups that had no runnable work start at 1 again.
    """
    work = count_work(par, state.runnable)
    n = len(work)
    actual, due = fractions(par, state.charged, state.entitled, work > 0)
    largest = np.zeros(n)
    own = np.ones(n)
    for row in range(1, n):
        if par.is_leaf[row]:
            continue
        above = par.parent[row]
        own[row] = state.weight[row] / state.weight[above] if work[row] > 0 else 1.0
        if due[row] > 0.0:
            own[row] = max(own[row] * math.sqrt(actual[row] / due[row]), SMALLEST_WEIGHT)
        if work[row] > 0:
            largest[above] = max(largest[above], own[row])
    state.weight[0] = 1.0
    for row in range(1, n):
        above = par.parent[row]
        scaled = own[row] / largest[above] if largest[above] > 0.0 and work[row] > 0 else own[row]
        product = state.weight[above] * (1.0 if par.is_leaf[row] else scaled)
        state.weight[row] = min(max(product, SMALLEST_WEIGHT), 1.0)


def _share(par, state, what, _):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        set_kusage(par, state)
    set_increments(par, state, False)


def _share_adjusting(par, state, what, _):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        set_kusage(par, state)
    if what & DELTA:
        adjust_groups(par, state)
    set_increments(par, state, False)


def _share_integrating(par, state, what, _):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        set_kusage(par, state)
    if what & DELTA:
        integrate_groups(par, state)
    set_increments(par, state, True)


_STEPS = {"off": _share, "share": _share_adjusting, "integral": _share_integrating}


class Share(Policy):
    """A policy whose increments rise with usage over the square of the share; `flat` ignores groups."""

    starts_level = True

    def adjgroups(self, spec: PolicySpec) -> str:
        """Return the group adjustment in force."""
        return "off" if self.ignores_groups else spec.adjgroups

    def step(self, spec: PolicySpec) -> Callable[..., None]:
        """Return the step function for the group adjustment in force."""
        return _STEPS[self.adjgroups(spec)]

    def numbers(self, given: PolicyInput) -> Floats:
        """Return min_kusage, max_kusage, limshare, maxushare and mingshare, [5]."""
        spec = given.spec
        return np.array([spec.min_kusage, spec.max_kusage, spec.limshare, spec.maxushare, spec.mingshare])

    def group_factors(self, given: PolicyInput, state: PolicyState) -> Floats:
        """Return w of the integral variant, or Share's f of the last delta, [rows]; 1 for leaves."""
        flat, adjgroups = given.flat, self.adjgroups(given.spec)
        factor = np.ones(len(flat))
        groups = np.flatnonzero(~flat.is_leaf[1:]) + 1
        if adjgroups == "integral":
            factor[groups] = state.weight[groups] / state.weight[flat.parent[groups]]
        elif adjgroups == "share":
            actual, due = fractions_of_last_delta(flat, state)
            known = groups[due[groups] > 0]
            factor[known] = np.maximum(1.0, given.spec.mingshare * actual[known] / due[known])
        return factor

    def problems(self, scenario: Scenario) -> Iterator[Problem]:
        """Yield the leaf with the highest steady usage / share^2 if that exceeds max_kusage.

        On a full machine, usage / share settles at capacity * tau for all leaves, and usage / share^2 at that
        over the leaf's share. Beyond the limit, usage no longer counts and nice alone decides.
        """
        flat, machine, policy = FlatTree.of(scenario.tree), scenario.machine, scenario.policy
        parts = flat.flat_share(flat.is_leaf) if self.ignores_groups else flat.machine_share()
        entitled = [row for row in flat.is_leaf.nonzero()[0].tolist() if parts[row] > 0]
        if not entitled:
            return
        row = min(entitled, key=parts.__getitem__)
        rest = machine.tick_cost * machine.hz * machine.cpus * policy.half_life_s / log(2) / float(parts[row])
        if rest > policy.max_kusage:
            node = scenario.tree.node(int(flat.ids[row]))
            text = f"usage / share^2 of {node.name} reaches about {rest:.2g} when all are busy. That is above"
            text += f" max_kusage {policy.max_kusage:.2g}, beyond which usage no longer counts"
            yield Problem(text, Severity.WARNING, node=node.id, path=scenario.tree.path(node.id))

    def factors(self, situation: Situation, row: int) -> list[Factor]:
        """Return usage / share^2, processes, and the weights of the groups above."""
        state, adjgroups = situation.state, self.adjgroups(situation.spec)
        raised = situation.path_factor(row) if adjgroups == "share" else 1.0
        about = f"; ADJGROUPS multiplied it by {raised:.3g} at the last delta" if raised > 1.0 else ""
        equation = f"{EVERITT}, equation 2, with the square; Junglas 3"
        kusage = float(state.kusage[row])
        found = [
            Factor("usage", "usage, decayed", float(state.usage[row]), source="Junglas 3, t1"),
            self.share_factor(situation, row, "Junglas 4 and 6"),
            Factor("kusage", "usage / share²", kusage, _kusage_note(situation, row), equation, True),
            rate_factor(situation, row, about),
        ]
        if adjgroups == "integral":
            weight = float(state.weight[row])
            found.append(
                Factor("weight", "group weights along the path", weight, "", f"{OURS}: integral", True)
            )
        return found

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Return the loop of Share: Junglas 1991, section 3."""
        state, spec = situation.state, situation.spec
        title = "÷ flat share²" if self.ignores_groups else "÷ share²"
        limits = f"{spec.min_kusage:g} to {spec.max_kusage:g}".replace("e+", "e")
        decay = f"u ← {situation.parameters.usage_decay:.4g} u + cost"
        blocks = [
            Block("decay", "Decay", decay, "Junglas 3, t1", 0, 0),
            Block("square", title, limits, f"{EVERITT}, eq. 2 mended", 1, 0),
            Block("rate", "× processes", f"half-life {spec.rate_half_life_s:g} s", "Share kernel", 2, 0),
            priority_block(situation, row, (3, 0)),
            cpu_block(situation),
        ]
        wires = [
            Wire("cpu", "decay", "charged", charged(situation, row), "fraction"),
            Wire("decay", "square", "usage", float(state.usage[row]), "cost"),
            Wire("", "square", "share", float(state.entitled[row]), "fraction"),
            Wire("square", "rate", "usage/share²", float(state.kusage[row]), "points"),
            Wire("", "rate", "processes", float(state.rate[row]), "count"),
            wire_of_increment(situation, row, "rate"),
            wire_to_cpu(situation, row),
        ]
        if (adjgroups := self.adjgroups(spec)) != "off":
            formula, source = "w ← w √(charged/due)", f"{OURS}: integral"
            if adjgroups == "share":
                formula, source = f"{spec.mingshare:g} × charged / due", "Share kernel, ADJGROUPS"
            blocks.append(Block("groups", "Groups", formula, source, 1, 1))
            group = int(situation.flat.parent[row])
            wires.append(Wire("cpu", "groups", "group", charged(situation, group), "fraction"))
            wires.append(Wire("groups", "rate", "factor", situation.path_factor(row), "factor"))
        return Diagram(about, tuple(blocks), tuple(wires))

    def contributions(
        self, situation: Situation, levels: tuple[Level, ...], first: Side, other: Side
    ) -> list[Contribution]:
        """Return the parts of shares, of usage over share, of processes and of weights.

        Shares and usage over share count where the ways part and inside. Usage / share of a leaf is that of
        the group where two ways part, times a factor from inside it.
        """
        usages, shares = _of_both(first, other, "usage"), _of_both(first, other, "share")
        kusage = first.factor("kusage") / other.factor("kusage")
        if min(*usages, *(level.usage for level in parting(levels))) > 0.0 and min(shares) > 0.0:
            found = self._by_usage(levels, usages, shares)
            limits = kusage / ((usages[0] / shares[0] ** 2) / (usages[1] / shares[1] ** 2))
            found.append(Contribution("limits", "the limits of usage / share²", limits))
        else:
            found = [Contribution("kusage", "usage and shares", kusage)]
        found.append(by_processes(first, other))
        if self.adjgroups(situation.spec) == "integral":
            weights = first.factor("weight") / other.factor("weight")
            found.append(Contribution("groups", "the group weights", weights))
        return found

    def _by_usage(
        self, levels: tuple[Level, ...], usages: tuple[float, float], shares: tuple[float, float]
    ) -> list[Contribution]:
        mine, its = parting(levels)
        own = (usages[0] / shares[0]) / (usages[1] / shares[1])
        text = f"the shares ({share_words(*leaves(levels))})"
        found = [Contribution("shares", text, shares[1] / shares[0])]
        at = own
        if not self.ignores_groups and mine.share > 0.0 and its.share > 0.0:
            at = (mine.usage / mine.share) / (its.usage / its.share)
            found.append(Contribution("inside", f"usage inside {groups_inside(levels)}", own / at))
        found.insert(0, Contribution("usage", f"usage over share of {mine.name} and {its.name}", at))
        return found

    def standing(self, levels: tuple[Level, ...]) -> str:
        """Return a sentence with the usage of both where the ways part."""
        if self.ignores_groups:
            return f"Groups do not count. {used(*leaves(levels))}."
        return f"{place_of_parting(levels)}: {used(*parting(levels))}."


_SWITCHES = OF_SHARE | {"limshare"}
SHARE = Share(
    "share",
    "Share, hierarchical",
    "Junglas 3-4; Share kernel",
    _share,
    _SWITCHES | {"adjgroups"},
    gives_groups_their_part=True,
)
FLAT = Share("flat", "Share, flat", "Everitt et al., equation 2", _share, _SWITCHES, ignores_groups=True)


def _of_both(first: Side, other: Side, key: str) -> tuple[float, float]:
    return first.factor(key), other.factor(key)


def _kusage_note(situation: Situation, row: int) -> str:
    state, spec = situation.state, situation.spec
    usage, share, kusage = float(state.usage[row]), float(state.entitled[row]), float(state.kusage[row])
    if share <= 0.0:
        return f"no shares: at its upper limit, {spec.max_kusage:g}"
    plain = min(max(usage / share**2, spec.min_kusage), spec.max_kusage)
    if not isclose(plain, kusage, rel_tol=1e-9):
        return f"LIMSHARE: raised until its effective share is {spec.maxushare:g} times its share"
    if kusage == spec.min_kusage:
        return f"at its lower limit, {spec.min_kusage:g}"
    return f"at its upper limit, {spec.max_kusage:g}" if kusage == spec.max_kusage else ""


def fractions_of_last_delta(flat: FlatTree, state: PolicyState) -> tuple[Floats, Floats]:
    """Return the charged and the entitled part of each row among its busy siblings in the last delta, [rows]
    each.

    `fractions` computes the same for one row, but Python cannot call it. Whole columns are used here: a loop
    would cost Python about 0.1 s at 10,000 nodes.
    """
    work = flat.group_sum(state.runnable.astype(np.float64))
    busy = (state.charged > 0.0) | (work > 0.0)
    kept = [np.where(busy, column, 0.0) for column in (state.charged, state.entitled)]
    sums = [np.bincount(flat.parent[1:], part[1:], len(flat))[flat.parent] for part in kept]
    known = (sums[0] > 0.0) & (sums[1] > 0.0)
    known[0] = False  # The root has no siblings.
    actual, due = (
        np.divide(part, total, out=np.zeros(len(flat)), where=known)
        for part, total in zip(kept, sums, strict=True)
    )
    return actual, due
