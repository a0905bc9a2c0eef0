"""`fsconsole linux assign` and `start`: processes in the groups of a share tree."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.cli.cluster import confirmed
from fsconsole.cli.errors import UNUSABLE, UserError, print_problem
from fsconsole.cli.linux import (
    groups_of,
    leaf_at,
    logged,
    must_be_applied,
    print_problems,
    root_option,
    tree_in,
)
from fsconsole.cli.plan import must_be_planned, plan_here, plan_option, say_plan
from fsconsole.cli.values import change_options, input_file, yes_option
from fsconsole.linux.users import user_number, user_numbers
from fsconsole.text.words import count_words

if TYPE_CHECKING:
    from fsconsole.linux.share_tree_groups import ShareTreeGroups
    from fsconsole.shares.tree import ShareTree


Moves = Sequence[tuple[int, str, Sequence[int]]]
"""Node, its group, and the processes to move there."""


def assign_users(groups: ShareTreeGroups, tree: ShareTree, moves: Moves, why: str = "") -> None:
    """Move processes into the groups of their users."""
    for node, path, pids in moves:
        print_problems(_moved(groups, tree, node, pids, path, why))


def say_moves(groups: ShareTreeGroups, moves: Moves) -> None:
    """Print the moves of a dry run."""
    for _, path, pids in moves:
        for pid in pids:
            print(f"move process {pid} to {groups.hierarchy.cpu / path}")


def moves_of_users(groups: ShareTreeGroups, tree: ShareTree) -> Moves:
    """Return the moves of the processes of every user of the machine into the leaf of that name."""
    paths = groups.paths(tree)
    leaves = {node.name: node.id for node in tree.walk() if not node.is_group}
    uids = {number: leaves[name] for name, number in user_numbers().items() if name in leaves}
    return [(uids[uid], paths[uids[uid]], pids) for uid, pids in groups.processes_of(uids).items()]


def _moved(
    groups: ShareTreeGroups, tree: ShareTree, node: int, pids: Sequence[int], path: str, why: str
) -> list[str]:
    """Move processes to a node and print how many; return those that could not be moved, with reasons."""
    problems: list[str] = []

    def work() -> str:
        problems.extend(groups.move(pids, path))
        moved = count_words(len(pids) - len(problems), "process", "processes")
        return "; ".join((f"{moved} moved to {tree.path(node)}", *problems))

    logged(groups, "assign", work, after=", ".join(map(str, pids)), on=tree.path(node), why=why)
    print(f"{tree.path(node)}: {count_words(len(pids) - len(problems), 'process', 'processes')}")
    return problems


@click.command("assign")
@click.argument("file", metavar="TREE", type=input_file)
@click.argument("leaf", metavar="USER")
@click.option("--pid", "pids", type=click.IntRange(min=1), multiple=True, help="Process ID. May be repeated.")
@click.option("--children", is_flag=True, help="With --pid: also move the processes that these have started.")
@click.option("--login", help="User of this machine whose processes to move.")
@root_option
@change_options()
@yes_option
@plan_option
@click.pass_context
def assign(
    ctx: click.Context, file: Path, leaf: str, pids: tuple[int, ...], children: bool, login: str | None,
    root: str, dry_run: bool, yes: bool, planned: str, reason: str,
) -> None:  # fmt: skip
    """Put processes into the group of USER, a user or account of the share tree in TREE."""
    if not pids and login is None:
        raise click.UsageError("choose processes with --pid or --login")
    tree = tree_in(file)
    node = leaf_at(tree, leaf)
    with groups_of(root) as groups:
        must_be_applied(groups)
        started = groups.started_by(pids)
        wanted = [*pids, *(started if children else ())]
        if login is not None:
            wanted += groups.processes_of([_uid_of(login)])[_uid_of(login)]
        group = groups.paths(tree)[node.id]
        identity = plan_here(root, [(group, *map(str, wanted))])
        must_be_planned(planned, identity)
        if dry_run:
            say_moves(groups, [(node.id, group, wanted)])
            say_plan(identity)
            return
        if wanted:  # A user may have no processes.
            moved = count_words(len(wanted), "process", "processes")
            confirmed(f"Move {moved} to {tree.path(node.id)}?", yes=yes)
        problems = _moved(groups, tree, node.id, wanted, group, reason)
    if stay := set(started).difference(wanted):
        verb = "stays" if len(stay) == 1 else "stay"
        named = count_words(len(stay), "process", "processes")
        print_problem(f"note: {named} that they have started {verb} in place. --children moves them too")
    print_problems(problems)
    if problems:
        ctx.exit(UNUSABLE)


def _uid_of(login: str) -> int:
    number = user_number(login)
    if number is None:
        raise UserError(f"user {login!r} not found on this machine")
    return number


@click.command("start", context_settings={"ignore_unknown_options": True})
@click.argument("file", metavar="TREE", type=input_file)
@click.argument("leaf", metavar="USER")
@click.argument("words", metavar="COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@root_option
@change_options()
def start(file: Path, leaf: str, words: tuple[str, ...], root: str, dry_run: bool, reason: str) -> None:
    """Run COMMAND in the group of USER, a user or account of the share tree in TREE.

    This process becomes the command, so its exit status is that of the command. It does not ask for
    confirmation.
    """
    from fsconsole.linux.commands import scope

    tree = tree_in(file)
    node = leaf_at(tree, leaf)
    with groups_of(root) as groups:
        must_be_applied(groups, moves=False)
        group = groups.paths(tree)[node.id]
        is_of_systemd = groups.hierarchy.is_of_systemd
        command = scope(Path(group).name, words) if is_of_systemd else list(words)
        if dry_run:
            print(f"{shlex.join(command)}  # in {groups.hierarchy.cpu / group}")
            return

        def work() -> str:
            if not is_of_systemd and (problems := groups.move([os.getpid()], group)):
                raise ValueError(problems[0])
            return f"process {os.getpid()} started in {tree.path(node.id)}: {words[0]}"

        logged(groups, "start", work, after=" ".join(words), on=tree.path(node.id), why=reason)
    try:
        os.execvp(command[0], command)  # noqa: S606 (a list of words, no shell)
    except OSError as error:
        raise UserError(f"{command[0]}: {error.strerror}") from error
