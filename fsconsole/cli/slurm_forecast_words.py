"""A forecast of fairshare as a table with sentences, or as one JSON object."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

import numpy as np

from fsconsole.app.forecast.question import Answer, user_effects
from fsconsole.app.forecast.sentences import FAIR_TREE, assumptions, effect_words, sentences
from fsconsole.app.forecast.ways import WayRow, commands_of, goal_words, is_change, way_rows
from fsconsole.app.forecast.wish import words_of
from fsconsole.cli.errors import print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.slurm.associations import Associations
from fsconsole.slurm.forecast import Forecast
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent, thousands

_SHOWN_ROWS = 12
_MANY_H = 1000.0
_HOUR_S = 3600.0


def report(found: Answer, now: datetime, *, as_json: bool) -> None:
    """Print the forecast and the effects of the changes."""
    if found.forecast is None:
        return
    if as_json:
        print_json(_plain(found, found.forecast, now))
        if found.question.cluster.is_fair_tree:
            print_problem(f"note: {FAIR_TREE}")
        return
    if found.effect is not None:
        _print_effect(found)
    _print_times(found, found.forecast)
    for line in sentences(found):
        print(line)
    if found.question.changes:
        print("\nCommands of these changes:")
        for line in commands_of(found.question.cluster, found.question.changes):
            print(line)
    if found.solution is not None:
        _print_ways(found, now)


def _print_ways(found: Answer, now: datetime) -> None:
    """Print a table of the ways, then the command of each."""
    print()
    print(goal_words(found, now))
    ways, goal = way_rows(found), found.question.goal
    rows = [(row.what, row.now, row.value, _reached(row), row.others) for row in ways]
    print_table(("Change", "Now", "Becomes", str(goal.quantity if goal else ""), "Others together"), rows)
    changes = [row.way.changes for row in ways if is_change(row.way)]
    if changes:
        beside = ", to run with those above" if found.question.changes else ""
        print(f"Commands of each way{beside}:")
    for one in changes:
        for line in commands_of(found.question.cluster, one):
            print(line)


def _reached(row: WayRow) -> str:
    return row.reached if row.way.is_enough else f"{row.reached}, not enough"


def _plain_ways(found: Answer, now: datetime) -> dict[str, Any]:
    solution, cluster = found.solution, found.question.cluster
    if solution is None:
        return {}
    goal = solution.goal
    return {
        "quantity": str(goal.quantity),
        "value": goal.value,
        "by_s": goal.time_s,
        "by": words_of(goal.time_s, now),
        "reached": _finite(solution.reached),
        "ways": [
            {
                "change": str(way.means),
                **(_who(cluster.tree, way.row) if way.row else {}),
                "now": way.now,
                "becomes": way.value,
                "reached": _finite(way.reached),
                "is_enough": way.is_enough,
                "commands": commands_of(cluster, way.changes) if is_change(way) else [],
            }
            for way in solution.ways
        ],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _plain(found: Answer, curves: Forecast, now: datetime) -> dict[str, Any]:
    asked = found.question
    tree = asked.cluster.tree
    fields: dict[str, Any] = {
        "half_life_s": _finite(asked.decay.half_life_s),
        "period_s": asked.decay.period_s,
        "damp": asked.damping,
        "others": "keep their usage" if asked.others_rate is None else asked.others_rate,
        "unit": asked.cluster.rate_unit,
        "times_s": curves.times_s.tolist(),
        "total_usage_s": curves.total_s.tolist(),
        "own": str(asked.own),
        "users": [_node(found, curves, place) for place in range(len(curves.rows))],
    }
    if found.unchanged is not None:
        fields["unchanged"] = [_node(found, found.unchanged, place) for place in range(len(curves.rows))]
        fields["commands"] = commands_of(asked.cluster, asked.changes)
    fields["assumptions"] = [*assumptions(asked)]
    if found.solution is not None:
        fields["solution"] = _plain_ways(found, now)
    if asked.mix is not None:
        fields |= {"job": asked.mix.title, "priority_now": asked.mix.printed}
    if asked.wished is not None and found.reached_s is not None:
        when = found.reached_s if math.isfinite(found.reached_s) else None
        fields["target"] = {"fairshare": asked.wished, "from_s": when}
    if asked.rivals:
        fields["against"] = [
            {**_who(tree, row), "turns": [{"time_s": t.time_s, "is_ahead": t.is_ahead} for t in of_row]}
            for row, of_row in zip(asked.rivals, found.turns, strict=True)
        ]
    if found.effect is not None:
        effect = found.effect
        rows = zip(effect.rows.tolist(), effect.before.tolist(), effect.after.tolist(), strict=True)
        fields["shares"] = [
            {**_who(tree, row), "before": before, "after": after} for row, before, after in rows
        ]
    return fields


def _node(found: Answer, curves: Forecast, place: int) -> dict[str, Any]:
    """Return a user or an account over time; an account with the lowest and highest of its users."""
    tree, mix = found.question.cluster.tree, found.question.mix
    columns = ["usage_s", "effective_usage", "fairshare"]
    fields = _who(tree, curves.rows[place])
    if not fields["user"]:
        columns += ["lowest", "highest"]
    if found.question.cluster.is_fair_tree:
        columns.append("level_fs")
    fields |= {name: [_finite(value) for value in getattr(curves, name)[place].tolist()] for name in columns}
    if mix is not None:
        fields["priority"] = mix.priority(curves.times_s, curves.fairshare[place]).tolist()
    return fields


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
    names = [found.question.cluster.names[row] for row in curves.rows]
    columns = {name: curves.fairshare[place] for place, name in enumerate(names)}
    if found.unchanged is not None:
        old = found.unchanged
        before = np.searchsorted(old.times_s, curves.times_s, side="right") - 1
        columns["Unchanged"] = old.fairshare[0, before]
    mix = found.question.mix
    rows = [
        (
            length_words(curves.times_s[place]) if curves.times_s[place] else "next calculation",
            _hours(curves.usage_s[0, place] / _HOUR_S),
            percent(curves.usage_s[0, place] / max(curves.total_s[place], 1e-300), 2),
            *(f"{values[place]:.6f}" for values in columns.values()),
            *([] if mix is None else [thousands(mix.priority(curves.times_s, curves.fairshare[0])[place])]),
        )
        for place in places
    ]
    priority = [] if mix is None else [f"Priority of {mix.title}"]
    headers = (
        "From now",
        f"Usage, {found.question.cluster.usage_unit}",
        "Usage of cluster",
        f"Fairshare of {names[0]}",
        *[*columns][1:],
        *priority,
    )
    print_table(headers, rows, f"Forecast for {names[0]}")


def _shown(found: Answer, curves: Forecast) -> list[int]:
    """Choose places at even distances, and where the user's jobs begin and end."""
    ends = [time for job in found.question.jobs for time in (job.start_s, job.end_s)]
    last_s = curves.times_s[-1]
    times = [*np.linspace(0, last_s, _SHOWN_ROWS).tolist(), *(time for time in ends if time <= last_s)]
    return sorted(
        {min(int(np.searchsorted(curves.times_s, time)), len(curves.times_s) - 1) for time in times}
    )


def _hours(value: float) -> str:
    return f"{value:.0f}" if value >= _MANY_H else f"{value:.4g}"
