"""Writes a run folder while a machine runs.

A chunk stands in the folder complete or not at all, so a kill -9 loses at most the last one. All samples up
to a checkpoint are on the disk before it is, so that a run can go on from there (`truncation.py`).
"""

from __future__ import annotations

import io
import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fsconsole import __version__
from fsconsole.recording import run_format as form
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.audit_log import AuditLog
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_lock import RunLock, is_held
from fsconsole.shares.files import append_lines, write_atomic
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.input_files import parquet_frame, read_json
from fsconsole.shares.scenario.spec import Scenario, digest
from fsconsole.shares.tree import ShareTree

CHUNK_ROWS = 100_000
# Wall clock: what a kill may lose, and how often the whole state is worth keeping.
CHUNK_EVERY_S = 2.0
CHECKPOINT_EVERY_S = 30.0
# A checkpoint of a large machine takes long: at most this part of the time goes into them.
CHECKPOINT_PART = 0.03


class SampleLike(Protocol):
    """A sample as the machine hands it to its listeners."""

    @property
    def tick(self) -> int:
        """When, in ticks."""
        ...

    @property
    def time_s(self) -> float:
        """When, in seconds."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """Node ids."""
        ...

    @property
    def columns(self) -> Mapping[str, NDArray[np.float64]]:
        """One array per quantity, a value per node."""
        ...

    @property
    def cpu_s(self) -> NDArray[np.float64]:
        """CPU seconds given to each node since the start."""
        ...


class Recordable(Protocol):
    """What a recording needs to know of a machine."""

    tree: ShareTree
    flat: FlatTree
    seed: int
    tick: int

    @property
    def scenario(self) -> Scenario:
        """What the machine was made of."""
        ...

    @property
    def settings(self) -> dict[str, Any]:
        """All settings in force, by dotted key."""
        ...

    @property
    def journal(self) -> Sequence[JournalEntry]:
        """What was done from outside, oldest first."""
        ...

    @property
    def audit(self) -> Sequence[AuditRow]:
        """What was done or refused, oldest first."""
        ...


class RunWriter:
    """Listens to a machine's samples and keeps them in a folder.

    Add it to the machine's listeners, take the first sample by hand (`writer(machine.sample())`), call
    `keep_up` now and then between two stretches of the machine, and `close` at the end. Raises RunError where
    the folder cannot be written.
    """

    def __init__(
        self,
        machine: Recordable,
        path: Path,
        *,
        scenario_text: str = "",
        save: Callable[[], bytes] | None = None,
        overwrite: bool = False,
        until_s: float | None = None,
        goes_on: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the folder; RunError where there is something (unless `overwrite` and it is a run).

        `until_s` is where the run shall end, if that is known. With `goes_on` the folder is there
        already: the machine stands at one of its checkpoints, and what came after that is recorded again.
        `more` has entries of the manifest that the machine does not know, or knows otherwise.
        """
        self.path = path
        self._machine = machine
        self._save = save
        self._flat: FlatTree | None = None
        self._paths: list[str] = []
        self._nodes: dict[int, dict[str, Any]] = {}
        self._buffer: list[tuple[SampleLike, list[str]]] = []
        self._rows = 0
        self._chunks = 0
        self._journalled = 0
        self._flushed_at = time.monotonic()
        self._begun_at, self._next_checkpoint = time.monotonic(), 0.0
        clock = machine.scenario.machine
        self._audit = AuditLog(path / form.AUDIT, clock.hz, clock.start)
        self._audited = 0
        with _explained(path):
            if goes_on:
                self._manifest = self._take_up()
            else:
                self._manifest = {**_manifest(machine, scenario_text), **(more or {})}
                self._begin(overwrite=overwrite)
            if until_s is not None:
                self._manifest["until_s"] = until_s
            self._write_manifest(form.RUNNING)
            self._checkpoint(machine.tick)

    def _begin(self, *, overwrite: bool) -> None:
        _make_room(self.path, overwrite=overwrite)
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = RunLock(self.path)
        (self.path / form.CHECKPOINTS).mkdir()
        (self.path / form.JOURNAL).touch()

    def _take_up(self) -> dict[str, Any]:
        """Go on with the folder; gives its manifest."""
        try:
            self._lock = RunLock(self.path)
        except BlockingIOError:
            msg = f"{self.path} is being written by another program: it goes on already"
            raise RunError(msg) from None
        tick, hz = self._machine.tick, self._machine.scenario.machine.hz
        run = RunReader(self.path)
        self._nodes = {node["id"]: node for node in run.nodes()}
        self._chunks, self._journalled = cut_back(run, tick, hz)
        self._audit.know(tick)
        # What the machine has kept of before is in the log, and its actions at this tick as well.
        self._audited = len(self._machine.audit)
        return run.manifest

    def __call__(self, sample: SampleLike) -> None:
        """Take in a sample."""
        with _explained(self.path):
            if self._flat is None or self._machine.flat.ids is not self._flat.ids:
                self._note_nodes()
            self._write_actions()  # before the samples that show what they did, should a kill come between
            self._buffer.append((sample, self._paths))
            self._rows += len(sample.ids)
            now = time.monotonic()
            if self._rows >= CHUNK_ROWS or now - self._flushed_at >= CHUNK_EVERY_S:
                self._flush()

    @property
    def is_empty(self) -> bool:
        """Whether no sample has been taken in or left yet: then the first one is taken by hand."""
        return not (self._chunks or self._buffer)

    def keep_up(self) -> None:
        """Write what was done from outside, and a checkpoint if one is due; between two stretches alone.

        While the machine hands out a sample it stands within a tick: what goes on from there is another run.
        """
        with _explained(self.path):
            self._write_actions()
            if time.monotonic() >= self._next_checkpoint:
                self._flush()
                self._checkpoint(self._machine.tick)

    def close(
        self, *, complete: bool = True, summary: Mapping[str, Any] | None = None, tick: int | None = None
    ) -> None:
        """Write what is left; `tick` is the machine's, for a last checkpoint."""
        with _explained(self.path):
            self._flush()
            self._write_actions()
            if tick is not None:
                self._checkpoint(tick)
            if summary is not None:
                write_atomic(self.path / form.SUMMARY, _json(summary))
            self._write_manifest(form.COMPLETE if complete else form.INTERRUPTED)
        self._lock.release()

    def _write_manifest(self, state: str) -> None:
        write_atomic(self.path / form.MANIFEST, _json({**self._manifest, "state": state}))

    def _note_nodes(self) -> None:
        tree, flat = self._machine.tree, self._machine.flat
        self._flat = flat
        paths = tree.paths()
        self._paths = [paths.get(node, f"node {node}") for node in flat.ids.tolist()]
        for node_id, path in zip(flat.ids.tolist(), self._paths, strict=True):
            known = {"id": node_id, "path": path}
            if node_id in tree:
                node = tree.node(node_id)
                known |= {"parent": node.parent, "kind": str(node.kind), "system": tree.is_system(node_id)}
            self._nodes[node_id] = known
        write_atomic(self.path / form.NODES, _json(list(self._nodes.values())))

    def _write_actions(self) -> None:
        entries = self._machine.journal[self._journalled :]
        if entries:
            append_lines(self.path / form.JOURNAL, [json.dumps(_plain(entry.to_json())) for entry in entries])
            self._journalled += len(entries)
        rows = self._machine.audit[self._audited :]
        if rows:
            self._audit.write(rows)
            self._audited += len(rows)

    def _checkpoint(self, tick: int) -> None:
        began = time.monotonic()
        if self._save is not None:
            write_atomic(self.path / form.CHECKPOINTS / form.checkpoint_name(tick), self._save())
        ended = time.monotonic()
        # A young run is kept more often, so that a kill costs about as much as it had run, not all of it.
        every = min(CHECKPOINT_EVERY_S, ended - self._begun_at)
        self._next_checkpoint = ended + max(every, (ended - began) / CHECKPOINT_PART)

    def _flush(self) -> None:
        if self._buffer:
            data = _parquet(self._buffer)
            self._chunks += 1
            write_atomic(self.path / form.chunk_name(self._chunks), data)
        self._buffer, self._rows = [], 0
        self._flushed_at = time.monotonic()


