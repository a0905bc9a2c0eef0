"""The space of settings: numbers from 0 to 1, one for each axis, and their policy and shares."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from math import exp, floor, log
from typing import Any

import numpy as np

from fsconsole.batch.job_table import Floats, Ints
from fsconsole.batch.policy import DAY_S, HOUR_S, POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.search.spec import Axis, Choice, SearchSpec
from fsconsole.batch.study.spec import StudyError
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.tree import Kind, ShareTree
from fsconsole.text.nearest import did_you_mean

_WEIGHTS = "weights."
_SHARES = "shares."
_PARTS = "multifactor."
_FIELD_OF_PARTS = {"half_life": "half_life_s", "multifactor.max_age": "max_age_s"}
_MOST_DECAY = 0.9999  # It is the largest number of four digits below 1.
_FIELD = {"window": "window_s", "lxf_bound": "lxf_bound_s"}
Value = str | bool | int | float


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting to try.

    Attributes:
        values: values of the axes in order, including those without effect under the policy.
        policy: the policy with its parameters.
        shares: shares of nodes that differ from the tree's own: node id, shares.
    """

    values: tuple[Value, ...]
    policy: BatchPolicy
    shares: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, eq=False)
class Space:
    """Axes, and the share tree for those that set shares.

    Attributes:
        axes: parameters that vary.
        tree: shares of users; None if all are equal.
        node_of: node of each axis of shares.
        leaf_rows: rows of the flat tree with users, [leaves].
        leaf_user: number of each one's user, [leaves].
        users: number of users of the trace.
    """

    axes: tuple[Axis, ...]
    tree: ShareTree | None
    node_of: dict[str, int]
    leaf_rows: Ints
    leaf_user: Ints
    users: int

    @property
    def size(self) -> int:
        """Number of genes of a setting."""
        return len(self.axes)

    @property
    def choices(self) -> tuple[bool, ...]:
        """True if the values of each axis have no meaningful order."""
        return tuple(isinstance(axis, Choice) for axis in self.axes)

    def setting(self, genes: Sequence[float]) -> Setting:
        """Return the setting of numbers from 0 to below 1, [axes]."""
        values = tuple(_value(axis, gene) for axis, gene in zip(self.axes, genes, strict=True))
        named = {axis.name: value for axis, value in zip(self.axes, values, strict=True)}
        policy = _policy(named)
        shares: tuple[tuple[int, int], ...] = ()
        if policy.remembers_usage:
            shares = tuple((node, int(named[_SHARES + name])) for name, node in self.node_of.items())
        return Setting(values, policy, shares)

    def user_shares(self, shares: tuple[tuple[int, int], ...]) -> Floats:
        """Return shares of each user, [users]; equal ones without a tree."""
        if self.tree is None:
            return np.ones(self.users)
        share = FlatTree.of(self.tree).with_shares(shares).machine_share()
        found = np.zeros(self.users)
        np.add.at(found, self.leaf_user, share[self.leaf_rows])
        return found

    def identity(self, setting: Setting) -> str:
        """Return a text that is equal for equivalent settings: policy, and the ratios of shares."""
        digest = hashlib.blake2b(json.dumps(asdict(setting.policy), sort_keys=True).encode(), digest_size=16)
        if setting.shares:
            share = self.user_shares(setting.shares)
            digest.update(np.round(share / share.sum(), 12).tobytes())
        return digest.hexdigest()


def space_of(spec: SearchSpec, users: tuple[str, ...]) -> Space:
    """Return the space of a search on a trace of these users.

    Raises:
        StudyError: users or nodes are missing.
        ScenarioError: the share tree is wrong.
        OSError: the share tree cannot be read.
    """
    tree = _tree(spec, users)
    node_of: dict[str, int] = {}
    for axis in spec.axes:
        if axis.name.startswith(_SHARES) and tree is not None:
            name = axis.name.removeprefix(_SHARES)
            node_of[name] = node_named(tree, name)
    if tree is None:
        nothing = np.zeros(0, dtype=np.int64)
        return Space(spec.axes, None, node_of, nothing, nothing, len(users))
    number = {name: place for place, name in enumerate(users)}
    row_of = FlatTree.of(tree).row_of
    leaves = [(row_of[node.id], number[node.name]) for node in tree.walk() if _works(node, number)]
    rows, owners = np.array(leaves, dtype=np.int64).reshape(-1, 2).T
    made = Space(spec.axes, tree, node_of, rows, owners, len(users))
    idle = np.flatnonzero(made.user_shares(()) <= 0)
    if len(idle):
        msg = f"{spec.name}: the share tree does not give user {users[idle[0]]} a share of the machine"
        raise StudyError(f"{msg} ({len(idle)} of {len(users)} users). Give each a leaf with shares above 0")
    return made


