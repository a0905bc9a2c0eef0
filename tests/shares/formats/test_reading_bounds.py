"""A file that nests or lists too much is refused with its line."""

import pytest

from fsconsole.shares.formats import pbs, reading
from fsconsole.shares.formats.reading import MAX_DEPTH, Reading
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.tree import Kind


def _chain(levels: int) -> str:
    return "".join(f"g{i} {i + 2} {f'g{i - 1}' if i else 'root'} 1\n" for i in range(levels))


def test_resource_groups_nested_too_deep_are_refused_with_the_line() -> None:
    pbs._read(_chain(MAX_DEPTH)).tree()
    with pytest.raises(ScenarioError) as caught:
        pbs._read(_chain(MAX_DEPTH + 100)).tree()
    assert [problem.line for problem in caught.value.problems] == [MAX_DEPTH + 2]


def test_too_many_nodes_stop_the_reading_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_NODES", 2)
    taken = Reading("csv")
    taken.add(taken.root, "a", Kind.USER, 1)
    taken.add(taken.root, "b", Kind.USER, 2)
    with pytest.raises(ScenarioError, match="more than 2 nodes"):
        taken.add(taken.root, "c", Kind.USER, 3)
