"""`feedback`: the fully hierarchical scheme of Everitt, Jones and Knesel, section 2.2.2, mended.

A redistribution node gives every child a share that leads back to the fair line (equations 9 and 10; the
paper's v and n are one number, nu); a share node corrects the share that its group really gets (figures 2-4
to 2-6); a terminator turns the base share into an increment. Ours: the floor under max(u/s), the least base
share, and nprocs/base in place of nprocs/base^2, which gives 10.7/26.7/62.7 for 1:2:4.
"""

# ruff: noqa: ANN001, ANN201, ANN202 (numba infers the types of what it compiles)

from __future__ import annotations

from math import ceil, isnan, log

import numpy as np

from fsconsole.policies.accounting import DELTA, START, begin
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
    UNKNOWN,
    Contribution,
    Factor,
    Level,
    LevelColumn,
    Side,
    by_processes,
    groups_inside,
    parting,
    place_of_parting,
)
from fsconsole.policies.policy import Policy, most_factor, rate_factor, scale_factor
from fsconsole.policies.share import count_work
from fsconsole.policies.situation import Situation
from fsconsole.policies.state import SCALE, PolicyInput, Table
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.text.durations import in_words
from fsconsole.text.numbers import short_percent

# These limits between settling and hunting are rules of thumb from runs of the mended scheme. From 1 to 1.5
# times redistribution period / tau on, nu - 1 settles, by the load.
_MOST_K_MU = 0.5
_SURE = 1.5
# `par.own` and `par.own_of_row` have these places.
NU, K_C, BASE_MIN, REDISTRIBUTE_EVERY = range(4)
LEAST_REACH, K_MU = range(2)


@compiled(allocates=True)
def redistribute(par, state):  # type: ignore[no-untyped-def]
    """target_i = s_i * nu * max_j(u_j / s_j) - u_i over siblings, their sum made 1; 0 without shares."""
    n = len(state.target)
    shares_sum, farthest, sums = np.zeros(n), np.zeros(n), np.zeros(n)
    for row in range(1, n):
        shares_sum[par.parent[row]] += par.shares[row]
    for row in range(1, n):
        above = par.parent[row]
        # Deviation: a group uses no more than its part of the machine, and neither must the floor exceed
        # that.
        room = state.entitled[above] if state.entitled[above] > 0.0 else 1.0
        farthest[above] = max(farthest[above], par.own_of_row[row, LEAST_REACH] * room)
        if par.shares[row] > 0.0:
            part = par.shares[row] / shares_sum[above]
            farthest[above] = max(farthest[above], state.node_usage[row] / part)
    for row in range(1, n):
        above = par.parent[row]
        state.target[row] = 0.0
        if par.shares[row] > 0.0:
            part = par.shares[row] / shares_sum[above]
            state.target[row] = part * par.own[NU] * farthest[above] - state.node_usage[row]
            sums[above] += state.target[row]
    for row in range(1, n):
        if sums[par.parent[row]] > 0.0:
            state.target[row] /= sums[par.parent[row]]


@compiled(allocates=True)
def share_nodes(par, state):  # type: ignore[no-untyped-def]
    """Compute from the root down: actual = base(parent) * target / (targets with work), then base.

    The share error corrects the base.
    """
    n = len(state.target)
    work = count_work(par, state.runnable)
    sums = np.zeros(n)
    for row in range(1, n):
        if work[row] > 0:
            sums[par.parent[row]] += state.target[row]
    state.actual[0] = state.base[0] = 1.0
    for row in range(1, n):
        above = par.parent[row]
        whole = sums[above] if work[row] > 0 else sums[above] + state.target[row]
        state.actual[row] = state.base[above] * state.target[row] / whole if whole > 0.0 else 0.0
        base = state.actual[row]
        if par.depth[row] > 1:
            base -= par.own_of_row[row, K_MU] * (state.filtered[row] - state.actual[row])
        state.base[row] = max(par.own[BASE_MIN], base)
        state.kusage[row] = 1.0 / state.base[row]
        state.rank[row] = state.kusage[row]


@compiled
def filter_charges(par, state):  # type: ignore[no-untyped-def]
    """Low-pass filter the charges: filtered += K_c * (fraction charged in the last delta - filtered).

    The fraction is that of the machine.
    """
    for row in range(len(state.filtered)):
        fraction = state.charged[row] / par.capacity if par.capacity > 0.0 else 0.0
        state.filtered[row] += par.own[K_C] * (fraction - state.filtered[row])


@compiled
def set_increments(par, state):  # type: ignore[no-untyped-def]
    """Set increments at the terminators: nprocs / base, nprocs the filtered rate; most without shares."""
    for leaf in par.present:
        wanted = SCALE * state.rate[leaf] / state.base[leaf]
        if par.shares[leaf] <= 0.0:
            wanted = par.largest_increment
        state.increment[leaf] = np.int64(np.rint(min(max(wanted, 1.0), par.largest_increment)))


