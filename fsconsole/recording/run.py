"""Reader of a run folder: complete, interrupted, still running, or left behind by a kill."""

from __future__ import annotations

import math
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from fsconsole.recording import run_format as form
from fsconsole.recording.change_series import ChangeSeries
from fsconsole.recording.chunk import Chunk, ChunkError, frame_of, read_blocks
from fsconsole.recording.run_format import RunError
from fsconsole.recording.run_index import Gap, RunIndex, Span, gap_of, read_index, read_span
from fsconsole.recording.run_lock import is_held
from fsconsole.recording.run_series import RunSeries
from fsconsole.shares.input_files import open_regular, parsed_json, read_limited
from fsconsole.shares.stored_format import NUMBER, FormatError, OtherProgramError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

__all__ = ["RunError", "RunReader", "cluster_settings"]


class RunReader:
    """A run on disk.

    Attributes:
        path: the folder.
        newer: sentence on a run of a newer format; empty for any other.
        manifest: description of the run: title, scenario (text), scenario_digest, seed, policy, settings,
            units...
    """

    def __init__(self, path: Path, *, is_any_number: bool = False) -> None:
        """Open a run, also of a newer format if `is_any_number`, as far as possible.

        Raises:
            RunError: the folder is not a run, is damaged, or is of a newer format.
        """
        self.path = path
        self.manifest, self.newer = _manifest(path, is_any_number=is_any_number)
        self._damaged: dict[str, Gap] = {}  # Reading samples adds damage here.
        self._of_diary: ChangeSeries | None = None

    @property
    def state(self) -> str:
        """State of the run: `complete`, `interrupted`, or `running`: still going on, or killed."""
        return str(self.manifest["state"])

    @property
    def state_words(self) -> str:
        """State of the run in words, which tell a run that goes on from one whose program was killed."""
        if is_held(self.path):
            return "being written"
        return "cut short" if self.state == form.RUNNING else self.state

    @property
    def scenario_text(self) -> str:
        """Text of the run's scenario; RunError if the manifest has none, as that of a diary."""
        if self.kind != form.SIMULATION:
            msg = f"{self.path} is not a run of a simulated machine, so it has no scenario"
            raise RunError(msg)
        if "scenario" not in self.manifest:
            msg = f"{self.path / form.MANIFEST} is damaged: the scenario is missing"
            raise RunError(msg)
        return str(self.manifest["scenario"])

    @property
    def kind(self) -> str:
        """Kind of the run: `simulation`, or another sampled system."""
        return str(self.manifest.get("kind", form.SIMULATION))

    @property
    def recorded(self) -> dict[str, dict[str, Any]]:
        """Recorded quantities by name: unit, and where a value is meaningless."""
        return dict(self.manifest["quantities"])

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """Gaps in the samples and their reasons; damaged files appear once they have been read."""
        if (changes := self._changes()) is not None:
            return changes.gaps
        return (*self._index().gaps, *self._damaged.values())

    def open_series(self) -> RunSeries | ChangeSeries:
        """Open the samples for reading in parts.

        Raises:
            RunError: the folder cannot be read.
        """
        with self._explained():
            if self.kind == form.DIARY:
                return ChangeSeries(self.path, self.recorded)
            return RunSeries(self.path, self.recorded)

    def _changes(self) -> ChangeSeries | None:
        """Return the samples of a diary; None for other runs."""
        if self._of_diary is None and self.kind == form.DIARY:
            with self._explained():
                self._of_diary = ChangeSeries(self.path, self.recorded)
        return self._of_diary

    def quantities(self) -> list[str]:
        """Return names of the columns that can be plotted."""
        return [name for name in self.recorded if not name.endswith(form.WITHOUT_SYSTEM)]

    def samples(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return all samples in long form: time_s, node, path and quantities; an empty table without samples.

        Missing samples are left out, see `gaps`.

        Raises:
            RunError: a column is unknown.
        """
        import polars as pl

        names = self._named(columns)
        kinds = {"node": pl.Int64, "path": pl.String}
        nothing = pl.DataFrame(schema={name: kinds.get(name, pl.Float64) for name in names})
        return pl.concat([nothing, *self.frames(names)])

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Yield all samples in parts that fit into memory, in order of time; errors as for `samples`."""
        import polars as pl

        names = self._named(columns)
        recorded = [name for name in names if name not in form.KEYS]
        if (changes := self._changes()) is not None:
            for chunk in changes.chunks(recorded):
                yield pl.DataFrame(_rows(chunk, self._known_paths(chunk, names), names))
            return
        found = self._index()
        for span in found.tiers[0]:
            with self._noting_damage(span):
                chunk = read_span(self.path, span, recorded)
                paths = self._paths_in(span, chunk) if "path" in names else []
                yield pl.DataFrame(_rows(chunk, paths, names))
        for chunk in self._tail(found):
            yield pl.DataFrame(_rows(chunk, self._known_paths(chunk, names), names))

    def _known_paths(self, chunk: Chunk, names: Sequence[str]) -> list[str]:
        """Return the paths of a chunk's nodes if they are requested, otherwise placeholders."""
        known = self.paths() if "path" in names else {}
        return [known.get(node, f"node {node}") for node in chunk.ids.tolist()]

    @contextmanager
    def _noting_damage(self, span: Span) -> Iterator[None]:
        """Turn a chunk that cannot be read within a `with` block into a gap."""
        try:
            yield
        except ChunkError as error:
            self._damaged[span.name] = Gap(span.first_s, span.last_s, str(error))

    def _named(self, columns: Sequence[str] | None) -> list[str]:
        """Return the requested columns, by default all.

        Raises:
            RunError: one is unknown.
        """
        names = list(columns or (*form.KEYS, *self.quantities()))
        if unknown := [name for name in names if name not in (*form.KEYS, *self.recorded)]:
            msg = f"{self.path} does not have these columns: {', '.join(unknown)}"
            raise RunError(msg)
        return names

    def _paths_in(self, span: Span, chunk: Chunk) -> list[str]:
        if self.manifest[NUMBER] == 1:
            return self._known_paths(chunk, ["path"])
        frame = frame_of(self.path / span.name, ["path"])
        return frame["path"].gather_every(len(chunk.times)).to_list()

    def _tail(self, found: RunIndex) -> list[Chunk]:
        chunks: list[Chunk] = []
        before_s = max((span.last_s for span in found.tiers[0]), default=-math.inf)
        for number in found.tails:
            with suppress(FileNotFoundError):  # The tail has just become a chunk.
                name = form.tail_name(number)
                blocks, _, holes = read_blocks(self.path / name, tuple(self.recorded))
                for hole in holes:
                    gap = gap_of(hole, before_s, name)
                    self._damaged[f"{name} from {gap.start_s} s"] = gap
                chunks += blocks
        return chunks

    def last_s(self) -> float:
        """Return the time of the last sample; 0 without one."""
        if (changes := self._changes()) is not None:
            return changes.span_s[1]
        found = self._index()
        tail = [float(chunk.times[-1]) for chunk in self._tail(found)]
        return max([0.0, *tail, *(span.last_s for span in found.tiers[0])])

    def _index(self) -> RunIndex:
        with self._explained():
            return read_index(self.path)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            msg = f"cannot read {self.path}: {error.strerror or error}"
            raise RunError(msg) from error

    def series(
        self, quantity: str, nodes: Sequence[int] | None = None
    ) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]]]:
        """Return times in s, [k], and values of a quantity by node id, [k] each; NaN while a node was absent.

        Each gap has one more time with NaN. `nodes` are the requested ones, by default all.
        """
        # All rows of a month of many users at once would take ten times the values, so chunks are read twice.
        chunks = list(self._chunks(()))
        breaks = np.array([gap.start_s for gap in self.gaps])
        times = np.unique(np.concatenate([breaks, *(chunk.times for chunk in chunks)]))
        known = np.unique(np.concatenate([np.empty(0, np.int64), *(chunk.ids for chunk in chunks)]))
        wanted = known if nodes is None else np.intersect1d(known, np.array(nodes, np.int64))
        values = np.full((len(wanted), len(times)), np.nan)
        for chunk in self._chunks((quantity,)):
            _, rows, own = np.intersect1d(wanted, chunk.ids, assume_unique=True, return_indices=True)
            at = np.searchsorted(times, chunk.times)
            values[rows[:, None], at] = chunk.columns[quantity][own]
        return times, dict(zip(wanted.tolist(), values, strict=True))

    def _chunks(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield all readable chunks, then the tail."""
        if (changes := self._changes()) is not None:
            yield from changes.chunks(names)
            return
        found, names = self._index(), self._named(names) if names else ()
        for span in found.tiers[0]:
            with self._noting_damage(span):
                yield read_span(self.path, span, names)
        yield from self._tail(found)

    def nodes(self) -> list[dict[str, Any]]:
        """Return id, path, parent, kind and system of every node of the run, in order.

        Raises:
            RunError: the file is damaged.
        """
        text = _text(self.path / form.NODES)
        rows = _parsed(text, self.path / form.NODES) if text else []
        if not isinstance(rows, list) or not all(_is_node(row) for row in rows):
            msg = f"{self.path / form.NODES} is damaged: it is not a list of nodes with id and path"
            raise RunError(msg)
        if _is_cyclic({row["id"]: row.get("parent") for row in rows}):
            msg = f"{self.path / form.NODES} is damaged: a node is below itself"
            raise RunError(msg)
        return cast("list[dict[str, Any]]", rows)

    def paths(self) -> dict[int, str]:
        """Return the path of each node id; the last path of a renamed node."""
        return {node["id"]: node["path"] for node in self.nodes()}

    def journal(self) -> list[dict[str, Any]]:
        """Return the external actions, oldest first, without a last line that a kill cut off."""
        path = self.path / form.JOURNAL
        lines = _text(path).split("\n")
        whole = lines[:-1]  # The text after the last line feed is incomplete.
        return [_parsed(line, path) for line in whole]

    def happened(self, offset: int = 0, most: int = -1) -> tuple[list[tuple[float, str]], int]:
        """Return times and texts of events from an offset of the file on, and the offset after them.

        Args:
            offset: in bytes.
            most: bytes to read at most; all if negative.

        Raises:
            RunError: the file cannot be read or is damaged.
        """
        path = self.path / form.EVENTS
        try:
            with open_regular(path) as stream:
                stream.seek(offset)
                data = stream.read(most)
        except FileNotFoundError:
            return [], offset
        except OSError as error:
            msg = f"cannot read {path}: {error.strerror or error}"
            raise RunError(msg) from error
        whole = data[: data.rfind(b"\n") + 1]
        lines = [_parsed(line.decode("utf-8", "replace"), path) for line in whole.split(b"\n")[:-1]]
        try:
            return [(float(line["time_s"]), str(line["text"])) for line in lines], offset + len(whole)
        except (TypeError, KeyError, ValueError) as error:
            msg = f"{path} is damaged: {error}"
            raise RunError(msg) from error

    def checkpoints(self) -> list[tuple[int, Path]]:
        """Return (tick, file) of all checkpoints, oldest first."""
        folder = self.path / form.CHECKPOINTS
        return sorted((int(item.stem), item) for item in folder.glob("*.npz") if item.stem.isdecimal())

    def summary(self) -> dict[str, Any] | None:
        """Return the summary of the whole run; None if the run has not ended."""
        path = self.path / form.SUMMARY
        return _parsed(_text(path), path) if path.exists() else None


def cluster_settings(run: RunReader) -> dict[str, str]:
    """Return the settings of a diary's cluster that fairshare, priorities and preemption follow, by key."""
    values = {**run.manifest.get("settings", {}), **run.manifest.get("slurm", {})}
    return {key: str(value) for key, value in values.items() if key.startswith(_OF_CLUSTERS)}


_OF_CLUSTERS = ("priority", "fairshare", "preempt", "slurm_version")
# Values of the manifest must have these types.
_KINDS: dict[str, tuple[type[Any], ...]] = {
    **dict.fromkeys(("title", "kind", "scenario", "scenario_digest", "policy", "cluster"), (str,)),
    **dict.fromkeys(("sample_s", "rate_window_s", "until_s"), (float, int)),
    "seed": (int,),
    **dict.fromkeys(("settings", "slurm", "clock"), (dict,)),
    "plots": (list,),
}


def _is_node(row: object) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("parent"), int | None):
        return False
    return isinstance(row.get("id"), int) and isinstance(row.get("path"), str)


