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

from fsconsole.shares.input_files import read_json, read_limited

MANIFEST = "capture.json"  # It repeats the name in location.py, which is not imported here.
FORMAT = "fsconsole-slurm-capture-1"
NO_ANSWER = "the capture folder has no output of"
# What `slurm.parsers.marks` adds to formats, which is another one in each query; a capture has none.
_MARK = re.compile(r"_[0-9a-f]{8}\|?")
_CHANGING = ("sacctmgr -i", "scancel", "scontrol update", "scontrol suspend", "scontrol resume")


def main(arguments: Sequence[str]) -> int:
    """Answer a command as the capture has it; the exit status is the one that was captured."""
    if len(arguments) < 2:
        print("capture: usage: a capture folder, then a command", file=sys.stderr)  # noqa: T201
        return 1
    stdout, stderr, status = captured_answer(Path(arguments[0]), arguments[1:])
    sys.stdout.write(stdout)
    sys.stderr.write(stderr)
    return status


def captured_answer(folder: Path, command: Sequence[str]) -> tuple[str, str, int]:
    """Return stdout, stderr and exit status of a command, as the capture has them."""
    try:
        manifest = read_json(folder / MANIFEST)
        known = manifest["answers"]
        if manifest["format"] != FORMAT:
            return _refusal(f"{folder / MANIFEST} is not a capture that this version can read")
        found = next((one for one in known if _plain(one["command"]) == _plain(command)), None)
        if found is None:
            return _refusal(_unknown(command))
        return _answer(folder, found["file"]), str(found.get("stderr", "")), int(found.get("rc", 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ArithmeticError) as error:
        return _refusal(f"cannot read the capture folder {folder}: {error}")


def sshare_file(folder: Path) -> Path:
    """Return the file with sshare's answer in a capture folder.

    Raises:
        ValueError: there is none.
    """
    found = captured_file(folder, "sshare")
    if found is None:
        msg = (
            f"{folder} is not a capture folder with output of sshare. Make one: fsconsole slurm "
            "capture FOLDER"
        )
        raise ValueError(msg)
    return found


def captured_file(folder: Path, *command: str) -> Path | None:
    """Return the file with the answer to a command that begins so; None where the folder has none, or is
    none.

    ValueError for a file that is not in it.
    """
    try:
        known = read_json(folder / MANIFEST)["answers"]
        name = next(one["file"] for one in known if tuple(_plain(one["command"])[: len(command)]) == command)
    except (OSError, ValueError, KeyError, TypeError, StopIteration):
        return None
    if not name:
        return None
    if Path(name).name != name:
        msg = f"{folder / MANIFEST}: {name!r} is not the name of a file in it"
        raise ValueError(msg)
    return folder / str(name)


def _answer(folder: Path, name: str) -> str:
    """Return the text of a file of the capture.

    Raises:
        ValueError: the name leads out of its folder.
    """
    if not name:
        return ""
    if Path(name).name != name:
        msg = f"{name!r} is not the name of a file in it"
        raise ValueError(msg)
    return read_limited(folder / name).decode("utf-8").replace("\r\n", "\n")


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
