"""Preemptive scheduling of CPU, memory and SDS: on while a job runs (Brady et al. section 3.2)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fsconsole.machine.jobs.job import Job
from fsconsole.machine.jobs.memory_requests import image_of
from fsconsole.recording.audit import CONTROL
from fsconsole.shares.scenario.actions import SetSetting

if TYPE_CHECKING:
    from fsconsole.neardedicated.controller import NearDedicated

# These settings are those of shradm, of nschedv and of the start of the SDS daemon.
PREEMPTIVE = {"policy.nosched": False, "memory.share_aware": True, "memory.sds_daemon": True}
_SET = "set setting"


class Preemption:
    """The switch of preemption; settings take effect at the next delta."""

    def __init__(self, controller: NearDedicated) -> None:
        """Attach to a controller, which keeps the `normal` settings."""
        self._controller = controller

    def in_force(self, key: str) -> Any:
        """Return a setting as it will be at the next delta."""
        machine = self._controller.machine
        room, _, name = key.partition(".")
        spec = machine.policy_spec if room == "policy" else getattr(machine.spec, room)
        return machine.waiting.settings.get(key, getattr(spec, name))

    @property
    def is_on(self) -> bool:
        """True if preemption is in force, or will be at the next delta."""
        return all(self.in_force(key) == value for key, value in PREEMPTIVE.items())

    def turn_on(self) -> None:
        """Set the preemptive settings that differ, and remember their old values."""
        normal = self._controller.state.normal
        for key, value in PREEMPTIVE.items():
            before = self.in_force(key)
            if before != value and self._set(key, value):
                normal[key] = before
        if normal:
            self._controller.log("preemption", _named(normal), "off", "on", "a job starts")

    def turn_off(self, since_tick: int) -> None:
        """Restore the settings changed at a tick, except those that people have set since."""
        by_hand = self._set_by_others(since_tick)
        back = [
            key
            for key, value in self._controller.state.normal.items()
            if key not in by_hand and self.in_force(key) != value and self._set(key, value)
        ]
        if back:
            self._controller.log("preemption", _named(back), "on", "off", "the job ended")

    def _set(self, key: str, value: object) -> bool:
        """Set one setting and return whether it worked; the log gets one line for all."""
        machine = self._controller.machine
        return machine.do_as(CONTROL, SetSetting(key, value), noted=False).done

    def _set_by_others(self, since_tick: int) -> set[str]:
        """Return settings that others have set since a tick, by the log."""
        log = self._controller.machine.audit
        fresh = log[bisect_left(log, since_tick, key=lambda row: row.tick) :]
        return {row.on for row in fresh if row.done and row.who != CONTROL and row.action == _SET}

    def is_settled(self) -> bool:
        """Return True if normal settings are in force."""
        waiting = self._controller.machine.waiting.settings
        return not any(key in waiting for key in self._controller.state.normal)

    def settle(self) -> None:
        """Drop the saved settings, because they are in force again."""
        self._controller.state.normal = {}

    def sds_since_s(self, job: Job) -> float | None:
        """Return the time since when a job waits for SDS; None if it does not."""
        image = image_of(self._controller.machine, job.image)
        waits = image is not None and self.waits_for(job) == "SDS"
        return image.sds_since / self._controller.machine.spec.hz if image is not None and waits else None

    def waits_for(self, job: Job) -> str:
        """Return the resource that a job's image lacks, `memory` or `SDS`; empty if it has both."""
        image = image_of(self._controller.machine, job.image)
        if image is None:
            return ""
        if image.sds not in ("none", "held"):
            return "SDS"
        return "" if image.where == "in" else "memory"


def _named(keys: Iterable[str]) -> str:
    """Return settings without their sections: `nosched, share_aware`."""
    return ", ".join(key.partition(".")[2] for key in keys)
