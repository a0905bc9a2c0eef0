"""`fsconsole run branch`: another way from an instant of a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.app.kinds import run_at
from fsconsole.cli.errors import INTERRUPTED, print_problem
from fsconsole.cli.progress import progress_option
from fsconsole.cli.values import duration, moment, refuse_existing
from fsconsole.shares.scenario.policy_spec import POLICY_NAMES
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.app.runs.branch import Branch

_MOST_PRINTED = 10


@click.command("branch")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--at", type=moment, required=True, metavar="TIME", help="Instant at which to leave RUN, such as 1h."
)
@click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Setting to change.")
@click.option("--policy", default="", metavar="NAME", help=f"Another policy: {', '.join(POLICY_NAMES)}.")
@click.option("--shares", multiple=True, metavar="PATH=SHARES", help="Shares of a node, such as root/A=30.")
@click.option(
    "--event",
    "events",
    multiple=True,
    metavar="EVENT",
    help="Event to add, as in scenario files: 'login: carol'.",
)
@click.option("--until", type=duration, metavar="TIME", help="End of the branch. Default: end of the run.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="Run folder to write, NAME.run.")
@click.option("--drop-later", is_flag=True, help="Leave out actions on the run after --at.")
@click.option("--force", is_flag=True, help="Replace an existing run folder.")
@progress_option
@click.pass_context
def command(
    ctx: click.Context,
    run: Path,
    at: float,
    settings: tuple[str, ...],
    policy: str,
    shares: tuple[str, ...],
    events: tuple[str, ...],
    until: float | None,
    out: Path,
    drop_later: bool,
    force: bool,
    progress: bool | None,
) -> None:
    """Leave the run folder RUN at an instant, change something, and run on into another folder.

    RUN is left as it is. Changes are actions of that instant: settings and shares take effect at the next
    delta. What operators did to RUN later is done to the branch too, unless --drop-later. Without changes the
    branch equals RUN; `fsconsole run diff` shows it.
    """
    refuse_existing(out, force=force)
    from fsconsole.app.runs.branch import Branch, fork_of
    from fsconsole.app.runs.changes import BranchError, ChangeTexts
    from fsconsole.cli.recorded import watched

    try:
        fork = fork_of(run_at(run, is_simulated=True), at)
        changes = ChangeTexts(settings, policy, shares, events).actions(fork.machine)
        branch = Branch(fork, changes, out, until_s=until, is_later_kept=not drop_later, overwrite=force)
    except BranchError as error:
        raise click.UsageError(str(error), ctx) from None
    with watched(branch.until_s, progress) as (show, stopped):
        is_complete = branch.run(show, lambda: bool(stopped))
    ctx.exit(_print_result(branch, is_complete=is_complete))


def _print_result(branch: Branch, *, is_complete: bool) -> int:
    """Print the result; return the exit status."""
    for refusal in branch.refused[:_MOST_PRINTED]:
        at_s = refusal.entry.tick / branch.machine.spec.hz
        print_problem(f"refused in the branch at {at_s:g} s: {refusal.text}")
    if len(branch.refused) > _MOST_PRINTED:
        more = count_words(len(branch.refused) - _MOST_PRINTED, "more action")
        print_problem(f"{more} refused in the branch")
    now_s = branch.machine.now_s
    if not is_complete:
        reached = f"{now_s:.0f} s of {branch.until_s:.0f} s"
        print_problem(f"Interrupted at {reached}. {branch.path} contains the branch up to that time.")
        return INTERRUPTED
    for change in branch.changes:
        print(change)
    print(f"{branch.path}: branch up to {now_s:g} s")
    return 0
