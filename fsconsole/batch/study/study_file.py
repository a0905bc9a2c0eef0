"""Study files: YAML text to a study and back. All faults are listed at once, with their lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from fsconsole.batch.generate import KINDS, printed_month
from fsconsole.batch.multifactor import SETTINGS, Multifactor, changed_settings, key_of
from fsconsole.batch.policy import POLICIES, BatchPolicy, UsageWeights
from fsconsole.batch.study.bundled import bundled_traces
from fsconsole.batch.study.spec import (
    FIRST_SEED,
    MODEL,
    MODEL_USERS,
    ModelWorkload,
    Months,
    MonthWorkload,
    Span,
    StudySpec,
    TraceWorkload,
    Workload,
    expanded,
    has_seeds,
)
from fsconsole.batch.study.study_form import FORMAT_VERSION, FORMS
from fsconsole.shares.files import write_atomic
from fsconsole.shares.scenario.explain import faults, sound
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.scalars import scalar
from fsconsole.shares.scenario.yaml_nodes import Document, Map, parse_mapping, text_in
from fsconsole.text.durations import in_words
from fsconsole.text.nearest import nearest_or_all

# Each kind of workload has its own keys and its name.
_KEYS_OF = {
    "trace": (("trace", "procs", "months", "resample"), "a trace"),
    "month": (("month", "plant"), "a generated month"),
    "model": (("model", "procs", "jobs", "users", "load"), "a model"),
}
_KEYS = tuple(dict.fromkeys(key for keys, _ in _KEYS_OF.values() for key in keys))
# Study files name the parameters of a policy by these keys.
PARAMETERS = {
    "window": "window_s", "origin": "origin_s", "expected_usage": "expected_usage", "form": "form",
    "decay": "decay", "carry_reservation": "carry_reservation", "boundary_passes": "boundary_passes",
    "reservations": "reservations", "lxf_bound": "lxf_bound_s",
    "lxf_printed_bound": "lxf_printed_bound_s", "weights": "weights",
    "multifactor": "multifactor",
}  # fmt: skip


def read_study(path: Path, *, check_files: bool = True) -> StudySpec:
    """Return the study in a file.

    With `check_files` missing traces and share trees are faults too.

    Raises:
        ScenarioError: the file has faults; the message has all of them with their lines.
        OSError: the file cannot be read.
    """
    return parse_study(text_in(path), path.parent, path.name, check_files=check_files)


def write_study(spec: StudySpec, path: Path) -> None:
    """Write a study file with file names that are valid at its place.

    Raises:
        OSError: it cannot be written.
    """
    write_atomic(path, study_text(spec, path.parent))


def parse_study(text: str, folder: Path, name: str = "", *, check_files: bool = True) -> StudySpec:
    """Return the study in a text with relative files below `folder`; `name` precedes problems.

    Raises:
        ScenarioError: the text has faults; the message has all of them.
    """

    def read(document: Document, data: Map) -> StudySpec:
        return _StudyReading(document, data, folder).study(check_files=check_files)

    return parse_mapping(text, name, "study file", "version, name, workloads and policies", read)


class Reading:
    """One pass over one file, with the problems found so far."""

    def __init__(self, document: Document, data: Map, folder: Path) -> None:
        self._document, self._data, self._folder = document, data, folder
        self._problems = list(document.problems)

    def _form(self, forms: Mapping[str, type[BaseModel]]) -> Any:
        """Return the data as the form of a whole file; ScenarioError where they have another one."""
        self._problems += faults(forms[""], self._data, self._document, forms=forms)
        form = sound(forms[""], self._data)
        if form is None:
            raise ScenarioError(self._problems)
        return form

    def _say(self, holder: Map, key: str, text: str, path: str) -> None:
        place = holder.place_of(key) if key in holder else holder.place
        self._problems.append(self._document.problem(place, text, path))

    def _check_trace(self, name: str, holder: Map, path: str) -> None:
        if trace_file(self._folder, name) is None:
            text = f"{missing_trace(self._folder, name)} ({', '.join(bundled_traces())} does)"
            self._say(holder, "trace", text, path)

    def _check_shares(self, shares: Path | None) -> None:
        if shares is not None and not shares.is_file():
            self._say(self._data, "shares", f"no file {shares}", "shares")


class _StudyReading(Reading):
    def study(self, *, check_files: bool) -> StudySpec:
        data, form = self._data, self._form(FORMS)
        workloads = [
            self._workload(raw, item, f"workloads[{index}]")
            for index, (raw, item) in enumerate(zip(data["workloads"], form.workloads, strict=True), 1)
        ]
        policies = self._policies(form)
        shares = None if form.shares is None else self._folder / form.shares
        spec = StudySpec(
            form.name,
            tuple(item for item in workloads if item is not None),
            policies,
            tuple(dict.fromkeys(form.seeds or [FIRST_SEED])),
            shares,
            form.about,
            self._folder,
        )
        if check_files:
            self._check_files(spec)
        self._check_sense(spec)
        if self._problems:
            raise ScenarioError(self._problems)
        return spec

    def _workload(self, raw: Map, form: Any, path: str) -> Workload | None:
        kinds = [kind for kind in _KEYS_OF if getattr(form, kind) is not None]
        if len(kinds) != 1:
            message = (
                "a workload needs one of the keys trace (jobs of a trace), month and model (generated jobs)"
            )
            self._say(raw, kinds[-1] if kinds else "", message, path)
            return None
        own, what = _KEYS_OF[kinds[0]]
        for key in _KEYS:
            if key in raw and key not in own:
                self._say(raw, key, f"{key} does not apply to {what}. Leave it out", path)
        if kinds[0] == "model":
            return self._model(raw, form, path)
        if kinds[0] == "month":
            self._check_generated(raw, form, path)
            return MonthWorkload(form.month, tuple(form.plant or ()), form.name)
        return TraceWorkload(
            form.trace, form.procs, read_months(form.months), form.name, form.resample is not None
        )

    def _model(self, raw: Map, form: Any, path: str) -> ModelWorkload | None:
        missing = [key for key in ("jobs", "procs") if getattr(form, key) is None]
        for key in missing:
            self._say(raw, "model", f"a model needs {key}, a whole number from 1 on", path)
        if missing:
            return None
        return ModelWorkload(form.jobs, form.procs, form.users or MODEL_USERS, form.load, form.name)

    def _check_generated(self, raw: Map, form: Any, path: str) -> None:
        try:
            printed_month(form.month)
        except ValueError as error:
            self._say(raw, "month", str(error), f"{path}.month")
        for kind in form.plant or ():
            if kind not in KINDS:
                message = f"unknown type of planted user {kind!r}{nearest_or_all(kind, KINDS)}"
                self._say(raw, "plant", message, f"{path}.plant")

    def _policies(self, form: Any) -> tuple[BatchPolicy, ...]:
        found: list[BatchPolicy] = []
        for index, (raw, item) in enumerate(zip(self._data["policies"], form.policies, strict=True)):
            is_name = isinstance(item, str)
            name = item if is_name else item.policy
            if name not in POLICIES:
                seq = self._data["policies"]
                place = seq.places[index] if is_name else raw.place_of("policy")
                message = f"unknown policy {name!r}{nearest_or_all(name, POLICIES)}"
                self._problems.append(self._document.problem(place, message, f"policies[{index + 1}]"))
            elif is_name:
                found += expanded([POLICIES[name]], form.windows or ())
            else:
                found += self._policy(raw, item, form.windows or (), f"policies[{index + 1}]")
        return tuple(dict.fromkeys(found))

    def _policy(self, raw: Map, form: Any, windows: Iterable[int], path: str) -> tuple[BatchPolicy, ...]:
        made, unmeant = read_policy(raw, form)
        for key, text in unmeant.items():
            self._say(raw, key, text, path)
        return expanded([made], form.window or windows)

    def _check_files(self, spec: StudySpec) -> None:
        for index, workload in enumerate(spec.workloads):
            if isinstance(workload, TraceWorkload):
                raw = self._data["workloads"][index]
                self._check_trace(workload.trace, raw, f"workloads[{index + 1}].trace")
        self._check_shares(spec.shares)

    def _check_sense(self, spec: StudySpec) -> None:
        if "seeds" in self._data and not any(map(has_seeds, spec.workloads)):
            message = (
                "seeds apply only to generated workloads (month, model) and resample: users. Leave them out"
            )
            self._say(self._data, "seeds", message, "seeds")
        if "windows" in self._data and not any(policy.is_by_user for policy in spec.policies):
            message = "windows apply only to policies by user, and the study has none. Leave them out"
            self._say(self._data, "windows", message, "windows")


def read_policy(raw: Map, form: Any) -> tuple[BatchPolicy, dict[str, str]]:
    """Return a policy with its parameters except the window, and keys without effect, with reasons."""
    present = {key: field for key, field in PARAMETERS.items() if key in raw}
    given = {field: _value(form, key) for key, field in present.items() if key != "window"}
    made = replace(POLICIES[form.policy], **given)
    name = _policy_name(form.policy, made)
    unmeant = [key for key, field in present.items() if not made.means(field)]
    return made, {key: f"{key} does not apply to {name}. Leave it out" for key in unmeant}


def _value(form: Any, key: str) -> Any:
    value = getattr(form, key)
    if key == "weights" and value is not None:
        return UsageWeights(**dict(value))
    return _multifactor(value) if key == "multifactor" and value is not None else value


def _multifactor(form: Any) -> Multifactor:
    settings: dict[str, Any] = {name: getattr(form, key_of(name)) for name in SETTINGS}
    for name in ("partitions", "qos_priorities"):
        settings[name] = tuple(settings[name].items())
    return Multifactor(**settings)


def _policy_name(name: str, policy: BatchPolicy) -> str:
    """Return a policy's name in files, with `without expected usage` if it deviates in that."""
    is_named = policy.is_by_user and not policy.expected_usage and POLICIES[name].expected_usage
    return f"{name} without expected usage" if is_named else name


