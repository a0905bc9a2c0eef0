"""The machine shell: the commands of the papers' machines, typed at a simulated one.

It runs in the machine's own thread. Every change goes through `Machine.act`, which journals it.
"""

from __future__ import annotations

from collections.abc import Callable

from fsconsole.machine.machine import Machine
from fsconsole.machine.shell.reply import Reply
from fsconsole.machine.shell.shell import Shell, command_names, complete, help_text, with_change_options


def run(
    machine: Machine,
    line: str,
    who: str = "operator",
    read_file: Callable[[str], str] | None = None,
) -> Reply:
    """Carry out one line in a new shell; use `Shell` for several lines, so that `sl` is remembered.

    Lines below the first are the input of its command (`sharecf`). `read_file` returns the text of a file by
    its name or raises OSError; without it the shell reads no files.
    """
    return Shell(machine, who, read_file).run(line)


__all__ = ["Reply", "Shell", "command_names", "complete", "help_text", "run", "with_change_options"]
