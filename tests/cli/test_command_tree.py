"""All commands at once: what changes something can be tried first, and every error has the same prefix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from fsconsole.cli.main import cli as program
from fsconsole.machine.shell.command import Command
from fsconsole.machine.shell.shell import COMMANDS
from fsconsole.neardedicated.shell import COMMANDS as NIGHT_COMMANDS
from tests.cli.conftest import Cli

# They read, compute, or write files that they are given. None changes a cluster, a machine or the kernel.
HARMLESS = frozenset({
    "open", "play", "simulate", "compare", "why", "reproduce", "export", "doctor",
    "run branch", "run scenario", "run notes", "run report", "run diff",
    "nd alerts", "nd report", "nd status",
    "tree show", "tree check", "tree convert", "tree what-if", "tree forecast", "tree elsewhere", "tree load",
    "tree diff",
    "study run", "study show", "study users", "study search", "study report", "study fair-start",
    "study check", "study export",
    "batch simulate", "batch policies", "batch why", "batch compare", "batch convert", "batch generate",
    "slurm fairshare", "slurm forecast", "slurm control", "slurm status", "slurm show", "slurm diff",
    "slurm capture", "slurm why", "slurm diary", "slurm finished", "slurm reservations", "slurm jobs",
    "slurm records", "slurm job output", "slurm job script", "slurm node list",
    "linux plan", "linux rates", "bench engine", "bench seek",
})  # fmt: skip
# Commands of the machine's shell that only read, or change the shell alone.
READING = frozenset({
    "pl", "rates", "charges", "shrview", "sharesh", "pwintf", "ps", "qstat", "ja", "who", "sl", "date",
    "nd status", "nd report", "nd alerts",
})  # fmt: skip


def commands(
    command: click.Command = program, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """All commands that do something, by their words behind `fsconsole`."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from commands(below, (*path, name))


def shell_commands(among: tuple[Command, ...] = (*COMMANDS, *NIGHT_COMMANDS)) -> Iterator[Command]:
    for command in among:
        yield from shell_commands(command.below) if command.below else (command,)


ALL = dict(commands())


def test_what_changes_a_cluster_a_machine_or_the_kernel_has_dry_run_and_reason() -> None:
    assert set(ALL) >= HARMLESS
    for name, command in ALL.items():
        options = {word for parameter in command.params for word in parameter.opts}
        has = {"--dry-run", "--reason"} & options
        assert has == (set() if name in HARMLESS else {"--dry-run", "--reason"}), name


def test_what_asks_can_be_held_to_a_plan() -> None:
    for name, command in ALL.items():
        options = {word for parameter in command.params for word in parameter.opts}
        asks = {"--yes", "--dry-run"} <= options
        assert ("--plan" in options) is asks, name


def test_the_commands_of_the_machines_shell_that_change_it_have_both() -> None:
    assert {command.name for command in shell_commands() if not command.acts} == READING
    for command in shell_commands():
        has = {"--dry-run", "--reason"} & set(command.parser().option_names())
        assert has == ({"--dry-run", "--reason"} if command.acts else set()), command.name


@pytest.mark.parametrize("name", ALL)
def test_an_error_begins_with_the_command(cli: Cli, name: str, tmp_path: Path) -> None:
    """An unknown option, and arguments that are a missing file, for as many as the command takes."""
    for words in (("--no-such-option",), (tmp_path / "missing.yaml",) * 9):
        ended = cli(*name.split(), *words)
        assert ended.status != 0
        assert ended.out == ""
        assert ended.err
        for line in ended.err.splitlines():
            assert line.startswith((f"fsconsole {name}: ", " ")), line


def test_lists_of_commands_show_whole_sentences(cli: Cli) -> None:
    groups = {" ".join(name.split()[:-1]) for name in ALL}
    for name in groups:
        _, _, listed = cli(*name.split(), "--help").out.partition("\nCommands:\n")
        assert listed, name
        assert [line for line in listed.splitlines() if line.endswith("...")] == [], name


def test_exit_statuses_are_documented_once(cli: Cli) -> None:
    assert "Exit status:" in cli("--help").out
    groups = {" ".join(name.split()[:-1]) for name in ALL} - {""}
    for name in (*ALL, *groups):
        assert "Exit status" not in cli(*name.split(), "--help").out, name
