from __future__ import annotations

import threading
from datetime import datetime
from pathlib import Path

import pytest

from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.read import Cancelled, header_of, parse_scenario, read_scenario
from fsconsole.shares.scenario.spec import Event, PlotSpec, Scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind
from tests.shares.big_trees import big_tree

FULL = """\
# A header
# of two lines

version: 1
title: Everything
about: |
  Two lines,
  this is the second.
source: nobody
seed: 7
machine: {name: M, cpus: 2, start: 1991-03-04 14:00:00, count_inactive: true}
policy: {name: flat, half_life_s: 8 h, adjgroups: off}
tree:
  name: root
  children:
    - name: g1
      shares: 40
      system: true
      children:
        - {name: u1, note: "a: b", usage: 5.0e+3, charge: 7, last_use_s: -2 h, foreign: {Key: "'v'"}}
        - {name: a1, kind: account, shares: 0}
    - {name: g2, kind: group}
logins: [u1]
workloads:
  - {user: u1}
  - {user: root, command: init, count: 3, nice: 0, work: {burst_s: 100 ms, sleep_s: 1 min, spread: fixed}}
events:
  - {at: 490 s, login: g1/u1}
  - {at: 8 min, logout: root/g1/u1, end_processes: false}
  - {at: 500, start: {user: a1, work: {cpu_s: 5}}}
  - {at: 1, end: {user: u1, command: loop}}
  - {at: 1, end: {pid: 4}}
  - {at: 1, renice: {pid: 4, nice: 39}}
  - {at: 2, set_shares: {g1: 20, g2: 30}}
  - {at: 3, set: {policy.half_life_s: 10 min, machine.cpus: 3}}
plot:
  nodes: [g1, u1]
  quantities: [charge]
  leave_out_system: false
  until_s: 1 h
  sample_s: 2
  rate_window_s: 4 s
"""


def test_a_file_becomes_a_scenario() -> None:
    scenario = parse_scenario(FULL)
    assert (scenario.title, scenario.about) == ("Everything", "Two lines,\nthis is the second.\n")
    expected = ("nobody", 7, "# A header\n# of two lines\n")
    assert (scenario.source, scenario.seed, scenario.header) == expected
    machine, policy = scenario.machine, scenario.policy
    assert (machine.name, machine.cpus, machine.count_inactive) == ("M", 2, True)
    assert machine.start == datetime.fromisoformat("1991-03-04 14:00")
    assert (policy.name, policy.half_life_s, policy.adjgroups) == ("flat", 28800.0, "off")


def test_nodes_have_what_the_file_says() -> None:
    tree = parse_scenario(FULL).tree
    assert [(node.name, node.kind, node.shares) for node in tree.walk()] == [
        ("root", Kind.GROUP, 1),
        ("g1", Kind.GROUP, 40),
        ("u1", Kind.USER, 1),
        ("a1", Kind.ACCOUNT, 0),
        ("g2", Kind.GROUP, 1),
    ]
    user = tree.find("u1")
    assert (user.note, user.usage, user.charge, user.last_use_s) == ("a: b", 5000.0, 7.0, -7200.0)
    assert user.foreign == {"Key": "'v'"}
    assert tree.find("g1").system


def test_references_become_nodes_and_units_seconds() -> None:
    scenario = parse_scenario(FULL)
    assert scenario.logins == (2,)
    sleeper = actions.Work(0.1, 60.0, None, "fixed")
    assert scenario.workloads == (
        actions.StartProcess(2, actions.Work()),
        actions.StartProcess(0, sleeper, "init", 3, 0),
    )
    assert scenario.events == (
        Event(490.0, actions.Login(2)),
        Event(480.0, actions.Logout(2, end_processes=False)),
        Event(500.0, actions.StartProcess(3, actions.Work(cpu_s=5.0))),
        Event(1.0, actions.EndProcesses(2, "loop")),
        Event(1.0, actions.EndProcess(4)),
        Event(1.0, actions.Renice(4, 39)),
        Event(2.0, actions.ChangeTree((SetShares(((1, 20), (4, 30))),))),
        Event(3.0, actions.SetSetting("policy.half_life_s", 600.0)),
        Event(3.0, actions.SetSetting("machine.cpus", 3)),
    )
    assert scenario.plot == PlotSpec((1, 2), ("charge",), False, 3600.0, 2.0, 4.0)


def test_little_is_enough() -> None:
    scenario = parse_scenario("version: 1\ntree: {name: root}\n")
    assert scenario == Scenario(scenario.tree)
    assert len(scenario.tree) == 1


def test_a_byte_order_mark_and_carriage_returns_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + FULL.replace("\n", "\r\n").encode())
    assert read_scenario(path).tree.same_as(parse_scenario(FULL).tree)


def test_a_file_that_is_not_there_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_scenario(tmp_path / "x.yaml")


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("version: 1\n# no header\n", ""),
        ("# a\n\n# b\n\nversion: 1\n", "# a\n\n# b\n"),
        ("\n\n# a\nversion: 1\n", "\n\n# a\n"),
        ("# a", "# a"),
        ("", ""),
        ("  # indented\nversion: 1\n", ""),
    ],
)
def test_the_header_is_the_comment_block_at_the_top(text: str, header: str) -> None:
    assert header_of(text) == header


def test_progress_rises_to_one() -> None:
    progress: list[float] = []
    parse_scenario(write_text(Scenario(big_tree(5000))), progress=progress.append)
    assert progress == sorted(progress)
    assert len(progress) > 8
    assert progress[-1] == 1.0


@pytest.mark.parametrize("after", [0, 3, 12])
def test_reading_can_be_cancelled_in_every_part(after: int) -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > after

    with pytest.raises(Cancelled):
        parse_scenario(write_text(Scenario(big_tree(5000))), cancelled=cancelled)
    assert len(asked) == after + 1


def test_other_threads_run_while_a_large_file_is_read() -> None:
    text = write_text(Scenario(big_tree(10_000)))
    beats: list[int] = []
    done = threading.Event()

    def beat() -> None:
        while not done.wait(0.001):
            beats.append(1)

    thread = threading.Thread(target=beat)
    thread.start()
    parse_scenario(text)
    done.set()
    thread.join()
    assert len(beats) > 3
