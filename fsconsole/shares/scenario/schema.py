"""The form of a scenario file, as pydantic models, and the JSON schema published from them.

`python -m fsconsole.shares.scenario.schema` writes resources/schema/scenario-1.json anew.
Machine and policy are derived from their dataclasses, so a new setting is a key of the file at once.
"""

from __future__ import annotations

import json
import re
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    WithJsonSchema,
    create_model,
)
from pydantic_core import PydanticCustomError

from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.scenario.actions import (
    MAX_CLICKS,
    MAX_PROCESSES,
    MAX_SYSCALLS_PER_S,
    NICE_LEVELS,
    NORMAL_NICE,
)
from fsconsole.shares.scenario.durations import LONGEST_S, PATTERN, is_time, seconds
from fsconsole.shares.scenario.fractions import PATTERN as PERCENT
from fsconsole.shares.scenario.fractions import fraction
from fsconsole.shares.scenario.spec import (
    FORMAT_VERSION,
    MachineSpec,
    PolicySpec,
    Quantity,
)

# Tags of unions stand in the places that pydantic reports; this marks them as no key of the file.
NO_KEY = "as:"


class Strict(BaseModel):
    """No unknown keys, no conversions, no endless numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=())


def _seconds(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return seconds(value)
        except ValueError as error:
            raise _told(str(error)) from None
    return value


def _told(text: str) -> PydanticCustomError:
    """A fault that says itself what would be right."""
    return PydanticCustomError("told", "{told}", {"told": text})


def _fraction(value: Any) -> Any:
    if isinstance(value, str):
        try:
            return fraction(value)
        except ValueError as error:
            raise _told(str(error)) from None
    return value


def _limit(value: Any) -> Any:
    """A demand's word or number as its limit, None where there is none."""
    if value is None:
        msg = "a demand is a percentage such as 2.08 %, saturated or idle"
        raise _told(msg)
    return {"saturated": None, "idle": 0.0}.get(value, value) if isinstance(value, str) else value


def _listed(value: Any) -> Any:
    """A list as a tuple; one value alone stands for a list of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _yes(value: Any) -> Any:
    if value is not True:
        msg = "leave the event out where nothing restarts; write restart: true"
        raise _told(msg)
    return value


def _moment(value: Any) -> Any:
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001 (the machine's own clock)
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            moment = None
        if moment is not None and moment.tzinfo is None:
            return moment
    return value


def _switch(value: Any) -> Any:
    """YAML 1.1 reads a plain off as false."""
    return "off" if value is False else value


def _duration_schema(**limits: float) -> dict[str, Any]:
    number = {"type": "number", **limits}
    text = {"type": "string", "pattern": PATTERN}
    return {"anyOf": [number, text], "description": "Seconds, or text with a unit such as 8 h"}


Seconds = Annotated[float, BeforeValidator(_seconds), WithJsonSchema(_duration_schema(minimum=0))]
Duration = Annotated[
    float,
    Field(ge=0, le=LONGEST_S),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(minimum=0, maximum=LONGEST_S)),
]
LongDuration = Annotated[
    float,
    Field(gt=0, le=LONGEST_S),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(exclusiveMinimum=0, maximum=LONGEST_S)),
]
PastSeconds = Annotated[
    float,
    Field(ge=-LONGEST_S, le=0),
    BeforeValidator(_seconds),
    WithJsonSchema(_duration_schema(minimum=-LONGEST_S, maximum=0)),
]
Moment = Annotated[
    datetime,
    BeforeValidator(_moment),
    WithJsonSchema({"type": "string", "description": "Date and time, such as 1991-03-04 14:00:00"}),
]
Shares = Annotated[int, Field(ge=0, le=MAX_SHARES)]
Reference = Annotated[
    str, Field(min_length=1, description="A path such as g1/u11, or a name that occurs once")
]
Name = Annotated[str, Field(min_length=1)]
Rate = Annotated[float, Field(ge=0, le=MAX_SYSCALLS_PER_S)]
Nice = Annotated[int, Field(ge=0, lt=NICE_LEVELS)]
_PART: dict[str, Any] = {
    "anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string", "pattern": PERCENT}]
}
Part = Annotated[
    float,
    Field(ge=0, le=1),
    BeforeValidator(_fraction),
    WithJsonSchema(_PART | {"description": "Part of the machine: 0 .. 1, or text such as 2.08 %"}),
]
Limit = Annotated[
    Part | None,
    BeforeValidator(_limit),
    WithJsonSchema(
        {"anyOf": [*_PART["anyOf"], {"enum": ["saturated", "idle"]}]}
        | {"description": "Most that the node can use of the machine, saturated for all it gets, or idle"}
    ),
]


def field_type(name: str, hint: Any) -> Any:
    """The file's type of a dataclass field: its own, with units, dates and `off` as files write them."""
    if hint is float and is_time(name):
        return Seconds
    if hint is datetime:
        return Moment
    if get_origin(hint) is Literal and "off" in get_args(hint):
        schema = {"enum": [*get_args(hint), False]}
        return Annotated[hint, BeforeValidator(_switch), WithJsonSchema(schema)]
    if get_origin(hint) is tuple:
        return _list_type(field_type(name, get_args(hint)[0]))
    return hint