def _is_cyclic(parents: dict[int, int | None]) -> bool:
    """Return True if the chain of parents of any node is a cycle."""
    ends: set[int | None] = set()
    for node in parents:
        way: set[int | None] = set()
        at: int | None = node
        while at in parents and at not in ends:
            if at in way:
                return True
            way.add(at)
            at = parents[at]
        ends |= way
    return False


def _manifest(path: Path, *, is_any_number: bool) -> tuple[dict[str, Any], str]:
    """Return the manifest of a run, that of format 1 in the form of today, and a sentence on a newer one."""
    place = path / form.MANIFEST
    if not path.exists():
        msg = f"{path} does not exist"
        raise RunError(msg)
    if not place.is_file():
        msg = f"{path} is not a run folder: {form.MANIFEST} is missing"
        raise RunError(msg)
    manifest, newer = _parsed(_text(place), place), ""
    try:
        form.FORMAT.check(manifest, path)
    except FormatError as error:
        newer = str(error) if isinstance(error, OtherProgramError) else ""
        if not (newer and is_any_number):
            raise RunError(str(error)) from None
    if manifest[NUMBER] == 1 and isinstance(units := manifest.get("units"), dict):
        manifest["quantities"] = {name: what for name, what in form.QUANTITIES.items() if name in units}
    if problem := _problem_of(manifest):
        raise RunError(newer or f"{place} is damaged: {problem}")
    return manifest, newer


