from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.edits import Insert, Move, Remove, Rename, SetShares, apply_all
from fsconsole.shares.foreign import slurm_name, takes_parents_shares
from fsconsole.shares.formats import slurm_dump
from fsconsole.shares.formats.kept_text import COMMENTS, names_in, place_of
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import Kind, Node, ShareTree
from tests.laws import tries
from tests.shares.example_files import CHECKOUT
from tests.shares.trees import junglas_tree
from tests.texts import Expected, naming, refuses, says, worded, wording

DUMP = CHECKOUT / "tests" / "data" / "slurm" / "running-dump.cfg"
HEAD = "Cluster - 'lab':Fairshare=1\nParent - 'root'\n"


def changed_lines(before: str, after: str) -> list[str]:
    old = before.splitlines()
    return [line for line in after.splitlines() if line not in old]


def records(lines: list[str]) -> list[tuple[str, str]]:
    """Return lines as what they begin with and the rest."""
    parts = [line.partition(" - ") for line in lines]
    return [(kind, rest) for kind, _, rest in parts]


def problems_of(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        slurm_dump.read(text)
    return [str(problem) for problem in caught.value.problems]


def test_a_dump_becomes_a_tree() -> None:
    tree = slurm_dump.read(DUMP.read_text())
    assert [node.name for node in tree.children(0)] == ["root", "bio", "ops", "physics"]
    assert tree.find("physics/hep/fs_anna").shares == 10
    assert tree.find("physics/astro/fs_anna").shares == 3
    assert tree.find("hep").kind is Kind.GROUP
    assert tree.find("fs_ben").kind is Kind.USER
    assert tree.find("ops").foreign["QOS"] == "'+cheap'"


def test_a_dump_is_written_as_slurm_wrote_it() -> None:
    text = DUMP.read_text()
    assert slurm_dump.write(slurm_dump.read(text)) == text


def test_all_captures_come_back_byte_for_byte(shared: Path) -> None:
    captures = sorted((shared / "slurm-lab" / "captures").rglob("*.cfg"))
    assert len(captures) >= 5
    for path in captures:
        text = path.read_text()
        assert slurm_dump.write(slurm_dump.read(text)) == text, path.name


def test_two_shares_changed_change_two_values(shared: Path) -> None:
    """The edit of a real dump that a real `sacctmgr load` took: hep 3 to 8, two users' shares."""
    captures = shared / "slurm-lab" / "captures"
    text = (captures / "running" / "sacctmgr-dump.cfg").read_text()
    tree = slurm_dump.read(text)
    values = {"hep": 8, "physics/hep/fs_anna": 12, "fs_ben": 4}
    SetShares(tuple((tree.find(name).id, value) for name, value in values.items())).apply(tree)
    wanted = (captures / "edited-dump-two-values.cfg").read_text()
    wanted = wanted.replace("Cluster - 'ops'", "Cluster - 'lab'")
    assert slurm_dump.write(tree) == wanted


def test_parent_shares_have_no_number_here_and_go_back_unless_they_are_edited() -> None:
    text = DUMP.read_text()
    tree = slurm_dump.read(text)
    hugo = tree.find("fs_hugo")
    assert hugo.shares == 0
    assert takes_parents_shares(hugo)
    assert not takes_parents_shares(tree.find("fs_lars"))  # zero in Slurm too
    SetShares.of(hugo.id, 5).apply(tree)
    assert not takes_parents_shares(hugo)
    assert records(changed_lines(text, slurm_dump.write(tree))) == [
        ("User", "'fs_hugo':DefaultAccount='genomics':Fairshare=5")
    ]


@pytest.mark.parametrize("value", ["parent", "Parent", "2147483647", "'parent'"])
def test_every_spelling_of_parent(value: str) -> None:
    text = HEAD + f"Account - 'a':Description='a':FairShare={value}\n"
    tree = slurm_dump.read(text)
    assert tree.find("a").shares == 0
    assert slurm_dump.write(tree) == text


@pytest.mark.parametrize("key", ["Fairshare", "FairShare", "fairshare", "FAIR", "shares", "Share"])
def test_the_key_of_shares_is_taken_in_any_case_and_cut_short(key: str) -> None:
    text = HEAD + f"Account - 'a':{key}=7\n"
    tree = slurm_dump.read(text)
    assert tree.find("a").shares == 7
    assert slurm_dump.write(tree) == text
    SetShares.of(tree.find("a").id, 8).apply(tree)
    assert slurm_dump.write(tree) == text.replace("=7", "=8")


def test_shares_left_out_are_one() -> None:
    text = HEAD + "Account - 'a':Description='a'\nUser - 'u':DefaultAccount='root'\n"
    tree = slurm_dump.read(text)
    assert tree.find("a").shares == 1
    assert slurm_dump.write(tree) == text
    SetShares.of(tree.find("a").id, 3).apply(tree)
    written = records(slurm_dump.write(tree).splitlines())
    assert ("Account", "'a':Description='a':Fairshare=3") in written


ODD = """\
# top
QOS - 'normal':Flags='x'

Cluster - 'lab':Fairshare=1:QOS='normal,+cheap'
# before the block
Parent - 'root'
# before physics
Project - "physics":Description='it''s: a "b" = c':Organization=sci:NewKey=1:newkey=2:NewKey=3:Fairshare=40
Account - 'o"b':Description='x'
Account - 'root2':Description='x'
User - 'physics':DefaultAccount='root':Fairshare=2
User - 'root2':DefaultAccount='root':Fairshare=2
Parent - 'physics'
User - 'ana':Partition='debug':DefaultAccount='physics':Fairshare=2
User - 'ana':Partition='batch':DefaultAccount='physics':Fairshare=3
User - 'ana':DefaultAccount='physics':Fairshare=4
User - bo:DefaultAccount='physics':Fairshare='030'
User - 'a/b':DefaultAccount='physics'
# the end
"""


def test_oddities_come_back_as_they_were() -> None:
    tree = slurm_dump.read(ODD)
    assert slurm_dump.write(tree) == ODD
    assert [node.name for node in tree.children(tree.find("physics").id)] == [
        "ana",
        "ana (batch)",
        "ana (user)",
        "bo",
        "a|b",
    ]
    assert tree.find("physics").foreign["NewKey#2"] == "3"
    assert tree.find("bo").shares == 30


def test_carriage_returns_and_a_byte_order_mark_do_no_harm() -> None:
    text = DUMP.read_text()
    tree = slurm_dump.read("\ufeff" + text.replace("\n", "\r\n"))
    assert slurm_dump.write(tree) == text


def test_a_node_that_is_renamed_gets_its_new_name() -> None:
    tree = slurm_dump.read(ODD)
    Rename(tree.find("ana (batch)").id, "eve").apply(tree)
    users = [rest for kind, rest in records(slurm_dump.write(tree).splitlines()) if kind == "User"]
    assert any(rest.startswith("'eve':Partition='batch':") for rest in users)


def test_new_nodes_get_the_lines_that_slurm_wants() -> None:
    """As the edited dump that a real `sacctmgr load` took: a new account and a new user in another."""
    text = DUMP.read_text()
    tree = slurm_dump.read(text)
    theory = Node(tree.new_id(), "theory", 6, Kind.GROUP)
    hep = tree.find("hep").id
    edits = [
        Insert(tree.find("physics").id, 3, (theory,)),
        Insert(hep, 0, (Node(tree.new_id(), "fs_new", 2),)),
        Insert(theory.id, 0, (Node(tree.new_id(), "o'hara", 1),)),
    ]
    apply_all(tree, edits)
    assert records(changed_lines(text, slurm_dump.write(tree))) == [
        ("Account", "'theory':Description='theory':Organization='lab':Fairshare=6"),
        ("User", "'fs_new':DefaultAccount='hep':Fairshare=2"),
        ("Parent", "'theory'"),
        ("User", "\"o'hara\":DefaultAccount='theory':Fairshare=1"),
    ]
    assert slurm_dump.write(slurm_dump.read(slurm_dump.write(tree))) == slurm_dump.write(tree)


def test_a_moved_user_gets_a_default_account_that_he_is_in() -> None:
    text = DUMP.read_text()
    tree = slurm_dump.read(text)
    ops = tree.find("ops").id
    Move(tree.find("fs_ben").id, ops, 0).apply(tree)
    assert records(changed_lines(text, slurm_dump.write(tree))) == [
        ("User", "'fs_ben':DefaultAccount='ops':Fairshare=5")
    ]
    Remove(tree.find("physics/hep/fs_anna").id).apply(tree)  # astro holds her still, hep was her default
    anna = ("User", "'fs_anna':DefaultAccount='astro':Fairshare=3")
    assert anna in records(slurm_dump.write(tree).splitlines())


def test_a_tree_that_is_not_from_slurm_becomes_a_dump() -> None:
    text = slurm_dump.write(junglas_tree())
    written = records(text.splitlines())
    assert written[:2] == [("Cluster", "'cluster':Fairshare=1000:QOS='normal'"), ("Parent", "'root'")]
    assert ("Account", "'g1':Description='g1':Organization='g1':Fairshare=40") in written
    assert ("User", "'u23':DefaultAccount='g2':Fairshare=2") in written
    again = slurm_dump.read(text)
    assert [(node.name, node.shares) for node in again.walk()] == [
        (node.name, node.shares) for node in junglas_tree().walk()
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", worded("shares.formats.not-slurm-dump-line-such")),
        (
            "# only a comment\n",
            worded("shares.formats.not-slurm-dump-line-such"),
        ),
        (
            "hello",
            naming("line 1, column 1: error: not a line of a Slurm dump: expected Title - 'name':Key=value"),
        ),
        (
            HEAD + "Account - 'a",
            worded("shares.formats.not-line-of-slurm-dump"),
        ),
        (HEAD + "Account - 'a':x", worded("shares.formats.option-has-no-value-expected", key="x")),
        (HEAD + "Account - ''", naming("is not a name")),
        (
            HEAD + "Account - ",
            worded("shares.formats.not-line-of-slurm-dump"),
        ),
        (
            HEAD + "Account - 'a'b'c'",
            worded("shares.formats.not-line-of-slurm-dump"),
        ),
        (
            HEAD + "Account - 'a':Fairshare=-1",
            worded("shares.formats.must-be-whole-number-from", parent_shares="2147483646", value="-1"),
        ),
        (
            HEAD + "Account - 'a':Fairshare=9999999999",
            naming("Fairshare must be a whole number"),
        ),
        (
            HEAD + "Account - 'a'\nAccount - 'a'",
            naming("line 4, column 1: error: the account a occurs twice"),
        ),
        (
            HEAD + "Account - 'root'",
            worded(
                "shares.formats.account-occurs-twice-rename-one",
                name="root",
                where=wording("shares.formats.it-is-top-of-tree"),
            ),
        ),
        (
            HEAD + "Account - 'phys'\nParent - 'phy'",
            worded(
                "shares.formats.no-account-above-this-line",
                name="phy",
                hint=". " + wording("machine.shell.did-you-mean"),
            ),
        ),
        (HEAD + HEAD, worded("shares.formats.second-cluster-line-dump-has")),
    ],
)
def test_faults_are_reported(text: str, message: Expected) -> None:
    assert any(says(line, message) for line in problems_of(text)), problems_of(text)


