"""The tests that a change reaches, by imports, fixtures, names and rooms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.changed_tests import Graph, _git, changed_files, default_base

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph()


@pytest.mark.parametrize(
    ("changed", "inside", "outside"),
    [
        ("fsconsole/shares/diff.py", "tests.shares.test_diff", "tests.text.test_one_format"),
        ("fsconsole/console/design/workspace.py", "tests.console.test_window", "tests.batch.test_simulate"),
        ("tests/shares/trees.py", "tests.shares.test_diff", "tests.text.test_one_format"),
        ("tests/console/conftest.py", "tests.console.live.test_past", "tests.shares.test_edits"),
        ("tests/slurm/lab/lab.py", "tests.slurm.lab.test_lab", "tests.shares.test_edits"),  # by a fixture
        ("tests/console/monkey.py", "tests.console.test_monkey", "tests.shares.test_edits"),  # a program
        ("example_trees/convex-series-1.yaml", "tests.shares.test_examples", "tests.shares.test_edits"),
        ("docs/how-to/runs.md", "tests.console.test_documents", "tests.shares.test_edits"),
    ],
)
def test_what_needs_a_file_is_reached_and_the_rest_is_not(
    graph: Graph, changed: str, inside: str, outside: str
) -> None:
    assert {inside, outside} <= graph.tests.keys()
    reached = graph.reached([changed])
    assert inside in reached
    assert outside not in reached
    assert [steps for steps, _ in reached.values()] == sorted(steps for steps, _ in reached.values())


@pytest.mark.parametrize(
    "changed", ["pyproject.toml", "tests/conftest.py", "resources/setup/requirements-dev.lock"]
)
def test_what_all_stand_on_reaches_all(graph: Graph, changed: str) -> None:
    assert graph.reached([changed]).keys() == graph.tests.keys()


def test_a_file_of_tests_reaches_itself_and_nothing_reaches_nothing(graph: Graph) -> None:
    assert graph.reached([]) == {}
    assert graph.reached(["tests/shares/test_diff.py"])["tests.shares.test_diff"][0] == 0
    assert "tests.shares.test_diff" in graph.reached(["tests/shares/some_data.json"])


def test_a_clone_has_a_commit_to_compare_with() -> None:
    if not (ROOT / ".git").exists() or not _git("rev-parse", "HEAD", check=False):
        pytest.skip("not a clone, or git refuses one of another user")
    base = default_base()
    assert re.fullmatch(r"[0-9a-f]{40}|HEAD~1", base)
    assert all((ROOT / file).suffix != ".pyc" for file in changed_files("HEAD"))
