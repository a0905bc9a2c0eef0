"""`fsconsole nd`: on scenarios, runs and a console that is open; and a night that is killed and resumed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fsconsole.machine.checkpoint import capture
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.view_of import night_view
from fsconsole.recording import keyframes
from fsconsole.recording.audit import login_name
from fsconsole.recording.audit_log import lines_of
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.scenario.actions import Action, ExtendJob, HoldJob
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.targets.ipc.server import LineServer
from fsconsole.targets.record import audit_path
from fsconsole.targets.simulated import SimulatedTarget
from tests.cli.conftest import Cli, start
from tests.neardedicated.operators_night import ALPHA, BETA, GAMMA, NIGHT, OTAS_BETA
from tests.texts import Expected, naming, says, worded, wording

WAIT_S = 60.0


@pytest.fixture
def night(tmp_path: Path) -> Path:
    path = tmp_path / "night.yaml"
    path.write_text(NIGHT, "utf-8")
    return path


def test_status_of_a_scenario_at_a_time(cli: Cli, night: Path) -> None:
    ended = cli("nd", "status", night, "--at", "3min")
    assert (ended.status, ended.err) == (0, "")
    assert re.search(rf"{ALPHA} +hale +alpha, +running", ended.out)
    assert says(cli("nd", "status", night).out, "neardedicated.closed-next-is-in")
    assert json.loads(cli("nd", "status", "--json", night, "--at", "3min").out)["job"]["name"] == "alpha"


def test_what_is_done_is_kept_in_the_new_run(cli: Cli, night: Path, tmp_path: Path) -> None:
    out = tmp_path / "new.run"
    reason = "12 % only; and $HOME"
    ended = cli("nd", "kill", night, "--at", "3min", ALPHA, "--reason", reason, "--out", out)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.split() == [str(ALPHA), "hale", "alpha", "killed"]
    again = cli("nd", "kill", out, ALPHA)
    assert again.status == 1
    how = wording("neardedicated.killed-by-operator")
    assert says(again.err, "neardedicated.has-ended-at", ended_s="23:01:00", how=how)
    line = next(line for line in lines_of(out / "audit.jsonl") if line["action"] == "kill job")
    assert (line["who"], line["why"]) == (login_name(), reason)
    assert RunReader(out).journal()[0]["by"] == login_name()
    shown = cli("nd", "status", out, "--at", "4min").out
    assert re.search(rf"{BETA} +hale +beta", shown)


def test_nothing_is_kept_without_a_run(cli: Cli, night: Path) -> None:
    ended = cli("nd", "extend", night, "--at", "3min", "-10min")
    assert ended.status == 0
    assert says(ended.out, "neardedicated.to-4", value="cut", after_s="23:10")
    assert says(ended.err, "cli.changes-are-lost-without-out")
    tried = cli("nd", "extend", night, "--at", "3min", ALPHA, "1", "h", "--dry-run")
    assert says(tried.out, "neardedicated.watchdog-kills-at", start="00:20")
    assert tried.err == ""


def test_queue_window_and_note(cli: Cli, night: Path, tmp_path: Path) -> None:
    assert wording("neardedicated.does-not-fit") in cli("nd", "queue", night, "--at", "3min").out
    moved = cli("nd", "queue", night, "move", GAMMA, 1, "--reason", "x", "--out", tmp_path / "a.run")
    assert (moved.status, moved.err) == (0, "")
    assert cli("nd", "queue", tmp_path / "a.run").out.split("\n")[1].split()[1] == str(GAMMA)
    opened = cli("nd", "start", night, "--until", "00:10").out
    assert says(opened, "neardedicated.window-is-open-to", end_s="00:10")
    stopped = cli("nd", "stop", night, "--at", "3min", "--kill").out
    assert says(stopped, "neardedicated.window-is-closed-and-was")
    assert "alpha was" in stopped
    note = tmp_path / "note.run"
    assert cli("nd", "note", night, "two\nlines", "--out", note).status == 0
    head, *text = cli("nd", "note", note).out.splitlines()
    assert (head.split(), text) == ([login_name(), "at", "22:58:"], ["two", "lines"])


def test_the_report_of_a_run(cli: Cli, night: Path, tmp_path: Path) -> None:
    run, out = tmp_path / "night.run", tmp_path / "report.csv"
    assert cli("simulate", night, "--out", run).status == 0
    result = cli("nd", "report", run)
    assert result.status == 0
    expected = "Near Dedicated Performance Report                  Mon Feb 19 23:00:00 1996"
    assert expected in result.out
    assert "hale" in result.out
    assert "hale" not in cli("nd", "report", run, "--at", "2min").out
    assert "beyond" not in result.err + cli("nd", "status", run, "--at", "2min").err
    for command in ("report", "status"):
        assert says(cli("nd", command, run, "--at", "3h").err, "cli.run-ends-at-time-after")
    assert cli("nd", "report", run, "--csv", "--out", out).out == ""
    assert out.read_text("utf-8").startswith("request,user,name,start,")
    used = tmp_path / "use.csv"
    assert cli("nd", "report", run, "--csv", "--table", "use", "--out", used).status == 0
    assert used.read_text("utf-8").startswith("end,cpu_user_fraction,")
    assert cli("nd", "report", run, "--table", "use").status == 2
    again = cli("nd", "report", run, "--csv", "--out", out)
    assert again.status == 1
    assert "exists already" in again.err
    assert cli("nd", "report", run, "--out", out, "--force").status == 0
    assert out.read_text("utf-8") == result.out


@pytest.mark.parametrize("suffix", [".pdf", ".html"])
def test_a_report_has_the_same_bytes_whatever_its_file_is_called(
    cli: Cli, night: Path, tmp_path: Path, suffix: str
) -> None:
    first, second = tmp_path / f"one{suffix}", tmp_path / "sub" / f"another{suffix}"
    second.parent.mkdir()
    second.write_text("")
    assert cli("nd", "report", night, "--at", "3min", "--out", first).status == 0
    assert cli("nd", "report", night, "--at", "180s", "--out", second, "--force").status == 0
    assert first.read_bytes() == second.read_bytes()
    if suffix == ".html":
        text = first.read_text("utf-8")
        expected = "fsconsole nd report night.yaml --at 180s --out report.pdf"
        assert expected in text
        assert str(tmp_path) not in text


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("status",), 2, worded("cli.give-scenario-or-run-folder-2")),
        (("status", "none.yaml"), 2, worded("cli.file-not-found", path="none.yaml")),
        (("status", "{night}", "more"), 2, worded("cli.unexpected-argument", rest="'more'")),
        (("stat", "{night}"), 2, naming("stat")),
        (("kill", "{night}", "--at", "3min"), 2, worded("neardedicated.name-job-to-kill-by")),
        (
            ("kill", "{night}", "--at", "3min", "41999"),
            1,
            worded(
                "neardedicated.no-near-dedicated-job",
                word_2="41999" + wording("neardedicated.choose-one-of", known="41871"),
            ),
        ),
        (("kill", "{night}", "1", "2"), 2, worded("cli.unexpected-argument", rest="'2'")),
        (("extend", "{night}", "--at", "3min", "30"), 2, worded("recording.is-missing", first="BY")),
        (("extend", "{night}", "30min"), 1, worded("neardedicated.no-near-dedicated-job-runs")),
        (("extend", "{night}", "--at", "3min", "-2h"), 1, naming("past")),
        (("start", "{night}", "--until", "25:00"), 1, worded("neardedicated.is-not-time-of-day")),
        (("start", "{night}", "--until"), 2, naming("--until")),
        (("stop", "{night}"), 1, worded("neardedicated.no-window-is-open")),
        (("queue", "{night}", "move", "gamma", "0"), 1, naming("from 1")),
        (
            ("queue", "{night}", "--reason", "x"),
            2,
            worded("cli.reason-and-dry-run-need"),
        ),
        (
            ("queue", "{night}", "order", "random"),
            1,
            worded("figures.choose-one-of", quantity_names="arrival"),
        ),
        (("report", "{night}"), 1, worded("neardedicated.there-has-been-no-window")),
        (
            ("status", "--connect"),
            1,
            worded("cli.no-running-console-accepts-commands"),
        ),
        (
            ("kill", "--connect", "41871", "--at", "3"),
            2,
            worded("cli.connect-excludes-at-out-and"),
        ),
        (("status", "{tmp}"), 1, naming("not a run folder")),
        (("status", "{night}", "--at", "soon"), 2, naming("'soon' is not a time")),
    ],
)
def test_what_cannot_be_is_reported(
    cli: Cli, night: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, message: Expected
) -> None:
    ended = cli("nd", *(word.format(night=night, tmp=tmp_path) for word in arguments))
    assert (ended.status, ended.out) == (status, "")
    assert says(ended.err, message)


def test_every_command_has_help_with_examples(cli: Cli) -> None:
    listed = cli("nd", "--help").out
    for name in ("status", "start", "stop", "kill", "extend", "queue", "report", "alerts", "ack", "note"):
        assert name in listed
        expected = f"Examples:\n  fsconsole nd {name} "
        assert expected in cli("nd", name, "--help").out


# -- a running console --------------------------------------------------------------------------------------


@pytest.fixture
def console() -> Iterator[SimulatedTarget]:
    """A console's machine a minute into the window, that can be reached over the socket."""
    target = SimulatedTarget(parse_scenario(NIGHT, "night"))
    server = LineServer(target.command, lambda: {"title": "night.yaml", "machine": "Test Y-MP"})
    target.step(180 * 60).result(WAIT_S)
    yield target
    server.close()
    target.close(wait=True)


