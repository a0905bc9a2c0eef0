"""`fsconsole simulate --resume`: a run that was killed goes on, and is the run that it would have been."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fsconsole.machine.checkpoint import capture
from fsconsole.machine.machine import Machine
from fsconsole.recording import keyframes, sample_writer
from fsconsole.recording.audit_log import lines_of
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.edits import SetShares
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.actions import Action, ChangeTree, EndProcess, Login, StartProcess, Work
from fsconsole.shares.scenario.read import parse_scenario
from tests.cli.conftest import Cli
from tests.texts import Expected, says, worded, wording

LONG = 3000
SCENARIO = """\
version: 1
title: A run
tree:
  name: root
  children:
    - {name: a}
    - {name: b, shares: 3}
    - {name: c}
workloads:
  - {user: a, command: loop, work: {burst_s: 0.2 s, sleep_s: 1 s}}
  - {user: b, command: loop, work: endless}
events:
  - {at: 40 s, login: c}
  - {at: 100 s, start: {user: c, command: job, work: endless}}
  - {at: 400 s, end: {user: c, command: job}}
plot: {until_s: 500 s, sample_s: 10 s, rate_window_s: 20 s}
"""


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write all as soon as it can be written."""
    monkeypatch.setattr(keyframes, "LEAST_S", 0.0)
    monkeypatch.setattr(keyframes, "BYTES_PER_S", 1e9)
    monkeypatch.setattr(keyframes, "WORTH_RECORDING", 0)


def acted(machine: Machine) -> None:
    """What an operator does in the run, by its seconds."""
    a, b = (machine.tree.find(name).id for name in "ab")
    deeds: dict[int, Action] = {
        60: Login(a),
        200: ChangeTree((SetShares.of(b, 9),)),
        203: StartProcess(a, Work()),
        300: EndProcess(9999),
    }
    if machine.now_s in deeds:
        machine.act(deeds[int(machine.now_s)], "hale", "night shift")


def recorded(path: Path, until_s: int, *, killed: bool) -> Machine:
    """A run in which somebody acts; `killed` leaves it as a kill -9 would."""
    machine = Machine(parse_scenario(SCENARIO, "x"))
    writer = RunWriter(machine, path, scenario_text=SCENARIO, capture=lambda: capture(machine))
    writer(machine.sample())
    machine.listeners.append(writer)
    for second in range(1, until_s + 1):
        machine.advance_to(second)
        acted(machine)
        if second % 25 < 2:
            writer.keep_up()
    if killed:
        writer._lock.release()  # as a kill does
    else:
        writer.close(tick=machine.tick)
    return machine


def final(path: Path) -> bytes:
    return RunReader(path).checkpoints()[-1][1].read_bytes()


def who_did(path: Path) -> list[tuple[int, str, str]]:
    return [(line["tick"], line["action"], line["result"]) for line in lines_of(path / "audit.jsonl")]


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("behind", [0, 1, 7, 130, 250])
def test_it_is_the_run_that_it_would_have_been(cli: Cli, tmp_path: Path, behind: int) -> None:
    """Killed at 301 s, with the newest checkpoint so many seconds before that."""
    whole, cut = tmp_path / "whole.run", tmp_path / "cut.run"
    recorded(whole, 500, killed=False)
    recorded(cut, 301, killed=True)
    for tick, file in RunReader(cut).checkpoints():
        if tick > (301 - behind) * 60:
            file.unlink()
    ended = cli("simulate", "--resume", cut)
    assert (ended.status, ended.err) == (0, "")
    assert says(ended.out, "cli.simulated-s-policy-seed")
    assert final(cut) == final(whole)
    ours, theirs = RunReader(cut), RunReader(whole)
    assert ours.samples().equals(theirs.samples(), null_equal=True)
    assert ours.journal() == theirs.journal()
    assert ours.nodes() == theirs.nodes()
    assert (ours.state, ours.manifest["until_s"]) == ("complete", 500)
    assert who_did(cut) == who_did(whole)
    assert len(who_did(cut)) == 7


