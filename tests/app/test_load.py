from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.load import plan
from fsconsole.app.load.demands import _limits, sessions_of_demands
from fsconsole.app.load.hours import parse_hours, same_for_each
from fsconsole.app.load.plan import Session, distinct, duty, load_steps, plan_of, with_sessions
from fsconsole.app.load.proposal import leaves_of, propose
from fsconsole.app.load.trace import Extract, busiest_day, match_lines, match_owners, sessions_of_trace
from fsconsole.batch.traces import TraceError, parse_trace
from fsconsole.resources import examples
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import SATURATED
from fsconsole.shares.scenario.actions import Login, Logout, StartProcess, Work
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.shares.scenario.spec import Event, PlotSpec, Scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind, ShareTree
from tests.texts import refuses, says

MONDAY = datetime(1991, 3, 4)  # noqa: DTZ001 (the machine's own clock)


def tree() -> ShareTree:
    made = ShareTree("Machine")
    physics = made.add(0, "physics", 3, Kind.GROUP).id
    made.add(physics, "anna", 2)
    made.add(physics, "bob", 1)
    made.add(0, "carl", 1)
    return made


def scenario(until_s: float = 86400.0) -> Scenario:
    return Scenario(tree(), plot=PlotSpec(until_s=until_s))


@pytest.mark.parametrize("path", sorted(examples().glob("*.yaml")), ids=lambda path: path.stem)
def test_planning_what_is_planned_changes_nothing(path: Path) -> None:
    before = read_scenario(path)
    after = with_sessions(before, plan_of(before).sessions)
    assert sorted(map(repr, after.logins)) == sorted(map(repr, before.logins))
    assert sorted(map(repr, after.workloads)) == sorted(map(repr, before.workloads))
    assert sorted(map(repr, after.events)) == sorted(map(repr, before.events))


_SPANS = st.tuples(st.integers(0, 20), st.none() | st.integers(1, 20), st.integers(0, 3), st.booleans())


@given(st.lists(_SPANS, max_size=6))
def test_a_plan_is_read_as_it_was_written(spans: list[tuple[int, int | None, int, bool]]) -> None:
    anna = tree().find("anna").id
    sessions = [
        Session(
            anna,
            float(start),
            None if length is None else float(start + length),
            StartProcess(anna, Work(), "load", count) if count else None,
            logs_in or not count,
        )
        for start, length, count, logs_in in spans
    ]
    made = with_sessions(scenario(), {anna: sessions})
    assert parse_scenario(write_text(made)).events == made.events
    plan = plan_of(made)
    if anna in plan.sessions:
        again = with_sessions(made, plan.sessions)
        assert (again.logins, set(map(repr, again.workloads))) == (
            made.logins,
            set(map(repr, made.workloads)),
        )
        assert sum(one.cpu_s(100) for one in plan.all()) == sum(one.cpu_s(100) for one in distinct(sessions))


def test_a_hundred_thousand_sessions_are_told_apart_and_read_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Anna's overlap by threes and share one login; Bob logs in for each of his."""
    monkeypatch.setattr(plan, "MOST_SESSIONS", 100_000)
    anna, bob = (tree().find(name).id for name in ("anna", "bob"))
    half = 50_000
    of_anna = [Session(anna, float(at), at + 2.5, StartProcess(anna, Work(), "load")) for at in range(half)]
    of_bob = [Session(bob, 2.0 * at, 2.0 * at + 1, StartProcess(bob, Work(), "load")) for at in range(half)]
    made = with_sessions(scenario(), {anna: of_anna, bob: of_bob})
    assert len(made.logins) + len(made.workloads) + len(made.events) == (2 * half + 1) + 3 * half
    found = plan_of(made)
    assert (list(found.sessions), found.kept) == ([anna, bob], {})
    assert found.sessions[bob] == tuple(of_bob)
    names = ("load", "load 2", "load 3")
    assert [replace(one, process=of_anna[0].process) for one in found.sessions[anna]] == of_anna
    assert [one.process and one.process.command for one in found.sessions[anna]] == [
        names[at % 3] for at in range(half)
    ]


def test_events_that_no_plan_can_hold_stay() -> None:
    anna, carl = (tree().find(name).id for name in ("anna", "carl"))
    odd = Event(5.0, Logout(anna))  # who never logged in
    found = propose(
        replace(scenario(), events=(odd, Event(9.0, Login(carl)))),
        same_for_each([anna, carl], 1, (), MONDAY, 60.0),
        60.0,
    )
    assert odd in found.scenario.events
    assert found.scenario.logins == (carl,)
    assert found.plan.kept == {anna: 1}
    assert says(found.lines[-1], "app.load.keeps-more-than-this-plan", names="anna", events="1 event")
    assert says(found.lines[-1], "app.load.for-them-left-out", lost="1 session")


def test_what_people_with_several_accounts_run_is_named_where_others_are_planned_anew() -> None:
    navoceano = read_scenario(examples() / "navoceano-c916.yaml")
    leaves = leaves_of(navoceano.tree)
    each = same_for_each(leaves, 1, (), navoceano.machine.start, 3600.0)
    lines = propose(navoceano, each, 3600.0).lines
    assert says(lines, "app.load.have-several-accounts-so-this", count="26 processes")
    only = same_for_each([navoceano.tree.find("p1001").id], 1, (), navoceano.machine.start, 3600.0)
    assert not any("keep" in line for line in propose(navoceano, only, 3600.0).lines)


