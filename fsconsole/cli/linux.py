"""`fsconsole linux`: a share tree as CPU weights of this machine's control groups."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count as count_of
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fsconsole.cli.cluster import confirmed
from fsconsole.cli.errors import UNUSABLE, UserError, print_problem
from fsconsole.cli.lazy import LazyGroup
from fsconsole.cli.plan import must_be_planned, plan_here, plan_option, say_plan
from fsconsole.cli.progress import bar, progress_option
from fsconsole.cli.tables import print_json, print_table
from fsconsole.cli.values import change_options, duration, input_file, yes_option
from fsconsole.linux.hierarchy import ControlGroupsError
from fsconsole.linux.plan import ROOT_NAME
from fsconsole.recording.audit import login_name
from fsconsole.shares.tree import TreeError
from fsconsole.text.numbers import percent
from fsconsole.text.words import count_words, listed

if TYPE_CHECKING:
    from fsconsole.linux.accounting import Reading
    from fsconsole.linux.plan import Plan
    from fsconsole.linux.share_tree_groups import ShareTreeGroups
    from fsconsole.shares.tree import Node, ShareTree

_COMMANDS = {
    "plan": ("fsconsole.cli.linux:plan", "List the files and values to write for a tree."),
    "apply": ("fsconsole.cli.linux:apply", "Create control groups with the tree's weights."),
    "assign": ("fsconsole.cli.linux_processes:assign", "Put processes into the group of a user."),
    "start": ("fsconsole.cli.linux_processes:start", "Run a command in the group of a user."),
    "rates": ("fsconsole.cli.linux:rates", "Show the CPU time of each node, from the kernel."),
    "share": ("fsconsole.cli.linux_share", "Set weights from past usage, by the Share rule."),
    "release": ("fsconsole.cli.linux:release", "Remove the groups and restore earlier weights."),
}


def _root_name(_ctx: click.Context, _param: click.Parameter, name: str) -> str:
    if not name.strip():
        raise click.BadParameter(f"a group needs a name, such as {ROOT_NAME}")
    if not name.isprintable():  # Bytes that are not UTF-8 arrive as lone surrogates.
        raise click.BadParameter(f"{name!r} cannot be printed. Write a name such as {ROOT_NAME}")
    return name


root_option = click.option(
    "--root", default=ROOT_NAME, metavar="NAME", show_default=True, callback=_root_name,
    help="Name of the control group above the tree.",
)  # fmt: skip
_STEPS = "{task.completed:.0f} of {task.total:.0f} steps"
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")


@click.group("linux", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Run a share tree as CPU weights of this machine's control groups.

    cgroup v1 is tried on a real kernel; v2 and systemd slices were not run on a real kernel, only on files
    as the kernel's documentation describes them.
    """


@contextmanager
def groups_of(root: str) -> Iterator[ShareTreeGroups]:
    """Open the groups of a root; raise UserError if that fails."""
    from fsconsole.linux.changes import ChangeError
    from fsconsole.linux.share_tree_groups import HeldError, ShareTreeGroups
    from fsconsole.linux.undo_log import UndoLogError

    try:
        found = ShareTreeGroups(root)
        try:
            yield found
        finally:
            found.let_go()
    except ChangeError as error:
        raise UserError(error.strerror or str(error)) from error
    except (ControlGroupsError, HeldError, UndoLogError) as error:
        raise UserError(str(error)) from error


def logged(
    groups: ShareTreeGroups, action: str, work: Callable[[], str], *, after: str = "", on: str = "",
    must_log: bool = True, why: str = "",
) -> str:  # fmt: skip
    """Change groups and return a description; log the change before and after.

    Raises:
        UserError: the change failed, or it cannot be logged and `must_log` is set.
    """
    from fsconsole.targets.linux.audit import GroupsAudit, LinuxError

    audit = GroupsAudit(groups.root)
    try:
        text = audit.change(action, work, login_name(), why, after=after, on=on, must_log=must_log)
    except LinuxError as error:
        raise UserError(str(error)) from error
    if audit.problem:
        print_problem(f"note: it was done, but not logged. {audit.problem}")
    return text


def tree_in(file: Path) -> ShareTree:
    """Read the tree of a file of any known format."""
    from fsconsole.cli.reading import tree_of

    return tree_of(file)


