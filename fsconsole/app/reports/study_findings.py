"""Findings of a study in sentences: the best policy of each measure, decided differences, affected users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from fsconsole.app.study.rows import MEASURED, Column, StudyRow
from fsconsole.app.study.significance import Contrast, Significance
from fsconsole.app.study.user_tests import FEW, HIGHER, LOWER, user_tests
from fsconsole.text.numbers import fixed, signed, signed_range
from fsconsole.text.words import capitalised, count_words, listed

if TYPE_CHECKING:
    from fsconsole.app.study.state import StudyState

# Findings name these measures, with this wording in sentences and this unit.
_SPOKEN = {
    "avg_bounded_slowdown": ("average bounded slowdown", ""),
    "avg_wait_h": ("average wait", " h"),
    "p99_wait_h": ("99th percentile of waits", " h"),
    "max_wait_h": ("maximum wait", " h"),
    "over_shared": ("number of over-shared users", ""),
}
_OF_USERS = {name: _SPOKEN[name] for name in ("avg_wait_h", "avg_bounded_slowdown")}
_MOST_USERS_NAMED = 4


def findings(state: StudyState, rows: Sequence[StudyRow], known: Significance) -> tuple[str, ...]:
    """Return the sentences; `rows` are those of means over all runs."""
    return (
        *_extent(state),
        *(sentence for name in _SPOKEN for sentence in _best(name, rows, known)),
        *(sentence for name in ("avg_wait_h", "max_wait_h") for sentence in _differences(name, known)),
        *_users(state, known),
        *([f"{known.reason}."] if known.reason else []),
    )


def _extent(state: StudyState) -> Iterator[str]:
    count = state.count()
    policies = dict.fromkeys(cell.policy.label for cell in state.cells)
    runs = f"{count_words(len(policies), 'policy')} on {count_words(len(state.workloads), 'workload')}"
    yield f"{runs}: {count['done']} of {count_words(len(state.cells), 'cell')} done."
    if count["failed"]:
        yield f"{count_words(count['failed'], 'cell')} failed. Provenance lists them."


def _best(name: str, rows: Sequence[StudyRow], known: Significance) -> Iterator[str]:
    """Describe the best: `Lowest average wait: RelShare(12h), 1.51 h (1.0 to 2.1). Not decided …`."""
    place = _place(name)
    column = MEASURED[place]
    best = [row for row in rows if place in row.best]
    called, unit = _SPOKEN[name]
    if not best:
        if len(rows) > 1 and len({one.values[place].mean for one in rows}) == 1:
            value = _value(rows[0].values[place].mean, column) + unit
            yield f"{capitalised(called)}: {value} under all {len(rows)} policies."
        return
    row = best[0]
    value = _value(row.values[place].mean, column) + unit
    interval = known.interval(row.policy, name)
    ends = f" (95 % interval {_ends(interval.low, interval.high, column)})" if interval.is_known else ""
    together = f"{_named([one.policy for one in best])}, {'each ' if best[1:] else ''}{value}"
    sentence = f"Lowest {called}: {together}{ends}."
    if name in known.tied:
        tied = [one.policy for one in rows if place in one.tied]
        others = len(rows) - len(best) - len(tied)
        if tied:
            sentence += f" No significant difference from it: {_named(tied)}."
        if others:
            sentence += f" {count_words(others, 'policy is', 'policies are')} significantly worse."
    yield sentence


def _differences(name: str, known: Significance) -> Iterator[str]:
    """Describe differences: `Average wait, difference from FCFS-backfill: LXF-backfill −0.42 h (…`."""
    column, (called, unit) = MEASURED[_place(name)], _SPOKEN[name]
    found = {policy: one for (policy, measure), one in known.contrasts.items() if measure == name}
    if not found:
        return
    decided = [f"{policy} {_contrast(one, column, unit)}" for policy, one in found.items() if one.is_decided]
    rest = [policy for policy, one in found.items() if not one.is_decided]
    words = [*decided, *([f"not decided: {_named(rest)}"] if rest else [])]
    yield f"{capitalised(called)}, difference from {known.reference}: {'; '.join(words)}."


def _contrast(one: Contrast, column: Column, unit: str) -> str:
    digits = max(column.digits, 1)
    ends = f"{signed_range(one.interval.low, one.interval.high, digits)}, " if one.interval.is_known else ""
    lower = f", lower in {one.lower} of {one.lower + one.higher}"
    return f"{signed(one.difference, digits)}{unit} ({ends}p = {one.p_adjusted:.4f}{lower})"


def _users(state: StudyState, known: Significance) -> Iterator[str]:
    """Name the users who wait longer under a policy by users than under the reference."""
    judged = judged_policy(state)
    if not judged or not known.reference or judged == known.reference or state.folder is None:
        return
    for measure, (called, unit) in _OF_USERS.items():
        found = user_tests(state.users, state.folder, judged, known.reference, measure=measure)
        if found.reason:
            return
        if measure == "avg_wait_h":
            yield f"{judged} against {known.reference}, user by user: {found.words}."
            tested = found.frame.filter((pl.col("difference") > 0) & (pl.col("verdict") != FEW))
            grown = tested.sort("difference", descending=True).head(_MOST_USERS_NAMED).to_dicts()
            named = [_of_user(row, unit, with_verdict=True) for row in grown]
            if named:
                yield f"The {called} grows most for {listed(named)}."
        for verdict in (HIGHER, LOWER):
            rows = found.frame.filter(found.frame["verdict"] == verdict).to_dicts()
            named = [_of_user(row, unit) for row in rows[:_MOST_USERS_NAMED]]
            if named:
                most = f" (the {_MOST_USERS_NAMED} surest)" if len(rows) > _MOST_USERS_NAMED else ""
                yield (
                    f"The {called} is decided to be {verdict} under {judged} for {listed(named)}{most}; "
                    f"corrected for all users."
                )


def judged_policy(state: StudyState) -> str:
    """Return the label of the finished policy by users that findings speak of; empty without one."""
    done = [cell for cell in state.cells if state.state(cell) == "done"]
    labels = dict.fromkeys(cell.policy.label for cell in done if cell.policy.is_by_user)
    return "RelShare(1d)" if "RelShare(1d)" in labels else next(iter(labels), "")


def _of_user(row: dict[str, Any], unit: str, *, with_verdict: bool = False) -> str:
    """Return a user and the difference: `user 3 (+28.0 h, p = 0.6318, not decided)`."""
    verdict = f", {row['verdict']}" if with_verdict else ""
    return f"user {row['user']} ({signed(row['difference'], 1)}{unit}, p = {row['p_adjusted']:.4f}{verdict})"


def _named(policies: Sequence[str]) -> str:
    """Join the labels with semicolons, as labels have commas inside."""
    return "; ".join(policies)


def _value(value: float, column: Column) -> str:
    is_whole = column.digits == 0 and value == round(value)
    return fixed(value, 0 if is_whole else max(column.digits, 1))


def _place(name: str) -> int:
    return next(place for place, column in enumerate(MEASURED) if column.name == name)


def _ends(low: float, high: float, column: Column) -> str:
    digits = max(column.digits, 1)
    return f"{fixed(low, digits)} to {fixed(high, digits)}"
