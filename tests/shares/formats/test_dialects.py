"""Formats of other schedulers: what is read is written back, and what is wrong is said."""

from __future__ import annotations

import contextlib
import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fsconsole.shares.edits import Move, Remove, Rename, SetShares, apply_all
from fsconsole.shares.foreign import FORM, dialects_in
from fsconsole.shares.formats import FORMATS, format_named, format_of, problems_of
from fsconsole.shares.formats.weights import scaled, weight_edits, weight_of, written_weights
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, Node, ShareTree, TreeError, check_spelling
from tests.shares.formats.dialects import (
    EXAMPLES,
    FLAT,
    OTHER_FORMS,
    PARTS,
    UNORDERED,
    leaves,
    parts,
    plain_tree,
    rows_of,
    tidy_trees,
)
from tests.shares.formats.mutate import take
from tests.shares.formats.mutations import mutated
from tests.shares.formats.test_flux import BANKS as FLUX_BANKS
from tests.shares.formats.test_flux import LISTED as FLUX_LISTED
from tests.shares.formats.test_flux import USERS as FLUX_USERS
from tests.shares.trees import trees
from tests.texts import says, wording

NAMES = sorted(EXAMPLES)


@pytest.mark.parametrize("name", NAMES)
def test_a_documented_example_is_written_as_it_was(name: str) -> None:
    form = format_named(name)
    scenario = form.read(EXAMPLES[name])
    assert form.write(scenario) == EXAMPLES[name]
    assert [problem for problem in problems_of(scenario.tree) if problem.severity == "error"] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_text_tells_of_which_format_it_is(name: str) -> None:
    form = format_named(name)
    assert format_of(Path("tree"), EXAMPLES[name]) is form
    for ending in form.all_suffixes:
        assert format_of(Path(f"tree{ending}"), EXAMPLES[name]) is form


@pytest.mark.parametrize("name", NAMES)
def test_every_node_and_key_of_an_example_has_a_line(name: str) -> None:
    form = format_named(name)
    tree, lines = form.read(EXAMPLES[name]).tree, form.lines(EXAMPLES[name])
    text = EXAMPLES[name].splitlines()
    for node in tree.walk():
        if node.parent is not None and f"{name}.implicit" not in node.foreign:
            assert 1 <= lines[node.id, ""] <= len(text)
    assert name == "csv" or f"{name}.{FORM}" in tree.root.foreign


@pytest.mark.parametrize("name", NAMES)
def test_a_tree_through_a_format_and_a_scenario_file_is_the_same_tree(name: str) -> None:
    form, yaml = format_named(name), format_named("yaml")
    scenario = form.read(EXAMPLES[name])
    again = yaml.read(yaml.write(scenario))
    assert again.tree.same_as(scenario.tree)
    assert form.write(again) == EXAMPLES[name]


def assert_same(name: str, before: ShareTree, after: ShareTree) -> None:
    """What the format can say of a tree is what comes back."""
    lost = format_named(name).lost(Scenario(before))
    kinds = not any("read back" in loss.note for loss in lost)
    if name in FLAT:
        whole = leaves(before)
        for group in after.children(after.root.id):
            shares = {
                (child.kind is Kind.USER, child.name): child.shares for child in after.children(group.id)
            }
            total = sum(whole[child] for child in shares) or 1
            expected = {child: whole[child] / total for child in shares}
            all_shares = sum(shares.values()) or 1
            found = {child: part / all_shares for child, part in shares.items()}
            assert found == pytest.approx(expected, abs=1e-6)
    elif name in PARTS:
        assert parts(after) == pytest.approx(parts(before), abs=PARTS[name])
    elif name in UNORDERED:
        assert sorted(rows_of(after, kinds=kinds)) == sorted(rows_of(before, kinds=kinds))
    else:
        assert rows_of(after, kinds=kinds) == rows_of(before, kinds=kinds)


