"""Signals that ask for an end: all commands take them as Ctrl+C, and leave all in order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import fsconsole
from fsconsole.cli.interrupts import ended_as_by_ctrl_c, interrupts
from fsconsole.cli.main import cli as program
from fsconsole.operating_system import ENDING_SIGNALS
from tests.cli.conftest import Cli

# The window ends by the signal itself, workers leave it to their parent, and a script that is sent to a login
# node has none of our modules.
_WITH_HANDLERS = {
    "cli/interrupts.py", "console/app.py", "operating_system.py", "targets/slurm/job_files.py"
}  # fmt: skip


def _leaves(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if not isinstance(command, click.Group):
        yield words
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from _leaves(found, (*words, name))


@pytest.fixture(autouse=True)
def _as_at_a_terminal() -> Iterator[None]:
    """Take signals as at a terminal, where the tests run without one."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in ENDING_SIGNALS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", ENDING_SIGNALS)
def test_every_command_ends_in_order(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    cleaned: list[str] = []

    real_invoke, real_parse_args = click.Command.invoke, click.Command.parse_args

    def invoke(self: click.Command, context: click.Context) -> Any:
        if isinstance(self, click.Group):
            return real_invoke(self, context)
        try:
            signal.raise_signal(number)
        finally:
            cleaned.append(context.command_path)
        return None

    def parse_args(self: click.Command, context: click.Context, words: list[str]) -> list[str]:
        return real_parse_args(self, context, words) if isinstance(self, click.Group) else []

    commands = list(_leaves(program))
    handlers = [signal.getsignal(one) for one in ENDING_SIGNALS]
    monkeypatch.setattr(click.Command, "invoke", invoke)
    monkeypatch.setattr(click.Command, "parse_args", parse_args)
    for words in commands:
        path = " ".join(("fsconsole", *words))
        ended = cli(*words)
        assert (ended.status, ended.err.lstrip(), cleaned) == (130, f"{path}: Interrupted.\n", [path])
        cleaned.clear()
    assert len(commands) > 50
    assert [signal.getsignal(one) for one in ENDING_SIGNALS] == handlers


def test_signals_are_handled_in_one_place() -> None:
    top = Path(fsconsole.__file__).parent
    found = {
        file.relative_to(top).as_posix() for file in top.rglob("*.py") if "signal.signal(" in file.read_text()
    }
    assert found == _WITH_HANDLERS


def test_what_follows_does_not_interrupt_the_clean_up() -> None:
    for first in (signal.SIGHUP, signal.SIGTERM):
        with ended_as_by_ctrl_c():
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(first)
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGTERM)
    with interrupts() as received:
        for number in ENDING_SIGNALS:
            signal.raise_signal(number)
        assert received == list(ENDING_SIGNALS)


def test_ignored_signals_stay_ignored() -> None:
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    with ended_as_by_ctrl_c(), interrupts() as received:
        for number in ENDING_SIGNALS:
            signal.raise_signal(number)
        assert received == []