def leaf_at(tree: ShareTree, path: str) -> Node:
    """Return the leaf with a path or a name.

    Raises:
        UserError: there is none.
    """
    try:
        node = tree.find(path)
    except (TreeError, LookupError) as error:
        raise UserError(str(error)) from error
    if tree.children(node.id):
        raise UserError(
            f"{tree.path(node.id)} is a group, and processes belong to users. Choose one of its users"
        )
    return node


def _mention_left(root: str) -> None:
    """Report other groups in force, as a console leaves that is killed, and the way to release them."""
    for left in _in_force():
        if left != root:
            command = f"fsconsole linux release --root {shlex.quote(left)}"
            print_problem(f"note: groups of {left} are still in force. `{command}` releases them")


@click.command("plan")
@click.argument("file", metavar="TREE", type=input_file)
@root_option
@_json
def plan(file: Path, root: str, as_json: bool) -> None:
    """Print every write that would make control groups of the share tree in TREE. Changes nothing."""
    tree = tree_in(file)
    _mention_left(root)
    with groups_of(root) as groups:
        found = groups.plan(tree)
        notes = _notes(groups, tree, found)
        title = groups.hierarchy.remark
    if as_json:
        print_json(
            {
                "hierarchy": title,
                "steps": [
                    {"do": str(step.kind), "path": str(step.path), "value": step.value, "before": step.before}
                    for step in found.steps
                ],
                "weights": {tree.path(node): weight for node, weight in found.weights.items()},
                "notes": notes,
            }
        )
        return
    print(f"{title}: {count_words(len(found.steps), 'step')}")
    for step in found.steps:
        print(f"  {step}")
    for note in notes:
        print(f"note: {note}")


def _notes(groups: ShareTreeGroups, tree: ShareTree, found: Plan) -> list[str]:
    """Return groups that differ from the shares, and weights without effect."""
    from fsconsole.linux.idle_weights import idle_weights

    idle = idle_weights(tree, groups.hierarchy, found.groups, cpus=os.cpu_count() or 1)
    return [*found.notes, *(one.text for one in idle)]


@click.command("apply")
@click.argument("file", metavar="TREE", type=input_file)
@root_option
@click.option("--users", is_flag=True, help="Also put each user's processes into the group of that name.")
@change_options()
@yes_option
@plan_option
@progress_option
@click.pass_context
def apply(
    ctx: click.Context, file: Path, root: str, users: bool, dry_run: bool, yes: bool, planned: str,
    reason: str, progress: bool | None,
) -> None:  # fmt: skip
    """Make control groups with the weights of the share tree in TREE, below a root of their own.

    What is there before is written down first, so `linux release` takes everything back, also after a kill.
    Where a step fails, those before it are reverted at once.
    """
    from fsconsole.cli.linux_processes import assign_users, moves_of_users, say_moves

    tree = tree_in(file)
    if dry_run:
        ctx.invoke(plan, file=file, root=root, as_json=False)
    else:
        _mention_left(root)
    with groups_of(root) as groups:
        found = groups.plan(tree)
        steps = [(step.kind, str(step.path), step.value, step.before) for step in found.steps]
        moves = moves_of_users(groups, tree) if users else []
        identity = plan_here(root, steps, [(path, *map(str, pids)) for _, path, pids in moves])
        must_be_planned(planned, identity)
        if dry_run:
            say_moves(groups, moves)
            say_plan(identity)
            return
        for note in _notes(groups, tree, found):
            print_problem(f"note: {note}")
        moved = sum(len(pids) for _, _, pids in moves)
        if found.steps or moved:
            question = f"Carry out {count_words(len(found.steps), 'step')} in {groups.hierarchy.remark}?"
            if moved:
                processes = count_words(moved, "process", "processes")
                question = (
                    f"{question.removesuffix('?')}, and move {processes} into the groups of their users?"
                )
            confirmed(question, yes=yes)

        def work() -> str:
            with bar(len(found.steps), wanted=progress, text=_STEPS) as show:
                count = count_of(1)
                shown = [str(step) for step in found.steps]
                done = groups.apply(tree, shown=shown, after=lambda _: show(next(count)))
            return f"{count_words(done, 'step')} done, {count_words(len(found.weights), 'weight')} in force"

        print(logged(groups, "apply", work, after=str(file), why=reason))
        assign_users(groups, tree, moves, reason)


def print_problems(problems: list[str]) -> None:
    """Print to stderr the steps that failed."""
    for problem in problems:
        print_problem(f"{problem}")


