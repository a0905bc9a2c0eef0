"""The kinds of files and folders that commands and the console take: what a path is, and what uses it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.app.study.files import is_search, is_study
from fsconsole.recording.run_format import DIARY, RunError, run_folder
from fsconsole.shares.input_files import open_regular, plain_beginning, plain_path
from fsconsole.targets.slurm.location import is_capture

if TYPE_CHECKING:
    from fsconsole.recording.run import RunReader


class Kind(StrEnum):
    """A kind of file or folder, in words."""

    RUN = "a recorded run of a simulated machine"
    DIARY = "a week of a cluster's diary"
    CAPTURE = "a capture folder of a cluster"
    UNFINISHED_CAPTURE = "an unfinished capture folder, without capture.json"
    STUDY_FOLDER = "a folder of results of a study"
    SEARCH_FOLDER = "a folder of results of a search"
    SCENARIO = "a scenario"
    STUDY = "a study file"
    SEARCH = "a search file"
    RESULTS = "a file of the results of a study or search"
    TRACE = "a trace of jobs"
    SCHEDULE = "a schedule of jobs as CSV"
    DUMP = "a dump of sacctmgr"
    SSHARE = "output of sshare"
    FOLDER = "a folder"
    FILE = "a file"


class KindError(Exception):
    """A path is of another kind than is wanted; the message is a sentence of `refusal`."""


STUDIES = (Kind.STUDY, Kind.SEARCH, Kind.STUDY_FOLDER, Kind.SEARCH_FOLDER)
A_TREE, TREES = "a scenario or share tree", (Kind.SCENARIO, Kind.DUMP)
_STDIN = Path("-")
_ON_TREES = ("tree show", "tree check", "tree convert", "tree diff", "doctor")
_USES: dict[Kind, tuple[str, ...]] = {
    Kind.RUN: (
        *("run report", "run diff", "run notes", "run scenario", "run branch", "export"),
        "simulate --resume",
        *("machine", "nd", "why", *_ON_TREES),
    ),
    Kind.DIARY: ("run report", "run diff", "run notes", "export", "why", *_ON_TREES),
    Kind.CAPTURE: (*(f"slurm {one} --capture" for one in ("show", "jobs", "why", "diff")), *_ON_TREES),
    Kind.STUDY_FOLDER: tuple(f"study {one}" for one in ("show", "users", "fair-start", "report", "export")),
    Kind.SEARCH_FOLDER: ("study search",),
    Kind.SCENARIO: ("simulate", "compare", "machine", "nd", "why", *_ON_TREES),
    Kind.STUDY: ("study check", "study run"),
    Kind.SEARCH: ("study search",),
    Kind.TRACE: ("batch simulate", "batch why", "batch convert", "tree load --from-trace"),
    Kind.SCHEDULE: ("batch compare",),
    Kind.DUMP: (*_ON_TREES, "slurm diff", "slurm apply"),
    Kind.SSHARE: ("slurm fairshare", "slurm forecast", "slurm control"),
}
_MAKE_CAPTURE = "fsconsole slurm capture FOLDER"
_SETTINGS_BEGIN = b"Configuration data as of"  # Slurm's settings, the first file that a capture writes.
_LOOKED_AT = 1 << 16
_YAML, _TREE_KEY = (".yaml", ".yml"), re.compile(rb"^tree[ \t]*:", re.MULTILINE)
_DUMP_LINE = re.compile(rb"^(?:# )?(?:Cluster|Parent|Account|User) - '", re.MULTILINE)
_SWF_LINE = re.compile(rb"[ \t]*(?:-?[0-9.]+[ \t]+){17}-?[0-9.]+[ \t]*\r?")


def kind_of(path: Path) -> Kind | None:
    """Return the kind of a file or folder; None for what is neither, or is not there."""
    try:
        if is_capture(path) and path.exists():
            return Kind.CAPTURE
        if (folder := run_folder(path)) is not None:
            return _of_run(folder)
        if path.is_dir():
            if is_study(path):
                return Kind.STUDY_FOLDER
            return Kind.SEARCH_FOLDER if is_search(path) else _of_folder(path)
        return _of_file(path) if path.is_file() else None
    except OSError:
        return None


def _of_folder(folder: Path) -> Kind:
    with suppress(OSError), open_regular(folder / "settings.txt") as stream:
        if stream.read(len(_SETTINGS_BEGIN)) == _SETTINGS_BEGIN:
            return Kind.UNFINISHED_CAPTURE
    return Kind.FOLDER


def _of_run(folder: Path) -> Kind:
    from fsconsole.recording.run import RunReader

    with suppress(RunError):
        return Kind.DIARY if RunReader(folder, is_any_number=True).kind == DIARY else Kind.RUN
    return Kind.RUN


def _of_file(path: Path) -> Kind:
    if is_study(path):
        return Kind.STUDY
    if is_search(path):
        return Kind.SEARCH
    begun = plain_beginning(path, _LOOKED_AT)
    titles = {title.strip() for title in begun.lstrip().partition(b"\n")[0].split(b"|")}
    if {b"Account", b"RawShares"} <= titles:
        return Kind.SSHARE
    if {b"job_id", b"start"} <= {title.strip(b'" \r') for title in begun.partition(b"\n")[0].split(b",")}:
        return Kind.SCHEDULE
    lines = (line for line in begun.split(b"\n") if line.strip() and not line.lstrip().startswith(b";"))
    if plain_path(path).suffix.lower() in _YAML and _TREE_KEY.search(begun):
        return Kind.SCENARIO
    if _DUMP_LINE.search(begun):
        return Kind.DUMP
    is_trace = titles & {b"JobID", b"JobIDRaw"} or _SWF_LINE.fullmatch(next(lines, b""))
    if is_trace:
        return Kind.TRACE
    return Kind.RESULTS if is_study(path.parent) or is_search(path.parent) else Kind.FILE


def refusal(path: Path, wanted: str, kind: Kind | None = None) -> str:
    """Return a sentence with the kind of a path, the kind that is wanted, and the commands that take it."""
    kind = kind or kind_of(path) or Kind.FILE
    uses = f" Commands that take it: {', '.join(_USES[kind])}." if kind in _USES else ""
    if kind is Kind.RESULTS:
        uses = f" Give its folder: {path.parent}"
    if kind is Kind.UNFINISHED_CAPTURE:
        uses = f" Make the capture again: {_MAKE_CAPTURE}"
    return f"{path} is {kind}, not {wanted}.{uses}"


def capture_refusal(path: Path, wanted: str, kind: Kind) -> str:
    """Return a sentence as `refusal` does where a capture folder is wanted, with how to make one."""
    make = f" Make one: {_MAKE_CAPTURE}" if kind is Kind.FOLDER else ""
    return f"{refusal(path, wanted, kind)}{make}"


@contextmanager
def kind_named(path: Path, wanted: str, *own: Kind) -> Iterator[None]:
    """Raise KindError with the kind of a file in place of its errors, if it is of another kind than its own.

    Args:
        path: the file that is read within.
        wanted: what it should be, in words.
        own: the kinds that it may be of; errors of such a file stay.
    """
    try:
        yield
    except ValueError:
        kind = None if path == _STDIN else kind_of(path)
        if kind not in (None, *own, Kind.FILE):
            raise KindError(refusal(path, wanted, kind)) from None
        raise


def run_at(path: Path, *, is_simulated: bool = False, is_any_number: bool = False) -> RunReader:
    """Open a run folder.

    Args:
        path: the folder.
        is_simulated: whether it must be of a simulated machine, and not a diary.
        is_any_number: whether it may be of a newer format.

    Raises:
        KindError: it is of another kind.
        RunError: it is damaged, or of a newer format.
    """
    from fsconsole.recording.run import RunReader

    kind = kind_of(path)
    if kind not in (None, Kind.RUN, Kind.DIARY, Kind.FOLDER):
        raise KindError(refusal(path, "a run folder", kind))
    if is_simulated and kind is Kind.DIARY:
        raise KindError(refusal(path, "a run of a simulated machine", kind))
    return RunReader(run_folder(path) or path, is_any_number=is_any_number)
