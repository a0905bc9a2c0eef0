"""Recent clusters, and the text form of their connections. No Qt but signals."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from fsconsole.console.preferences import Preferences
from fsconsole.shares.input_files import parsed_json
from fsconsole.targets.slurm.location import Location, captured_folder

MOST = 8
MARK = "slurm:"  # Prefix of an entry of recent files that is a cluster.
_KEY = "slurm/recent"
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


class RecentClusters(QObject):
    """Newest first, each way once.

    Signals: changed() after one came or went.
    """

    changed = Signal()

    def __init__(self, preferences: Preferences, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._preferences = preferences

    def clusters(self) -> list[RecentCluster]:
        """Return the recent clusters; entries that cannot be read are left out."""
        found = (_entry(raw) for raw in self._preferences.value(_KEY, []))
        return [entry for entry in found if entry is not None]

    def add(self, prefix: tuple[str, ...], cluster: str) -> None:
        """Add a cluster that was just opened."""
        fresh = RecentCluster(prefix, cluster, datetime.now().astimezone())
        self._keep([fresh, *(entry for entry in self.clusters() if entry.prefix != prefix)])

    def remove(self, prefix: tuple[str, ...]) -> None:
        """Forget a cluster by the prefix of its commands."""
        self._keep([entry for entry in self.clusters() if entry.prefix != prefix])

    def _keep(self, entries: list[RecentCluster]) -> None:
        rows = [
            {"prefix": list(entry.prefix), "cluster": entry.cluster, "when": entry.when.isoformat()}
            for entry in entries[:MOST]
        ]
        self._preferences.set_value(_KEY, rows)
        self.changed.emit()


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
        prefix = parsed_json(last.removeprefix(MARK))
    except ValueError:
        return None
    is_list = isinstance(prefix, list) and all(isinstance(word, str) for word in prefix)
    return Location(tuple(prefix)) if is_list else None


def _entry(raw: object) -> RecentCluster | None:
    if not isinstance(raw, dict):
        return None
    try:
        prefix, cluster = raw["prefix"], raw["cluster"]
        is_sound = isinstance(prefix, list) and all(isinstance(word, str) for word in prefix)
        when = datetime.fromisoformat(raw["when"])
    except (KeyError, TypeError, ValueError):
        return None
    return RecentCluster(tuple(prefix), str(cluster), when) if is_sound else None
