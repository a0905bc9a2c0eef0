"""Writer of samples of a real system into a run folder, for weeks and over many starts of the program.

An existing folder is continued, on the clock that it began with; the time between two starts is a gap.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fsconsole.recording import run_format as form
from fsconsole.recording.change_series import ChangeSeries
from fsconsole.recording.changes import SAMPLES_A_FILE, ChangeEncoder, append_block
from fsconsole.recording.record_log import Record, RecordEncoder
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_lock import RunLock
from fsconsole.recording.sample_writer import append_index
from fsconsole.shares.files import append_lines, make_private_folder, restrict_to_owner, write_atomic
from fsconsole.shares.flat import Floats, Ints

NOT_RUNNING = "fsconsole was not running"


@dataclass(frozen=True, eq=False, slots=True)
class DiaryNodes:
    """The nodes of a sample; one object as long as they do not change.

    Attributes:
        paths: path of each node [nodes]; it identifies a node that comes again.
        kinds: `group` or `user`, of each node.
        above: rows of their parents, int64 [nodes]; the first node's is its own.
        shares: each node's own shares, or a word in place of them, such as `parent`; empty if unknown.
    """

    paths: Sequence[str]
    kinds: Sequence[str]
    above: Ints
    shares: Sequence[int | str] = ()


class DiaryWriter:
    """Writer of samples, records and events into a folder, for use by one thread.

    Raises:
        OSError: the folder cannot be written.
        RunError: the folder is not a diary.
        BlockingIOError: another program writes it.
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        """Create a folder or continue it; `manifest` has title, quantities, clock and more.

        A folder that is continued keeps its own clock, so that all its times stay what they are.
        """
        self.path = path
        self._nodes: dict[str, dict[str, Any]] = {}
        self._known: DiaryNodes | None = None
        self._ids: Ints
        self._last_s: float | None = None
        clock: Mapping[str, Any] = manifest["clock"]
        is_there = (path / form.MANIFEST).is_file()
        make_private_folder(path)
        self._lock = RunLock(path)
        try:
            if is_there:
                for left_over in path.glob(".*.tmp"):  # A kill interrupted the write that left it.
                    left_over.unlink(missing_ok=True)
                for item in path.iterdir():  # Earlier versions wrote some for others too.
                    restrict_to_owner(item)
                before = RunReader(path)
                self._nodes = {node["path"]: node for node in before.nodes()}
                self._last_s = ChangeSeries(path, before.recorded).last_s
                stored = before.manifest.get("clock", {})
                clock = stored if isinstance(stored.get("epoch_s"), int | float) else clock
            self._manifest = {
                **form.header(form.DIARY),
                **manifest,
                "clock": clock,
            }
            self._write_manifest(form.RUNNING)
        except BaseException:
            self._lock.release()
            raise
        self._samples = ChangeEncoder(self._manifest["quantities"])
        self._records = RecordEncoder()
        self._number = 1 + max((_number(item.name) for item in path.iterdir()), default=0)
        self._count = 0
        self._why_missing = NOT_RUNNING if self._last_s is not None else ""
        self._period_s = float(self._manifest.get("sample_s", 0.0))

    @property
    def epoch_s(self) -> float:
        """Time 0 of the folder's clock, in seconds since 1970."""
        return float(self._manifest["clock"]["epoch_s"])

    @property
    def last_s(self) -> float | None:
        """Time of the last sample; None without one."""
        return self._last_s

    def missing(self, why: str) -> None:
        """Note why a sample is missing; the next sample writes the gap."""
        self._why_missing = why

    def sample(
        self, time_s: float, nodes: DiaryNodes, columns: Mapping[str, Floats], records: Mapping[str, Record]
    ) -> bool:
        """Write a sample, values by quantity [nodes]; return False for one that is not later than the last,
        which is left out.
        """
        if self._last_s is not None and time_s <= self._last_s:
            return False
        if nodes is not self._known:
            self._know(nodes)
        if self._count == SAMPLES_A_FILE:
            self._number, self._count = self._number + 1, 0
        if not self._count:
            self._samples.forget()
            self._records.forget()
        self._count += 1  # If anything fails below, later blocks of this file would not follow.
        try:
            append_block(
                self.path / form.changes_name(self._number),
                self._samples.block(time_s, self._ids, nodes.above, columns),
            )
            if block := self._records.block(time_s, records):
                append_block(self.path / form.jobs_name(self._number), block)
        except OSError:
            self._number, self._count = self._number + 1, 0
            raise
        last_s, self._last_s = self._last_s, time_s
        why, self._why_missing = self._why_missing, ""
        if last_s is not None:
            self._note_gap(last_s, time_s, why)
        return True

    def events(self, lines: Sequence[tuple[float, str]]) -> None:
        """Write lines on events."""
        texts = [json.dumps({"time_s": at, "text": text}, ensure_ascii=False) for at, text in lines]
        append_lines(self.path / form.EVENTS, texts, private=True)

    def close(self) -> None:
        """Complete the folder as far as possible."""
        try:
            self._write_manifest(form.COMPLETE)
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """Release the folder as it is."""
        self._lock.release()

    def _note_gap(self, last_s: float, time_s: float, why: str) -> None:
        is_long = time_s - last_s > 3 * self._period_s
        if is_long or (why and time_s - last_s > self._period_s):
            start_s = min(last_s + self._period_s, time_s)
            line = {"gap": why or "usage was not read", "first_s": start_s, "last_s": time_s}
            append_index(self.path, [line], private=True)

    def _know(self, nodes: DiaryNodes) -> None:
        before = [dict(node) for node in self._nodes.values()]
        ids: list[int] = []
        for row, (path, kind) in enumerate(zip(nodes.paths, nodes.kinds, strict=True)):
            node = self._nodes.get(path)
            if node is None:
                above = int(nodes.above[row])
                parent = None if above == row else ids[above]
                node = {"id": len(self._nodes), "path": path, "kind": kind, "parent": parent}
                self._nodes[path] = node
            ids.append(node["id"])
        if nodes.shares:
            gone = set(self._nodes).difference(nodes.paths)
            for path in gone:
                self._nodes[path]["shares"] = 0
            for path, shares in zip(nodes.paths, nodes.shares, strict=True):
                self._nodes[path]["shares"] = shares
        if before != list(self._nodes.values()):
            write_atomic(
                self.path / form.NODES,
                json.dumps(list(self._nodes.values()), separators=(",", ":")),
                private=True,
            )
        self._ids, self._known = np.array(ids, np.int64), nodes

    def _write_manifest(self, state: str) -> None:
        text = json.dumps({**self._manifest, "state": state}, indent=1, ensure_ascii=False)
        write_atomic(self.path / form.MANIFEST, f"{text}\n", private=True)


def _number(name: str) -> int:
    """Return the number of a file of changes or records; 0 for any other file."""
    is_counted = name.startswith(("changes-", "jobs-")) and form.is_of_run(name)
    return int(name.partition("-")[2].removesuffix(".bin")) if is_counted else 0
