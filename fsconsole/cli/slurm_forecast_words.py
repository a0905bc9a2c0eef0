"""A forecast of fairshare as a table with sentences, or as one JSON object."""

from __future__ import annotations

import math
from typing import Any

import click
import numpy as np

from fsconsole.app.forecast.question import Answer, user_effects
from fsconsole.app.forecast.sentences import FAIR_TREE, effect_words, sentences
from fsconsole.cli.tables import print_json, print_table
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.forecast import Forecast
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent

_SHOWN_ROWS = 12
_MANY_H = 1000.0
_HOUR_S = 3600.0


def report(found: Answer, *, as_json: bool) -> None:
    """Print what follows."""
    if found.forecast is None:
        return
    if as_json:
        print_json(_plain(found, found.forecast))
        if found.question.cluster.is_fair_tree:
            click.echo(f"note: {FAIR_TREE}", err=True)
        return
    if found.effect is not None:
        _print_effect(found)
    _print_times(found, found.forecast)
    for line in sentences(found):
        print(line)


def _plain(found: Answer, curves: Forecast) -> dict[str, Any]:
    asked = found.question
    tree = asked.cluster.tree
    said: dict[str, Any] = {
        "half_life_s": asked.decay.half_life_s,
        "period_s": asked.decay.period_s,
        "damp": asked.damping,
        "others": "as now" if asked.others_rate is None else asked.others_rate,
        "times_s": curves.times_s.tolist(),
        "total_usage_s": curves.total_s.tolist(),
        "users": [_user(tree, curves, place) for place in range(len(curves.rows))],
    }
    if asked.wished is not None and found.reached_s is not None:
        when = found.reached_s if math.isfinite(found.reached_s) else None
        said["target"] = {"fairshare": asked.wished, "from_s": when}
    if asked.rivals:
        said["against"] = [
            {**_who(tree, row), "turns": [{"time_s": t.time_s, "is_ahead": t.is_ahead} for t in of_row]}
            for row, of_row in zip(asked.rivals, found.turns, strict=True)
        ]
    if found.effect is not None:
        effect = found.effect
        rows = zip(effect.rows.tolist(), effect.before.tolist(), effect.after.tolist(), strict=True)
        said["shares"] = [
            {**_who(tree, row), "before": before, "after": after} for row, before, after in rows
        ]
    return said


def _user(tree: Associations, curves: Forecast, place: int) -> dict[str, Any]:
    columns = ("usage_s", "effective_usage", "fairshare")
    return _who(tree, curves.rows[place]) | {name: getattr(curves, name)[place].tolist() for name in columns}


def _who(tree: Associations, row: int) -> dict[str, Any]:
    return {"account": tree.account[row], "user": tree.user[row]}


def _print_effect(found: Answer) -> None:
    rows = [
        (row.name, f"{row.before:.6f}", f"{row.after:.6f}", f"{row.change:+.6f}")
        for row in user_effects(found, changed_only=True)
    ]
    if rows:
        print_table(("User", "Before", "After", "Change"), rows, "Fairshare at the next calculation")
    print(effect_words(found))


def _print_times(found: Answer, curves: Forecast) -> None:
    last = len(curves.times_s) - 1
    places = _shown(found, curves) if last >= _SHOWN_ROWS else range(last + 1)
    rows = [
        (
            length_words(curves.times_s[place]),
            _hours(curves.usage_s[0, place] / _HOUR_S),
            percent(curves.usage_s[0, place] / max(curves.total_s[place], 1e-300), 2),
            *(f"{value:.6f}" for value in curves.fairshare[:, place]),
        )
        for place in places
    ]
    users = [found.question.cluster.names[row] for row in curves.rows]
    headers = ("From now", "Usage, core-h", "Of the cluster", f"Fairshare of {users[0]}", *users[1:])
    print_table(headers, rows, f"Forecast for {users[0]}")


def _shown(found: Answer, curves: Forecast) -> list[int]:
    """Places at even distances, and where the user's jobs begin and end."""
    ends = [time for job in found.question.jobs for time in (job.start_s, job.end_s)]
    last_s = curves.times_s[-1]
    times = [*np.linspace(0, last_s, _SHOWN_ROWS).tolist(), *(time for time in ends if time <= last_s)]
    return sorted(
        {min(int(np.searchsorted(curves.times_s, time)), len(curves.times_s) - 1) for time in times}
    )


def _hours(value: float) -> str:
    return f"{value:.0f}" if value >= _MANY_H else f"{value:.4g}"
