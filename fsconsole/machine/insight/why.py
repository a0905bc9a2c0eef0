"""Comparison of two users' or processes' priorities: the way from the root to the leaf, factor by factor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from fsconsole.machine.insight.present import Present, process_row
from fsconsole.machine.insight.verdict import contributions, verdict
from fsconsole.policies.diagram import OURS
from fsconsole.policies.explanation import UNKNOWN, Contribution, Factor, Level, Side, Which
from fsconsole.shares.flat import Floats
from fsconsole.text import numbers
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.machine.machine import Machine

# The order of two that differ by less turns with each delta.
_ALIKE = 0.02


@dataclass(frozen=True, slots=True)
class FactorLine:
    """A factor of all sides; `own` has each side's, or None."""

    label: str
    source: str
    multiplies: bool
    own: tuple[Factor | None, ...]


def factor_lines(sides: Sequence[Side]) -> list[FactorLine]:
    """Return the factors of all sides, in the order of their first occurrence."""
    by_key = [{factor.key: factor for factor in side.factors} for side in sides]
    lines = []
    for key in dict.fromkeys(key for factors in by_key for key in factors):
        own = tuple(factors.get(key) for factors in by_key)
        first = next(factor for factor in own if factor is not None)
        lines.append(FactorLine(first.label, first.source, first.multiplies, own))
    return lines


@dataclass(frozen=True, slots=True)
class FactorRow:
    """A factor of two priorities side by side, or a result of the factors.

    Attributes:
        texts, fulls: the value of each side, rounded and in full; empty if a side has none.
        source: paper and equation.
        is_factor: whether it is a factor of the increment.
        is_result: whether it is the product of factors.
    """

    label: str
    texts: tuple[str, ...]
    fulls: tuple[str, ...]
    note: str = ""
    source: str = ""
    is_factor: bool = False
    is_result: bool = False


def _factor_rows(sides: Sequence[Side]) -> list[FactorRow]:
    """Return components, factors (with a multiplication sign), the increment, nice value and priority."""
    rows = [_factor_row(line, sides) for line in factor_lines(sides)]
    increments = [side.increment for side in sides]
    rows.append(
        _figure_row("= increment", increments, numbers.si, "priority points per tick", is_result=True)
    )
    rows.append(_figure_row("nice value", [side.nice for side in sides], str))
    halves = [side.priority_half_life_s for side in sides]
    rows.append(_figure_row("priority half-life", halves, lambda value: f"{numbers.fixed(value, 2)} s"))
    priorities = [side.priority for side in sides]
    note = "of the process that runs next (the lowest priority runs)"
    rows.append(_figure_row("priority now", priorities, numbers.si, note))
    return rows


def _factor_row(line: FactorLine, sides: Sequence[Side]) -> FactorRow:
    beside = zip(sides, line.own, strict=True)
    return FactorRow(
        f"× {line.label}" if line.multiplies else line.label,
        tuple(_factor_text(item) for item in line.own),
        tuple("" if item is None else numbers.full(item.value) for item in line.own),
        "; ".join(f"{side.name} {item.note}" for side, item in beside if item is not None and item.note),
        line.source,
        line.multiplies,
    )


def _factor_text(factor: Factor | None) -> str:
    if factor is None:
        return ""
    if factor.is_part:
        return numbers.percent(factor.value, numbers.PERCENT_OF_MACHINE_DIGITS)
    return numbers.si(factor.value)


