"""Values on the command line: times with units, files that may be `-`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from fsconsole.cli.errors import UserError

F = TypeVar("F", bound=Callable[..., Any])
yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def change_options(*, place: str = "the audit log", is_required: bool = False) -> Callable[[F], F]:
    """Return the options of every command that changes a cluster, a machine or the kernel.

    Args:
        place: where the reason is kept, for the help.
        is_required: whether a reason must be given.
    """
    reason = click.option(
        "--reason",
        metavar="TEXT",
        help=f"Reason, recorded in {place}.",
        **({"required": True} if is_required else {"default": ""}),
    )
    dry_run = click.option("--dry-run", is_flag=True, help="Show the changes without making them.")
    return lambda function: dry_run(reason(function))


def duration(text: str) -> float:
    """Read a time above 0 in seconds: `120`, `90s`, `10 min`, `2h`, `1 d`."""
    found = _seconds(text)
    if found <= 0:
        msg = f"{text!r} is too short. Write a time above 0"
        raise click.BadParameter(msg)
    return found


def moment(text: str) -> float:
    """Read seconds since the start, `0` too."""
    found = _seconds(text)
    if found < 0:
        msg = f"{text!r} lies before the start. Write a time of 0 or more"
        raise click.BadParameter(msg)
    return found


def _seconds(text: str) -> float:
    from fsconsole.text.durations import typed_seconds

    try:
        return typed_seconds(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def tree_source(text: str) -> Path:
    """Return a file as `input_file` takes it, or the folder of a run, a diary or a capture."""
    from fsconsole.app.kinds import Kind, kind_of

    path = Path(text)
    has_tree = bool(text) and path.is_dir() and kind_of(path) in (Kind.RUN, Kind.DIARY, Kind.CAPTURE)
    return path if has_tree else input_file(text)


def input_file(text: str) -> Path:
    """Return a file that is there, or `-` for what comes in on stdin; otherwise wrong use."""
    if not text:
        msg = "the name is empty"
        raise click.BadParameter(msg)
    path = Path(text)
    if text != "-" and not path.is_file():
        raise click.BadParameter(_why_not(path))
    return path


def sshare_source(text: str) -> Path:
    """Return a file with the output of sshare, `-` for stdin; of a capture folder it is sshare's answer.

    Raises:
        BadParameter, UserError: the folder is not a capture, or is a damaged one.
    """
    path = Path(text)
    if not text or not path.is_dir():
        return input_file(text)
    from fsconsole.app.kinds import Kind, capture_refusal, kind_of
    from fsconsole.targets.slurm.replay import CaptureError, sshare_file

    if (kind := kind_of(path) or Kind.FOLDER) is not Kind.CAPTURE:
        raise click.BadParameter(capture_refusal(path, "output of sshare", kind))
    try:
        return sshare_file(path)
    except CaptureError as error:
        raise UserError(str(error)) from None


def sshare_or_folder(text: str) -> Path:
    """Return a file, `-`, or a capture folder with output of sshare; the folder itself, which has more."""
    sshare_source(text)
    return Path(text)


def refuse_existing(path: Path, *, force: bool) -> None:
    """Raise UserError where a file would be replaced."""
    if force or not (path.exists() or path.is_symlink()):
        return
    msg = f"{path} exists already. Choose another name, or replace it with --force"
    raise UserError(msg)


def _why_not(path: Path) -> str:
    if path.is_dir():
        from fsconsole.app.kinds import refusal

        return refusal(path, "a file")
    if path.exists():
        return f"{path} is a device or a pipe, not a file. Use `-` to read from stdin"
    return f"file {path} not found{_example(path)}"


def _example(path: Path) -> str:
    from fsconsole.resources import examples

    found = examples() / f"{path.name.removesuffix('.yaml')}.yaml"
    return f". The example is {found}" if found.is_file() else ""
