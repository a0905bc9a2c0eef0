"""Error messages for the terminal, and their exit status."""

from __future__ import annotations

import re
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fsconsole.text.words import shortened

if TYPE_CHECKING:
    from fsconsole.shares.scenario.problems import Problem, ScenarioError

_LONGEST_PATH = 400  # A longer path would hide the rest of the message.
UNUSABLE = 1
WRONG_USE = 2
REFUTED = 3
UNKNOWN = 4
FAULT = 70
INTERRUPTED = 130


class UserError(Exception):
    """Error for a request that cannot be fulfilled; the message has the reason. It is not a program fault."""


def here() -> str:
    """Return the command that runs, as it was typed: `fsconsole slurm job kill`."""
    context = click.get_current_context(silent=True)
    return context.command_path if context else "fsconsole"


def print_problem(text: str) -> None:
    """Print to stderr, after the name of the running command; a line that begins with a blank
    continues the last.
    """
    place = here()
    lines = (line if line.startswith(" ") else f"{place}: {line}" for line in text.split("\n"))
    click.echo("\n".join(lines), err=True)


def print_error(error: Exception) -> None:
    """Print the message that `explain` returns for an error."""
    click.echo("\n".join(explain(error)[0]), err=True)


def explain(error: Exception, where: str = "") -> tuple[list[str], int]:
    """Return lines for stderr and the exit status; `where` is the command, by default the running one."""
    from fsconsole.app.kinds import KindError
    from fsconsole.recording.run_format import RunError
    from fsconsole.shares.scenario.problems import ScenarioError
    from fsconsole.shares.scenario.spec import SettingError
    from fsconsole.targets.slurm.replay import CaptureError

    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        place = context.command_path if context else where or here()
        hint = _capture_hint(error) if isinstance(error, click.UsageError) else ""
        return [f"{place}: {hint or _plain_names(error.format_message())}"], error.exit_code
    place = where or here()
    if isinstance(error, ScenarioError):
        return [f"{place}: {line}" for line in problem_lines(error)], UNUSABLE
    if isinstance(error, SettingError):
        return [f"{place}: {error}"], WRONG_USE
    if isinstance(error, UserError | KindError | RunError | CaptureError):
        return [f"{place}: {error}"], UNUSABLE
    if isinstance(error, OSError):
        return [f"{place}: {of_file(error)}"], UNUSABLE
    text = f"internal error: {type(error).__name__}: {error}"
    return [f"{place}: {text}", f"{place}: {_report(error)}"], FAULT


def _capture_hint(error: click.UsageError) -> str:
    """Return advice for a capture folder that a command takes as an option; empty for other errors."""
    extra = re.fullmatch(r"Got unexpected extra argument \((.*)\)", error.message)
    known = () if error.ctx is None else error.ctx.command.params
    if extra is None or not any(one.name == "captured" for one in known):
        return ""
    from fsconsole.cli.cluster import capture_hint
    from fsconsole.targets.slurm.location import is_capture

    return capture_hint(extra[1]) if is_capture(Path(extra[1])) else ""


def _plain_names(message: str) -> str:
    """Remove the brackets around the name of an optional argument: '[FILE]' is FILE to a reader."""
    return re.sub(r"'\[([A-Z-]+)\]'", r"'\1'", message)


def problem_lines(error: ScenarioError) -> list[str]:
    """Return every problem of a file, one a line."""
    return [problem_line(error.name or "scenario", problem) for problem in error.problems]


def problem_line(name: str, problem: Problem) -> str:
    """Format a problem as FILE:line:column: severity: where: what, so that editors can jump to it."""
    name = problem.file or name
    place = f"{name}:{problem.line}:{problem.column}" if problem.line else name
    subject = f"{problem.path}: " if problem.path else ""
    return f"{place}: {problem.severity}: {subject}{problem.text}"


def of_file(error: OSError) -> str:
    """Return the file and the fault of an OSError, in a line."""
    reason = error.strerror or str(error)
    return f"{shortened(str(error.filename), _LONGEST_PATH)}: {reason}" if error.filename else reason


def _report(error: Exception) -> str:
    """Keep the traceback in a file and name that file."""
    from platformdirs import user_state_path

    from fsconsole.resources import this_program
    from fsconsole.shares.files import make_private_folder, write_atomic

    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    text = f"{this_program()}\n{''.join(traceback.format_exception(error))}"
    for folder in (user_state_path("fsconsole"), Path()):
        path = folder / f"crash-{stamp}.txt"
        try:
            if not folder.is_dir():
                make_private_folder(folder)
            write_atomic(path, text, private=True)
        except OSError:
            continue
        return f"a report was written to {path.resolve()}"
    return "the report could not be written"
