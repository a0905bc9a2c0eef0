"""What runs under the names of Slurm's tools: plays the answer that a test has put into a folder.

Stands on the standard library alone and is started as `bin/NAME`, so it answers within some 20 ms.
`fake_slurm.py` writes the folder; `known.py` answers where no test has said anything.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.slurm.fake import known

TYPE_CHECKING = False  # `typing` itself takes 2 ms of each call.
if TYPE_CHECKING:
    from typing import Any

    Rule = dict[str, Any]

HANGS = "hangs"
"""A file beside a rule: a tool has printed all that the rule has, and hangs now."""
_CHUNK = 1 << 16
_PAUSE_S = 0.05


def main() -> int:
    """Record the call, then answer it."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    folder = Path(os.environ.get("FSCONSOLE_FAKE_SLURM") or Path(sys.argv[0]).parent.parent)
    tool, argv = Path(sys.argv[0]).name, sys.argv[1:]
    _record(folder, tool, argv)
    for place in _rules(folder):
        rule = json.loads((place / "rule.json").read_text(encoding="utf-8"))
        if rule["tool"] == tool and _in_order(rule["words"], argv) and _is_left(place, rule["times"]):
            return _play(place, rule)
    return known.answer(folder, tool, argv)


def _record(folder: Path, tool: str, argv: Sequence[str]) -> None:
    call = {"tool": tool, "argv": argv, "pid": os.getpid(), "conf": os.environ.get("SLURM_CONF", "")}
    line = json.dumps(call, ensure_ascii=True) + "\n"
    log = os.open(folder / "calls.jsonl", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(log, line.encode())  # one write: lines of calls at the same time stay whole
    os.close(log)


def _rules(folder: Path) -> Iterator[Path]:
    """The last one set comes first."""
    yield from sorted(
        (place for place in (folder / "rules").iterdir() if place.suffix != ".tmp"), reverse=True
    )


def _in_order(words: Sequence[str], argv: Sequence[str]) -> bool:
    """Return True if all words are among the arguments, in their order."""
    rest = iter(argv)
    return all(any(word == argument for argument in rest) for word in words)


def _is_left(place: Path, times: int | None) -> bool:
    """Take one of the times that a rule answers; making a folder is what only one process can do."""
    for number in range(times or 0):
        try:
            (place / f"used-{number}").mkdir()
        except FileExistsError:
            continue
        return True
    return times is None


def _play(place: Path, rule: Rule) -> int:
    if rule["deaf"]:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    time.sleep(rule["delay_s"])
    _copy(place / "stderr", 2)
    _copy(Path(rule["stdout_file"] or place / "stdout"), 1)
    if rule["leaves_child"]:
        import subprocess  # Most calls need it not, and it takes a tenth of their time.

        subprocess.Popen(["sleep", "600"], stdin=subprocess.DEVNULL)
    _end(place, rule)
    if rule["rc"] < 0:
        os.kill(os.getpid(), -rule["rc"])
    return int(rule["rc"])


def _end(place: Path, rule: Rule) -> None:
    while rule["ending"] == "endless":
        _copy(place / "again", 1)
    if rule["ending"] == "hang":
        (place / HANGS).touch()
        while True:
            time.sleep(_PAUSE_S)


def _copy(source: Path, to: int) -> None:
    with source.open("rb") as file:
        while chunk := file.read(_CHUNK):
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(to, rest) :]