def _problem_of(manifest: dict[str, Any]) -> str:
    """Return the first fault of the values of a manifest; empty without any."""
    for name, kinds in _KINDS.items():
        if not isinstance(manifest.get(name, kinds[0]()), kinds):
            return f"{name} is {manifest[name]!r:.40}"
    if not form.is_quantities(manifest.get("quantities")):
        return "it does not list the sampled quantities"
    if manifest.get("state") not in (form.RUNNING, form.COMPLETE, form.INTERRUPTED):
        return "it does not show how far the run got"
    return ""


def _rows(chunk: Chunk, paths: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """Return columns of a table with one row per time and node, in order of time."""
    count, nodes = len(chunk.times), len(chunk.ids)
    keys: dict[str, Any] = {"time_s": np.repeat(chunk.times, nodes), "node": np.tile(chunk.ids, count)}
    keys |= {"path": list(paths) * count} if "path" in names else {}
    return {name: keys[name] if name in keys else chunk.columns[name].T.ravel() for name in names}


def _text(path: Path) -> str:
    try:
        return read_limited(path).decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        msg = f"{path} is damaged: it is not text"
        raise RunError(msg) from error
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror or error}"
        raise RunError(msg) from error


def _parsed(text: str, path: Path) -> Any:
    try:
        return parsed_json(text)
    except ValueError as error:
        msg = f"{path} is damaged: {error}"
        raise RunError(msg) from error
