"""Share databases as text: what is written is read back, and what is wrong is said with its line."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.formats import format_of, read_tree, sharecf, write_tree
from fsconsole.shares.parent_shares import with_numbers
from fsconsole.shares.quoting import quoted, split
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import Kind, ShareTree
from tests.shares.example_files import EXAMPLES
from tests.shares.trees import junglas_tree, texts, trees
from tests.texts import Expected, naming, refuses, says, worded, wording


@given(st.lists(texts))
def test_quoted_words_are_read_back(words: list[str]) -> None:
    assert split(" ".join(quoted(word) for word in words)) == words


def test_quotes_join_and_comments_end_a_line() -> None:
    answer = split("lim 'shares=1;sgroup=g 2' /a\" b\"/c # u11")
    assert answer == ["lim", "shares=1;sgroup=g 2", "/a b/c"]
    answer = split('a#b "x\\u0007\\q\\""  \'\'')
    assert answer == ["a#b", 'x\a\\q"', ""]
    with refuses(ValueError, "shares.is-not-closed-close-it", line="'"):
        split("lim 'shares=1")


@given(trees())
def test_a_tree_through_its_database_is_the_same_tree(tree: ShareTree) -> None:
    for node in tree.walk():
        node.foreign.clear()
    tree.root.system = False
    tree.root.kind = Kind.GROUP
    assert sharecf.read(sharecf.write(tree)).same_as(tree)


def test_junglas_groups_as_a_database() -> None:
    text = """
    # Junglas section 4
    / name=root shares=1000
    /g1 shares=40 flags=group
    /g1/u11 shares=1
    /g1/u12 shares=1 flags=user
    /g2 shares=60 flags=group
    /g2/u21
    /g2/u22 shares=1
    /g2/u23 shares=2
    """
    assert sharecf.read(text).same_as(junglas_tree())


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "u11 shares=1",
            naming("line 2, column 1: error: an entry begins with its path, such as /gr1/u11"),
        ),
        (
            "/u1 shares=-1",
            worded("shares.formats.shares-must-be-whole-number", max_shares="2147483647", text="'-1'"),
        ),
        ("/u1 shares=2147483648", worded("shares.formats.shares-must-be-whole-number")),
        ("/u1 shares=٣", worded("shares.formats.shares-must-be-whole-number")),
        ("/u1 share=1", naming("unknown key 'share'. Did you mean shares")),
        ("/u1 usage=nan", worded("shares.formats.usage-must-be-number-of", text="'nan'")),
        ("/u1 last_use=3", worded("shares.formats.last-use-must-be-number")),
        ("/u1 flags=user,group", worded("shares.formats.flags-exclude-each-other-entry")),
        ("/u1 flags=sistem", naming("unknown flag 'sistem'. Did you mean system")),
        ("/u1 name=x", worded("shares.formats.unknown-key", key_2="'name'")),
        ("/u1 shares", worded("shares.formats.is-not-setting-write-key", setting="'shares'")),
        ("/g/u1 shares=1", worded("shares.formats.no-entry-before-this-one", path="/g")),
        ("/a//b", naming("is not a name")),
        ("/a/", naming("is not a name")),
        ("/u1 'x", worded("shares.is-not-closed-close-it")),
        ("/u0", worded("shares.formats.occurs-twice-first-in-line-4", line="1")),
        ("/u0/u1", worded("shares.formats.is-but-only-group-can")),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(line: str, message: Expected) -> None:
    with pytest.raises(ScenarioError) as caught:
        sharecf.read(f"/u0 shares=1\n{line}\n")
    assert says(str(caught.value), message)
    assert "line 2" in str(caught.value)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ScenarioError):
        sharecf.read(text)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_exported_and_imported(path: Path, tmp_path: Path) -> None:
    scenario = read_tree(path)
    database = tmp_path / "tree.sharecf"
    write_tree(scenario, database)
    again = read_tree(database)
    assert [sharecf.settings_of(node) for node in again.tree.walk()] == [
        sharecf.settings_of(node) for node in with_numbers(scenario.tree)[0].walk()
    ]
    assert format_of(Path("nothing"), database.read_text()).name == "sharecf"


def test_what_has_no_place_is_reported() -> None:
    scenario = read_tree(next(path for path in EXAMPLES if path.stem == "convex-series-1"))
    lost = format_of(Path("x.sharecf")).lost(scenario)
    settings = wording("shares.formats.of-machine-or-policy")
    *counts, last = [loss.words() for loss in lost]
    assert counts == ["7 logins", "7 workloads"]
    assert last.removesuffix(settings).split() == ["1", "setting"]
