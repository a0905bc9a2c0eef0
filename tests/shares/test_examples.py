"""The example scenarios: read, sound, in the form that the program writes, and true to their papers."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from fsconsole.machine.machine import machine_for
from fsconsole.policies.check import warnings_of
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.formats import slurm_dump
from fsconsole.shares.saturation import demands_of_report, saturated, split, with_stated
from fsconsole.shares.scenario.actions import SubmitJob
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.weekly import WeeklyWindows
from fsconsole.shares.scenario.write import lost_comments, write_text
from tests.shares.example_files import CHECKOUT, EXAMPLES

NAMES = [
    "convex-batch",
    "convex-cost-calendar",
    "convex-half-life",
    "convex-series-1",
    "convex-series-2",
    "convex-series-4",
    "convex-series-6",
    "edge-effects",
    "feedback-depth",
    "feedback-step",
    "granularity",
    "io-equal-groups",
    "io-light-and-heavy",
    "memory-hard-sleep",
    "memory-locked-io",
    "memory-thrash",
    "navoceano-c916",
    "navoceano-half-life",
    "navoceano-memory",
    "navoceano-nice",
    "navoceano-pops",
    "navoceano-urm",
    "near-dedicated-preemption",
    "near-dedicated-sequence",
    "near-dedicated-utilisation",
    "near-dedicated-ymp",
    "share-by-account",
    "slurm-lab",
    "three-users",
    "two-against-one",
    "two-organisations",
    "unsaturated-node",
]


def example(name: str) -> Scenario:
    return read_scenario(CHECKOUT / "example_trees" / f"{name}.yaml")


def test_the_gain_of_the_second_level_acts_where_the_first_has_nothing_to_correct() -> None:
    """Everitt, Jones, Knesel, section 2.2.2.1: K_mu differs by depth."""

    def cpu_s(*gains: float) -> list[float]:
        machine = machine_for(example("feedback-depth"), {"policy.k_mu": gains})
        machine.advance_to(30 * 60 + 20)
        return [float(value) for value in machine.sample().cpu_s]

    assert cpu_s(0.25, 0.5) != cpu_s(0.25, 2.0) != cpu_s(0.25)
    assert cpu_s(0.25, 0.5) == cpu_s(2.0, 0.5)


def machine_shares(scenario: Scenario) -> dict[str, float]:
    shares = FlatTree.of(scenario.tree).machine_share()
    return {node.name: 100 * float(share) for node, share in zip(scenario.tree.walk(), shares, strict=True)}


def allocated_shares(scenario: Scenario) -> dict[str, float]:
    """Return allocated shares at 0 in percent of what is left without system groups."""
    flat = FlatTree.of(scenario.tree)
    working = {*scenario.logins, *(load.node for load in scenario.workloads)}
    leaves = flat.is_leaf & [node in working for node in flat.ids.tolist()]
    shares = flat.without_system(flat.allocated_share(flat.active(leaves)))
    return {node.name: 100 * float(share) for node, share in zip(scenario.tree.walk(), shares, strict=True)}


def test_all_examples_are_there() -> None:
    assert [path.stem for path in EXAMPLES] == NAMES


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_in_the_form_that_is_written(path: Path) -> None:
    text = path.read_text()
    scenario = read_scenario(path)
    assert write_text(scenario) == text
    assert lost_comments(text) == []
    assert scenario.header.count("\n") > 4
    assert "ours" in scenario.header.lower()
    assert scenario.about
    assert scenario.source


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_work_and_something_to_plot(path: Path) -> None:
    scenario = read_scenario(path)
    assert scenario.workloads
    assert scenario.plot.nodes
    assert not any("events lie" in problem.text for problem in warnings_of(scenario))


@pytest.mark.parametrize("series", [1, 2])
def test_convex_series_1_and_2_split_alike(series: int) -> None:
    """Junglas section 8: a quarter each for gr1's two users, a sixth each for gr2's three."""
    shares = allocated_shares(example(f"convex-series-{series}"))
    users = {"u11": 25, "u12": 25, "u21": 50 / 3, "u22": 50 / 3, "u23": 50 / 3}
    assert {name: shares[name] for name in users} == pytest.approx(users)


@pytest.mark.parametrize("series", [1, 2, 4, 6])
def test_system_groups_hold_45_percent_each_among_the_active(series: int) -> None:
    scenario = example(f"convex-series-{series}")
    flat = FlatTree.of(scenario.tree)
    leaves = flat.is_leaf & [node in scenario.logins for node in flat.ids.tolist()]
    shares = flat.allocated_share(flat.active(leaves))
    for name in ("Daemon", "Network"):
        assert shares[flat.row_of[scenario.tree.find(name).id]] == pytest.approx(0.45, abs=0.001)


def test_convex_series_4_entitles_all_to_the_same_and_starts_from_series_2() -> None:
    scenario = example("convex-series-4")
    shares = allocated_shares(scenario)
    assert [shares[name] for name in ("u11", "u12", "u21", "u22", "u23")] == pytest.approx([20.0] * 5)
    k1 = 0.5 ** (scenario.policy.delta_s / scenario.policy.half_life_s)
    total = 60 * 1000 * scenario.policy.delta_s / (1 - k1)
    before = allocated_shares(example("convex-series-2"))
    for name in ("u11", "u12", "u21", "u22", "u23"):
        assert scenario.tree.find(name).usage == pytest.approx(total * before[name] / 100, abs=1)


def test_convex_series_6_starts_level() -> None:
    scenario = example("convex-series-6")
    shares = allocated_shares(scenario)
    assert (shares["u11"], shares["u22"]) == pytest.approx((50, 50))
    assert {event.at_s for event in scenario.events} == {490.0}


def test_navoceano_has_the_entitlements_of_table_1_2() -> None:
    shares = machine_shares(example("navoceano-c916"))
    wanted = {"Army": 19.125, "Navy R&D": 19.125, "Air Force": 19.125, "DoD Other": 6.375, "NAVOCEANO": 11.25}
    wanted |= {"System": 12.5, "Staff": 12.5}
    assert {name: shares[name] for name in wanted} == pytest.approx(wanted)


def test_navoceanos_light_groups_ask_for_what_table_1_1_says_they_used() -> None:
    scenario = example("navoceano-c916")
    used = {"Army": 4.19, "DoD Other": 0.84, "NAVOCEANO": 10.98}
    for name, percent in used.items():
        group = scenario.tree.find(name).id
        demand = 0.0
        for load in scenario.workloads:
            if scenario.tree.is_within(load.node, group):
                assert load.work.burst_s is not None
                demand += load.count * load.work.burst_s / (load.work.burst_s + load.work.sleep_s)
        assert 100 * demand / scenario.machine.cpus == pytest.approx(percent, abs=0.06)


def test_navoceanos_report_gives_the_target_of_section_1_4() -> None:
    """40.952 % for both saturated branches; Table 1-2's deficits of about 5.83 points against it."""
    scenario = example("navoceano-c916")
    (report,) = scenario.reports
    flat = FlatTree.of(scenario.tree)
    got = 100 * split(flat, with_stated(flat, saturated(flat), demands_of_report(report))).what_if
    measured = {demand.node: demand.measured for demand in report.demands}
    for name, surplus in (("Navy R&D", -5.83), ("Air Force", 5.83)):
        node = scenario.tree.find(name).id
        target = got[flat.row_of[node]]
        used = measured[node]
        assert used is not None
        # With NAVO's own 10.98 and Support's 2.08 the rest is 81.91 %; the paper prints 40.952.
        assert target == pytest.approx(40.952, abs=0.005)
        assert 100 * used - target == pytest.approx(surplus, abs=0.01)


