"""Cutting a run folder back to a checkpoint, so that the run can go on from there and nothing is double."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

from fsconsole.recording import run_format as form
from fsconsole.recording.run_format import RunError
from fsconsole.shares.files import write_atomic
from fsconsole.shares.input_files import parquet_frame

if TYPE_CHECKING:
    from fsconsole.recording.run import RunReader


def cut_back(run: RunReader, tick: int, hz: int) -> tuple[int, int]:
    """Take away what a run has after a tick; gives how many chunks and lines of the journal are left.

    The journal stays whole: what was done from outside is done again. So does the audit log. A kill on the
    way leaves a folder that can be cut back again. RunError where the folder is damaged, OSError where it
    cannot be written.
    """
    lines = [json.dumps(entry) for entry in run.journal()]
    write_atomic(run.path / form.JOURNAL, "".join(f"{line}\n" for line in lines))
    (run.path / form.SUMMARY).unlink(missing_ok=True)
    for at, checkpoint in run.checkpoints():
        if at > tick:  # damaged, or the machine would stand there
            checkpoint.unlink()
    for left_over in run.path.glob(".*.tmp"):
        left_over.unlink()
    return _cut_chunks(form.chunks(run.path), tick / hz), len(lines)


def _cut_chunks(chunks: list[Path], end_s: float) -> int:
    """The last chunks go first, so that none is ever missing between others."""
    for number in range(len(chunks), 0, -1):
        if _cut(chunks[number - 1], end_s):
            return number
    return 0


def _cut(chunk: Path, end_s: float) -> bool:
    """Leave the samples up to a time in a chunk; whether there are any."""
    import polars as pl

    try:
        frame = parquet_frame(chunk)
        kept = frame.filter(pl.col("time_s") <= end_s)
    except (pl.exceptions.PolarsError, OSError) as error:
        msg = f"{chunk} is damaged: {error}"
        raise RunError(msg) from error
    if not kept.height:
        chunk.unlink()
    elif kept.height < frame.height:
        target = io.BytesIO()
        kept.write_parquet(target)
        write_atomic(chunk, target.getvalue())
    return bool(kept.height)
