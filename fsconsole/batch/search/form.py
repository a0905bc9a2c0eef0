"""The form of a search file, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, Tag, create_model

from fsconsole.batch.policy import HOUR_S
from fsconsole.batch.search.spec import Measure
from fsconsole.batch.study.study_form import (
    MonthsKey,
    PolicyForm,
    PolicyItem,
    SpanForm,
    Weight,
    WeightsForm,
    Window,
)
from fsconsole.shares.edits import MAX_SHARES
from fsconsole.shares.scenario import field_types
from fsconsole.shares.scenario.field_types import NO_KEY, Name, Portion, Strict
from fsconsole.text.durations import seconds

SEARCH_FORMAT = 1
MOST_SETTINGS = 1_000_000


def _text(value: Any) -> Any:
    """Return numbers as text, since users of traces are often numbers."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _one_or_more(value: Any) -> Any:
    return value if isinstance(value, list) else [value]


def _hours(value: Any) -> Any:
    """Return a bound: a number in the measure's unit, or a time in hours."""
    if not isinstance(value, str):
        return value
    if value.endswith("%"):
        msg = "write only the number: points of shares, per cent of utilisation, 1.2 for growth by a fifth"
    else:
        try:
            return seconds(value) / HOUR_S
        except ValueError as error:
            msg = str(error)
    raise field_types.value_problem(msg)


def _kind(value: Any) -> str:
    kind = "mapping" if isinstance(value, dict | BaseModel) else "list" if isinstance(value, list) else "one"
    return f"{NO_KEY}{kind}"


def _axis(item: Any) -> Any:
    """Return the form of an axis: a value, a list of values, or from .. to."""
    span: Any = create_model(
        "RangeForm",
        __base__=Strict,
        __doc__="All values between two limits. Use log where each doubling is equally likely.",
        **{"from": (item, ...), "to": (item, ...), "scale": (Literal["linear", "log"], "linear")},  # type: ignore[call-overload]
    )
    several = Annotated[list[item], Field(min_length=1)]
    return Annotated[
        Annotated[item, Tag(f"{NO_KEY}one")]
        | Annotated[several, Tag(f"{NO_KEY}list")]
        | Annotated[span, Tag(f"{NO_KEY}mapping")],
        Discriminator(_kind),
    ]


def _several(item: Any) -> Any:
    return Annotated[list[item], Field(min_length=1), BeforeValidator(_one_or_more)]


Text = Annotated[str, Field(min_length=1), BeforeValidator(_text)]
_TIME = _axis(Window)
_WEIGHT = _axis(Annotated[float, Field(ge=0, le=1e6)])
_SHARES = _axis(Annotated[int, Field(ge=1, le=MAX_SHARES)])


def _form(name: str, about: str, **kinds: Any) -> type[BaseModel]:
    """Return a form whose keys are all optional."""
    made: Any = {key: (kind | None, None) for key, kind in kinds.items()}
    model: type[BaseModel] = create_model(name, __base__=Strict, __doc__=about, **made)
    return model


WeightsSpace = _form(
    "WeightsSpace",
    "Weights of the terms of LSF's usage.",
    used=_WEIGHT,
    running=_WEIGHT,
    slots=_axis(Annotated[float, Field(gt=0, le=1e6)]),
)
PartsSpace = _form(
    "PartsSpace",
    "Weights of Slurm's multifactor priority.",
    **dict.fromkeys(("age", "fairshare", "job_size", "partition", "qos"), _axis(Weight)),
    max_age=_TIME,
)
# With half_life, decay is 2^(-window/half_life).
SpaceForm = _form(
    "SpaceForm",
    "Possible settings: one value, a list of values, or {from, to, scale}.",
    policy=_several(Name),
    window=_TIME,
    half_life=_TIME,
    decay=_axis(Annotated[float, Field(ge=0, lt=1)]),
    expected_usage=_several(bool),
    form=_several(Literal["ratio", "difference"]),
    carry_reservation=_several(bool),
    boundary_passes=_several(bool),
    reservations=_axis(Annotated[int, Field(ge=1, le=1000)]),
    lxf_bound=_TIME,
    weights=WeightsSpace,
    multifactor=PartsSpace,
    shares=dict[str, _SHARES],  # type: ignore[valid-type]
)


class GoalForm(Strict):
    """A measure with a bound, or to be made small or large."""

    measure: Measure
    of: Text | None = Field(None, description="A group or a user. Default: all jobs")
    target: Portion | None = None
    over: Window | None = None
    at_most: Annotated[float, BeforeValidator(_hours)] | None = None
    at_least: Annotated[float, BeforeValidator(_hours)] | None = None
    aim: Literal["minimise", "maximise", "bound"] | None = None
    fewest_jobs: int = Field(20, ge=1)
    floor: Window = HOUR_S
    name: Name | None = None


Members = Annotated[
    Annotated[Literal["rest"], Tag(f"{NO_KEY}one")]
    | Annotated[list[Text], Field(min_length=1), Tag(f"{NO_KEY}list")],
    Discriminator(_kind),
]


class SearchForm(Strict):
    """A policy search for fsconsole: goals, the space of settings, months to choose on and to test on."""

    version: Literal[1] = Field(description=f"Format of this file: {SEARCH_FORMAT}")
    name: Name
    about: str = ""
    trace: Name = Field(description="A bundled trace by name, or a file")
    procs: int | None = Field(None, ge=1, le=10_000_000, description="Default: from the trace's header")
    train: MonthsKey
    test: MonthsKey | None = Field(None, description="Default: all other months")
    groups: Annotated[dict[str, Members], Field(min_length=1)] | None = None
    shares: Name | None = Field(None, description="File of a share tree instead of groups")
    baseline: PolicyItem = "fcfs-backfill"
    goals: list[GoalForm] = Field(min_length=1, max_length=8)
    space: SpaceForm  # type: ignore[valid-type]
    budget: int = Field(1000, ge=1, le=MOST_SETTINGS)
    population: int = Field(200, ge=4, le=10_000)
    seed: int = Field(1, ge=0, lt=2**63)
    method: Literal["evolve", "sample"] = "evolve"
    points: int = Field(40, ge=1, le=200)


FORMS: dict[str, type[BaseModel]] = {
    "": SearchForm,
    "goals": GoalForm,
    "space": SpaceForm,
    "weights": WeightsForm,
    "multifactor": PartsSpace,
    "baseline": PolicyForm,
    "train": SpanForm,
    "test": SpanForm,
}
