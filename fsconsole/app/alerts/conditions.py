"""The conditions that alerts are raised for, by the keys that they have."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from enum import StrEnum

from fsconsole.neardedicated.view import Alert


class Condition(StrEnum):
    """A cause of alerts; it begins the key of each of its alerts, as in `watchdog:41877`."""

    EFFICIENCY = "efficiency"
    WATCHDOG = "watchdog"
    SDS = "sds"
    ENDED = "ended"
    DISPLACED = "displaced"
    CONTROLLER = "controller"
    PENDING = "pending"


TITLES = {
    Condition.EFFICIENCY: "Near-dedicated job is inefficient",
    Condition.WATCHDOG: "Watchdog or time limit will soon end a near-dedicated job",
    Condition.SDS: "Near-dedicated job waits for SDS",
    Condition.ENDED: "Near-dedicated job was killed, lost or ended",
    Condition.DISPLACED: "Near-dedicated job lost its nodes",
    Condition.CONTROLLER: "Cluster does not respond",
    Condition.PENDING: "Many jobs are pending",
}
TIPS = {
    Condition.EFFICIENCY: "Simulated machine: efficiency below the required one",
    Condition.WATCHDOG: "Simulated machine: time from the scenario. Cluster: within 15 min of the limit",
    Condition.SDS: "Simulated machine",
    Condition.ENDED: "Simulated machine and cluster",
    Condition.DISPLACED: "Cluster: requeued, suspended or preempted",
    Condition.CONTROLLER: "Cluster: slurmctld only, or all of it",
    Condition.PENDING: "Cluster: more than the number in this row",
}
_OTHERS = {"killed": Condition.ENDED, "lost": Condition.ENDED, "start": Condition.ENDED}


def condition_of(alert: Alert) -> Condition:
    """Return the condition that an alert was raised for; a job's end for a key that is not known."""
    cause = alert.key.partition(":")[0]
    if cause in _OTHERS:
        return _OTHERS[cause]
    return next((one for one in Condition if one.value == cause), Condition.ENDED)


def chosen(alerts: Iterable[Alert], conditions: Collection[Condition]) -> tuple[Alert, ...]:
    """Return the alerts of some conditions, the worst and oldest first."""
    found = [alert for alert in alerts if condition_of(alert) in conditions]
    return tuple(sorted(found, key=lambda one: (one.level != "danger", one.since_s)))
