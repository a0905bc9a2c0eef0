"""Actions on jobs and nodes of a cluster from the command line: their plan, the question, and the results."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from fsconsole.cli.cluster import (
    confirmed,
    in_thread,
    must_log,
    say_checks,
    say_or_stop,
    status_of,
    write_audit,
)
from fsconsole.cli.errors import INTERRUPTED
from fsconsole.cli.plan import must_be_planned, plan_of, say_plan
from fsconsole.cli.tables import print_json
from fsconsole.recording.audit import Result

if TYPE_CHECKING:
    from fsconsole.cli.cluster import Reading, Sending
    from fsconsole.recording.audit import AuditRow
    from fsconsole.targets.slurm.action_callbacks import Reports
    from fsconsole.targets.slurm.reports import ActionReport


def carry_out(
    reading: Reading, question: str, why: str, how: Sending, act: Callable[..., Reports],
    audited: Callable[..., AuditRow], sent: Callable[..., AuditRow],
    insisted: Collection[tuple[str, str]] = (),
) -> int:  # fmt: skip
    """Ask, act on jobs or nodes, and print the results.

    With a plan, what is acted on is as the plan has it, or nothing is done: the action compares what it has
    read itself.

    Args:
        reading: the cluster as it was read.
        question: asked before the action.
        why: the reason given.
        how: how it is sent.
        act: carries it out, a dry run too; takes callbacks.
        audited: returns the row of the audit log of a report, with the author.
        sent: returns the row before a command on some jobs or a node, with the author.
        insisted: dangers that were shown and are confirmed by the answer.

    Returns:
        the exit status.
    """
    from fsconsole.app.cluster.preview import queries
    from fsconsole.targets.slurm.action_callbacks import ActionCallbacks
    from fsconsole.targets.slurm.tools import Stop

    author, stop, where = reading.author(why, how.undoes), Stop(), reading.where()

    def plan(reports: Reports) -> str:
        rows = [(*one.command, one.before, one.text) for one in reports]
        return plan_of(reading.name, where, rows, sorted(insisted))

    def check(reports: Reports) -> None:
        must_be_planned(how.planned, plan(reports))

    said: set[str] = set()

    def report_done(report: ActionReport) -> None:
        if not how.dry_run:
            write_audit(reading, audited(report, author))
        line = _line(reading, report)
        if not (how.is_quiet or (how.dry_run and line in said)):  # Many jobs are in one command.
            say_or_stop(line, stop)
        said.add(line)

    def begin(on: str, command: tuple[str, ...]) -> str:
        return must_log(reading, sent(on, command, author), without_log=how.without_log)

    if how.planned:
        check(in_thread(lambda: act(dry_run=True), reading.tools))
    if not how.dry_run:
        confirmed(question, yes=how.yes)
    callbacks = ActionCallbacks(report_done, begin, stop.wait, check=check)
    reports = in_thread(lambda: act(callbacks, dry_run=how.dry_run), reading.tools, stop)
    if how.is_quiet:
        more = {"plan": plan(reports)} if how.dry_run else {}
        print_json([_plain(report) | more for report in reports])
    elif how.dry_run and any(one.result is Result.DRY_RUN and not one.text for one in reports):
        say_plan(plan(reports))  # What would be refused alone is not a plan.
    say_checks(queries(reports, reading.place.prefix))
    return INTERRUPTED if stop() else status_of(reports)


def _line(reading: Reading, report: ActionReport) -> str:
    from fsconsole.targets.slurm.tools import shown_command

    if report.result is Result.DRY_RUN:
        text = f" # {report.text}" if report.text else ""
        return f"{shown_command(reading.place.prefix, report.command)}{text}"
    steps = " -> ".join(dict.fromkeys(step for step in (report.before, report.after) if step))
    if f"({steps})" in report.text:
        steps = ""
    words = (str(report.result), f"{report.kind} {report.on}", steps, report.text)
    return ": ".join(part for part in words if part)


def _plain(report: ActionReport) -> dict[str, Any]:
    return {
        report.kind: report.on, "result": str(report.result), "text": report.text,
        "command": list(report.command), "before": report.before, "after": report.after,
    }  # fmt: skip
