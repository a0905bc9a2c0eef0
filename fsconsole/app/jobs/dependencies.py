"""Dependencies of a job in words, and the jobs that it waits for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from fsconsole.slurm.dependencies import Dependency, read_dependencies
from fsconsole.slurm.jobs import Job
from fsconsole.text.words import count_words

_KINDS = {
    "after": "{job} to begin",
    "afterany": "{job} to end",
    "afterok": "{job} to end without error",
    "afternotok": "{job} to fail",
    "aftercorr": "the same task of {job} to end without error",
    "afterburstbuffer": "{job} to write back its burst buffer",
    "expand": "{job}, whose nodes it takes over",
}
_SINGLETON = "earlier jobs of its user and name to end"
_STATUS = {"failed": " (cannot happen any more)", "fulfilled": " (done)"}


@lru_cache(maxsize=4096)
def dependency_words(text: str) -> str:
    """Describe dependencies: `waits for 4711 to end well`, joined by `and` or `or`; empty without any."""
    found = read_dependencies(text)
    conditions = [*map(_words, found.items), *found.rest]
    if not conditions:
        return ""
    between = " or for " if found.is_any else " and for "
    return f"waits for {between.join(conditions)}"


def dependency_search(text: str) -> str:
    """Return the searchable text of dependencies: our words, then Slurm's, one per line."""
    return f"{dependency_words(text)}\n{text}".casefold() if text else ""


def awaited_jobs(text: str) -> tuple[str, ...]:
    """Return labels of the jobs that it waits for, each once, those first that are not settled yet."""
    items = sorted(read_dependencies(text).items, key=lambda one: one.status in _STATUS)
    return tuple(dict.fromkeys(one.job for one in items if one.job))


def dependents(job: Job, jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Return jobs that wait for one, or for the array that it is a task of."""
    names = {job.label, str(job.job_id)}
    if job.array_job_id:
        names.add(str(job.array_job_id))
    return tuple(one for one in jobs if one.dependency and not names.isdisjoint(awaited_jobs(one.dependency)))


def waiting_words(text: str, state_of: Callable[[str], str]) -> str:
    """Return `dependency_words` with the state of each awaited job, a line each.

    `state_of` gives a job's state in words, empty where the job is not known any more.
    """
    found = read_dependencies(text)
    lines = [_line(one, state_of(one.job)) for one in found.items]
    if len(lines) > 1 and found.is_any:
        lines = ["one of these is enough:", *lines]
    return "\n".join([*lines, *found.rest])


def _line(one: Dependency, state: str) -> str:
    return f"{_words(one)}, now {state}" if state and not one.status.startswith("f") else _words(one)


def _words(one: Dependency) -> str:
    if one.kind == "singleton":
        return f"{_SINGLETON}{_STATUS.get(one.status, '')}"
    job = f"array {one.job}" if one.is_array else one.job
    text = _KINDS.get(one.kind, f"{{job}} ({one.kind})").format(job=job)
    if one.kind == "after" and one.wait_min:
        text = f"{job} to have started {count_words(one.wait_min, 'minute')} before"
    return f"{text}{_STATUS.get(one.status, '')}"