def _figure_row(
    label: str, values: list[Any], write: Any, note: str = "", *, is_result: bool = False
) -> FactorRow:
    texts = tuple(numbers.UNKNOWN if value is None else str(write(value)) for value in values)
    fulls = tuple("" if value is None else numbers.full(value) for value in values)
    return FactorRow(label, texts, fulls, note, is_result=is_result)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The comparison of one user with another at one moment.

    Attributes:
        standing: basis of the values if that is not a running machine with all changes in force.
        ratio: product of the contributions; below 1 the first goes first. NaN without another.
        goes_first: node that goes first; None if both are equal or there is only one.
        verdict: the comparison in plain words.
    """

    policy: str
    policy_title: str
    policy_source: str
    tick: int
    time_s: float
    standing: str
    levels: tuple[Level, ...]
    first: Side
    other: Side | None
    contributions: tuple[Contribution, ...]
    ratio: float
    goes_first: int | None
    verdict: str

    @property
    def rule(self) -> str:
        """Name of the policy."""
        return self.policy

    @property
    def rule_title(self) -> str:
        """Title of the policy."""
        return self.policy_title

    @property
    def leaves_out_system(self) -> bool:
        """Whether shares and usage are of the machine without system groups."""
        return any(level.leaves_out for level in self.levels)

    @property
    def leaf(self) -> int:
        """Node of the first user."""
        return self.first.node

    @property
    def sides(self) -> tuple[Side, ...]:
        """The first, and the other if there is one."""
        return (self.first,) if self.other is None else (self.first, self.other)

    @property
    def compared(self) -> tuple[str, ...]:
        """Names of the sides."""
        return tuple(side.name for side in self.sides)

    @property
    def factors(self) -> list[FactorRow]:
        """Factors, the increment and further results as shown."""
        return _factor_rows(self.sides)

    def to_json(self) -> dict[str, Any]:
        """Return plain data, with None for unknown values."""
        known: dict[str, Any] = _known(asdict(self))
        return known


def _known(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _known(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_known(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def why(machine: Machine, node: int, other: int | None = None, *, pid: int | None = None) -> Explanation:
    """Explain the priority of a leaf's processes, compared with another leaf's; `pid` is one of the first's.

    A group is represented by the first user below it, preferably a present one. Users without an l-node are
    explained as if they logged in now.

    Raises:
        LookupError: a node is not in force, or a group is empty.
    """
    row = leaf_row(machine, node)
    beside = None if other is None else leaf_row(machine, other)
    beside = None if beside == row else beside
    situation = Present.of(machine, [row] if beside is None else [row, beside])
    levels = _levels(situation, row, beside)
    first = _side(situation, row, pid)
    second = None if beside is None else _side(situation, beside, None)
    found = () if second is None else contributions(situation, levels, first, second)
    ratio = math.prod(item.ratio for item in found) if second is not None else UNKNOWN
    alike = second is None or abs(math.log(ratio)) < _ALIKE
    ahead = first if ratio < 1.0 else second
    return Explanation(
        policy=machine.policy_spec.name,
        policy_title=situation.policy.title,
        policy_source=situation.policy.source,
        tick=machine.tick,
        time_s=machine.now_s,
        standing=_standing(situation, levels, first, second),
        levels=levels,
        first=first,
        other=second,
        contributions=found,
        ratio=ratio,
        goes_first=None if alike or ahead is None else ahead.node,
        verdict=verdict(situation, levels, first, second, found, ratio, alike=alike),
    )


def leaf_row(machine: Machine, node: int) -> int:
    """Return the row of the leaf that represents a node.

    Raises:
        LookupError: there is no such leaf.
    """
    flat = machine.flat
    if node not in flat.row_of:
        joins = node in machine.tree
        msg = "it joins at the next delta" if joins else f"no node {node} on the machine"
        raise LookupError(msg)
    row = flat.row_of[node]
    if flat.is_leaf[row]:
        return row
    below = np.arange(row, flat.end[row])
    leaves = below[flat.is_leaf[below]]
    if not len(leaves):
        msg = f"{machine.tree.node(node).name} has no users"
        raise LookupError(msg)
    return int(leaves[np.argmax(machine.state.runnable[leaves] + machine.state.lnode[leaves])])


def _way(situation: Present, row: int) -> list[int]:
    """Return the rows from below the root down to a row."""
    way, parent = [], situation.machine.flat.parent
    while row > 0:
        way.append(row)
        row = int(parent[row])
    return way[::-1]


def _levels(situation: Present, row: int, beside: int | None) -> tuple[Level, ...]:
    """Return the common part of both ways, then the rest of the first, then the rest of the other."""
    mine = _way(situation, row)
    its = [] if beside is None else _way(situation, beside)
    common = sum(1 for one, two in zip(mine, its, strict=False) if one == two)
    rows: list[tuple[int, Which, bool]] = [(at, "common", False) for at in mine[:common]]
    for way, which in ((mine[common:], "first"), (its[common:], "other")):
        rows += [(at, which, place == 0 and bool(its)) for place, at in enumerate(way)]  # type: ignore[misc]
    counted = _counted(situation, row if beside is None else [row, beside])
    return tuple(_level(situation, counted, at, which, is_parting=parts) for at, which, parts in rows)


def _counted(situation: Present, rows: int | list[int]) -> tuple[Floats, Floats, bool]:
    """Return shares and usage as fractions, [rows] each, and whether system groups are left out of both.

    They are where the scenario leaves them out, as in plots and in the machine's shell, unless a user of one
    is explained.
    """
    machine, flat, shares = situation.machine, situation.machine.flat, situation.state.entitled
    leaves_out = bool(
        machine.scenario.plot.leave_out_system and flat.is_system.any() and not flat.is_system[rows].any()
    )
    shown = ~flat.is_system if leaves_out else np.ones(len(flat), np.bool_)
    usage = flat.group_sum(np.where(shown, situation.state.usage, 0.0))
    part = usage / usage[0] if usage[0] > 0.0 else np.full(len(flat), UNKNOWN)
    return (flat.without_system(shares) if leaves_out else shares), part, leaves_out


def _level(
    situation: Present, counted: tuple[Floats, Floats, bool], row: int, which: Which, *, is_parting: bool
) -> Level:
    machine, state, flat = situation.machine, situation.state, situation.machine.flat
    siblings = np.flatnonzero(flat.parent == flat.parent[row])
    counting = siblings[_counts(situation)[siblings]]
    share, part = float(counted[0][row]), float(counted[1][row])
    node = int(flat.ids[row])
    columns = (column.key for column in situation.policy.level_columns)
    return Level(
        node=node,
        name=machine.tree.node(node).name if node in machine.tree else "removed",
        depth=len(_way(situation, row)),
        which=which,
        is_parting=is_parting,
        shares=int(flat.shares[row]),
        of_all=int(flat.shares[siblings].sum()),
        of_counted=int(flat.shares[counting].sum()),
        machine_share=float(flat.machine_share()[row]),
        share=float(state.entitled[row]),
        counted_share=share,
        usage=float(situation.group_usage[row]),
        usage_part=part,
        usage_over_share=part / share if share > 0.0 else UNKNOWN,
        leaves_out=counted[2],
        group_factor=float(situation.group_factor[row]),
        **{name: float(getattr(state, name)[row]) for name in columns},
    )


def _counts(situation: Present) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the rows whose shares count in the sums."""
    flat, machine = situation.machine.flat, situation.machine
    if machine.spec.count_inactive:
        return np.ones(len(flat), np.bool_)
    return flat.active(situation.state.leaf_active(flat))


