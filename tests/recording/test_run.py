"""Run folders: what is written is read back, also after a kill, and what is damaged says so."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fsconsole.machine.checkpoint import capture, load
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.machine.sample import COLUMNS, Sample
from fsconsole.machine.summary import summary_of
from fsconsole.recording import keyframes, sample_writer
from fsconsole.recording.run import RunError, RunReader
from fsconsole.recording.run_cut import cut_back
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.edits import Insert, Remove, Rename
from fsconsole.shares.scenario.actions import ChangeTree, Login, SetSetting
from fsconsole.shares.tree import Node
from tests.machine.worlds import Nested, same, scenario_of
from tests.texts import Expected, refuses, worded, wording

TREE: Nested = {"A": (1, {"a1": 1, "a2": 1}), "B": (1, {"b1": 1})}
Recorded = tuple[Machine, RunWriter, list[Sample]]


def recorded(path: Path, **more: object) -> Recorded:
    machine = machine_for(scenario_of(TREE, loops=["a1", "b1"]), seed=5)
    writer = RunWriter(machine, path, capture=lambda: capture(machine), **more)  # type: ignore[arg-type]
    samples = [machine.sample()]
    writer(samples[0])
    machine.listeners += [writer, samples.append]
    return machine, writer, samples


def test_what_was_sampled_is_read_back_exactly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample_writer, "CHUNK_ROWS", 50)
    machine, writer, samples = recorded(tmp_path / "x.run", scenario_text="version: 1\n")
    machine.advance_to(60)
    writer.close(summary=summary_of(machine), tick=machine.tick)

    run = RunReader(tmp_path / "x.run")
    assert len(list(run.path.glob("samples-*.parquet"))) == 4
    assert run.state == "complete"
    assert run.quantities() == [*COLUMNS, "cpu_s"]
    for name in COLUMNS:
        times, values = run.series(name)
        assert times.tolist() == [float(at) for at in range(61)]
        for row, node in enumerate(machine.flat.ids.tolist()):
            assert values[node].tolist() == [float(sample.columns[name][row]) for sample in samples]
    assert run.series("cpu_s")[1][0][-1] == 60.0
    assert run.paths()[3] == "root/A/a2"
    assert run.summary() == json.loads(json.dumps(summary_of(machine)))
    assert not list(run.path.rglob("*.tmp"))


def test_the_manifest_says_what_was_run(tmp_path: Path) -> None:
    machine, writer, _ = recorded(tmp_path / "x.run", scenario_text="version: 1\n")
    assert RunReader(writer.path).state == "running"
    assert RunReader(writer.path).summary() is None
    machine.advance_to(3)
    writer.close(complete=False)
    manifest = RunReader(writer.path).manifest
    assert manifest["state"] == "interrupted"
    assert (manifest["seed"], manifest["policy"], manifest["scenario"]) == (5, "share", "version: 1\n")
    assert manifest["settings"]["policy.half_life_s"] == 120.0
    assert manifest["quantities"]["charge"]["unit"].startswith("CPU seconds")


def test_checkpoint_and_journal_of_the_folder_are_the_same_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyframes, "LEAST_S", 0.0)
    monkeypatch.setattr(keyframes, "BYTES_PER_S", 1e9)
    monkeypatch.setattr(keyframes, "WORTH_RECORDING", 0)
    machine, writer, _ = recorded(tmp_path / "x.run")
    for at, action in ((7, Login(3)), (13, SetSetting("policy.half_life_s", 30.0))):
        machine.advance_to(at)
        writer.keep_up()
        machine.act(action)
    machine.advance_to(20)
    writer.close(tick=machine.tick)

    run = RunReader(tmp_path / "x.run")
    ticks = [tick for tick, _ in run.checkpoints()]
    assert ticks == [0, 420, 780, 1200]
    assert [entry["tick"] for entry in run.journal()] == [420, 780]
    for tick, file in run.checkpoints():
        again = load(file.read_bytes(), machine.scenario)
        assert again.tick == tick
        again.replay(machine.journal[len(again.journal) :])
        again.advance(1200)
        assert same(again, machine)


@pytest.mark.parametrize("back_to", [0, 420, 780])
def test_a_kill_right_after_cutting_back_leaves_what_the_run_goes_on_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, back_to: int
) -> None:
    monkeypatch.setattr(keyframes, "LEAST_S", 0.0)
    monkeypatch.setattr(keyframes, "BYTES_PER_S", 1e9)
    monkeypatch.setattr(keyframes, "WORTH_RECORDING", 0)
    machine, writer, samples = recorded(tmp_path / "x.run")
    for at_s in (7, 13):
        machine.advance_to(at_s)
        writer.keep_up()
    machine.advance_to(20)
    writer.close(tick=machine.tick)
    (tmp_path / "x.run" / "tail-000001.bin").touch()  # left beside its chunk by a kill
    for _ in range(2):  # the second time as after a kill
        run = RunReader(tmp_path / "x.run")
        cut_back(run, back_to, machine.spec.hz)
        assert not list(run.path.glob("tail-*"))
        again = RunReader(tmp_path / "x.run")
        assert [tick for tick, _ in again.checkpoints()] == [at for at in (0, 420, 780) if at <= back_to]
        assert load(again.checkpoints()[-1][1].read_bytes(), machine.scenario).tick == back_to
        kept_s = [sample.time_s for sample in samples if sample.time_s <= back_to / machine.spec.hz]
        assert again.series("cpu_rate")[0].tolist() == kept_s


def test_nodes_may_come_go_and_change_their_names(tmp_path: Path) -> None:
    machine, writer, _ = recorded(tmp_path / "x.run")
    machine.advance_to(5)
    machine.act(ChangeTree((Insert(4, 0, (Node(9, "new", 3),)), Remove(3), Rename(5, "bee"))))
    machine.advance_to(10)
    writer.close()
    run = RunReader(tmp_path / "x.run")
    assert run.paths() == {
        0: "root", 1: "root/A", 2: "root/A/a1", 3: "root/A/a2", 4: "root/B", 5: "root/B/bee", 9: "root/B/new",
    }  # fmt: skip
    times, values = run.series("allocated_share")
    assert np.isnan(values[3][times >= 8]).all()
    assert np.isnan(values[9][times < 8]).all()
    assert not np.isnan(values[5]).any()
    frame = run.samples(["time_s", "node", "path"])
    assert set(frame.filter(frame["node"] == 5)["path"]) == {"root/B/b1", "root/B/bee"}


def test_a_folder_that_is_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    recorded(path)[1].close()
    with refuses(RunError, "recording.exists-already"):
        recorded(path)
    recorded(path, overwrite=True)[1].close()
    (tmp_path / "empty").mkdir()
    recorded(tmp_path / "empty")[1].close()


def test_only_runs_are_overwritten(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("Dear")
    with refuses(RunError, "recording.is-not-run-folder-it"):
        recorded(tmp_path / "letters", overwrite=True)
    assert (tmp_path / "letters" / "dear.txt").read_text() == "Dear"


def test_the_manifest_of_another_program_makes_no_run(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "manifest.json").write_text('{"name": "a page to install"}')
    with refuses(RunError, "recording.is-not-run-folder-it"):
        recorded(site, overwrite=True)
    assert (site / "manifest.json").exists()


def test_a_run_that_is_being_written_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    machine, writer, _ = recorded(path)
    with refuses(RunError, "recording.another-program-is-writing-to", path="x.run"):
        recorded(path, overwrite=True)
    machine.advance_to(5)
    writer.close()
    recorded(path, overwrite=True)[1].close()
    assert RunReader(path).state == "complete"


def test_a_run_with_other_files_in_it_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    recorded(path)[1].close()
    (path / "my notes.txt").write_text("worth keeping")
    with pytest.raises(RunError, match=r"contains files that do not belong to a run. .*: my notes\.txt"):
        recorded(path, overwrite=True)
    (path / "my notes.txt").unlink()
    (path / ".summary.json.x1y2.tmp").write_text("left by a kill")
    recorded(path, overwrite=True)[1].close()
    assert RunReader(path).state == "complete"


def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match=r"cannot write .*x\.run: Not a directory"):
        recorded(tmp_path / "file" / "x.run")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_says_so_and_the_machine_can_go_on(tmp_path: Path) -> None:
    machine, writer, _ = recorded(tmp_path / "x.run")
    journal = tmp_path / "x.run" / "journal.jsonl"
    journal.unlink()
    journal.symlink_to("/dev/full")
    machine.act(Login(3))
    with pytest.raises(RunError, match=r"cannot write .*x\.run: No space left on device"):
        machine.advance_to(5)
    machine.listeners.remove(writer)
    machine.advance_to(10)
    assert machine.tick == 600


def damage_manifest(change: dict[str, object]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        manifest = json.loads((path / "manifest.json").read_text())
        (path / "manifest.json").write_text(json.dumps(manifest | change))

    return damage


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda path: (path / "manifest.json").unlink(),
            worded("recording.is-not-run-folder-is", manifest="manifest.json"),
        ),
        (
            lambda path: (path / "manifest.json").write_text("{"),
            worded("recording.is-damaged", name="manifest.json"),
        ),
        (
            lambda path: (path / "manifest.json").write_bytes(b"\xff\xfe"),
            worded("shares.is-not-text", value="it"),
        ),
        (lambda path: (path / "manifest.json").write_text("[]"), worded("shares.is-not-of-fsconsole")),
        (damage_manifest({"format": "other"}), worded("shares.is-not-of-fsconsole")),
        (damage_manifest({"version": 99}), worded("shares.is-from-newer-fsconsole-its", number=99)),
        (damage_manifest({"quantities": ["charge"]}), worded("recording.it-does-not-list-sampled")),
        (damage_manifest({"state": "lost"}), worded("recording.it-does-not-show-how")),
        (
            lambda path: (path / "nodes.json").write_text("{"),
            worded("recording.is-damaged", name="nodes.json"),
        ),
        (
            lambda path: (path / "journal.jsonl").write_text("{\n"),
            worded("recording.is-damaged", name="journal.jsonl"),
        ),
        (
            lambda path: (path / "summary.json").write_text("?"),
            worded("recording.is-damaged", name="summary.json"),
        ),
    ],
)
def test_a_damaged_run_says_what_is_wrong(
    tmp_path: Path, damage: Callable[[Path], None], message: Expected
) -> None:
    machine, writer, _ = recorded(tmp_path / "x.run")
    machine.advance_to(5)
    writer.close(summary=summary_of(machine))
    damage(writer.path)
    with refuses(RunError, message):
        read_all(writer.path)


def test_a_pipe_in_place_of_the_events_is_not_waited_for(tmp_path: Path) -> None:
    _, writer, _ = recorded(tmp_path / "x.run")
    writer.close()
    place = writer.path / "events.jsonl"
    place.unlink(missing_ok=True)
    os.mkfifo(place)
    with pytest.raises(RunError, match=r"events.jsonl: This is a device or a pipe, not a file"):
        RunReader(writer.path).happened()


def read_all(path: Path) -> None:
    run = RunReader(path)
    run.samples()
    run.series("charge")
    run.nodes()
    run.journal()
    run.summary()


def test_no_run_and_no_such_column_say_so(tmp_path: Path) -> None:
    with refuses(RunError, "recording.does-not-exist", path="none.run"):
        RunReader(tmp_path / "none.run")
    recorded(tmp_path / "x.run")[1].close()
    with refuses(RunError, "recording.does-not-have-these-columns", unknown="weight"):
        RunReader(tmp_path / "x.run").series("weight")


def test_a_run_without_a_chunk_is_empty(tmp_path: Path) -> None:
    _, writer, _ = recorded(tmp_path / "x.run")
    run = RunReader(writer.path)
    assert run.samples().height == 0
    assert run.series("charge")[1] == {}
    assert "cpu_rate" in run.quantities()


ENDLESS = """
import sys
from pathlib import Path
from fsconsole.machine.checkpoint import capture
from fsconsole.machine.machine import Machine
from fsconsole.recording import keyframes, sample_writer
from fsconsole.recording.run_writer import RunWriter
from fsconsole.shares.scenario.actions import Login, Logout
from tests.machine.worlds import scenario_of

