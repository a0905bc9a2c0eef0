from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime
from pathlib import Path

import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from fsconsole.shares.edits import Remove, Rename, SetShares
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.names import Person
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES, PolicySpec
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.remove_references import pruned
from fsconsole.shares.scenario.scalars import paragraph, scalar
from fsconsole.shares.scenario.spec import (
    Demand,
    DemandReport,
    Device,
    Event,
    MachineSpec,
    PlotSpec,
    Scenario,
)
from fsconsole.shares.scenario.write import MAX_LEVELS, lost_comments, save_scenario, write_text
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree
from tests.laws import tries
from tests.shares.scenario.test_read import FULL
from tests.shares.trees import names, texts, trees
from tests.texts import refuses

times = st.floats(0, 1e9)
above = st.floats(1e-6, 1e9)
parts = st.floats(0, 1)
levels = st.lists(st.floats(0, 2), min_size=1, max_size=3).map(tuple)
nice = st.integers(0, 39)
spread = st.sampled_from(["fixed", "exponential"])
computing = st.builds(
    actions.Work,
    burst_s=st.none() | above,
    cpu_s=st.none() | above,
    spread=spread,
    syscalls_per_s=st.floats(0, 1e7),
    clicks=st.integers(0, 2**40),
)
sleeping = st.builds(actions.Work, burst_s=above, sleep_s=times, cpu_s=st.none() | above, spread=spread)


def assert_same(a: Scenario, b: Scenario) -> None:
    assert a.tree.same_as(b.tree)
    for item in fields(Scenario):
        if item.name != "tree":
            assert getattr(a, item.name) == getattr(b, item.name), item.name


@st.composite
def people_of(draw: st.DrawFn, tree: ShareTree) -> tuple[Person, ...]:
    """Draw own users of leaves, and people with names of their own and one or more accounts."""
    leaves = [node for node in tree.walk() if not node.is_group]
    taken = [node.name for node in tree.walk()]
    found: dict[str, Person] = {}
    for _ in range(draw(st.integers(0, 3)) if leaves else 0):
        leaf = draw(st.sampled_from(leaves))
        if draw(st.booleans()) and taken.count(leaf.name) == 1:
            found[leaf.name] = Person(leaf.name, (leaf.id,), draw(nice))
            continue
        name = draw(names)
        ids = st.lists(st.sampled_from([node.id for node in leaves]), min_size=1, max_size=3, unique=True)
        if name not in taken:
            found[name] = Person(name, tuple(draw(ids)), draw(nice))
    return tuple(found.values())


def people_events(
    tree: ShareTree, people: tuple[Person, ...], work: st.SearchStrategy[actions.Work]
) -> list[st.SearchStrategy[actions.Action]]:
    """Return the events of people: those with one account are charged there, others on the current one."""
    found: list[st.SearchStrategy[actions.Action]] = []
    for person in people:
        found.append(st.builds(actions.ReniceUser, st.just(person.name), nice))
        accounts = st.sampled_from(person.accounts)
        found.append(st.builds(actions.NewAccount, st.just(person.name), accounts))
        if tree.node(person.accounts[0]).name == person.name:
            continue
        current = st.just(person.accounts[0] if len(person.accounts) == 1 else actions.CURRENT_ACCOUNT)
        name = st.just(person.name)
        found.append(st.builds(actions.Login, current, name))
        found.append(st.builds(actions.Logout, current, st.booleans(), name))
        found.append(st.builds(actions.StartProcess, current | accounts, work, person=name))
    return found


