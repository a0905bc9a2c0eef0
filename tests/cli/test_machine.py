"""`fsconsole machine`: commands on scenarios, on runs and on a running console."""

from __future__ import annotations

import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from fsconsole.cli.command_lines import lines_of, parted
from fsconsole.machine.checkpoint import capture, save
from fsconsole.machine.machine import Machine
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import ChangeTree, Login, StartProcess, Work
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.targets.ipc import socket_paths
from fsconsole.targets.ipc.messages import Answer
from fsconsole.targets.ipc.server import LineServer
from tests.cli.conftest import Cli, start
from tests.texts import Expected, naming, says, worded


@pytest.fixture
def six(examples: Path) -> Path:
    return examples / "convex-series-6.yaml"


def test_the_shares_at_a_time_are_those_of_the_paper(cli: Cli, six: Path) -> None:
    """Series 6: gr1 and gr2 have half each of what system groups leave, u21 800 of 1000 of it."""
    ended = cli("machine", six, "--at", "970s", "pl", "u21")
    assert (ended.status, ended.err) == (0, "")
    assert says(
        ended.out, "machine.shell.shares-of-in-machine", shares="800", siblings="1000", group_name="gr2"
    )
    assert re.search(r"allocated share +40\.0 %", ended.out)


def test_options_of_the_command_are_its_own(cli: Cli, six: Path) -> None:
    users = cli("machine", "--at", "970s", six, "rates", "-u").out
    groups = cli("machine", "--at", "970s", six, "rates").out
    assert "u21" in users
    assert "u21" not in groups
    assert "gr2" in groups
    assert "usage: pl" in cli("machine", six, "pl", "--help").out


def test_what_was_changed_is_kept_in_the_new_run_and_nowhere_else(
    cli: Cli, six: Path, tmp_path: Path
) -> None:
    out = tmp_path / "b.run"
    assert cli("machine", six, "--out", out, "lim", "u11", "shares=50").err == ""
    assert says(
        cli("machine", out, "pl", "u11").out, "machine.shell.shares-of-in-machine", shares="50", siblings="50"
    )
    lost = cli("machine", six, "lim", "u11", "shares=50")
    assert lost.status == 0
    assert says(lost.err, "cli.changes-are-lost-without-out")
    output = cli("machine", six, "pl", "u11").out
    assert says(output, "machine.shell.shares-of-in-machine", shares="1000", siblings="1000")
    reader = RunReader(out)
    assert reader.state == "complete"
    assert [entry["action"] for entry in reader.journal()] == ["change_tree"]