sample_writer.CHUNK_ROWS, keyframes.LEAST_S = 600, 1.0
keyframes.WORTH_RECORDING, keyframes.BYTES_PER_S = 5, 1e9
machine = Machine(scenario_of({"A": (1, {"a1": 1, "a2": 1}), "b": 1}, loops=["a1", "b"]))
writer = RunWriter(machine, Path(sys.argv[1]), capture=lambda: capture(machine))
machine.listeners.append(writer)
for second in range(1, 10**9):
    machine.advance_to(second)
    machine.act(Login(2) if second % 2 else Logout(2, False))
    writer.keep_up()
"""


def test_it_is_readable_after_kill_9_in_mid_run(tmp_path: Path) -> None:
    path = tmp_path / "x.run"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    child = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path)], env=environment)
    try:
        until = time.monotonic() + 60
        while len(list(path.glob("samples-*.parquet"))) < 4 or len(list(path.glob("checkpoints/*.npz"))) < 3:
            assert child.poll() is None
            assert time.monotonic() < until
            time.sleep(0.01)
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.wait()

    run = RunReader(path)
    assert run.state == "running"
    times, values = run.series("charge")
    assert times.tolist() == [float(at) for at in range(1, len(times) + 1)]
    assert len(times) >= 4  # one a chunk at least: a busy computer writes chunks long before they are full
    assert values[0][-1] == pytest.approx(times[-1])
    assert len(run.journal()) >= times[-1] - 1
    tick, file = run.checkpoints()[-1]
    assert times[-1] * 60 >= tick  # all samples up to a checkpoint are on the disk before it
    again = load(file.read_bytes(), scenario_of({"A": (1, {"a1": 1, "a2": 1}), "b": 1}, loops=["a1", "b"]))
    assert again.tick == tick


def test_a_last_line_that_was_cut_off_is_left_out(tmp_path: Path) -> None:
    machine, writer, _ = recorded(tmp_path / "x.run")
    machine.act(Login(3))
    machine.act(Login(2))
    writer.close()
    journal = writer.path / "journal.jsonl"
    journal.write_bytes(journal.read_bytes()[:-5])
    assert [entry["node"] for entry in RunReader(writer.path).journal()] == [3]


def test_damage_in_a_tail_is_reported_once_samples_are_read(tmp_path: Path) -> None:
    machine, writer, _ = recorded(tmp_path / "x.run")
    for until_s in (10, 20):
        machine.advance_to(until_s)
        writer._samples.flush()
    writer._samples._background.drain()
    tail = writer.path / "tail-000001.bin"
    data = tail.read_bytes()
    tail.write_bytes(data[:-5] + bytes([data[-5] ^ 0xFF]) + data[-4:])
    run = RunReader(writer.path)
    last_s = run.last_s()
    assert last_s == 10
    assert [(round(gap.start_s), round(gap.end_s), gap.why) for gap in run.gaps] == [
        (10, 20, wording("recording.is-damaged", name="tail-000001.bin"))
    ]
    writer.close()


def test_shares_without_system_groups_are_those_of_each_sample(tmp_path: Path) -> None:
    machine, writer, samples = recorded(tmp_path / "x.run")
    machine.advance_to(40)
    writer.close()
    run, flat = RunReader(tmp_path / "x.run"), machine.flat
    for name in ("cpu_rate", "allocated_share", "effective_share"):
        _, values = run.series(f"{name}_without_system")
        expected = np.array([flat.without_system(sample.columns[name]) for sample in samples]).T
        np.testing.assert_allclose([values[node] for node in flat.ids.tolist()], expected, rtol=1e-12)