@pytest.mark.parametrize("name", sorted(OTHER_FORMS))
def test_other_forms_of_a_dialect_are_written_as_they_were(name: str) -> None:
    form = format_named(name)
    scenario = form.read(OTHER_FORMS[name])
    assert form.write(scenario) == OTHER_FORMS[name]
    assert format_of(Path("tree"), OTHER_FORMS[name]) is form


@pytest.mark.parametrize("name", NAMES)
def test_a_plain_tree_comes_back_from_every_format(name: str) -> None:
    form = format_named(name)
    scenario = Scenario(plain_tree())
    again = form.read(form.write(scenario))
    assert_same(name, scenario.tree, again.tree)
    assert form.write(again) == form.write(scenario)


@pytest.mark.parametrize("name", [*NAMES, "slurm", "sharecf"])
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(tree=trees() | tidy_trees())
def test_what_a_format_writes_it_reads_back(name: str, tree: ShareTree) -> None:
    form = format_named(name)
    scenario = Scenario(tree)
    try:
        text = form.write(scenario)
    except ScenarioError:
        assume(False)
    again = form.read(text)
    assert_same(name, tree, again.tree)
    assert form.write(again) == text


@pytest.mark.parametrize("name", NAMES)
def test_mutated_files_are_read_or_refused_in_words(name: str) -> None:
    for number in range(200):
        take(format_named(name), mutated(EXAMPLES[name], random.Random(f"{name} {number}")))


weights = st.decimals(0, 10**6, places=3).map(str) | st.integers(0, 10**9).map(str)


@given(st.lists(weights, min_size=1, max_size=6))
def test_shares_are_in_the_ratio_of_the_weights(texts: list[str]) -> None:
    numbers = [weight_of(text) for text in texts]
    shares, factor = scaled(numbers)
    exact = all(number * factor == share for number, share in zip(numbers, shares, strict=True))
    for number, share in zip(numbers, shares, strict=True):
        assert (share == 0) == (number == 0)
        assert exact or abs(share - number * factor) <= 1


@pytest.mark.parametrize(
    ("texts", "shares"),
    [(("2.0", "1"), [2, 1]), (("0.75", "0.25"), [75, 25]), (("0.5", "1.5", "0"), [5, 15, 0])],
)
def test_known_weights(texts: tuple[str, ...], shares: list[int]) -> None:
    assert scaled([weight_of(text) for text in texts])[0] == shares


def test_an_edit_of_a_weight_scales_its_siblings_and_is_undone() -> None:
    form = format_named("kueue")
    tree = form.read(EXAMPLES["kueue"]).tree
    before = tree.copy()
    node = tree.find("important-org")
    inverses = apply_all(tree, weight_edits(tree, node, "0.5", "kueue"))
    siblings = tree.siblings(node.id)
    assert [one.shares for one in siblings] == [50, 25]
    assert list(written_weights(siblings, "kueue").values()) == ["0.5", "0.25"]
    expected = 'weight: "0.5"  # most of it'
    assert expected in form.write(Scenario(tree))
    apply_all(tree, inverses)
    assert tree.same_as(before)


def test_shares_that_are_edited_are_written_in_the_scale_of_the_weights() -> None:
    form = format_named("kueue")
    scenario = form.read(EXAMPLES["kueue"])
    scenario.tree.writable(scenario.tree.find("regular-org").id).shares = 30
    text = form.write(scenario)
    assert 'weight: "0.75"' in text
    assert 'weight: "0.3"' in text


def test_losses_name_what_and_where() -> None:
    scenario = format_named("yarn-fair").read(EXAMPLES["yarn-fair"])
    lines = format_named("yarn-fair").lines(EXAMPLES["yarn-fair"])
    texts = [loss.words(lines) for loss in format_named("sge").lost(scenario)]
    read_back = wording("shares.formats.read-back-as", value="user")
    for key, numbers, kept in (
        ("maxResources (yarn-fair)", ["1", "5"], ""),
        ("minResources (yarn-fair)", ["2", "4", "12"], ""),
        ("1 empty group", ["1", "16"], read_back),
    ):
        (found,) = [one for one in texts if one.startswith(key)]
        # How many nodes, and their lines.
        assert re.findall(r"\d+", found) == numbers
        assert found.endswith(kept)
    assert not any("weight" in one for one in texts)


