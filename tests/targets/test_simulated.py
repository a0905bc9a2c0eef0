from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fsconsole.machine.machine import Machine
from fsconsole.recording.run_format import RESCALED, RunError
from fsconsole.resources import examples
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.scenario.actions import EndProcess, Login, Logout, StartProcess, Work
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ROOT_ID, Kind, ShareTree
from fsconsole.targets import realtime, record
from fsconsole.targets.base import MAX_SPEED, without_system
from fsconsole.targets.live import MAX_KEPT_NODES
from fsconsole.targets.simulated import SimulatedTarget
from fsconsole.targets.snapshot import Snapshot
from tests.targets.test_realtime import Clock
from tests.texts import wording

WAIT_S = 60.0


def example(name: str = "convex-series-6") -> Scenario:
    return read_scenario(examples() / f"{name}.yaml")


def standing(target: SimulatedTarget) -> SimulatedTarget:
    """The target once the machine stands: what is asked first is answered then."""
    target.ask(lambda machine: machine.tick).result(WAIT_S)
    return target


@pytest.fixture
def made() -> Iterator[Callable[..., SimulatedTarget]]:
    targets: list[SimulatedTarget] = []

    def make(scenario: Scenario | None = None, **values: Any) -> SimulatedTarget:
        targets.append(SimulatedTarget(scenario or example(), **values))
        return targets[-1]

    yield make
    for target in targets:
        target.close(wait=True)


def seen(target: SimulatedTarget) -> Snapshot:
    """The snapshot after all that was asked so far: the second question waits for the first's snapshot."""
    for _ in range(2):
        target.ask(lambda machine: machine.tick).result(WAIT_S)
    snapshot = target.snapshot()
    assert snapshot is not None
    return snapshot


def ends(target: SimulatedTarget) -> Snapshot:
    """The snapshot at which a running target stopped by itself."""
    waiting = threading.Event()
    while not (seen(target).tick and not target.is_running):
        waiting.wait(0.01)
    return seen(target)


def node(target: SimulatedTarget, name: str) -> int:
    return target.scenario.tree.find(name).id


def test_stands_paused_at_0_with_a_first_sample(made: Callable[..., SimulatedTarget]) -> None:
    target = standing(made())
    snapshot = seen(target)
    assert (snapshot.time_s, snapshot.running, snapshot.fault) == (0.0, False, None)
    assert len(target.series) == 1


def test_steps_are_exact(made: Callable[..., SimulatedTarget]) -> None:
    target = made()
    for ticks in (1, 60, 240):
        target.step(ticks).result(WAIT_S)
    assert seen(target).tick == 301


