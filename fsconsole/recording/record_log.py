"""Records by key over time, such as the jobs of a cluster, stored as blocks of changes.

The first block of a file has all records, each later one the new and changed records and the keys of those
that are gone. Blocks are framed as in `changes.py`: a kill loses the block it cut off.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fsconsole.recording import run_format as form
from fsconsole.recording.changes import Block, blocks_of, framed, pack, parts_of, unpack
from fsconsole.shares.input_files import parsed_json, read_limited

Record = dict[str, Any]


class RecordEncoder:
    """Encoder of records as consecutive blocks."""

    def __init__(self) -> None:
        self._before: Mapping[str, Record] | None = None

    def forget(self) -> None:
        """Encode the next records as a whole block."""
        self._before = None

    def block(self, time_s: float, records: Mapping[str, Record]) -> bytes:
        """Return the records at a time as a block; empty if nothing has changed."""
        before = self._before
        new = {key: one for key, one in records.items() if before is None or before.get(key) != one}
        gone = [] if before is None else [key for key in before if key not in records]
        self._before = dict(records)
        if before is not None and not new and not gone:
            return b""
        text = json.dumps({"new": new, "gone": gone}, separators=(",", ":"))
        data = pack(text.encode())
        return framed(time_s, len(records), data, is_whole=before is None)


class RecordLog:
    """The records of a folder at any time, without unreadable ones; for use by one thread."""

    def __init__(self, folder: Path) -> None:
        """Open a folder."""
        self._folder = folder
        self._stamps: dict[Path, tuple[int, int]] = {}
        self._blocks: list[Block] = []
        self._at: tuple[int, dict[str, Record]] = (-1, {})

    def at(self, time_s: float) -> dict[str, Record] | None:
        """Return the records at a time; None if they are unknown."""
        self._look()
        last = max((at for at, block in enumerate(self._blocks) if block.time_s <= time_s), default=-1)
        if last < 0:
            return None
        first = max((at for at in range(last + 1) if self._blocks[at].is_whole), default=-1)
        if first < 0:
            return None
        known, records = self._at
        if not first <= known <= last:
            known, records = first - 1, {}
        records = dict(records)
        for at in range(known + 1, last + 1):
            block = self._blocks[at]
            if not (block.follows or block.is_whole):  # Damaged blocks precede it.
                return None
            try:
                records = _applied(records, block)
            except (OSError, ValueError, lzma.LZMAError, KeyError, TypeError):
                return None
        self._at = (last, records)
        return records

    def _look(self) -> None:
        try:
            paths = sorted(path for path in self._folder.glob("jobs-*.bin") if form.is_of_run(path.name))
            stamps = {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in paths}
            if stamps == self._stamps:
                return
            self._blocks = [block for path in paths for block in blocks_of(path)]
        except OSError:  # Records read before stay.
            return
        self._stamps, self._at = stamps, (-1, {})


def _applied(before: dict[str, Record], block: Block) -> dict[str, Record]:
    text = unpack(parts_of(read_limited(block.path), block))
    change = parsed_json(text)
    records = {} if block.is_whole else before
    for key in change["gone"]:
        records.pop(key, None)
    records.update(change["new"])
    return records
