"""The way back from a change set that was applied, as a change set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm import limits, sacctmgr
from fsconsole.slurm.change_set import OF_USERS, Change, ChangeSet, Entry, Verb, change, matches, set_limit
from fsconsole.slurm.cluster_tree import ClusterTree, Key
from fsconsole.slurm.held import Held, held_of

_PLAIN = "partition="
_ANEW = "it starts without usage"
_WHOLE = "it starts without usage; its limits and QOS lists come back with it"
_BARE = (
    "it starts without usage, and comes back without its limits, QOS lists and coordinators: the record does "
    "not have them"
)


def rollback_of(
    cluster: str,
    applied: Sequence[tuple[Change, Entry | None]],
    defaults: Mapping[str, str],
    defaults_now: Mapping[str, str],
) -> ChangeSet:
    """Return the way back, the last change first.

    What has another value now than the one applied is left out: somebody else has set it. The expected value
    of each way back is the one applied, so that what others set later is not overwritten either.

    Default accounts and coordinators are set once the associations are there again that they name, and before
    any are removed.

    Args:
        cluster: whose associations they are.
        applied: changes that did something, in order, each with what is stored of its association now.
        defaults: the default account that users had before, as far as it matters.
        defaults_now: the same as it is now.
    """
    ours = [(one, now) for one, now in applied if matches(one, now, one.will)]
    leaving = {one.key for one, now in ours if one.verb == Verb.ADD and now is not None}
    nodes = {one.key[1]: one.node for one, _ in applied if one.key[1]}
    lost = {
        user: account
        for user, account in sorted(defaults.items())
        if account and user in nodes and account != (now := defaults_now.get(user, ""))
        and now in _set_defaults(user, applied)
    }  # fmt: skip
    parted = {one.key[:2] for one, _ in applied if one.key[1] and one.key[2]}
    # What was added goes with its limits.
    found = (
        _back(cluster, one, now, lost, has_partitions=_PLAIN in one.command or one.key[:2] in parted)
        for one, now in reversed(ours)
        if one.verb == Verb.ADD or one.key not in leaving
    )
    back = [one for one in found if one is not None]
    given = {one.key[1] for one in back if one.verb == Verb.ADD and _names_default(one)}
    of_users = [
        set_default(cluster, nodes[user], user, defaults_now.get(user, ""), account)
        for user, account in lost.items()
        if user not in given
    ]
    of_users += [
        add_coordinator(one.node, account, one.key[1])
        for one, now in reversed(ours)
        if one.verb == Verb.REMOVE and now is None and (held := held_of(one.held)) is not None
        for account in held.coordinates
    ]
    place = next((at for at, one in enumerate(back) if one.verb == Verb.REMOVE), len(back))
    return ChangeSet((*back[:place], *of_users, *back[place:]))


def tree_after(tree: ClusterTree, changes: Iterable[Change]) -> ShareTree:
    """Return a copy of the stored tree after changes, with the shares of each association.

    Raises:
        TreeError: an account and a user of the same name would be side by side.
    """
    wanted = tree.shares.copy()
    node_of = {key: node for node, key in tree.keys.items()}
    for one in changes:
        node, will = node_of.get(one.key), one.will
        if one.verb == Verb.LIMIT or one.verb in OF_USERS:
            continue
        if will is None:
            if node is not None and node in wanted:
                wanted.detach(node)
            continue
        parent = node_of[will.parent, "", ""]
        if node is None or node not in wanted:
            node = node_of[one.key] = _added(wanted, parent, one.key).id
        elif one.verb == Verb.MOVE:
            wanted.move(node, parent, 0)
        if one.verb in (Verb.ADD, Verb.SET):
            made = wanted.writable(node)
            rest = {name: value for name, value in made.foreign.items() if name != "Fairshare"}
            is_parents = will.shares == PARENT_SHARES
            made.shares = 0 if is_parents else will.shares
            made.foreign = rest | ({"Fairshare": "parent"} if is_parents else {})
    return wanted


def _added(tree: ShareTree, parent: int, key: Key) -> Node:
    """Add a node for an association, with a label where another node beside it has its name."""
    name = key[1] or key[0]
    kind = Kind.USER if key[1] else Kind.GROUP
    label = name.replace("/", "|")
    while tree.child_named(parent, label) is not None:
        label = f"{label} ({key[2] or kind.value})"
    made = tree.add(parent, label, kind=kind)
    if key[2]:
        made.foreign["Partition"] = f"'{key[2]}'"
    if label != name:
        made.foreign |= {"slurm.name": f"'{name}'", "slurm.label": label}
    return made


def set_default(cluster: str, node: int, user: str, before: str, after: str) -> Change:
    """Set another default account for a user."""
    command = sacctmgr.set_default(cluster, user, after)
    return change(Verb.DEFAULT, node, ("", user, ""), command, Entry(before, 0), Entry(after, 0))


def add_coordinator(node: int, account: str, user: str) -> Change:
    """Make a user a coordinator of an account."""
    command = sacctmgr.add_coordinator(account, user)
    return change(Verb.COORDINATE, node, (account, user, ""), command, None, Entry(account, 0))


def _set_defaults(user: str, applied: Sequence[tuple[Change, Entry | None]]) -> set[str]:
    """Return the default accounts that changes can have left a user with; an empty text for none."""
    made = {
        one.will.parent
        for one, _ in applied
        if one.key[1] == user and one.will is not None and one.verb in (Verb.ADD, Verb.DEFAULT)
    }
    return {"", *made}


def _names_default(one: Change) -> bool:
    return any(word.startswith("defaultaccount=") for word in one.command)


def _back(
    cluster: str, one: Change, now: Entry | None, defaults: Mapping[str, str], *, has_partitions: bool
) -> Change | None:
    key, was = one.key, one.was
    if one.verb in OF_USERS:
        return None  # They go back by what users had before, see rollback_of; coordinators go with the user.
    if was is None:
        command = sacctmgr.remove(cluster, key, has_partitions=has_partitions)
        return change(Verb.REMOVE, one.node, key, command, now, None) if now is not None else None
    if one.verb == Verb.LIMIT:
        limit = limits.limit_or_fault(one.limit, of_qos=not any(key[:2]))
        value = was.limits.get(one.limit, "")
        back = replace(now, limits={**now.limits, one.limit: value}) if now is not None else None
        if now is None or back is None or now.limits.get(one.limit, "") == value:
            return None
        return set_limit(cluster, one.node, key, limit, now, back, has_partitions=has_partitions)
    if one.verb == Verb.REMOVE:
        return _again(cluster, one, was, defaults) if now is None else None
    if now is None:
        return None  # Another user has removed it since.
    if one.verb == Verb.MOVE:
        command = sacctmgr.move_account(cluster, key[0], was.parent)
        return change(Verb.MOVE, one.node, key, command, now, Entry(was.parent, now.shares))
    command = sacctmgr.set_shares(cluster, key, was.shares, has_partitions=has_partitions)
    return change(Verb.SET, one.node, key, command, now, Entry(now.parent, was.shares))


def _again(cluster: str, one: Change, was: Entry, defaults: Mapping[str, str]) -> Change:
    """Add a removed association, with what it had as far as that is known."""
    account, user, _ = one.key
    known = held_of(one.held)
    held = known or Held()
    if user:
        is_default = defaults.get(user) == account
        command = sacctmgr.add_user(cluster, one.key, was.shares, held.setting_words, is_default=is_default)
    else:
        command = sacctmgr.add_account(cluster, account, was.parent, was.shares, held.setting_words)
    will = replace(was, limits=held.limits)
    note = _BARE if known is None else _WHOLE if held.limits else _ANEW
    return change(Verb.ADD, one.node, one.key, command, None, will, (note,))
