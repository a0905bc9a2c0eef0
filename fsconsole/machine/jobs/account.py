"""The account of a job as `ja` shows it, while it runs and after its end."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from fsconsole.machine.jobs.job import Job
from fsconsole.machine.jobs.memory_requests import image_of, rows_of
from fsconsole.machine.machine import Machine
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW


@dataclass(frozen=True, slots=True)
class JobAccount:
    """Times in seconds. setup, io, swap, sds_wait, stopped, computing and run_wait are wall_s, exactly.

    Attributes:
        user_s, system_s, cpu_s: CPU time of all tasks; cpu_s is the sum.
        wall_s: since the job was started.
        setup_s: time before it requested its memory and SDS, with waits for memory until then.
        preparation_s: wall time before it computed: its setup and its first wait for memory and SDS, so far
            if it still prepares. The paper's Setup (Source: Brady, Ciuffini, Hardy 1996, Figure 3).
        efficiency: cpu_s / (processors * (wall_s - preparation_s)), None while it prepares; processors that
            its tasks can use at once.
        mflop: floating-point operations, in millions.
        memory_mw, sds_mw: held now, 0 while swapped out and after the end; most_memory_mw, most_sds_mw.
        swaps, swap_s: number of swap-outs, and time waited for memory.
        sds_wait_s: time waited for SDS.
        sbrk: waits for more memory that were not swaps; here jobs grow by a swap, so 0, as in Figure 3.
        io_s: input and output, with waits for a device.
        stopped_s: suspended; checkpointed, on the way there, and back.
        computing_s: wall time of its phases if undisturbed.
        run_wait_s: the rest: ready, but without a processor (Run-Wait of Figure 5).
    """

    user_s: float
    system_s: float
    cpu_s: float
    wall_s: float
    setup_s: float
    preparation_s: float
    efficiency: float | None
    mflop: float
    memory_mw: float
    sds_mw: float
    most_memory_mw: float
    most_sds_mw: float
    swaps: int
    swap_s: float
    sds_wait_s: float
    sbrk: int
    io_s: float
    stopped_s: float
    computing_s: float
    run_wait_s: float

    def to_json(self) -> dict[str, Any]:
        """Return plain data, which are the keywords of the class."""
        return asdict(self)


def account_of(machine: Machine, job: Job) -> JobAccount:
    """Return the present account of a job, or the last one of a job that has ended."""
    if job.account is not None:
        return JobAccount(**job.account)
    ticks, ready = _ticks(machine, job), ready_tick(machine, job)
    hz, spec = machine.spec.hz, job.spec
    cpu_s, (memory_mw, sds_mw) = _cpu_ticks(machine, job) / hz, _held_mw(machine, job)
    seconds = {f"{name}_s": count / hz for name, count in ticks.items()}
    preparation = ticks["wall"] if ready is None else ready - (job.started_tick or 0)
    beyond = job.processors * (ticks["wall"] - preparation) / hz
    user_s = cpu_s * (1 - spec.system_fraction)
    return JobAccount(
        user_s=user_s,
        system_s=cpu_s - user_s,
        cpu_s=cpu_s,
        preparation_s=preparation / hz,
        efficiency=cpu_s / beyond if beyond else None,
        mflop=user_s * spec.mflops,
        memory_mw=memory_mw,
        sds_mw=sds_mw,
        most_memory_mw=max(job.most_clicks / CLICKS_PER_MW, memory_mw),
        most_sds_mw=max(job.most_sds_clicks / CLICKS_PER_MW, sds_mw),
        swaps=job.swaps,
        sbrk=0,
        **seconds,
    )


def ready_tick(machine: Machine, job: Job) -> int | None:
    """Return the first tick with the job's memory and SDS for computing; None while it prepares."""
    if job.ready_tick is not None or job.phase in ("", "setup", "asking"):
        return job.ready_tick
    image = image_of(machine, job.image)
    if image is None:
        return job.phase_tick
    grows = image.growing or image.grow_to is not None
    waits = image.sds == "waiting" and not image.sds_lost
    return None if grows or waits else max(job.phase_tick, image.settled_tick)


def _ticks(machine: Machine, job: Job) -> dict[str, int]:
    """Return ticks of each component; run_wait is the rest of the wall time."""
    now = machine.tick if job.ended_tick is None else job.ended_tick
    stopped = 0 if job.stopped_since is None else now - job.stopped_since
    since = 0 if job.started_tick is None else now - stopped - job.phase_tick
    swap, sds_wait, suspended = _waits(machine, job)
    computed = _computed(machine, job)
    parts = {
        "setup": job.setup_ticks + (since if job.phase == "setup" else 0),
        "io": job.io_ticks + (since - computed if job.phase == "io" else 0),
        "swap": swap,
        "sds_wait": sds_wait,
        "stopped": job.stopped_ticks + stopped + suspended,
        "computing": job.computing_ticks + computed,
    }
    wall = 0 if job.started_tick is None else now - job.started_tick
    return {"wall": wall, **parts, "run_wait": wall - sum(parts.values())}


def _waits(machine: Machine, job: Job) -> tuple[int, int, int]:
    """Return ticks waited for memory and SDS, and ticks suspended since they were last noted.

    Waits in setup or input and output are part of those phases.
    """
    swap, sds_wait, image = job.swap_ticks, job.sds_wait_ticks, image_of(machine, job.image)
    if image is None or job.phase in ("", "setup", "io") or job.stopped_since is not None:
        return swap, sds_wait, 0
    waited, sds_waited, suspended = image.waits_ticks(machine.tick)
    return (
        swap + waited - job.seen_swap_ticks,
        sds_wait + sds_waited - job.seen_sds_ticks,
        suspended - job.seen_suspended_ticks,
    )


def _computed(machine: Machine, job: Job) -> int:
    """Return the progress of the present phase, that of its most advanced task."""
    if not job.handed:
        return 0
    rows = rows_of(machine, job.pids[: len(job.handed)])
    if len(rows) < len(job.handed):
        return 0
    done = np.array(job.handed) - machine.processes.cpu_left[rows]
    return int(done.max())


def _cpu_ticks(machine: Machine, job: Job) -> int:
    """Return the CPU ticks of all processes; at least those of its complete phases, if others ended some."""
    rows = rows_of(machine, job.pids)
    return max(job.given_ticks, int(machine.processes.cpu_ticks[rows].sum()))


def _held_mw(machine: Machine, job: Job) -> tuple[float, float]:
    """Return memory and SDS that a job has now, in MW."""
    rows = rows_of(machine, [job.image])
    if not len(rows) or job.state == "checkpointed":
        return 0.0, 0.0
    table, image = machine.processes, image_of(machine, job.image)
    clicks, sds_clicks = int(table.clicks[rows[0]]), int(table.sds_clicks[rows[0]])
    if image is not None and image.where not in ("in", "going out"):
        clicks = 0
    if image is not None and machine.spec.memory.sds_mw and image.sds not in ("held", "writing"):
        sds_clicks = 0
    return clicks / CLICKS_PER_MW, sds_clicks / CLICKS_PER_MW
