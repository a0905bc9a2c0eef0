"""Law: a checkpoint and the journal are the same run."""

from __future__ import annotations

import io
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.checkpoint import CheckpointError, load, pack, save, unpack
from fsconsole.machine.machine import Machine, machine_for
from fsconsole.shares.edits import Insert, Move, Remove, Rename, SetShares
from fsconsole.shares.scenario.actions import (
    Action,
    ChangeTree,
    EndProcess,
    EndProcesses,
    Login,
    Logout,
    Renice,
    SetSetting,
    StartProcess,
    Work,
)
from fsconsole.shares.scenario.spec import MachineSpec
from fsconsole.shares.tree import Node
from tests.laws import tries
from tests.machine.worlds import Nested, example, same, scenario_of
from tests.texts import refuses, refuses_naming

TREE: Nested = {"A": (3, {"a1": 1, "a2": 2}), "B": (2, {"b1": 1, "b2": 0}), "solo": 1}
START = scenario_of(
    TREE,
    loops=[("a1", Work(0.3, 0.5), 2), "b1", ("root", Work(0.05, 1.0)), ("solo", Work(cpu_s=2.0), 2)],
    events=[(4.5, StartProcess(2, Work(0.1, 0.1), "cc", 2, 25))],
    logins=["a2"],
    cpus=2,
)
IDS = {node.name: node.id for node in START.tree.walk()}
NEW = 50
pids = st.integers(1, 12)
users = st.sampled_from([IDS[name] for name in ("a1", "a2", "b1", "b2", "solo")] + [NEW])
actions: st.SearchStrategy[Action] = st.one_of(
    users.map(Login),
    users.map(Logout),
    users.map(EndProcesses),
    pids.map(EndProcess),
    st.builds(Renice, pids, st.integers(0, 39)),
    st.builds(StartProcess, users, st.sampled_from([Work(), Work(0.2, 0.3), Work(cpu_s=0.7)])),
    st.integers(0, 9).map(lambda shares: ChangeTree((SetShares.of(IDS["A"], shares),))),
    st.sampled_from(
        [
            ChangeTree((Insert(IDS["B"], 0, (Node(NEW, "new", 4),)),)),
            ChangeTree((Remove(IDS["a1"]),)),
            ChangeTree((Move(IDS["solo"], IDS["A"], 1), Rename(IDS["b1"], "bee"))),
            SetSetting("policy.half_life_s", 30.0),
            SetSetting("policy.name", "flat"),
            SetSetting("machine.nice_cost", "share"),
            SetSetting("machine.cpus", 1),
        ]
    ),
)
plans = st.lists(st.tuples(st.integers(0, 900), actions), max_size=8).map(
    lambda plan: sorted(plan, key=lambda step: step[0])
)


def follow(machine: Machine, plan: list[tuple[int, Action]], until: int) -> None:
    for tick, action in plan:
        machine.advance(tick)
        machine.act(action)
    machine.advance(until)


@tries(40)
@given(plans, st.integers(0, 900))
def test_load_and_journal_are_the_same_run(plan: list[tuple[int, Action]], at: int) -> None:
    machine = Machine(START)
    follow(machine, [step for step in plan if step[0] <= at], at)
    kept, known = save(machine), len(machine.journal)
    follow(machine, [step for step in plan if step[0] > at], 1000)

    again = load(kept, START)
    again.replay(machine.journal[known:])
    again.advance(1000)
    assert same(machine, again)
    assert save(machine) == save(again)


@tries(15)
@given(plans)
def test_the_whole_journal_from_the_start_is_the_same_run(plan: list[tuple[int, Action]]) -> None:
    machine, again = Machine(START), Machine(START)
    follow(machine, plan, 1000)
    again.replay(machine.journal)
    again.advance(1000)
    assert save(machine) == save(again)


@pytest.mark.parametrize("name", ["convex-series-1", "convex-series-6"])
def test_examples_go_on_from_a_checkpoint_with_the_same_samples(name: str) -> None:
    machine = example(name)
    machine.advance_to(485.5)
    again = load(save(machine), machine.scenario)
    for one in (machine, again):
        one.advance_to(600)
    ours, theirs = machine.sample(), again.sample()
    assert all(np.array_equal(ours.columns[key], theirs.columns[key]) for key in ours.columns)
    assert np.array_equal(ours.cpu_s, theirs.cpu_s)


def test_equal_machines_have_equal_bytes_and_settings_stay() -> None:
    changed = machine_for(
        START, {"machine.name": "Y-MP", "policy.name": "flat", "policy.delta_s": 2.0}, seed=7
    )
    changed.advance(77)
    again = load(save(changed), START)
    assert again.settings == changed.settings
    assert (again.seed, save(again)) == (7, save(changed))


def test_a_setting_newer_than_the_checkpoint_has_its_default() -> None:
    machine = Machine(START)
    machine.advance(77)
    header, columns = unpack(save(machine))
    for key in ("memory.size_factor", "urm.preferred_to_mw"):
        del header["settings"][key]
    assert save(load(pack(header, columns), START)) == save(machine)


@tries(60)
@given(st.binary(max_size=200))
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(CheckpointError):
        load(data, START)


