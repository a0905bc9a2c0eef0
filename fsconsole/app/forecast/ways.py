"""Ways to a goal and changes that are tried: in words, as commands, and as edits of the tree in Design."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.entry import DAY_S, HOUR_S, length_text, plain
from fsconsole.app.forecast.question import Answer
from fsconsole.app.forecast.sentences import basis_words
from fsconsole.app.forecast.wish import words_of
from fsconsole.app.tree.share_entry import shares_edits
from fsconsole.shares.edits import Edit
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm import sacctmgr
from fsconsole.slurm.cluster_tree import Key
from fsconsole.slurm.fairshare import effect_of, with_shares
from fsconsole.slurm.outlook import users_in
from fsconsole.slurm.solver import MOST_RATE, Means, Way
from fsconsole.slurm.staged_changes import Changes
from fsconsole.text.durations import clock
from fsconsole.text.numbers import fixed
from fsconsole.text.words import count_words

_DIGITS = 3


@dataclass(frozen=True, slots=True)
class WayRow:
    """A way as a row of a table: object, values before and after, result, and remarks.

    `changes` are all on which the result rests: those of the question, and the way's.
    """

    way: Way
    changes: Changes
    what: str
    now: str
    value: str
    reached: str
    others: str

    @property
    def step(self) -> str:
        """Values before and after, such as `40 → 297` and `0.576 → 0.044 cores`; one value for no change."""
        if self.now == self.value:
            return self.value
        before, unit = self.now.partition(" ")[::2]
        is_same = unit and self.value.endswith(f" {unit}")
        return f"{before if is_same else self.now} \N{RIGHTWARDS ARROW} {self.value}"

    @property
    def words(self) -> str:
        """The way in a sentence or two."""
        short = "" if self.way.is_enough else ", not enough"
        others = f" At once {self.others}." if self.others else ""
        sentence = f"{self.what}, now {self.now}: {self.value} reaches {self.reached}{short}."
        return sentence + (others if self.way.means is Means.SHARES else "")


def way_rows(found: Answer) -> tuple[WayRow, ...]:
    """Return the ways to the goal, those that are enough first."""
    if found.solution is None:
        return ()
    cluster = found.question.cluster
    goal = found.solution.goal
    is_there = found.solution.reached >= goal.value  # Ways then show how far each value may fall.
    ways = [way for way in found.solution.ways if not is_there or _is_room(way)]
    ordered = sorted(ways, key=lambda way: not way.is_enough)
    return tuple(
        WayRow(
            way,
            found.question.changes.also(way.changes),
            what_words(cluster, way),
            value_words(cluster, way, way.now),
            value_words(cluster, way, way.value),
            _quantity_words(way.reached),
            _others(found, way),
        )
        for way in ordered
    )


def _is_room(way: Way) -> bool:
    """Return True if a way gives something up, if the goal is reached before any way."""
    return way.means in (Means.SHARES, Means.WORK) and way.value != way.now


def goal_words(found: Answer, now: datetime) -> str:
    """Return the sentence above the ways: the goal, and the distance from it."""
    if found.solution is None:
        return ""
    goal, reached = found.solution.goal, found.solution.reached
    has_changes = bool(found.question.changes)
    name = found.question.cluster.names[goal.row]
    when = words_of(goal.time_s, now)
    basis = basis_words(has_changes=has_changes)
    begin = f"{goal.quantity} of {name} is {_quantity_words(reached)} by {when} {basis}"
    if reached >= goal.value:
        return f"{begin}: {plain(goal.value)} is reached. Each limit below alone still keeps it."
    if not found.solution.enough:
        nearest = "Each way below shows its nearest value."
        return f"{begin}: no single way below reaches {plain(goal.value)}. {nearest}"
    each = "Each way below, added to them," if has_changes else "Each way below alone"
    return f"{begin}. {each} makes it {plain(goal.value)}, unless stated otherwise."


def what_words(cluster: Cluster, way: Way) -> str:
    """Return the object of the change, such as `Shares of hep`."""
    name = cluster.names[way.row]
    return {
        Means.SHARES: f"Shares of {name}",
        Means.WORK: f"Work of {name}",
        Means.RESET: f"Usage of {name}",
        Means.HALF_LIFE: "Half-life",
        Means.DAMPING: "Dampening factor",
    }[way.means]


def value_words(cluster: Cluster, way: Way, value: float) -> str:
    """Return a value with its unit; work is rounded down, so that it is still enough."""
    if way.means is Means.WORK:
        return _rate(value, cluster) if value < MOST_RATE else "any"
    if way.means is Means.HALF_LIFE:
        return length_text(value)
    if way.means is Means.RESET:
        return f"{value / HOUR_S:.4g} {cluster.usage_unit}"
    return plain(value)


def is_change(way: Way) -> bool:
    """Return True if the way is a change at all, and sufficient."""
    return way.is_enough and way.value != way.now


def commands_of(cluster: Cluster, changes: Changes) -> list[str]:
    """Return lines for a terminal: commands that apply changes, and comments on changes without a command."""
    return [*_sacctmgr_lines(cluster, changes), *_settings_lines(changes)]


def _sacctmgr_lines(cluster: Cluster, changes: Changes) -> Iterator[str]:
    name = cluster.known.cluster
    for one in changes.shares:
        key, has_partitions = _key(cluster, one.row)
        yield shlex.join(sacctmgr.set_shares(name, key, one.shares, has_partitions=has_partitions))
    for row in changes.resets:
        key, has_partitions = _key(cluster, row)
        yield shlex.join(sacctmgr.reset_usage(name, key, has_partitions=has_partitions))
    for rate in changes.rates:
        key, has_partitions = _key(cluster, rate.row)
        whole = int(rate.rate)
        yield f"# {cluster.names[rate.row]} uses {_rate(rate.rate, cluster)} all the time"
        if whole >= 1:
            word = f"GrpTRES={'cpu' if cluster.rate_unit == 'cores' else 'billing'}={whole}"
            limit = sacctmgr.set_limit(name, key, word, has_partitions=has_partitions)
            yield f"# limit to enforce it: {shlex.join(limit)}"


def _settings_lines(changes: Changes) -> Iterator[str]:
    """Yield lines of slurm.conf, which sacctmgr does not change."""
    if changes.half_life_s is not None:
        days, rest = divmod(round(changes.half_life_s), round(DAY_S))
        yield f"# slurm.conf: PriorityDecayHalfLife={days}-{clock(rest)}"
    if changes.damping is not None:
        yield f"# slurm.conf: FairShareDampeningFactor={plain(changes.damping)}"
    if changes.half_life_s is not None or changes.damping is not None:
        yield "scontrol reconfigure"


def edits_of(cluster: Cluster, tree: ShareTree, changes: Changes) -> list[Edit]:
    """Return new shares as edits of the tree in Design; empty for other changes.

    ValueError if Design shows another cluster, or a node is gone.
    """
    nodes = cluster.known.nodes
    if not nodes:
        msg = "the forecast uses a file. To stage edits, connect to the cluster or open its capture folder"
        raise ValueError(msg)
    edits: list[Edit] = []
    for one in changes.shares:
        if nodes[one.row] not in tree:
            msg = f"{cluster.names[one.row]} is no longer in the tree in Design"
            raise ValueError(msg)
        edits += shares_edits(
            sacctmgr.shares_value(one.shares), tree, tree.node(nodes[one.row]), takes_parents=True
        )
    return edits


def _key(cluster: Cluster, row: int) -> tuple[Key, bool]:
    """Return the key of an association, and whether its user has others in the account for partitions."""
    tree, partition = cluster.tree, cluster.known.partition
    account, user = tree.account[row], tree.user[row]
    alike = (
        sum(1 for pair in zip(tree.account, tree.user, strict=True) if pair == (account, user)) if user else 1
    )
    return (account, user, partition[row] if partition else ""), alike > 1


def _others(found: Answer, way: Way) -> str:
    """Return the effect of new shares on other users at the next calculation."""
    if way.means is not Means.SHARES:
        return "all users" if way.means in (Means.HALF_LIFE, Means.DAMPING) else ""
    asked = found.question
    tree = with_shares(asked.cluster.tree, asked.changes.shares)
    effect = effect_of(tree, way.changes.shares, asked.damping, by_rank=asked.cluster.is_fair_tree)
    others = ~users_in(tree, (asked.row or 0,))[effect.rows]
    change = (effect.after - effect.before)[others]
    lower = int((change < -_SEEN).sum())
    if not lower:
        return "no other user falls"
    falls = "falls" if lower == 1 else "fall"
    return f"{count_words(lower, 'user')} {falls}, by up to {fixed(-float(change.min()), _DIGITS)}"


_SEEN = 5e-7  # The six digits of sshare do not show a smaller difference.


def _quantity_words(value: float) -> str:
    if 0 < value < 10**-_DIGITS:
        return f"{value:.1g}"
    return "∞" if math.isinf(value) else fixed(value, _DIGITS)


def _rate(value: float, cluster: Cluster) -> str:
    shown = _down(value)
    return f"{shown:g} {cluster.rate_unit.removesuffix('s') if shown == 1 else cluster.rate_unit}"


def _down(value: float) -> float:
    """Round to three digits towards 0."""
    if value <= 0 or math.isinf(value):
        return max(value, 0.0)
    step = 10.0 ** (math.floor(math.log10(value)) - 2)
    return math.floor(value / step + 1e-9) * step
