"""The factors of an increment, policy by policy; their product is the increment before it is rounded."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, isclose, prod

from fsconsole.machine.insight.explanation import Factor
from fsconsole.machine.insight.present import Situation
from fsconsole.policies.registry import EXPONENTIAL, FEEDBACK, FIXED, PROCESS_FAIR, SHARE
from fsconsole.policies.state import LARGEST_EXPONENT, SCALE

_EQUATION_2 = "Everitt et al., equation 2, with the square; Junglas 3"
_RATE_SOURCE = "Share kernel: runnable processes through a filter"
_OURS = "ours"


def factors_of(situation: Situation, row: int) -> tuple[Factor, ...]:
    """All factors of a leaf with an l-node, in the order of the computation."""
    found = _FACTORS[situation.parameters.policy](situation, row)
    return (*found, *_limit(situation, found))


def _share(situation: Situation, row: int) -> list[Factor]:
    state, par = situation.state, situation.parameters
    note = _kusage_note(situation, row)
    found = [
        Factor("usage", "usage, decayed", float(state.usage[row]), source="Junglas 3, t1"),
        Factor("share", _share_label(situation), float(state.entitled[row]), source="Junglas 4 and 6"),
        Factor("kusage", "usage / share²", float(state.kusage[row]), note, _EQUATION_2, True),
        _rate(situation, row),
    ]  # fmt: skip
    if par.adjgroups == 2:
        weight = float(state.weight[row])
        found.append(Factor("weight", "group weights down the path", weight, "", f"{_OURS}: integral", True))
    return found


def _share_label(situation: Situation) -> str:
    if situation.policy.ignores_groups:
        return "share of all active users, groups ignored"
    return "machine share" if situation.machine.spec.count_inactive else "allocated share"


def _kusage_note(situation: Situation, row: int) -> str:
    state, par = situation.state, situation.parameters
    usage, share, kusage = float(state.usage[row]), float(state.entitled[row]), float(state.kusage[row])
    if share <= 0.0:
        return f"no shares: at its upper limit, {par.max_kusage:g}"
    plain = min(max(usage / share**2, par.min_kusage), par.max_kusage)
    if not isclose(plain, kusage, rel_tol=1e-9):
        return f"LIMSHARE: raised so that its effective share is {par.maxushare:g} times its share"
    if kusage == par.min_kusage:
        return f"at its lower limit, {par.min_kusage:g}"
    return f"at its upper limit, {par.max_kusage:g}" if kusage == par.max_kusage else ""


def _rate(situation: Situation, row: int) -> Factor:
    state, runnable = situation.state, int(situation.state.runnable[row])
    note = f"{runnable} runnable now"
    raised = situation.path_factor(row) if situation.parameters.adjgroups == 1 else 1.0
    if raised > 1.0:
        note += f"; ADJGROUPS raised it {raised:.3g} times at the last delta"
    return Factor("rate", "processes, filtered", float(state.rate[row]), note, _RATE_SOURCE, True)


def _feedback(situation: Situation, row: int) -> list[Factor]:
    state, par = situation.state, situation.parameters
    base = float(state.base[row])
    floor = f"at its least, {par.base_min:g} ({_OURS})" if base <= par.base_min else ""
    about, target = "Everitt et al., figures 2-4 to 2-6", "Everitt et al., equations 9, 10"
    found = [
        Factor("target", "target among siblings", float(state.target[row]), "", target),
        Factor("actual", "share by target", float(state.actual[row]), "", about),
        Factor("filtered", "share charged, filtered", float(state.filtered[row]), "", about),
        Factor("base", "base share", base, floor, about),
    ]  # fmt: skip
    if par.shares[row] <= 0.0:
        return [*found, _most(situation)]
    per_base = Factor(
        "per_base", "1 / base share", 1.0 / base, floor, f"{_OURS}: nprocs / base, not base²", True
    )
    return [*found, per_base, _rate(situation, row), _scale()]


def _most(situation: Situation) -> Factor:
    most = situation.parameters.largest_increment
    return Factor("most", "no shares", most, "the largest increment there is", _OURS, True)


def _fixed(situation: Situation, row: int) -> list[Factor]:
    share = float(situation.state.entitled[row])
    found = [Factor("share", _share_label(situation), share, source="Brady et al.")]
    if share > 0.0:
        found.append(Factor("per_share", "1 / share", 1.0 / share, "", "Brady et al., FIXEDPRI", True))
        return [*found, _scale()]
    return [*found, _most(situation)]


def _process_fair(_situation: Situation, _row: int) -> list[Factor]:
    return [Factor("scale", "the same for every process", SCALE, "", "Everitt et al. 2.1.1", True)]


def _exponential(situation: Situation, row: int) -> list[Factor]:
    share, runnable = float(situation.state.entitled[row]), int(situation.state.runnable[row])
    exponent = min((1.0 - share) * runnable, LARGEST_EXPONENT)
    note = f"{runnable} in the run queue"
    source = "Everitt et al., equation 1 as printed (a misprint)"
    return [
        Factor("share", _share_label(situation), share),
        Factor("exponential", "exp((1 - share) × processes)", exp(exponent), note, source, True),
        _scale(),
    ]


def _scale() -> Factor:
    return Factor("scale", "scale of integers", SCALE, "", _OURS, True)


def _limit(situation: Situation, found: list[Factor]) -> list[Factor]:
    """The last factor, where the product lies outside what an increment can be."""
    product, most = prod(factor.value for factor in found if factor.multiplies), situation.parameters
    limited = min(max(product, 1.0), most.largest_increment)
    if limited == product or product <= 0.0:
        return []
    note = "an increment is 1 at least" if product < 1.0 else "the largest increment there is"
    return [Factor("limit", "limit of increments", limited / product, note, _OURS, True)]


_FACTORS: dict[int, Callable[[Situation, int], list[Factor]]] = {
    SHARE: _share,
    FEEDBACK: _feedback,
    FIXED: _fixed,
    PROCESS_FAIR: _process_fair,
    EXPONENTIAL: _exponential,
}
