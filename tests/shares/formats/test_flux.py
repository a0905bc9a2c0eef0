"""What flux-accounting exports and prints: tables with and without titles, in one file or two, and views."""

from __future__ import annotations

from pathlib import Path

import pytest

from fsconsole.shares.edits import SetShares, apply_all
from fsconsole.shares.formats import format_named, format_of, problems_of
from fsconsole.shares.formats.several_files import SeveralFiles
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from tests.texts import Expected, naming, refuses, says, worded, wording

FLUX = format_named("flux")
# The columns of create_db.py; rows as `flux account export-db` writes every table of the database.
BANKS = """\
bank_id,bank,active,parent_bank,shares,job_usage,priority,ignore_older_than
1,root,1,,1,15.0,0.0,0
2,A,1,root,60,15.0,0.0,0
3,gone,0,root,10,0.0,0.0,0
4,B,1,root,40,0.0,100.0,0
"""
USERS = """\
creation_time,mod_time,active,username,userid,bank,default_bank,shares,job_usage,fairshare,max_running_jobs
1700000000,1700000000,1,ana,5011,A,A,2,15.0,0.5,5
1700000000,1700000001,0,old,5012,A,A,1,0.0,0.5,5
1700000000,1700000000,1,bo,5013,B,B,1,0.0,1.0,7
"""
# AccountingFormatter.as_table, which list-banks --table prints.
LISTED = """\
bank_id | bank | active | parent_bank | shares | job_usage
--------+------+--------+-------------+--------+----------
1       | root | 1      |             | 1      | 0.0      \n\
2       | A    | 1      | root        | 60     | 0.0      \n\
3       | B    | 1      | root        | 40     | 0.0      \n"""
# t/expected/flux_account/full_hierarchy.expected, which view-bank root --tree printed.
TREE = """\
bank_id        bank           active         parent_bank    shares         job_usage      max_preempt_after
1              root           1                             1              0.0            None

Bank                            Username           RawShares            RawUsage           Fairshare
root                                                       1                 0.0
 A                                                         1                 0.0
  A                             user5011                   1                 0.0                 0.5
  A                             user5012                   3                 2.5                 0.5
 D                                                         1                 0.0
  E                                                        1                 0.0
"""
PARSABLE = """\
Bank|Username|RawShares|RawUsage|Fairshare
root||1|0.0
 A||1|0.0
  A|user5011|1|0.0|0.5
  A|user5012|3|2.5|0.5
 D||1|0.0
  E||1|0.0
"""


def joined(*texts: str) -> str:
    return SeveralFiles.of([(str(number), text) for number, text in enumerate(texts)]).text


@pytest.mark.parametrize("text", [BANKS, joined(BANKS, USERS), LISTED])
def test_tables_with_titles_are_written_as_they_were(text: str) -> None:
    assert format_of(Path("x.csv"), text) is FLUX
    scenario = FLUX.read(text)
    assert FLUX.write(scenario) == text
    tree = scenario.tree
    assert [(node.name, node.shares) for node in tree.children(0)] == [("A", 60), ("B", 40)]
    assert FLUX.lost(scenario) == []


def test_the_two_tables_are_one_tree_in_either_order_with_and_without_titles() -> None:
    plain = "root,,1\nA,root,60\nB,root,40\n"
    rows = "ana,5011,A,2,5,7,9,\nbo,5013,B,1,7,7,9,\n"
    trees = [
        FLUX.read(joined(*texts)).tree
        for texts in ((BANKS, USERS), (USERS, BANKS), (plain, rows), (rows, plain), (USERS, plain))
    ]
    for tree in trees:
        shares = {node.name: node.shares for node in tree.walk()}
        assert shares == {"root": 1, "A": 60, "ana": 2, "B": 40, "bo": 1}
    assert trees[0].find("ana").usage == 15
    assert trees[0].find("ana").foreign["flux.MaxRunningJobs"] == "5"
    assert trees[0].find("B").foreign["flux.priority"] == "100.0"


