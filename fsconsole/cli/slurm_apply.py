"""`fsconsole slurm apply`: make a cluster's tree that of a file, and see whether it is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import (
    Sending,
    confirmed,
    in_thread,
    log_option,
    must_log,
    say_checks,
    say_or_stop,
    status_of,
    unfinished_notes,
    via_option,
    write_audit,
)
from fsconsole.cli.cluster_changes import plain_change, plain_left, plan_of, remove_option, say
from fsconsole.cli.errors import INTERRUPTED, UserError, print_problem
from fsconsole.cli.plan import must_be_planned, plan_option, say_plan
from fsconsole.cli.tables import print_json
from fsconsole.cli.values import change_options, input_file, yes_option
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.app.cluster.reached import Reached
    from fsconsole.cli.cluster_changes import Plan
    from fsconsole.slurm.change_set import Change, ChangeSet
    from fsconsole.targets.slurm.reports import ApplyReport, ChangeReport
    from fsconsole.targets.slurm.tools import Stop


@click.command("apply")
@click.argument("file", type=input_file)
@via_option
@remove_option
@change_options()
@yes_option
@plan_option
@click.option("--insist", is_flag=True, help="Also run commands that Slurm is expected to refuse.")
@log_option
@click.option(
    "--wait",
    "waits",
    is_flag=True,
    help="Wait until slurmctld has calculated, then compare fairshare with the prediction.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end, without questions.")
@click.pass_context
def command(
    ctx: click.Context, file: Path, via: tuple[str, ...], removes: bool, dry_run: bool, yes: bool,
    planned: str, insist: bool, without_log: bool, reason: str, waits: bool, as_json: bool,
) -> None:  # fmt: skip
    """Change the share tree of a Slurm cluster to that in FILE.

    FILE is a scenario or a dump of sacctmgr.

    Limits that FILE names, such as MaxJobs=8, are set too; -1 clears one, and those not named stay.

    Shows the changes as `slurm diff` does, and asks for confirmation unless --yes is given. A change that
    Slurm will refuse because of active jobs, or that removes a default account, is sent only with --insist.
    Accounts and users that FILE does not name are removed only with --remove. Changes of others since then
    are not overwritten, and obstacles are looked for again before each command: a change with a new one is
    not sent, also with --insist, which holds for the obstacles that were shown. A dry run prints the identity
    of its plan: with --plan, exactly that plan is carried out, or nothing. Ctrl+C stops after the running
    command. Then the cluster is read back: each change is reported as done, done despite error, refused,
    different, not sent or unknown, and fairshare from sshare is compared with the prediction. A result is
    unknown if the change could not be read back, as after a lost connection: the exit status is 4 then, and
    commands to check it are shown.
    """
    how = Sending(dry_run, as_json, without_log, yes, planned)
    carry_out(ctx, plan_of(file, via, removes=removes), reason, how, insist=insist, waits=waits)


def carry_out(
    ctx: click.Context, plan: Plan, why: str, how: Sending, *, insist: bool = False, waits: bool = False
) -> None:
    """Show the changes, ask, apply them, read them back, compare fairshare, and end with the exit status."""
    from fsconsole.slurm.obstacles import insisted
    from fsconsole.targets.slurm.tools import Stop

    as_json, dry_run = how.is_quiet, how.dry_run
    count = len(plan.changes.changes)
    for note in unfinished_notes(plan.reading):
        print_problem(f"note: {note}")
    if not as_json:
        say(plan)
    _refuse(plan, dry_run=dry_run)
    changes = insisted(plan.changes) if insist else plan.changes
    identity = _identity(plan, insist=insist)
    must_be_planned(how.planned, identity)
    if count and not dry_run:
        confirmed(_question(plan, is_rollback=bool(how.undoes)), yes=how.yes)
    stop = Stop()
    report = apply(plan, changes, why, stop, how)
    held = None if dry_run or stop() else _held(plan, report, stop, why, waits=waits)
    _say(plan, report, held, identity, as_json=as_json, dry_run=dry_run)
    ctx.exit(INTERRUPTED if stop() else status_of(report.rows))


def _identity(plan: Plan, *, insist: bool) -> str:
    """Return the identity of the changes that are sent, with the obstacles that are insisted on."""
    from fsconsole.cli.plan import plan_of

    sent = [one for one in plan.changes.changes if insist or not one.obstacle]
    rows = [(*one.command, one.before, one.after, one.obstacle) for one in sent]
    return plan_of(plan.reading.name, plan.reading.where(), rows)


def apply(plan: Plan, changes: ChangeSet, why: str, stop: Stop, how: Sending) -> ApplyReport:
    """Apply changes in a thread and report the result of each.

    Raises:
        UserError: the audit log cannot be written, so nothing was sent.
    """
    from fsconsole.app.cluster.preview import row_words
    from fsconsole.targets.slurm.apply_rows import audited, begun, ended, sent
    from fsconsole.targets.slurm.change_set_applier import ApplyCallbacks
    from fsconsole.targets.slurm.change_set_applier import apply as apply_all

    reading = plan.reading
    author, tools, name = reading.author(why, how.undoes), reading.tools, reading.name

    def begin(change: Change) -> str:
        return must_log(reading, sent(change, author), without_log=how.without_log)

    def record(row: ChangeReport) -> None:
        write_audit(reading, audited(row, author))

    def progress(row: ChangeReport) -> None:
        if not how.is_quiet and not how.dry_run:
            say_or_stop(row_words(row), stop)

    def work() -> ApplyReport:
        report = apply_all(
            tools.run, name, changes, callbacks, dry_run=how.dry_run, is_whole=bool(how.planned)
        )
        if is_meant:
            write_audit(reading, ended(report, name, author))
        return report

    callbacks = ApplyCallbacks(progress, record, stop, begin=begin)
    is_meant = not how.dry_run and changes.can_be_applied
    if is_meant:
        first = begun(changes, name, author)
        problem = must_log(reading, first, without_log=how.without_log)
        if problem:
            raise UserError(f"no command was run: {problem}")
    return in_thread(work, tools, stop)


def _held(
    plan: Plan, report: ApplyReport, stop: Stop, why: str, *, waits: bool
) -> tuple[Reached | None, str] | None:
    """Compare fairshare with its prediction and log the final result; return None without a prediction."""
    from fsconsole.cli.cluster_reached import expected, hold_against
    from fsconsole.targets.slurm.apply_rows import compared

    expectation = expected(plan, report)
    if expectation is None:
        return None
    found, sentence = hold_against(plan, expectation, stop, waits=waits)
    if found is not None and (found.is_calculated or found.is_late):
        is_so = found.is_calculated and not found.differing
        name = plan.reading.name
        write_audit(plan.reading, compared(name, plan.reading.author(why), sentence, is_so=is_so))
    return found, sentence


def _question(plan: Plan, *, is_rollback: bool) -> str:
    """Return the question to confirm; it stresses removals."""
    count = len(plan.changes.changes)
    gone = sum(change.verb == "Remove" for change in plan.changes.changes)
    removing = f", {gone} of them to remove something," if gone else ""
    if is_rollback:
        return f"Roll back {count_words(count, 'change')}{removing} on {plan.reading.name}?"
    return f"Apply {count_words(count, 'change')}{removing} to {plan.reading.name}?"


def all_done(report: ApplyReport) -> bool:
    """Return True if each change was read back as requested."""
    return all(row.result.is_done for row in report.rows)


def _refuse(plan: Plan, *, dry_run: bool) -> None:
    if plan.changes.refusals:
        raise UserError("no command was run, because some changes cannot be applied")
    if plan.is_of_another and not dry_run:
        message = f"the file is for cluster {plan.of}, but this cluster is {plan.reading.name}"
        raise UserError(f"{message}. Change its Cluster line if it is meant for this one")


def _say(
    plan: Plan,
    report: ApplyReport,
    held: tuple[Reached | None, str] | None,
    identity: str,
    *,
    as_json: bool,
    dry_run: bool,
) -> None:
    from fsconsole.app.cluster.preview import queries
    from fsconsole.cli.cluster_reached import plain_reached, say_reached
    from fsconsole.targets.slurm.tools import shown_command

    prefix = plan.reading.place.prefix
    checks = queries(report.rows, prefix)
    back = [shown_command(prefix, change.command) for change in report.rollback.changes]
    if as_json:
        notes = {"lag": report.lag, "warnings": list(report.warnings), "check": checks}
        result: dict[str, Any] = {"rows": _plain(report), **notes, "back": back, "left": plain_left(plan)}
        if held is not None:
            result["fairshares"] = plain_reached(*held)
        print_json({"cluster": plan.reading.name, "plan": identity, **result})
    elif dry_run and report.rows:
        print("No command was run.")
        say_plan(identity)
    for note in (report.lag, *report.warnings):
        if note and not as_json:
            print_problem(f"note: {note}")
    if held is not None and not as_json:
        found, sentence = held
        if found is None:
            print_problem(f"note: {sentence}")
        else:
            say_reached(found, sentence)
    if not as_json:
        say_checks(checks)
    if back and not as_json and not all_done(report):
        print("\n".join(["", "To revert the changes:", *back]))


def _plain(report: ApplyReport) -> list[dict[str, Any]]:
    return [
        {
            **plain_change(row.change),
            "result": str(row.result),
            "text": row.text,
            "took_s": round(row.took_s, 3),
        }
        for row in report.rows
    ]