def read_months(form: Any) -> Months:
    """Return the months of a file's key."""
    if form is None:
        return "whole"
    if isinstance(form, str):
        return "all" if form == "all" else "whole"
    return tuple(
        item if isinstance(item, str) else Span(getattr(item, "from"), item.to, item.name) for item in form
    )


def trace_file(folder: Path, name: str) -> Path | None:
    """Return the file of a trace: in the folder, or bundled with the program; None if missing."""
    beside = folder / name
    return beside if beside.is_file() else bundled_traces().get(name)


def missing_trace(folder: Path, name: str) -> str:
    """Return the sentence on a trace that `trace_file` does not find."""
    return f"file {folder / name} does not exist, and no such trace comes with the program"


def study_text(spec: StudySpec, folder: Path) -> str:
    """Return the text of a study file for a folder; reading it gives an equal study."""
    lines = [f"version: {FORMAT_VERSION}", f"name: {_quoted(spec.name)}"]
    if spec.about:
        lines.append(f"about: {_quoted(spec.about)}")
    lines.append("workloads:")
    for workload in spec.workloads:
        lines += _item(_workload_keys(spec, workload, folder))
    lines.append("policies:")
    for policy in spec.policies:
        lines += _item(_policy_keys(policy))
    if any(map(has_seeds, spec.workloads)):
        lines.append(f"seeds: {list(spec.seeds)}")
    if spec.shares is not None:
        lines.append(f"shares: {_quoted(_from_there(spec.shares, folder))}")
    return "\n".join(lines) + "\n"


