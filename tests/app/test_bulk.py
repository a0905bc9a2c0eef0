from __future__ import annotations

from fsconsole.app.tree.duplicates import copy_names, duplicate_as
from fsconsole.app.tree.rearrange import Place
from fsconsole.app.tree.spreadsheet import (
    CellsError,
    Columns,
    guess_columns,
    inserts_of_reading,
    parse_cells,
    read_rows,
)
from fsconsole.app.tree.together import Changes, edits_of, members
from fsconsole.shares.edits import apply_all
from fsconsole.shares.tree import Kind, ShareTree, TreeError
from tests.texts import refuses, says, wording


def tree() -> ShareTree:
    made = ShareTree("Machine")
    lab = made.add(0, "Lab A", 3, Kind.GROUP).id
    for name, shares in (("a1", 1), ("a2", 4), ("a3", 10)):
        made.add(lab, name, shares)
    made.add(0, "Lab B", 2, Kind.GROUP)
    return made


def after(changes: Changes, *names: str) -> ShareTree:
    made = tree()
    nodes = [made.find(name).id for name in names]
    apply_all(made, edits_of(made, nodes, changes, takes_parents=False))
    return made


def test_shares_are_set_scaled_and_made_equal() -> None:
    def shares(changes: Changes) -> list[int]:
        made = after(changes, "a1", "a2", "a3", "Lab B")
        return [made.find(name).shares for name in ("a1", "a2", "a3", "Lab B")]

    assert shares(Changes("set", 7)) == [7, 7, 7, 7]
    assert shares(Changes("scale", 2.5)) == [3, 10, 25, 5]
    assert shares(Changes("scale", 0.1)) == [1, 1, 1, 1]  # who has shares keeps one
    assert shares(Changes("scale", 0)) == [0, 0, 0, 0]
    assert shares(Changes("equal")) == [5, 5, 5, 2]
    with refuses(TreeError, "app.tree.shares-are-too-many-write"):
        shares(Changes("scale", 1e9))


def test_kind_flag_and_note_of_several() -> None:
    made = after(Changes(kind=Kind.ACCOUNT, note="append", text="moved"), "a1", "a2")
    assert [made.find(name).kind for name in ("a1", "a2", "a3")] == [Kind.ACCOUNT, Kind.ACCOUNT, Kind.USER]
    assert made.find("a1").note == "moved"
    assert after(Changes(system=True), "Lab A", "Lab B").find("Lab B").system
    assert not edits_of(tree(), members(tree(), [0, 1, 2]), Changes(), takes_parents=False)
    with refuses(TreeError, "shares.contains-nodes-so-it-stays"):
        after(Changes(kind=Kind.USER), "Lab A")


def test_copies_of_a_group_have_new_names_below() -> None:
    made = tree()
    lab = made.find("Lab A").id
    names = copy_names(made, lab, "Lab A#", 2)
    assert names == {1: "Lab A1", 2: "Lab A2"}
    apply_all(made, duplicate_as(made, lab, names, "a", "a#-"))
    assert [node.name for node in made.children(made.find("Lab A2").id)] == ["a2-1", "a2-2", "a2-3"]
    assert [node.name for node in made.children(0)] == ["Lab A", "Lab A1", "Lab A2", "Lab B"]
    with refuses(TreeError, "app.tree.two-nodes-of-group-would"):
        duplicate_as(
            made,
            made.find("Lab A").id,
            {1: "X"},
            "a1",
            "a2",
        )


def test_numbers_whose_name_is_taken_are_left_out() -> None:
    made = ShareTree("Machine")
    for name in ("gr1", "gr2", "gr4"):
        made.add(0, name, 1, Kind.GROUP)
    node = made.find("gr2").id
    assert copy_names(made, node, "gr#", 3) == {3: "gr3", 5: "gr5", 6: "gr6"}
    assert copy_names(made, node, "proj#", 3) == {1: "proj1", 2: "proj2", 3: "proj3"}
    assert copy_names(made, node, "copy", 2) == {1: "copy", 2: "copy 2"}


CSV = """Department;Login;Quota;Remark
;Science;30;
Science;Physics;10;all of it
Physics;anna;2;"prefers nights; and says so"
Chemistry;bob;;
Physics;anna;1;
Physics;;5;
Physics;carl;many;
Lab A;zoe;1;
a1;yan;1;
"""


