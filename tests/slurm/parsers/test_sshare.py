"""What sshare printed, whole and damaged."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.foreign import PARENT_SHARES
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.slurm.parsers.sshare import read_sshare, read_whole_sshare
from tests.texts import Expected, naming, refuses, refuses_naming, says, worded, wording

CAPTURES = Path(__file__).parents[1] / "captures"
TEXT = (CAPTURES / "drained.psv").read_text(encoding="utf-8")
TREE = (CAPTURES / "fairtree.psv").read_text(encoding="utf-8")
DEFAULT = ("Account", "User", "RawShares", "NormShares", "RawUsage", "EffectvUsage", "FairShare")


def test_depth_and_order_make_the_tree() -> None:
    tree = read_sshare(TEXT).tree
    hugo = tree.user.index("fs_hugo")
    genomics = tree.parent[hugo]
    assert tree.account[genomics] == "genomics"
    assert tree.account[tree.parent[genomics]] == "bio"
    assert tree.shares[hugo] == PARENT_SHARES
    assert tree.is_user.sum() == 15


def test_users_who_were_added_later_stand_above_the_root() -> None:
    """As Slurm 22.05.8 printed it after `sacctmgr add user name=fs_ben account=hep`, until it began again."""
    header, *lines = TEXT.splitlines()
    (ben,) = [line for line in lines if line.startswith("   hep|fs_ben|")]
    rest = [line for line in lines if line != ben]
    found = read_sshare("\n".join([header, ben.strip(), *rest]))
    whole = read_sshare(TEXT)
    assert sorted(zip(found.tree.account, found.tree.user, strict=True)) == sorted(
        zip(whole.tree.account, whole.tree.user, strict=True)
    )
    row = found.tree.user.index("fs_ben")
    assert found.tree.account[found.tree.parent[row]] == "hep"
    assert found.tree.parent.tolist()[0] == -1
    assert all(above < row for row, above in enumerate(found.tree.parent.tolist()))
    assert found.printed.fairshare[row] == whole.printed.fairshare[whole.tree.user.index("fs_ben")]


def test_a_user_of_no_account_is_reported() -> None:
    width = TEXT.partition("\n")[0].count("|")
    found = read_sshare(TEXT.rstrip() + "\nnowhere|fs_ben" + "|1" * (width - 1) + "\n")
    assert [one.text for one in found.problems] == [
        wording("slurm.parsers.left-out-row-of-user", account="'nowhere'")
    ]
    assert found.tree.user == read_sshare(TEXT).tree.user


def test_columns_may_stand_in_any_order_and_some_be_absent() -> None:
    lines = [line.split("|") for line in TEXT.splitlines()]
    picked = "\n".join("|".join((row[1], row[5], row[0], row[2])) for row in lines)
    found, whole = read_sshare(picked).tree, read_sshare(TEXT).tree
    assert found.user == whole.user
    assert found.shares.tolist() == whole.shares.tolist()
    assert found.usage.tolist() == whole.usage.tolist()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", naming("no column Account, User, RawShares")),
        ("Account|User|RawShares\n", worded("slurm.parsers.sshare-shows-no-association-to")),
        ("Account|User|RawShares\n bio||1\n", worded("slurm.parsers.first-association-is-not-root")),
        (
            "Account|User|RawShares\nroot||\nroot||\n",
            naming("line 3, column 0: error: a second root account"),
        ),
        (
            "Account|User|RawShares\nroot||\n   bio||1\n",
            worded("slurm.parsers.is-indented-by-but-no", account="bio", depth="3"),
        ),
        (
            "Account|User|RawShares\nroot||\n bio||-3\n",
            worded("slurm.parsers.rawshares-is-expected-whole-number"),
        ),
        ("Account|User|RawShares|NormUsage\nroot|||\n bio||3|x\n", naming("NormUsage is 'x'")),
        (
            "Account|User|RawShares\nroot||\n bio|\n",
            worded("slurm.parsers.fields-but-header-has", fields="2", wanted="3"),
        ),
    ],
)
def test_what_is_wrong_is_reported_with_its_line(text: str, words: Expected) -> None:
    with pytest.raises(ScenarioError) as caught:
        read_sshare(text)
    assert says(str(caught.value), words)


@given(st.integers(0, len(TEXT)), st.integers(0, 40), st.text(max_size=5))
def test_damage_is_read_or_said(place: int, length: int, other: str) -> None:
    damaged = TEXT[:place] + other + TEXT[place + length :]
    with suppress(ScenarioError):  # anything else would be a fault
        tree = read_sshare(damaged).tree
        assert (tree.parent[1:] < range(1, len(tree))).all()


def test_a_doubled_header_is_refused() -> None:
    names = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare"
    with refuses(ScenarioError, "slurm.parsers.column-occurs-twice-this-is", double="Account"):
        read_sshare(f"{names}|{names}\nroot|a|b|c|d|e|f|g\n")


def test_columns_that_say_nothing_here_may_occur_twice() -> None:
    lines = TEXT.rstrip("\n").split("\n")
    more = "\n".join([f"{lines[0]}|Odd|Odd", *(f"{line}|1|2" for line in lines[1:])])
    assert read_sshare(more).tree.user == read_sshare(TEXT).tree.user
    short = "\n".join([f"{lines[0]}|Odd|Odd", f"{lines[1]}|1"])
    with refuses(ScenarioError, "slurm.parsers.line-is-cut-off-or"):
        read_sshare(short)


@pytest.mark.parametrize("value", ["abc", "-1", "nan", "inf"])
def test_a_wrong_number_says_what_was_expected(value: str) -> None:
    header, root = "Account|User|RawShares|NormUsage", "root||1|"
    shown = {"name": "NormUsage", "text": repr(value)}
    with refuses(ScenarioError, "slurm.parsers.is-expected-number-of-0", **shown):
        read_sshare(f"{header}\n{root}{value}\n")


def _only(text: str, *columns: str) -> str:
    """The output of `sshare -o` with these columns."""
    rows = [line.split("|") for line in text.rstrip("\n").split("\n")]
    places = [rows[0].index(name) for name in columns]
    return "".join(f"{'|'.join(row[place] for place in places)}\n" for row in rows)


def _blank(text: str, *columns: str, account: str = "") -> str:
    """The same output with these columns blank, in all rows or in those of an account."""
    rows = [line.split("|") for line in text.rstrip("\n").split("\n")]
    places = {rows[0].index(name) for name in columns}
    blank = [
        ["" if at in places else cell for at, cell in enumerate(row)]
        if account in ("", row[0].strip())
        else row
        for row in rows[1:]
    ]
    return "".join(f"{'|'.join(row)}\n" for row in [rows[0], *blank])


@pytest.mark.parametrize("text", [_only(TEXT, *DEFAULT), _blank(TEXT, "NormUsage")])
def test_usage_is_raw_usage_over_the_roots_where_norm_usage_is_not_printed(text: str) -> None:
    """As `sshare -a -P` prints its default columns."""
    found, whole = read_whole_sshare(text), read_whole_sshare(TEXT)
    assert found.is_from_raw
    assert not whole.is_from_raw
    np.testing.assert_array_equal(found.tree.usage[1:], whole.raw_usage[1:] / whole.raw_usage[0])
    np.testing.assert_allclose(found.tree.usage, whole.tree.usage, atol=5e-4)


def test_the_rule_is_known_from_the_default_columns() -> None:
    assert read_sshare(_only(TREE, *DEFAULT)).is_fair_tree
    assert not read_sshare(_only(TEXT, *DEFAULT)).is_fair_tree


def test_usage_that_no_column_has_is_refused() -> None:
    with refuses(ScenarioError, "slurm.parsers.no-column-normusage-or-rawusage"):
        read_sshare(_only(TEXT, "Account", "User", "RawShares", "NormShares", "EffectvUsage", "FairShare"))


def test_usage_that_a_row_does_not_have_is_unknown() -> None:
    text = _blank(TEXT, "NormUsage", "RawUsage", account="genomics")
    found = read_sshare(text).tree
    of_genomics = np.array([account == "genomics" for account in found.account])
    np.testing.assert_array_equal(np.isnan(found.usage), of_genomics)
    names = [user or account for account, user in zip(found.account, found.user, strict=True)]
    who = [name for name, is_its in zip(names, of_genomics, strict=True) if is_its]
    with refuses_naming(ScenarioError, *who):
        read_whole_sshare(text)


def test_a_cluster_that_has_used_nothing_is_known() -> None:
    text = "Account|User|RawShares|RawUsage\nroot|||0\n bio||1|0\n  bio|ida|1|0\n"
    assert read_whole_sshare(text).tree.usage.tolist() == [1.0, 0.0, 0.0]


def test_zeros_before_the_first_calculation_are_no_results() -> None:
    """As slurmctld prints them after a start, until it has calculated NormUsage."""
    zeros = [
        line if not at else "|".join([*line.split("|")[:5], "", *["0.000000"] * 2, *line.split("|")[8:]])
        for at, line in enumerate(TEXT.rstrip("\n").split("\n"))
    ]
    found = read_sshare("\n".join(zeros))
    for column in (found.printed.fairshare, found.printed.effective_usage):
        assert np.isnan(column).all()
    assert not np.isnan(found.tree.usage).any()


@pytest.mark.parametrize("text", [TEXT, TREE], ids=["classic", "fair tree"])
def test_a_missing_row_is_noticed_where_others_share_its_level(text: str) -> None:
    header, *lines = text.splitlines()
    whole = read_sshare(text)
    tree, above = whole.tree, whole.tree.shares_parent()
    assert whole.lack == ""
    depth = [len(line) - len(line.lstrip()) for line in lines]
    for at in range(1, len(lines)):
        end = next((row for row in range(at + 1, len(lines)) if depth[row] <= depth[at]), len(lines))
        rest = "".join(f"{line}\n" for line in (header, *lines[:at], *lines[end:]))
        compete = {True: set[int](), False: set[int]()}  # The accounts for whose shares rows compete.
        for row in range(1, len(lines)):
            if tree.shares[row] and not tree.takes_parents[row]:
                compete[at <= row < end].add(int(above[row]))
        assert bool(read_sshare(rest).lack) is bool(compete[True] & compete[False]), lines[at]
        if read_sshare(rest).lack:
            with refuses_naming(ScenarioError, "NormShares", "RawShares"):
                read_whole_sshare(rest)


def test_normshares_tell_the_rule_also_where_other_columns_do_not() -> None:
    """sshare of Slurm 26.05 prints no FairShare of accounts under classic fairshare either."""
    text = (CAPTURES.parents[1] / "data" / "slurm" / "26.05" / "usage.txt").read_text("utf-8")
    assert not read_sshare(text).is_fair_tree
    assert not read_sshare(TEXT).is_fair_tree
    assert read_sshare(TREE).is_fair_tree
    without = "".join(f"{line.rsplit('|', 3)[0]}\n" for line in TREE.splitlines())
    assert "LevelFS" not in without
    assert read_sshare(without).is_fair_tree


def test_output_that_ends_within_a_line_is_not_whole() -> None:
    for end in range(len(TEXT) - 80, len(TEXT)):
        with pytest.raises(ScenarioError):
            read_whole_sshare(TEXT[:end])
    assert len(read_whole_sshare(TEXT).tree) == len(TEXT.splitlines()) - 1
