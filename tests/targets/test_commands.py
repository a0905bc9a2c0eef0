"""Command lines on a target, and what of them a document has to follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconsole.machine.shell import Reply
from fsconsole.resources import examples
from fsconsole.shares.edits import Edit, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.scenario.actions import ChangeTree, SetSetting
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets import commands
from fsconsole.targets.base import Snapshot
from fsconsole.targets.outside import fields_of, meets, without
from fsconsole.targets.simulated import SimulatedTarget

WAIT_S = 60.0


@pytest.fixture
def target() -> Iterator[SimulatedTarget]:
    made = SimulatedTarget(read_scenario(examples() / "convex-series-6.yaml"))
    yield made
    made.close(wait=True)


def did(target: SimulatedTarget, line: str, who: str = "somebody", folder: Path | None = None) -> Reply:
    return target.command(line, who, folder).result(WAIT_S)


def seen(target: SimulatedTarget) -> Snapshot:
    for _ in range(2):
        target.ask(lambda machine: machine.tick).result(WAIT_S)
    snapshot = target.snapshot()
    assert snapshot is not None
    return snapshot


def node(target: SimulatedTarget, name: str) -> int:
    return target.scenario.tree.find(name).id


def test_what_a_command_changes_is_in_the_snapshots(target: SimulatedTarget) -> None:
    u11 = node(target, "u11")
    assert did(target, "lim u11 shares=50").status == 0
    assert did(target, "charge -K 8h").status == 0
    assert did(target, "pl u11").status == 0
    first, second = seen(target).outside
    assert (first.edits, first.settings) == ((SetShares.of(u11, 50),), {})
    assert (first.who, first.line) == ("somebody", "lim u11 shares=50")
    assert (second.edits, second.settings) == ((), {"policy.half_life_s": 28_800.0})


def test_what_is_submitted_is_not_from_outside(target: SimulatedTarget) -> None:
    u11 = node(target, "u11")
    target.submit(ChangeTree((SetShares.of(u11, 7),))).result(WAIT_S)
    target.submit(SetSetting("policy.half_life_s", 60.0)).result(WAIT_S)
    did(target, "lim u11 shares=50")
    snapshot = seen(target)
    assert snapshot.answered == 2
    assert [change.after for change in snapshot.outside] == [2]


def test_a_change_over_one_that_is_not_in_force_yet_names_the_node(target: SimulatedTarget) -> None:
    u11, u21 = node(target, "u11"), node(target, "u21")
    target.step(60).result(WAIT_S)
    target.submit(ChangeTree((SetShares.of(u11, 7),))).result(WAIT_S)
    did(target, "lim u11 shares=50")
    did(target, "lim u21 shares=50")
    target.step(60 * 4).result(WAIT_S)
    did(target, "lim u11 shares=51")
    assert [change.over for change in seen(target).outside] == [(u11,), (), ()]
    flat = target.ask(lambda machine: (machine.flat, machine.tree)).result(WAIT_S)
    assert flat[0].shares[flat[0].row_of[u11]] == 50
    assert flat[1].node(u11).shares == 51
    assert flat[1].node(u21).shares == 50


def test_everybody_has_a_shell_of_his_own(target: SimulatedTarget) -> None:
    assert did(target, "sl u11", "one").status == 0
    assert "u11" in did(target, "pl", "one").text
    assert did(target, "pl", "other").status == 1
    for number in range(commands.MOST_SHELLS):
        did(target, "date", f"client {number}")
    assert did(target, "pl", "one").status == 1  # forgotten: so many have come since


def test_words_are_completed(target: SimulatedTarget) -> None:
    assert "pwintf" in target.complete("pw").result(WAIT_S)
    assert "u11" in target.complete("pl u1").result(WAIT_S)


def test_files_are_read_from_where_one_stands(
    target: SimulatedTarget, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "db").write_text(did(target, "sharesh").text, "utf-8")
    assert did(target, "sharecf db", folder=tmp_path).status == 0
    assert did(target, f"sharecf {tmp_path / 'db'}", folder=Path("/")).status == 0
    assert did(target, "sharecf db").status == 1  # stands nowhere
    assert did(target, "sharecf none", folder=tmp_path).status == 1
    monkeypatch.setattr(commands, "MAX_FILE_BYTES", 10)
    assert did(target, "sharecf db", folder=tmp_path).status == 1
    (tmp_path / "db").write_bytes(b"\xff\xfe")
    assert did(target, "sharecf db", folder=tmp_path).status == 1
    assert seen(target).fault is None


def test_edits_meet_where_they_are_about_the_same() -> None:
    renamed, moved = Rename(1, "a"), Move(1, 0, 0)
    assert fields_of([SetShares(((1, 5), (2, 6))), renamed, SetField(3, "note", "x")], ["policy.name"]) == {
        (1, "shares"),
        (2, "shares"),
        (1, "name"),
        (3, "note"),
        (None, "policy.name"),
    }
    assert not meets((1, "shares"), fields_of([renamed]))
    assert meets((1, "shares"), fields_of([Remove(1)]))
    assert meets((1, "*"), fields_of([renamed]))
    assert not meets((2, "*"), fields_of([moved]))


def test_what_was_overtaken_is_left_out() -> None:
    edits: list[Edit] = [SetShares(((1, 5), (2, 6))), Rename(1, "a"), SetShares.of(2, 7)]
    assert without(edits, fields_of([SetShares.of(2, 1)])) == (SetShares.of(1, 5), Rename(1, "a"))
    assert without(edits, frozenset()) == (SetShares(((1, 5), (2, 6))), Rename(1, "a"), SetShares.of(2, 7))