def test_an_open_console_is_operated(cli: Cli, console: SimulatedTarget) -> None:
    assert re.search(rf"{ALPHA} +hale +alpha, +running", cli("nd", "status", "--connect").out)
    extended = cli("nd", "extend", "--connect", "30min", "--reason", "nearly done").out
    assert says(extended, "neardedicated.to-4", value="extended", after_s="23:50")
    killed = cli("nd", "kill", "--connect=night", ALPHA).out
    assert killed.split() == [str(ALPHA), "hale", "alpha", "killed"]
    ended = cli("nd", "kill", "--connect", ALPHA)
    assert ended.status == 1
    assert says(ended.err, "neardedicated.has-ended-at", ended_s="23:01:00")
    assert cli("nd", "queue", "--connect", "hold", OTAS_BETA).status == 0
    console.step(600).result(WAIT_S)
    for _ in range(2):
        console.ask(lambda machine: machine.tick).result(WAIT_S)
    snapshot = console.snapshot()
    assert snapshot is not None
    assert snapshot.night is not None
    assert snapshot.night.job is not None
    assert snapshot.night.job.request == BETA
    mine = [row for row in snapshot.audit if row.who.startswith(f"{login_name()} (outside ")]
    assert [(row.action, row.done) for row in mine] == [
        ("extend job", True), ("kill job", True), ("kill job", False), ("hold job", True),
    ]  # fmt: skip
    kept = lines_of(audit_path("Test Y-MP"))
    assert [line["action"] for line in kept] == ["extend job", "kill job", "kill job", "hold job"]
    assert kept[0]["why"] == "nearly done"


