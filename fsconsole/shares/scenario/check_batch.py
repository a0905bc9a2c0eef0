"""Warnings about queues, jobs and near-dedicated windows that do not stop a scenario."""

from __future__ import annotations

from collections.abc import Iterator

from fsconsole.shares.scenario.actions import OpenWindow, SubmitJob
from fsconsole.shares.scenario.job_spec import JobSpec
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.shares.scenario.problems import Problem, Severity
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.weekly import WeeklyWindows
from fsconsole.text.durations import in_words


def about_batch(scenario: Scenario) -> list[Problem]:
    """Return warnings and notes; each has its section as its path."""
    submitted = [one.action.job for one in scenario.events if isinstance(one.action, SubmitJob)]
    jobs = [*scenario.jobs, *submitted]
    found = [*_too_many_tasks(scenario, jobs), *_about_limits(scenario, jobs)]
    if scenario.near_dedicated is not None:
        found += _about_windows(scenario, scenario.near_dedicated)
        found += _about_jobs(scenario, scenario.near_dedicated, jobs)
    return found


def _too_many_tasks(scenario: Scenario, jobs: list[JobSpec]) -> Iterator[Problem]:
    cpus = scenario.machine.cpus
    wide = [job for job in jobs if job.tasks > cpus]
    if wide:
        others = f" (and {len(wide) - 1} more)" if len(wide) > 1 else ""
        text = (
            f"{wide[0].name}{others} requests {wide[0].tasks} processors at once, but the machine has {cpus}"
        )
        yield Problem(text, Severity.WARNING, path="jobs")


def _about_limits(scenario: Scenario, jobs: list[JobSpec]) -> Iterator[Problem]:
    """Yield reasons why jobs can never be started, and amounts that they hold beyond their requests."""
    for queue in scenario.queues:
        if not queue.run_limit:
            text = f"no job of queue {queue.name} ever starts: its run_limit is 0"
            yield Problem(text, Severity.WARNING, path="queues")
    urm, near = scenario.machine.urm, scenario.near_dedicated
    most = urm.memory_mw
    if urm.prefers_a_size and not urm.size_wt:
        text = "URM's preferred size has no effect: urm.size_wt, its weight, is 0"
        yield Problem(text, Severity.WARNING, path="urm")
    for job in dict.fromkeys(jobs):
        if 0 < most < job.memory_mw and (near is None or job.queue != near.queue):
            text = f"{job.name} never starts: it needs {job.memory_mw:g} MW, but urm.memory_mw is"
            yield Problem(f"{text} {most:g} MW", Severity.WARNING, path="jobs")
        if job.setup_mw > job.memory_mw:
            text = f"{job.name} uses {job.setup_mw:g} MW while it prepares (setup_mw), more than the"
            text += f" {job.memory_mw:g} MW that it requests. Limits apply to memory_mw only"
            yield Problem(text, Severity.WARNING, path="jobs")


def _about_windows(scenario: Scenario, near: NearDedicatedSpec) -> Iterator[Problem]:
    """Yield a queue that starts its jobs by itself leaves none to the window."""
    queue = next((one for one in scenario.queues if one.name == near.queue), None)
    if queue is not None and queue.started:
        text = (
            f"queue {near.queue} starts its jobs by itself, inside and outside the window. Write "
            "started: false"
        )
        yield Problem(text, Severity.WARNING, path="near_dedicated")
    if near.mode == "dedicated" and not (scenario.machine.memory.size_mw or scenario.machine.memory.sds_mw):
        text = "without memory.size_mw or memory.sds_mw, dedicated time stops jobs but no other processes"
        yield Problem(text, Severity.WARNING, path="near_dedicated")
    if not near.windows and not any(isinstance(one.action, OpenWindow) for one in scenario.events):
        text = "no windows are given: near-dedicated time begins only when an operator starts it"
        yield Problem(text, Severity.NOTE, path="near_dedicated")


def _about_jobs(scenario: Scenario, near: NearDedicatedSpec, jobs: list[JobSpec]) -> Iterator[Problem]:
    here = [job for job in jobs if job.queue == near.queue]
    if not here:
        text = f"no job is submitted to {near.queue}, so the window stays empty until one is"
        yield Problem(text, Severity.NOTE, path="near_dedicated")
    if near.estimate_factor < 1:
        text = f"estimate_factor {near.estimate_factor:g} is below 1: the watchdog kills jobs before they"
        yield Problem(f"{text} can use the time they request", Severity.WARNING, path="near_dedicated")
    longest_s = WeeklyWindows(near.windows).longest_s
    for job in dict.fromkeys(here):
        estimate_s = job.requested_cpu_s * near.estimate_factor / scenario.machine.cpus
        if job.setup_s >= estimate_s:
            text = f"{job.name} is killed while it prepares: setup_s is {in_words(job.setup_s)}, its estimate"
            yield Problem(f"{text} {in_words(estimate_s)}", Severity.WARNING, path="jobs")
        if longest_s and estimate_s > longest_s and not job.take_chances:
            text = f"{job.name} never fits: its estimate is {in_words(estimate_s)}, and the longest window"
            text += f" {in_words(longest_s)}; take_chances starts it anyway"
            yield Problem(text, Severity.WARNING, path="jobs")