def must_be_applied(groups: ShareTreeGroups, *, moves: bool = True) -> None:
    """Check that groups exist, and with `moves` that processes may be moved into them.

    Raises:
        UserError: there are none; the message names the command that creates them.
    """
    if moves and groups.hierarchy.is_of_systemd:
        raise UserError(
            "systemd owns the control groups here, so processes cannot be moved. `fsconsole linux "
            "start` starts a command in a slice"
        )
    if not groups.is_applied():
        others = [left for left in _in_force() if left != groups.root]
        there = f"; the groups of {listed(others, 3)} are in force. Choose one with --root" if others else ""
        raise UserError(f"no groups of {groups.root} yet. `fsconsole linux apply TREE` creates them{there}")


def _in_force() -> list[str]:
    """Return the roots whose groups are in force; empty if that is unknown."""
    from fsconsole.linux.share_tree_groups import left_behind
    from fsconsole.linux.undo_log import UndoLogError

    with suppress(OSError, UndoLogError):
        return left_behind()
    return []


@click.command("rates")
@click.argument("file", metavar="TREE", type=input_file)
@click.option("--for", "for_s", type=duration, default="10s", show_default=True, help="Time to measure.")
@root_option
@_json
def rates(file: Path, for_s: float, root: str, as_json: bool) -> None:
    """Show the part of the tree's CPU time that each node of TREE gets, beside the part its shares allocate.

    The CPU time is what the kernel has charged. Shares are allocated among those who used any of it.
    """
    tree = tree_in(file)
    with groups_of(root) as groups:
        must_be_applied(groups, moves=False)
        before = groups.reading(tree)
        time.sleep(for_s)
        after = groups.reading(tree)
    rows = rate_rows(tree, before, after)
    if as_json:
        print_json({"seconds": after.at_s - before.at_s, "nodes": rows})
    else:
        print_rates(rows)
    lacking = sum(row["cpu_s"] is None for row in rows)
    if lacking:
        message = f"{count_words(lacking, 'node')} of {file} without a group below {root}"
        print_problem(f"note: {message}. `fsconsole linux apply` creates them")


def rate_rows(tree: ShareTree, before: Reading, after: Reading) -> list[dict[str, Any]]:
    """Return each node's rate between two readings, and its allocated share; None without a group."""
    from fsconsole.linux.accounting import charged_s
    from fsconsole.linux.rates import rates_of

    found = rates_of(tree, charged_s(before, after))
    return [
        {
            "node": tree.path(node.id),
            "shares": node.shares,
            "allocated": found.allocated.get(node.id),
            "rate": found.rate.get(node.id),
            "cpu_s": found.cpu_s.get(node.id),
        }
        for node in tree.walk()
    ]


def print_rates(rows: list[dict[str, Any]]) -> None:
    """Print them as a table."""
    print_table(
        ("Node", "Shares", "Allocated, %", "CPU rate, %", "CPU, s"),
        [
            (
                row["node"],
                str(row["shares"]),
                percent(row["allocated"], 2, unit=False),
                percent(row["rate"], 2, unit=False),
                "–" if row["cpu_s"] is None else f"{row['cpu_s']:.2f}",
            )
            for row in rows
        ],
    )


@click.command("release")
@root_option
@change_options()
@yes_option
@plan_option
@click.pass_context
def release(ctx: click.Context, root: str, dry_run: bool, yes: bool, planned: str, reason: str) -> None:
    """Revert all that the other commands did below a root: processes, groups, values."""
    with groups_of(root) as groups:
        lines = groups.to_release()
        identity = plan_here(root, [lines])
        must_be_planned(planned, identity)
        if not groups.log:
            print(f"Nothing to release below {root}.")
            return
        if dry_run:
            print("\n".join(lines))
            say_plan(identity)
            return
        confirmed(f"Revert {count_words(len(lines), 'change')} below {root}?", yes=yes)
        left: list[str] = []

        def work() -> str:
            found = groups.release(shown=lines)
            left.extend(found.left)
            return f"{count_words(found.done, 'change')} reverted"

        # Changes must be reverted even if the disk is full.
        summary = logged(groups, "release", lambda: "; ".join((work(), *left)), must_log=False, why=reason)
        print(summary.partition(";")[0])
    print_problems(left)
    if left:
        ctx.exit(UNUSABLE)