def test_the_program_itself_asks_a_console_without_numpy(console: SimulatedTarget) -> None:
    assert console.snapshot() is not None
    code = "import sys; from fsconsole.cli.main import run; status = run(['nd', 'queue', '--connect']); "
    code += "assert not {'numpy', 'numba', 'PySide6'} & set(sys.modules), 'heavy'; sys.exit(status)"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "gamma" in done.stdout


def test_the_program_itself_on_a_file(night: Path) -> None:
    program = start("nd", "status", night, "--at", "3min")
    out, err = program.communicate(timeout=120)
    assert (program.returncode, err) == (0, "")
    assert "hale alpha" in out


# -- killed in the window -----------------------------------------------------------------------------------


def recorded(path: Path, until_s: int, *, killed: bool) -> Machine:
    """A night in which somebody acts; `killed` leaves its folder as a kill -9 would."""
    scenario = parse_scenario(NIGHT, "night")
    machine = Machine(scenario, makers_of(scenario))
    writer = RunWriter(machine, path, scenario_text=NIGHT, capture=lambda: capture(machine))
    writer(machine.sample())
    machine.listeners.append(writer)
    deeds: dict[int, Action] = {200: ExtendJob(ALPHA, 600.0), 400: HoldJob(OTAS_BETA), 420: HoldJob(99)}
    for second in range(20, until_s + 1, 20):
        machine.advance_to(second)
        if second in deeds:
            machine.act(deeds[second], "hale", "night shift")
        if second % 60 == 0:
            writer.keep_up()
    if killed:
        writer._lock.release()  # as a kill does
    else:
        writer.close(tick=machine.tick)
    return machine


