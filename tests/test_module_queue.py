"""Long modules of tests begin first."""

from __future__ import annotations

from pathlib import Path

from tests.module_queue import first_of, read_seconds

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