@tries(60)
@given(st.data())
def test_damaged_bytes_are_refused_or_give_a_sound_machine(data: st.DataObject) -> None:
    whole = save(Machine(START))
    at = data.draw(st.integers(0, len(whole) - 1))
    broken = data.draw(
        st.sampled_from([whole[:at], whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]])
    )
    with suppress(CheckpointError):
        load(broken, START).advance(60)


def test_columns_that_do_not_fit_are_refused() -> None:
    header, columns = unpack(save(Machine(START)))
    for name, wrong in (
        ("process.owner", columns["process.owner"] + 1000),
        ("process.owner", columns["process.owner"] - 1000),
        ("process.wake", columns["process.wake"][:-1]),
        ("state.cost", columns["state.cost"][:-1]),
        ("ran", columns["ran"][:-1]),
    ):
        with refuses_naming(CheckpointError, f"{name}: "):
            load(pack(header, {**columns, name: wrong}), START)


_MUTATE = """
import io, sys
import numpy as np
from fsconsole.machine.checkpoint import CheckpointError, load, pack, save, unpack
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.resources import examples
from fsconsole.shares.scenario.read import read_scenario
from tests.laws import tries

scenario = read_scenario(examples() / f"{sys.argv[1]}.yaml")
machine = Machine(scenario, makers_of(scenario))
machine.advance_to(30)
header, columns = unpack(save(machine))
wild = (-1, 10**6, 2**31, 2**62, -(2**62), float("nan"), float("inf"), 1e300)
for name, column in columns.items():
    for value in wild if column.size else ():
        if column.dtype.kind == "b" or (column.dtype.kind in "iu" and not abs(value) <= 2**62):
            continue
        changed = column.copy()
        changed.reshape(-1)[column.size // 2] = value % 2**64 if column.dtype.kind == "u" else value
        print(name, value, flush=True)
        try:
            other = load(pack(header, {**columns, name: changed}), scenario, makers_of(scenario))
        except CheckpointError as error:
            assert name in str(error), error
            continue
        other.advance(other.tick + 500)
print("all")
"""


@pytest.mark.parametrize("name", ["convex-series-6", "near-dedicated-preemption"])
def test_wild_values_in_a_column_are_refused_or_run(name: str) -> None:
    """In a process of its own, because compiled code that writes beside its arrays ends it."""
    done = subprocess.run([sys.executable, "-c", _MUTATE, name], capture_output=True, text=True, check=False)
    last = done.stdout.rstrip().rpartition("\n")[2]
    assert (done.returncode, last) == (0, "all"), done.stderr


def test_columns_of_another_kind_are_refused() -> None:
    header, columns = unpack(save(Machine(START)))
    for name in ("state.usage", "process.priority", "flat.shares", "recent"):
        for kind in (np.float32, np.int8, ">i8"):
            changed = {**columns, name: columns[name].astype(kind)}
            with refuses_naming(CheckpointError, f"{name}: "):
                load(pack(header, changed), START)


@pytest.mark.parametrize(
    ("setting", "value"),
    [("machine.cpus", 10**9), ("machine.k2", 5.0), ("machine.hz", -1), ("policy.nu", "x")],
)
def test_settings_that_cannot_be_are_refused(setting: str, value: object) -> None:
    header, columns = unpack(save(Machine(START)))
    header["settings"][setting] = value
    with refuses_naming(CheckpointError, setting):
        load(pack(header, columns), START)


@pytest.mark.parametrize(("number", "age"), [(99, "newer"), (6, "older")])
def test_a_checkpoint_of_another_version_is_refused(number: int, age: str) -> None:
    header, columns = unpack(save(Machine(START)))
    with refuses(CheckpointError, f"shares.is-from-{age}-fsconsole-its", number=number):
        load(pack({**header, "version": number}, columns), START)


def test_a_setting_of_a_newer_program_is_no_damage() -> None:
    header, columns = unpack(save(Machine(START)))
    header["waiting_settings"] = {"policy.mood": "good"}
    with refuses(CheckpointError, "shares.is-damaged"):
        load(pack(header, columns), START)
    with refuses_naming(CheckpointError, "a newer", "policy.mood"):
        load(pack({**header, "program": "fsconsole 99.0.0"}, columns), START)


def test_numbers_too_many_or_too_few_are_refused() -> None:
    header, columns = unpack(save(Machine(START)))
    whole = pack(header, columns)
    with np.load(io.BytesIO(whole)) as arrays:
        members = {name: arrays[name] for name in arrays.files}
    for name, numbers in members.items():
        for wrong in (numbers[:-1], np.append(numbers, numbers[-1:])):
            buffer = io.BytesIO()
            np.savez(buffer, **{**members, name: wrong})
            with pytest.raises(CheckpointError):
                load(buffer.getvalue(), START)


def test_prices_are_those_that_were_in_force() -> None:
    """What a tick costs is rounded as the dearest process asks, also once that has ended."""
    cheap, dear = Work(syscalls_per_s=1.0), Work(syscalls_per_s=1e7)
    scenario = replace(
        scenario_of(TREE, loops=[("a1", cheap), ("b1", dear)]),
        machine=MachineSpec(tick_cost=1000.3, syscall_cost=1e6),
    )
    one = Machine(scenario)
    one.act(EndProcess(2))
    other = load(save(one), scenario)
    for each in (one, other):
        each.advance_to(60)
    assert same(one, other)