def _item(keys: dict[str, str]) -> list[str]:
    return [
        f"  {'-' if not index else ' '} {key}: {value}" for index, (key, value) in enumerate(keys.items())
    ]


def _quoted(text: str) -> str:
    return scalar(text, in_flow=True)


def _listed(texts: Iterable[str]) -> str:
    return f"[{', '.join(texts)}]"


def _from_there(path: Path, folder: Path) -> str:
    """Return a file's name from a folder: relative if the file is in or below it."""
    target, base = Path(os.path.abspath(path)), Path(os.path.abspath(folder))  # noqa: PTH100 (links stay)
    return str(target.relative_to(base)) if target.is_relative_to(base) else str(target)


def _workload_keys(spec: StudySpec, workload: Workload, folder: Path) -> dict[str, str]:
    if isinstance(workload, ModelWorkload):
        keys = {"model": MODEL, "jobs": str(workload.jobs), "procs": str(workload.procs)}
        if workload.users != MODEL_USERS:
            keys["users"] = str(workload.users)
        if workload.load is not None:
            keys["load"] = repr(workload.load)
    elif isinstance(workload, MonthWorkload):
        keys = {"month": _quoted(workload.month)}
        if workload.plant:
            keys["plant"] = _listed(map(_quoted, workload.plant))
    else:
        beside = spec.folder / workload.trace
        is_bundled = workload.trace in bundled_traces() and not beside.is_file()
        keys = {"trace": _quoted(workload.trace if is_bundled else _from_there(beside, folder))}
        if workload.procs is not None:
            keys["procs"] = str(workload.procs)
        keys["months"] = _months_text(workload.months)
        if workload.resample:
            keys["resample"] = "users"
    if workload.name:
        keys["name"] = _quoted(workload.name)
    return keys


def _months_text(months: Months) -> str:
    if isinstance(months, str):
        return months
    return _listed(_quoted(item) if isinstance(item, str) else _span_text(item) for item in months)


def _span_text(span: Span) -> str:
    keys = {"from": span.start, "to": span.end} | ({"name": span.name} if span.name else {})
    return f"{{{', '.join(f'{key}: {_quoted(value)}' for key, value in keys.items())}}}"


_NAME_OF_ORDER = {policy.order: name for name, policy in reversed(POLICIES.items())}


def _policy_keys(policy: BatchPolicy) -> dict[str, str]:
    keys = {"policy": _NAME_OF_ORDER[policy.order]}
    if policy.is_by_user:
        keys["window"] = in_words(policy.window_s)
    usual = BatchPolicy(policy.order)
    for key, field in PARAMETERS.items():
        value = getattr(policy, field)
        if key != "window" and policy.means(field) and value != getattr(usual, field):
            keys[key] = _policy_text(field, value)
    return keys


def _policy_text(field: str, value: Any) -> str:
    if isinstance(value, UsageWeights):
        weights = (f"{item.name}: {scalar(getattr(value, item.name))}" for item in fields(UsageWeights))
        return f"{{{', '.join(weights)}}}"
    if isinstance(value, Multifactor):
        settings = (f"{key_of(name)}: {_setting(name, one)}" for name, one in changed_settings(value).items())
        return f"{{{', '.join(settings)}}}"
    return in_words(value) if field.endswith("_s") else scalar(value)


def _setting(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return f"{{{', '.join(f'{_quoted(label)}: {priority}' for label, priority in value)}}}"
    return in_words(value) if name.endswith("_s") else scalar(value)
