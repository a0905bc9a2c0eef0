"""Priorities over time begin at what sprio printed, and factors of new jobs are those of slurmctld."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fsconsole.slurm.job_priority import title_of
from fsconsole.slurm.parsers.qos import read_qos
from fsconsole.slurm.parsers.scontrol_config import WEIGHTS, SlurmConfig, read_scontrol_config
from fsconsole.slurm.parsers.scontrol_partition import read_scontrol_partition
from fsconsole.slurm.parsers.sprio import JobPriority, read_sprio
from fsconsole.slurm.priority_outlook import JobMix, JobShape, mix_of_new, mix_of_waiting
from tests.texts import refuses

LIMITS = Path(__file__).parents[1] / "data" / "slurm" / "limits"
_DAY_S = 86400.0


def _text(name: str) -> str:
    return (LIMITS / name).read_text("utf-8")


@pytest.fixture
def config() -> SlurmConfig:
    return read_scontrol_config(_text("settings.txt"))


def _waiting() -> tuple[JobPriority, ...]:
    return read_sprio(_text("priorities.txt")).items


def _new(shape: JobShape, config: SlurmConfig) -> JobMix:
    partitions = read_scontrol_partition(_text("partitions.txt")).items
    return mix_of_new(shape, config, partitions, read_qos(_text("qos.txt")).items)


def test_a_waiting_job_begins_at_the_priority_that_sprio_printed(config: SlurmConfig) -> None:
    for row in _waiting():
        fairshare = np.array([row.parts["fairshare"] / config.weights["fairshare"]])
        mix = mix_of_waiting(row, config)
        assert mix.priority(np.zeros(1), fairshare)[0] == pytest.approx(row.priority, abs=1)


def test_a_new_job_has_the_factors_that_sprio_printed_for_one_like_it(config: SlurmConfig) -> None:
    """Jobs of the capture ask for a CPU and 1000 MB in `batch`; that of proxy has QOS high."""
    for row in _waiting():
        qos = "high" if row.parts["qos"] else "normal"
        mix = _new(JobShape("batch", qos, memory_mib=1000), config)
        for name in ("jobsize", "partition", "qos"):
            assert mix.points[title_of(name)] == pytest.approx(row.parts[name], abs=1), name
        tres = (row.priority or 0) - sum(row.parts.values())
        assert mix.points[title_of("tres")] == pytest.approx(tres, abs=2)


def test_tres_that_are_not_normalised_count_as_they_are(config: SlurmConfig) -> None:
    """As sprio of 22.05 printed it for 2 CPUs and 2 GB: cpu=200,mem=20480."""
    weights = {**config.values, "priorityweighttres": "CPU=100,Mem=10,GRES/gpu=1000"}
    raw = replace(config, flags=config.flags | {"NO_NORMAL_TRES"}, values=weights)
    shape = JobShape(cpus=2, memory_mib=2048)
    assert _new(shape, raw).points[title_of("tres")] == 200 + 20480
    more = replace(shape, gres={"gres/gpu:a100": 3})
    assert _new(more, raw).points[title_of("tres")] == 200 + 20480 + 3000


def test_age_grows_until_its_limit_and_fairshare_is_what_was_forecast(config: SlurmConfig) -> None:
    mix = _new(JobShape(nice=100), config)
    times, fairshare = np.array([0.0, _DAY_S / 2, _DAY_S, 3 * _DAY_S]), np.array([0.5, 0.6, 0.7, 0.7])
    parts = mix.parts(times, fairshare)
    np.testing.assert_allclose(parts["Age"], [0, 500, 1000, 1000])
    np.testing.assert_allclose(parts["Fairshare"], 100_000 * fairshare)
    np.testing.assert_allclose(parts["Nice"], -100)
    np.testing.assert_allclose(mix.priority(times, fairshare), np.sum([*parts.values()], axis=0))


def test_partitions_and_qos_that_are_not_there_are_named(config: SlurmConfig) -> None:
    known = ("batch", "dedicated", "scavenge")
    with refuses(ValueError, "slurm.no-partition-choose-one-of", name="'fast'", join=", ".join(known)):
        _new(JobShape("fast"), config)
    with refuses(ValueError, "slurm.no-qos-choose-one-of"):
        _new(JobShape(qos="low"), config)


@pytest.mark.parametrize("key", [*WEIGHTS, "PriorityMaxAge", "PriorityFavorSmall"])
def test_a_setting_that_was_not_printed_is_unknown_and_not_slurms_default(key: str) -> None:
    text = _text("settings.txt")
    less = read_scontrol_config(text.replace(f"\n{key} ", "\nOther "))
    with refuses(ValueError, "slurm.scontrol-show-config-printed-no", lacking=key):
        _new(JobShape(), less)
    row = _waiting()[0]
    if key in ("PriorityWeightAge", "PriorityWeightFairShare", "PriorityMaxAge"):
        with refuses(ValueError, "slurm.scontrol-show-config-printed-no", lacking=key):
            mix_of_waiting(row, less)
    else:  # sprio says the rest.
        mix = mix_of_waiting(row, less)
        assert sum(mix.points.values()) + row.parts["age"] + row.parts["fairshare"] == row.priority


@pytest.mark.parametrize("name", ["age", "fairshare"])
def test_a_factor_that_changes_and_was_not_printed_is_no_other_factor(name: str, config: SlurmConfig) -> None:
    (row, *_) = _waiting()
    less = replace(row, parts={key: value for key, value in row.parts.items() if key != name})
    with refuses(ValueError, "slurm.sprio-printed-no-of-job", name=name.upper()):
        mix_of_waiting(less, config)


def test_the_qos_of_a_new_job_is_unknown_unless_it_is_named_or_all_are_alike(config: SlurmConfig) -> None:
    assert "qos=" in _new(JobShape(), config).note
    assert "qos=" not in _new(JobShape(qos="normal"), config).note
    partitions = read_scontrol_partition(_text("partitions.txt")).items
    alike = [replace(one, priority=0) for one in read_qos(_text("qos.txt")).items]
    assert "qos=" not in mix_of_new(JobShape(), config, partitions, alike).note
    with refuses(ValueError, "slurm.no-qos-are-known-capture"):
        mix_of_new(JobShape(qos="high"), config, partitions, ())


def test_a_job_without_a_partition_needs_one_where_none_is_the_default(config: SlurmConfig) -> None:
    partitions = [
        replace(one, is_default=False) for one in read_scontrol_partition(_text("partitions.txt")).items
    ]
    with refuses(ValueError, "slurm.no-partition-is-default-one"):
        mix_of_new(JobShape(), config, partitions, ())


def test_an_age_without_a_limit_counts_at_once(config: SlurmConfig) -> None:
    values = {**config.values, "prioritymaxage": "00:00:00"}
    mix = _new(JobShape(), replace(config, values=values))
    np.testing.assert_allclose(mix.parts(np.array([0.0, 60.0]), np.ones(2))["Age"], 1000)
