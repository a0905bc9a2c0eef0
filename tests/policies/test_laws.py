"""What each policy must give, from its equations alone: laws and the papers' figures."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.machine import Machine, machine_for
from fsconsole.shares.scenario.actions import Work
from fsconsole.shares.scenario.calendar import CostCalendar
from fsconsole.shares.scenario.spec import Device
from tests.laws import tries
from tests.machine.worlds import ENDLESS, Nested, scenario_of, split

FLAT: Nested = {"one": 1, "two": 2, "four": 4}
ENTITLED = {"one": 100 / 7, "two": 200 / 7, "four": 400 / 7}
DEEP: Nested = {"A": (1, {"u1": 1, "u2": 2}), "B": (2, {"u3": 1, "u4": 3})}
ORGANISATIONS: Nested = {"A": (1, {"u1": 1, "u2": 1}), "B": (1, {"u3": 1, "u4": 1})}


def settled(nested: Nested, loops: list[Any], until_s: float = 2400.0, **policy: Any) -> dict[str, float]:
    """Percent of the CPU in the second half."""
    machine = machine_for(
        scenario_of(nested, loops=loops), {f"policy.{key}": value for key, value in policy.items()}
    )
    machine.advance_to(until_s / 2)
    return split(machine, until_s)


@pytest.mark.parametrize("name", ["share", "flat", "feedback", "fixed"])
@pytest.mark.parametrize("processes", [1, 5])
def test_shares_of_1_2_4_are_kept_whatever_the_number_of_processes(name: str, processes: int) -> None:
    loops = [("one", ENDLESS, processes), "two", "four"]
    expected = dict(ENTITLED)
    if name == "fixed":  # which knows processes alone: their shares add up
        whole = processes + 6
        expected = {"one": 100 * processes / whole, "two": 200 / whole, "four": 400 / whole}
    # Ticks are whole: five processes that get less than one a second each miss by half a point.
    assert settled(FLAT, loops, name=name) == pytest.approx(expected, abs=0.5 if processes == 1 else 0.8)


def test_process_fair_counts_processes_and_nothing_else() -> None:
    loops = [("one", ENDLESS, 3), ("two", ENDLESS, 2), "four"]
    assert settled(FLAT, loops, name="process-fair") == pytest.approx(
        {"one": 50, "two": 100 / 3, "four": 50 / 3}, abs=0.5
    )


def test_nosched_is_process_fair_and_goes_on_charging() -> None:
    machine = machine_for(scenario_of(FLAT, loops=[("one", ENDLESS, 3), "two"]), {"policy.nosched": True})
    machine.advance_to(400)
    assert split(machine, 800) == pytest.approx({"one": 75, "two": 25}, abs=0.5)
    assert machine.state.charge.sum() == pytest.approx(800 * 60_000, rel=1e-9)


def test_equation_1_as_printed_splits_1_to_3_into_38_to_62() -> None:
    nested: Nested = {"small": 1, "large": 3}
    assert settled(nested, ["small", "large"], name="exponential") == pytest.approx(
        {"small": 38, "large": 62}, abs=0.5
    )


def test_fixed_priorities_of_a_ratio_of_300_leave_the_rest_a_300th() -> None:
    """Brady et al.: one dedicated job beside background work on the shares' ratio."""
    nested: Nested = {"nd": 300, "batch": 1}
    assert settled(nested, ["nd", "batch"], name="fixed")["batch"] == pytest.approx(100 / 301, abs=0.3)


def test_feedback_gives_a_deep_tree_its_entitlements() -> None:
    expected = {"u1": 100 / 9, "u2": 200 / 9, "u3": 100 / 6, "u4": 50.0}
    part = settled(DEEP, ["u1", "u2", "u3", "u4"], until_s=6000, name="feedback", half_life_s=600.0)
    assert part == pytest.approx(expected, abs=0.5)


