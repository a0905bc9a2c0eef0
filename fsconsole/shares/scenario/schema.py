"""The form of a scenario file, as pydantic models, and the JSON schema published from them.

`python -m fsconsole.shares.scenario.schema` writes resources/schema/scenario-1.json again.
Settings, queues and jobs are derived from their dataclasses, so a new field is a key of the file at once.
"""

from __future__ import annotations

import json
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema, create_model

from fsconsole.shares.scenario import actions
from fsconsole.shares.scenario.actions import MAX_CLICKS, MAX_PROCESSES, NORMAL_NICE
from fsconsole.shares.scenario.event_kinds import EVENTS, kinds_by_key
from fsconsole.shares.scenario.field_types import (
    NO_KEY,
    Duration,
    Limit,
    LongDuration,
    Name,
    Nice,
    Part,
    PastSeconds,
    Portion,
    Rate,
    Reference,
    Shares,
    Strict,
    derived,
    mapping_like,
    nothing_more,
    type_in_files,
    yes_only,
)
from fsconsole.shares.scenario.job_spec import FIRST_REQUEST, JobSpec, QueueSpec, UrmSpec
from fsconsole.shares.scenario.memory_spec import CLICKS_PER_MW, MemorySpec
from fsconsole.shares.scenario.nd_spec import NearDedicatedSpec
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.spec import FORMAT_VERSION, MachineSpec, Quantity

MAX_JOBS = 10_000  # One item of a file can be no more jobs.
_MOST_MW = MAX_CLICKS / CLICKS_PER_MW
_A_NIGHT = "{queue: nd, windows: daily 23:00-07:30}"
_REQUESTS = f"Requests have numbers from {FIRST_REQUEST} on: the list jobs first, then submit events"

Machine = derived("Machine", MachineSpec)
Policy = derived("Policy", PolicySpec)
Memory = derived("Memory", MemorySpec)
Urm = derived("Urm", UrmSpec)
NearDedicated = derived("NearDedicated", NearDedicatedSpec)
QueueForm = derived("QueueForm", QueueSpec, types={"name": Name, "node": Reference | None})
_COUNT = (int, Field(1, ge=1, le=MAX_JOBS, description="Equal jobs, one after the other"))
JobForm = derived(
    "JobForm",
    JobSpec,
    types={"name": Name, "queue": Name, "user": Reference | None},
    more={"count": _COUNT},
)


class WorkForm(Strict):
    """Work of a process: computing without a pause, or in bursts with sleeps between them."""

    burst_s: LongDuration | None = Field(None, description="Mean CPU time of a burst; left out: no pause")
    sleep_s: Duration = Field(0.0, description="Mean sleep after each burst")
    cpu_s: LongDuration | None = Field(None, description="CPU time after which the process ends")
    spread: Literal["fixed", "exponential"] = Field("exponential", description="Distribution of lengths")
    device: Name | None = Field(None, description=("Name of the device that gets a request after each burst"))
    io_s: Duration = Field(0.0, description="Mean time that the device needs for a request")
    syscalls_per_s: Rate = Field(0.0, description="System calls per CPU second")
    memory_mw: float = Field(0.0, ge=0, le=_MOST_MW, description="Memory held, in MW (8 MB each)")
    clicks: int = Field(0, ge=0, le=MAX_CLICKS, description="The same in clicks of 512 words, 2048 to the MW")
    sds_mw: float = Field(0.0, ge=0, le=_MOST_MW, description="SDS held, in MW")
    system_fraction: Portion = Field(0.0, description="Fraction of its CPU time that is system time")
    mflops: float = Field(0.0, ge=0, le=1e9, description="Millions of operations per second of user time")
    locked_fraction: Portion = Field(0.0, description="Fraction of the time with locked I/O")