@pytest.mark.parametrize("killed_s", [100, 140, 300, 420, 900, 1000, 2000])
def test_a_window_goes_on_where_it_was_killed(
    cli: Cli, tmp_path: Path, killed_s: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the window, as a job prepares, runs, is drained, after what an operator did: the same night."""
    monkeypatch.setattr(keyframes, "LEAST_S", 0.0)
    monkeypatch.setattr(keyframes, "BYTES_PER_S", 1e9)
    monkeypatch.setattr(keyframes, "WORTH_RECORDING", 0)
    whole, cut = tmp_path / "whole.run", tmp_path / "cut.run"
    recorded(whole, 4200, killed=False)
    machine = recorded(cut, killed_s, killed=True)
    assert night_view(machine) is not None
    ended = cli("simulate", "--resume", cut, "--until", "70min")
    assert ended.status == 0, ended.err
    if killed_s >= 420:
        first, second = RunReader(cut), RunReader(whole)
        assert first.checkpoints()[-1][1].read_bytes() == second.checkpoints()[-1][1].read_bytes()
        assert first.samples().equals(second.samples(), null_equal=True)
        assert cli("nd", "report", cut).out == cli("nd", "report", whole).out
        texts = [[(line["tick"], line["action"], line["result"]) for line in lines_of(path / "audit.jsonl")]
                for path in (cut, whole)]  # fmt: skip
        assert texts[0] == texts[1]
    else:  # nobody did what was done later in the other
        assert "alpha" in cli("nd", "report", cut, "--csv").out


def test_a_night_becomes_a_report_with_figures(cli: Cli, night: Path, tmp_path: Path) -> None:
    target = tmp_path / "night.html"
    ended = cli("nd", "report", night, "--at", "30min", "--out", target)
    assert (ended.status, ended.out, ended.err) == (0, f"Wrote {target}\n", "")
    text = target.read_text("utf-8")
    assert says(text, "app.reports.near-dedicated-night-of")
    assert text.count("<svg ") == 2
    assert "alpha" in text
    refused = cli("nd", "report", night, "--csv", "--out", tmp_path / "night.pdf")
    assert refused.status == 2
    assert says(refused.err, "cli.cannot-write-as-use-scenario", what="--csv", suffix=".pdf")
    before = cli("nd", "report", "--connect", "--out", tmp_path / "night.pdf")
    assert before.status == 2
    assert says(before.err, "cli.cannot-write-as-use-scenario", what="--connect", suffix=".pdf")


def test_a_machine_without_nights_has_no_report(cli: Cli, examples: Path, tmp_path: Path) -> None:
    ended = cli("nd", "report", examples / "three-users.yaml", "--out", tmp_path / "night.pdf")
    assert ended.status == 1
    assert says(ended.err, "cli.has-no-near-dedicated-window")