def _list_type(item: Any) -> Any:
    """A tuple that files write as a list, or as its one value."""
    one = TypeAdapter(item).json_schema()
    schema = {"anyOf": [{"type": "array", "items": one}, one]}
    return Annotated[tuple[item, ...], BeforeValidator(_listed), WithJsonSchema(schema)]


def descriptions(spec: type[Any]) -> dict[str, str]:
    """What the Attributes of a dataclass's docstring say, by field."""
    _, _, listed = (spec.__doc__ or "").partition("Attributes:")
    found = {}
    for names, text in re.findall(r"^ {8}([a-z][\w, ]*): (.*(?:\n {9,}.*)*)", listed, re.MULTILINE):
        for name in names.split(", "):
            found[name] = " ".join(text.split())
    return found


def _section(title: str, spec: type[Any]) -> Any:
    said = descriptions(spec)
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(spec).items():
        default = getattr(spec(), name)
        shown = str(default) if isinstance(default, datetime) else default
        shown = list(shown) if isinstance(shown, tuple) else shown
        about = Field(default, description=said.get(name), json_schema_extra={"default": shown})
        fields[name] = (field_type(name, hint), about)
    return create_model(title, __base__=Strict, __doc__=(spec.__doc__ or "").splitlines()[0], **fields)


Machine = _section("Machine", MachineSpec)
Policy = _section("Policy", PolicySpec)


class WorkForm(Strict):
    """What a process does: computes without a pause, or alternates bursts and sleeps."""

    burst_s: LongDuration | None = Field(None, description="Mean CPU time of a burst; left out: no pause")
    sleep_s: Duration = Field(0.0, description="Mean sleep after each burst")
    cpu_s: LongDuration | None = Field(None, description="CPU time after which the process ends")
    spread: Literal["fixed", "exponential"] = Field("exponential", description="How lengths vary")
    device: Name | None = Field(None, description="Device that is asked after each burst, by name")
    io_s: Duration = Field(0.0, description="Mean time that the device needs for a request")
    syscalls_per_s: Rate = Field(0.0, description="System calls per CPU second")
    clicks: int = Field(0, ge=0, le=MAX_CLICKS, description="Memory held, in clicks of 512 words")


WorkKey = Annotated[
    Annotated[Literal["endless"], Tag(f"{NO_KEY}word")] | Annotated[WorkForm, Tag(f"{NO_KEY}work")],
    Discriminator(lambda value: f"{NO_KEY}{'work' if isinstance(value, dict | WorkForm) else 'word'}"),
]


class ProcessForm(Strict):
    """Processes charged to a user, or to the account that a person works on; `root` is exempt."""

    user: Reference
    charge_to: Reference | None = Field(None, description="One of the person's accounts, whatever is current")
    command: str = Field("loop", min_length=1)
    count: int = Field(1, ge=1, le=MAX_PROCESSES)
    nice: Nice | None = Field(None, description="Left out: the person's own")
    interactive: bool = Field(False, description="Belongs to a terminal session")
    work: WorkKey = "endless"


class EndForm(Strict):
    """Processes that end: all of a user, those of one command, or one by pid."""

    user: Reference | None = None
    command: str | None = None
    pid: int | None = Field(None, ge=1)