def test_targets_beside_a_tree_of_moab_do_not_make_it_maui() -> None:
    text = EXAMPLES["maui"] + OTHER_FORMS["moab"]
    form = format_of(Path("moab.cfg"), text)
    assert form.name == "moab"
    scenario = form.read(text)
    assert scenario.tree.find("john").shares == 8
    assert form.write(scenario) == text
    assert says(
        [problem.text for problem in problems_of(scenario.tree)],
        "shares.formats.fstarget-beside-fairshare-tree-kept",
        targets="4 targets",
    )


# sacctmgr(1), fairshare: `parent` means that the user takes the account's shares.
_WITH_PARENT = """\
Cluster - 'lab':Fairshare=1
Parent - 'root'
Account - 'phys':Fairshare=40
Account - 'lab':Fairshare=parent
Parent - 'phys'
User - 'anna':Fairshare=10
User - 'bo':Fairshare=30
User - 'ben':Fairshare=parent
Parent - 'lab'
User - 'cy':Fairshare=50
User - 'di':Fairshare=10
"""


@pytest.mark.parametrize("name", [*NAMES, "sharecf"])
def test_who_takes_the_accounts_share_does_not_go_without_elsewhere(name: str) -> None:
    slurm, form = format_named("slurm"), format_named(name)
    scenario = slurm.read(_WITH_PARENT)
    again = form.read(form.write(scenario)).tree
    if name == "csv":  # keeps Slurm's own word
        assert again.find("ben").foreign["Fairshare"] == "parent"
        return
    whole = {leaf: part for (_, leaf), part in leaves(again).items()}
    assert whole["ben"] == pytest.approx(0.4 * 20 / 60, abs=0.005)
    assert whole["cy"] == pytest.approx(0.6 * 50 / 60, abs=0.005)  # beside phys, as in Fair Tree
    texts = [loss.words(slurm.lines(_WITH_PARENT)) for loss in form.lost(scenario)]
    (lost,) = [one for one in texts if one.startswith("Fairshare=parent (slurm)")]
    # Two nodes, and their lines.
    assert re.findall(r"\d+", lost)[:3] == ["2", "4", "8"]


def test_dialects_of_a_tree_are_those_that_its_root_has_keys_of() -> None:
    assert dialects_in(format_named("pbs").read(EXAMPLES["pbs"]).tree) == ("pbs",)
    assert {item.name for item in FORMATS} >= set(NAMES)


def edited(tree: ShareTree, dice: random.Random) -> ShareTree:
    """The tree after a few edits such as an operator makes."""
    for number in range(dice.randint(1, 4)):
        nodes = [node for node in tree.walk() if node.parent is not None]
        if not nodes:
            break
        groups = [node for node in tree.walk() if node.is_group]
        node, group = dice.choice(nodes), dice.choice(groups)
        kind = dice.randrange(5)
        with contextlib.suppress(TreeError):
            if kind == 0:
                apply_all(tree, [SetShares.of(node.id, dice.randint(1, 200))])
            elif kind == 1:
                apply_all(tree, [Rename(node.id, f"new{number}")])
            elif kind == 2:
                apply_all(tree, [Move(node.id, group.id, 0)])
            elif kind == 3:
                tree.add(group.id, f"added{number}", dice.randint(1, 50), dice.choice(list(Kind)))
            elif len(nodes) > 2:
                apply_all(tree, [Remove(node.id)])
    return tree


