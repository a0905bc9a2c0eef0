"""A forecast of fairshare as a table with sentences, or as one JSON object."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsconsole.cli.tables import print_json, print_table
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.forecast import Crossing, Forecast, Outlook, crossings, forecast, recovery_s
from fsconsole.slurm.share_change import Effect, SharesChange, effect_of
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent

_SHOWN_ROWS = 12
_MANY_H = 1000.0
_HOUR_S, _DAY_S = 3600.0, 86400.0


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """What somebody wants to know.

    Attributes:
        now: the tree before shares are changed.
        outlook: what is forecast from, with changed shares.
        row: the user; `rivals` are those to be compared with.
        changes: shares that change now.
        target: a fairshare wished for, if any.
        until_s: how far to look.
    """

    now: Associations
    outlook: Outlook
    row: int
    rivals: tuple[int, ...]
    changes: tuple[SharesChange, ...]
    target: float | None
    until_s: float


def report(asked: Asked, *, as_json: bool) -> None:
    """Work it out and print it."""
    found = forecast(asked.outlook, (asked.row, *asked.rivals), asked.until_s)
    turns = [crossings(found, 0, place) for place in range(1, len(found.rows))]
    reached_s = None if asked.target is None else recovery_s(asked.outlook, asked.row, asked.target)
    effect = effect_of(asked.now, asked.changes, asked.outlook.damping) if asked.changes else None
    if as_json:
        print_json(_plain(asked, found, turns, reached_s, effect))
        return
    if effect is not None:
        _print_effect(asked.now, effect)
    _print_times(asked, found)
    for line in _sentences(asked, found, turns, reached_s):
        print(line)


def _plain(
    asked: Asked,
    found: Forecast,
    turns: Sequence[Sequence[Crossing]],
    reached_s: float | None,
    effect: Effect | None,
) -> dict[str, Any]:
    outlook = asked.outlook
    said: dict[str, Any] = {
        "half_life_s": outlook.decay.half_life_s,
        "period_s": outlook.decay.period_s,
        "damp": outlook.damping,
        "others": "as now" if outlook.others_rate is None else outlook.others_rate,
        "times_s": found.times_s.tolist(),
        "total_usage_s": found.total_s.tolist(),
        "users": [_user(asked, found, place) for place in range(len(found.rows))],
    }
    if asked.target is not None and reached_s is not None:
        when = reached_s if math.isfinite(reached_s) else None
        said["target"] = {"fairshare": asked.target, "from_s": when}
    if asked.rivals:
        said["against"] = [
            {**_who(asked.now, row), "turns": [{"time_s": t.time_s, "is_ahead": t.is_ahead} for t in of_row]}
            for row, of_row in zip(asked.rivals, turns, strict=True)
        ]
    if effect is not None:
        rows = zip(effect.rows.tolist(), effect.before.tolist(), effect.after.tolist(), strict=True)
        said["shares"] = [
            {**_who(asked.now, row), "before": before, "after": after} for row, before, after in rows
        ]
    return said


def _user(asked: Asked, found: Forecast, place: int) -> dict[str, Any]:
    columns = ("usage_s", "effective_usage", "fairshare")
    return _who(asked.now, found.rows[place]) | {
        name: getattr(found, name)[place].tolist() for name in columns
    }


def _who(tree: Associations, row: int) -> dict[str, Any]:
    return {"account": tree.account[row], "user": tree.user[row]}


def _name(tree: Associations, row: int) -> str:
    return f"{tree.account[row]}/{tree.user[row]}"


def _print_effect(tree: Associations, effect: Effect) -> None:
    rows = [
        (_name(tree, row), f"{before:.6f}", f"{after:.6f}", f"{after - before:+.6f}")
        for row, before, after in zip(
            *(column[effect.changed].tolist() for column in (effect.rows, effect.before, effect.after)),
            strict=True,
        )
    ]
    if not rows:
        print("The new shares change nobody's fairshare at the usage of now.")
        return
    title = "Fairshare at the usage of now, where the new shares change it"
    print_table(("User", "Before", "After", "Change"), rows, title)


def _print_times(asked: Asked, found: Forecast) -> None:
    tree, last = asked.now, len(found.times_s) - 1
    places = _shown(asked, found) if last >= _SHOWN_ROWS else range(last + 1)
    rows = [
        (
            length_words(found.times_s[place]),
            _hours(found.usage_s[0, place] / _HOUR_S),
            percent(found.usage_s[0, place] / max(found.total_s[place], 1e-300), 2),
            *(f"{value:.6f}" for value in found.fairshare[:, place]),
        )
        for place in places
    ]
    users = [_name(tree, row) for row in found.rows]
    headers = ("From now", "Usage, core-h", "Of the cluster", f"Fairshare of {users[0]}", *users[1:])
    print_table(headers, rows, f"Forecast for {users[0]}")


def _shown(asked: Asked, found: Forecast) -> list[int]:
    """Places at even distances, and where the user's jobs begin and end."""
    times = np.linspace(0, found.times_s[-1], _SHOWN_ROWS).tolist()
    for one in asked.outlook.planned:
        if one.row == asked.row:
            times += [time for time in (one.spell.start_s, one.spell.end_s) if time <= found.times_s[-1]]
    return sorted({min(int(np.searchsorted(found.times_s, time)), len(found.times_s) - 1) for time in times})


def _hours(value: float) -> str:
    return f"{value:.0f}" if value >= _MANY_H else f"{value:.4g}"


def _sentences(
    asked: Asked, found: Forecast, turns: Sequence[Sequence[Crossing]], reached_s: float | None
) -> Iterator[str]:
    fairshare = found.fairshare[0]
    lowest = int(fairshare.argmin())
    yield (
        f"Fairshare is {fairshare[0]:.6f} now, lowest with {fairshare[lowest]:.6f} {_at(found, lowest)}, and "
        f"{fairshare[-1]:.6f} after {length_words(found.times_s[-1])}."
    )
    if reached_s is not None:
        yield f"Fairshare of at least {asked.target:g}: {_reached(reached_s)}."
    for row, of_row in zip(asked.rivals, turns, strict=True):
        yield f"Against {_name(asked.now, row)}: {_order(of_row)}."
    rate = asked.outlook.others_rate
    yield "Assumed: " + (
        "others go on so that their usage stays as it is." if rate is None else f"others use {rate:g} cores."
    )


def _at(found: Forecast, place: int) -> str:
    return f"after {length_words(found.times_s[place])}" if place else "now"


def _reached(reached_s: float) -> str:
    if math.isinf(reached_s):
        return "never, if all goes on so"
    return f"from {length_words(reached_s)} on" if reached_s else "now and from now on"


def _order(turns: Sequence[Crossing]) -> str:
    first = "ahead now" if turns[0].is_ahead else "not ahead now"
    later = [
        f"{'ahead' if turn.is_ahead else 'behind'} from {length_words(turn.time_s)} on" for turn in turns[1:]
    ]
    return ", ".join([first, *later])