@pytest.mark.usefixtures("often")
def test_a_damaged_newest_checkpoint_is_passed_over(cli: Cli, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.run", tmp_path / "cut.run"
    recorded(whole, 500, killed=False)
    recorded(cut, 301, killed=True)
    RunReader(cut).checkpoints()[-1][1].write_bytes(b"PK")
    assert cli("simulate", "--resume", cut).status == 0
    assert final(cut) == final(whole)
    assert RunReader(cut).samples().equals(RunReader(whole).samples(), null_equal=True)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("damage", "line"), [("lost", 3), ("doubled", 2), ("changed", 2)])
def test_a_journal_that_a_checkpoint_knows_better_is_reported(
    cli: Cli, tmp_path: Path, damage: str, line: int
) -> None:
    path = tmp_path / "x.run"
    recorded(path, 301, killed=True)
    place = path / "journal.jsonl"
    lines = place.read_text().splitlines(keepends=True)
    other = {
        "lost": lines[:-1],
        "doubled": lines[:1] + lines,
        "changed": [text.replace("9]", "8]") for text in lines],
    }
    assert other[damage] != lines
    place.write_text("".join(other[damage]))
    ended = cli("simulate", "--resume", path)
    assert ended.status == 1
    expected = (
        "fsconsole simulate: " + wording("targets.journal-of-is-damaged-line", path=path, line=line) + "\n"
    )
    assert ended.err == (expected)