def test_a_run_goes_on_from_a_run(cli: Cli, six: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.run", tmp_path / "second.run"
    cli("machine", six, "--at", "100s", "--out", first, "lim", "u11", "shares=50")
    waiting = cli("machine", first, "pl", "u11").out
    assert says(waiting, "machine.shell.from-next-delta")
    cli("machine", first, "--at", "200s", "--out", second, "lim", "u21", "shares=70")
    at_300 = cli("machine", second, "--at", "300s", "pl", "u11", "u21").out
    assert says(at_300, "machine.shell.shares-of-in-machine", shares="50", siblings="50")
    assert says(at_300, "machine.shell.shares-of-in-machine", shares="70", siblings="270")
    early = cli("machine", second, "--at", "5s", "pl", "u11")
    assert early.status == 1
    assert says(early.err, "targets.it-begins-at-s", kept="200")


def test_a_recorded_run_is_replayed_to_the_tick(cli: Cli, six: Path, tmp_path: Path) -> None:
    """Checkpoint, journal and timeline give the state that the machine had then."""
    path, scenario = tmp_path / "x.run", read_scenario(six)
    machine = Machine(scenario)
    writer = RunWriter(machine, path, scenario_text=six.read_text("utf-8"), capture=lambda: capture(machine))
    machine.listeners.append(writer)
    u12 = machine.tree.find("u12").id
    machine.advance_to(50)
    machine.act(Login(u12))
    machine.act(StartProcess(u12, Work()))
    machine.advance_to(100)
    machine.act(ChangeTree((SetShares.of(u12, 3000),)))
    machine.advance_to(300)
    writer.close(tick=machine.tick)
    from fsconsole.cli.machines import machine_at

    assert save(machine_at(path, None)[0]) == save(machine)
    early = Machine(scenario)
    early.replay([entry for entry in machine.journal if entry.tick <= 70 * 60])
    early.advance_to(70)
    assert save(machine_at(path, 70.0)[0]) == save(early)


def test_a_run_that_was_killed_at_once_is_taken_up_where_it_began(
    cli: Cli, six: Path, tmp_path: Path
) -> None:
    machine = Machine(read_scenario(six))
    machine.advance_to(30)
    path = tmp_path / "killed.run"
    writer = RunWriter(machine, path, scenario_text=six.read_text("utf-8"), capture=lambda: capture(machine))
    assert RunReader(path).state == "running"
    assert cli("machine", path, "pl", "u11").status == 0
    writer.close(complete=False)


def test_a_journal_that_is_damaged_is_reported(cli: Cli, six: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    cli("machine", six, "--out", path, "lim", "u11", "shares=7")
    for line in (
        '{"tick": 0, "action": {}}',
        "[1]",
        '{"tick": 0, "action": "login", "who": 3}',
        '{"tick": []}',
    ):
        (path / "journal.jsonl").write_text(f"{line}\n", "utf-8")
        ended = cli("machine", path, "--at", "5s", "pl", "u11")
        assert ended.status == 1
        assert says(ended.err, "targets.journal-of-is-damaged")
        assert "is damaged" in ended.err


def test_several_commands_and_the_worst_status(cli: Cli, six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = cli("machine", six, "lim u11 shares=7; nonsense; pl u11")
    assert ended.status == 2
    assert says(ended.out, "machine.shell.shares-of-in-machine", shares="7", siblings="7")
    assert "unknown command" in ended.err
    monkeypatch.setattr(sys, "stdin", io.StringIO("lim u11 shares=9\n\n# a comment\npl u11\n"))
    assert says(cli("machine", six, "-").out, "machine.shell.shares-of-in-machine", shares="9", siblings="9")


def test_the_share_database_goes_out_and_in(cli: Cli, six: Path, tmp_path: Path) -> None:
    database = tmp_path / "database"
    database.write_text(cli("machine", six, "sharesh").out, "utf-8")
    ended = cli("machine", six, "sharecf", database)
    assert ended.status == 0
    assert ended.err == ""  # nothing was changed
    assert cli("machine", six, "sharecf", tmp_path / "none").status == 1


def test_sharecf_reads_stdin(cli: Cli, six: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for given, text in (("/gr2/u21 shares=70\n", "changed: u21"), ("", "FILE is missing")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given.encode())))
        ended = cli("machine", six, "sharecf")
        assert text in ended.out + ended.err


def test_sl_holds_for_its_line_alone(cli: Cli, six: Path) -> None:
    assert says(cli("machine", six, "sl", "u21").err, "cli.su-applies-only-to-this")
    ended = cli("machine", six, "sl u21; pl")
    assert (ended.status, ended.err) == (0, "")
    assert says(
        ended.out, "machine.shell.shares-of-in-machine", shares="800", siblings="1000", group_name="gr2"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        ((), 2, worded("cli.give-scenario-or-run-folder")),
        (("{six}",), 2, worded("recording.is-missing", first="the command")),
        (("none.yaml", "pl"), 2, worded("cli.file-not-found", path="none.yaml")),
        (("--att", "5", "{six}", "pl"), 2, naming("No such option")),
        (("--at", "soon", "{six}", "pl"), 2, naming("'soon' is not a time")),
        (("{six}", "lim", "u11", "shares=x"), 1, naming("lim: ")),
        (("{six}", "pl", "nobody"), 1, naming("nobody")),
        (("--connect", "pl"), 1, worded("cli.no-running-console-accepts-commands")),
        (
            ("--connect", "--at", "5", "pl"),
            2,
            worded("cli.connect-excludes-at-out-and"),
        ),
        (("{tmp}", "pl"), 1, naming("not a run folder")),
        (("{six}", "--out", "{tmp}", "pl"), 1, worded("cli.exists-already-choose-another-name")),
        (("-", "-"), 2, worded("cli.scenario-and-commands-cannot-both")),
    ],
)
def test_what_cannot_be_is_reported(
    cli: Cli, six: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, message: Expected
) -> None:
    ended = cli("machine", *(word.format(six=six, tmp=tmp_path) for word in arguments))
    assert ended.status == status
    assert says(ended.err, message)
    assert ended.out == ""


def test_a_refused_command_leaves_no_folder_and_the_corrected_one_can_use_its_name(
    cli: Cli, six: Path, tmp_path: Path
) -> None:
    out = tmp_path / "x.run"
    assert cli("machine", six, "--out", out, "lim", "u99", "shares=5").status == 1
    assert not out.exists()
    assert cli("machine", six, "--out", out, "lim", "u11", "shares=5").status == 0
    state = RunReader(out).state
    assert cli("machine", six, "--out", out, "--force", "lim", "u99", "shares=5").status == 1
    assert RunReader(out).state == state


@pytest.mark.parametrize("damage", ["checkpoints", "manifest"])
def test_a_damaged_run_is_refused(cli: Cli, six: Path, tmp_path: Path, damage: str) -> None:
    out = tmp_path / "x.run"
    cli("machine", six, "--out", out, "pl", "u11")
    if damage == "checkpoints":
        for path in (out / "checkpoints").iterdir():
            path.write_bytes(b"PK\x03\x04")
    else:
        (out / "manifest.json").write_text("{", "utf-8")
    ended = cli("machine", out, "pl", "u11")
    assert ended.status == 1
    assert "damaged" in ended.err


def test_words_are_parted_at_the_command() -> None:
    assert parted(["x.yaml", "rates", "-u"]) == (["x.yaml"], ["rates", "-u"])
    assert parted(["--at", "5s", "x.yaml", "--out=a", "pl", "--at"]) == (
        ["--at", "5s", "x.yaml", "--out=a"],
        ["pl", "--at"],
    )
    assert parted(["--connect", "pl", "--connect"]) == (["--connect="], ["pl", "--connect"])
    assert parted(["--connect=x", "pl"]) == (["--connect=x"], ["pl"])
    assert parted(["-", "pl"]) == (["-"], ["pl"])


def test_semicolons_part_lines_where_they_are_not_quoted() -> None:
    answer = [line.split() for line in lines_of(["a 'b;c'; d \\; e;; #f"])]
    assert answer == [["a", "'b;c'"], ["d", "\\;", "e"]]
    answer = [shlex.split(line) for line in lines_of(["a", "b c;", ";", "d"])]
    assert answer == [["a", "b c;"], ["d"]]


# -- a running console --------------------------------------------------------------------------------------


@pytest.fixture
def console() -> Iterator[list[tuple[str, str, Path]]]:
    """A console that gives every line back; what was asked is kept."""
    asked: list[tuple[str, str, Path]] = []

    def ask(line: str, who: str, folder: Path) -> Future[Any]:
        asked.append((line, who, folder))
        future: Future[Any] = Future()
        future.set_result(Answer(f"did {line}", 1 if line == "refuse" else 0))
        return future

    server = LineServer(ask, lambda: {"title": "mine.yaml", "machine": "C2"})
    yield asked
    server.close()


def test_a_running_console_is_asked(cli: Cli, console: list[tuple[str, str, Path]]) -> None:
    ended = cli("machine", "--connect", "rates", "-u")
    assert (ended.status, ended.out.split(), ended.err) == (0, ["did", "rates", "-u"], "")
    assert console[0][2] == Path.cwd()
    assert cli("machine", "--connect=mine", "refuse").status == 1
    assert says(cli("machine", "--connect", "sl", "u21").err, "cli.su-applies-only-to-this")
    assert cli("machine", f"--connect={os.getpid()}", "a; b").out.splitlines() == ["did a", "did b"]
    wrong = cli("machine", "--connect=other", "pl")
    assert wrong.status == 1
    assert re.search(rf"mine\.yaml \(C2, {os.getpid()}\)", wrong.err)


def test_of_several_consoles_one_must_be_chosen(cli: Cli, console: list[tuple[str, str, Path]]) -> None:
    other = socket_paths.socket_of(1)
    other.symlink_to(socket_paths.socket_of(os.getpid()))
    ended = cli("machine", "--connect", "pl")
    assert ended.status == 2
    assert says(ended.err, "cli.several-consoles-are-running-choose")
    assert cli("machine", "--connect=1", "pl").out == "did pl\n"


def test_asking_a_console_needs_no_numpy(console: list[tuple[str, str, Path]]) -> None:
    import subprocess

    code = "import sys; from fsconsole.cli.main import run; run(['machine', '--connect', 'pl']); "
    code += "assert not {'numpy', 'numba', 'PySide6'} & set(sys.modules), 'heavy'"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "did pl\n"), done.stderr


def test_the_program_itself(six: Path) -> None:
    program = start("machine", six, "lim", "u11", "shares=5")
    out, err = program.communicate(timeout=120)
    assert program.returncode == 0
    assert "u11" in out
    assert "without --out" in err
