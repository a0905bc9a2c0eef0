"""What brings back what was before changes that were applied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fsconsole.slurm import sacctmgr
from fsconsole.slurm.change_set import Change, ChangeSet, Entry, Verb, change

_PLAIN = "partition="
_ANEW = "it begins without usage, and has none of the limits that were set on it"


def rollback_of(
    cluster: str, applied: Sequence[tuple[Change, Entry | None]], defaults: Mapping[str, str]
) -> ChangeSet:
    """The way back, the last change first.

    Args:
        cluster: whose associations they are.
        applied: changes that did something, in order, each with what is stored of its association now.
        defaults: the default account that users had before, as far as it matters.
    """
    back = (_back(cluster, one, now, defaults) for one, now in reversed(applied))
    return ChangeSet(tuple(one for one in back if one is not None))


def _back(cluster: str, one: Change, now: Entry | None, defaults: Mapping[str, str]) -> Change | None:
    key, was = one.key, one.was
    has_partitions = _PLAIN in one.command
    if was is None:
        command = sacctmgr.remove(cluster, key, has_partitions=has_partitions)
        return change(Verb.REMOVE, one.node, key, command, now, None) if now is not None else None
    if one.verb == Verb.REMOVE:
        return _again(cluster, one, was, defaults) if now is None else None
    if now is None:
        return None  # somebody else has removed it since
    if one.verb == Verb.MOVE:
        command = sacctmgr.move_account(cluster, key[0], was.parent)
        return change(Verb.MOVE, one.node, key, command, now, Entry(was.parent, now.shares))
    command = sacctmgr.set_shares(cluster, key, was.shares, has_partitions=has_partitions)
    return change(Verb.SET, one.node, key, command, now, Entry(now.parent, was.shares))


def _again(cluster: str, one: Change, was: Entry, defaults: Mapping[str, str]) -> Change:
    """Add what was removed."""
    account, user, _ = one.key
    if user:
        is_default = defaults.get(user) == account
        command = sacctmgr.add_user(cluster, one.key, was.shares, is_default=is_default)
    else:
        command = sacctmgr.add_account(cluster, account, was.parent, was.shares)
    return change(Verb.ADD, one.node, one.key, command, None, was, (_ANEW,))
