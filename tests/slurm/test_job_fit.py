"""What a new job requests, held against its partition."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.app.forecast.cluster import read_capture
from fsconsole.app.forecast.job_shape import job_rate, new_mix, read_shape, unchecked
from fsconsole.app.forecast.jobs import in_hours, next_job, priced
from fsconsole.slurm.job_fit import check_fit
from fsconsole.slurm.parsers.values import resource
from fsconsole.slurm.priority_outlook import JobShape, partition_of
from fsconsole.targets.slurm.location import example_capture
from tests.texts import Expected, naming, refuses, says

CLUSTER = read_capture(example_capture())
NODES = CLUSTER.known.cluster_nodes
GPUS = "cpu=32,mem=125G,node=4,gres/gpu=16,gres/gpu:a100=8,gres/gpu:v100=8"
SOME_TYPED = "cpu=32,mem=125G,node=4,gres/gpu=16,gres/gpu:a100=8"
BATCH = partition_of("batch", CLUSTER.known.partitions)
TRACKED = ("cpu", "gres/gpu", "gres/gpu:a100")


@pytest.mark.parametrize(
    ("text", "tres", "said"),
    [
        ("cpus=32", GPUS, ""),
        ("cpus=33", GPUS, naming("32", "cpus=32")),
        ("cpus=9,nodes=1", GPUS, naming("8", "cpus=8")),
        ("cpus=16,nodes=2", GPUS, ""),
        ("nodes=5", GPUS, naming("4", "nodes=4")),
        ("mem=125G", GPUS, ""),
        ("mem=126G", GPUS, naming("batch", "128", "mem")),
        ("gres=gpu:a100:8,gres=gpu:v100:1", GPUS, ""),
        ("gres=gpu:a100:9", GPUS, naming("gres/gpu:a100")),
        ("gres=gpu:h100:2", GPUS, naming("gres/gpu:a100", "gres/gpu:h100")),
        ("gres=gpu:16", GPUS, ""),
        ("gres=gpu:17", GPUS, naming("17 gres/gpu")),
        ("gres=gpu:h100:17", SOME_TYPED, naming("17 gres/gpu:h100")),
        ("gres=gpu", "cpu=32,node=4", naming("no gres/gpu")),
    ],
)
def test_what_a_partition_has_not_is_refused(text: str, tres: str, said: str | Expected) -> None:
    partition = replace(BATCH, tres=tres)
    if not said:
        assert check_fit(read_shape(text), partition, NODES, TRACKED) == ""
        return
    with pytest.raises(ValueError) as caught:
        check_fit(read_shape(text), partition, NODES, TRACKED)
    assert says(caught.value, said)


@pytest.mark.parametrize(
    ("text", "tres", "unknown"),
    [
        ("gres=gpu:h100:2", SOME_TYPED, "gres/gpu:h100"),  # Types that are not tracked are not shown.
        ("gres=fpga", GPUS, "gres/fpga"),
        ("mem=1G", "", "memory"),
        ("cpus=9,nodes=1", GPUS, "CPUs of a node"),
    ],
)
def test_what_slurm_does_not_show_is_named(text: str, tres: str, unknown: str) -> None:
    nodes = () if "nodes" in text else NODES
    found = check_fit(read_shape(text), replace(BATCH, tres=tres), nodes, TRACKED)
    assert unknown in found


_GRES = st.dictionaries(st.sampled_from(["gres/gpu", "gres/gpu:a100", "gres/gpu:h100"]), st.integers(1, 20))


@given(
    st.integers(1, 50), st.integers(1, 6), st.integers(0, 200_000), _GRES, st.sampled_from([GPUS, SOME_TYPED])
)
def test_whatever_is_accepted_is_there(
    cpus: int, nodes: int, memory_mib: int, gres: dict[str, float], tres: str
) -> None:
    shape = JobShape("batch", "", cpus, nodes, memory_mib, gres=gres, is_on_nodes=True)
    try:
        unknown = check_fit(shape, replace(BATCH, tres=tres), NODES, TRACKED)
    except ValueError:
        return
    assert cpus <= sum(sorted((one.cpus for one in NODES), reverse=True)[:nodes])
    assert nodes <= len(NODES)
    for name, amount in {"mem": float(memory_mib), **gres}.items():
        assert amount <= (resource(tres, name) or 0.0) or name in unknown


def test_all_ways_to_plan_a_job_are_held_against_the_cluster() -> None:
    shape = read_shape("cpus=100")
    for ask in (job_rate, new_mix, unchecked):
        with refuses(ValueError, "slurm.has-write-or-less", there="32 CPUs"):
            ask(CLUSTER, shape)
    column = in_hours(lambda job: priced(job, CLUSTER))[0]
    with refuses(ValueError, "slurm.has-write-or-less", there="32 CPUs"):
        column.typed(next_job((), 3600.0), "cpus=100")
