"""Associations as sacctmgr prints them, against what sshare and a dump say of the same cluster."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.assoc import StoredAssociations, read_assoc
from fsconsole.slurm.parsers.sshare import read_sshare
from tests.slurm.captured import ASSOC_COLUMNS, captured, with_columns
from tests.texts import Expected, naming, refuses, refuses_naming, says, worded

ODD = captured("odd/assoc-tree-ids.psv")


def _paths(stored: StoredAssociations) -> dict[str, int]:
    """Shares by the names from the root down."""
    tree = stored.tree
    paths: list[str] = []
    for row, account in enumerate(tree.account):
        name = f"{tree.user[row]}:{stored.partition[row]}" if tree.user[row] else account
        paths.append(name if row == 0 else f"{paths[tree.parent[row]]}/{name}")
    return dict(zip(paths, tree.shares.tolist(), strict=True))


def test_the_tree_is_that_of_sshare() -> None:
    found = read_assoc(captured("plain/assoc-tree.psv")).tree
    expected = read_sshare(captured("running.psv")).tree
    assert found.account == expected.account
    assert found.user == expected.user
    assert found.parent.tolist() == expected.parent.tolist()
    assert found.shares.tolist() == expected.shares.tolist()


def test_ids_say_the_same_tree_as_indentation() -> None:
    found = read_assoc(captured("plain/assoc-ids.psv"), columns=ASSOC_COLUMNS)
    assert _paths(found) == _paths(read_assoc(captured("plain/assoc-tree.psv")))
    assert found.ids[found.tree.user.index("fs_hugo")] == 17
    assert found.qos[found.tree.account.index("ops")] == ("cheap", "normal")


@given(st.randoms(use_true_random=False), st.sampled_from(["id", "name"]))
def test_the_order_of_lines_does_not_matter_where_parents_are_named(random: object, how: str) -> None:
    wanted = {"id": ("id", "parentid"), "name": ("parentname",)}[how]
    text = with_columns(ODD, ("cluster", "account", "user", "partition", "share", *wanted))
    head, *lines = text.splitlines()
    random.shuffle(lines)  # type: ignore[attr-defined]
    found = read_assoc("\n".join([head, *lines]), "lab")
    assert _paths(found) == _paths(read_assoc(ODD, "lab"))
    assert (found.tree.parent[1:] < range(1, len(found.tree))).all()


def test_limits_and_partitions_stay_with_their_rows() -> None:
    found = read_assoc(captured("odd/assoc-tree.psv"), "lab")
    hep = found.tree.account.index("hep")
    assert found.limits[hep] == {"grpjobs": "5", "grptres": "cpu=10,mem=1G", "maxwall": "1-00:00:00"}
    kim = [row for row, user in enumerate(found.tree.user) if user == "fs_kim"]
    assert [found.partition[row] for row in kim] == ["", "", "batch"]
    assert [found.tree.shares[row] for row in kim] == [1, 4, 3]


def test_of_several_clusters_one_is_named() -> None:
    assert read_assoc(ODD, "other").tree.account == ("root", "root")
    assert read_assoc(ODD, "lab").cluster == "lab"
    with refuses(ScenarioError, "slurm.parsers.these-are-associations-of-several", several="lab, other"):
        read_assoc(ODD)
    with refuses_naming(ScenarioError, "oops", "lab, other"):
        read_assoc(ODD, "oops")


def test_every_capture(shared: Path) -> None:
    for folder in ("running", "drained", "fairtree"):
        captures = shared / "slurm-lab" / "captures" / folder
        tree = _paths(read_assoc((captures / "sacctmgr-assoc-tree.psv").read_text("utf-8")))
        ids = read_assoc((captures / "sacctmgr-assoc-ids.psv").read_text("utf-8"), columns=ASSOC_COLUMNS)
        accounts = read_assoc((captures / "sacctmgr-account.psv").read_text("utf-8"))
        assert tree == _paths(ids) == _paths(accounts)
        assert tree["root/bio/neuro"] == PARENT_SHARES


HEAD = "Cluster|Account|User|Partition|Share\n"
WITH_IDS = "ID|ParentID|Account|User|Share\n1|0|root||1\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", naming("no column account, user")),
        (HEAD, naming("no association")),
        (
            HEAD + "lab|root|||1\nlab|bio|||2\n",
            worded("slurm.parsers.parents-of-accounts-are-missing"),
        ),
        (
            HEAD + "lab|root|||1\nlab|   bio|||2\n",
            naming("line 3, column 0: error: left out: 'bio': it is indented by 3"),
        ),
        (HEAD + "lab|root|||1\nlab| bio|||-2\n", worded("slurm.parsers.shares-are-expected-whole-number")),
        (
            HEAD + "lab|root|||1\nlab| bio|||4294967296\n",
            worded("slurm.parsers.shares-are-expected-whole-number"),
        ),
        (
            HEAD + "lab|root|||1\nlab| bio||\n",
            naming("line 3, column 0: error: 4 fields, but the header has 5: the line is cut off"),
        ),
        (
            HEAD + "lab|root|||1\nlab| bio|||1\nlab|ops|||1\n",
            worded("slurm.parsers.second-root-account", account="'ops'"),
        ),
        (HEAD + "lab|root|||1\nlab| |||1\n", naming("line 3, column 0: error: left out: Type a name")),
        ("Account|User\nroot|\n", worded("slurm.parsers.no-column-share-or-fairshare")),
        (WITH_IDS + "2|7|bio||1\n", worded("slurm.parsers.no-association-has-parent-s", number="7")),
        (WITH_IDS + "1|1|bio||1\n", worded("slurm.parsers.second-association-has-id", id="1")),
        (WITH_IDS + "2|1|bio|ann|1\n3|2|bio|bob|1\n", naming("'bio/bob': it is below a user")),
        (
            WITH_IDS + "2|3|bio||1\n3|2|ops||1\n",
            naming("'bio': it is below an account that was left out, or below itself"),
        ),
        (WITH_IDS + "x|3|bio||1\n", naming("id is 'x'")),
        (
            "ID|ParentID|Account|User|Share\n2|3|bio||1\n3|2|ops||1\n ",
            worded("slurm.parsers.no-root-account-each-account"),
        ),
        (
            "ParentName|Account|User|Share\n|root||1\nno|bio||1\n",
            worded("slurm.parsers.its-account-is-missing", above="'no'"),
        ),
    ],
)
def test_what_is_wrong_is_reported(text: str, words: Expected) -> None:
    try:
        problems = read_assoc(text).problems
    except ScenarioError as error:
        problems = tuple(error.problems)
    assert says("\n".join(map(str, problems)), words)


def test_of_thousands_of_damaged_lines_the_first_are_reported() -> None:
    with pytest.raises(ScenarioError) as caught:
        read_assoc(HEAD + "lab|root|||x\n" * 5000)
    assert len(caught.value.problems) == 101
    assert says(str(caught.value), "slurm.parsers.and-more-of-this-kind", more="4\u202f900")
