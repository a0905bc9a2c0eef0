"""Queues, jobs, the near-dedicated section and events about them: references resolved, limits looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fsconsole.shares.scenario.actions import StartProcess, SubmitJob
from fsconsole.shares.scenario.field_types import sound_values
from fsconsole.shares.scenario.job_spec import FIRST_REQUEST, JobSpec, QueueSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW
from fsconsole.shares.scenario.names import Names
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.shares.scenario.references import ReferenceReader, items
from fsconsole.shares.scenario.schema import MAX_JOBS
from fsconsole.shares.scenario.spec import Device, MachineSpec
from fsconsole.shares.scenario.yaml_nodes import Document, Map
from fsconsole.text.durations import in_words
from fsconsole.text.nearest import nearest_or_all

# The limits of a queue bound these requests of a job.
_LIMITED = {"most_cpu_s": "requested_cpu_s", "most_memory_mw": "memory_mw", "most_sds_mw": "sds_mw"}
_UNKNOWN_JOB: dict[str, Any] = {"name": "job", "queue": "queue", "requested_cpu_s": 1.0}


class BatchReader(ReferenceReader):
    """Reads queues first, then all that names them; checks references whatever else is wrong."""

    def __init__(
        self, document: Document, names: Names, devices: Iterable[Device], machine: MachineSpec | None
    ) -> None:
        """Prepare the reader; without a machine nothing is checked against the size of its memory."""
        super().__init__(document, names)
        self._devices = [device.name for device in devices]
        self._machine = machine
        self._no_queues = "the section queues is missing"
        self._queues: dict[str, QueueSpec] = {}
        self._charging: set[str] = set()
        self.has_windows = False
        self._submitted = 0
        self.requests: list[tuple[int, str, int]] = []

    def queues(self, raw: Any) -> tuple[QueueSpec, ...]:
        """Return all queues; one with a fault is among them, so that its name is known."""
        if raw is not None:
            self._no_queues = "" if raw else "the list queues is empty"
        for path, item in items(raw, "queues"):
            name = item.get("name")
            if not isinstance(name, str) or not name:
                continue
            if name != name.strip(" \t\r\n") or any(ord(char) < 32 for char in name):
                message = (
                    f"{name!r} is not a name of a queue: it cannot have spaces at its ends or a line break"
                )
                self.say(item.place_of("name"), message, f"{path}.name")
            if name in self._queues:
                self.say(item.place_of("name"), f"{name} occurs twice in queues. Write each name once", path)
            node = None
            if item.get("node") is not None:
                self._charging.add(name)
                node = self.worker(item["node"], item.place_of("node"), path)
            values = sound_values(QueueSpec, item) | {"name": name, "node": node.id if node else None}
            self._queues[name] = queue = QueueSpec(**values)
            self.say_fields(item, path, queue.problems())
        return tuple(self._queues.values())

    def know(self, queues: Iterable[QueueSpec], *, has_windows: bool) -> None:
        """Accept queues and windows that were read before, for events outside a file."""
        self._queues = {queue.name: queue for queue in queues}
        self._no_queues = "" if self._queues else self._no_queues
        self.has_windows = has_windows

    def near_dedicated(self, data: Map) -> NearDedicatedSpec | None:
        """Return the section of near-dedicated scheduling, None without one."""
        self.has_windows = "near_dedicated" in data
        raw: Any = data.get("near_dedicated")
        if not isinstance(raw, Map):
            return None
        spec = NearDedicatedSpec(**sound_values(NearDedicatedSpec, raw))
        self.say_fields(raw, "near_dedicated", spec.problems())
        place = raw.place_of("queue") if "queue" in raw else data.place_of("near_dedicated", of_key=True)
        self.check_queue(spec.queue, place, "near_dedicated.queue")
        return spec

    def jobs(self, raw: Any) -> tuple[JobSpec, ...]:
        """Return the jobs that are submitted at 0, in their order."""
        return tuple(job for path, item in items(raw, "jobs") for job in self._alike(item, path))

    def submit(self, value: Any, path: str) -> Iterator[SubmitJob]:
        """Read the jobs that an event submits."""
        yield from map(SubmitJob, self._alike(value, path) if isinstance(value, Map) else ())

    def check_requests(self) -> None:
        """Report events that name requests of no job; call it after all events are read."""
        last = FIRST_REQUEST + self._submitted - 1
        there = f"jobs of this file have the numbers {FIRST_REQUEST} to {last}"
        there = there if self._submitted else "this file submits no jobs"
        for place, path, request in self.requests:
            if not FIRST_REQUEST <= request <= last:
                self.say(place, f"no request {request}: {there}", path)

    def check_work(self, raw: Map, path: str) -> None:
        """Report impossible memory and SDS of a process."""
        if "memory_mw" in raw and "clicks" in raw:
            message = "memory_mw and clicks give the same memory. Leave one of them out"
            self.say(raw.place_of("clicks", of_key=True), message, path)
        for key, size in (("memory_mw", 1), ("clicks", CLICKS_PER_MW), ("sds_mw", 1)):
            value = raw.get(key)
            if isinstance(value, int | float) and not isinstance(value, bool):
                self._check_room(key, value / size, raw.place_of(key), path)

    def check_workloads(self, loads: Iterable[StartProcess], data: Map) -> None:
        """Report workloads that hold more SDS at 0 than the machine has."""
        if self._machine is None:
            return
        held = sum(load.count * load.work.sds_clicks for load in loads) / CLICKS_PER_MW
        if held > self._machine.memory.sds_mw > 0:
            message = f"workloads hold {held:g} MW of SDS together, and memory.sds_mw is"
            self.say(data.place_of("workloads"), f"{message} {self._machine.memory.sds_mw:g} MW", "workloads")

    # -- jobs ---------------------------------------------------------------------------------------------

    def _alike(self, item: Map, path: str) -> list[JobSpec]:
        """Return the job of an item, as many times as it is repeated."""
        count: Any = item.get("count", 1)
        times = count if type(count) is int and 1 <= count <= MAX_JOBS else 1
        self._submitted += times
        return [self._job(item, path)] * times

    def _job(self, item: Map, path: str) -> JobSpec:
        values = sound_values(JobSpec, item)
        values["person"] = self._submitter(item, path)
        job = JobSpec(**_UNKNOWN_JOB | values)
        self.say_fields(item, path, [one for one in job.problems() if one[0] not in ("name", "queue")])
        if isinstance(item.get("queue"), str) and job.queue:
            self.check_queue(job.queue, item.place_of("queue"), path)
            self._check_limits(job, item, values, path)
        if job.device is not None:
            self.check_device(item, path)
        for key in ("setup_mw", "memory_mw", "sds_mw"):
            if key in values:
                self._check_room(key, values[key], item.place_of(key), path)
        return job

    def _submitter(self, item: Map, path: str) -> str:
        user, queue = item.get("user"), item.get("queue")
        if isinstance(user, str):
            find = self.names.find_user_name
            return self.looked_up(lambda: find(user), item.place_of("user"), path) or ""
        if "user" not in item and queue in self._queues and queue not in self._charging:
            message = (
                f"the key user is missing: queue {queue} has no node, so it charges the user who "
                "submits the job"
            )
            self.say(item.place, message, path)
        return ""

    def _check_limits(self, job: JobSpec, item: Map, values: dict[str, Any], path: str) -> None:
        queue = self._queues.get(job.queue)
        for limit, key in _LIMITED.items():
            most = getattr(queue, limit, None)
            if most is None or key not in values or values[key] <= most:
                continue
            asked, allowed = _amount(key, values[key]), _amount(key, most)
            message = f"{job.name} requests {asked}, but queue {job.queue} allows at most {allowed} ({limit})"
            self.say(item.place_of(key), message, f"{path}.{key}")

    def _check_room(self, key: str, needed_mw: float, place: int, path: str) -> None:
        """Check that an image fits into memory and into SDS by itself."""
        if self._machine is None:
            return
        memory = self._machine.memory
        setting = "sds_mw" if key == "sds_mw" else "size_mw"
        there = getattr(memory, setting)
        if needed_mw <= there or (setting == "size_mw" and not there):
            return
        what = "SDS" if setting == "sds_mw" else "memory"
        message = f"{needed_mw:g} MW of {what} can never be allocated: memory.{setting} is {there:g} MW"
        self.say(place, message, f"{path}.{key}")

    # -- telling ------------------------------------------------------------------------------------------

    def check_device(self, raw: Map, path: str) -> None:
        """Report a device that the machine does not have."""
        name = raw["device"]
        if name not in self._devices:
            hint = nearest_or_all(name, self._devices) if self._devices else "; the list devices is empty"
            self.say(raw.place_of("device"), f"device {name} not found{hint}", path)

    def check_queue(self, name: str, place: int, path: str) -> None:
        """Report a queue that the file does not define."""
        if name in self._queues or not (self._queues or self._no_queues):
            # The name is known, or the queues have faults that are reported at their place.
            return
        hint = nearest_or_all(name, self._queues) if self._queues else f"; {self._no_queues}"
        self.say(place, f"queue {name} not found{hint}", path)


def _amount(key: str, value: float) -> str:
    return in_words(value) if key.endswith("_s") else f"{value:g} MW"
