"""The Convex measurements of Junglas 1991, section 8, with the values of his paper.

CPU in percent of what users get, within 0.5 points unless said; series 4 within 1 point.
"""

from __future__ import annotations

import numpy as np
import pytest

from fsconsole.machine.machine import Machine
from tests.machine.worlds import example, split

FAIR = {"u11": 25.0, "u12": 25.0, "u21": 16.67, "u22": 16.67, "u23": 16.67}


def near(values: dict[str, float], points: float = 0.5) -> object:
    return pytest.approx(values, abs=points)


def by_name(machine: Machine, column: str, *, without_system: bool = False) -> dict[str, float]:
    values = machine.sample().columns[column]
    if without_system:
        values = machine.flat.without_system(values)
    names = [machine.tree.node(int(node)).name for node in machine.flat.ids]
    return {name: 100 * float(value) for name, value in zip(names, values, strict=True) if name in FAIR}


@pytest.mark.parametrize("series", [1, 2])
def test_groups_come_before_users(series: int) -> None:
    machine = example(f"convex-series-{series}")
    assert split(machine, 600) == near(FAIR)


@pytest.mark.parametrize("series", [1, 2])
def test_allocated_shares_leave_45_percent_to_each_system_group(series: int) -> None:
    machine = example(f"convex-series-{series}")
    machine.advance_to(60)
    expected = {"u11": 2.5, "u12": 2.5, "u21": 1.67, "u22": 1.67, "u23": 1.67}
    assert by_name(machine, "allocated_share") == pytest.approx(expected, abs=0.01)
    assert by_name(machine, "allocated_share", without_system=True) == near(FAIR, 0.01)


@pytest.mark.parametrize("series", [1, 2])
def test_effective_shares_without_system_groups_are_steady(series: int) -> None:
    machine = example(f"convex-series-{series}")
    for time_s in (300, 600, 900):
        machine.advance_to(time_s)
        assert by_name(machine, "effective_share", without_system=True) == near(FAIR)


def test_effective_shares_with_idle_system_groups_are_tiny() -> None:
    machine = example("convex-series-1")
    machine.advance_to(600)
    assert all(value < 0.01 for value in by_name(machine, "effective_share").values())


def test_series_4_starts_from_the_usages_of_series_2_and_levels_out() -> None:
    machine = example("convex-series-4")
    first = split(machine, 10)
    assert first == near({"u11": 15.7, "u12": 15.7, "u21": 23, "u22": 23, "u23": 23}, 1.0)
    split(machine, 140)
    assert split(machine, 200) == near(dict.fromkeys(FAIR, 20.0), 1.0)


def test_series_6_a_late_login_restores_the_order() -> None:
    machine = example("convex-series-6")
    split(machine, 100)
    assert split(machine, 490) == near({"u11": 50, "u22": 50})
    assert split(machine, 500) == near({"u11": 3.5, "u22": 0.3, "u21": 96.0})
    split(machine, 600)
    assert split(machine, 610) == near({"u11": 49, "u22": 3, "u21": 48}, 1.0)
    split(machine, 960)
    assert split(machine, 970) == near({"u11": 50, "u22": 10, "u21": 40})


def test_many_processes_do_not_help() -> None:
    machine = example("convex-series-1")
    from fsconsole.shares.scenario.actions import StartProcess, Work

    machine.act(StartProcess(machine.tree.find("u11").id, Work(), count=4))
    machine.advance_to(100)
    assert split(machine, 600) == near(FAIR)


def test_the_exempt_root_runs_whenever_it_can_and_counts_for_nobody() -> None:
    machine = example("convex-series-1")
    machine.advance_to(600)
    assert machine.ran[0] > 0
    assert machine.sample().cpu_s[0] == pytest.approx(np.sum(machine.ran[1:]) / 60)
