"""The life of jobs: setup, memory, SDS, cycles, the end.

A phase is exact although the kernel does not know of it: each task gets the CPU ticks of its phase as its
remaining CPU time; a task that has used them up ends, is kept, and waits (BARRIER) for all others.

Input and output at a device is a phase of the first task: its burst ends after one tick, so that the kernel
puts its request into the device's queue, and it ends with the tick after the service.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fsconsole.machine import blocking
from fsconsole.machine.jobs.account import account_of, ready_tick
from fsconsole.machine.jobs.job import KILLED, Cycle, Job, Phase, how_it_ends
from fsconsole.machine.jobs.memory_requests import ask_sds, image_of, resize, rows_of
from fsconsole.machine.machine import Machine
from fsconsole.machine.operate import Refused
from fsconsole.machine.tick_kernel import RUNNABLE
from fsconsole.shares.scenario.actions import MAX_PROCESSES, StartProcess, Work
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.text.durations import LONGEST_S


class Life:
    """The lives of started jobs on one machine.

    Attributes:
        active: jobs that have been started and have not ended, by request.
        ready: requests of jobs with an event to handle in this tick.
        ended: jobs that have ended and are not recorded yet.
        changed: whether processes came or went, so that the machine must be refreshed.
    """

    def __init__(self, machine: Machine) -> None:
        """Start without a job."""
        self._machine = machine
        self.active: dict[int, Job] = {}
        self.ready: list[int] = []
        self.ended: list[Job] = []
        self.changed = False
        self._by_pid: dict[int, Job] = {}

    def take_up(self, jobs: Sequence[Job], ready: Sequence[int]) -> None:
        """Continue the jobs of a checkpoint."""
        self.active = {job.request: job for job in jobs}
        self._by_pid = {pid: job for job in jobs for pid in job.pids}
        self.ready, self.ended, self.changed = list(ready), [], False

    # -- from the start to the first cycle ----------------------------------------------------------------

    def start(self, job: Job, node: int) -> None:
        """Start a job's first process.

        Raises:
            Refused: the job cannot be started.
            LookupError: a node or person is unknown.
        """
        machine, spec = self._machine, job.spec
        if len(machine.processes) + spec.tasks > MAX_PROCESSES:
            msg = f"the machine holds at most {MAX_PROCESSES} processes and has no room for {spec.tasks} more"
            raise Refused(msg)
        setup = round(spec.setup_s * machine.spec.hz)
        size_mw = spec.setup_mw if setup else spec.memory_mw
        self._add(job, node, 1, size_mw)
        job.state, job.node, job.why_held = "running", node, ""
        job.started_tick = job.phase_tick = machine.tick
        job.processors = spec.processors(machine.spec.cpus)
        self.active[job.request] = job
        if setup:
            job.phase, job.wake_tick = "setup", machine.tick + setup
            blocking.hold(machine, rows_of(machine, job.pids), blocking.ASLEEP)
        else:
            self._compute(job)

    def _add(self, job: Job, node: int, count: int, size_mw: float) -> None:
        spec = job.spec
        start = StartProcess(node, work_of(spec, size_mw), spec.name, count, None, spec.person)
        pids = self._machine.operations.add(start, image=job.image or None)
        job.pids += pids
        self._by_pid.update(dict.fromkeys(pids, job))
        self.changed = True

    def _compute(self, job: Job) -> None:
        """Start all tasks and the memory request; the first task requests SDS if the job needs any."""
        machine, spec = self._machine, job.spec
        if spec.tasks > 1:
            assert job.node is not None  # noqa: S101 (for mypy)
            self._add(job, job.node, spec.tasks - 1, 0.0)
        table, rows = machine.processes, rows_of(machine, job.pids)
        # The new tasks share the state of their image: out of memory, suspended.
        image_held = int(table.held[rows[0]]) & ~blocking.ASLEEP
        blocking.hold(machine, rows, image_held | blocking.BARRIER)
        blocking.let_go(table, rows, blocking.ASLEEP)
        resize(machine, job.image, _clicks(spec.memory_mw))
        if spec.sds_mw:
            # It requests SDS once it is in memory, which its first tick of CPU time shows.
            self._enter(job, "asking")
        else:
            self._enter(job, self._cycle(job).following(""))

    # -- phases -------------------------------------------------------------------------------------------

    def _cycle(self, job: Job) -> Cycle:
        return Cycle.of(job.spec, self._machine.spec.hz)

    def _enter(self, job: Job, phase: Phase) -> None:
        """Begin a phase; all tasks are at the barrier."""
        machine, cycle = self._machine, self._cycle(job)
        job.phase, job.phase_tick, job.wake_tick = phase, machine.tick, None
        job.processors = max(job.processors, job.spec.processors(machine.spec.cpus))
        rows = rows_of(machine, job.pids)
        if phase == "io" and job.spec.device is None:
            job.handed, job.wake_tick = [], machine.tick + cycle.io
            blocking.hold(machine, rows, blocking.ASLEEP)
            return
        job.handed = cycle.handed(phase, cycle.needed - job.given_ticks)
        job.to_arrive = len(job.handed)
        running = rows[: len(job.handed)]
        machine.processes.cpu_left[running] = job.handed
        if phase == "io":
            machine.processes.burst_left[running] = 1
        blocking.let_go(machine.processes, running, blocking.BARRIER)

    def arrive(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Stop processes, by row [ended], that have used up their CPU time.

        Returns:
            Rows of those of jobs, which wait at the barrier, int64 [kept].
        """
        table = self._machine.processes
        jobs = [(row, self._by_pid.get(int(table.pid[row]))) for row in rows]
        own = np.array([row for row, job in jobs if job is not None], np.int64)
        table.held[own] |= blocking.BARRIER
        table.kept[own] = RUNNABLE
        for _, job in jobs:
            if job is not None:
                job.to_arrive -= 1
                if not job.to_arrive:
                    self.ready.append(job.request)
        return own

    def step(self) -> None:
        """Continue jobs that have finished a step, by request number."""
        now = self._machine.tick
        asleep = (job for job in self.active.values() if job.state == "running" and job.wake_tick is not None)
        woken = [job.request for job in asleep if job.wake_tick is not None and job.wake_tick <= now]
        waiting, self.ready = sorted({*self.ready, *woken}), []
        for request in waiting:
            job = self.active.get(request)
            if job is not None and job.lost:
                self._end_lost(job)
            elif job is not None and job.wake_tick is not None:
                self._wake(job)
            elif job is not None:
                self._next_phase(job)

    def _wake(self, job: Job) -> None:
        elapsed = self._machine.tick - job.phase_tick
        self.note_image(job)
        if job.phase == "setup":
            job.setup_ticks += elapsed
            self._end_setup(job)
            return
        job.io_ticks += elapsed
        rows = rows_of(self._machine, job.pids)
        blocking.let_go(self._machine.processes, rows, blocking.ASLEEP)
        self._enter(job, self._cycle(job).following(job.phase))

    def _end_setup(self, job: Job) -> None:
        job.wake_tick, job.phase = None, "asking"
        try:
            self._compute(job)
        except (Refused, LookupError) as reason:
            job.handed = []
            self.end(job, f"killed: {reason.args[0]}", KILLED)

    def _next_phase(self, job: Job) -> None:
        if job.phase == "io":
            job.io_ticks += self._machine.tick - job.phase_tick
        _count_computing(job, max(job.handed))
        job.given_ticks += sum(job.handed)
        job.handed = []
        self.note_image(job)
        cycle = self._cycle(job)
        if job.given_ticks >= cycle.needed:
            self.end(job, *how_it_ends(job.spec))
            return
        if job.phase == "asking":
            job.asked_sds = True
            ask_sds(self._machine, job.image, _clicks(job.spec.sds_mw))
        self._enter(job, cycle.following(job.phase))

    def note_image(self, job: Job) -> None:
        """Add up the waits of its image; waits in setup and input and output are part of these phases."""
        machine = self._machine
        job.ready_tick = ready_tick(machine, job)
        for row in rows_of(machine, [job.image]):
            job.most_clicks = max(job.most_clicks, int(machine.processes.clicks[row]))
            job.most_sds_clicks = max(job.most_sds_clicks, int(machine.processes.sds_clicks[row]))
        image = image_of(machine, job.image)
        if image is None:
            return
        waited, sds_waited, suspended = image.waits_ticks(machine.tick)
        if job.phase not in ("setup", "io") and job.stopped_since is None:
            job.swap_ticks += waited - job.seen_swap_ticks
            job.sds_wait_ticks += sds_waited - job.seen_sds_ticks
            job.stopped_ticks += suspended - job.seen_suspended_ticks
        job.seen_swap_ticks, job.seen_sds_ticks = waited, sds_waited
        job.seen_suspended_ticks = suspended
        job.swaps = image.swaps

    # -- the end ------------------------------------------------------------------------------------------

    def end(self, job: Job, how: str, exit_status: int) -> tuple[int, ...]:
        """End a job now with its processes; return their pids."""
        machine = self._machine
        self.note_image(job)
        if job.handed and not job.lost:
            rows = rows_of(machine, job.pids[: len(job.handed)])
            done = np.array(job.handed) - machine.processes.cpu_left[rows]
            _count_computing(job, int(done.max()))
            job.handed = []
        job.account = account_of(machine, job).to_json()
        job.account |= {"memory_mw": 0.0, "sds_mw": 0.0}
        job.state, job.ended_tick, job.how, job.exit_status = "ended", machine.tick, how, exit_status
        del self.active[job.request]
        self.ended.append(job)
        return self._drop(job)

    def _drop(self, job: Job) -> tuple[int, ...]:
        machine, pids = self._machine, tuple(job.pids)
        for pid in pids:
            self._by_pid.pop(pid, None)
        gone = np.zeros(len(machine.processes), np.bool_)
        gone[rows_of(machine, pids)] = True
        machine.drop_processes(gone)
        self.changed = True
        return pids

    def lose(self, pids: NDArray[np.int64]) -> None:
        """Handle lost processes, by pid [dropped]; a job that loses one ends."""
        for pid in pids.tolist():
            job = self._by_pid.pop(pid, None)
            if job is not None and job.state != "ended":
                job.lost = True
                self.ready.append(job.request)

    def _end_lost(self, job: Job) -> None:
        # The use in an interrupted phase is lost with its process: only complete phases are counted.
        job.handed = []
        has_node = job.node in self._machine.flat.row_of
        self.end(job, "killed with one of its processes" if has_node else "killed with its l-node", KILLED)

    def forget_all(self) -> list[Job]:
        """Forget all jobs because the machine stops; return them."""
        jobs = sorted(self.active.values(), key=lambda job: job.request)
        self.take_up((), ())
        return jobs


def work_of(spec: JobSpec, size_mw: float = 0.0) -> Work:
    """Return the work of a job's processes; their bursts have no end but for a request (`Life._enter`)."""
    return Work(
        burst_s=None if spec.device is None else LONGEST_S,
        device=spec.device,
        io_s=0.0 if spec.device is None else spec.io_s,
        spread="fixed",
        clicks=_clicks(size_mw),
        system_fraction=spec.system_fraction,
        mflops=spec.mflops,
        locked_fraction=spec.locked_fraction,
    )


def _count_computing(job: Job, ticks: int) -> None:
    """Add ticks of a phase to the computing time; those of a request are not input and output."""
    job.computing_ticks += ticks
    if job.phase == "io":
        job.io_ticks -= ticks


def _clicks(size_mw: float) -> int:
    return round(size_mw * CLICKS_PER_MW)