def test_share_by_account_charges_where_people_work() -> None:
    """Half for each project at all times; p2's half is split by its two processes once hale is there."""
    machine = machine_for(example("share-by-account"))
    p1, p2 = (machine.flat.row_of[machine.tree.find(name).id] for name in ("p1", "p2"))
    for until_s, processes in ((600, [1, 1]), (1200, [1, 2]), (1800, [2, 2])):
        before = machine.ran.astype(np.float64)
        machine.advance_to(until_s - 1)
        ran = machine.ran - before
        assert ran[p1] / (ran[p1] + ran[p2]) == pytest.approx(0.5, abs=0.005)
        assert [int(machine.state.processes[row]) for row in (p1, p2)] == processes


def test_two_organisations_are_equal_in_all() -> None:
    shares = machine_shares(example("two-organisations"))
    wanted = {"A": 50, "B": 50, "u1": 25, "u2": 25, "u3": 25, "u4": 25}
    assert {name: shares[name] for name in wanted} == pytest.approx(wanted)


def test_near_dedicated_has_the_three_nodes_of_figure_1() -> None:
    scenario = example("near-dedicated-ymp")
    assert [node.name for node in scenario.tree.children(0)] == ["PRI_INTR", "PRI_BATCH", "PRI_ND"]
    assert scenario.tree.find("PRI_ND").shares == 300 * scenario.tree.find("PRI_BATCH").shares
    assert (scenario.machine.cpus, scenario.policy.name, scenario.policy.nosched) == (8, "fixed", True)


