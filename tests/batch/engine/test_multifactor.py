"""Slurm's multifactor priority: by hand, and the compiled engine against the plain loop."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.batch.job_table import Floats, JobTable, Labels, labels_of
from fsconsole.batch.multifactor import Multifactor, parse_settings, setting_words
from fsconsole.batch.policy import BatchPolicy
from fsconsole.batch.reference_factors import ByFactors
from fsconsole.batch.reference_loop import simulate_plainly
from fsconsole.batch.simulate import simulate
from fsconsole.slurm.decay import SlurmDecay, Spell
from tests.batch.drawn_policies import shares_of
from tests.batch.workloads import (
    KTH_NODES,
    assert_lawful,
    assert_same,
    kth,
    random_workload,
    table_of,
    workloads,
)
from tests.laws import tries

_WEIGHTS = st.sampled_from([0, 1, 1000, 10_000, 1_000_000])
SETTINGS = st.builds(
    Multifactor,
    age=_WEIGHTS,
    fairshare=_WEIGHTS,
    job_size=_WEIGHTS,
    partition=_WEIGHTS,
    qos=_WEIGHTS,
    max_age_s=st.sampled_from([1, 100, 86_400]),
    half_life_s=st.sampled_from([0, 60, 600, 86_400]),
    calc_period_s=st.sampled_from([60, 61, 300]),
    fair_tree=st.booleans(),
    damping=st.sampled_from([1.0, 0.3, 7.0]),
    favor_small=st.booleans(),
    relative_to_time=st.booleans(),
    partitions=st.sampled_from([(), (("a", 10), ("b", 3)), (("b", 0),)]),
    qos_priorities=st.sampled_from([(), (("a", 10), ("", 3))]),
)


def _labelled(jobs: JobTable, seed: int) -> JobTable:
    rng = np.random.default_rng(seed)
    drawn = [Labels(rng.integers(0, 3, len(jobs)), ("", "a", "b")) for _ in range(2)]
    return replace(jobs, partition=drawn[0], qos=drawn[1])


@tries(200)
@given(workloads(), SETTINGS, st.sampled_from([1, 1, 2, 5, 100]), shares_of(4), st.integers(0, 5))
def test_equals_the_plain_loop(
    workload: tuple[JobTable, int], multifactor: Multifactor, reservations: int, shares: Floats, seed: int
) -> None:
    policy = BatchPolicy("multifactor", reservations=reservations, multifactor=multifactor)
    jobs, nodes = _labelled(workload[0], seed), workload[1]
    plain = simulate_plainly(jobs, nodes, policy, shares)
    assert_same(simulate(jobs, nodes, policy, shares, reservations=True), plain)
    np.testing.assert_array_equal(simulate(jobs, nodes, policy, shares).start_s, plain.start_s)


@pytest.mark.parametrize(("nodes", "load"), [(1, 1.2), (32, 1.5), (240, 3.0), (5000, 0.95)])
@pytest.mark.parametrize(
    "multifactor", [Multifactor(), Multifactor(fair_tree=True, half_life_s=3600, favor_small=True)]
)
def test_equals_the_plain_loop_where_many_wait(nodes: int, load: float, multifactor: Multifactor) -> None:
    jobs, policy = (
        random_workload(nodes, 800, nodes, load),
        BatchPolicy("multifactor", multifactor=multifactor),
    )
    made = simulate(jobs, nodes, policy, reservations=True)
    assert_same(made, simulate_plainly(jobs, nodes, policy))
    np.testing.assert_array_equal(simulate(jobs, nodes, policy).start_s, made.start_s)
    assert_lawful(made)


def _only(**text: object) -> BatchPolicy:
    """One weight, and none but that."""
    nothing = {"age": 0, "fairshare": 0, "job_size": 0, "partition": 0, "qos": 0}
    return BatchPolicy("multifactor", multifactor=Multifactor(**{**nothing, **text}))  # type: ignore[arg-type]


_QUEUE = table_of([(0, 10, 4, 0), (1, 5, 1, 1), (2, 5, 4, 0), (3, 5, 2, 2)], users=3)


@pytest.mark.parametrize(
    ("policy", "starts"),
    [
        (_only(), [0, 10, 15, 10]),  # equal priorities: by arrival
        (_only(job_size=1000), [0, 15, 10, 15]),
        (_only(job_size=1000, favor_small=True), [0, 10, 15, 10]),
        (_only(partition=1000, partitions=(("fast", 5),)), [0, 15, 10, 15]),
        (_only(qos=1000, qos_priorities=(("high", 5),)), [0, 10, 15, 10]),
    ],
)
def test_one_factor_alone_orders_a_queue(policy: BatchPolicy, starts: list[int]) -> None:
    partition, qos = labels_of(["", "", "fast", ""]), labels_of(["low", "low", "low", "high"])
    jobs = replace(_QUEUE, partition=partition, qos=qos)
    assert simulate(jobs, 4, policy).start_s.tolist() == starts


def test_usage_is_that_of_a_cluster() -> None:
    """Slice by slice as slurmctld's log has it, see `tests/slurm/test_decay.py`."""
    jobs = table_of([(130, 7000, 3, 0), (200, 150, 1, 1)], users=2)
    policy = BatchPolicy("multifactor", multifactor=Multifactor(half_life_s=3600, calc_period_s=300))
    ranking = ByFactors(jobs, 4, policy, np.ones(2))
    ranking.started(0, 130)
    ranking.started(1, 200)
    ranking.completed(1, 350)
    ranking.first([], 3000)
    decay, ten = SlurmDecay(3600, 300), np.array([10.0])
    spells = (Spell(3.0, 130.0, 7130.0), Spell(1.0, 200.0, 350.0))
    used = [float(decay.of_spell(spell, ten)[0]) for spell in spells]
    shares = np.array(used) / sum(used)
    assert ranking.fairshares() == pytest.approx((2.0 ** -(shares / 0.5)).tolist(), rel=1e-5)


