"""The page of all commands, from the parser of the command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from fsconsole.cli.main import cli
from tools.reference.markdown import cell, code, page, table

_UNWRAPPED, _HELP = "\b", "-h, --help"


def commands_page() -> str:
    """Return the page: each command with its usage, what its help says, and its options."""
    root = click.Context(cli, info_name="fsconsole")
    about = (
        "`fsconsole` opens the console; `fsconsole COMMAND` does something and ends. "
        "[One line for each command](../how-to/command-line.md) has examples."
    )
    return page("Commands", about, *(_section(context) for context in _all(root)))


def _all(context: click.Context) -> Iterator[click.Context]:
    yield context
    command = context.command
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        if found is not None and not found.hidden:
            yield from _all(click.Context(found, info_name=name, parent=context))


def _section(context: click.Context) -> str:
    command = context.command
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    below = ""
    if isinstance(command, click.Group) and context.parent is not None:
        names = (f"{context.command_path} {name}" for name in command.list_commands(context))
        below = "Commands: " + ", ".join(f"[{name}](#{_anchor(name)})" for name in names)
    records = [_record(param, context) for param in command.get_params(context)]
    options = table(
        ("option", "meaning"), ((code(record[0]), record[1]) for record in records if record is not None)
    )
    parts = (f"## {context.command_path}", f"    {usage}", *_paragraphs(command.help or ""), below, options)
    return "\n\n".join(part for part in parts if part)


def _record(param: click.Parameter, context: click.Context) -> tuple[str, str] | None:
    """Return the words of an option; click names that of help as it was first asked for in a process."""
    record = param.get_help_record(context)
    is_help = record is not None and record[0] in ("--help", _HELP)
    return (_HELP, record[1]) if record is not None and is_help else record


def _anchor(name: str) -> str:
    return re.sub(r"[^\w]+", "-", name)


def _paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a help text; those that are not wrapped become code below their first line."""
    for part in filter(None, cleandoc(text).partition("\f")[0].split("\n\n")):
        if not part.startswith(_UNWRAPPED):
            yield cell(part)
            continue
        lines = part.removeprefix(_UNWRAPPED).strip("\n").split("\n")
        if not lines[0].startswith(" "):
            yield cell(lines.pop(0))
        yield "\n".join(f"    {line}" for line in lines)
