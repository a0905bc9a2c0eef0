"""Writer of a run folder while a machine runs.

A kill -9 loses at most the samples of the last two seconds. All samples up to a checkpoint are in the folder
before the checkpoint, so that a run can continue from there (`run_cut.py`).
"""

from __future__ import annotations

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

from fsconsole.recording import run_format as form
from fsconsole.recording.audit import AuditRow
from fsconsole.recording.audit_log import AuditLog
from fsconsole.recording.journal import JournalEntry
from fsconsole.recording.keyframes import KeyframePace
from fsconsole.recording.rescaling import Rescaling
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_cut import cut_back, refill_tiers
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_lock import RunLock, is_held
from fsconsole.recording.sample_writer import SampleWriter
from fsconsole.shares.files import append_lines, naming, write_atomic
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.input_files import read_json
from fsconsole.shares.scenario.spec import Scenario, digest
from fsconsole.shares.tree import ShareTree
from fsconsole.text.numbers import plain_percent


class SampleLike(Protocol):
    """A sample as the machine passes it to its listeners."""

    @property
    def tick(self) -> int:
        """Tick at which the sample was taken."""
        ...

    @property
    def time_s(self) -> float:
        """Time at which the sample was taken, s."""
        ...

    @property
    def ids(self) -> NDArray[np.int64]:
        """Node ids, int64 [nodes]."""
        ...

    @property
    def columns(self) -> Mapping[str, NDArray[np.float64]]:
        """Values by quantity, [nodes] each."""
        ...

    @property
    def cpu_s(self) -> NDArray[np.float64]:
        """CPU time given to each node since the start, s [nodes]."""
        ...


class Recordable(Protocol):
    """The interface of a machine for recordings."""

    tree: ShareTree
    flat: FlatTree
    seed: int
    tick: int

    @property
    def scenario(self) -> Scenario:
        """Scenario that the machine runs."""
        ...

    @property
    def settings(self) -> dict[str, Any]:
        """All settings in force, by dotted key."""
        ...

    @property
    def journal(self) -> Sequence[JournalEntry]:
        """External actions, oldest first."""
        ...

    @property
    def happened(self) -> Sequence[tuple[int, str]]:
        """Ticks and texts of events, oldest first."""
        ...

    @property
    def audit(self) -> Sequence[AuditRow]:
        """Actions, accepted or refused, oldest first."""
        ...