def _parquet(buffer: list[tuple[SampleLike, list[str]]]) -> bytes:
    import polars as pl

    samples = [sample for sample, _ in buffer]
    counts = [len(sample.ids) for sample in samples]
    columns: dict[str, Any] = {
        "time_s": np.repeat([sample.time_s for sample in samples], counts),
        "node": np.concatenate([sample.ids for sample in samples]),
        "path": [path for _, paths in buffer for path in paths],
    }
    for name in samples[0].columns:
        columns[name] = np.concatenate([sample.columns[name] for sample in samples])
    columns["cpu_s"] = np.concatenate([sample.cpu_s for sample in samples])
    target = io.BytesIO()
    pl.DataFrame(columns).write_parquet(target)
    return target.getvalue()


def _manifest(machine: Recordable, scenario_text: str) -> dict[str, Any]:
    scenario = machine.scenario
    return {
        "format": form.FORMAT,
        "version": form.VERSION,
        "program": f"fsconsole {__version__}",
        "title": scenario.title,
        "scenario_digest": digest(scenario_text),
        "scenario": scenario_text,
        "seed": machine.seed,
        "policy": machine.settings["policy.name"],
        "settings": _plain(machine.settings),
        "sample_s": scenario.plot.sample_s,
        "rate_window_s": scenario.plot.rate_window_s,
        "units": form.UNITS,
    }


def _make_room(path: Path, *, overwrite: bool) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if path.is_dir() and not any(path.iterdir()):
        return
    if not overwrite:
        msg = f"{path} exists already"
        raise RunError(msg)
    if not _is_run(path):
        msg = f"{path} is not a run folder, so it is not overwritten"
        raise RunError(msg)
    if is_held(path):
        msg = f"{path} is being written by another run, so it is not overwritten"
        raise RunError(msg)
    foreign = sorted(item.name for item in path.iterdir() if not form.is_of_run(item.name))
    if foreign:
        msg = f"{path} holds what is not of a run, so it is not overwritten: {', '.join(foreign[:3])}"
        raise RunError(msg)
    shutil.rmtree(path)


def _is_run(path: Path) -> bool:
    """Whether a folder's manifest is one of ours: others use that name too."""
    try:
        manifest = read_json(path / form.MANIFEST)
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == form.FORMAT


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        msg = f"cannot write {path}: {error.strerror or error}"
        raise RunError(msg) from error


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in values.items()}


def _json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


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
