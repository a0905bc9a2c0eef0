"""The record of benchmarks: what is usual, and what exceeds it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.benchmarks.measure import Benchmark, Value
from tests.benchmarks.record import NEWEST, append, read_record, times_usual

VALUE = Value("module::one[a, b]", "loop", 6.0)


@given(st.lists(st.floats(0.1, 1e3), min_size=1, max_size=25))
def test_the_usual_value_is_the_median_of_the_newest(earlier: list[float]) -> None:
    found = times_usual({(VALUE.name, VALUE.unit): earlier}, VALUE)
    assert found == pytest.approx(VALUE.value / median(earlier[-NEWEST:]))


def test_another_unit_is_another_benchmark() -> None:
    assert times_usual({(VALUE.name, "sort"): [1.0]}, VALUE) is None


def test_what_is_appended_is_read_in_its_order(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    commit = ("git", "-c", "user.name=a", "-c", "user.email=a", "commit", "-q", "--allow-empty", "-m", "a")
    subprocess.run(commit, cwd=tmp_path, check=True)
    path = tmp_path / "record.csv"
    for number in (1.0, 2.0):
        append(path, [VALUE._replace(value=number)], tmp_path)
    assert read_record(path) == {(VALUE.name, VALUE.unit): [1.0, 2.0]}
    assert len(path.read_text("utf-8").splitlines()) == 3


def test_a_ratio_is_that_of_the_lower_quartiles() -> None:
    bench = Benchmark("one")
    ticks = iter(float(number) for number in range(10_000))  # the calibrator takes 1 by this clock
    spent = iter([9.0, 3.0, 9.0, 3.0, 3.0])
    ratio = bench.seconds_of(lambda: next(spent), clock=lambda: next(ticks), rounds=5)
    assert ratio == pytest.approx(3.0)
    assert (bench.values["one"].unit, bench.values["one"].value) == ("loop", ratio)
