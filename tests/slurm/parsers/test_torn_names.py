"""Names with `|`, blanks and the ends of lines, as sacctmgr and sshare of a real cluster printed them.

A coordinator made these accounts, and a child and users in them: `bad⏎name`, `x⏎   astro` (whose second line
looks like the row of another account), `a⏎99|1|lab|evil||||x⏎b`, `a|b`, `  lead`, `trail  `, one with a tab,
a carriage return and an escape.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.shares.edits import Insert, Remove
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import Kind, Node
from fsconsole.slurm.association_status import standing_of
from fsconsole.slurm.change_set import change_set
from fsconsole.slurm.cluster_tree import Numbering
from fsconsole.slurm.own_limits import read_own_limits
from fsconsole.slurm.parsers.assoc import StoredAssociations, read_assoc
from fsconsole.slurm.parsers.scontrol_config import read_scontrol_config
from fsconsole.slurm.parsers.sshare import Sshare, read_sshare
from fsconsole.slurm.remote_edits import news
from fsconsole.targets.slurm.readback import read_stored
from fsconsole.targets.slurm.reading import ASSOC_COLUMNS
from fsconsole.targets.slurm.tools import Answer
from tests.slurm.captured import captured
from tests.texts import Expected, naming, refuses, says, worded, wording

ASSOC, SSHARE = captured("names/assoc.psv"), captured("names/sshare.psv")
OWN = captured("names/own-limits.psv")
GOOD = {"root", "bio", "genomics", "neuro", "ops", "phys", "physics", "astro", "hep", "x" * 255}


def _stored(text: str = ASSOC) -> StoredAssociations:
    return read_assoc(text, "lab", ASSOC_COLUMNS)


def _rows(tree: StoredAssociations | Sshare) -> dict[tuple[str, str], tuple[str, int]]:
    one = tree.tree
    above = [one.account[row] if row >= 0 else "" for row in one.parent.tolist()]
    keys = zip(one.account, one.user, strict=True)
    return dict(zip(keys, zip(above, one.shares.tolist(), strict=True), strict=True))


def test_of_the_associations_the_others_are_read_as_they_are() -> None:
    stored = _stored()
    assert set(stored.tree.account) == GOOD
    rows = _rows(stored)
    assert rows["astro", ""] == ("physics", 1)
    assert rows["hep", "fs_anna"] == ("hep", 10)
    assert len(rows) == 26


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (14, worded("slurm.parsers.begins-or-ends-with-blank")),
        (15, worded("slurm.parsers.line-is-cut-off-or")),
        (18, worded("slurm.parsers.name-contains")),
        (19, worded("shares.is-not-name-it-holds", control="U+0009")),
        (20, worded("slurm.parsers.begins-or-ends-with-blank")),
        (38, naming("'kid/fs_dirk': no association has the parent's id 27")),
    ],
)
def test_every_row_that_is_left_out_is_named(line: int, words: Expected) -> None:
    problems = {one.line: one.text for one in _stored().problems}
    assert says(problems[line], words)


def test_sshare_is_read_but_for_them() -> None:
    shares = read_sshare(SSHARE)
    rows = _rows(shares)
    assert rows["astro", ""] == ("physics", 1)
    assert rows["hep", "fs_anna"] == ("hep", 10)
    assert not {"kid", "99", "b", "name", "evil"} & set(shares.tree.account)
    assert set(shares.tree.account) == GOOD - {"x" * 255}
    assert shares.raw_usage[shares.tree.account.index("hep")] > 0


def test_no_row_is_forged_by_the_rest_of_a_name() -> None:
    """In these tables the account stands first: the rest of its name begins a line."""
    forged = OWN.replace("\n   astro|", "\nastro|")
    assert all(not limits for limits in read_own_limits(forged).values())
    table = "root|||1|\nhep|||3|root\nx\nhep|||99|root\nops|||7|root\n"
    stored = read_stored(lambda command, **_: Answer(tuple(command), 0, table), "lab", limit_s=1)
    assert {key[0]: entry.shares for key, entry in stored.items()} == {"root": 1, "hep": 3, "ops": 7}


def test_nothing_is_computed_from_a_tree_with_rows_left_out() -> None:
    """Without them the shares of all beside them would be others, and would seem to lag."""
    tree = Numbering().tree(_stored())
    settings = read_scontrol_config(captured("plain/scontrol-show-config.txt"))
    standing = standing_of(tree, read_sshare(SSHARE), settings)
    assert standing.printed.norm_shares[tree.stored.tree.account.index("hep")] == pytest.approx(0.209059)
    assert str(standing.computed.norm_shares[5]) == "nan"
    assert not any("NormShares" in why for why in standing.lagging.values())


def test_what_was_left_out_is_neither_added_nor_removed_with_its_account() -> None:
    tree = Numbering().tree(_stored())
    assert not change_set(tree, tree.shares.copy()).changes
    wanted = tree.shares.copy()
    physics = next(node for node in wanted.walk() if node.name == "physics")
    for name in ("kid", "New", "newer"):
        Insert(physics.id, 0, (Node(wanted.next_id, name, kind=Kind.GROUP),)).apply(wanted)
    staged = change_set(tree, wanted)
    assert {one.on: one.why for one in staged.refusals} == {
        "kid": wording("slurm.it-may-be-stored-already"),
        "New": wording("slurm.slurm-stores-names-in-lower", name="new"),
    }
    assert not staged.can_be_applied
    wanted = tree.shares.copy()
    Remove(physics.id).apply(wanted)
    staged = change_set(tree, wanted)
    assert "physics" in [one.on for one in staged.refusals]
    assert "physics" not in [one.on for one in staged.changes]


def test_a_row_that_cannot_be_read_any_more_is_not_removed() -> None:
    numbering = Numbering()
    before = numbering.tree(_stored())
    after = numbering.tree(_stored(ASSOC.replace("|hep||", "|hep\t||")))
    found = news(before, after)
    assert says(found.line, "console.design.bulk.cannot-be-read-2", name="hep")
    assert "removed" not in found.line


def test_where_nothing_is_understood_the_error_stays() -> None:
    torn = "\n".join(line[:9] for line in ASSOC.split("\n"))
    with refuses(ScenarioError, "slurm.parsers.fields-but-header-has"):
        _stored(torn)
    with refuses(ScenarioError, "slurm.parsers.fields-but-header-has"):
        read_sshare(SSHARE.partition("\n")[0] + "\n" + torn)


NAME = st.text(st.sampled_from("ab|\n\r\t \x1b\u2028\u202e/é-"), min_size=1, max_size=12)


@given(name=NAME)
def test_no_name_hides_or_changes_another_account(name: str) -> None:
    """The account stands last in its parent: what follows it in the tables is known."""
    line = next(one for one in ASSOC.split("\n") if "|phys||" in one)
    stored = _stored(ASSOC.replace(line, line.replace("|phys||", f"|{name}||")))
    others = {key: row for key, row in _rows(_stored()).items() if key[0] != "phys"}
    rows = _rows(stored)
    assert {key: rows.get(key) for key in others} == others
    assert set(rows) - set(others) <= {(name.strip(), ""), ("phys", "fs_anna")}
