"""The controller's records of an open window: a line for each interval, a line for each job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fsconsole.machine.jobs.job import Job
from fsconsole.machine.machine import Machine
from fsconsole.machine.meter import Totals
from fsconsole.neardedicated.nd_window import Night, parts_of
from fsconsole.neardedicated.state import Run
from fsconsole.neardedicated.view import Efficiency, JobRow, Phase, UseRow
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW

if TYPE_CHECKING:
    from fsconsole.neardedicated.controller import NearDedicated


def totals(machine: Machine) -> Totals:
    """Return the machine's totals since its start."""
    return machine.meter.totals(machine.processes)


def take_row(control: NearDedicated) -> None:
    """Write a line for the interval that ends now, unless it is empty, and check the job's efficiency."""
    machine, state = control.machine, control.state
    night = state.night
    if night is None or machine.tick <= night.row_tick:
        return
    now = totals(machine)
    parts = parts_of(now - night.at_row, machine.tick - night.row_tick)
    row = UseRow(machine.now_s, parts.user, parts.system, parts.idle, parts.mflops)
    job = None if state.run is None else control.job_of(state.run.request)
    if state.run is not None and job is not None and not job.waits:
        row = _with_job(control, row, state.run, job, night)
    night.use.append(row)
    night.at_row, night.row_tick = now, machine.tick
    lasting = {alert.key for alert in control.alerts()}
    state.acknowledged = {key: tick for key, tick in state.acknowledged.items() if key in lasting}


def _with_job(control: NearDedicated, row: UseRow, run: Run, job: Job, night: Night) -> UseRow:
    machine, account = control.machine, control.batch.ja(job.request)
    since = max(night.row_tick, run.started_tick)
    wall_s = (machine.tick - since) / machine.spec.hz
    computes = account.efficiency is not None
    # Preparation and the first waits for memory and SDS do not count as low efficiency.
    is_whole = control.state.phase is Phase.RUNNING and control.state.since_tick <= since
    used_s, done = account.cpu_s - run.cpu_s, account.mflop - run.mflop
    run.efficiency = used_s / (job.processors * wall_s) if computes and wall_s else None
    run.mflops = done / wall_s if wall_s else 0.0
    required = control.spec.required_efficiency
    if run.efficiency is None or run.efficiency >= required:
        run.below_since_s = None
    elif is_whole and run.below_since_s is None:
        run.below_since_s = since / machine.spec.hz
    run.cpu_s, run.mflop = account.cpu_s, account.mflop
    partly_setup = computes and not is_whole
    run.history.append(Efficiency(row.time_s, run.efficiency, partly_setup))
    sds_clicks = round(account.sds_mw * CLICKS_PER_MW)
    return UseRow(
        row.time_s, row.user, row.system, row.idle, row.mflops,
        control.queue.person_of(job), run.efficiency, account.memory_mw, sds_clicks, account.sbrk,
        account.swaps, partly_setup,
    )  # fmt: skip


def job_row(control: NearDedicated, job: Job, how: str) -> JobRow:
    """Return the summary line of a job that has ended."""
    account, hz = control.batch.ja(job.request), control.machine.spec.hz
    return JobRow(
        job.request,
        control.queue.person_of(job),
        job.spec.name,
        (job.started_tick or 0) / hz,
        account.wall_s,
        account.preparation_s,
        account.efficiency,
        account.sbrk,
        account.swaps,
        account.swap_s,
        account.sds_wait_s,
        account.most_memory_mw,
        account.most_sds_mw,
        account.cpu_s,
        job.exit_status or 0,
        how,
    )
