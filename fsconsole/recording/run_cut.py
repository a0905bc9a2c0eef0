"""Truncation of a run folder at a time, so that its run continues from there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fsconsole.recording import run_format as form
from fsconsole.recording.chunk import (
    HIGH,
    LOW,
    Chunk,
    ChunkError,
    frame_of,
    joined,
    read_blocks,
)
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_index import Span, begins_by, lines_of_index, read_index, read_span
from fsconsole.recording.sample_writer import SampleWriter, numbers_in, write_chunk
from fsconsole.recording.series import TIERS
from fsconsole.shares.files import write_atomic


def cut_back(run: RunReader, tick: int, hz: int) -> tuple[int, int]:
    """Remove all data of a run after a tick; return the number of the next chunk and the journal.

    The journal stays complete: external actions are repeated. So does the audit log. A kill on the way leaves
    a folder that can be cut back again.

    Raises:
        RunError: the folder is damaged.
        OSError: the folder cannot be written.
    """
    lines = [json.dumps(entry) for entry in run.journal()]
    write_atomic(run.path / form.JOURNAL, "".join(f"{line}\n" for line in lines))
    (run.path / form.SUMMARY).unlink(missing_ok=True)
    for at, checkpoint in run.checkpoints():
        if at > tick:  # It is damaged, or the machine would have started from it.
            checkpoint.unlink()
    for folder in (run.path, run.path / form.CHECKPOINTS):
        for left_over in folder.glob(".*.tmp"):
            left_over.unlink(missing_ok=True)
    return _cut_samples(run, tick / hz), len(lines)


def _cut_samples(run: RunReader, end_s: float) -> int:
    """Keep the samples up to a time, all of them in chunks; return the number of the next chunk."""
    found = read_index(run.path)
    for tier, number in numbers_in(run.path):
        # A tail beside its chunk would count once the chunk is gone.
        if tier < 0 and number not in found.tails:
            (run.path / form.tail_name(number)).unlink()
    lines = [line for line in lines_of_index(run.path) if begins_by(line, end_s)]
    write_atomic(run.path / form.INDEX, "".join(f"{json.dumps(line)}\n" for line in lines))
    for span in (one for tier in found.tiers for one in tier if one.last_s > end_s):
        _cut(run.path, span, tuple(run.recorded), end_s)
    known = run.paths()
    for number in found.tails:
        place = run.path / form.tail_name(number)
        chunks = read_blocks(place, tuple(run.recorded))[0]
        if chunks and (kept := _up_to(joined(chunks), end_s)) is not None:
            paths = [known.get(node, f"node {node}") for node in kept.ids.tolist()]
            write_chunk(run.path, number, 0, kept, paths)
        place.unlink()
    return 1 + max((number for tier, number in numbers_in(run.path) if not tier), default=0)


def _cut(path: Path, span: Span, names: tuple[str, ...], end_s: float) -> None:
    """Keep the samples of a chunk up to a time; remove a tier's chunk, which is computed again."""
    place = path / span.name
    kept = None
    if not span.tier and span.first_s <= end_s:
        try:
            kept = _up_to(read_span(path, span, names), end_s)
            paths = frame_of(place, ["path"])["path"].gather_every(span.count).to_list()
        except ChunkError as error:
            raise RunError(str(error)) from error
    if kept is None:
        place.unlink()
    else:
        write_chunk(path, span.number, 0, kept, paths)


def _up_to(chunk: Chunk, end_s: float) -> Chunk | None:
    count = int(np.searchsorted(chunk.times, end_s, "right"))
    times = chunk.times[:count]
    columns = {name: np.ascontiguousarray(values[:, :count]) for name, values in chunk.columns.items()}
    return Chunk(times, times, chunk.ids, columns) if count else None


def refill_tiers(path: Path, samples: SampleWriter, quantities: Mapping[str, Any]) -> None:
    """Compute coarser tiers from the finer chunks after their ends.

    The coarsest one comes first, since filling a finer one may overflow into it.
    """
    found = read_index(path)
    for tier in range(TIERS - 1, 0, -1):
        ends = [span.last_s for span in found.tiers[tier]]
        names = [f"{name}{end}" for name in quantities for end in ((LOW, HIGH) if tier > 1 else ("",))]
        for span in found.tiers[tier - 1]:
            if span.first_s > max(ends, default=-np.inf):
                try:
                    samples.feed(tier, read_span(path, span, names))
                except ChunkError:
                    continue  # A damaged chunk is a gap.