def _side(situation: Present, row: int, pid: int | None) -> Side:
    machine, state, table = situation.machine, situation.state, situation.machine.processes
    node = int(machine.flat.ids[row])
    at = process_row(machine, row, pid)
    spec = machine.spec
    nice = machine.people.nice_of(machine.tree.node(node).name) if at is None else int(table.nice[at])
    return Side(
        node=node,
        name=machine.tree.node(node).name,
        path=machine.tree.path(node),
        pid=None if at is None else int(table.pid[at]),
        is_present=bool(machine.state.lnode[row]),
        processes=int(state.processes[row]),
        runnable=int(state.runnable[row]),
        nice=nice,
        decay=spec.priority_decay(nice),
        priority_half_life_s=spec.priority_half_life_s(nice),
        priority=None if at is None else int(table.priority[at]),
        increment=int(state.increment[row]),
        factors=_factors(situation, row),
    )


def _factors(situation: Present, row: int) -> tuple[Factor, ...]:
    """Return all factors of a leaf; their product is the increment before it is rounded.

    The last one limits a product outside the range of increments.
    """
    found = situation.policy.factors(situation, row)
    product = math.prod(factor.value for factor in found if factor.multiplies)
    limited = min(max(product, 1.0), situation.parameters.largest_increment)
    if limited == product or product <= 0.0:
        return tuple(found)
    note = "an increment is at least 1" if product < 1.0 else "the largest possible increment"
    return (*found, Factor("limit", "limit of increments", limited / product, note, OURS, True))


def _standing(situation: Present, levels: tuple[Level, ...], first: Side, other: Side | None) -> str:
    """Return a note on values that were not measured on a running machine."""
    absent = [side.name for side in (first, other) if side is not None and not side.is_present]
    sentences = []
    if situation.machine.tick == 0:
        used = "and the usages in the file" if situation.group_usage[0] > 0.0 else "alone"
        sentences.append(f"Nothing has run yet. This follows from the tree {used}.")
    if absent:
        verb, rest = ("is", "it") if len(absent) == 1 else ("are", "they")
        sentences.append(
            f"{listed(absent)} {verb} not logged in. This is as if {rest} logged in now with one process: "
            "shares are allocated among those active then."
        )
    if situation.machine.waiting:
        sentences.append("Changes wait for the next delta. This explains the machine before them.")
    if any(level.leaves_out for level in levels):
        sentences.append("* 100 % is the machine without system groups.")
    return " ".join(sentences)
