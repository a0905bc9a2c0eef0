"""Where a recorded run ends: nothing that was recorded is out of reach."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fsconsole.machine.checkpoint import capture
from fsconsole.machine.machine import Machine
from fsconsole.recording.run_lock import is_held
from fsconsole.recording.run_writer import RunWriter
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.targets.recorded.target import RecordedTarget


def recording(path: Path, *, sample_s: float) -> tuple[Machine, RunWriter]:
    scenario = parse_scenario((examples() / "three-users.yaml").read_text("utf-8"))
    scenario = replace(scenario, plot=replace(scenario.plot, sample_s=sample_s, rate_window_s=60.0))
    machine = Machine(scenario)
    writer = RunWriter(machine, path, scenario_text=write_text(scenario), capture=lambda: capture(machine))
    writer(machine.sample())
    machine.listeners.append(writer)
    return machine, writer


def test_the_end_is_that_of_the_last_state_where_no_sample_was_due(tmp_path: Path) -> None:
    machine, writer = recording(tmp_path / "x.run", sample_s=60.0)
    machine.advance_to(90.0)
    writer.close(tick=machine.tick)
    found = RecordedTarget(tmp_path / "x.run")
    assert found.now_s == 90.0
    found.close()


def test_samples_that_come_while_the_state_is_read_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer completes the run between the two things that are looked at."""
    machine, writer = recording(tmp_path / "x.run", sample_s=1.0)
    machine.advance_to(20.0)
    writer._samples.flush()
    writer._samples._background.drain()
    found = RecordedTarget(tmp_path / "x.run")
    assert found.now_s == 20.0

    def complete(path: Path) -> bool:
        if machine.now_s < 60.0:
            machine.advance_to(60.0)
            writer.close(tick=machine.tick)
        return is_held(path)

    monkeypatch.setattr("fsconsole.targets.recorded.target.is_held", complete)
    for _ in range(3):
        found.look()
    assert not found.is_being_written
    assert found.times(0.0, 100.0)[-1] == 60.0
    found.close()
