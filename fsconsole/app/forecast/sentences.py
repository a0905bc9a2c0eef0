"""What a forecast says, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.entry import plain
from fsconsole.app.forecast.question import Answer
from fsconsole.slurm.forecast import Crossing
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import fixed, thousands

FAIR_TREE = "The cluster ranks by Fair Tree; this is a forecast of classic fairshare."


def sentences(found: Answer) -> Iterator[str]:
    """Fairshare over time, the wish, the rivals, what is assumed."""
    asked = found.question
    if found.forecast is None or asked.row is None:
        return
    fairshare = found.forecast.fairshare[0]
    lowest = int(fairshare.argmin())
    low_s = float(found.forecast.times_s[lowest])
    at = f"lowest {fixed(fairshare[lowest], 3)} after {length_words(low_s)}, " if lowest else ""
    first, last = fixed(fairshare[0], 3), fixed(fairshare[-1], 3)
    if found.unchanged is None:
        begin = f"Fairshare {first} at the next calculation"
    else:
        unchanged = fixed(found.unchanged.fairshare[0, 0], 3)
        begin = f"Fairshare at the next calculation: {unchanged} unchanged, {first} with the new shares"
        at = f"then {at}"
    yield f"{begin}, {at}{last} after {length_words(found.until_s)}."
    if asked.wished is not None and found.reached_s is not None:
        yield _reached(asked.wished, found.reached_s, found.until_s)
    for row, turns in zip(asked.rivals, found.turns, strict=True):
        yield f"{order_words(turns, short_name(asked.cluster, row))}."
    rate = asked.others_rate
    yield (
        "Assumes that the others' usage stays as it is."
        if rate is None
        else f"Assumes that the others use {plain(rate)} cores together."
    )
    if asked.cluster.is_fair_tree:
        yield FAIR_TREE


def order_words(turns: Sequence[Crossing], name: str) -> str:
    """Where a user stands to another over time: "Overtakes dana after 2.3 d, falls behind after 5.0 d"."""
    if len(turns) == 1:
        return f"{'Ahead of' if turns[0].is_ahead else 'Not ahead of'} {name} all the time"
    said = []
    for number, turn in enumerate(turns[1:]):
        whom = "" if number else f" {name}"
        said.append(
            f"{'overtakes' if turn.is_ahead else 'falls behind'}{whom} after {length_words(turn.time_s)}"
        )
    words = ", ".join(said)
    return words[0].upper() + words[1:]


def effect_words(found: Answer) -> str:
    """How many users new shares change."""
    if found.effect is None:
        return ""
    users, changed = len(found.effect.rows), len(found.effect.changed)
    rule = "Fair Tree" if found.question.cluster.is_fair_tree else "classic fairshare"
    many = f"{thousands(changed)} of {thousands(users)} users" if changed else "no user's fairshare"
    return f"Changes {many} at the next calculation; {rule}."


def short_name(cluster: Cluster, row: int) -> str:
    """The user, or with the account where the user is in several."""
    user = cluster.tree.user[row]
    try:
        return user if user and cluster.user_row(user) == row else cluster.names[row]
    except ValueError:
        return cluster.names[row]


def _reached(wished: float, reached_s: float, until_s: float) -> str:
    if math.isinf(reached_s):
        return f"Never stays at {plain(wished)} or above."
    if not reached_s:
        return f"Is at least {plain(wished)} now and stays there."
    shown = "" if reached_s <= until_s else ", later than the plots show"
    return f"Reaches {plain(wished)} in {length_words(reached_s)} and stays there{shown}."
