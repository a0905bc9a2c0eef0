"""`fsconsole doctor`: faults, contradictions and unusual values in a tree or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.cluster import read, via_option
from fsconsole.cli.errors import WRONG_USE, UserError, print_error, print_problem
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.tree import named_format, with_option
from fsconsole.recording.run_format import RunError
from fsconsole.shares.formats.base import line_of
from fsconsole.shares.scenario.problems import ScenarioError
from fsconsole.targets.slurm.state import PartName
from fsconsole.text.visible_text import visible
from fsconsole.text.words import listed

if TYPE_CHECKING:
    from fsconsole.app.doctor.site import Site
    from fsconsole.slurm.parsers.sprio import JobPriority


@click.command("doctor")
@click.argument("source", required=False, type=click.Path(path_type=Path, exists=True), metavar="[SOURCE]")
@click.option("--from", "origin", metavar="NAME", help="Format of SOURCE. Default: by suffix and content.")
@with_option
@click.option(
    "--slurm", "is_slurm", is_flag=True, help="Examine the cluster that Slurm's tools reach from here."
)
@via_option
@click.option(
    "--linux",
    "is_linux",
    is_flag=True,
    help="Examine the local control groups: all, or those of SOURCE.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON list, with an object for each finding.")
@click.option("--sarif", "with_sarif", is_flag=True, help="Print SARIF 2.1.0.")
@click.option("--rules", "lists_rules", is_flag=True, help="List all rules with their sources.")
@click.pass_context
def command(
    ctx: click.Context, source: Path | None, origin: str | None, more: tuple[Path, ...], is_slurm: bool,
    via: tuple[str, ...], is_linux: bool, as_json: bool, with_sarif: bool, lists_rules: bool,
) -> None:  # fmt: skip
    """Examine a capture folder, a diary, a scenario, a tree file of any dialect, or a live Slurm cluster.

    Of a run folder it examines the scenario.

    Each finding has its evidence, its source, a fix, and what the fix changes for whom. Grades are: broken,
    contradicts itself, unusual.
    """
    from fsconsole.app.doctor.catalogue import Grade
    from fsconsole.app.doctor.examine import RULES, as_text, examine
    from fsconsole.app.kinds import KindError

    if lists_rules:
        print_table(["Rule", "Grade", "Finds", "Source"], [
            (rule.id, str(rule.grade), rule.title, rule.source) for rule in RULES
        ], numbers=False)  # fmt: skip
        return
    try:
        site = _site(source, origin, more, via, is_slurm=is_slurm, is_linux=is_linux)
    except (KindError, OSError, RunError, ScenarioError, UserError) as error:
        print_error(error)
        ctx.exit(WRONG_USE)
    found = examine(site)
    if with_sarif:
        from fsconsole.app.doctor.sarif import as_sarif

        print_json(as_sarif(site.name, found, RULES, is_file=source is not None and source.is_file()))
    elif as_json:
        print_json([one.as_json() for one in found])
    else:
        print(visible("\n".join(as_text(site, found))))
    ctx.exit(1 if any(one.rule.grade is Grade.BROKEN for one in found) else 0)


def _site(
    source: Path | None, origin: str | None, more: tuple[Path, ...], via: tuple[str, ...], *,
    is_slurm: bool, is_linux: bool,
) -> Site:  # fmt: skip
    from fsconsole.app.kinds import Kind, capture_refusal, kind_of
    from fsconsole.targets.slurm.location import capture_place

    if source is None:
        if is_linux and not (is_slurm or via):
            return _groups()
        if is_linux or not (is_slurm or via):
            msg = "give a capture folder or a tree file, or --slurm or --via for a live cluster"
            raise click.UsageError(msg)
        return _cluster(via, "")
    if is_slurm or via:
        msg = "SOURCE and a live cluster (--slurm, --via) exclude each other"
        raise click.UsageError(msg)
    kind = kind_of(source)
    if kind is Kind.CAPTURE:
        return _cluster(capture_place(source).prefix, str(source))
    if kind is Kind.DIARY:
        return _diary(source)
    if source.is_dir() and kind is not Kind.RUN:
        wanted = "a capture folder, a run, a diary or a tree file"
        raise click.UsageError(capture_refusal(source, wanted, kind or Kind.FOLDER))
    return _file(source, origin, more, is_linux=is_linux)


def _groups() -> Site:
    from fsconsole.app.doctor.control_groups import of_control_groups
    from fsconsole.linux.hierarchy import ControlGroupsError, find_hierarchy

    try:
        return of_control_groups(find_hierarchy())
    except ControlGroupsError as error:
        raise UserError(str(error)) from None


def _cluster(via: tuple[str, ...], name: str) -> Site:
    from fsconsole.app.doctor.sources import NothingToExamine, of_cluster
    from fsconsole.targets.slurm.explain import read_all_priorities
    from fsconsole.targets.slurm.location import clock_of

    reading = read(via)
    for problem in dict.fromkeys(reading.problems.values()):  # One tool may read several parts.
        print_problem(f"{problem.rstrip('.')}. Rules that need it were skipped.")
    if reading.notes:
        print_problem(f"Rules that need all of {listed([*reading.notes])} were skipped.")
    priorities: Sequence[JobPriority] = ()
    if PartName.JOBS in reading.found:
        priorities, why = read_all_priorities(reading.tools.run)
        if why:  # A cluster without multifactor priorities has none.
            print_problem(f"note: {why}. Rules about priorities were skipped.")
            priorities = ()
    try:
        return of_cluster(
            name or reading.name, reading.found, priorities, clock_of(via)(), reading.shown, reading.printed,
            reading.notes,
        )  # fmt: skip
    except NothingToExamine as error:
        raise UserError(str(error)) from None


def _diary(source: Path) -> Site:
    """Return a cluster at the end of its diary."""
    from fsconsole.app.doctor.sources import NothingToExamine, of_cluster
    from fsconsole.targets.slurm.diary_instant import instant_of

    instant = instant_of(source)
    known = {
        PartName.SETTINGS: instant.settings,
        PartName.USAGE: instant.shares,
        PartName.JOBS: instant.jobs,
    }
    found = {part: value for part, value in known.items() if value is not None}
    try:
        return of_cluster(str(source), found, now_s=instant.at_s)
    except NothingToExamine:
        raise UserError(f"{source}: the diary has neither settings nor usage to examine.") from None


def _file(source: Path, origin: str | None, more: tuple[Path, ...], *, is_linux: bool) -> Site:
    from fsconsole.app.doctor.sources import of_scenario, with_control_groups
    from fsconsole.cli.reading import read_files

    read = read_files(source, named_format(origin), more)
    scenario, lines = read.scenario, read.form.lines(read.text)
    paths = scenario.tree.paths()
    placed = {path: line_of(lines, node) for node, path in paths.items()}
    site = replace(of_scenario(str(source), scenario), lines=placed)
    if not is_linux:
        return site

    from fsconsole.cli.linux import groups_of
    from fsconsole.linux.idle_weights import idle_weights
    from fsconsole.linux.plan import ROOT_NAME

    with groups_of(ROOT_NAME) as groups:
        folders = groups.paths(scenario.tree)
        found = list(idle_weights(scenario.tree, groups.hierarchy, folders, cpus=os.cpu_count() or 1))
    return with_control_groups(site, found)
