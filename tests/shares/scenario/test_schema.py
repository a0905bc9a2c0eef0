from __future__ import annotations

import json
from dataclasses import fields
from inspect import cleandoc
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
import yaml

from fsconsole.shares.scenario.field_types import descriptions
from fsconsole.shares.scenario.policy_spec import PolicySpec
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.schema import json_schema
from fsconsole.shares.scenario.spec import MachineSpec
from fsconsole.shares.scenario.write import write_text
from tests.shares.example_files import CHECKOUT, EXAMPLES
from tests.shares.scenario.test_batch import FULL as BATCH
from tests.shares.scenario.test_people import HEAD, REST
from tests.shares.scenario.test_read import FULL

PUBLISHED = CHECKOUT / "resources" / "schema" / "scenario-1.json"


@pytest.fixture(scope="module")
def validator() -> Any:
    schema = json.loads(PUBLISHED.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def as_json(text: str) -> Any:
    """Return a YAML file as an editor hands it to a schema: dates are text."""
    return json.loads(json.dumps(yaml.safe_load(text), default=str))


def test_the_published_schema_is_that_of_the_program() -> None:
    message = "renew it with: python -m fsconsole.shares.scenario.schema"
    assert PUBLISHED.read_text() == json_schema(), message


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_obey_the_schema(validator: Any, path: Path) -> None:
    validator.validate(as_json(path.read_text()))


@pytest.mark.parametrize(
    "text",
    [text for file in (FULL, HEAD + REST, BATCH) for text in (file, write_text(parse_scenario(file)))],
)
def test_a_file_with_every_key_obeys_the_schema(validator: Any, text: str) -> None:
    validator.validate(as_json(text))


@pytest.mark.parametrize(
    "text",
    [
        "version: 2\ntree: {name: root}",
        "version: 1",
        "version: 1\ntree: {name: root, shares: -1}",
        "version: 1\ntree: {name: root, shars: 1}",
        "version: 1\ntree: {name: root, children: [{shares: 1}]}",
        "version: 1\ntree: {name: root}\npolicy: {half_life_s: 8 x}",
        "version: 1\ntree: {name: root}\nmachine: {cpus: 1.5}",
        "version: 1\ntree: {name: root}\nworkloads: [{user: u, work: endles}]",
        "version: 1\ntree: {name: root}\nevents: [{login: u}]",
        "version: 1\ntree: {name: root}\nplot: {quantities: [cpu]}",
        "version: 1\ntree: {name: root}\npolicy: {k_mu: [a]}",
        "version: 1\ntree: {name: root}\npolicy: {level_half_lives_s: 8 x}",
        "version: 1\ntree: {name: root}\nmachine: {calendar: [1]}",
        "version: 1\ntree: {name: root}\npeople: [{name: u, accounts: []}]",
        "version: 1\ntree: {name: root}\ndevices: [{name: d, kind: disk}]",
        "version: 1\ntree: {name: root}\nreports: [{title: t, demands: {root: much}}]",
        "version: 1\ntree: {name: root}\nreports: [{title: t, demands: {root: 1.5}}]",
        "version: 1\ntree: {name: root}\nreports: [{title: t, measured: {root: idle}}]",
        "version: 1\ntree: {name: root}\nevents: [{at: 1, restart: false}]",
        "version: 1\ntree: {name: root}\nmemory: 60",
        "version: 1\ntree: {name: root}\nqueues: {name: nd}",
        "version: 1\ntree: {name: root}\nqueues: [{name: nd, nod: u}]",
        "version: 1\ntree: {name: root}\njobs: [{name: j, queue: nd}]",
        "version: 1\ntree: {name: root}\nnear_dedicated: true",
        "version: 1\ntree: {name: root}\nnear_dedicated: {order: longest}",
        "version: 1\ntree: {name: root}\nevents: [{at: 1, hold_job: 41870}]",
        "version: 1\ntree: {name: root}\nevents: [{at: 1, open_window: 5}]",
    ],
)
def test_the_schema_refuses_what_the_program_refuses(validator: Any, text: str) -> None:
    assert not validator.is_valid(as_json(text))
    with pytest.raises(ValueError):
        parse_scenario(text)


@pytest.mark.parametrize("spec", [MachineSpec, PolicySpec])
def test_every_setting_is_described(spec: type[Any]) -> None:
    assert set(descriptions(spec)) == {item.name for item in fields(spec)}


@pytest.mark.parametrize("spec", [MachineSpec, PolicySpec])
def test_descriptions_do_not_depend_on_the_indentation_that_python_leaves(spec: type[Any]) -> None:
    """From 3.13 on docstrings come without it, up to 3.12 with it."""
    indented = "\n".join(
        " " * 4 * (at > 0) + line for at, line in enumerate(cleandoc(spec.__doc__ or "").split("\n"))
    )
    for text in (indented, cleandoc(indented)):
        assert descriptions(type("Spec", (), {"__doc__": text})) == descriptions(spec) != {}
