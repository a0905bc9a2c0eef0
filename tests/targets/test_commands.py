"""Command lines on a target, and what of them a document has to follow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconsole.machine.shell import Reply
from fsconsole.recording.audit import login_name
from fsconsole.recording.audit_log import lines_of
from fsconsole.recording.run import RunReader
from fsconsole.resources import examples
from fsconsole.shares.edits import Edit, Move, Remove, Rename, SetField, SetShares
from fsconsole.shares.scenario import yaml_nodes
from fsconsole.shares.scenario.actions import ChangeTree, EndProcess, Login, SetSetting
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets import commands
from fsconsole.targets.external_changes import fields_of, meets, without
from fsconsole.targets.record import audit_path
from fsconsole.targets.simulated import SimulatedTarget
from fsconsole.targets.snapshot import Snapshot
from tests.texts import says

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
    answer = did(target, "lim u11 shares=50").status
    assert answer == 0
    answer = did(target, "charge -K 8h").status
    assert answer == 0
    assert did(target, "pl u11").status == 0
    first, second = seen(target).outside
    assert (first.edits, first.settings) == ((SetShares.of(u11, 50),), {})
    expected = ("somebody", "lim u11 shares=50")
    assert (first.who, first.line) == expected
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
    monkeypatch.setattr(yaml_nodes, "MAX_BYTES", 10)
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


# -- who did it, and the log on disk ------------------------------------------------------------------------


def test_who_acts_and_why_are_in_journal_and_audit(target: SimulatedTarget) -> None:
    u11, u12 = node(target, "u11"), node(target, "u12")
    why = "he asked for it"
    target.submit(Login(u12), "hale", why).result(WAIT_S)
    assert not target.submit(Login(u12), "hale").result(WAIT_S).done
    did(target, "lim u11 shares=50", "eve")
    journal = target.ask(lambda machine: machine.journal).result(WAIT_S)
    assert [(entry.who, entry.why) for entry in journal] == [("hale", why), ("eve", "")]
    did(target, "lim u11 shares=51", "operator")
    target.command("lim u11 shares=52", "operator", None, "hale").result(WAIT_S)
    target.submit(Login(u11)).result(WAIT_S)
    signed = target.ask(lambda machine: [entry.who for entry in machine.journal[2:]]).result(WAIT_S)
    assert signed == ["operator", "hale"]
    assert seen(target).audit[-1].who == login_name()  # who runs this program, where nobody is named
    rows = seen(target).audit[:3]
    assert [(row.who, row.action, row.done) for row in rows] == [
        ("hale", "login", True),
        ("hale", "login", False),
        ("eve", "change tree", True),
    ]
    assert target.scenario.tree.node(u11).shares != 50  # the document's own tree is left alone


def test_what_people_do_is_kept_in_the_state_folder(target: SimulatedTarget) -> None:
    target.submit(Login(node(target, "u12")), "hale", "night shift").result(WAIT_S)
    did(target, "pl u11", "eve")  # changes nothing
    target.submit(EndProcess(999), "hale").result(WAIT_S)
    lines = lines_of(audit_path("Convex"))
    assert [(line["who"], line["result"], line["why"]) for line in lines] == [
        ("hale", "done", "night shift"),
        ("hale", "refused", ""),
    ]


def test_a_log_that_cannot_be_written_is_reported_and_the_machine_goes_on(target: SimulatedTarget) -> None:
    folder = audit_path("Convex").parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    outcome = target.submit(Login(node(target, "u12")), "hale").result(WAIT_S)
    assert outcome.done
    assert says(outcome.text, "targets.cannot-write-audit-log")
    reply = did(target, "lim u11 shares=50")
    assert reply.status == 0
    assert says(reply.text, "targets.cannot-write-audit-log")
    snapshot = seen(target)
    assert str(folder) in snapshot.audit_problem
    assert snapshot.fault is None
    target.step(60).result(WAIT_S)


def test_what_could_not_be_written_is_written_once_it_can_be(target: SimulatedTarget) -> None:
    folder = audit_path("Convex").parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("in the way")
    target.submit(Login(node(target, "u12")), "hale").result(WAIT_S)
    folder.unlink()
    target.submit(Login(node(target, "u21")), "eve").result(WAIT_S)
    assert [line["who"] for line in lines_of(audit_path("Convex"))] == ["hale", "eve"]
    assert seen(target).audit_problem == ""


def test_a_recording_holds_what_was_done_at_once(target: SimulatedTarget, tmp_path: Path) -> None:
    target.start_recording(tmp_path / "x.run").result(WAIT_S)
    target.submit(Login(node(target, "u12")), "hale").result(WAIT_S)
    seen(target)
    assert [line["who"] for line in lines_of(tmp_path / "x.run" / "audit.jsonl")] == ["hale"]
    assert RunReader(tmp_path / "x.run").journal()[0]["by"] == "hale"
