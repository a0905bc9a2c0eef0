"""Scenarios and trees from files or stdin, whose problems name the file as it was given."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import problem_line
from fsconsole.shares.formats import Format, format_of
from fsconsole.shares.formats.base import with_lines
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.shares.scenario.read import parse_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.yaml_nodes import MAX_BYTES, text_in, text_of
from fsconsole.shares.tree import ShareTree

if TYPE_CHECKING:
    from fsconsole.shares.scenario.policy_spec import PolicySpec

STDIN = Path("-")


def name_of(path: Path) -> str:
    """What messages call a file."""
    return "stdin" if path == STDIN else str(path)


def read_text(path: Path) -> str:
    """The text of a file or of stdin; ScenarioError where it is too long or no UTF-8."""
    if path != STDIN:
        return text_in(path, name_of(path))
    try:
        return text_of(sys.stdin.buffer.read(MAX_BYTES + 1))
    except ScenarioError as error:
        raise ScenarioError(error.problems, name_of(path)) from None


def scenario_of(path: Path) -> tuple[Scenario, str]:
    """A scenario and the text that it was read from; ScenarioError with all problems."""
    text = read_text(path)
    return parse_scenario(text, name_of(path)), text


def read(path: Path, form: Format | None = None) -> Scenario:
    """A scenario, or a foreign tree wrapped in one; ScenarioError with all problems."""
    return read_with_format(path, form)[0]


def read_with_caveats(path: Path, form: Format | None = None) -> Scenario:
    """The same; what its shares stand for that its scheduler has in another way goes to stderr."""
    scenario, text, form = read_with_format(path, form)
    print_caveats(path, scenario, text, form)
    return scenario


def print_caveats(path: Path, scenario: Scenario, text: str, form: Format) -> None:
    """Print what the shares of a foreign tree stand for that its scheduler has in another way."""
    found = list(form.caveats(scenario.tree))
    if found:
        for problem in with_lines(found, form.lines(text)):
            click.echo(problem_line(name_of(path), problem), err=True)


def read_with_text(path: Path) -> tuple[Scenario, str]:
    """The same, and the text that it was read from."""
    scenario, text, _ = read_with_format(path)
    return scenario, text


def read_with_format(path: Path, form: Format | None = None) -> tuple[Scenario, str, Format]:
    """The same, and the format that it is of: the one given, else that of suffix and content."""
    text = read_text(path)
    form = form or format_of(path, text)
    try:
        return form.read(text), text, form
    except ScenarioError as error:
        raise ScenarioError(error.problems, name_of(path)) from None


def tree_of(path: Path, form: Format | None = None) -> ShareTree:
    """The share tree of a file; ScenarioError with all problems."""
    return read(path, form).tree


def tell_unstable(policies: Iterable[PolicySpec]) -> None:
    """Every warning once, however many of the policies it is about."""
    from fsconsole.policies.registry import stability_warnings

    for text in dict.fromkeys(text for policy in policies for text in stability_warnings(policy)):
        click.echo(f"fsconsole: {text}", err=True)
