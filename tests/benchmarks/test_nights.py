"""How fast nights with near-dedicated work are: thirty of them within 60 s."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np

from fsconsole.machine.jobs.urm import Waiting, ranking, requests_in_order
from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.build import makers_of
from fsconsole.neardedicated.view_of import night_view
from fsconsole.resources import examples
from fsconsole.shares.scenario.job_spec import UrmSpec
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from tests.benchmarks.measure import Benchmark

END_S = 600 + 8.5 * 3600


def paper() -> Scenario:
    """The paper's night on the Y-MP 8/64: 26 processes, three to four near-dedicated jobs of 8 tasks."""
    return read_scenario(examples() / "near-dedicated-ymp.yaml")


def test_a_night_from_2250_to_0730(bench: Benchmark) -> None:
    scenario, seeds = paper(), count(1)

    def night() -> Machine:
        seeded = replace(scenario, seed=next(seeds))
        machine = Machine(seeded, makers_of(seeded))
        machine.advance_to(END_S)
        return machine

    machine = bench(night, rounds=3)
    view = night_view(machine)
    assert view is not None
    assert view.night is not None
    assert len(view.night.jobs) >= 3


def test_a_view_of_the_night(bench: Benchmark) -> None:
    scenario = paper()
    machine = Machine(scenario, makers_of(scenario))
    machine.advance_to(2 * 3600)
    bench(night_view, machine)


def test_thousands_waiting_for_nqs_are_ranked(bench: Benchmark) -> None:
    """5,000 jobs in their order, which is that of the same with their terms as objects."""
    rng = np.random.default_rng(1)
    columns = (rng.uniform(0, 1e5, 5000), rng.uniform(0.1, 1, 5000), rng.integers(0, 63, 5000) * 1.0)
    sizes = rng.uniform(0, 100, 5000).tolist()
    jobs = [Waiting(*row) for row in zip(range(5000), *(one.tolist() for one in columns), sizes, strict=True)]
    urm = UrmSpec(1, 2, 3, 4)
    requests = bench(lambda: requests_in_order(urm, jobs))
    assert [item.request for item in ranking(urm, jobs)] == requests
