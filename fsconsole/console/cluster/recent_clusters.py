"""Recent clusters, and the text form of their connections."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fsconsole.console.files.recent import RecentEntries
from fsconsole.shares.input_files import parsed_json
from fsconsole.targets.slurm.location import Location, captured_folder

MARK = "slurm:"  # Prefix of an entry of recent files that is a cluster.
HERE = "tools on this machine"


@dataclass(frozen=True, slots=True)
class RecentCluster:
    """A way to a cluster, what the cluster there is called, and when it was opened last."""

    prefix: tuple[str, ...]
    cluster: str
    when: datetime

    @property
    def words(self) -> str:
        """The cluster and the way to it, as menus show them."""
        return f"{self.cluster}  ({way_words(self.prefix)})"


class RecentClusters(RecentEntries[RecentCluster]):
    """Clusters that were opened lately, by the prefix of their commands."""

    _key, _most = "slurm/recent", 8

    def add(self, prefix: tuple[str, ...], cluster: str) -> None:
        """Add a cluster that was just opened."""
        self.put(RecentCluster(prefix, cluster, datetime.now().astimezone()))

    def _place(self, entry: RecentCluster) -> object:
        return entry.prefix

    def _row(self, entry: RecentCluster) -> dict[str, object]:
        return {"prefix": list(entry.prefix), "cluster": entry.cluster, "when": entry.when.isoformat()}

    def _read(self, row: Any) -> RecentCluster:
        prefix = _words(row["prefix"])
        return RecentCluster(prefix, str(row["cluster"]), datetime.fromisoformat(row["when"]))


def way_words(prefix: tuple[str, ...]) -> str:
    """Return a connection in words."""
    folder = captured_folder(prefix)
    if folder is not None:
        return f"capture in {folder}"
    return shlex.join(prefix) if prefix else HERE


def prefix_of(text: str) -> tuple[str, ...]:
    """Return the argument list of a typed text.

    Raises:
        ValueError: the text cannot be read; the message says why.
    """
    try:
        found = tuple(shlex.split(text))
    except ValueError as error:
        msg = "Cannot read the command: a quote is not closed."
        raise ValueError(msg) from error
    if any("\0" in word for word in found):
        msg = "The command contains a character that no command can contain."
        raise ValueError(msg)
    if found and found[0].startswith("-"):
        msg = f"'{found[0]}' is an option. Begin with the command's name. Example: ssh login1."
        raise ValueError(msg)
    return found


def mark_of(prefix: tuple[str, ...]) -> str:
    """Return the entry of a cluster in the record of what was open last."""
    return MARK + json.dumps(list(prefix))


def place_of_mark(last: object) -> Location | None:
    """Return the cluster that was open last; None where it was a file, or nothing."""
    if not isinstance(last, str) or not last.startswith(MARK):
        return None
    try:
        return Location(_words(parsed_json(last.removeprefix(MARK))))
    except ValueError:
        return None


def _words(kept: object) -> tuple[str, ...]:
    """Return the prefix of a list that was kept; ValueError for anything else."""
    if not isinstance(kept, list) or not all(isinstance(word, str) for word in kept):
        raise ValueError
    return tuple(kept)