class CountingClock(Clock):
    """A wall clock that is moved by hand, and counts how often it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.read = 0

    def perf_counter(self) -> float:
        self.read += 1
        return super().perf_counter()


def test_time_that_passes_during_a_pause_is_not_made_up_for(
    made: Callable[..., SimulatedTarget], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = CountingClock()
    monkeypatch.setattr(realtime, "time", clock)
    target = standing(made(speed=10.0))

    def tick() -> int:
        return target.ask(lambda machine: machine.tick).result(WAIT_S)

    def tick_after_a_slice() -> int:
        """A slice reads the clock at its begin and its end: among three times one begins and has ended."""
        since = clock.read
        while clock.read < since + 3:
            tick()
        return tick()

    target.run()
    assert tick_after_a_slice() == 0
    clock.now += 0.4  # less than what a machine that cannot keep up is let off
    while tick() < 240:
        tick_after_a_slice()
    assert tick_after_a_slice() == 240
    target.pause()
    assert tick() == 240
    clock.now += 0.4
    target.run()
    assert tick_after_a_slice() == 240
    clock.now += 0.2
    while tick() < 360:
        tick_after_a_slice()
    assert tick_after_a_slice() == 360


def test_full_speed_ends_at_the_scenarios_end_and_goes_on_when_asked(
    made: Callable[..., SimulatedTarget],
) -> None:
    target = made(speed=MAX_SPEED)
    target.run()
    assert ends(target).time_s == 1200.0
    target.step(60).result(WAIT_S)
    assert seen(target).time_s == 1201.0


def test_the_watched_run_is_the_run_of_a_bare_machine(made: Callable[..., SimulatedTarget]) -> None:
    target = made(speed=MAX_SPEED)
    target.run()
    ends(target)
    alone = Machine(example())
    alone.advance_to(1200.0)
    assert target.ask(lambda machine: machine.ran.tolist()).result(WAIT_S) == alone.ran.tolist()


def test_shares_without_system_groups_are_those_of_the_tree(made: Callable[..., SimulatedTarget]) -> None:
    target = made()
    target.step(970 * 60).result(WAIT_S)
    snapshot = seen(target)
    flat = FlatTree.of(target.scenario.tree)
    for name in RESCALED:
        column = without_system(name)
        expected = flat.without_system(snapshot.sample.columns[name])
        np.testing.assert_allclose(snapshot.sample.columns[column], expected)
        u21 = node(target, "u21")
        moment = target.at(970.0)
        assert moment is not None
        assert moment.values(column, (u21,))[0] == pytest.approx(expected[flat.row_of[u21]], rel=1e-6)
    leaves = [node(target, name) for name in ("u11", "u21", "u22", "Daemon")]
    allocated = target.series.values_at("allocated_share_without_system", leaves, 970.0)
    # Series 6: gr1 and gr2 have half each, u21 and u22 share theirs 800 to 200.
    assert allocated[:3].tolist() == pytest.approx([0.5, 0.4, 0.1])
    assert np.isnan(allocated[3])


def test_there_is_no_rate_before_time_has_passed(made: Callable[..., SimulatedTarget]) -> None:
    target = standing(made())
    assert np.isnan(seen(target).sample.columns["cpu_rate"]).all()
    target.step(600).result(WAIT_S)
    assert seen(target).sample.columns["cpu_rate"][0] > 0.9


def test_log_in_start_renice_end_by_hand(made: Callable[..., SimulatedTarget]) -> None:
    target = made()
    u21 = node(target, "u21")
    assert target.submit(Login(u21)).result(WAIT_S).done
    started = target.submit(StartProcess(u21, Work(), count=2)).result(WAIT_S)
    snapshot = seen(target)
    assert u21 in snapshot.logged_in
    assert [row.pid for row in snapshot.processes if row.node == u21] == list(started.pids)
    assert target.submit(EndProcess(started.pids[0])).result(WAIT_S).done
    again = target.submit(EndProcess(started.pids[0])).result(WAIT_S)
    assert not again.done
    target.submit(Logout(u21)).result(WAIT_S)
    assert all(row.node != u21 for row in seen(target).processes)
    assert next(happening.text for happening in seen(target).happenings) == wording(
        "machine.logged-in", name="u21"
    )


def test_pausing_and_running_from_many_threads_leaves_it_usable(
    made: Callable[..., SimulatedTarget],
) -> None:
    target = made(speed=1000.0)

    def worry() -> None:
        for _ in range(50):
            target.run()
            target.step(1)
            target.pause()

    threads = [threading.Thread(target=worry) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    target.pause()
    before = seen(target)
    assert before.fault is None
    assert before.tick >= 200
    target.step(5).result(WAIT_S)
    assert seen(target).tick == before.tick + 5


def test_closing_answers_all_who_wait() -> None:
    target = SimulatedTarget(example())
    futures: list[Future[Any]] = [target.step(1) for _ in range(100)]
    target.close(wait=True)
    for future in futures:
        assert future.exception(WAIT_S) is None or "closed" in str(future.exception())
    assert "closed" in str(target.submit(Login(ROOT_ID)).exception(WAIT_S))


def test_a_fault_is_reported_and_ends_the_thread(
    made: Callable[..., SimulatedTarget], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = ZeroDivisionError("a share of nothing")

    def broken(_machine: Machine, _until: int) -> None:
        raise error

    monkeypatch.setattr(Machine, "advance", broken)
    target = standing(made(speed=MAX_SPEED))
    target.run()
    target._worker.join(WAIT_S)
    snapshot = target.snapshot()
    assert snapshot is not None
    assert snapshot.fault == f"ZeroDivisionError: {error}"
    assert not snapshot.running
    assert "broken" in target.fault_report
    assert str(error) in str(target.step(1).exception(WAIT_S))


def test_a_machine_that_cannot_be_built_is_a_fault_too(
    made: Callable[..., SimulatedTarget], monkeypatch: pytest.MonkeyPatch
) -> None:
    error = MemoryError("no room")

    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(Machine, "__init__", broken)
    target = made()
    target._worker.join(WAIT_S)
    snapshot = target.snapshot()
    assert snapshot is not None
    assert snapshot.fault == f"MemoryError: {error}"


def test_records_a_run_folder(made: Callable[..., SimulatedTarget], tmp_path: Path) -> None:
    from fsconsole.recording.run import RunReader

    target = made()
    path = tmp_path / "six.run"
    assert target.start_recording(path).result(WAIT_S) == wording("targets.recording-into", name="six.run")
    assert seen(target).recording == path
    target.step(100 * 60).result(WAIT_S)
    assert target.stop_recording().result(WAIT_S) == "Recorded six.run"
    assert seen(target).recording is None
    reader = RunReader(path)
    assert reader.path == path
    assert target.stop_recording().result(WAIT_S) == ""


def test_an_existing_folder_is_not_written_over(made: Callable[..., SimulatedTarget], tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    target = made()
    error = target.start_recording(tmp_path / "mine").exception(WAIT_S)
    assert isinstance(error, RunError)
    assert seen(target).recording is None


def test_a_disk_that_fails_ends_the_recording_and_not_the_machine(
    made: Callable[..., SimulatedTarget], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fsconsole.recording.run_writer import RunWriter

    target = made()
    target.start_recording(tmp_path / "full.run").result(WAIT_S)

    def full(_writer: RunWriter, _sample: object) -> None:
        raise RunError("cannot write full.run: No space left on device")

    monkeypatch.setattr(RunWriter, "__call__", full)
    target.step(20 * 60).result(WAIT_S)
    snapshot = seen(target)
    assert snapshot.fault is None
    assert snapshot.time_s == 20.0
    assert snapshot.recording is None
    assert snapshot.recording_problem.startswith(wording("targets.recording-ended", error="cannot write"))


def test_closing_while_recording_closes_the_folder(tmp_path: Path) -> None:
    from fsconsole.recording.run import RunReader

    target = SimulatedTarget(example())
    target.start_recording(tmp_path / "six.run").result(WAIT_S)
    target.step(100 * 60).result(WAIT_S)
    target.close(wait=True)
    assert RunReader(tmp_path / "six.run").manifest["state"] == "complete"


def test_only_part_of_a_huge_tree_is_kept_and_what_is_watched(
    made: Callable[..., SimulatedTarget],
) -> None:
    tree = ShareTree()
    groups = [tree.add(ROOT_ID, f"g{at}", 1, Kind.GROUP) for at in range(10)]
    users = [tree.add(group.id, f"u{at}", 1) for group in groups for at in range(100)]
    scenario = replace(example(), tree=tree, logins=(), workloads=(), events=())
    target = made(replace(scenario, plot=replace(scenario.plot, nodes=())))
    last = users[-1].id
    target.watch([last])
    target.step(600).result(WAIT_S)
    kept = target.series.nodes
    assert len(kept) <= MAX_KEPT_NODES + 1
    assert {ROOT_ID, last, *(group.id for group in groups)} <= kept


def test_recorder_says_nothing_when_nothing_is_recorded() -> None:
    assert record.Recorder(Machine(example())).stop() == ""


def test_it_says_what_it_prepares_until_there_is_a_snapshot() -> None:
    target = SimulatedTarget(example())
    steps = wording("targets.compiling-engine"), wording("targets.building-machine")
    assert target.status().text.endswith((*steps, "starting")) or target.snapshot() is not None
    target.step(1).result(60)
    assert not target.status().text.endswith(steps)
    again = SimulatedTarget(example())
    assert not again.status().text.endswith(steps[0])
    for one in (target, again):
        one.close(wait=True)


def test_why_is_known_of_a_time_that_has_passed(made: Callable[..., SimulatedTarget]) -> None:
    target = standing(made())
    target.step(60 * 300).result(WAIT_S)
    first = target.why(node(target, "u11")).result(WAIT_S)
    then = seen(target)
    target.step(60 * 300).result(WAIT_S)
    now = target.why(node(target, "u11")).result(WAIT_S)
    assert target.why(node(target, "u11"), at=then).result(WAIT_S) == first != now
    assert target.why(node(target, "u11"), at=seen(target)).result(WAIT_S) == now