def test_rows_that_are_not_active_stay_in_the_file_and_are_reported() -> None:
    scenario = FLUX.read(joined(BANKS, USERS))
    assert [problem.text for problem in FLUX.caveats(scenario.tree)] == [
        wording("shares.formats.with-active-0-left-out", count="2 rows")
    ]
    tree = scenario.tree
    apply_all(tree, [SetShares.of(tree.find("ana").id, 5)])
    node = tree.add(tree.find("B").id, "new", 3)
    text = FLUX.write(Scenario(tree))
    assert "3,gone,0,root,10" in text
    assert "1,ana,5011,A,A,5,15.0" in text
    assert f"0,,1,{node.name},,B,B,3,0.0,," in text  # the database takes no row without time and bank
    assert FLUX.read(text).tree.find("new").shares == 3


def test_a_row_that_is_not_active_at_the_end_of_a_table_stays_in_it() -> None:
    last = "5,late,0,root,1,0.0,0.0,0\n"
    text = BANKS + last + "\n" + USERS + "1,1,0,cy,7,A,A,1,0.0,0.5,5\n"
    written = FLUX.write(FLUX.read(text))
    assert written.splitlines()[:6] == (BANKS + last).splitlines()
    assert FLUX.write(FLUX.read(written)) == written


def test_associations_alone_ask_for_the_banks() -> None:
    for text in (USERS, "ana,5011,A,2,5,7,9,\n"):
        assert format_of(Path("users.csv"), text) is FLUX
        with refuses(ScenarioError, "shares.formats.associations-without-their-banks-give"):
            FLUX.read(text)


@pytest.mark.parametrize("text", [TREE, PARSABLE])
def test_what_view_bank_prints_is_read_and_written_as_json(text: str) -> None:
    assert format_of(Path("x"), text) is FLUX
    tree = FLUX.read(text).tree
    assert [tree.path(node.id) for node in tree.walk()][1:] == [
        "root/A", "root/A/user5011", "root/A/user5012", "root/D", "root/D/E",
    ]  # fmt: skip
    assert (tree.find("user5012").shares, tree.find("user5012").usage) == (3, 2.5)
    assert (
        FLUX.lines(text)[tree.find("user5011").id, ""]
        == text.split("\n").index(next(line for line in text.split("\n") if "user5011" in line)) + 1
    )
    assert '"username": "user5012"' in FLUX.write(Scenario(tree))


@pytest.mark.parametrize(
    ("was", "now", "fault"),
    [
        ("4,B,1,root", "4,B,1,C", naming("line 5, column 1: error: no bank 'C' in the file")),
        ("4,B,1,root", "4,B,1,B", worded("shares.formats.bank-is-below-itself-or", own="B")),
        ("4,B,1,root", "4,B,1,", worded("shares.formats.only-one-bank-can-be", fault="B")),
        ("4,B", "4,A", worded("shares.formats.bank-occurs-twice", name="A")),
        (",15.0,0.0,0\n2", ",much,0.0,0\n2", worded("shares.formats.usage-must-be-number-of", text="'much'")),
    ],
)
def test_what_is_wrong_with_the_tables_is_reported(was: str, now: str, fault: Expected) -> None:
    with pytest.raises(ScenarioError) as caught:
        FLUX.read(BANKS.replace(was, now))
    assert says(str(caught.value), fault)


def test_users_beside_banks_get_nothing_in_flux() -> None:
    tree = FLUX.read("root,,1\nA,root,1\nB,A,1\nana,1,A,1\n").tree
    assert says(
        str([one.text for one in problems_of(tree)]),
        "shares.formats.beside-banks-in-get-no",
        users="1 association",
        name="A",
    )


def test_lines_of_several_files_are_those_of_each() -> None:
    files = SeveralFiles.of([("a.yaml", "one\ntwo"), ("b.yaml", "three\n")], "---\n")
    assert files.text == "one\ntwo\n---\nthree\n"
    assert [files.place(line) for line in (1, 2, 4)] == [("a.yaml", 1), ("a.yaml", 2), ("b.yaml", 1)]