WorkKey = Annotated[
    Annotated[Literal["endless"], Tag(f"{NO_KEY}word")] | Annotated[WorkForm, Tag(f"{NO_KEY}work")],
    Discriminator(lambda value: f"{NO_KEY}{'work' if isinstance(value, dict | WorkForm) else 'word'}"),
]


class ProcessForm(Strict):
    """Processes charged to a user, or to the account that a person works on; `root` is exempt."""

    user: Reference
    charge_to: Reference | None = Field(
        None, description="One of the person's accounts, also if it is not the current one"
    )
    command: str = Field("loop", min_length=1)
    count: int = Field(1, ge=1, le=MAX_PROCESSES)
    nice: Nice | None = Field(None, description="Default: the person's own")
    interactive: bool = Field(False, description="Belongs to a terminal session")
    work: WorkKey = "endless"


_NEW_SHARES = "New shares by path or unique name"
_NEW_VALUES = "New values of settings by dotted key"
_ENDS_TOO = "With logout: whether to end the user's processes too"
# Files write these actions with keys of their own, not field by field.
_OWN_KEYS: dict[type[Any], dict[str, Any]] = {
    actions.Login: {"login": (Reference | None, None)},
    actions.Logout: {
        "logout": (Reference | None, None),
        "end_processes": (bool, Field(True, description=_ENDS_TOO)),
    },
    actions.StartProcess: {"start": (ProcessForm | None, None)},
    actions.ChangeTree: {"set_shares": (dict[str, Shares] | None, Field(None, description=_NEW_SHARES))},
    actions.SetSetting: {"set": (dict[str, Any] | None, Field(None, description=_NEW_VALUES))},
    actions.SubmitJob: {"submit": (JobForm | None, Field(None, description=_REQUESTS))},
}
_KINDS = kinds_by_key()
EVENT_FORMS: dict[str, Any] = {
    key: derived(
        f"{key.title() if len(kinds) > 1 else kinds[0].__name__}Form", *kinds, about=EVENTS[kinds[0]].about
    )
    for key, kinds in _KINDS.items()
    if kinds[0] not in _OWN_KEYS and fields(kinds[0]) and not EVENTS[kinds[0]].is_word
}


def _event_keys() -> dict[str, Any]:
    """Return optional keys of all events, by the declarations of their actions."""
    made: dict[str, Any] = {}
    for key, (kind, *_) in _KINDS.items():
        made |= _OWN_KEYS.get(kind) or {key: _derived_key(key, kind)}
    return made


def _derived_key(key: str, kind: type[Any]) -> tuple[Any, Any]:
    declared = EVENTS[kind]
    if not fields(kind):
        return Annotated[bool, BeforeValidator(yes_only), WithJsonSchema({"const": True})] | None, None
    if declared.is_word:
        (item,) = fields(kind)
        return type_in_files(kind, item.name) | None, Field(None, description=declared.about)
    form = EVENT_FORMS[key]
    if declared.is_bare:
        bare = WithJsonSchema({"anyOf": [form.model_json_schema(), {"const": True}]})
        form = Annotated[form, BeforeValidator(nothing_more), bare]
    text = None if declared.about else cleandoc(kind.__doc__ or "").rstrip(".")
    return form | None, Field(None, description=text)


EventForm: Any = create_model(
    "EventForm",
    __base__=Strict,
    __doc__="Event at a time. Besides `at` it has one key.",
    at=(Duration, ...),
    **_event_keys(),
)


class PersonForm(Strict):
    """Somebody who works on one or several accounts."""

    name: Name
    accounts: list[Reference] | None = Field(
        None, min_length=1, description="The default one first. Default: the user of that name"
    )
    nice: Nice = Field(NORMAL_NICE, description="Base nice value of all processes")


class DeviceForm(Strict):
    """Something that serves requests one at a time."""

    name: Name
    kind: Literal["block", "stream"] = Field("block", description="Cost of a request: bio or tio cost")


