from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.tree.rearrange import Place
from fsconsole.app.tree.tsv import PasteError, inserts_of, to_tsv
from fsconsole.shares.edits import apply_all
from fsconsole.shares.tree import Kind, ShareTree
from tests.console.design.trees import ids, navoceano
from tests.texts import refuses, wording


def as_rows(tree: ShareTree, start: int = 0) -> list[tuple[str, Kind, int, str]]:
    return [(tree.path(n.id), n.kind, n.shares, n.note) for n in tree.walk(start)][1:]


def pasted(text: str) -> ShareTree:
    tree = ShareTree("Machine")
    apply_all(tree, inserts_of(text, tree, Place(0, 0)))
    return tree


def test_what_is_copied_pastes_as_it_was() -> None:
    tree = navoceano()
    tree.find("Army").note = "29 users"
    text = to_tsv(tree, [node.id for node in tree.children(0)])
    assert text.splitlines()[0] == "Name\tKind\tShares\tNote"
    assert "User/DoD/Army\tgroup\t30\t29 users" in text
    assert as_rows(pasted(text)) == as_rows(tree)


def test_depth_by_indent_as_people_type_it() -> None:
    tree = pasted("A\t\t3\n  B\tgroup\t2\n    u1\t\t1\n  u2\t\t1\nC\taccount\t5\n")
    assert [(row[0], row[1], row[2]) for row in as_rows(tree)] == [
        ("Machine/A", Kind.GROUP, 3),
        ("Machine/A/B", Kind.GROUP, 2),
        ("Machine/A/B/u1", Kind.USER, 1),
        ("Machine/A/u2", Kind.USER, 1),
        ("Machine/C", Kind.ACCOUNT, 5),
    ]


def test_columns_in_another_order() -> None:
    tree = pasted("Name\tShares\r\nA\t1 000\r\nB\t\r\n")
    assert [(row[0], row[2]) for row in as_rows(tree)] == [("Machine/A", 1000), ("Machine/B", 1)]


COLUMNS = [
    "Columns are Name, Kind, Shares, Note, separated by tabs; or Name, Shares and Note.",
    "Write the group into the name. Example: Science/Physics/anna",
]


def test_names_and_numbers_alone_are_enough() -> None:
    tree = pasted("A\t1 000\t at sea\nB\n  u1\t2\nC\t5\n")
    assert as_rows(tree) == [
        ("Machine/A", Kind.USER, 1000, "at sea"),
        ("Machine/B", Kind.GROUP, 1, ""),
        ("Machine/B/u1", Kind.USER, 2, ""),
        ("Machine/C", Kind.USER, 5, ""),
    ]
    with pytest.raises(PasteError) as caught:
        inserts_of("A\t3\nB\t-4\n", navoceano(), Place(0, 0))
    assert str(caught.value).splitlines() == [
        ("Line 2" + wording("app.tree.is-not-number-of-shares", text=": '-4'", max_shares="2147483647")),
        *COLUMNS,
    ]


def test_a_table_with_other_columns_says_which_are_wanted() -> None:
    with pytest.raises(PasteError) as caught:
        inserts_of("Account\tUser\tShares\nphysics\tanna\t5\n", navoceano(), Place(0, 0))
    assert str(caught.value).splitlines()[-2:] == COLUMNS


def test_all_that_is_wrong_is_reported_at_once() -> None:
    tree = navoceano()
    text = "Staff\tgroup\t1\nA\tclan\t1\nB\tuser\t1.5\nC\tuser\t1\nC\tuser\t2\nX/Y\tuser\t1\nC/D\tuser\t1\n"
    with pytest.raises(PasteError) as caught:
        inserts_of(text, tree, Place(0, 0))
    assert str(caught.value).splitlines() == [
        ("Line 2" + wording("app.tree.is-not-kind-use-group", text=": 'clan'")),
        ("Line 3" + wording("app.tree.is-not-number-of-shares", text=": '1.5'", max_shares="2147483647")),
        wording("app.tree.line-node-already-exists-here", line="1", name="Staff"),
        wording("app.tree.line-line-already-has", line="5", line_2="4", name="C"),
        wording("app.tree.line-line-for-above-it", line="6", above="X"),
        wording("app.tree.line-is-but-only-group", line="7", above="C", kind="user"),
        *COLUMNS,
    ]


def test_nothing_to_paste() -> None:
    with refuses(PasteError, "app.tree.clipboard-has-no-rows"):
        inserts_of("\n\n", navoceano(), Place(0, 0))


@given(st.text(alphabet="ab/\t\n 1-=", max_size=60))
def test_any_text_pastes_or_says_why(text: str) -> None:
    tree = navoceano()
    [army] = ids(tree, "Army")
    try:
        inserts = inserts_of(text, tree, Place(army, 0))
    except PasteError:
        return
    apply_all(tree, inserts)
