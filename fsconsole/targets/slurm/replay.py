"""Recorded output of the tools of a cluster, printed again: a prefix that makes a capture a cluster.

    python -m fsconsole.targets.slurm.replay FOLDER sshare -l -a -P

It is started for every command, so it imports only modules that need no more than the standard library.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from itertools import dropwhile
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from fsconsole.shares.input_files import read_json, read_limited
from fsconsole.shares.stored_format import FormatError, StoredFormat

MANIFEST = "capture.json"  # The folder of a capture holds this file. It is written last.
# Programs of 0.1 compare the name alone: it changes when they would misread a capture.
FORMAT = StoredFormat("fsconsole-slurm-capture-1", "a capture folder", was_bare=True)
NO_ANSWER = "the capture folder has no output of"
# What `slurm.parsers.marks` adds to formats, which is another one in each query; a capture has none.
_MARK = re.compile(r"_[0-9a-f]{8}\|?")
_CHANGING = ("sacctmgr -i", "scancel", "scontrol update", "scontrol suspend", "scontrol resume")
_LAST_S = 1 << 36  # Later times are beyond what clocks and calendars here can show.
_MOST_STATUS = 255


class CaptureError(ValueError):
    """A capture folder that cannot be read; the message names the file and what is wrong with it."""


class CapturedAnswer(NamedTuple):
    """Answer to one command in a capture.

    Attributes:
        command: argument list.
        file: name of the file with what it printed; empty where it printed nothing.
        stderr: what it printed to stderr.
        rc: its exit status.
    """

    command: tuple[str, ...]
    file: str
    stderr: str
    rc: int


class Manifest(NamedTuple):
    """Content of a capture folder: name of the cluster, time in seconds since 1970, and the answers."""

    cluster: str
    captured_s: float
    answers: tuple[CapturedAnswer, ...]


def main(arguments: Sequence[str]) -> int:
    """Answer a command as the capture has it; the exit status is the one that was captured."""
    if len(arguments) < 2:
        print("capture: usage: a capture folder, then a command", file=sys.stderr)  # noqa: T201
        return 1
    stdout, stderr, status = captured_answer(Path(arguments[0]), arguments[1:])
    sys.stdout.write(stdout)
    sys.stderr.write(stderr)
    return status


def read_manifest(folder: Path) -> Manifest:
    """Return the content of a capture folder.

    Raises:
        CaptureError: it is missing, damaged, or of a newer program.
    """
    path = folder / MANIFEST
    try:
        found = read_json(path)
        FORMAT.check(found, path)
    except OSError as error:
        raise _error(path, error.strerror or str(error)) from None
    except FormatError as error:
        raise CaptureError(str(error)) from None
    except ValueError as error:
        raise _error(path, f"the text is not JSON ({error})") from None
    cluster, captured_s, answers = (found.get(name) for name in ("cluster", "captured_s", "answers"))
    if not isinstance(cluster, str) or not cluster.isprintable():
        raise _error(path, "cluster is not the name of a cluster")
    if not _is_number(captured_s) or not 0 < captured_s < _LAST_S:
        raise _error(path, "captured_s is not a time in seconds since 1970")
    if not isinstance(answers, list):
        raise _error(path, "answers is not a list")
    return Manifest(cluster, float(captured_s), tuple(_row(path, at, one) for at, one in enumerate(answers)))


def _row(path: Path, at: int, row: Any) -> CapturedAnswer:
    where = f"answers[{at}]"
    if not isinstance(row, dict):
        raise _error(path, f"{where} is not an object")
    command, file, stderr, rc = (row.get("command"), row.get("file"), row.get("stderr", ""), row.get("rc", 0))
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise _error(path, f"{where}.command is not a list of words")
    if not isinstance(file, str) or Path(file).name != file or not file.isprintable():
        raise _error(path, f"{where}.file is not the name of a file in the folder")
    if not isinstance(stderr, str):
        raise _error(path, f"{where}.stderr is not a text")
    if not _is_number(rc) or abs(rc) > _MOST_STATUS:
        raise _error(path, f"{where}.rc is not an exit status")
    return CapturedAnswer(tuple(command), file, stderr.encode("utf-8", "replace").decode(), int(rc))


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _error(path: Path, what: str) -> CaptureError:
    return CaptureError(f"{path}: {what}. Make the capture again: fsconsole slurm capture FOLDER")


def captured_answer(folder: Path, command: Sequence[str]) -> tuple[str, str, int]:
    """Return stdout, stderr and exit status of a command, as the capture has them."""
    try:
        known = read_manifest(folder).answers
        found = next((one for one in known if _plain(one.command) == _plain(command)), None)
        if found is None:
            return _refusal(_unknown(command))
        return _text_of(folder / found.file) if found.file else "", found.stderr, found.rc
    except CaptureError as error:
        return _refusal(str(error))


def sshare_file(folder: Path) -> Path:
    """Return the file with sshare's answer in a capture folder.

    Raises:
        CaptureError: there is none, or the folder cannot be read.
    """
    found = captured_file(folder, "sshare")
    if found is None:
        msg = f"{folder} has no output of sshare. Make the capture again: fsconsole slurm capture FOLDER"
        raise CaptureError(msg)
    return found


def captured_file(folder: Path, *command: str) -> Path | None:
    """Return the file with the answer to a command that begins so; None where the folder has none.

    Raises:
        CaptureError: the folder cannot be read, or the command failed when the capture was made.
    """
    known = read_manifest(folder).answers
    found = next((one for one in known if tuple(_plain(one.command)[: len(command)]) == command), None)
    if found is None:
        return None
    if found.rc or not found.file:
        msg = f"{folder}: {command[0]} failed when the capture was made ({found.stderr.strip()})"
        raise CaptureError(msg)
    return folder / found.file


def _text_of(path: Path) -> str:
    """Return the text of an answer in a capture folder.

    Raises:
        CaptureError: it cannot be read, or is not text.
    """
    try:
        return read_limited(path).decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise _error(path, error.strerror or str(error)) from None
    except UnicodeDecodeError as error:
        what = f"byte {error.object[error.start]:#04x} at place {error.start + 1} is not UTF-8"
        raise _error(path, what) from None


def _plain(command: Sequence[str]) -> list[str]:
    """Return a command without the words that vary between versions and parts.

    That is without what `env` sets before it, as a later version may set more, and without marks. And
    sshare is asked for some accounts at a time where there are many, sprio for some jobs; a capture has all.
    """
    words = [_MARK.sub("", word) for word in command]
    if words[:1] == ["env"]:
        words = list(dropwhile(lambda word: "=" in word, words[1:]))
    for tool, option in (("sshare", "-A"), ("sprio", "-j")):
        if words[:1] == [tool] and option in words:
            place = words.index(option)
            del words[place : place + 2]
    return words


def _unknown(command: Sequence[str]) -> str:
    text = " ".join(_plain(command))
    if text.startswith(_CHANGING):
        return "this is a capture folder (read-only)"
    return f"{NO_ANSWER}: {text}"


def _refusal(why: str) -> tuple[str, str, int]:
    return "", f"capture: {why}\n", 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
