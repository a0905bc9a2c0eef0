"""Location of a cluster's tools: on this machine, or after a command such as ssh."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fsconsole.resources import resource
from fsconsole.shares.files import is_there
from fsconsole.targets.slurm.replay import MANIFEST, Manifest, read_manifest

# Without -P the present folder would come first on the path of modules, whoever owns it.
RUN_MODULE = (sys.executable, "-P", "-m")
_REPLAY = "fsconsole.targets.slurm.replay"
_EXAMPLE = "slurm-capture"


@dataclass(frozen=True, slots=True)
class Location:
    """Way to reach a cluster.

    Attributes:
        prefix: argument list before every command; empty where the tools are here.
        name: what a person calls the place; the prefix in words where empty.
    """

    prefix: tuple[str, ...] = ()
    name: str = ""


def is_capture(path: Path) -> bool:
    """Return True if a path is the folder of a capture, or its manifest."""
    return path.name == MANIFEST or is_there(path / MANIFEST)


def capture_place(path: Path) -> Location:
    """Return a capture as a place: a command prefix that answers from its files."""
    folder = (path.parent if path.name == MANIFEST else path).absolute()
    return Location((*RUN_MODULE, _REPLAY, str(folder)), f"capture {folder.name}")


def captured_folder(prefix: Sequence[str]) -> Path | None:
    """Return the folder of a capture that a prefix answers from; None where it leads to a cluster."""
    # Lists of recent clusters hold prefixes of earlier versions, without -P and of other interpreters.
    options = tuple(prefix[1:-2])
    is_replay = options in (("-m",), RUN_MODULE[1:]) and prefix[-2] == _REPLAY
    return Path(prefix[-1]) if is_replay else None


def manifest_of(prefix: Sequence[str]) -> Manifest | None:
    """Return the list of a capture; None where the prefix leads to a cluster.

    Raises:
        CaptureError: the capture cannot be read.
    """
    folder = captured_folder(prefix)
    return None if folder is None else read_manifest(folder)


def captured_s(prefix: Sequence[str]) -> float | None:
    """Return the time of a capture, seconds since 1970; None where the prefix leads to a cluster.

    Raises:
        CaptureError: the capture cannot be read.
    """
    found = manifest_of(prefix)
    return None if found is None else found.captured_s


def clock_of(prefix: Sequence[str]) -> Callable[[], float]:
    """Return the clock of a place, seconds since 1970: that of a capture stands still at the time it was
    made.
    """
    moment_s = captured_s(prefix)
    return time.time if moment_s is None else lambda: moment_s


def example_capture() -> Path:
    """Return the capture that comes with the program: a test cluster of 13 users and 32 CPUs."""
    return resource(_EXAMPLE)


def place_name(place: Location) -> str:
    """Return the name of a place: its own, that of a capture, its prefix, or that of this machine."""
    folder = captured_folder(place.prefix)
    captured = "" if folder is None else f"capture {folder.name}"
    return place.name or captured or shlex.join(place.prefix) or "this machine"
