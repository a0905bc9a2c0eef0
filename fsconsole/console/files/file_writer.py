"""Writing of files in a thread: exports, and checks before a file is replaced."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

from fsconsole.shares.formats import Format, write_tree
from fsconsole.shares.formats.several_files import Origin
from fsconsole.shares.input_files import read_whole
from fsconsole.shares.scenario.problems import NO_NODE, Problem, Severity
from fsconsole.shares.scenario.spec import Scenario


def exported(scenario: Scenario, path: Path, form: Format, origin: Origin | None) -> list[Problem]:
    """Write a tree; what the format has no place for, each a warning about the first node of it.

    Its lines are those of the file that the tree is from, as far as that is known.
    Behind them what is wrong with the file by the rules of its scheduler.
    """
    text = write_tree(scenario, path, form)
    lines, files = (origin.lines, origin.files) if origin is not None else (None, None)
    lost = [
        (one.words(lines, files), one.places[0][0] if one.places else NO_NODE) for one in form.lost(scenario)
    ]
    return [
        Problem(f"left out: {words}", Severity.WARNING, node=None if node == NO_NODE else node)
        for words, node in lost
    ] + [replace(one, node=None) for one in form.problems_in(text)]


def text_in(path: Path) -> str | None:
    """Return the text of a file; None if it does not exist. OSError if it must not be replaced."""
    check_replaceable(path)
    try:
        return read_whole(path).decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return None


def check_replaceable(path: Path) -> None:
    """Raise OSError for pipes and devices: they would be waited for, or replaced by a file."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "This is a device or a pipe, not a file", str(path))
