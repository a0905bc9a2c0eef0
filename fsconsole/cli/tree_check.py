"""`fsconsole tree check`: all that is wrong or odd in files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.failure import UNUSABLE, problem_line
from fsconsole.cli.values import input_file

if TYPE_CHECKING:
    from fsconsole.shares.scenario.problems import Problem


@click.command("check")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=input_file)
@click.pass_context
def command(ctx: click.Context, files: tuple[Path, ...]) -> None:
    """List all problems of the files as FILE:line:column: severity: text.

    Exit status 1 if there is an error; warnings and notes leave it 0.
    """
    from fsconsole.cli.reading import name_of
    from fsconsole.shares.scenario.problems import Severity

    errors = 0
    for file in files:
        problems = _problems(file)
        for problem in problems:
            print(problem_line(name_of(file), problem))
        errors += sum(problem.severity is Severity.ERROR for problem in problems)
        if not problems:
            print(f"{name_of(file)}: no problems")
    ctx.exit(UNUSABLE if errors else 0)


def _problems(file: Path) -> list[Problem]:
    from fsconsole.cli.reading import read_with_text
    from fsconsole.policies.check import warnings_of
    from fsconsole.shares.formats import format_of
    from fsconsole.shares.scenario.problems import Problem, ScenarioError
    from fsconsole.shares.scenario.source_positions import with_places

    try:
        scenario, text = read_with_text(file)
    except ScenarioError as error:
        return error.problems
    except OSError as error:
        return [Problem(f"cannot be read: {error.strerror or error}")]
    found = warnings_of(scenario)
    return with_places(found, text) if format_of(file, text).name == "yaml" else found
