"""Alerts about a running job for the operator."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fsconsole.neardedicated.times import clock
from fsconsole.neardedicated.view import Alert
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.text.durations import length_words
from fsconsole.text.numbers import percent, short_percent

WARN, DANGER = "warn", "danger"
_CAUSES = {
    "efficiency": "low efficiency",
    "watchdog": "coming watchdog kill",
    "sds": "wait for SDS",
    "killed": "kill",
    "lost": "loss",
    "start": "failed start",
}


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of the running job at `time_s`; times in s since 0.

    Attributes:
        started_s: start of the job.
        efficiency: over the last report interval; below_since_s: since when it is below the required one.
        deadline_s: time at which the watchdog kills the job.
        sds_since_s: since when it waits for SDS, or None; sds_mw: the SDS that it requests.
    """

    time_s: float
    request: int
    label: str
    started_s: float
    efficiency: float | None
    below_since_s: float | None
    deadline_s: float
    sds_since_s: float | None
    sds_mw: float


def about(key: str) -> str:
    """Return the subject of an alert from its key: `low efficiency of 41877`."""
    cause, _, request = key.partition(":")
    return f"{_CAUSES.get(cause, cause)} of {request}"


def alerts_of(now: Situation, spec: NearDedicatedSpec, start: datetime) -> list[Alert]:
    """Return the alerts whose causes persist."""
    found = (_inefficient(now, spec), _about_to_end(now, spec, start), _starving(now, spec))
    return [alert for alert in found if alert is not None]


def _inefficient(now: Situation, spec: NearDedicatedSpec) -> Alert | None:
    since_s = now.below_since_s
    if since_s is None or now.efficiency is None or now.time_s - since_s < spec.alert_after_s:
        return None
    text = (
        f"{now.label} has run at {percent(now.efficiency)}, below "
        f"{short_percent(spec.required_efficiency)}, for {length_words(now.time_s - since_s)}"
    )
    return Alert(f"efficiency:{now.request}", WARN, text, since_s)


def _about_to_end(now: Situation, spec: NearDedicatedSpec, start: datetime) -> Alert | None:
    left_s = now.deadline_s - now.time_s
    if left_s > spec.alert_before_s:
        return None
    text = f"the watchdog will kill {now.label} at {clock(start, now.deadline_s)}, in {length_words(left_s)}"
    since_s = max(now.started_s, now.deadline_s - spec.alert_before_s)
    return Alert(f"watchdog:{now.request}", WARN, text, since_s)


def _starving(now: Situation, spec: NearDedicatedSpec) -> Alert | None:
    since_s = now.sds_since_s
    if since_s is None or now.time_s - since_s <= spec.sds_alert_s:
        return None
    waited = length_words(now.time_s - since_s)
    text = f"{now.label} has waited for {now.sds_mw:.1f} MW of SDS for {waited}"
    return Alert(f"sds:{now.request}", DANGER, text, since_s)