def test_a_line_of_the_index_that_means_nothing_is_left_out(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    recorded(path, 100, killed=True)
    with (path / "index.jsonl").open("a") as stream:
        stream.write('{"tier": 0, "number": 1, "first_s": {}, "last_s": "NaN"}\n')
    ended = cli("simulate", "--resume", path, "--until", "120s")
    assert (ended.status, ended.err) == (0, "")


def test_a_manifest_that_names_other_quantities_is_reported(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    recorded(path, 100, killed=True)
    place = path / "manifest.json"
    place.write_text(place.read_text().replace('"charge"', '"chrge"'))
    ended = cli("simulate", "--resume", path)
    assert (ended.status, ended.out) == (1, "")
    assert says(ended.err, "recording.it-lists-quantities-that-machine")


def test_killed_before_the_first_chunk_it_begins_anew(cli: Cli, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole.run", tmp_path / "cut.run"
    recorded(whole, 500, killed=False)
    machine = recorded(cut, 1, killed=True)
    assert machine.tick
    assert not list(cut.glob("samples-*"))
    assert cli("simulate", "--resume", cut, "--json").status == 0
    times = RunReader(cut).series("charge")[0]
    assert times.tolist() == [float(at) for at in range(0, 501, 10)]


def test_keyframes_come_by_simulated_time(tmp_path: Path) -> None:
    machine = Machine(parse_scenario(SCENARIO))
    writer = RunWriter(machine, tmp_path / "x.run", scenario_text=SCENARIO, capture=lambda: capture(machine))
    writer._pace = WithoutCost()
    for second in range(1, 200):
        machine.advance_to(second)
        writer.keep_up()
    writer.close()
    kept = [tick // 60 for tick, _ in RunReader(tmp_path / "x.run").checkpoints()]
    assert kept == [0, 1, 61, 121, 181]


class WithoutCost(keyframes.KeyframePace):
    """However long it takes on this computer."""

    def kept(self, time_s: float, size: int, now: float, _cost_s: float) -> None:
        super().kept(time_s, size, now, 0.0)


@pytest.mark.usefixtures("often")
def test_a_full_disk_says_how_far_it_came(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario, run = tmp_path / "s.yaml", tmp_path / "x.run"
    scenario.write_text(SCENARIO, "utf-8")
    write = write_atomic

    def full(path: Path, data: str | bytes, *, sync: bool = True) -> None:
        if path.suffix == ".npz" and int(path.stem):
            raise OSError(28, "No space left on device")
        write(path, data, sync=sync)

    monkeypatch.setattr(sample_writer, "write_atomic", full)
    result = cli("simulate", scenario, "--out", run)
    assert result.status == 1
    assert says(result.err, "cli.run-reached-s-of-s")
    assert os.strerror(errno.ENOSPC) in result.err
    assert says(result.err, "cli.written-continue-with-fsconsole-simulate", path=run)


def test_a_run_goes_further_than_it_was_meant_to(cli: Cli, tmp_path: Path) -> None:
    scenario, path = tmp_path / "a.yaml", tmp_path / "x.run"
    scenario.write_text(SCENARIO)
    assert cli("simulate", scenario, "--until", "60s", "--out", path).status == 0
    again = cli("simulate", "--resume", path)
    assert again.status == 1
    expected = (
        "fsconsole simulate: " + wording("cli.has-already-reached-s-give", path=path, known_s="60") + "\n"
    )
    assert again.err == (expected)
    early = cli("simulate", "--resume", path, "--until", "30s")
    assert says(early.err, "cli.has-already-reached-s-give", known_s="60")
    ended = cli("simulate", "--resume", path, "--until", "120s", "--json")
    assert json.loads(ended.out)["until_s"] == 120.0
    assert RunReader(path).summary() == json.loads(ended.out)
    whole = cli("simulate", scenario, "--until", "120s", "--out", tmp_path / "y.run", "--json")
    assert ended.out == whole.out
    assert RunReader(path).samples().equals(RunReader(tmp_path / "y.run").samples(), null_equal=True)


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["{x}", "--resume", "{x}"], 2, worded("app.is-not", kind="a recorded run of a simulated machine")),
        (["{y}", "--resume", "{x}"], 2, worded("cli.resume-excludes-run-keeps-its", name="SCENARIO")),
        (["--resume", "{x}", "--seed", "3"], 2, worded("cli.resume-excludes-run-keeps-its", name="--seed")),
        (["--resume", "{x}", "--set", "k=3"], 2, worded("cli.resume-excludes-run-keeps-its", name="--set")),
        (["--resume", "{x}", "--out", "z"], 2, worded("cli.resume-excludes-run-keeps-its", name="--out")),
        (["--resume", "none.run"], 1, worded("recording.does-not-exist", path="none.run")),
        (["--resume", "{y}"], 1, worded("app.is-not", kind="a scenario", wanted="a run folder")),
        ([], 2, worded("cli.missing-argument-scenario-or-resume")),
    ],
)
def test_what_cannot_be_is_reported(
    cli: Cli, tmp_path: Path, arguments: list[str], status: int, message: Expected
) -> None:
    (tmp_path / "a.yaml").write_text(SCENARIO)
    recorded(tmp_path / "x.run", 1, killed=False)
    words = [word.format(x=tmp_path / "x.run", y=tmp_path / "a.yaml") for word in arguments]
    ended = cli("simulate", *words)
    assert (ended.status, ended.out) == (status, "")
    assert says(ended.err, message)


def test_a_run_that_is_being_written_is_left_alone(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    machine = Machine(parse_scenario(SCENARIO, "x"))
    writer = RunWriter(machine, path, scenario_text=SCENARIO, capture=lambda: capture(machine))
    before = sorted(item.name for item in path.iterdir())
    ended = cli("simulate", "--resume", path)
    assert ended.status == 1
    assert says(ended.err, "recording.another-program-is-already-writing")
    assert sorted(item.name for item in path.iterdir()) == before
    writer.close(complete=False)


KILLED = """
import sys
from fsconsole.cli.main import main
from fsconsole.recording import keyframes, sample_writer
keyframes.LEAST_S, keyframes.WORTH_RECORDING, sample_writer.TAIL_EVERY_S = 1.0, 5, 0.02
main()
"""


def test_kill_9_of_the_program_itself(cli: Cli, tmp_path: Path) -> None:
    scenario, path, whole = tmp_path / "a.yaml", tmp_path / "x.run", tmp_path / "whole.run"
    scenario.write_text(SCENARIO)
    arguments = ["simulate", str(scenario), "--until", f"{LONG} h"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    command = [sys.executable, "-c", KILLED, *arguments, "--out", str(path)]
    child = subprocess.Popen(command, env=environment)
    try:
        limit = time.monotonic() + 60
        while len(list(path.glob("checkpoints/*.npz"))) < 3:
            assert child.poll() is None
            assert time.monotonic() < limit
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()
    assert RunReader(path).state == "running"
    known = RunReader(path).series("charge")[0][-1]
    until = f"{known + 200} s"
    ended = cli("simulate", "--resume", path, "--until", until, "--json")
    assert ended.status == 0, ended.err
    assert cli("simulate", scenario, "--until", until, "--out", whole, "--json").out == ended.out
    assert final(path) == final(whole)
    assert RunReader(path).samples().equals(RunReader(whole).samples(), null_equal=True)
