"""Queues whose node has gone are left out, with their jobs and all that is said of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

from fsconsole.shares.scenario.actions import Action
from fsconsole.shares.scenario.job_actions import JobAction, SetQueue, SubmitJob, WindowAction
from fsconsole.shares.scenario.job_spec import FIRST_REQUEST, JobSpec, QueueSpec
from fsconsole.shares.scenario.spec import Event, Scenario


def pruned_batch(
    scenario: Scenario, can_work: Callable[[int], bool], is_user: Callable[[str], bool]
) -> dict[str, Any]:
    """Queues, jobs, near-dedicated section and events that are left, as fields of the scenario.

    A job needs its queue and its submitter. Requests that events name keep their jobs, not their numbers.
    """
    queues = tuple(queue for queue in scenario.queues if queue.node is None or can_work(queue.node))
    near = scenario.near_dedicated
    names = {queue.name for queue in queues}
    keep = _Left(queues, is_user)
    numbers = _new_numbers(scenario, keep)
    has_windows = near is not None and near.queue in names
    events = (Event(one.at_s, _with_number(one.action, numbers)) for one in scenario.events)
    return {
        "queues": queues,
        "jobs": tuple(job for job in scenario.jobs if keep.job(job)),
        "near_dedicated": near if has_windows else None,
        "events": tuple(one for one in events if keep.action(one.action, has_windows=has_windows)),
    }


class _Left:
    """What has its queue and its submitter still."""

    def __init__(self, queues: Iterable[QueueSpec], is_user: Callable[[str], bool]) -> None:
        self._queues = {queue.name for queue in queues}
        self._is_user = is_user

    def job(self, job: JobSpec) -> bool:
        return job.queue in self._queues and (not job.person or self._is_user(job.person))

    def action(self, action: Action, *, has_windows: bool) -> bool:
        if isinstance(action, SubmitJob):
            return self.job(action.job)
        if isinstance(action, SetQueue):
            return action.queue in self._queues
        if isinstance(action, WindowAction) and not has_windows:
            return False
        return not isinstance(action, JobAction | WindowAction) or getattr(action, "request", None) != 0


def _new_numbers(scenario: Scenario, keep: _Left) -> dict[int, int]:
    """New request numbers by old ones; 0 where the job has gone."""
    new = count(FIRST_REQUEST)
    jobs = enumerate(_submitted(scenario), FIRST_REQUEST)
    return {old: next(new) if keep.job(job) else 0 for old, job in jobs}


def _submitted(scenario: Scenario) -> Iterator[JobSpec]:
    """All jobs in the order in which they get their numbers."""
    yield from scenario.jobs
    for event in sorted(scenario.events, key=lambda event: event.at_s):
        if isinstance(event.action, SubmitJob):
            yield event.action.job


def _with_number(action: Action, numbers: dict[int, int]) -> Action:
    request = getattr(action, "request", None)
    new = numbers.get(request, request) if request is not None else None
    numbered: Any = action
    return action if new == request else replace(numbered, request=new)