_FORMS = [(name, text) for found in (EXAMPLES, OTHER_FORMS) for name, text in found.items()]
_FORMS += [("flux", FLUX_BANKS + FLUX_USERS), ("flux", FLUX_LISTED)]


@pytest.mark.parametrize(("name", "example"), _FORMS)
def test_an_edited_tree_comes_back_with_all_that_its_nodes_had(name: str, example: str) -> None:
    form = format_named(name)
    written = 0
    for number in range(60):
        tree = edited(form.read(example).tree, random.Random(number))
        try:
            text = form.write(Scenario(tree))
        except ScenarioError:
            continue
        written += 1
        again = form.read(text).tree
        assert form.write(Scenario(again)) == text
        if name in FLAT:
            assert_same(name, tree, again)
            continue
        if name == "moab" and len(tree.root.children) < 2:
            continue  # a single tree is the root itself
        assert parts(again) == pytest.approx(parts(tree), abs=PARTS.get(name, 1e-8))
        own = {tree.path(node.id): own_values(node, name) for node in tree.walk()}
        for node in again.walk():
            lost = own.get(again.path(node.id), {}).items() - own_values(node, name).items()
            assert not lost, (number, node.name, lost, text)
    assert written > 15


def own_values(node: Node, name: str) -> dict[str, str]:
    """What the columns of a format say of a node, without weights, which follow from shares."""
    columns = [column.key.rstrip("*") for column in format_named(name).columns]
    # A project of Grid Engine without nodes is an account, whose kind says it.
    following = (".weight", ".id", ".GROUP_MEMBER", *(() if node.children else ("sge.type",)))
    own = {key: value for key, value in node.foreign.items() if value and not key.endswith(following)}
    return {key: value for key, value in own.items() if any(key.startswith(one) for one in columns)}


_ALL_TEXTS = [
    *EXAMPLES.items(), ("flux", FLUX_BANKS), ("flux", FLUX_LISTED), ("flux", FLUX_USERS),
    ("csv", "path,name,shares\n/,top,1\n/a,a,2\n/b,b,1\n"),
]  # fmt: skip


@given(data=st.data(), sign=st.sampled_from("\x07\x1b\x85/\x00\x0b"))
@pytest.mark.parametrize(("name", "text"), _ALL_TEXTS)
def test_no_reader_gives_a_node_a_name_that_cannot_be(
    name: str, text: str, data: st.DataObject, sign: str
) -> None:
    """Names of roots were taken as they came."""
    at = data.draw(st.integers(0, len(text)))
    with contextlib.suppress(ScenarioError):
        for node in format_named(name).read(f"{text[:at]}{sign}{text[at:]}").tree.walk():
            check_spelling(node.name)


@given(
    lines=st.lists(
        st.sampled_from(
            [
                *(
                    "[Slice]",
                    "[Unit]",
                    "CPUWeight=50",
                    "CPUWeight=200 ",
                    "CPUWeight=",
                    "CPUWeight=idle",
                    "# x",
                    "",
                ),
                *("CPUQuota=5%", "CPUQuota=", "# /etc/systemd/system/a.slice.d/b.conf"),
                "# /run/systemd/system/a.slice",
            ]
        ),
        max_size=12,
    )
)
def test_slices_of_several_files_come_back_as_systemd_reads_them(lines: list[str]) -> None:
    """An empty value takes back the one in an earlier file."""
    form = format_named("systemd")
    text = "\n".join(["# /etc/systemd/system/a.slice", *lines, "# /etc/systemd/system/b.slice", "[Slice]"])
    first = form.read(text + "\n")
    again = form.read(form.write(first))

    def weights(tree: ShareTree) -> dict[str, object]:
        values = ("systemd.weight", "systemd.CPUWeight", "systemd.CPUQuota")
        return {
            node.name: (node.shares, [node.foreign.get(key) or "" for key in values]) for node in tree.walk()
        }

    assert weights(again.tree) == weights(first.tree)