def node_named(tree: ShareTree, name: str) -> int:
    """Return a node by its path or its name.

    Raises:
        StudyError: there is no such node, or two have that name.
    """
    try:
        return tree.find(name).id
    except LookupError as error:
        hint = did_you_mean(name, [node.name for node in tree.walk()]) if "no node" in str(error) else ""
        msg = f"{error.args[0]}{hint}"
        raise StudyError(msg) from None


def _works(node: Any, number: dict[str, int]) -> bool:
    return not node.is_group and node.name in number


def _tree(spec: SearchSpec, users: tuple[str, ...]) -> ShareTree | None:
    """Return the tree of the file, or one of the groups, whose users have one share each."""
    if spec.shares is not None:
        from fsconsole.shares.formats import read_tree

        return read_tree(spec.shares, str(spec.shares)).tree
    if not spec.groups:
        return None
    known = set(users)
    named = {user for members in spec.groups.values() for user in members or ()}
    unknown = [user for user in sorted(named) if user not in known]
    if unknown:
        msg = f"the trace has no user {unknown[0]!r}{did_you_mean(unknown[0], users)}"
        raise StudyError(msg)
    rest = [user for user in users if user not in named]
    if rest and not any(members is None for members in spec.groups.values()):
        msg = f"{len(rest)} users of the trace are in no group, such as {rest[0]}. Give one group `rest`"
        raise StudyError(msg)
    tree = ShareTree()
    for name, members in spec.groups.items():
        own = rest if members is None else members
        # As many shares as users, so that all users have equal shares by default.
        group = tree.add(tree.root.id, name, max(len(own), 1), kind=Kind.GROUP)
        for user in own:
            tree.add(group.id, user)
    return tree


def _value(axis: Axis, gene: float) -> Value:
    if isinstance(axis, Choice):
        return axis.values[min(int(gene * len(axis.values)), len(axis.values) - 1)]
    if axis.is_log:
        value = exp(log(axis.low) + gene * (log(axis.high) - log(axis.low)))
    else:
        value = axis.low + gene * (axis.high - axis.low)
    if not axis.is_whole:
        return min(max(float(f"{value:.4g}"), axis.low), axis.high)
    whole = round(value) if axis.is_log else floor(axis.low + gene * (axis.high - axis.low + 1))
    if axis.name in _FIELD or axis.name in _FIELD_OF_PARTS:
        # Values have the precision that users would write.
        unit = HOUR_S if value >= DAY_S else 60 if value >= HOUR_S else 1
        whole = round(value / unit) * unit
    return int(min(max(whole, axis.low), axis.high))


def _policy(named: dict[str, Value]) -> BatchPolicy:
    """Return the policy of named values; parameters without effect keep their defaults."""
    policy = POLICIES[str(named.get("policy", "relshare"))]
    for name, value in named.items():
        field = _FIELD.get(name, name)
        if field in _FIELDS and policy.means(field) and field != "order":
            policy = replace(policy, **{field: value})  # type: ignore[arg-type] # the form has checked it
    parts: dict[str, Any] = {
        _FIELD_OF_PARTS.get(name, name.removeprefix(_PARTS)): value
        for name, value in named.items()
        if name.startswith(_PARTS) or name == "half_life"
    }
    if parts and policy.means("multifactor"):
        if "half_life_s" in parts:
            parts["half_life_s"] = max(parts["half_life_s"], 60)  # Slurm has no shorter half-life.
        policy = replace(policy, multifactor=replace(policy.multifactor, **parts))
    if "half_life" in named and policy.means("decay"):
        policy = replace(
            policy, decay=min(round(0.5 ** (policy.window_s / float(named["half_life"])), 4), _MOST_DECAY)
        )
    weights = {
        name.removeprefix(_WEIGHTS): value for name, value in named.items() if name.startswith(_WEIGHTS)
    }
    if weights and policy.means("weights"):
        policy = replace(policy, weights=replace(UsageWeights(), **weights))  # type: ignore[arg-type]
    return policy


_FIELDS = {item.name for item in fields(BatchPolicy)} - {"order", "weights"}