def test_near_dedicated_has_the_night_of_figure_3() -> None:
    scenario = example("near-dedicated-ymp")
    jobs = [job for job in scenario.jobs if job.person == "sbert"]
    # Figure 3's 6:52, 7:20 and 12:06 less the first waits for memory and SDS, which belong to them.
    first_waits_s = (22 + 32, 22 + 36, 22 + 32)
    printed_s = (6 * 60 + 52, 7 * 60 + 20, 12 * 60 + 6)
    assert [job.setup_s for job in jobs] == [s - w for s, w in zip(printed_s, first_waits_s, strict=True)]
    assert {(job.memory_mw, job.sds_mw, job.tasks, job.requested_cpu_s) for job in jobs} == {
        (27.3, 210.0, 8, 57600.0)
    }
    near = scenario.near_dedicated
    assert near is not None
    nodes = {queue.name: scenario.tree.node(queue.node or 0).name for queue in scenario.queues}
    assert (near.queue, nodes) == ("nd", {"nd": "PRI_ND", "batch": "PRI_BATCH"})
    windows = WeeklyWindows(near.windows)
    assert windows.windows_after(scenario.machine.start) == (
        datetime.fromisoformat("1996-02-19 23:00"),
        datetime.fromisoformat("1996-02-20 07:30"),
    )


@pytest.mark.parametrize("name", ["preemption", "sequence", "utilisation"])
def test_near_dedicated_jobs_have_the_size_of_figure_3(name: str) -> None:
    scenario = example(f"near-dedicated-{name}")
    jobs = [job for job in scenario.jobs if job.queue == "nd"]
    assert {(job.memory_mw, job.sds_mw, job.tasks) for job in jobs} == {(27.3, 210.0, 8)}
    assert scenario.tree.find("PRI_ND").shares == 300 * scenario.tree.find("PRI_BATCH").shares
    assert (scenario.machine.cpus, scenario.policy.name, scenario.policy.nosched) == (8, "fixed", True)


@pytest.mark.parametrize(
    ("name", "off"),
    [
        ("memory-hard-sleep", {"hard_sleep": "first"}),
        ("memory-locked-io", {"lckswp": False}),
        ("memory-thrash", {"lckswp": False, "persistence": False}),
        ("navoceano-memory", {"share_aware": False}),
    ],
)
def test_a_fault_of_memory_is_there_and_all_other_mends_are_on(name: str, off: dict[str, object]) -> None:
    memory = example(name).machine.memory
    mends: dict[str, object] = {"hard_sleep": "priority", "lckswp": True, "persistence": True}
    mends["share_aware"] = name != "navoceano-memory"
    assert {key: getattr(memory, key) for key in mends} == mends | off


def test_navoceano_submits_more_than_its_entitlement_and_less_than_its_part_of_jobs() -> None:
    """Entitled to 15 of 100; 3 of 32 jobs, where twice as many are submitted as can be run."""
    scenario = example("navoceano-urm")
    assert machine_shares(scenario) | {"NAVOCEANO": 15, "DoD": 85} == pytest.approx(machine_shares(scenario))
    submitted = [event.action.job for event in scenario.events if isinstance(event.action, SubmitJob)]
    jobs = [*scenario.jobs, *submitted]
    own = sum(job.person == "NAVOCEANO" for job in jobs)
    assert own / len(jobs) == 3 / 32
    cpu_s = len(jobs) * 1800 / (12 * 3600 * scenario.machine.cpus)
    assert cpu_s == 2.0
    assert cpu_s * own / len(jobs) > 0.15
    assert (scenario.machine.urm.age_wt, scenario.machine.urm.usage_wt) == (10, 1)


def test_the_slurm_example_is_the_dump_it_was_made_from() -> None:
    dump = (CHECKOUT / "tests" / "data" / "slurm" / "running-dump.cfg").read_text()
    without_comments = "".join(line for line in dump.splitlines(keepends=True) if not line.startswith("#"))
    assert slurm_dump.write(example("slurm-lab").tree) == without_comments


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path: Path) -> None:
    scenario = read_scenario(path)
    machine = machine_for(scenario)
    machine.advance_to(30)
    assert machine.now_s == 30
    given = float(machine.flat.group_sum(machine.ran.astype(np.float64))[0])
    # Every example keeps its machine busy, unless its processes wait for devices.
    least = 0.3 if scenario.devices else 0.9
    assert given > least * 30 * scenario.machine.cpus * scenario.machine.hz
