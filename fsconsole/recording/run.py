"""Reads a run folder: complete, interrupted, still running, or left behind by a kill."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from fsconsole.recording import run_format as form
from fsconsole.recording.run_format import RunError
from fsconsole.shares.input_files import check_regular, parquet_frame, parsed_json, read_limited

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

__all__ = ["RunError", "RunReader"]


class RunReader:
    """A run on disk.

    Attributes:
        path: the folder.
        manifest: what was run: title, scenario (text), scenario_digest, seed, policy, settings, units...
    """

    def __init__(self, path: Path) -> None:
        """Open a run; RunError for a folder that is none, is damaged or of another version."""
        self.path = path
        self.manifest: dict[str, Any] = _manifest(path)

    @property
    def state(self) -> str:
        """`complete`, `interrupted`, or `running`: still going on, or ended without a word."""
        return str(self.manifest["state"])

    @property
    def scenario_text(self) -> str:
        """The scenario that was run; RunError where the manifest has none."""
        if "scenario" not in self.manifest:
            msg = f"{self.path / form.MANIFEST} is damaged: it has no scenario"
            raise RunError(msg)
        return str(self.manifest["scenario"])

    def quantities(self) -> list[str]:
        """Names of the columns that can be plotted."""
        import polars as pl

        found = self._chunks()
        try:
            for chunk in found[:1]:
                check_regular(chunk)
            known = list(pl.read_parquet_schema(found[0])) if found else list(_no_samples(None).columns)
        except (pl.exceptions.PolarsError, OSError) as error:
            msg = f"{found[0]} is damaged: {error}"
            raise RunError(msg) from error
        return [name for name in known if name not in form.KEYS]

    def samples(self, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """All samples in long form: time_s, node, path and quantities; empty where no chunk is there yet.

        RunError for a damaged chunk or an unknown column.
        """
        import polars as pl

        frames = list(self.frames(columns))
        return pl.concat(frames) if frames else _no_samples(columns)

    def frames(self, columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
        """Give all samples in parts that fit into memory, in order of time; errors as for `samples`."""
        import polars as pl

        for chunk in self._chunks():
            try:
                yield parquet_frame(chunk, columns)
            except pl.exceptions.ColumnNotFoundError as error:
                msg = f"{self.path} has no such column: {', '.join(columns or ())}"
                raise RunError(msg) from error
            except (pl.exceptions.PolarsError, OSError) as error:
                msg = f"{chunk} is damaged: {error}"
                raise RunError(msg) from error

    def series(self, quantity: str) -> tuple[NDArray[np.float64], dict[int, NDArray[np.float64]]]:
        """Times (k,) and, by node id, the values (k,) of a quantity; NaN where a node was not there."""
        # Chunk by chunk, twice: all rows of a month of many users at once would take ten times the values.
        times, nodes = np.empty(0), np.empty(0, np.int64)
        for frame in self.frames(["time_s", "node"]):
            times = np.union1d(times, frame["time_s"].unique().to_numpy())
            nodes = np.union1d(nodes, frame["node"].unique().to_numpy())
        values = np.full((len(nodes), len(times)), np.nan)
        for frame in self.frames(["time_s", "node", quantity]):
            row, at = (np.searchsorted(*pair) for pair in ((nodes, frame["node"]), (times, frame["time_s"])))
            values[row, at] = frame[quantity].to_numpy()
        return times, dict(zip(nodes.tolist(), values, strict=True))

    def nodes(self) -> list[dict[str, Any]]:
        """id, path, parent, kind and system of every node that there ever was, in order."""
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
        """Path of each node id; of a renamed node the last one."""
        return {node["id"]: node["path"] for node in self.nodes()}

    def journal(self) -> list[dict[str, Any]]:
        """What was done from outside, oldest first; a last line that was cut off by a kill is left out."""
        path = self.path / form.JOURNAL
        lines = _text(path).split("\n")
        whole = lines[:-1]  # what follows the last line feed was not written to its end
        return [_parsed(line, path) for line in whole]

    def checkpoints(self) -> list[tuple[int, Path]]:
        """(tick, file) of all checkpoints, oldest first."""
        folder = self.path / form.CHECKPOINTS
        return sorted((int(item.stem), item) for item in folder.glob("*.npz") if item.stem.isdecimal())

    def summary(self) -> dict[str, Any] | None:
        """The summary over the whole run; None where the run has not come to its end."""
        path = self.path / form.SUMMARY
        return _parsed(_text(path), path) if path.exists() else None

    def _chunks(self) -> list[Path]:
        try:
            return form.chunks(self.path)
        except OSError as error:
            msg = f"cannot read {self.path}: {error.strerror or error}"
            raise RunError(msg) from error


# What the manifest's values are, where it has them.
_KINDS: dict[str, tuple[type[Any], ...]] = {
    **dict.fromkeys(("title", "scenario", "scenario_digest", "policy"), (str,)),
    **dict.fromkeys(("sample_s", "rate_window_s", "until_s"), (float, int)),
    "seed": (int,),
    "settings": (dict,),
}


def _is_node(row: object) -> bool:
    if not isinstance(row, dict) or not isinstance(row.get("parent"), int | None):
        return False
    return isinstance(row.get("id"), int) and isinstance(row.get("path"), str)


def _is_cyclic(parents: dict[int, int | None]) -> bool:
    """Whether somebody's parents never come to an end."""
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


def _manifest(path: Path) -> dict[str, Any]:
    place = path / form.MANIFEST
    if not path.exists():
        msg = f"there is no {path}"
        raise RunError(msg)
    if not place.is_file():
        msg = f"{path} is not a run folder: it has no {form.MANIFEST}"
        raise RunError(msg)
    manifest = _parsed(_text(place), place)
    if not isinstance(manifest, dict) or manifest.get("format") != form.FORMAT:
        msg = f"{path} is not a run folder of this program"
        raise RunError(msg)
    if manifest.get("version") != form.VERSION:
        msg = f"{path} has version {manifest.get('version')}; this program reads version {form.VERSION}"
        raise RunError(msg)
    for name, kinds in _KINDS.items():
        if not isinstance(manifest.get(name, kinds[0]()), kinds):
            msg = f"{place} is damaged: {name} is {manifest[name]!r:.40}"
            raise RunError(msg)
    if manifest.get("state") not in (form.RUNNING, form.COMPLETE, form.INTERRUPTED):
        msg = f"{place} is damaged: it does not say how far the run came"
        raise RunError(msg)
    return manifest


def _no_samples(columns: Sequence[str] | None) -> pl.DataFrame:
    import polars as pl

    kinds = {"node": pl.Int64, "path": pl.String}
    names = columns or (*form.KEYS, *(name for name in form.UNITS if name not in form.KEYS))
    return pl.DataFrame(schema={name: kinds.get(name, pl.Float64) for name in names})


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