@compiled(allocates=True)
def update(par, state, is_start, is_delta, delta):  # type: ignore[no-untyped-def]
    """Filter the charges of a delta, redistribute if it is time or `is_start`, compute share nodes."""
    if is_delta:
        filter_charges(par, state)
    if is_start or delta % np.int64(par.own[REDISTRIBUTE_EVERY]) == 0:
        redistribute(par, state)
    share_nodes(par, state)


def _feedback(par, state, what, delta):  # type: ignore[no-untyped-def]
    if begin(par, state, what):
        update(par, state, what & START != 0, what & DELTA != 0, delta)
    set_increments(par, state)


def least_reach(given: PolicyInput) -> Floats:
    """Return a floor under max(u/s) of a row and its siblings where the group above has the machine, cost
    units [rows].

    Ours: equation 10 has no scale of its own and hunts while usages are tiny; its gain is the period over (nu
    - 1) * max(u/s). This keeps it below 1/1.5, as far as usages that have come to rest would.
    """
    spec = given.spec
    settled = given.level_half_life_s / (spec.delta_s * np.log(2.0))
    reach: Floats = given.capacity * np.minimum(1.5 * _redistribute_every(spec) / (spec.nu - 1.0), settled)
    return reach


def _redistribute_every(spec: PolicySpec) -> int:
    """Return the number of deltas between two redistributions."""
    return max(1, round(spec.redistribution_s / spec.delta_s))


def _gains(given: PolicyInput) -> Floats:
    # Children of the root have no share node, so the gains begin one level further down.
    return given.by_level(given.spec.k_mu, 2)


class Feedback(Policy):
    """A policy in which every group corrects its children's shares by the shares that they got."""

    instead_of_sharemin = "base_min is the smallest base share"
    level_columns = (
        LevelColumn(
            "target",
            "Target",
            f"Share of group that redistribution aims at ({EVERITT}, equations 9 and 10)",
            is_detail=True,
        ),
        LevelColumn(
            "filtered", "Charged", f"Share of machine charged, low-pass filtered ({EVERITT}, figure 2-5)"
        ),
        LevelColumn(
            "actual", "By target", "Share given by the parent's base share and the target", is_detail=True
        ),
        LevelColumn(
            "base",
            "Base",
            "Base share: the target corrected by the share error. A larger one goes first",
            is_judged=True,
        ),
    )
    has_group_diagram = redistributes = has_error_gain = True

    def numbers(self, given: PolicyInput) -> Floats:
        """Return nu, k_c, the least base share and how often bases change, [4]: the same for all rows."""
        spec = given.spec
        return np.array([spec.nu, spec.k_c, spec.base_min, _redistribute_every(spec)])

    def row_numbers(self, given: PolicyInput) -> Table:
        """Return the least reach and the gain of each row, which differ by level, float64 [rows, 2]."""
        return np.stack([least_reach(given), _gains(given)], axis=1)

    def ranges(self, spec: PolicySpec) -> dict[str, float]:
        """Return the least base share, since base shares are divided by."""
        return {"base": spec.base_min}

    def warnings(self, spec: PolicySpec) -> list[str]:
        """Return warnings about settings under which shares hunt or swing."""
        return [*_about_nu(spec), *_about_k_mu(spec)]

    def factors(self, situation: Situation, row: int) -> list[Factor]:
        """Return the shares down the path, then processes over the base share."""
        state, spec = situation.state, situation.spec
        base = float(state.base[row])
        floor = f"at its minimum, {spec.base_min:g} ({OURS})" if base <= spec.base_min else ""
        about, target = f"{EVERITT}, figures 2-4 to 2-6", f"{EVERITT}, equations 9, 10"
        found = [
            Factor("target", "target among siblings", float(state.target[row]), "", target),
            Factor("actual", "share by target", float(state.actual[row]), "", about),
            Factor("filtered", "share charged, filtered", float(state.filtered[row]), "", about),
            Factor("base", "base share", base, floor, about),
        ]
        if situation.flat.shares[row] <= 0.0:
            return [*found, most_factor(situation)]
        source = f"{OURS}: nprocs / base, not base²"
        per_base = Factor("per_base", "1 / base share", 1.0 / base, floor, source, True)
        return [*found, per_base, rate_factor(situation, row), scale_factor()]

    def diagram(self, situation: Situation, row: int, about: str) -> Diagram:
        """Return share node, redistribution node and terminator: Everitt et al., figures 2-4 to 2-6."""
        state, par, spec = situation.state, situation.parameters, situation.spec
        gain = float(_gains(situation.given)[row]) if par.depth[row] > 1 else 0.0
        error, least = f"a − {gain:g} (c − a)" if gain else "base = a", f"least {spec.base_min:g} {OURS}"
        aims, floors = f"{spec.nu:g}·s·max(u/s) − u", f"{EVERITT}, eq. 9, 10; floor {OURS}"
        decay, lowpass = f"u ← {float(par.level_decay[row]):.4g} u + cost", f"c += {spec.k_c:g} (charged − c)"
        blocks = (
            Block("decay", "Decay", decay, f"{EVERITT}, fig. 2-7", 0, 0),
            Block("redistribution", "Redistribution", aims, floors, 1, 0),
            Block("error", "Share node", error, f"{EVERITT}, fig. 2-4; {least}", 2, 0),
            Block("lowpass", "Low-pass", lowpass, f"{EVERITT}, fig. 2-5", 1, 1),
            cpu_block(situation),
        )
        wires = (
            Wire("cpu", "decay", "charged", charged(situation, row), "fraction"),
            Wire("decay", "redistribution", "usage", float(state.node_usage[row]), "cost"),
            Wire("redistribution", "error", "a, by target", float(state.actual[row]), "fraction"),
            Wire("cpu", "lowpass", "charged", charged(situation, row), "fraction"),
            Wire("lowpass", "error", "c", float(state.filtered[row]), "fraction"),
        )
        own = _terminator if situation.flat.is_leaf[row] else _group_below
        more_blocks, more_wires = own(situation, row)
        return Diagram(about, blocks + more_blocks, wires + more_wires)

    def contributions(
        self, _situation: Situation, levels: tuple[Level, ...], first: Side, other: Side
    ) -> list[Contribution]:
        """Return the parts of base shares where the ways part and inside, and of processes."""
        mine, its = parting(levels)
        own = other.factor("base") / first.factor("base")
        at = its.base / mine.base
        found = [Contribution("bases", f"the base shares of {mine.name} and {its.name}", at)]
        found.append(Contribution("inside", f"base shares inside {groups_inside(levels)}", own / at))
        if not isnan(first.factor("rate") + other.factor("rate")):
            found.append(by_processes(first, other))
        return found

    def standing(self, levels: tuple[Level, ...]) -> str:
        """Return the base shares where the ways part."""
        mine, its = parting(levels)
        base, its_base = short_percent(mine.base), short_percent(its.base)
        bases = f"{mine.name} has a base share of {base} and {its.name} of {its_base}"
        return f"{place_of_parting(levels)}: {bases}."


