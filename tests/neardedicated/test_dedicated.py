"""Dedicated time as it was before: checkpoint all others, run jobs one by one, restart all."""

from __future__ import annotations

import pytest

from fsconsole.machine.machine import Machine
from fsconsole.neardedicated.view import Phase
from fsconsole.shares.scenario.actions import (
    CheckpointJob,
    CloseWindow,
    KillJob,
    OpenWindow,
    RestartJob,
)
from fsconsole.shares.scenario.memory_spec import MemorySpec
from tests.neardedicated.nights import FIRST, HOUR_S, OPENS_S, control_of, job, machine_of, night
from tests.texts import says, wording

AN_HOUR = 4 * 3600.0 / 2
MEMORY = MemorySpec(size_mw=60.0, checkpoint_mw_per_s=0.25)
OTHERS = (
    job("kept", 1e6, queue_name="batch", memory_mw=10.0, tasks=1),
    job("lost", 1e6, queue_name="batch", memory_mw=5.0, tasks=1, can_checkpoint=False),
)
MINE = (job("a", 2 * AN_HOUR, memory_mw=20.0), job("b", 2 * AN_HOUR, memory_mw=20.0))


def dedicated(*jobs: object, **given: object) -> Machine:
    return machine_of(*jobs, mode="dedicated", memory=MEMORY, **given)  # type: ignore[arg-type]


def states(machine: Machine) -> list[str]:
    return [control_of(machine).batch.jobs[FIRST + at].state for at in range(2)]


def started(machine: Machine) -> bool:
    return control_of(machine).batch.queues["batch"].started


def test_all_others_are_written_out_first_and_read_back_last() -> None:
    machine = dedicated(*OTHERS, *MINE)
    control = control_of(machine)
    machine.advance_to(OPENS_S + 1)
    assert night(machine).phase is Phase.CHECKPOINTING
    assert not started(machine)
    session = control.state.session
    assert session is not None
    assert (session.killed, session.lost_cpu_s > 400) == (1, True)  # 4 processors for 5 processes, 600 s
    assert control.batch.jobs[FIRST + 1].how == wording("neardedicated.killed-for-dedicated-time")
    assert len(session.pids) == 3  # batch processes without a job
    machine.advance_to(OPENS_S + 41)  # 10 MW at 0.25 MW/s
    view = night(machine)
    assert view.phase is Phase.RUNNING
    assert states(machine) == ["checkpointed", "ended"]
    assert view.job is not None
    assert not view.preempting
    machine.advance_to(OPENS_S + 3 * HOUR_S)
    assert states(machine) == ["running", "ended"]
    assert started(machine)
    assert night(machine).phase is Phase.IDLE
    report = night(machine).night
    assert report is not None
    assert [row.how for row in report.jobs] == ["ended", "ended"]
    assert report.jobs[0].efficiency is not None
    assert report.jobs[0].efficiency > 0.98  # undisturbed
    assert not (machine.processes.held & 2).any()  # nobody is suspended any more


@pytest.mark.parametrize("before_s", [100.0, 20.0])
def test_what_others_have_stopped_stays_so(before_s: float) -> None:
    machine = dedicated(OTHERS[0], *MINE)  # written out in 40 s
    machine.advance_to(OPENS_S - before_s)
    assert machine.act(CheckpointJob(FIRST)).done
    machine.advance_to(OPENS_S + 60)
    assert night(machine).phase is Phase.RUNNING
    assert states(machine)[0] == "checkpointed"
    machine.advance_to(OPENS_S + 3 * HOUR_S)
    assert states(machine)[0] == "checkpointed"
    assert machine.act(RestartJob(FIRST)).done


def test_what_others_are_bringing_back_is_written_out_again() -> None:
    machine = dedicated(OTHERS[0], *MINE)
    machine.advance_to(OPENS_S - 60)
    assert machine.act(CheckpointJob(FIRST)).done
    machine.advance_to(OPENS_S - 10)
    assert machine.act(RestartJob(FIRST)).done
    machine.advance_to(OPENS_S + 35)
    assert (night(machine).phase, states(machine)[0]) == (Phase.CHECKPOINTING, "checkpointing")
    machine.advance_to(OPENS_S + 80)
    assert (night(machine).phase, states(machine)[0]) == (Phase.RUNNING, "checkpointed")
    machine.advance_to(OPENS_S + 3 * HOUR_S)
    assert states(machine)[0] == "running"


def test_a_machine_without_memory_says_why_it_suspends_nobody() -> None:
    machine = machine_of(*MINE, mode="dedicated")
    machine.advance_to(OPENS_S + 1)
    texts = {row.text for row in machine.audit if row.action == "suspend process"}
    assert len(texts) == 1
    assert says(texts.pop(), "machine.this-machine-does-not-simulate")


def test_a_window_opened_again_while_jobs_are_read_back_goes_on() -> None:
    machine = dedicated(OTHERS[0], *MINE)
    machine.advance_to(OPENS_S + 100)
    assert machine.act(CloseWindow(kill_running=True)).done
    machine.advance_to(OPENS_S + 101)
    assert night(machine).phase is Phase.DRAINING
    assert machine.act(OpenWindow()).done
    machine.advance_to(OPENS_S + 250)
    view = night(machine)
    assert (view.phase, view.window.is_open, states(machine)[0]) == (Phase.RUNNING, True, "checkpointed")
    assert view.job is not None
    assert view.job.name == "b"


def test_batch_says_what_the_report_says_of_who_was_killed() -> None:
    machine = machine_of(job("slow", 2 * AN_HOUR, tasks=1), mode="dedicated")
    machine.advance_to(OPENS_S + 3 * HOUR_S)
    report = night(machine).night
    assert report is not None
    assert [row.how for row in report.jobs] == [wording("neardedicated.killed-by-watchdog")]
    assert control_of(machine).batch.jobs[FIRST].how == wording("neardedicated.killed-by-watchdog")
    assert machine.act(KillJob(FIRST)).text.endswith(
        wording("neardedicated.killed-by-watchdog") + wording("machine.jobs.exit-status", exit_status="137")
    )


def test_too_little_work_is_not_worth_it() -> None:
    machine = dedicated(OTHERS[0], job("a", AN_HOUR))
    machine.advance_to(OPENS_S + HOUR_S)
    view = night(machine)
    assert view.phase is Phase.SCANNING
    assert view.phase_text[Phase.SCANNING] == wording(
        "neardedicated.of-waiting", control="1 h", least_work_s="2 h"
    )
    machine.advance_to(OPENS_S + 9 * HOUR_S)
    assert night(machine).phase is Phase.IDLE
    assert states(machine)[0] == "running"


def test_a_window_that_is_closed_while_jobs_are_written_out() -> None:
    machine = dedicated(*OTHERS, *MINE)
    machine.advance_to(OPENS_S + 10)
    assert machine.act(CloseWindow()).done
    machine.advance_to(OPENS_S + 200)
    assert night(machine).phase is Phase.IDLE
    assert states(machine) == ["running", "ended"]
    assert [row.name for row in night(machine).queue] == ["a", "b"]


def test_a_window_that_is_closed_while_a_job_runs_brings_back_the_others_after_it() -> None:
    machine = dedicated(*OTHERS, *MINE)
    machine.advance_to(OPENS_S + 100)
    assert machine.act(CloseWindow()).done
    machine.advance_to(OPENS_S + 1.2 * HOUR_S)
    assert night(machine).phase is Phase.IDLE
    assert states(machine) == ["running", "ended"]
    assert [row.name for row in night(machine).queue] == ["b"]