@st.composite
def scenarios(draw: st.DrawFn) -> Scenario:
    tree = draw(trees())
    nodes = [node.id for node in tree.walk()]
    leaves = [node.id for node in tree.walk() if not node.is_group]
    workers = [*leaves, ROOT_ID]
    people = draw(people_of(tree))
    devices = tuple(
        Device(name, draw(st.sampled_from(["block", "stream"])))
        for name in draw(st.lists(names, max_size=2, unique=True))
    )
    work = computing | sleeping
    if devices:
        asked = st.sampled_from([device.name for device in devices])
        work |= st.builds(actions.Work, burst_s=above, device=asked, io_s=above)
    process = {
        "command": names,
        "count": st.integers(1, 9),
        "nice": st.none() | nice,
        "interactive": st.booleans(),
    }
    happenings: list[st.SearchStrategy[actions.Action]] = [
        st.builds(actions.StartProcess, st.sampled_from(workers), work, **process),
        st.builds(actions.EndProcess, st.integers(1, 99)),
        st.builds(actions.Renice, st.integers(1, 99), nice),
        st.just(actions.Restart()),
        st.builds(actions.EndProcesses, st.sampled_from(workers), st.none() | texts),
        st.builds(actions.SetSetting, st.just("policy.half_life_s"), above),
        st.builds(actions.SetSetting, st.just("policy.k_mu"), levels),
        st.builds(actions.SetSetting, st.just("policy.adjgroups"), st.sampled_from(["off", "share"])),
        st.builds(actions.SetSetting, st.just("policy.name"), st.sampled_from(POLICY_NAMES)),
        st.builds(
            lambda pairs: actions.ChangeTree((SetShares(tuple(pairs.items())),)),
            st.dictionaries(st.sampled_from(nodes), st.integers(0, 2**31 - 1), min_size=1),
        ),
        *people_events(tree, people, work),
    ]
    loads = [st.builds(actions.StartProcess, st.sampled_from(workers), work, **process)]
    loads += [
        st.builds(actions.StartProcess, st.sampled_from(one.accounts), work, person=st.just(one.name))
        for one in people
        if tree.node(one.accounts[0]).name != one.name
    ]
    if leaves:
        happenings.append(st.builds(actions.Login, st.sampled_from(leaves)))
        happenings.append(st.builds(actions.Logout, st.sampled_from(leaves), st.booleans()))
        amounts = st.none() | st.floats(0, 1e15)
        books = st.tuples(amounts, amounts).filter(lambda pair: pair != (None, None))
        leaf = st.sampled_from(leaves)
        happenings.append(st.builds(lambda node, pair: actions.SetBooks(node, *pair), leaf, books))
    demands = st.lists(
        st.builds(Demand, st.sampled_from(nodes), st.none() | parts, st.none() | parts),
        min_size=1,
        max_size=3,
        unique_by=lambda demand: demand.node,
    )
    return Scenario(
        tree,
        draw(texts),
        draw(texts | st.text(st.sampled_from("ab \n"), max_size=300)),
        draw(texts),
        MachineSpec(
            name=draw(texts),
            cpus=draw(st.integers(1, 4096)),
            start=draw(st.datetimes(max_value=datetime.fromisoformat("9000-12-31"))),
            calendar=draw(st.sampled_from([(), ("mon-fri 08:00-18:00 1", "sat,sun 0.25"), ("daily 2",)])),
            defer_interactive_to=tree.path(draw(st.sampled_from(leaves))) if leaves else "",
        ),
        PolicySpec(
            name=draw(st.sampled_from(POLICY_NAMES)),
            half_life_s=draw(above),
            adjgroups=draw(st.sampled_from(["off", "share"])),
            k_mu=draw(levels),
            level_half_lives_s=tuple(draw(st.lists(above, max_size=3))),
        ),
        people,
        devices,
        tuple(draw(st.lists(st.sampled_from(leaves), unique=True))) if leaves else (),
        tuple(draw(st.lists(st.one_of(loads), max_size=3))),
        tuple(draw(st.lists(st.builds(Event, times, st.one_of(happenings)), max_size=6))),
        tuple(DemandReport(draw(names), tuple(draw(demands))) for _ in range(draw(st.integers(0, 2)))),
        PlotSpec(tuple(draw(st.lists(st.sampled_from(nodes), max_size=3))), ("charge",), False, draw(above)),
        draw(st.integers(0, 2**63 - 1)),
    )


@given(scenarios())
@tries(200)
def test_what_is_written_is_read_back_exactly(scenario: Scenario) -> None:
    text = write_text(scenario)
    again = parse_scenario(text)
    assert_same(again, scenario)
    assert write_text(again) == text


@given(scenarios(), st.data())
@tries(100)
def test_what_is_left_without_a_node_can_be_saved(scenario: Scenario, data: st.DataObject) -> None:
    """Nothing in it speaks of nodes, people or accounts that have gone."""
    tree = scenario.tree.copy()
    below = [node.id for node in tree.walk() if node.parent is not None]
    assume(below)
    Remove(data.draw(st.sampled_from(below))).apply(tree)
    left = pruned(replace(scenario, tree=tree))
    again = parse_scenario(write_text(left))
    assert again.tree.path(0) == tree.path(0)
    assert [person.name for person in again.people] == [person.name for person in left.people]
    assert len(again.events) == len(left.events)
    assert write_text(again) == write_text(left)


