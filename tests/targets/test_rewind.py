"""An instant that has passed is the machine as it was then: the same run, the same snapshot."""

from __future__ import annotations

import random
from concurrent.futures import CancelledError
from dataclasses import fields

import numpy as np
import pytest

from fsconsole.machine.checkpoint import save
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.keyframes import WORTH, KeyframePace, Keyframes
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.actions import ChangeTree, Login, Logout, SetSetting, StartProcess, Work
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.targets.base import RewindError
from fsconsole.targets.publish import Publisher
from fsconsole.targets.rewind import Rewinder
from fsconsole.targets.snapshot import Snapshot
from tests.texts import refuses, refuses_naming

WAIT_S = 60.0
SCENARIOS = ("navoceano-c916", "near-dedicated-preemption", "convex-series-6", "memory-thrash")


class Straight:
    """A run that goes on without a stop, looked at and acted on at some instants."""

    def __init__(self, scenario: Scenario, seed: int, until_s: float) -> None:
        self.scenario = scenario
        self.keyframes = Keyframes()
        self.saved: dict[int, bytes] = {}
        self.seen: dict[int, Snapshot] = {}
        draw = random.Random(seed)
        hz = scenario.machine.hz
        leaves = [node.id for node in scenario.tree.walk() if not node.is_group]
        ticks = sorted({0, *(draw.randrange(round(until_s * hz)) for _ in range(24))})
        machine, publisher = Machine(scenario, makers_of(scenario)), Publisher()
        publisher.watch(machine)
        for number, tick in enumerate(ticks):
            machine.advance(tick)
            if number % 5 == 4:
                self.keyframes.add(tick, save(machine))
            for _ in range(draw.randrange(3)):
                leaf = draw.choice(leaves)
                action = draw.choice((
                    ChangeTree((SetShares.of(leaf, draw.randint(1, 9)),)),
                    Login(leaf), Logout(leaf), StartProcess(leaf, Work()),
                    SetSetting("policy.half_life_s", draw.choice((30.0, 600.0))),
                ))  # fmt: skip
                machine.act(action, "ann")
            self.saved[tick], self.seen[tick] = save(machine), publisher.snapshot(machine)
        self.journal: list[JournalEntry] = list(machine.journal)
        self.ticks = ticks


@pytest.mark.parametrize("name", SCENARIOS)
def test_any_instant_equals_the_straight_run(name: str) -> None:
    straight = Straight(read_scenario(examples() / f"{name}.yaml"), seed=len(name), until_s=4000.0)
    hz = straight.scenario.machine.hz
    rewinder = Rewinder(straight.scenario, straight.keyframes, lambda: straight.journal)
    order = straight.ticks * 2
    random.Random(7).shuffle(order)
    for tick in order:
        found = rewinder.moment(tick / hz).result(WAIT_S)
        assert _differences(found, straight.seen[tick]) == []
        assert rewinder.checkpoint(tick / hz).result(WAIT_S) == straight.saved[tick]
    rewinder.close(wait=True)


def _differences(one: Snapshot, other: Snapshot) -> list[str]:
    """Names of fields that differ, but for its number and objects that are remade."""
    found = []
    for field in fields(Snapshot):
        first, second = getattr(one, field.name), getattr(other, field.name)
        if field.name in ("serial", "tree", "flat"):
            continue
        if field.name == "sample":
            same = all(
                np.array_equal(first.columns[key], second.columns[key], equal_nan=True)
                for key in first.columns
            )
            same = same and np.array_equal(first.cpu_s, second.cpu_s) and first.time_s == second.time_s
        elif isinstance(first, np.ndarray):
            same = np.array_equal(first, second)
        elif field.name == "audit":  # what was refused is in the log on disk, and in no checkpoint
            same = [row for row in first if row.done] == [row for row in second if row.done]
        else:
            same = first == second
        if not same:
            found.append(field.name)
    return found


def test_a_branch_is_not_built_from_its_scenario() -> None:
    scenario = read_scenario(examples() / "convex-series-1.yaml")
    machine = Machine(scenario)
    machine.advance_to(100)
    keyframes = Keyframes()
    rewinder = Rewinder(scenario, keyframes, tuple, is_whole=False)
    with refuses(RewindError, "targets.run-has-no-valid-keyframe", tick="50"):
        rewinder.checkpoint(50.0).result(WAIT_S)
    keyframes.add(1, b"damaged")
    keyframes.add(machine.tick, save(machine))
    with refuses(RewindError, "targets.run-has-no-valid-keyframe", tick="50"):
        rewinder.checkpoint(50.0).result(WAIT_S)
    assert rewinder.checkpoint(100.0).result(WAIT_S) == save(machine)
    rewinder.close(wait=True)
    with refuses_naming(RewindError, "closed"):
        rewinder.moment(1.0).result(WAIT_S)


def test_of_instants_asked_for_at_once_the_last_one_is_made() -> None:
    rewinder = Rewinder(read_scenario(examples() / "convex-series-1.yaml"), Keyframes(), tuple)
    asked = [rewinder.moment(float(time_s)) for time_s in range(1000, 1100)]
    assert asked[-1].result(WAIT_S).time_s == 1099.0
    assert sum(future.cancelled() for future in asked) >= 90
    rewinder.close(wait=True)
    with pytest.raises((CancelledError, RewindError)):
        rewinder.moment(1.0).result(WAIT_S)


def test_a_day_of_keyframes_costs_at_most_25_mb() -> None:
    pace = KeyframePace()
    for size in (16_000, 40_000, 400_000):
        kept, now, pace = 0, 0.0, KeyframePace()
        for second in range(86_400):
            now += 1.0
            if pace.is_due(second, now):
                kept += size
                pace.kept(second, size, now, 0.0)
        assert kept <= 25_100_000 + size
    pace.kept(100.0, 100, 51.0, 1.0)
    assert not pace.is_due(1000.0, 51.0 + WORTH - 0.1)
    assert pace.is_due(1000.0, 51.0 + WORTH)
    fresh = KeyframePace()
    fresh.kept(0.0, 100, 51.0, 1.0)  # the first one loads code, and does not count
    assert fresh.is_due(60.0, 51.0)


def test_keyframes_are_thinned_where_they_grow_too_large() -> None:
    keyframes = Keyframes(budget_bytes=1000)
    for tick in range(1, 101):
        keyframes.add(tick, bytes(20))
        assert keyframes.size <= 1000
    kept = [at for at, _ in keyframes.before(100)]
    assert kept[0] == 100
    assert kept[-1] == 1
    assert len(kept) == len(keyframes) >= 25
    assert keyframes.nearest(0) is None
