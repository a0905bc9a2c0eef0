"""The form of a study file, as pydantic models."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag, create_model

from fsconsole.shares.scenario.field_types import NO_KEY, Name, Strict, value_problem
from fsconsole.text.durations import seconds
from fsconsole.text.numbers import thousands

MAX_SEEDS = 10_000
FORMAT_VERSION = 1
MINUTE_S = 60

_LONGEST_S = 10**10  # No study needs the 317 years of this limit.


def _whole_seconds(value: Any) -> Any:
    if isinstance(value, str):
        try:
            value = seconds(value)
        except ValueError as error:
            raise value_problem(str(error)) from None
    if isinstance(value, bool) or not isinstance(value, int | float):
        msg = "write a number and a unit, such as 4h or 1 d"
        raise value_problem(msg)
    if abs(value) > _LONGEST_S:
        msg = f"at most {thousands(_LONGEST_S)} s, not {value:g} s"
        raise value_problem(msg)
    if value != value or value != int(value):
        msg = f"{value:g} s is not a whole number of seconds"
        raise value_problem(msg)
    return int(value)


def _moment_text(value: Any) -> Any:
    """Return dates and numbers as text, since YAML converts moments to them."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _seeds(value: Any) -> Any:
    if isinstance(value, str) and (match := re.fullmatch(r"(\d{1,9}) *- *(\d{1,9})", value)):
        value = range(int(match[1]), min(int(match[2]), int(match[1]) + MAX_SEEDS) + 1)
    elif isinstance(value, int) and not isinstance(value, bool):
        value = [value]
    numbers = list(value) if isinstance(value, list | range) else []
    if not numbers or any(isinstance(item, bool) or not isinstance(item, int) for item in numbers):
        msg = "write a list of whole numbers, such as [1, 2, 3], or 1-20"
        raise value_problem(msg)
    if len(numbers) > MAX_SEEDS or min(numbers) < 0 or max(numbers) >= 2**63:
        msg = f"use at most {MAX_SEEDS} seeds, each from 0 to 2^63 - 1"
        raise value_problem(msg)
    return numbers


def _file_name(value: Any) -> Any:
    if not isinstance(value, str) or not value:
        msg = "write the name of a file with a share tree"
        raise value_problem(msg)
    return value


