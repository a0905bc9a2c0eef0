"""The samples of a run folder as curves, thinned so that runs longer than memory can be drawn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fsconsole.experiments.variant_run import VariantRun
from fsconsole.figures.of_nodes import NodeSeries
from fsconsole.figures.spec import Floats
from fsconsole.recording.run import RunReader
from fsconsole.recording.run_format import QUANTITIES, WITHOUT_SYSTEM, RunError
from fsconsole.recording.run_tree import tree_of
from fsconsole.shares.tree import ShareTree

MOST_SAMPLES = 1200
_MOST_VALUES = 1_000_000  # Memory limits the samples times nodes of a quantity.
_QUANTITIES = tuple(name for name in QUANTITIES if not name.endswith(WITHOUT_SYSTEM))


def places_of(tree: ShareTree) -> dict[str, int]:
    """Return the ids of nodes by their paths, without the root's name, which two files may call otherwise."""
    return {_below_root(path): node for node, path in tree.paths().items()}


def recorded_run(reader: RunReader, known: Mapping[str, int] | None = None) -> VariantRun:
    """Read a run; its nodes get the ids that `known` has for their paths, all others ids beyond those.

    `known` is as of `places_of`; without it all keep the ids that they had.
    Of a long run as many samples are read as fit into memory, equally far apart, its first and last among
    them. RunError where it holds no samples or is damaged.
    """
    tree, ids = _tree(reader, known)
    times = _times(reader, len(tree))
    if not len(times):
        msg = f"{reader.path} contains no samples yet"
        raise RunError(msg)
    has = set(reader.quantities())
    names = [name for name in _QUANTITIES if name in has]
    values = {name: np.full((len(tree), len(times)), np.nan) for name in _QUANTITIES}
    nodes = [node.id for node in tree.walk()]
    rows = {node: row for row, node in enumerate(nodes)}
    for frame in reader.frames(["time_s", "node", *names]):
        found = frame.filter(frame["time_s"].is_in(times.tolist()))
        at = np.searchsorted(times, found["time_s"].to_numpy())
        row = np.array([rows[ids[node]] for node in found["node"].to_list()], np.int64)
        for name in names:
            values[name][row, at] = found[name].to_numpy()
    quantities = {
        name: NodeSeries(name, times, dict(zip(nodes, table, strict=True))) for name, table in values.items()
    }
    return VariantRun(tree, quantities)


def _times(reader: RunReader, nodes: int) -> Floats:
    """Return the times of all samples, or of some at equal distances."""
    times = np.empty(0)
    for frame in reader.frames(["time_s"]):
        times = np.union1d(times, frame["time_s"].unique().to_numpy())
    most = max(2, min(MOST_SAMPLES, _MOST_VALUES // max(nodes, 1)))
    if len(times) <= most:
        return times
    return times[np.unique(np.linspace(0, len(times) - 1, most).round().astype(np.int64))]


def _tree(reader: RunReader, known: Mapping[str, int] | None) -> tuple[ShareTree, Mapping[int, int]]:
    """Return the tree of all nodes that the run ever had, and the ids there of those of the run."""
    rows = reader.nodes()
    places = dict(known or {})
    fresh = max([*places.values(), *(row["id"] for row in rows), 0]) + 1
    ids: dict[int, int] = {}
    for row in rows:
        place = _below_root(row["path"])
        if place not in places:
            places[place] = row["id"] if known is None else fresh
            fresh += 1
        ids[row["id"]] = places[place]
    return tree_of(reader, ids), ids


def _below_root(path: str) -> str:
    """Return a path without the root's name."""
    return path.partition("/")[2]
