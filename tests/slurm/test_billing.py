"""The price of a job: the billing that real clusters printed for what they allocated."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.forecast.cluster import Cluster, read_capture
from fsconsole.app.forecast.job_shape import job_rate, read_shape
from fsconsole.app.forecast.jobs import Job, priced
from fsconsole.app.forecast.question import Own, Question, usual_own
from fsconsole.app.forecast.sentences import assumptions
from fsconsole.slurm.billing import amounts_in, charged_jobs, price, rate_of, usage_factor
from fsconsole.slurm.decay import SlurmDecay
from fsconsole.slurm.jobs import Job as SlurmJob
from fsconsole.slurm.parsers.findings import DamagedError
from fsconsole.slurm.parsers.qos import Qos
from fsconsole.slurm.parsers.scontrol_partition import Partition
from fsconsole.slurm.solver import rate_now
from fsconsole.targets.slurm.location import example_capture
from tests.texts import refuses, says

_TYPED = "CPU=1.0,Mem=0.25G,GRES/gpu:a100=10.0,GRES/gpu:v100=4.0"
_BOTH = "CPU=1.0,Mem=0.25G,GRES/gpu=2.0,GRES/gpu:a100=10.0,GRES/gpu:v100=4.0"
_ALL = "CPU=1.0,Mem=0.125G,Node=3.0,GRES/gpu=4.5,License/matlab=1.5"
_EXCLUSIVE = "cpu=32,gres/gpu:a100=8,gres/gpu=8,mem=1554M,node=2"
_MATLAB = "cpu=2,gres/gpu:v100=1,gres/gpu=1,license/matlab=3,mem=826M,node=1"


# What jobs on Slurm 22.05.8, 24.11.5 and 26.05.5 were allocated, and the billing that sacct printed for it.
@pytest.mark.parametrize(
    ("tres", "weights", "flags", "billing"),
    [
        ("cpu=6,mem=4000M,node=1", "", (), 6),
        (_EXCLUSIVE, "CPU=1.0,GRES/gpu=2.0", (), 48),
        ("cpu=1,gres/gpu:a100=2,gres/gpu=2,mem=1G,node=1", _TYPED, ("MAX_TRES",), 20),
        (_MATLAB, _ALL, ("MAX_TRES",), 9),
        (_MATLAB, _ALL, ("MAX_TRES_GRES",), 12),
        ("cpu=1,gres/gpu:a100=1,gres/gpu=1", "gres/gpu=2.0,GRES/GPU:A100=10", (), 12),
        ("cpu=1,gres/gpu:a100=1,gres/gpu=1,mem=1G", _BOTH, ("MAX_TRES",), 10),
        ("cpu=1,mem=62.50G,node=1", "Mem=0.001", (), 64),
        ("cpu=1,mem=62.50G,node=1", "Mem=1.0G", (), 62),
        ("cpu=16,node=1", "CPU=1K", (), 0),
        ("cpu=3,node=1,billing=7", "CPU=1.0,Billing=2", (), 3),
    ],
)
def test_billing_that_was_printed(tres: str, weights: str, flags: tuple[str, ...], billing: int) -> None:
    assert math.floor(price(amounts_in(tres), weights, flags) + 1e-9) == billing


_names = st.sampled_from(["cpu", "mem", "node", "gres/gpu", "gres/gpu:a100", "license/x", "bb/y"])
_some = st.dictionaries(_names, st.floats(0, 1e4), max_size=7)


@given(_some, _some)
def test_the_largest_is_never_more_than_the_sum(amounts: dict[str, float], of: dict[str, float]) -> None:
    weights = ",".join(f"{name}={weight:.6f}" for name, weight in of.items())
    whole = price(amounts, weights, ())
    by_gres = price(amounts, weights, ("MAX_TRES_GRES",))
    largest = price(amounts, weights, ("MAX_TRES",))
    assert largest <= by_gres * (1 + 1e-9) + 1e-9
    assert by_gres <= whole * (1 + 1e-9) + 1e-9
    if of:
        expected = sum(float(f"{of[name]:.6f}") * amounts.get(name, 0.0) for name in of)
        assert whole == pytest.approx(expected, rel=1e-9, abs=1e-9)


def _partition(weights: str) -> Partition:
    return Partition(
        name="gpu", state="UP", nodes="n1", node_count=1, cpus=16, is_default=True, max_time_s=None,
        priority_tier=1, preempt_mode="", billing_weights=weights,
    )  # fmt: skip


def _qos(name: str, factor: float) -> Qos:
    return Qos(
        name=name, priority=0, usage_factor=factor, usage_threshold=None, flags=(), preempts=(), limits={}
    )


_JOB = SlurmJob(
    job_id=7, user="anna", account="hep", partition="gpu", states=("RUNNING",), qos="high", cpus=2,
    billing=2.0, tres="cpu=2,mem=250M,billing=2",
)  # fmt: skip


def test_a_running_job_is_charged_its_exact_price_times_the_factor_of_its_qos() -> None:
    qos = (_qos("normal", 1.0), _qos("high", 2.0))
    weighted = _partition("CPU=1.0,Mem=0.5G")
    assert rate_of(_JOB, [weighted], qos, ()) == pytest.approx(2 * (2 + 125 / 1024))
    # The price of its first start, by weights that the partition had, or of a run before it was requeued.
    before = replace(_JOB, billing=7.0)
    assert rate_of(before, [weighted], qos, ()) == 2 * 7.0
    assert rate_of(replace(_JOB, restarts=1), [weighted], qos, ()) == rate_of(_JOB, [weighted], qos, ())
    assert math.isnan(rate_of(replace(_JOB, qos="gone"), [weighted], qos, ()))
    assert math.isnan(rate_of(replace(_JOB, tres="", billing=None), [weighted], qos, ()))
    assert math.isnan(usage_factor("", qos))
    assert usage_factor("", (_qos("a", 3.0), _qos("b", 3.0))) == 3.0
    with pytest.raises(DamagedError):
        price({"cpu": 1.0}, "CPU=-1", ())


def test_running_jobs_of_the_example_are_charged_by_their_partitions() -> None:
    cluster = read_capture(example_capture())
    rates = cluster.running.rates
    by_name = {cluster.names[row]: rates[row] for row in np.flatnonzero(rates).tolist()}
    # 16 CPUs in `dedicated`, where one counts twice, and 2 in `batch`, suspended, which Slurm charges too
    assert by_name["science/finn"] == 34.0
    assert by_name["imaging/hugo"] == 16.0 + 1.0
    science = cluster.row("science")
    assert usual_own(cluster, science) is Own.RUNNING
    asked = Question(cluster, science, (), (), None, None, SlurmDecay(3600, 60), 1.0, None, own=Own.RUNNING)
    assert rate_now(asked.outlook, science) == pytest.approx(34 + 6 + 4 + 3 + 2)
    assert (cluster.usage_unit, cluster.rate_unit) == ("billing-h", "billing units")
    no_jobs = _without_jobs(cluster)
    assert usual_own(no_jobs, science) is Own.SAME_USAGE
    with refuses(ValueError, "app.forecast.no-running-job-of-is"):
        _ = replace(asked, cluster=no_jobs).outlook


def test_running_jobs_of_a_user_end_at_their_limits_where_any_are_known() -> None:
    cluster = read_capture(example_capture())
    finn, idle = cluster.user_row("finn"), cluster.user_row("mia")
    assert usual_own(cluster, finn) is Own.TO_LIMITS
    assert usual_own(cluster, idle) is Own.TO_LIMITS
    assert usual_own(_without_jobs(cluster), finn) is Own.NOTHING
    job = Job(math.nan, 0, 3600.0, "cpus=8,partition=dedicated")
    asked = Question(
        cluster, finn, (), (priced(job, cluster),), None, None, SlurmDecay(3600, 60), 1.0, None,
        own=Own.TO_LIMITS,
    )  # fmt: skip
    assert rate_now(asked.outlook, finn) == pytest.approx(34 + 16)
    own = "34 billing units a second"
    words = [*assumptions(asked)]
    assert says(words[0], "app.forecast.assumes-that-runs-its-present", name="finn", own=own)
    ends = {(one.spell.rate, one.spell.end_s) for one in asked.running}
    assert ends == {(32.0, 29 * 60.0), (2.0, 48 * 60.0)}  # 28:50 and 48:03 are left of their limits
    assert "the last one for 48 min" in words[0]
    endless = _with_jobs(asked, time_limit_s=math.inf)
    assert {one.spell.end_s for one in endless.running} == {math.inf}
    assert endless.outlook.last_end_s == 3600.0
    assert endless.unknown_ends == 0
    assert "without a limit" in next(assumptions(endless))
    assert says(words[1], "app.forecast.planned-job-of-is-charged", cores="16 billing units a second")
    quiet = replace(asked, row=idle)
    assert says(next(assumptions(quiet)), "app.forecast.assumes-that-uses-nothing", name="mia")
    assert len([*assumptions(replace(quiet, jobs=()))]) == 2


@pytest.mark.parametrize("unknown", ["time_limit_s", "start_s"])
def test_a_running_job_whose_end_is_unknown_is_none_without_a_limit(unknown: str) -> None:
    cluster = read_capture(example_capture())
    asked = Question(
        cluster, cluster.user_row("finn"), (), (), None, None, SlurmDecay(3600, 60), 1.0, None,
        own=Own.TO_LIMITS,
    )  # fmt: skip
    asked = _with_jobs(asked, **{unknown: None})
    assert asked.unknown_ends == 2
    assert {one.spell.end_s for one in asked.running} == {math.inf}
    first, second, *_ = assumptions(asked)
    assert "for an unknown time" in first
    assert says(second, "app.forecast.ends-of-of-them-are", unknown=2)


def test_a_running_job_without_an_account_may_be_of_each_row_of_its_user() -> None:
    cluster = read_capture(example_capture())
    asked = Question(
        cluster, cluster.user_row("ocean/anna"), (), (), None, None, SlurmDecay(3600, 60), 1.0, None,
        own=Own.NOTHING,
    )  # fmt: skip
    asked = _with_jobs(asked, account="")
    words = " ".join(assumptions(asked))
    assert says(words, "app.forecast.running-job-that-may-be", name="ocean/anna")


def _with_jobs(asked: Question, **fields: Any) -> Question:
    known = asked.cluster.known
    jobs = tuple(replace(job, **fields) for job in known.jobs or ())
    return replace(asked, cluster=replace(asked.cluster, known=replace(known, jobs=jobs)))


def _without_jobs(cluster: Cluster) -> Cluster:
    return replace(cluster, known=replace(cluster.known, jobs=()))


def test_an_unknown_price_of_another_user_is_no_matter() -> None:
    cluster = read_capture(example_capture())
    known = cluster.known
    assert known.jobs is not None
    odd = replace(known.jobs[-1], states=("RUNNING",), qos="unknown")
    (found,) = charged_jobs([odd], cluster.tree, known.partition, known.partitions, known.qos, ())
    assert (cluster.names[found[0]], found[1]) == (f"{odd.account}/{odd.user}", odd)
    assert math.isnan(found[2])


def test_a_planned_job_is_priced_as_it_is_written() -> None:
    cluster = read_capture(example_capture())
    gpu = _partition("CPU=1.0,Mem=0.25G,GRES/gpu=2.0,GRES/gpu:a100=10.0")
    known = replace(cluster.known, partitions=(*cluster.known.partitions, gpu), qos=(_qos("high", 2.0),))
    priced = replace(cluster, known=known)
    shape = read_shape("cpus=8,mem=64G,gres=gpu:a100:2,partition=gpu,qos=high")
    assert job_rate(priced, shape) == 2 * (8 + 16 + 2 * 2 + 2 * 10)
    assert job_rate(priced, read_shape("cpus=8,partition=dedicated,qos=high")) == 32
    assert job_rate(cluster, read_shape("cpus=8")) == 8
    for text, key in (
        ("gres=gpu:a100:two:1", "is-not-gres-example-gres"),
        ("cpus=0", "is-not-whole-number-example"),
    ):
        with refuses(ValueError, f"app.forecast.{key}"):
            read_shape(text)