def test_priorities_change_with_a_calculation_alone() -> None:
    jobs = table_of([(0, 9000, 4, 0), (310, 10, 4, 1)], users=2)
    ranking = ByFactors(jobs, 4, _only(age=1000, max_age_s=3000), np.ones(2))
    found = []
    for now in (310, 599, 600, 900, 6000):
        ranking.first([], now)
        found.append(ranking.priority(1))
    assert found == [1, 1, 96, 196, 1000]


def test_on_kth_heavy_users_wait_longer_than_by_arrival() -> None:
    made = simulate(kth(), KTH_NODES, _only(fairshare=10_000))
    fcfs = simulate(kth(), KTH_NODES, BatchPolicy("fcfs"))
    used = np.bincount(kth().user, weights=kth().node_seconds)
    heavy = np.isin(kth().user, np.argsort(used)[-5:])
    assert made.wait_s[heavy].mean() > fcfs.wait_s[heavy].mean()
    assert made.wait_s[~heavy].mean() < fcfs.wait_s[~heavy].mean()


def test_settings_are_read_as_they_are_written() -> None:
    words = "age=5,half_life=7d,fair_tree=yes,damping=0.5,partitions=fast:10/slow:1"
    made = parse_settings(words)
    assert made == Multifactor(
        age=5,
        half_life_s=7 * 86_400,
        fair_tree=True,
        damping=0.5,
        partitions=(("fast", 10), ("slow", 1)),
    )
    assert setting_words(made) == [
        "age 5",
        "half_life 7 d",
        "fair_tree yes",
        "damping 0.5",
        "partitions fast:10/slow:1",
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("ages=5", "'ages=5' is not a setting such as age=1000"),
        ("age=-5", "age: '-5' is not a whole number"),
        ("half_life=1e309", "half_life: '1e309' is too long. Write at most 115740 d 17 h, such as 7 d"),
        ("half_life=5x", "half_life: '5x' is not a time"),
        ("half_life=5s", "half_life: 5 s is too short. Write at least 1 min, or 0 for no decay"),
        ("calc_period=2d", "calc_period: 172800 s is not from 1 min to 1 d"),
        ("fair_tree=1", "fair_tree: '1' is neither yes nor no"),
        ("damping=0", "damping: 0 is not a number above 0"),
        ("age=4294967296", "age: 4294967296 is not a weight from 0 to 4294967295"),
        ("damping=x", "damping: 'x' is not a number"),
        ("partitions=a:4294967296", "partitions: 4294967296 of a is not a priority from 0 to 4294967295"),
        ("partitions=5", "partitions: '5' is not a name and a priority"),
    ],
)
def test_wrong_settings_are_refused(words: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        parse_settings(words)
