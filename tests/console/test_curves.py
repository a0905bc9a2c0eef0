"""Colours of nodes are those that the saved tree has when it is opened again."""

from __future__ import annotations

from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.window import ConsoleWindow
from fsconsole.figures.style.curves import CurveStyle
from fsconsole.shares.edits import Insert, Remove
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind, Node, ShareTree
from tests.laws import tries

DEEDS = ("user", "group", "remove")


def opened(session: ConsoleSession) -> Document:
    assert session.document is not None
    return session.document


def styles(session: ConsoleSession) -> dict[str, CurveStyle]:
    tree = opened(session).tree
    return {tree.path(node.id): session.curves.style(node.id) for node in tree.walk()}


def reopen(session: ConsoleSession) -> None:
    session.open(Document(parse_scenario(write_text(opened(session).scenario))))


def add(session: ConsoleSession, parent: int, name: str, kind: Kind = Kind.GROUP) -> int:
    tree = opened(session).tree
    node = Node(tree.new_id(), name, 1, kind)
    opened(session).edit("Add", [Insert(parent, 0, (node,))])
    session.curves.style(node.id)  # as views ask for it after each edit
    return node.id


def test_a_new_tree_has_the_colours_that_it_has_when_it_is_opened_again(empty_window: ConsoleWindow) -> None:
    session = empty_window.session
    empty_window.files.new()
    for faculty in ("Arts", "Law", "Science"):
        group = add(session, 0, faculty)
        add(session, group, f"{faculty} one", Kind.USER)
    before = styles(session)
    heads = [session.curves.style(node.id).colour_token for node in opened(session).tree.children(0)]
    assert len(set(heads)) == 3
    assert before["root"].colour_token not in heads
    reopen(session)
    assert styles(session) == before


@given(
    picks=st.lists(st.tuples(st.integers(0, 99), st.sampled_from(["user", "group", "remove"])), max_size=20)
)
@tries(20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_tree_has_the_colours_that_it_has_when_it_is_opened_again(
    empty_session: ConsoleSession, picks: list[tuple[int, str]]
) -> None:
    session = empty_session
    session.open(Document(Scenario(ShareTree("root", 100))))
    for number, (at, what) in enumerate(picks):
        tree = opened(session).tree
        nodes = list(tree.walk())
        node = nodes[at % len(nodes)]
        if what == "remove" and node.parent is not None:
            opened(session).edit("Remove", [Remove(node.id)])
        elif what != "remove":
            group = node.id if node.is_group else node.parent or 0
            add(session, group, f"n{number}", Kind(what))
    before = styles(session)
    reopen(session)
    assert styles(session) == before


def test_a_node_keeps_its_colour_once_the_machine_has_run(qtbot: QtBot, session: ConsoleSession) -> None:
    session.step(60)
    qtbot.waitUntil(lambda: session.snapshot is not None and session.snapshot.time_s > 0)
    before = styles(session)
    add(session, 0, "gr0")
    after = styles(session)
    assert {path: after[path] for path in before} == before
