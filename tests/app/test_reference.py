"""Reference curves of a run folder and of CSV files, good and bad."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from fsconsole.app.reference import UnusableReference, reference_of_csv, reference_of_run, reference_of_target
from fsconsole.cli.main import run
from fsconsole.figures.data import columns_of, csv_blocks
from fsconsole.figures.spec import Axis, Curve, FigureSpec
from fsconsole.recording.run import RunReader
from fsconsole.resources import examples
from fsconsole.shares.flat import Floats
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.tree import ShareTree
from tests.shares.trees import junglas_tree
from tests.texts import Expected, says, worded


@pytest.fixture
def tree() -> ShareTree:
    return junglas_tree()


def test_what_export_writes_is_read_again(tree: ShareTree, tmp_path: Path) -> None:
    node = tree.find("u11").id
    times, values = np.arange(5.0), np.array([0.1, 0.25, np.nan, 1 / 3, 0.5])
    curve = Curve("u11", times, values, path=tree.path(node))
    spec = FigureSpec("x", "X", Axis("charge", "CPU s", 1.0, "CPU s"), (curve,), quantity="charge")
    path = tmp_path / "x.csv"
    path.write_bytes(b"".join(csv_blocks(columns_of(spec))))
    found = reference_of_csv(path, tree)
    at, lines = found.curves("charge", [node, 999], 0, 10, 100)
    assert np.array_equal(at, times)
    assert np.array_equal(lines[0], values, equal_nan=True)
    assert np.isnan(lines[1]).all()
    assert found.curves("charge", [node], 1.5, 2.5, 100)[0].tolist() == [1, 2, 3]
    assert found.curves("usage", [node], 0, 10, 100)[1].shape == (1, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", worded("app.1-first-column-is-it", name="x.csv")),
        ("name,u11\n", worded("app.1-first-column-is-it", first="name")),
        (
            "time_s,u11\n0,1\n1\n",
            worded("app.but-header-has", name="x.csv", number="3", cells="1 cell", width="2"),
        ),
        ("time_s,u11\n0,1\n1,much\n", worded("app.is-not-number-write-number", place="x.csv:3", cell="much")),
        ("time_s,u11\n5,1\n4,1\n", worded("app.time-is-not-after-one", name="x.csv", line="3", rows="4")),
        (
            "time_s,nobody\n0,1\n",
            worded("app.has-no-curve-for-node", name="x.csv"),
        ),
        (
            "time_s,u11,u12\n0,1,50\n",
            (worded("app.1-reaches-but-fractions-from", name="x.csv", header="u12", largest="50")),
        ),
    ],
)
def test_a_bad_file_is_reported_with_its_line(
    tree: ShareTree, tmp_path: Path, text: str, message: Expected
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(UnusableReference) as error:
        reference_of_csv(path, tree)
    assert says(str(error.value), message)


def test_per_cent_are_fractions_and_unknown_columns_are_named(tree: ShareTree, tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("time_s,u11 [%],u12 allocated_share [%],nobody [%],u21 charge [CPU s]\n0,50,25,1,70\n")
    found = reference_of_csv(path, tree)
    assert found.left_out == ("nobody [%]",)
    shown = {"cpu_rate": ("u11", 0.5), "allocated_share": ("u12", 0.25), "charge": ("u21", 70.0)}
    for quantity, (name, value) in shown.items():
        assert found.curves(quantity, [tree.find(name).id], 0, 1, 10)[1].tolist() == [[value]]


def test_a_run_gives_all_its_quantities(tmp_path: Path) -> None:
    scenario = examples() / "three-users.yaml"
    path = tmp_path / "x.run"
    assert run(["simulate", str(scenario), "--until", "60", "--out", str(path)]) == 0
    tree = read_scenario(scenario).tree
    found = reference_of_run(path, tree)
    times, values = RunReader(path).series("charge")
    at, lines = found.curves("charge", list(values), 0, 60, 1000)
    assert np.array_equal(at, times)
    assert np.array_equal(lines, np.array(list(values.values())))


def test_of_a_large_tree_only_nodes_with_curves_are_kept() -> None:
    class Known:
        """Has curves of two nodes."""

        quantities = ("cpu_rate", "charge")
        rescaled = frozenset({"cpu_rate"})

        @staticmethod
        def curves(
            _column: str, nodes: Sequence[int], _start_s: float, _end_s: float, _points: int, /
        ) -> tuple[Floats, Floats]:
            values = np.array([[1.0, 2.0] if node in (7, 1900) else [np.nan, np.nan] for node in nodes])
            return np.array([0.0, 1.0]), values.reshape(len(nodes), 2)

    found = reference_of_target(Known(), "before", range(2000))
    assert sorted(found.nodes) == [7, 1900]
