"""Queues, jobs, the near-dedicated section and events about them, as lines of a scenario file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from itertools import groupby
from typing import Any

from fsconsole.shares.scenario.actions import SubmitJob
from fsconsole.shares.scenario.event_kinds import EVENTS, NODES, called, fields_that_refer
from fsconsole.shares.scenario.job_spec import JobSpec, QueueSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.shares.scenario.ranges import is_time
from fsconsole.shares.scenario.scalars import flow, flow_key, scalar
from fsconsole.shares.scenario.settings import setting_text
from fsconsole.text.durations import in_words

Refer = Callable[[int], str]
_LEAST_MW = 0.1  # Smaller sizes are written in clicks.


def queue_items(queues: Iterable[QueueSpec], refer: Refer) -> list[dict[str, str]]:
    """Return queues as mappings; `refer` writes a node."""
    return [_fields(queue, refer) for queue in queues]


def job_items(jobs: Iterable[JobSpec]) -> list[dict[str, str]]:
    """Return jobs as mappings; those alike that follow each other are one with a count."""
    found = []
    for job, alike in groupby(jobs):
        count = len(list(alike))
        found.append(_fields(job) | ({"count": scalar(count)} if count > 1 else {}))
    return found


def near_dedicated_lines(spec: NearDedicatedSpec | None) -> list[str]:
    """Return the section near_dedicated; it always has the queue and the windows."""
    if spec is None:
        return []
    default = NearDedicatedSpec()
    lines = ["near_dedicated:", f"  queue: {scalar(spec.queue)}"]
    for item in fields(spec):
        value = getattr(spec, item.name)
        if item.name != "queue" and value != getattr(default, item.name):
            lines.append(f"  {item.name}: {setting_text(item.name, value)}")
    return lines


def event_item(action: Any, refer: Refer) -> dict[str, str]:
    """Return the keys of an event besides its time, by the declaration of its action; `refer` writes a
    node.
    """
    kind = EVENTS[type(action)]
    if kind.is_word:
        return {kind.key: flow_key(next(iter(_values(action)))[1])}
    item = _fields(action.job if isinstance(action, SubmitJob) else action, refer)
    return {kind.key: flow(item) if item or not kind.is_bare else "true"}


def memory_item(clicks: int, key: str = "memory_mw") -> dict[str, str]:
    """Return memory or SDS in as few digits of a MW as give the same clicks; little memory in clicks."""
    if key == "memory_mw" and 0 < clicks < _LEAST_MW * CLICKS_PER_MW:
        return {"clicks": scalar(clicks)}
    exact = clicks / CLICKS_PER_MW
    near = (round(exact, digits) for digits in range(5))
    text = next((value for value in near if round(value * CLICKS_PER_MW) == clicks), exact)
    return {key: scalar(float(text))} if clicks else {}


def _values(spec: Any) -> Iterator[tuple[str, Any]]:
    """Yield (field, value) of each value that differs from its default."""
    for item in fields(spec):
        value = getattr(spec, item.name)
        if item.default is MISSING or value != item.default:
            yield item.name, value


def _fields(spec: Any, refer: Refer = str) -> dict[str, str]:
    keys = called(type(spec))
    nodes = {name for name, to, _ in fields_that_refer(type(spec)) if to in NODES}
    found = {}
    for name, value in _values(spec):
        found[keys[name]] = refer(value) if name in nodes else _text(keys[name], value)
    return found


def _text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return flow_key(value)
    if is_time(key) and not isinstance(value, bool):
        return in_words(float(value))
    return scalar(value, in_flow=True)
