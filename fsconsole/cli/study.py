"""`fsconsole study`: the commands about studies of parallel-job scheduling, and which study they mean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.errors import UserError
from fsconsole.cli.lazy import LazyGroup
from fsconsole.cli.tables import print_json
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.text.nearest import nearest_or_all
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.batch.study.folder import StudyFolder
    from fsconsole.batch.study.spec import StudySpec

_COMMANDS = {
    "run": ("fsconsole.cli.study_run", "Compute a study, or its missing cells."),
    "show": ("fsconsole.cli.study_show", "Show the results of a study."),
    "users": ("fsconsole.cli.study_users", "Test which users wait longer under a policy."),
    "search": ("fsconsole.cli.study_search", "Search settings that meet goals, and show the results."),
    "report": ("fsconsole.cli.study_report", "Write the results of a study as PDF or HTML."),
    "fair-start": ("fsconsole.cli.study_fair_start", "Compute fair start times: do later jobs delay others?"),
    "check": ("fsconsole.cli.study:check", "Check a study file and list its cells."),
    "export": ("fsconsole.cli.study_export", "Write a study's tables and figures as files."),
}


@click.group("study", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Run workloads x policies x windows x seeds, each once, on all cores or on a cluster.

    A STUDY is a file (YAML), or one that comes with the program: kth-windows, kth-months, kth-october,
    kth-policies. DIR is the folder that a study was computed in.
    """


def study_folder(text: str) -> Path:
    """Return a folder that may be that of a study; wrong use for anything of another kind."""
    from fsconsole.app.kinds import Kind, kind_of, refusal

    path = Path(text)
    kind = kind_of(path)
    if not text or kind is None:
        msg = f"folder {text!r} does not exist"
        raise click.BadParameter(msg)
    if kind not in (Kind.STUDY_FOLDER, Kind.SEARCH_FOLDER, Kind.FOLDER):
        raise click.BadParameter(refusal(path, Kind.STUDY_FOLDER, kind))
    return path


folder_argument = click.argument("folder", metavar="DIR", type=study_folder)


@contextmanager
def explained() -> Iterator[None]:
    """Raise UserError with the message of a StudyError that is raised within."""
    from fsconsole.batch.study.spec import StudyError

    try:
        yield
    except StudyError as error:
        raise UserError(str(error)) from None


def study_file(text: str) -> Path:
    """Return a study's file, or that of a bundled study; a usage error if there is neither."""
    from fsconsole.app.study.files import is_search
    from fsconsole.batch.search.bundled import bundled_searches
    from fsconsole.batch.study.bundled import bundled_studies

    if is_search(Path(text)) or text in bundled_searches():
        msg = f"{text} is a search. Run it with `fsconsole study search {text} --out DIR`"
        raise click.BadParameter(msg)
    return file_or_bundled(text, bundled_studies(), "study")


def file_or_bundled(text: str, known: Mapping[str, Path], what: str) -> Path:
    """Return a file, or the bundled file of that name; a usage error if there is neither.

    Args:
        text: text from the command line.
        known: bundled files by name.
        what: kind of the file, such as `study`.
    """
    from fsconsole.app.kinds import Kind, kind_of, refusal

    path = Path(text)
    kind, own = kind_of(path), Kind(f"a {what} file")
    if path.is_file() and kind in (own, Kind.FILE):
        return path
    if text in known:
        return known[text]
    if kind not in (None, Kind.STUDY_FOLDER, Kind.SEARCH_FOLDER, Kind.FOLDER):
        msg = refusal(path, own, kind)
    elif path.is_dir():
        msg = f"{text} is a folder. Give a {what} file, such as {path / f'{what}.yaml'}"
    elif path.exists():
        msg = f"{text} is a device or a pipe, not a file"
    else:
        msg = f"file {text!r} not found, and the program has no such {what}{nearest_or_all(text, known)}"
    raise click.BadParameter(msg)


def spec_of(path: Path) -> StudySpec:
    """Return the study in a file; ScenarioError with everything that is wrong, by the file's name as
    given.
    """
    from fsconsole.batch.study.study_file import read_study

    try:
        return read_study(path)
    except ScenarioError as error:
        raise ScenarioError(error.problems, str(path)) from None


def opened(folder: Path) -> StudyFolder:
    """Return the folder of a study.

    Raises:
        UserError: it is not a study.
    """
    from fsconsole.batch.study.folder import StudyFolder

    with explained():
        return StudyFolder(folder)


@click.command("check")
@click.argument("study", type=study_file)
@click.option("--json", "as_json", is_flag=True, help="Print the results as one JSON object.")
def check(study: Path, as_json: bool) -> None:
    """Read a study and its workloads; say what would be computed."""
    from fsconsole.batch.study.plan import plan_of

    spec = spec_of(study)
    with explained():
        plan = plan_of(spec)
    workloads = list(dict.fromkeys(cell.workload for cell in plan.cells))
    policies = list(dict.fromkeys(cell.policy.label for cell in plan.cells))
    reports = [line for source in plan.sources.values() for line in source.report]
    if as_json:
        print_json(
            {
                "name": spec.name,
                "cells": len(plan.cells),
                "workloads": workloads,
                "policies": policies,
                "seeds": sorted({cell.seed for cell in plan.cells if cell.seed is not None}),
                "reports": reports,
            }
        )
        return
    counts = f"{count_words(len(workloads), 'workload')} x {count_words(len(policies), 'policy')}"
    print(f"{spec.name}: {count_words(len(plan.cells), 'cell')}, {counts}")
    # Names contain commas, so semicolons separate them.
    print(f"Workloads: {'; '.join(workloads)}")
    print(f"Policies: {'; '.join(policies)}")
    for line in reports:
        print(line)
