"""Changes one by one, as a list shows them and a person types them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from fsconsole.app.forecast.cluster import Cluster
from fsconsole.app.forecast.entry import DAY_S, HOUR_S, MOST_CORES, days, length_text, number, plain
from fsconsole.app.forecast.question import Question
from fsconsole.shares.foreign import PARENT_SHARES, takes_parents_shares
from fsconsole.shares.tree import ShareTree
from fsconsole.slurm.fairshare import SharesChange
from fsconsole.slurm.sacctmgr import shares_value
from fsconsole.slurm.solver import Means
from fsconsole.slurm.staged_changes import Changes, RateChange


class Kind(StrEnum):
    """Kinds of changes that a forecast can assume."""

    SHARES = Means.SHARES.value
    WORK = Means.WORK.value
    RESET = Means.RESET.value
    HALF_LIFE = Means.HALF_LIFE.value
    DAMPING = Means.DAMPING.value

    @property
    def is_of_node(self) -> bool:
        """True if the change concerns a user or an account, and not the cluster."""
        return self in (Kind.SHARES, Kind.WORK, Kind.RESET)

    @property
    def has_value(self) -> bool:
        """True if a value is typed: usage is set to 0 always."""
        return self is not Kind.RESET


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change: its object, values before and after in words, and the change itself."""

    what: str
    now: str
    value: str
    changes: Changes


def read_change(kind: Kind, row: int | None, text: str) -> Changes | None:
    """Return the typed change, None while it is incomplete; ValueError describes a valid one."""
    text = text.strip()
    if (kind.is_of_node and row is None) or (kind.has_value and not text):
        if text:
            _VALUES.get(kind, _nothing)(text)
        return None
    if kind is Kind.SHARES and row is not None:
        return Changes((SharesChange(row, new_shares(text)),))
    if kind is Kind.WORK and row is not None:
        return Changes(rates=(RateChange(row, _cores(text)),))
    if kind is Kind.RESET and row is not None:
        return Changes(resets=(row,))
    if kind is Kind.HALF_LIFE:
        return Changes(half_life_s=_half_life(text))
    return Changes(damping=_damping(text))


def change_rows(asked: Question | None, cluster: Cluster, changes: Changes) -> tuple[ChangeRow, ...]:
    """Return the changes one by one, with present values if they are known."""
    names, tree = cluster.names, cluster.tree
    found = [
        ChangeRow(
            f"Shares of {names[one.row]}", shares_value(int(tree.shares[one.row])), shares_value(one.shares),
            Changes((one,)),
        )
        for one in changes.shares
    ]  # fmt: skip
    found += [
        ChangeRow(
            f"Work of {names[one.row]}", "", f"{one.rate:.4g} {cluster.rate_unit}", Changes(rates=(one,))
        )
        for one in changes.rates
    ]
    found += [
        ChangeRow(
            f"Usage of {names[row]}",
            f"{tree.usage[row] / HOUR_S:.4g} {cluster.usage_unit}",
            "0",
            Changes(resets=(row,)),
        )
        for row in changes.resets
    ]
    if changes.half_life_s is not None:
        now = "" if asked is None else length_text(asked.decay.half_life_s)
        value = length_text(changes.half_life_s)
        found.append(ChangeRow("Half-life", now, value, Changes(half_life_s=changes.half_life_s)))
    if changes.damping is not None:
        now = "" if asked is None else plain(asked.damping)
        found.append(
            ChangeRow("Dampening factor", now, plain(changes.damping), Changes(damping=changes.damping))
        )
    return tuple(found)


def staged_shares(cluster: Cluster, tree: ShareTree) -> Changes:
    """Return new shares that are staged in Design; ValueError if it shows another cluster.

    Accounts and users that are added, moved or removed there are left out.
    """
    if not cluster.known.nodes:
        msg = "the forecast uses a file. To take edits, connect to the cluster or open its capture folder"
        raise ValueError(msg)
    found = []
    for row, node_id in enumerate(cluster.known.nodes):
        if not row or node_id not in tree:
            continue
        node = tree.node(node_id)
        shares = PARENT_SHARES if takes_parents_shares(node) else node.shares
        if shares != cluster.tree.shares[row]:
            found.append(SharesChange(row, shares))
    return Changes(tuple(found))


def new_shares(text: str) -> int:
    """Return raw shares, or `parent`.

    Raises:
        ValueError: the text is neither; the message names valid ones.
    """
    text = text.strip()
    if text == "parent":
        return PARENT_SHARES
    if text.isascii() and text.isdigit() and len(text) < 11 and int(text) < PARENT_SHARES:
        return int(text)
    msg = f"{text!r} is not a number of shares. Write a whole number of 0 or more, or parent"
    raise ValueError(msg)


def _cores(text: str) -> float:
    return number(text, 0, MOST_CORES, "28")


def _half_life(text: str) -> float:
    return days(text) * DAY_S


def _damping(text: str) -> float:
    return number(text, 0, 65_535, "2", above=True)


def _nothing(_text: str) -> float:
    return 0.0


_VALUES: dict[Kind, Callable[[str], float]] = {
    Kind.SHARES: new_shares,
    Kind.WORK: _cores,
    Kind.HALF_LIFE: _half_life,
    Kind.DAMPING: _damping,
}
