"""Long modules of tests begin first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.module_queue import LongestFirst, first_of, read_seconds

MODULES = ("tests/a/test_a.py", "tests/console/test_b.py", "tests/test_hangs.py", "tests/b/test_c.py")


def order(seconds: dict[str, float]) -> list[str]:
    left, found = list(MODULES), []
    while left:
        found.append(first_of(left, seconds))
        left.remove(found[-1])
    return [Path(module).stem[-1] for module in found]


def test_the_longest_of_earlier_runs_is_first_and_what_waits_where_none_is_known() -> None:
    assert order({}) == ["s", "b", "a", "c"]
    assert order({"tests/b/test_c.py": 9.0, "tests/console/test_b.py": 10.0}) == ["b", "c", "s", "a"]


def test_what_cannot_be_read_is_nothing_known(tmp_path: Path) -> None:
    file = tmp_path / "seconds.json"
    assert read_seconds(file) == {}
    for text in ("[1]", "{", '{"a": "x"}'):
        file.write_text(text)
        assert read_seconds(file) == {}
    file.write_text('{"tests/a.py": 1}')
    assert read_seconds(file) == {"tests/a.py": 1.0}


class Process:
    """A process of xdist that is told which tests to run."""

    shutting_down = False

    def __init__(self, name: str) -> None:
        self.gateway, self.given = SimpleNamespace(id=name), list[int]()

    def send_runtest_some(self, tests: list[int]) -> None:
        assert tests
        self.given += tests

    def shutdown(self) -> None:
        self.shutting_down = True


def test_what_a_lost_process_has_left_runs_once_more_but_for_the_test_it_was_in(
    pytestconfig: pytest.Config,
) -> None:
    tests = [f"tests/test_{module}.py::test_{number}" for module in "abcdef" for number in range(4)]
    option = SimpleNamespace(loadscopereorder=False, maxfail=0)
    config: Any = SimpleNamespace(option=option, getvalue=lambda name: ["popen"] * 2 if name == "tx" else 0)
    queue = LongestFirst(config, None)
    queue.log = lambda *_: None
    queue.numnodes = 2
    lost, other, new = (Process(name) for name in ("lost", "other", "new"))
    for process in (lost, other):
        queue.add_node(process)
        queue.add_node_collection(process, tests)
    queue.schedule()
    done: list[int] = []

    def run(process: Process, most: int = len(tests)) -> None:
        # A process runs a test once it knows the next one, or that there is none.
        while most and (len(process.given) > 1 or (process.shutting_down and process.given)):
            done.append(process.given.pop(0))
            queue.mark_test_complete(process, done[-1])
            most -= 1

    run(lost, 6)
    in_hand = lost.given[0]
    assert queue.remove_node(lost) == tests[in_hand]
    queue.add_node(new)
    queue.add_node_collection(new, tests)
    queue.schedule()
    for _ in tests:
        run(other, 1)
        run(new, 1)
    assert sorted([*done, in_hand]) == list(range(len(tests)))