class ReportForm(Strict):
    """Demands of nodes, and the shares that they got, in one accounting interval."""

    title: str = Field(min_length=1)
    demands: dict[str, Limit] = Field({}, description="By path or unique name. Others are saturated")
    measured: dict[str, Part] = Field({}, description="Measured shares of machine, by path or unique name")


class PlotForm(Strict):
    """Nodes, quantities and times that the console plots first."""

    nodes: list[Reference] = Field([])
    quantities: list[Quantity] | None = None
    leave_out_system: bool = True
    until_s: LongDuration = 1200.0
    sample_s: LongDuration = 1.0
    rate_window_s: LongDuration = 10.0


class NodeRow(Strict):
    """One node of the share tree without looking at what is below it."""

    name: str = Field(description="Unique among siblings; no slash")
    shares: Shares = Field(1, description="Weight among siblings")
    kind: Literal["group", "user", "account"] | None = Field(
        None, description="Default: group if there are children, else user"
    )
    system: bool = Field(False, description="System group, which percentages can leave out")
    note: str = ""
    usage: float = Field(0.0, ge=0, description="Decayed usage at 0, in cost units")
    charge: float = Field(0.0, ge=0, description="Total charge at 0, in CPU seconds")
    last_use_s: PastSeconds | None = Field(None, description="Time between the last use and 0, such as -2 h")
    foreign: dict[str, str] = Field(
        default_factory=dict, description="Keys from the format of the node's file"
    )
    children: list[Any] | None = None


class TreeNode(NodeRow):
    """One node of the share tree: a group with children, a user or an account."""

    children: list[TreeNode] | None = None


class ScenarioForm(Strict):
    """A scenario file without looking into its tree."""

    version: Literal[1] = Field(description=f"Version of this file: {FORMAT_VERSION}")
    title: str = "Untitled"
    about: str = ""
    source: str = Field("", description="Paper of the scenario")
    machine: Machine = Field(default_factory=Machine)  # type: ignore[valid-type] # made from its dataclass
    memory: Annotated[Memory | None, mapping_like("{size_mw: 60}")] = None  # type: ignore[valid-type]
    urm: Annotated[Urm | None, mapping_like("{run_limit: 20}")] = None  # type: ignore[valid-type]
    policy: Policy = Field(default_factory=Policy)  # type: ignore[valid-type]
    seed: int = Field(1, ge=0, lt=2**63)
    tree: dict[str, Any]
    people: list[PersonForm] = Field([], description="People and their accounts")
    devices: list[DeviceForm] = Field([], description="Devices that processes wait for")
    queues: list[QueueForm] = Field([], description="NQS queues for jobs")  # type: ignore[valid-type]
    near_dedicated: Annotated[NearDedicated | None, mapping_like(_A_NIGHT)] = None  # type: ignore[valid-type]
    logins: list[Reference] = Field([], description="Users logged in at 0")
    workloads: list[ProcessForm] = Field([], description="Processes at 0")
    jobs: list[JobForm] = Field([], description=f"Jobs in the queues at 0. {_REQUESTS}")  # type: ignore[valid-type]
    events: list[EventForm] = Field([])
    reports: list[ReportForm] = Field([], description="Sets of demands, for What if")
    plot: PlotForm = Field(default_factory=lambda: PlotForm(nodes=[]))


class ScenarioFile(ScenarioForm):
    """A scenario for fsconsole: a share tree, a machine, work on it, and what to plot."""

    tree: TreeNode  # type: ignore[assignment] # the same, looked into


def json_schema() -> str:
    """Return the published schema, as text."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema"} | ScenarioFile.model_json_schema()
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the schema to its place in the checkout."""
    from fsconsole.shares.files import write_atomic

    folder = Path(__file__).resolve().parents[3] / "resources" / "schema"
    folder.mkdir(parents=True, exist_ok=True)
    write_atomic(folder / f"scenario-{FORMAT_VERSION}.json", json_schema())


if __name__ == "__main__":
    main()
