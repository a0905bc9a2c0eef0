"""Share trees in a real Grid Engine 8.1.9: what we write it reads, and what Check calls wrong it refuses."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from fsconsole.shares.formats import format_named, problems_of
from fsconsole.shares.scenario.problems import Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import Kind, ShareTree
from tests.shares.formats.dialects import SGE, rows_of
from tests.shares.formats.grid_engine import GridEngine, rootfs, why_not

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not())
_FORM = format_named("sge")
_USERS = [f"u{number}" for number in range(6)] + ["ana", "bo", "default"]
_PROJECTS = ["proj", "p1", "p2"]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GridEngine]:
    name = tmp_path_factory.mktemp("sge").name
    folder = rootfs() / "tmp" / f"fsconsole-{name}-{random.SystemRandom().randrange(10**9)}"
    folder.mkdir(mode=0o755)
    made = GridEngine(f"/{folder.relative_to(rootfs())}")
    try:
        made.start()
        for user in _USERS[:-1]:
            made.add_user(user)
        for project in _PROJECTS:
            made.add_project(project)
        made.set_tree(SGE, is_new=True)
        yield made
    finally:
        made.stop()


def test_a_tree_is_read_back_as_it_was_written(engine: GridEngine) -> None:
    assert engine.tree().strip() == SGE.strip()
    scenario = _FORM.read(engine.tree())
    assert _FORM.write(scenario) == SGE


def test_a_changed_tree_replaces_the_one_before(engine: GridEngine) -> None:
    scenario = _FORM.read(SGE)
    scenario.tree.writable(scenario.tree.find("chem").id).shares = 7000
    scenario.tree.add(0, "my group", 5, Kind.GROUP)
    scenario.tree.add(scenario.tree.find("my group").id, "u1", 3)
    assert engine.set_tree(_FORM.write(scenario)) == ""
    assert rows_of(_FORM.read(engine.tree()).tree) == rows_of(scenario.tree)


def drawn_tree(dice: random.Random) -> ShareTree:
    """A tree of known users and projects, with the mistakes that operators make."""
    tree = ShareTree("Root", 1)
    groups = [0]
    for number in range(dice.randint(2, 10)):
        parent = dice.choice(groups)
        kind = dice.choice((Kind.GROUP, Kind.USER, Kind.USER, Kind.ACCOUNT))
        names = {Kind.USER: _USERS, Kind.ACCOUNT: _PROJECTS, Kind.GROUP: [f"g{number}", "u1"]}[kind]
        name = dice.choice(names)
        if tree.child_named(parent, name) is not None:
            continue
        node = tree.add(parent, name, dice.randint(0, 1000), Kind.GROUP if kind is Kind.ACCOUNT else kind)
        if kind is Kind.ACCOUNT:
            node.foreign["sge.type"] = "1"
        if node.is_group:
            groups.append(node.id)
    for node in list(tree.walk()):
        if node.parent is not None and node.is_group and not node.children:
            if "sge.type" in node.foreign:
                node.kind = Kind.ACCOUNT
            else:
                name = dice.choice(_USERS)
                tree.add(node.id, name)
    leaves = {node.name for node in tree.walk() if not node.is_group}
    for node in tree.walk():
        if node.is_group and node.name == "u1" and "u1" not in leaves:
            node.name = "gu1"  # Grid Engine knows that u1 is a user, a file alone does not
    tree.root.foreign["sge.form"] = "text"
    return tree


def test_check_calls_wrong_what_grid_engine_refuses(engine: GridEngine) -> None:
    refused = 0
    for number in range(60):
        tree = drawn_tree(random.Random(number))
        faults = [one.text for one in problems_of(tree) if one.severity is Severity.ERROR]
        answer = engine.set_tree(_FORM.write(Scenario(tree)))
        assert bool(faults) == bool(answer), (number, faults, answer, _FORM.write(Scenario(tree)))
        refused += bool(answer)
        if not answer:
            assert rows_of(_FORM.read(engine.tree()).tree) == rows_of(tree)
    assert 10 < refused < 50
