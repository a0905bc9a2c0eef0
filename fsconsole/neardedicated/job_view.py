"""The card of the running job, and its expected end at its pace."""

from __future__ import annotations

import math
from collections.abc import Callable

from fsconsole.machine.jobs.job import Job
from fsconsole.neardedicated.controller import NearDedicated
from fsconsole.neardedicated.state import Run
from fsconsole.neardedicated.view import JobCard
from fsconsole.text.durations import length_words

_STATES = {
    "checkpointing": "Checkpointing",
    "checkpointed": "Checkpointed",
    "restarting": "Restarting",
    "ended": "Killed; ends when the clock advances",
}


def job_card(control: NearDedicated) -> JobCard | None:
    """Return the card of the running job; None without one."""
    run = control.state.run
    job = None if run is None else control.job_of(run.request)
    if run is None or job is None or job.waits:
        return None
    machine, account = control.machine, control.batch.ja(run.request)
    started_s, is_over = run.started_tick / machine.spec.hz, job.state == "ended"
    watchdog_s = machine.now_s if is_over else run.watchdog.deadline_s
    needs_s = machine.now_s if is_over else _done_s(control, run, job)
    return JobCard(
        request=run.request,
        person=control.queue.person_of(job),
        name=job.spec.name,
        queue=job.spec.queue,
        node=_node(control, job),
        tasks=job.processors,
        started_s=started_s,
        elapsed_s=machine.now_s - started_s,
        setup_s=account.preparation_s,
        estimate_s=run.watchdog.estimate_s,
        watchdog_s=watchdog_s,
        expected_end_s=None if needs_s is None else min(needs_s, max(machine.now_s, watchdog_s)),
        efficiency=run.efficiency,
        mean_efficiency=account.efficiency,
        below_since_s=run.below_since_s,
        cpu_s=account.cpu_s,
        requested_cpu_s=job.spec.requested_cpu_s,
        memory_mw=account.memory_mw,
        sds_mw=account.sds_mw,
        wanted_memory_mw=job.spec.memory_mw,
        wanted_sds_mw=job.spec.sds_mw,
        swaps=account.swaps,
        swap_s=account.swap_s,
        sds_wait_s=account.sds_wait_s,
        mflops=run.mflops,
        waiting_for=_waiting_for(control, job),
        history=tuple(run.history),
        state=_STATES.get(job.state, control.state.phase.value),
        is_over=is_over,
        needs_until_s=needs_s if needs_s is not None and math.isfinite(needs_s) else None,
    )


def _node(control: NearDedicated, job: Job) -> str:
    tree = control.machine.tree
    return tree.node(job.node).name if job.node is not None and job.node in tree else ""


def _done_s(control: NearDedicated, run: Run, job: Job) -> float | None:
    account = control.batch.ja(run.request)
    pace = pace_of(run, control.shown(job), account.efficiency)
    left_cpu_s = job.spec.requested_cpu_s - account.cpu_s
    machine, processors = control.machine, job.spec.processors(control.machine.spec.cpus)
    return done_s(machine.now_s, left_cpu_s, processors, pace)


def end_words(job: JobCard, at: Callable[[float], str]) -> str:
    """Return the job's end: expected, or the watchdog's kill and the time that the job would need, if it
    makes progress; empty without a pace. `at` formats a time.
    """
    if job.expected_end_s is None:
        return ""
    if job.is_stuck:
        return f"killed at {at(job.watchdog_s)}, no progress now"
    if job.short_s and job.needs_until_s is not None:
        return f"killed at {at(job.watchdog_s)}, needs until about {at(job.needs_until_s)}"
    return f"expected end {at(job.expected_end_s)}"


def _waiting_for(control: NearDedicated, job: Job) -> str:
    if job.state == "ended":
        return ""
    if job.state != "running":
        return "its checkpoint"
    if job.phase == "setup":
        return "data from the file server"
    return control.preemption.waits_for(job)


def preemption_text(control: NearDedicated) -> str:
    """Return the running job's waits for memory and SDS, `22 s + 47 s`, or its setup time before them."""
    run = control.state.run
    job = None if run is None else control.job_of(run.request)
    if run is None or job is None:
        return ""
    account = control.batch.ja(run.request)
    if job.phase == "setup":
        return f"setup {length_words(account.preparation_s)} so far"
    return f"{account.swap_s:.0f} s + {account.sds_wait_s:.0f} s"


def so_far(control: NearDedicated) -> str:
    """Return the elapsed time of the phase, or that its job was killed."""
    if is_over(control):
        return "job killed"
    elapsed_s = control.machine.now_s - control.state.since_tick / control.machine.spec.hz
    return length_words(elapsed_s)


def is_over(control: NearDedicated) -> bool:
    """Return True if the job was killed and will be gone when the clock runs."""
    run = control.state.run
    job = None if run is None else control.job_of(run.request)
    return job is not None and job.state == "ended"


def done_s(now_s: float, left_cpu_s: float, tasks: int, efficiency: float | None) -> float | None:
    """Return the time at which all requested CPU time is used at an efficiency; times in s since 0.

    Only the requested time is known: a job that needs less ends earlier. The result is never in the past,
    infinite at an efficiency of 0, and None without one. The mock-up has 16 h requested on 8 processors, of
    which 4:34:51 are used by 23:45 at 89.7 %: that gives 01:20 here and 01:13 there, which is 16 h at that
    efficiency from the job's start, without its setup.
    """
    if efficiency is None:
        return None
    left_s, rate = max(0.0, left_cpu_s), tasks * efficiency
    if not left_s:
        return now_s
    return now_s + left_s / rate if rate > 0 else math.inf


def pace_of(run: Run, shown: float | None, mean: float | None) -> float | None:
    """Return the CPU efficiency for estimates.

    It is that of the last whole interval, before that the demonstrated one, or the mean so far. An interval
    with a part of the setup does not show a job's pace.
    """
    last = run.history[-1] if run.history else None
    if last is not None and last.efficiency is not None and not last.partly_setup:
        return last.efficiency
    return mean if shown is None else shown