def test_feedback_keeps_targets_that_sum_to_one_and_bases_above_the_least() -> None:
    machine = machine_for(
        scenario_of(DEEP, loops=["u1", "u2", ("u3", Work(burst_s=1.0, sleep_s=5.0)), "u4"]),
        {"policy.name": "feedback"},
    )
    for _ in range(30):
        machine.advance_to(machine.now_s + 20)
        flat, state = machine.flat, machine.state
        for group in np.flatnonzero(~flat.is_leaf):
            children = flat.parent == group
            assert state.target[children].sum() == pytest.approx(1.0)
        assert (state.target[1:] >= 0).all()
        assert (state.base[1:] >= machine.policy_spec.base_min).all()


def test_feedback_does_not_maroon_who_has_had_most() -> None:
    """What nu is for: it allows him (nu - 1) / (sum over all of nu * max(u/s) * s - u) while he pays back."""
    machine = machine_for(
        scenario_of({"had": 1, "waits": 1}, loops=["had", "waits"], usage={"had": 3e8}),
        {"policy.name": "feedback", "policy.half_life_s": 3600.0},
    )
    machine.advance_to(4)
    part = split(machine, 124)["had"]
    # s = 1/2 each, u = (U, 0), so max(u/s) = 2 U and t = (nu - 1, nu) U, at the most usage there is.
    assert part == pytest.approx(100 * 0.1 / 1.2, abs=1.5)


@pytest.mark.parametrize("name", ["off", "share", "integral"])
def test_groups_that_are_balanced_are_left_alone(name: str) -> None:
    part = settled(ORGANISATIONS, ["u1", "u2", "u3", "u4"], adjgroups=name)
    assert part == pytest.approx(dict.fromkeys(("u1", "u2", "u3", "u4"), 25.0), abs=0.5)


@pytest.mark.parametrize(("shares", "half"), [((1, 1), 50.0), ((3, 1), 75.0), ((1, 9), 10.0)])
def test_the_integral_variant_leaves_no_error(shares: tuple[int, int], half: float) -> None:
    nested: Nested = {"A": (shares[0], {"u1": 1, "idle": 9}), "B": (shares[1], {"u3": 1})}
    machine = machine_for(
        scenario_of(nested, loops=["u1", "u3"]),
        {"policy.adjgroups": "integral", "machine.count_inactive": True},
    )
    machine.advance_to(1200)
    assert split(machine, 2400)["u1"] == pytest.approx(half, abs=0.5)


@given(shares=st.lists(st.integers(1, 9), min_size=2, max_size=6), most=st.floats(1.0, 3.0))
@tries(40)
def test_limshare_holds_who_has_used_nothing_at_its_limit(shares: list[int], most: float) -> None:
    nested: Nested = {f"u{index}": share for index, share in enumerate(shares)}
    usage = {name: 1e9 for name in nested if name != "u0"}
    scenario = scenario_of(nested, logins=list(nested), usage=usage)
    free = effective_shares(machine_for(scenario))
    limited = effective_shares(machine_for(scenario, {"policy.limshare": True, "policy.maxushare": most}))
    limit = most * shares[0] / sum(shares)
    assert limited["u0"] == pytest.approx(min(limit, free["u0"]), rel=1e-6)
    # What is left goes to the others in the parts that they had.
    rest = (1 - limited["u0"]) / (1 - free["u0"])
    assert {name: limited[name] for name in usage} == pytest.approx(
        {name: free[name] * rest for name in usage}, rel=1e-4
    )


def effective_shares(machine: Machine) -> dict[str, float]:
    sample = machine.sample()
    names = [machine.tree.node(int(node)).name for node in sample.ids]
    found = dict(zip(names, sample.columns["effective_share"].tolist(), strict=True))
    return {name: found[name] for name in names if not machine.tree.find(name).is_group}