def test_all_faults_come_at_once() -> None:
    found = problems_of(HEAD + "x\nAccount - 'a':Fairshare=x\nParent - 'b'\n")
    assert [line.split(",")[0] for line in found] == ["line 3", "line 4", "line 5"]


def test_what_slurm_cannot_say_is_refused() -> None:
    tree = ShareTree()
    tree.add(0, "a", 2**31 - 1)
    with refuses(ScenarioError, "shares.formats.slurm-takes-shares-for-parent"):
        slurm_dump.write(tree)
    other = ShareTree()
    other.add(0, "a'\"", 1)
    with refuses(ScenarioError, "shares.formats.slurm-cannot-write-name-that"):
        slurm_dump.write(other)


def read_or_refuse(text: str) -> None:
    try:
        tree = slurm_dump.read(text)
    except ScenarioError:
        return
    again = slurm_dump.write(tree)
    assert slurm_dump.write(slurm_dump.read(again)) == again


@given(st.text(max_size=200) | st.text(st.sampled_from("AUCPser- ':=\"#\n\t1"), max_size=80))
@tries(300)
def test_garbage_gives_a_scenario_error_or_a_tree(text: str) -> None:
    read_or_refuse(text)
    read_or_refuse(HEAD + text)


@given(st.data())
@tries(200)
def test_mutated_dumps_give_a_scenario_error_or_a_tree_that_stays(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([ODD, DUMP.read_text()[1150:]]))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        new = data.draw(
            st.text(max_size=4) | st.sampled_from(["'", ":", "Fairshare=3", "\nUser - 'x'", "Parent - "])
        )
        text = text[:start] + new + text[start + data.draw(st.integers(0, 9)) :]
    read_or_refuse(text)


def test_every_node_has_its_line() -> None:
    text = DUMP.read_text()
    form, rows = slurm_dump.FORMAT, text.splitlines()
    lines = form.lines(text)
    for node in form.read(text).tree.walk():
        if node.parent is not None:
            assert f"- '{slurm_name(node)}'" in rows[lines[node.id, ""] - 1]


@pytest.mark.parametrize("text", [ODD, DUMP.read_text()])
def test_each_comment_has_its_line_at_the_node_that_keeps_it(text: str) -> None:
    form, rows = slurm_dump.FORMAT, text.splitlines()
    nodes = {node.id: node for node in form.read(text).tree.walk()}
    kept = {(node, place): row for (node, place), row in form.lines(text).items() if place}
    comments = {
        (node.id, place_of(key, item)): value.splitlines()[0]
        for node in nodes.values()
        for key, value in node.foreign.items()
        for item in names_in(key, value)
        if item.name == COMMENTS and item.place == COMMENTS
    }
    assert {at: rows[row - 1] for at, row in kept.items() if at in comments} == comments
    assert comments
    assert {node for node, place in kept if COMMENTS in place} == {node for node, _place in comments}
