"""Run folders as curves: the values of the folder, by the ids of another tree."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fsconsole.app.comparison import compare_sources, named_run
from fsconsole.app.runs import series
from fsconsole.app.runs.series import places_of, recorded_run
from fsconsole.cli.main import run
from fsconsole.machine.machine import Machine
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_writer import RunWriter
from fsconsole.resources import examples
from fsconsole.shares.edits import Insert, Move
from fsconsole.shares.scenario.actions import ChangeTree
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import Kind, Node, ShareTree


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> RunReader:
    path = tmp_path_factory.mktemp("runs") / "x.run"
    assert run(["simulate", str(examples() / "three-users.yaml"), "--until", "120", "--out", str(path)]) == 0
    return RunReader(path)


def test_values_are_those_of_the_folder_by_the_ids_of_the_other_tree(reader: RunReader) -> None:
    other = ShareTree("elsewhere")
    for _ in range(50):
        other.new_id()
    names = [node.name for node in read_scenario(examples() / "three-users.yaml").tree.children(0)]
    ids = {name: other.add(0, name).id for name in reversed(names)}
    times, values = reader.series("charge")
    found = recorded_run(reader, places_of(other))
    assert np.array_equal(found.times, times)
    for node, path in reader.paths().items():
        if "/" in path:
            mine = found.quantities["charge"].values[ids[path.rpartition("/")[2]]]
            assert np.array_equal(mine, values[node])


def test_of_a_long_run_first_and_last_sample_stay(reader: RunReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MOST_SAMPLES", 7)
    times, values = reader.series("cpu_s")
    found = recorded_run(reader)
    assert len(found.times) == 7
    assert (found.times[0], found.times[-1]) == (times[0], times[-1])
    kept = np.isin(times, found.times)
    for node, known in values.items():
        assert np.array_equal(found.quantities["cpu_s"].values[node], known[kept])


def test_a_node_that_was_moved_into_a_later_group_is_there(tmp_path: Path) -> None:
    scenario = read_scenario(examples() / "three-users.yaml")
    machine = Machine(scenario)
    writer = RunWriter(machine, tmp_path / "moved.run", scenario_text=write_text(scenario))
    machine.listeners.append(writer)
    writer(machine.sample())
    one, group = scenario.tree.find("one").id, machine.tree.new_id()
    machine.act(ChangeTree((Insert(0, 0, (Node(group, "later", 5, Kind.GROUP, parent=0),)),)))
    machine.advance_to(20.0)
    machine.act(ChangeTree((Move(one, group, 0),)))
    machine.advance_to(60.0)
    writer.close(tick=machine.tick)
    found = recorded_run(RunReader(tmp_path / "moved.run"))
    assert found.tree.path(one) == "root/later/one"
    assert found.quantities["charge"].values[one][-1] > 0


def test_nodes_that_only_runs_have_are_matched_by_their_paths(reader: RunReader, tmp_path: Path) -> None:
    """Two runs of trees that are not open share no node, whatever their ids are."""
    out = tmp_path / "convex.run"
    example = examples() / "convex-series-1.yaml"
    assert run(["simulate", str(example), "--until", "60", "--out", str(out)]) == 0
    scenario = read_scenario(examples() / "two-organisations.yaml")
    variants = [named_run(path) for path in (reader.path, out)]
    found = compare_sources(scenario, variants, 60.0)
    first, second = (run.tree.paths() for run in found.runs)
    assert set(first) & set(second) == {0}
    again = compare_sources(scenario, [variants[0], variants[0]], 60.0)
    assert again.runs[0].tree.paths() == again.runs[1].tree.paths() == first
    assert len(again.table(0, 60, leave_out_system=False)) == len(first)