def _one_or_more(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


Window = Annotated[int, Field(ge=1), BeforeValidator(_whole_seconds)]
Moment = Annotated[str, Field(min_length=1), BeforeValidator(_moment_text)]


class WeightsForm(Strict):
    """Weights of the parts of LSF's usage."""

    used: float = Field(0.7, ge=0)
    running: float = Field(0.7, ge=0)
    slots: float = Field(3.0, gt=0)


def _half_life(value: Any) -> Any:
    half_life_s = _whole_seconds(value)
    if half_life_s and half_life_s < MINUTE_S:
        msg = f"half_life is {half_life_s} s. It must be at least 1 min, or 0 for no decay"
        raise value_problem(msg)
    return half_life_s


def _priorities(value: Any) -> Any:
    """Return names as text, since YAML converts names such as 1 to numbers."""
    if not isinstance(value, dict):
        msg = "write priorities by name, such as {debug: 10, batch: 1}"
        raise value_problem(msg)
    return {str(name): priority for name, priority in value.items()}


Weight = Annotated[int, Field(ge=0, le=2**32 - 1)]
Priorities = Annotated[dict[str, Weight], BeforeValidator(_priorities)]


class MultifactorForm(Strict):
    """Settings of Slurm's multifactor priority; those that are left out are of Slurm's own example."""

    age: Weight = 1000
    fairshare: Weight = 10_000
    job_size: Weight = 1000
    partition: Weight = 1000
    qos: Weight = 0
    max_age: Annotated[int, Field(ge=1), BeforeValidator(_whole_seconds)] = 14 * 86_400
    half_life: Annotated[int, Field(ge=0), BeforeValidator(_half_life)] = 14 * 86_400
    calc_period: Annotated[int, Field(ge=60, le=86_400), BeforeValidator(_whole_seconds)] = 300
    fair_tree: bool = False
    damping: float = Field(1.0, gt=0)
    favor_small: bool = False
    relative_to_time: bool = False
    partitions: Priorities = Field(default_factory=dict)
    qos_priorities: Priorities = Field(default_factory=dict)


class PolicyForm(Strict):
    """A policy with its parameters; those that are left out are the usual ones."""

    policy: Name
    window: Annotated[list[Window], Field(min_length=1), BeforeValidator(_one_or_more)] | None = None
    origin: Annotated[int, Field(ge=0), BeforeValidator(_whole_seconds)] = 0
    expected_usage: bool = True
    form: Literal["ratio", "difference"] = "ratio"
    decay: float = Field(0.0, ge=0, lt=1)
    carry_reservation: bool = False
    reservations: int = Field(1, ge=1, le=1000)
    boundary_passes: bool = False
    lxf_bound: Annotated[int, Field(ge=0), BeforeValidator(_whole_seconds)] = 0
    lxf_printed_bound: Annotated[int, Field(ge=0), BeforeValidator(_whole_seconds)] = 0
    weights: WeightsForm | None = None
    multifactor: MultifactorForm | None = None


SpanForm: type[BaseModel] = create_model(
    "SpanForm",
    __base__=Strict,
    __doc__="Part of a trace: dates, or seconds of the trace if it has no start time.",
    **{"from": (Moment, ...), "to": (Moment, ...), "name": (Name, "")},  # type: ignore[call-overload]
)


def _kind_of_item(value: Any) -> str:
    return f"{NO_KEY}{'mapping' if isinstance(value, dict | BaseModel) else 'word'}"


def _kind_of_months(value: Any) -> str:
    return f"{NO_KEY}{'list' if isinstance(value, list) else 'word'}"


MonthItem = Annotated[
    Annotated[Name, Tag(f"{NO_KEY}word")] | Annotated[SpanForm, Tag(f"{NO_KEY}mapping")],  # type: ignore[valid-type]
    Discriminator(_kind_of_item),
]
MonthsKey = Annotated[
    Annotated[Literal["whole", "all"], Tag(f"{NO_KEY}word")]
    | Annotated[list[MonthItem], Field(min_length=1), Tag(f"{NO_KEY}list")],
    Discriminator(_kind_of_months),
]
PolicyItem = Annotated[
    Annotated[Name, Tag(f"{NO_KEY}word")] | Annotated[PolicyForm, Tag(f"{NO_KEY}mapping")],
    Discriminator(_kind_of_item),
]


class WorkloadForm(Strict):
    """Jobs of a trace, or generated ones: one of the keys trace, month and model."""

    name: Name = ""
    trace: Name | None = Field(None, description="A bundled trace by name, or a file")
    procs: int | None = Field(None, ge=1, le=10_000_000, description="Default: from the trace's header")
    months: MonthsKey | None = None
    resample: Literal["users"] | None = Field(None, description="Users of the trace, drawn by seed")
    month: Name | None = Field(None, description="A month of the paper's Table I, such as 7/03")
    plant: list[Name] | None = Field(None, min_length=1, description="Users planted among the generated ones")
    model: Literal["lublin"] | None = Field(None, description="A published model of jobs")
    jobs: int | None = Field(None, ge=1, le=5_000_000, description="For a model: number of jobs")
    users: int | None = Field(None, ge=1, le=1_000_000, description="For a model: users of the jobs")
    load: float | None = Field(
        None, gt=0, le=10, description="For a model: requested node-seconds as a fraction of the machine's"
    )


class StudyForm(Strict):
    """A study for fsconsole: workloads, policies, windows and seeds."""

    version: Literal[1] = Field(description=f"Format of this file: {FORMAT_VERSION}")
    name: Name
    about: str = ""
    workloads: list[WorkloadForm] = Field(min_length=1)
    policies: list[PolicyItem] = Field(min_length=1)
    windows: list[Window] | None = Field(None, min_length=1, description="Each policy by user runs with each")
    seeds: Annotated[list[int], BeforeValidator(_seeds)] | None = None
    shares: Annotated[str, BeforeValidator(_file_name)] | None = None


# The last key of a mapping's path gives its form.
FORMS: dict[str, type[BaseModel]] = {
    "": StudyForm,
    "workloads": WorkloadForm,
    "policies": PolicyForm,
    "months": SpanForm,
    "weights": WeightsForm,
    "multifactor": MultifactorForm,
}
