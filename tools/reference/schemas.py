"""Pages of files whose form is a JSON schema: keys with type, default and meaning."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fsconsole.batch.multifactor import Multifactor
from fsconsole.batch.policy import BatchPolicy, UsageWeights
from fsconsole.batch.search.form import SearchForm
from fsconsole.batch.search.spec import Goal, SearchSpec
from fsconsole.batch.study.spec import ModelWorkload, MonthWorkload, Span, StudySpec, TraceWorkload
from fsconsole.batch.study.study_form import StudyForm
from fsconsole.shares.scenario.field_types import descriptions
from fsconsole.shares.scenario.schema import json_schema
from tools.reference.markdown import code, page, sentence, table

_SCENARIO = """A scenario is a YAML file: the tree, the machine, the policy, people and their accounts,
devices,
memory, batch queues and jobs, near-dedicated windows, who is logged in, which processes run, what
happens when, reports of measured demands, what to plot. The files in
[example_trees/](../../example_trees) are commented;
[resources/schema/scenario-1.json](../../resources/schema/scenario-1.json) is the schema, for editors
that complete and check YAML. A file with mistakes is never half read: all of them are listed with line,
column and what would be right."""
_STUDY = """A study is a YAML file: workloads (traces with their months, or generated ones), policies,
fair-share
windows, seeds; four are in [resources/studies/](../../resources/studies). [Studies of parallel
jobs](../how-to/studies.md) shows how to run one."""
_SEARCH = """A search file names a trace, months to choose on, groups, goals and what may be set.
[Settings that meet
goals](../how-to/search.md) explains it."""
_ELSEWHERE = {"Machine", "Policy", "Memory", "Urm"}
# The docstrings of these dataclasses describe the keys of a form.
_MEANINGS: dict[str, tuple[type[Any], ...]] = {
    "StudyForm": (StudySpec,),
    "WorkloadForm": (TraceWorkload, MonthWorkload, ModelWorkload),
    "PolicyForm": (BatchPolicy,),
    "WeightsForm": (UsageWeights,),
    "MultifactorForm": (Multifactor,),
    "SpanForm": (Span,),
    "SearchForm": (SearchSpec,),
    "GoalForm": (Goal,),
}


def scenario_page() -> str:
    """Return the page of scenario files."""
    return _page("Scenario files", _SCENARIO, json.loads(json_schema()))


def study_page() -> str:
    """Return the page of study files."""
    return _page("Study files", _STUDY, StudyForm.model_json_schema())


def search_page() -> str:
    """Return the page of search files."""
    return _page("Search files", _SEARCH, SearchForm.model_json_schema())


def _page(title: str, about: str, schema: Mapping[str, Any]) -> str:
    forms = schema.get("$defs", {})
    top = _keys(schema)
    return page(title, about, "## Top level", top, *_forms(forms))


def _forms(forms: Mapping[str, Any]) -> Iterator[str]:
    for name, form in forms.items():
        yield f"## {form_name(name)}"
        yield " ".join(form.get("description", "").split())
        if name in _ELSEWHERE:
            yield "Its keys are [settings](settings.md)."
        else:
            yield _keys(form)


def _keys(form: Mapping[str, Any]) -> str:
    required = set(form.get("required", ()))
    meanings = _meanings(form.get("title", ""))
    return table(
        ("key", "value", "default", "meaning"),
        (
            (
                code(key),
                _type(item),
                "needed" if key in required else _default(item),
                _meaning(key, item, meanings),
            )
            for key, item in form.get("properties", {}).items()
        ),
    )


def _meanings(title: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for spec in _MEANINGS.get(title, ()):
        for name, text in descriptions(spec).items():
            found.setdefault(name.removesuffix("_s"), text)
    return found


def _meaning(key: str, item: Mapping[str, Any], meanings: Mapping[str, str]) -> str:
    return sentence(str(item.get("description") or meanings.get(key, "")))


def form_name(name: str) -> str:
    """Return the name of a form on a page: `JobForm` is `Job`."""
    return name.removesuffix("Form")


def _default(item: Mapping[str, Any]) -> str:
    value = item.get("default")
    return (
        ""
        if value is None or value in ("", [], {})
        else code("yes" if value is True else "no" if value is False else str(value))
    )


def _type(item: Mapping[str, Any]) -> str:
    if "$ref" in item:
        name = form_name(item["$ref"].rpartition("/")[2])
        return f"{name}, see below"
    if "const" in item:
        return code(str(item["const"]))
    if "enum" in item:
        return ", ".join(code(str(word)) for word in item["enum"])
    several = item.get("anyOf") or item.get("oneOf")
    if several:
        return " or ".join(dict.fromkeys(_type(one) for one in several if one.get("type") != "null"))
    kind = item.get("type", "any value")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        return f"list of {_type(item['items'])}" if item.get("items") else "list"
    words = {"string": "text", "integer": "whole number", "boolean": "yes or no", "object": "mapping"}
    return " ".join((words.get(kind, kind), *_range(item)))


def _range(item: Mapping[str, Any]) -> Iterator[str]:
    if "minimum" in item:
        yield f"from {item['minimum']:g}"
    if "exclusiveMinimum" in item:
        yield f"above {item['exclusiveMinimum']:g}"
    if "maximum" in item:
        yield f"to {item['maximum']:,}".replace(".0", "")
    if "exclusiveMaximum" in item and item["exclusiveMaximum"] < 2**53:
        yield f"below {item['exclusiveMaximum']:g}"