# -- costs and devices ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "hours"), [("0.25", 1.0), ("2", 3.0)])
def test_charge_is_the_sum_of_the_prices_of_all_hours(rate: str, hours: float) -> None:
    """Monday, 4 March 1991, 14:00 is the start; the cheap or dear time begins at 15:00."""
    lines = (f"daily 15:00-24:00 {rate}",)
    machine = machine_for(
        scenario_of({"u": 1}, loops=["u"], sample_s=60.0), {"machine.calendar": lines, "machine.hz": 10}
    )
    machine.advance_to(3600 * hours)
    normal = min(hours, 1.0)
    priced = normal + (hours - normal) * float(rate)
    ticks = 10 * 3600 * priced
    state = machine.state
    assert float((state.charge + state.cost).sum()) == pytest.approx(1000 * ticks, rel=1e-9)


@given(minute=st.integers(0, 7 * 24 * 60 - 1))
def test_the_first_line_of_a_calendar_that_fits_decides(minute: int) -> None:
    moment = datetime(1991, 3, 4) + timedelta(minutes=minute)  # noqa: DTZ001
    calendar = CostCalendar(("mon-fri 08:00-18:00 1", "sat-sun 0.25", "daily 22:00-06:00 0.1"))
    day, hour = moment.weekday(), moment.hour
    expected = 1.0
    if day < 5 and 8 <= hour < 18:
        expected = 1.0
    elif day >= 5:
        expected = 0.25
    elif hour >= 22 or hour < 6:
        expected = 0.1
    assert calendar.rate_at(moment) == expected


@pytest.mark.parametrize("queue", ["fifo", "share"])
@pytest.mark.parametrize(
    ("count", "burst_s", "io_s"), [(1, 0.5, 0.5), (2, 0.25, 0.75), (4, 0.5, 0.25), (8, 1.0, 0.5)]
)
def test_a_closed_queue_serves_what_device_and_processes_allow(
    queue: str, count: int, burst_s: float, io_s: float
) -> None:
    """Fixed lengths, a CPU for each: requests per second are the less of 1/io and count/(burst + io)."""
    work = Work(burst_s=burst_s, device="disk", io_s=io_s, spread="fixed")
    scenario = replace(
        scenario_of({"u": 1, "v": 1}, loops=[("u", work, count)], cpus=count), devices=(Device("disk"),)
    )
    machine = machine_for(scenario, {"machine.io_queue": queue})
    machine.advance_to(100)
    before = int(machine.ran.sum())
    machine.advance_to(500)
    used_s = (int(machine.ran.sum()) - before) / machine.spec.hz
    requests_per_s = min(1 / io_s, count / (burst_s + io_s))
    assert used_s / 400 == pytest.approx(requests_per_s * burst_s, rel=0.02)


def test_a_queue_by_share_orders_requests_by_normalised_usage_alone() -> None:
    """As long as requests wait, who has used less is served first; the other waits for all of them."""
    work = Work(burst_s=1 / 60, device="disk", io_s=1.0, spread="fixed")
    scenario = replace(
        scenario_of(
            {"low": 1, "high": 1}, loops=[("low", work, 3), ("high", work, 3)], cpus=6, usage={"high": 1e9}
        ),
        devices=(Device("disk"),),
    )
    served = {}
    for queue in ("fifo", "share"):
        machine = machine_for(scenario, {"machine.io_queue": queue})
        machine.advance_to(60)
        served[queue] = split(machine, 360)
    assert served["fifo"] == pytest.approx({"low": 50, "high": 50}, abs=1)
    assert served["share"]["low"] == pytest.approx(100, abs=1)


def test_the_smallest_share_counts_as_sharemin_and_no_more() -> None:
    nested: Nested = {"large": 99, "small": 1}
    part = settled(nested, ["large", "small"], sharemin=0.05)
    assert part["small"] == pytest.approx(100 * 0.05 / (0.99 + 0.05), abs=0.5)


def test_k_of_equation_6_has_the_printed_values() -> None:
    for hours, k in ((8, 0.9999037342), (24, 0.9999679104), (168, 0.9999954157)):
        machine = machine_for(
            scenario_of({"u": 1}), {"policy.half_life_s": 3600.0 * hours, "policy.delta_s": 4.0}
        )
        assert machine.parameters.usage_decay == pytest.approx(k, abs=5e-11)
        assert math.isclose(k ** (hours * 900), 0.5, abs_tol=1e-6)
