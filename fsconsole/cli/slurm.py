"""`fsconsole slurm`: Slurm's fairshare, computed, and real clusters."""

from __future__ import annotations

from pathlib import Path

import click

from fsconsole.cli.cluster import in_thread, live_option, tools_of, via_option
from fsconsole.cli.cluster_changes import plain, plan_of, remove_option, say
from fsconsole.cli.errors import UNUSABLE, WRONG_USE, UserError, print_error, print_problem
from fsconsole.cli.lazy import LazyGroup
from fsconsole.cli.tables import print_json
from fsconsole.cli.values import input_file, refuse_existing
from fsconsole.shares.scenario.problems import ScenarioError

_COMMANDS = {
    "fairshare": ("fsconsole.cli.slurm_fairshare", "Recalculate fairshare from output of sshare."),
    "forecast": ("fsconsole.cli.slurm_forecast", "Forecast usage and fairshare from planned jobs."),
    "control": ("fsconsole.cli.slurm_control", "Compute padding and dampening for target hours."),
    "status": ("fsconsole.cli.slurm_status", "Check the connection to a cluster."),
    "show": ("fsconsole.cli.slurm_show", "Show a cluster's share tree with usage and fairshare."),
    "diff": ("fsconsole.cli.slurm:diff", "Show the changes from a cluster to the tree in a file."),
    "apply": ("fsconsole.cli.slurm_apply", "Apply the tree in a file to a cluster, and read it back."),
    "limit": ("fsconsole.cli.slurm_limit", "Set limits of an account, a user or a QOS, and read back."),
    "records": ("fsconsole.cli.slurm_records:records", "List what was done to a cluster from here."),
    "roll-back": ("fsconsole.cli.slurm_records:roll_back", "Bring back what was before a record."),
    "capture": ("fsconsole.cli.slurm:capture", "Save a capture folder of a cluster, to open elsewhere."),
    "why": ("fsconsole.cli.slurm_why", "Explain a pending job, a user's fairshare, or an account."),
    "diary": ("fsconsole.cli.slurm_diary", "List the diaries of clusters, or write one."),
    "finished": ("fsconsole.cli.slurm_finished", "List finished jobs with state and CPU time."),
    "reservations": ("fsconsole.cli.slurm_reservations", "List Slurm reservations with their jobs."),
    "node": ("fsconsole.cli.slurm_node", "List, drain or resume nodes of a cluster."),
    "jobs": ("fsconsole.cli.slurm_jobs", "List jobs of a cluster with their reasons, an array in one row."),
    "job": ("fsconsole.cli.slurm_job", "Kill, extend, suspend, hold or requeue jobs of a cluster."),
}


@click.group("slurm", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Compute Slurm's fairshare, and use real clusters through Slurm's own tools."""


@click.command("capture")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@live_option
@click.option("--force", is_flag=True, help="Replace an existing capture folder.")
@click.pass_context
def capture(ctx: click.Context, folder: Path, via: tuple[str, ...], force: bool) -> None:
    """Keep in FOLDER what the tools of a Slurm cluster say now: settings, tree, usage, jobs, nodes.

    The console opens it as a cluster that can be looked at and not acted on: to study it elsewhere, to
    forecast and to try shares, or to show others what is wrong. It holds names of accounts, users and jobs.
    """
    from fsconsole.targets.slurm.reading import capture as write_capture
    from fsconsole.targets.slurm.tools import ToolError

    _check_room(folder, force=force)
    tools = tools_of(via)
    try:
        kept = in_thread(lambda: write_capture(tools, folder), tools)
    except ToolError as error:
        raise UserError(str(error)) from error
    for problem in kept.problems:
        print_problem(f"incomplete capture: {problem}")
    click.echo(f"Cluster {kept.cluster}: {len(kept.files)} outputs in {folder}")
    click.echo(f"To open it: fsconsole open {folder}")
    if kept.problems:
        ctx.exit(UNUSABLE)


def _check_room(folder: Path, *, force: bool) -> None:
    """Raise UserError where a capture would replace what is there: another capture, or files of others."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return
    from fsconsole.app.kinds import Kind, kind_of

    refuse_existing(folder, force=force)
    if kind_of(folder) not in (Kind.CAPTURE, Kind.UNFINISHED_CAPTURE):
        raise UserError(f"{folder} is not a capture folder. It is not overwritten")


@click.command("diff")
@click.argument("file", type=input_file)
@via_option
@remove_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.pass_context
def diff(ctx: click.Context, file: Path, via: tuple[str, ...], removes: bool, as_json: bool) -> None:
    """List the changes from a Slurm cluster to the tree in FILE, a scenario or a dump of sacctmgr.

    Accounts and users are matched by name. Shows the changes, the commands that would make them, and
    whose fairshare changes most at the current usage. Accounts and users that FILE does not name are listed
    apart: they are removed only with --remove. Nothing is changed.
    """
    from fsconsole.app.kinds import KindError

    try:
        plan = plan_of(file, via, removes=removes)
    except (KindError, OSError, ScenarioError, UserError) as error:
        print_error(error)
        ctx.exit(WRONG_USE)
    is_same = not plan.changes.changes and not plan.changes.refusals
    if as_json:
        print_json(plain(plan))
    else:
        say(plan)
    ctx.exit(0 if is_same else 1)