def test_a_csv_file_says_by_line_what_is_wrong_and_loses_nothing() -> None:
    made = tree()
    lines = parse_cells(CSV)
    columns = guess_columns(lines)
    assert columns == Columns(name=1, parent=0, shares=2, note=3)
    reading = read_rows(lines, columns, made, Place(0, 2))
    assert reading.faults == [
        wording("app.tree.line-line-already-has", line="6", line_2="4", name="anna"),
        ("Line 7" + ": " + wording("app.tree.name-is-missing")),
        ("Line 8" + wording("app.tree.is-not-number-of-shares", text=": 'many'", max_shares="2147483647")),
    ]
    added = wording("app.tree.without-line-with-1-share", added="2 groups")
    wrong = wording("app.tree.that-wrong", bad="3 lines", bad_2="are")
    assert reading.summary == f"6 nodes, {added}, {wrong}."
    apply_all(made, inserts_of_reading(reading, made, Place(0, 2)))
    assert made.path(made.find("anna").id).endswith("Science/Physics/anna")
    assert made.find("anna").note.split("; ") == ["prefers nights", "and says so"]
    assert made.path(made.find("zoe").id) == made.path(made.find("Lab A").id) + "/zoe"
    assert made.find("bob").shares == 1


def test_columns_are_guessed_and_quotes_that_do_not_end_are_reported() -> None:
    assert guess_columns(parse_cells("anna\t20\nbob\t10")) == Columns(shares=1, is_headed=False)
    assert guess_columns(parse_cells("Account|User|RawShares\na|b|1")).parent == 0
    assert guess_columns(parse_cells("Path,Shares\nA/b,1")) == Columns(name=0, shares=1)
    with refuses(CellsError, "app.tree.text-contains-no-rows-write"):
        parse_cells(" \n ")
    loop = read_rows(parse_cells("Name,Parent\na,b\nb,a"), Columns(0, 1), tree(), Place(0, 0))
    assert len(loop.faults) == 2
    assert "below itself" in loop.faults[0]


def test_a_long_chain_of_parents_and_a_circle_are_reported() -> None:
    empty = ShareTree()
    chain = "name,parent\n" + "".join(f"n{at},n{at + 1}\n" for at in range(1500))
    lines = parse_cells(chain)
    assert len(read_rows(lines, guess_columns(lines), empty, Place(0, 0)).rows[0].path) == 1501
    lines = parse_cells("name,parent\na,b\nb,a\n")
    rows = read_rows(lines, guess_columns(lines), empty, Place(0, 0)).rows
    assert [row.fault for row in rows] == [wording("app.tree.would-be-below-itself", path="a")] * 2


def test_a_parent_that_is_a_group_elsewhere_is_that_group_or_a_fault_and_never_a_second_one() -> None:
    made = tree()
    lab = made.find("Lab A").id
    deep = made.add(lab, "Deep", 1, Kind.GROUP).id
    lines = parse_cells("name,parent,shares\nx,Deep,3\ny,Lab A,2\nz,New,1\n")
    columns = guess_columns(lines)
    root = Place(0, 2)
    reading = read_rows(lines, columns, made, root)
    assert not reading.faults
    assert reading.added == (("New",),)
    grown = made.copy()
    apply_all(grown, inserts_of_reading(reading, made, root))
    paths = set(grown.paths().values())
    assert {"Machine/Lab A/Deep/x", "Machine/Lab A/y", "Machine/New/z"} <= paths
    beside = Place(made.find("Lab B").id, 0)
    faults = read_rows(lines, columns, made, beside).faults[:2]
    key = "app.tree.is-not-below-select-node"
    assert [fault.split(": ", 1) for fault in faults] == [
        [
            "Line 2",
            wording(key, name="Deep", where="Machine/Lab A/Deep", parent="Machine/Lab B"),
        ],
        [
            "Line 3",
            wording(key, name="Lab A", where="Machine/Lab A", parent="Machine/Lab B"),
        ],
    ]
    assert not read_rows(lines, columns, made, Place(deep, 0)).rows[0].fault  # the place itself
    made.add(made.find("Lab B").id, "Deep", 1, Kind.GROUP)
    (fault,) = read_rows(lines, columns, made, root).faults
    assert says(
        fault, "app.tree.have-name-one-is-write", groups="2 groups", name="Deep", where="Machine/Lab A/Deep"
    )


def test_login_names_stand_before_names_of_people_and_teams_are_groups() -> None:
    lines = parse_cells("Login;Name;Quota;Team\nanna;Anna B.;30;Physics\n")
    columns = guess_columns(lines)
    assert columns == Columns(name=0, parent=3, shares=2, note=1)
    made = tree()
    (row,) = read_rows(lines, columns, made, Place(0, 0)).rows
    assert (row.path, row.shares, row.note) == (("Physics", "anna"), 30, "Anna B.")