FEEDBACK = Feedback(
    "feedback",
    "Hierarchical feedback",
    "Everitt et al. 2.2.2, equations 9 and 10",
    _feedback,
    gives_groups_their_part=True,
)


def _terminator(situation: Situation, row: int) -> tuple[tuple[Block, ...], tuple[Wire, ...]]:
    """Return blocks and wires from a leaf's base share to its increment."""
    state = situation.state
    blocks = (
        Block("terminator", "Terminator", "processes / base", f"{OURS}: not base²", 3, 0),
        priority_block(situation, row, (3, 1)),
    )
    wires = (
        Wire("error", "terminator", "base", float(state.base[row]), "fraction"),
        Wire("", "terminator", "processes", float(state.rate[row]), "count"),
        wire_of_increment(situation, row, "terminator"),
        wire_to_cpu(situation, row),
    )
    return blocks, wires


def _group_below(situation: Situation, row: int) -> tuple[tuple[Block, ...], tuple[Wire, ...]]:
    """Return blocks and wires from a group's base share to its members."""
    state = situation.state
    blocks = (
        Block("children", "Below", "base × each target", f"{EVERITT}, fig. 2-6", 3, 0),
        Block("priority", "Processes", "of all users below", "", 3, 1),
    )
    below = float(situation.flat.group_sum(state.runnable.astype(np.float64))[row])
    wires = (
        Wire("error", "children", "base", float(state.base[row]), "fraction"),
        Wire("children", "priority", "increments", UNKNOWN, "points"),
        Wire("priority", "cpu", "runnable", below, "count"),
    )
    return blocks, wires


def _about_nu(policy: PolicySpec) -> list[str]:
    half_life_s = min(policy.level_half_lives_s or (policy.half_life_s,))
    least = policy.redistribution_s * log(2) / half_life_s  # It is redistribution period / tau.
    ahead = policy.nu - 1
    if ahead >= _SURE * least:
        return []
    what = "hunt" if ahead < least else "hunt under some loads"
    times = f"every {in_words(policy.redistribution_s)} at a half-life of {in_words(half_life_s)}"
    sure = ceil(1000 * (1 + _SURE * least)) / 1000
    message = f"nu {policy.nu:g} is too small for a redistribution {times}"
    return [f"feedback may {what}: {message}. Set nu to at least {sure:g}"]


def _about_k_mu(policy: PolicySpec) -> list[str]:
    high = [(level, gain) for level, gain in enumerate(policy.k_mu, 1) if gain > _MOST_K_MU]
    if not high:
        return []
    gains = ", ".join(f"{gain:g} at level {level}" for level, gain in high)
    return [f"feedback may swing: k_mu is {gains}. Set it to at most {_MOST_K_MU:g}"]
