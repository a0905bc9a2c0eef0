"""`fsconsole tree`: the commands about share trees."""

from __future__ import annotations

import click

from fsconsole.cli.lazy import LazyGroup

_COMMANDS = {
    "show": ("fsconsole.cli.tree_show", "Draw a tree with the part of the machine each node has."),
    "check": ("fsconsole.cli.tree_check", "List all that is wrong or odd in files."),
    "convert": ("fsconsole.cli.tree_convert", "Write a tree in another format."),
    "what-if": ("fsconsole.cli.tree_what_if", "Say who gets what when nodes ask for so much."),
    "diff": ("fsconsole.cli.tree_diff", "Say what leads from one tree to another."),
}


@click.group("tree", cls=LazyGroup, lazy=_COMMANDS)
def command() -> None:
    """Show, check, try out, convert and compare share trees.

    A FILE is a scenario (YAML) or a dump of Slurm's `sacctmgr`; - stands for stdin.
    """