def test_a_file_by_hand_is_written_in_the_house_form_and_stays_so() -> None:
    first = write_text(parse_scenario(FULL))
    assert_same(parse_scenario(first), parse_scenario(FULL))
    assert write_text(parse_scenario(first)) == first
    header = parse_scenario(FULL).header
    assert first.startswith(header)
    assert first.removeprefix(header).splitlines()[:3] == ["", "version: 1", "title: Everything"]
    expected = "        - {name: a1, shares: 0, kind: account}\n"
    assert expected in first


@given(
    texts
    | st.sampled_from(["no", "007", "1e3", "2001-01-01", "y", "=", "<<", "a: b", "a #b", "- a", "?", "12:30"])
)
@tries(300)
def test_text_is_the_same_text_to_any_yaml_reader(text: str) -> None:
    for in_flow in (False, True):
        written = scalar(text, in_flow=in_flow)
        assert yaml.safe_load(f"{{k: {written}}}" if in_flow else f"k: {written}") == {"k": text}
    assert yaml.safe_load(f"k: {paragraph(text)}\n") == {"k": text}


@given(st.text(st.sampled_from("abc \n"), max_size=400))
def test_paragraphs_are_folded_without_a_change(text: str) -> None:
    answer = yaml.safe_load(f"k: {paragraph(text)}\nl: 1\n")
    assert answer == {"k": text, "l": 1}


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_exact_and_numbers_to_any_yaml_reader(value: float) -> None:
    assert yaml.safe_load(scalar(value)) == value


def test_a_tree_too_deep_to_be_read_back_is_not_written() -> None:
    tree = ShareTree()
    parent = 0
    for level in range(MAX_LEVELS - 1):
        parent = tree.add(parent, f"g{level}", kind=Kind.GROUP).id
    tree.add(parent, "u").foreign = {"a": "b"}
    scenario = Scenario(tree)
    assert parse_scenario(write_text(scenario)).tree.same_as(tree)
    deeper = tree.add(parent, "g", kind=Kind.GROUP).id
    tree.add(deeper, "too deep")
    with refuses(ScenarioError, "shares.scenario.is-deeper-than-levels-limit"):
        write_text(scenario)


def test_other_changes_of_the_tree_cannot_be_in_a_file() -> None:
    scenario = parse_scenario("version: 1\ntree: {name: root}\n")
    event = Event(1.0, actions.ChangeTree((Rename(0, "x"),)))
    with refuses(ScenarioError, "shares.scenario.event-that-changes-more-of"):
        write_text(replace(scenario, events=(event,)))


COMMENTED = """\
# header # one
#
version: 1 # here
title: "a # no"
about: |  # block
  # text
  more
source: >-
  a # text
tree:
  name: root
  # on its own
  children: [ # flow
    {name: a#b}, {name: 'x # y'}] # after
# at the end"""


def test_comments_that_would_go_are_found() -> None:
    assert lost_comments(COMMENTED) == [3, 5, 12, 13, 14, 15]
    assert lost_comments(FULL) == []
    assert lost_comments("") == []


def test_in_a_broken_file_every_sign_counts() -> None:
    answer = lost_comments("# header\na: 'b # c\nd: {\n# e\n")
    assert answer == [2, 4]


def test_lines_of_comments_are_counted_in_any_script() -> None:
    answer = lost_comments("version: 1\ntitle: äöü€𝄞 # one\nabout: x\r\nseed: 1 # two\n")
    assert answer == [2, 4]


def test_saving_keeps_the_header_and_a_copy_where_comments_go(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(COMMENTED)
    report = save_scenario(parse_scenario(COMMENTED), path, previous_text=COMMENTED)
    assert report.lost == (3, 5, 12, 13, 14, 15)
    assert report.backup == tmp_path / "x.yaml.bak"
    assert report.backup.read_text() == COMMENTED
    assert path.read_text() == report.text
    head = COMMENTED.splitlines()[:2]
    assert report.text.splitlines()[:4] == [*head, "", "version: 1"]
    again = save_scenario(parse_scenario(report.text), path, previous_text=report.text)
    assert (again.backup, again.lost, again.text) == (None, (), report.text)


def test_a_new_file_needs_no_copy(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    report = save_scenario(parse_scenario(FULL), path, previous_text=None)
    assert (report.path, report.backup) == (path, None)
    assert [item.name for item in tmp_path.iterdir()] == ["x.yaml"]