def test_hours_and_their_parts_add_up_to_the_profile() -> None:
    leaves = leaves_of(tree())
    lines = parse_hours("mon-fri 08:00-12:00\nmon-fri 12:00-18:00 0.5")
    made = with_sessions(scenario(), same_for_each(leaves, 4, lines, MONDAY, 86400.0))
    steps = {at_s / 3600: asked for at_s, asked in load_steps(made)}
    assert steps == {0: 0, 8: 12, 12: pytest.approx(6, abs=1), 18: 0}
    assert not made.logins
    for wrong in ("mon-fri 25:00-26:00 1", "daily 2", "whenever"):
        with pytest.raises(ValueError, match=r"Example|Write|must be"):
            parse_hours(wrong)


def test_demands_become_processes_that_ask_for_as_much() -> None:
    made = tree()
    leaves = leaves_of(made)
    anna, bob, carl = leaves
    demands = {made.find("physics").id: 0.5, bob: 0.0, carl: SATURATED}
    found = sessions_of_demands(made, leaves, demands, 8, 3)
    asked = {
        node: sum(one.count * duty(one.process.work) for one in of_leaf if one.process)
        for node, of_leaf in found.items()
    }
    # Half of eight processors go to physics; bob is idle, so that anna gets her two thirds and no more.
    assert asked == {anna: pytest.approx(4), bob: 0, carl: 3}


SACCT = """JobID|JobIDRaw|User|Account|Submit|Start|End|ElapsedRaw|AllocCPUS|State
1|1|anna|physics|2026-11-20T08:00:00|2026-11-20T08:10:00|2026-11-20T09:10:00|3600|8|COMPLETED
2|2|zoe|chemistry|2026-11-20T09:00:00|2026-11-20T09:00:00|2026-11-20T09:10:00|600|4|COMPLETED
3|3|bob|physics|2026-11-20T10:00:00|2026-11-20T10:00:00|2026-11-20T10:30:00|1800|1|COMPLETED
4|4|bob|physics|2026-11-23T10:00:00|2026-11-23T10:00:00|2026-11-23T10:30:00|1800|1|COMPLETED
"""


def test_users_and_accounts_of_sacct_go_to_nodes_of_their_name() -> None:
    made = tree()
    leaves = leaves_of(made)
    anna, bob, carl = leaves
    of_users = Extract.of(parse_trace(SACCT.encode(), "s").jobs, 0, 86400)
    matches = match_owners(made, leaves, of_users.owners, {}, deal=False)
    assert {match.owner.name: match.node for match in matches} == {"anna": anna, "bob": bob, "zoe": None}
    count, lost = match_lines(matches)[-1].split(": ")
    assert count.split() == ["1", "user", "left", "out"]
    assert lost.split() == ["1", "job,", "7.3", "%", "of", "the", "CPU", "time", "(zoe)"]
    dealt = match_owners(made, leaves, of_users.owners, {}, deal=True)
    assert {match.owner.name: match.node for match in dealt}["zoe"] == carl
    sessions = sessions_of_trace(made, leaves, of_users, matches, 4, 16)
    (session,) = sessions[anna]
    assert (session.start_s, session.count) == (8 * 3600, 2)  # 8 of 16 processors are 2 of 4
    assert session.process is not None
    assert session.process.work.cpu_s == 3600

    of_accounts = Extract.of(parse_trace(SACCT.encode(), "s", owners="accounts").jobs, 0, 86400)
    by_account = match_owners(made, leaves, of_accounts.owners, {"chemistry": carl}, deal=False)
    assert {match.owner.name: match.how for match in by_account} == {
        "physics": "by name",
        "chemistry": "by hand",
    }
    turns = sessions_of_trace(made, leaves, of_accounts, by_account, 4, 16)
    assert {node: len(found) for node, found in turns.items()} == {anna: 1, bob: 1, carl: 1}


def test_a_real_trace_asks_the_machine_for_what_it_asked_the_cluster(shared: Path) -> None:
    path = shared / "traces" / "KTH-SP2-1996-2.swf.gz"
    imported = parse_trace(gzip.decompress(path.read_bytes()), "KTH")
    extract = Extract.of(imported.jobs, busiest_day(imported.jobs), 86400)
    before = read_scenario(examples() / "navoceano-c916.yaml")
    leaves = leaves_of(before.tree)
    matches = match_owners(before.tree, leaves, extract.owners, {}, deal=True)
    sessions = sessions_of_trace(
        before.tree, leaves, extract, matches, before.machine.cpus, imported.cluster_nodes
    )
    cpu_s = sum(
        one.count * (one.process.work.cpu_s or 0)
        for found in sessions.values()
        for one in found
        if one.process is not None
    )
    scale = before.machine.cpus / 100
    assert cpu_s == pytest.approx(scale * int(extract.chosen.node_seconds.sum()), rel=1e-6)
    assert sum(len(found) for found in sessions.values()) == len(extract.chosen) == 67
    made = propose(before, sessions, 86400.0).scenario
    assert parse_scenario(write_text(made)).events == made.events
    with refuses(TraceError, "batch.traces.trace-in-standard-workload-format"):
        parse_trace(gzip.decompress(path.read_bytes()), "KTH", owners="accounts")


def test_a_demand_holds_those_below_it_once() -> None:
    nodes = ShareTree()
    a = nodes.add(0, "A", 1, Kind.GROUP).id
    b = nodes.add(a, "B", 1, Kind.GROUP).id
    x, w, y = (nodes.add(parent, name, 1).id for parent, name in ((b, "x"), (b, "w"), (a, "y")))
    found = _limits(nodes, FlatTree.of(nodes), {a: 0.5, b: 0.3, x: 0.1})
    assert found == pytest.approx({x: 0.1, w: 0.2, y: 0.2})
