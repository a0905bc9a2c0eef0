"""Node ids that stay, and what others have changed, as edits of the copy that is edited."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.edits import Edit, Insert, Move, Remove, SetShares, apply_all
from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.tree import Kind, Node, ShareTree
from fsconsole.slurm.change_set import change_set
from fsconsole.slurm.cluster_tree import ClusterTree, Key, Numbering, row_keys
from fsconsole.slurm.parsers.assoc import StoredAssociations, read_assoc
from fsconsole.slurm.remote_edits import news
from tests.slurm.captured import ASSOC_COLUMNS, captured
from tests.texts import refuses, wording


@dataclass(frozen=True)
class Row:
    """An association as sacctmgr has it: in which account, with what shares."""

    over: str
    shares: int


Rows = dict[Key, Row]

PLAIN: Rows = {
    ("bio", "", ""): Row("root", 30),
    ("neuro", "", ""): Row("bio", PARENT_SHARES),
    ("neuro", "fs_jan", ""): Row("neuro", 1),
    ("physics", "", ""): Row("root", 40),
    ("hep", "", ""): Row("physics", 3),
    ("hep", "fs_anna", ""): Row("hep", 10),
    ("hep", "fs_ben", ""): Row("hep", 5),
    ("hep", "fs_ben", "batch"): Row("hep", 1),
}


def _stored(rows: Rows) -> StoredAssociations:
    names = {("root", "", ""): 1} | {key: number for number, key in enumerate(rows, 2)}
    lines = ["1|0|lab|root|||1|"]
    for key, row in rows.items():
        over = key[0] if key[1] else row.over
        shares = "parent" if row.shares == PARENT_SHARES else row.shares
        lines.append(f"{names[key]}|{names[over, '', '']}|lab|{key[0]}|{key[1]}|{key[2]}|{shares}|")
    columns = ("id", "parentid", "cluster", "account", "user", "partition", "share", "parentname")
    return read_assoc("\n".join(lines) + "\n", columns=columns)


def _taken(before: ClusterTree, after: ClusterTree, staged: ShareTree | None = None) -> ShareTree:
    """The edited copy once it has followed."""
    copy = (before.shares if staged is None else staged).copy()
    found = news(before, after, staged)
    assert not found.misfits
    apply_all(copy, found.edits)
    return copy


def _is_as_stored(tree: ClusterTree, copy: ShareTree) -> bool:
    found = change_set(tree, copy)
    assert not found.refusals
    return not found.changes


def test_ids_are_rows_at_first_and_stay() -> None:
    stored = read_assoc(captured("plain/assoc-ids.psv"), columns=ASSOC_COLUMNS)
    numbering = Numbering()
    first = numbering.tree(stored)
    assert first.nodes == tuple(range(len(stored.tree)))
    assert [first.keys[node] for node in first.nodes] == row_keys(stored)
    again = numbering.tree(stored)
    assert again.nodes == first.nodes
    assert again.shares.same_as(first.shares)
    assert not news(first, again)


def test_same_key_same_id_in_any_order_and_after_it_was_away() -> None:
    numbering = Numbering()
    first = numbering.tree(_stored(PLAIN))
    node_of = {key: node for node, key in first.keys.items()}
    without = {key: row for key, row in PLAIN.items() if key != ("hep", "fs_anna", "")}
    second = numbering.tree(_stored(without))
    assert node_of["hep", "fs_anna", ""] not in second.keys
    turned = {(name, "", ""): PLAIN[name, "", ""] for name in ("physics", "hep", "bio", "neuro")}
    third = numbering.tree(_stored({**turned, **PLAIN}))
    assert {key: node for node, key in third.keys.items()} == node_of


def test_new_ids_keep_clear_of_those_that_an_edited_copy_gives() -> None:
    numbering = Numbering()
    first = numbering.tree(_stored(PLAIN))
    copy = first.shares.copy()
    mine = [copy.new_id() for _ in range(100)]
    second = numbering.tree(_stored({**PLAIN, ("hep", "fs_zoe", ""): Row("hep", 2)}), first.shares)
    (new,) = set(second.nodes) - set(first.nodes)
    assert new not in mine
    apply_all(copy, news(first, second, copy).edits)
    assert copy.new_id() not in (new, *mine)


@pytest.mark.parametrize("was_moved", [False, True])
def test_what_was_staged_and_done_is_no_news(was_moved: bool) -> None:
    numbering = Numbering()
    first = numbering.tree(_stored(PLAIN))
    node_of = {key: node for node, key in first.keys.items()}
    staged = first.shares.copy()
    hep, anna = node_of["hep", "", ""], node_of["hep", "fs_anna", ""]
    account, user = Node(staged.new_id(), "astro", 9, Kind.GROUP), Node(staged.new_id(), "fs_zoe", 4)
    edits: list[Edit] = [
        SetShares.of(hep, 7),
        Insert(node_of["physics", "", ""], 0, (account,)),
        Insert(account.id, 0, (user,)),
        Remove(anna),
        *([Move(node_of["neuro", "", ""], node_of["physics", "", ""], 0)] if was_moved else []),
    ]
    apply_all(staged, edits)
    rows = {key: row for key, row in PLAIN.items() if key != ("hep", "fs_anna", "")}
    rows["hep", "", ""] = Row("physics", 7)
    rows["astro", "", ""] = Row("physics", 9)
    rows["astro", "fs_zoe", ""] = Row("astro", 4)
    if was_moved:
        rows["neuro", "", ""] = Row("physics", PARENT_SHARES)
    second = numbering.tree(_stored(rows), staged)
    assert second.keys[account.id] == ("astro", "", "")
    assert second.keys[user.id] == ("astro", "fs_zoe", "")
    assert not news(first, second, staged)
    assert _is_as_stored(second, staged)


def test_an_edit_of_others_leaves_what_is_staged() -> None:
    numbering = Numbering()
    first = numbering.tree(_stored(PLAIN))
    node_of = {key: node for node, key in first.keys.items()}
    staged = first.shares.copy()
    SetShares.of(node_of["bio", "", ""], 50).apply(staged)
    second = numbering.tree(_stored(PLAIN | {("hep", "", ""): Row("physics", 8)}), staged)
    found = news(first, second, staged)
    assert found.edits == (SetShares.of(node_of["hep", "", ""], 8),)
    assert found.line == wording("slurm.shares", node="hep", was="3", now="8")
    apply_all(staged, found.edits)
    assert [change.on for change in change_set(second, staged).changes] == ["bio"]


@pytest.mark.parametrize("shares", [0, 4, PARENT_SHARES])
@pytest.mark.parametrize("before", [0, 4, PARENT_SHARES])
def test_shares_of_parent_come_and_go(before: int, shares: int) -> None:
    numbering = Numbering()
    key = ("hep", "fs_anna", "")
    first = numbering.tree(_stored(PLAIN | {key: Row("hep", before)}))
    second = numbering.tree(_stored(PLAIN | {key: Row("hep", shares)}), first.shares)
    assert bool(news(first, second, first.shares)) == (before != shares)
    assert _is_as_stored(second, _taken(first, second))


def test_what_has_no_place_in_the_copy_stands_apart() -> None:
    numbering = Numbering()
    first = numbering.tree(_stored(PLAIN))
    node_of = {key: node for node, key in first.keys.items()}
    staged = first.shares.copy()
    Remove(node_of["hep", "", ""]).apply(staged)
    rows = PLAIN | {("hep", "fs_zoe", ""): Row("hep", 1), ("bio", "", ""): Row("root", 31)}
    found = news(first, numbering.tree(_stored(rows), staged), staged)
    assert found.edits == (SetShares.of(node_of["bio", "", ""], 31),)
    assert [type(edit) for edit in found.misfits] == [Insert]
    shares, added = found.line.split("; ")
    assert shares == wording("slurm.shares", node="bio", was="30", now="31")
    assert added == wording("slurm.in-2", user="fs_zoe", account="hep") + " added"


def test_many_changes_are_counted() -> None:
    numbering = Numbering()
    first = numbering.tree(_stored(PLAIN))
    rows = {key: replace(row, shares=77) for key, row in PLAIN.items()}
    line = news(first, numbering.tree(_stored(rows))).line
    assert line.split("; ")[:2] == [
        wording("slurm.shares", node="bio", was="30", now="77"),
        wording("slurm.shares", node="neuro", was="parent", now="77"),
    ]
    assert line.endswith(wording("slurm.and-more", changes="5"))


def test_an_association_that_is_there_twice_is_refused() -> None:
    stored = _stored(PLAIN)
    tree = stored.tree
    twice = replace(tree, user=(*tree.user[:-1], "fs_ben"))
    with refuses(ValueError, "slurm.association-occurs-twice", join="fs_ben hep"):
        row_keys(replace(stored, tree=twice, partition=("",) * len(tree)))


def test_who_was_put_into_another_account_keeps_the_id() -> None:
    numbering = Numbering()
    before = numbering.tree(_stored(PLAIN))
    copy = before.shares.copy()
    anna = next(node for node, key in before.keys.items() if key == ("hep", "fs_anna", ""))
    Move(anna, copy.find("root/bio").id, 0).apply(copy)
    rows = {key: row for key, row in PLAIN.items() if key != ("hep", "fs_anna", "")}
    after = numbering.tree(_stored(rows | {("bio", "fs_anna", ""): Row("bio", 10)}), copy)
    assert after.keys[anna] == ("bio", "fs_anna", "")
    assert not news(before, after, copy).edits
    assert not change_set(after, copy).changes
    again = numbering.tree(_stored(PLAIN), copy)
    assert len(set(again.nodes)) == len(PLAIN) + 1


ACCOUNTS = ("a", "b", "c", "d")
USERS = ("u", "v", "w")


@st.composite
def clusters(draw: st.DrawFn) -> Rows:
    """Some of four accounts, each below the root or one before it in a drawn order, with some users."""
    order = draw(st.permutations(ACCOUNTS))[: draw(st.integers(0, 4))]
    shares = st.sampled_from((0, 1, 2, 7, PARENT_SHARES))
    rows: Rows = {}
    for place, account in enumerate(order):
        over = draw(st.sampled_from(("root", *order[:place])))
        rows[account, "", ""] = Row(over, draw(shares))
    for account in order:
        for user in draw(st.lists(st.sampled_from(USERS), unique=True)):
            rows[account, user, ""] = Row(account, draw(shares))
    return rows


@given(st.lists(clusters(), min_size=2, max_size=4))
def test_a_copy_that_follows_is_what_is_stored(readings: list[Rows]) -> None:
    numbering = Numbering()
    tree = numbering.tree(_stored(readings[0]))
    ids = dict(tree.keys)
    copy = tree.shares.copy()
    for rows in readings[1:]:
        after = numbering.tree(_stored(rows), copy)
        copy = _taken(tree, after, copy)
        assert _is_as_stored(after, copy)
        for node, key in after.keys.items():
            assert ids.setdefault(node, key) == key
        tree = after


@given(clusters(), clusters())
def test_without_a_copy_the_last_reading_follows(first: Rows, second: Rows) -> None:
    numbering = Numbering()
    before, after = numbering.tree(_stored(first)), numbering.tree(_stored(second))
    assert _is_as_stored(after, _taken(before, after))
    assert np.array_equal(after.stored.tree.shares, _stored(second).tree.shares)