class RunWriter:
    """A listener that writes a machine's samples into a folder.

    Add it to the machine's listeners, take the first sample by hand (`writer(machine.sample())`), call
    `keep_up` regularly between two stretches of the machine, and `close` at the end. Raises RunError where
    the folder cannot be written.
    """

    def __init__(
        self,
        machine: Recordable,
        path: Path,
        *,
        scenario_text: str = "",
        capture: Callable[[], Callable[[], bytes]] | None = None,
        overwrite: bool = False,
        until_s: float | None = None,
        goes_on: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        """Create the folder.

        Args:
            machine: the machine to record.
            path: the folder.
            scenario_text: text of the scenario.
            capture: notes the machine's state and returns a function that makes its bytes in any thread.
            overwrite: whether to replace an existing run.
            until_s: planned end of the run, if known.
            goes_on: whether the folder exists and the machine is at one of its checkpoints; later data is
                recorded again.
            more: entries of the manifest that the machine does not provide, or that replace its own.

        Raises:
            RunError: the folder exists, unless `overwrite` is set and it is a run, or it cannot be written.
        """
        self.path = path
        self._machine = machine
        self._capture = capture
        self._state_bytes = 0
        self._flat: FlatTree | None = None
        self._paths: list[str] = []
        self._nodes: dict[int, dict[str, Any]] = {}
        self._journalled = 0
        self._next_chunk = 1
        self._happened = 0
        self._pace = KeyframePace(is_recording=True)
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
            self._samples = SampleWriter(self.path, self._manifest["quantities"], self._next_chunk)
            if goes_on:
                refill_tiers(self.path, self._samples, self._manifest["quantities"])
            self._checkpoint(machine.tick, is_first=True)

    def _begin(self, *, overwrite: bool) -> None:
        _make_room(self.path, overwrite=overwrite)
        self.path.mkdir(parents=True, exist_ok=True)
        self._lock = RunLock(self.path)
        (self.path / form.CHECKPOINTS).mkdir()
        (self.path / form.JOURNAL).touch()

    def _take_up(self) -> dict[str, Any]:
        """Continue the folder; return its manifest."""
        try:
            self._lock = RunLock(self.path)
        except BlockingIOError:
            msg = f"{self.path}: another program is already writing this run"
            raise RunError(msg) from None
        tick, hz = self._machine.tick, self._machine.scenario.machine.hz
        run = RunReader(self.path)
        if run.recorded.keys() != form.QUANTITIES.keys():
            why = "it lists quantities that a machine does not have"
            raise RunError(str(form.FORMAT.fault(run.manifest, self.path / form.MANIFEST, why)))
        form.FORMAT.keep_older(self.path / form.MANIFEST)
        self._nodes = {node["id"]: node for node in run.nodes()}
        self._next_chunk, self._journalled = cut_back(run, tick, hz)
        self._write_happened(write_atomic)
        self._audit.know(tick)
        # The log has the events that the machine kept from before, and its actions at this tick.
        self._audited = len(self._machine.audit)
        return {**run.manifest, **form.header(form.SIMULATION)}

    def __call__(self, sample: SampleLike) -> None:
        """Record a sample."""
        with _explained(self.path):
            flat = self._machine.flat
            if self._flat is None or flat.ids is not self._flat.ids:
                self._note_nodes()
            # Actions come before the samples that show their effect, in case a kill comes between.
            self._write_actions()
            columns = {**sample.columns, "cpu_s": sample.cpu_s}
            self._samples.append(sample.time_s, sample.ids, self._paths, columns, Rescaling(flat))

    @property
    def is_empty(self) -> bool:
        """True if no sample has been recorded; then the first one is taken by hand."""
        return self._samples.is_empty

    def keep_up(self) -> None:
        """Write external actions, and a checkpoint if one is due; call it only between two stretches.

        While the machine passes on a sample it is within a tick: a checkpoint there would continue another
        run.
        """
        with _explained(self.path):
            self._write_actions()
            now_s = self._machine.tick / self._machine.scenario.machine.hz
            if self._pace.is_due(now_s, time.monotonic()):
                self._checkpoint(self._machine.tick)

    def close(
        self, *, complete: bool = True, summary: Mapping[str, Any] | None = None, tick: int | None = None
    ) -> None:
        """Write the remaining data; `tick` is the machine's, for a last checkpoint."""
        with _explained(self.path):
            self._write_actions()
            if tick is not None:
                self._checkpoint(tick)
            self._samples.close()
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
        self._write_happened()
        rows = self._machine.audit[self._audited :]
        if rows:
            self._audit.write(rows)
            self._audited += len(rows)

    def _write_happened(self, write: Callable[[Path, str], None] | None = None) -> None:
        """Append events since the last call; with `write` replace the file by all events."""
        if write is None and len(self._machine.happened) == self._happened:
            return
        fresh = self._machine.happened[self._happened :]
        self._happened += len(fresh)
        hz = self._machine.scenario.machine.hz
        rows = [{"time_s": tick / hz, "text": plain_percent(text)} for tick, text in fresh]
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        place = self.path / form.EVENTS
        if write is not None:
            write(place, "".join(f"{line}\n" for line in lines))
        elif lines:
            with naming(place), place.open("a", encoding="utf-8") as stream:
                stream.write("".join(f"{line}\n" for line in lines))

    def _checkpoint(self, tick: int, *, is_first: bool = False) -> None:
        began = time.thread_time()
        if self._capture is not None:
            make = self._capture()
            place = self.path / form.CHECKPOINTS / form.checkpoint_name(tick)
            if is_first:  # A kill may follow immediately.
                data = make()
                write_atomic(place, data)
                self._state_bytes = len(data)
            else:
                self._samples.write(place, lambda: self._weighed(make()))
        hz = self._machine.scenario.machine.hz
        self._pace.kept(tick / hz, self._state_bytes, time.monotonic(), time.thread_time() - began)

    def _weighed(self, data: bytes) -> bytes:
        """Note the size of a keyframe and return its data; a larger one delays the next one more."""
        self._state_bytes = len(data)
        return data


def _manifest(machine: Recordable, scenario_text: str) -> dict[str, Any]:
    scenario = machine.scenario
    return {
        **form.header(form.SIMULATION),
        "title": scenario.title,
        "scenario_digest": digest(scenario_text),
        "scenario": scenario_text,
        "seed": machine.seed,
        "policy": machine.settings["policy.name"],
        "settings": _plain(machine.settings),
        "sample_s": scenario.plot.sample_s,
        "rate_window_s": scenario.plot.rate_window_s,
        "clock": {"epoch_s": None, "hz": scenario.machine.hz},
        "quantities": form.QUANTITIES,
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
        msg = f"{path} is not a run folder. It is not overwritten"
        raise RunError(msg)
    if is_held(path):
        msg = f"{path}: another program is writing to this run. It is not overwritten"
        raise RunError(msg)
    foreign = sorted(item.name for item in path.iterdir() if not form.is_of_run(item.name))
    if foreign:
        msg = (
            f"{path} contains files that do not belong to a run. It is not overwritten: "
            f"{', '.join(foreign[:3])}"
        )
        raise RunError(msg)
    shutil.rmtree(path)


def _is_run(path: Path) -> bool:
    """Return True if a folder's manifest is ours; other programs use that name too."""
    try:
        manifest = read_json(path / form.MANIFEST)
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == form.FORMAT.name


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