class ReniceForm(Strict):
    """Another nice value for one process, or for a user and all his processes."""

    pid: int | None = Field(None, ge=1)
    user: Reference | None = None
    nice: Nice


class NewAccountForm(Strict):
    """A person who works on another of his accounts from now on."""

    user: Name
    account: Reference


class SetBooksForm(Strict):
    """What is written into a user's or account's books."""

    user: Reference
    usage: float | None = Field(None, ge=0, description="Decayed usage, in cost units")
    charge: float | None = Field(None, ge=0, description="Total charge, in CPU seconds")


class EventForm(Strict):
    """Something that happens at a time; besides `at` it holds one thing."""

    at: Duration
    login: Reference | None = None
    logout: Reference | None = None
    end_processes: bool = Field(True, description="With logout: whether the user's processes end too")
    start: ProcessForm | None = None
    end: EndForm | None = None
    renice: ReniceForm | None = None
    newacct: NewAccountForm | None = None
    set_books: SetBooksForm | None = None
    restart: Annotated[bool, BeforeValidator(_yes), WithJsonSchema({"const": True})] | None = None
    set_shares: dict[str, Shares] | None = Field(None, description="New shares by path or unique name")
    set: dict[str, Any] | None = Field(None, description="New values of machine.* and policy.* settings")


class PersonForm(Strict):
    """Somebody who works on one or several accounts."""

    name: Name
    accounts: list[Reference] | None = Field(
        None, min_length=1, description="The default one first; left out: the user of that name"
    )
    nice: Nice = Field(NORMAL_NICE, description="Base nice value of all processes")


class DeviceForm(Strict):
    """Something that serves requests one at a time."""

    name: Name
    kind: Literal["block", "stream"] = Field("block", description="What a request costs: bio or tio cost")


class ReportForm(Strict):
    """What nodes asked for, and got, in one accounting interval."""

    title: str = Field(min_length=1)
    demands: dict[str, Limit] = Field({}, description="By path or unique name; others are saturated")
    measured: dict[str, Part] = Field({}, description="What nodes had, by path or unique name")


class PlotForm(Strict):
    """What the console shows first."""

    nodes: list[Reference] = []
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
        None, description="Left out: group where there are children, else user"
    )
    system: bool = Field(False, description="A group of the system, which percentages can leave out")
    note: str = ""
    usage: float = Field(0.0, ge=0, description="Decayed usage at 0, in cost units")
    charge: float = Field(0.0, ge=0, description="Total charge at 0, in CPU seconds")
    last_use_s: PastSeconds | None = Field(
        None, description="When it was last used: time before 0, such as -2 h"
    )
    foreign: dict[str, str] = Field(
        default_factory=dict, description="Keys of the format that the node came from"
    )
    children: list[Any] | None = None


class TreeNode(NodeRow):
    """One node of the share tree: a group with children, a user or an account."""

    children: list[TreeNode] | None = None


class ScenarioForm(Strict):
    """A scenario file without looking into its tree."""

    version: Literal[1] = Field(description=f"The form of this file: {FORMAT_VERSION}")
    title: str = "Untitled"
    about: str = ""
    source: str = Field("", description="The paper that it is from")
    machine: Machine = Field(default_factory=Machine)  # type: ignore[valid-type] # made from its dataclass
    policy: Policy = Field(default_factory=Policy)  # type: ignore[valid-type]
    seed: int = Field(1, ge=0, lt=2**63)
    tree: dict[str, Any]
    people: list[PersonForm] = Field([], description="Who works on which accounts")
    devices: list[DeviceForm] = Field([], description="Devices that processes wait for")
    logins: list[Reference] = Field([], description="Who is logged in at 0")
    workloads: list[ProcessForm] = Field([], description="Processes that are there at 0")
    events: list[EventForm] = []
    reports: list[ReportForm] = Field([], description="Demands that stand together, for What if")
    plot: PlotForm = PlotForm()


class ScenarioFile(ScenarioForm):
    """A scenario for fsconsole: a share tree, a machine, work on it, and what to plot."""

    tree: TreeNode  # type: ignore[assignment] # the same, looked into


def json_schema() -> str:
    """The published schema, as text."""
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
