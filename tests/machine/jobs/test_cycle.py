"""Phases of a job, as arithmetic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fsconsole.machine.jobs.job import KILLED, Cycle, how_it_ends
from fsconsole.shares.scenario.job_spec import JobSpec
from tests.machine.jobs.nights import job_of
from tests.texts import wording


def test_eight_tasks_with_a_tenth_serial() -> None:
    """Amdahl: CPU of a cycle is cycle_s * (s + (1 - s) * tasks), 0.904 of 8 processors for s = 0.11."""
    cycle = Cycle.of(job_of(cpu_s=57600, tasks=8, serial_fraction=0.11), 60)
    assert (cycle.serial, cycle.parallel, cycle.io) == (396, 3204, 0)
    used = sum(cycle.handed("serial", 10**9)) + sum(cycle.handed("parallel", 10**9))
    assert used / (8 * 3600) == pytest.approx(0.904, abs=0.0005)


def test_the_phases_follow_each_other() -> None:
    full = Cycle.of(job_of(tasks=2, serial_fraction=0.5, io_s=1), 60)
    assert [full.following(phase) for phase in ("", "asking", "serial", "parallel", "io")] == [
        "serial",
        "serial",
        "parallel",
        "io",
        "serial",
    ]
    parallel = Cycle.of(job_of(tasks=2), 60)
    assert parallel.following("parallel") == "parallel"


def test_one_task_without_input_and_output_is_one_phase() -> None:
    cycle = Cycle.of(job_of(cpu_s=3600), 60)
    assert cycle.handed(cycle.following(""), cycle.needed) == [3600 * 60]


specs = st.builds(
    lambda cpu, tasks, serial, cycle, io: job_of(
        cpu_s=cpu, tasks=tasks, serial_fraction=serial, cycle_s=cycle, io_s=io
    ),
    st.floats(0.001, 50),
    st.integers(1, 9),
    st.floats(0, 1),
    st.floats(0.001, 20),
    st.sampled_from([0.0, 0.001, 0.5]),
)


@given(specs)
def test_the_phases_come_to_the_cpu_time_exactly(spec: JobSpec) -> None:
    cycle, used, phase = Cycle.of(spec, 60), 0, ""
    handed = []
    while used < cycle.needed:
        phase = cycle.following(phase)  # type: ignore[arg-type]
        if phase != "io":
            handed = cycle.handed(phase, cycle.needed - used)
            assert handed
            assert min(handed) > 0
            assert max(handed) - min(handed) <= 1
            assert len(handed) <= spec.tasks
            used += sum(handed)
    assert used == cycle.needed == max(1, round(spec.requested_cpu_s * 60))


def test_how_jobs_end() -> None:
    assert how_it_ends(job_of()) == ("ended", 0)
    assert how_it_ends(job_of(cpu_s=10, aborts_at_s=5.0)) == ("aborted", 1)
    assert how_it_ends(job_of(cpu_s=10, aborts_at_s=15.0)) == ("ended", 0)
    over = JobSpec("big", "batch", requested_cpu_s=10, cpu_s=20)
    assert how_it_ends(over) == (wording("machine.jobs.killed-by-its-cpu-limit"), KILLED)
    assert Cycle.of(over, 60).needed == 600
