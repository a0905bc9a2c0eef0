"""Goals for large trees: 100,000 nodes, depth 6."""

from __future__ import annotations

import multiprocessing as mp
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from fsconsole.shares.diff import diff
from fsconsole.shares.edits import SetShares
from fsconsole.shares.flat import FlatTree
from fsconsole.shares.saturation import SATURATED, split
from fsconsole.shares.scenario.read import parse_scenario, read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.scenario.write import write_text
from fsconsole.shares.tree import ShareTree
from tests.benchmarks.calibrators import SORT
from tests.benchmarks.measure import Benchmark
from tests.shares.big_trees import big_tree

if TYPE_CHECKING:
    from multiprocessing.queues import Queue

NODES = 100_000


@pytest.fixture(scope="module")
def tree() -> ShareTree:
    made = big_tree(NODES, depth=6)
    assert len(made) == NODES
    assert max(made.depth(node.id) for node in made.walk()) == 6
    return made


@pytest.fixture(scope="module")
def text(tree: ShareTree) -> str:
    return write_text(Scenario(tree))


def test_reading_a_large_file(bench: Benchmark, text: str, tmp_path: Path) -> None:
    """With progress and cancel."""
    path = tmp_path / "large.yaml"
    path.write_text(text)
    progress: list[float] = []

    def read() -> Scenario:
        return read_scenario(path, progress=progress.append, cancelled=lambda: False)

    scenario = bench(read, rounds=3)
    assert len(scenario.tree) == NODES
    assert len(progress) > 50


def test_other_threads_while_reading_a_large_file(bench: Benchmark, text: str) -> None:
    """The longest time that a window's thread had to wait for its turn, beside another Python thread."""
    waits: list[float] = []
    done = threading.Event()

    def beat() -> None:
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            waits.append(now - last)
            last = now

    thread = threading.Thread(target=beat)
    thread.start()
    parse_scenario(text)
    done.set()
    thread.join()
    assert waits


def test_writing_a_large_file(bench: Benchmark, tree: ShareTree) -> None:
    bench(write_text, Scenario(tree))


def test_arithmetic_after_an_edit(bench: Benchmark, tree: ShareTree) -> None:
    """New machine and allocated shares of all nodes."""
    flat = FlatTree.of(tree)
    active = flat.active(flat.is_leaf & (np.arange(len(flat)) % 3 == 0))

    def after_edit() -> tuple[Any, Any]:
        edited = flat.with_shares([(7, 5)])
        return edited.machine_share(), edited.allocated_share(active)

    bench(after_edit, of=SORT)


def test_flattening(bench: Benchmark, tree: ShareTree) -> None:
    """Done once a structure: the tree keeps what was made of it until a node is written."""
    edited = tree.copy()
    bench(FlatTree.of, edited, setup=lambda: edited.writable(edited.root.id))


@pytest.mark.parametrize("by_path", [False, True], ids=["states", "files"])
def test_comparing_two_large_trees(bench: Benchmark, tree: ShareTree, by_path: bool) -> None:
    """100 changes among 100,000 nodes."""
    other = tree.copy()
    nodes = [node.id for node in other.walk() if not node.is_group][::1000]
    for node in nodes:
        SetShares.of(node, 1_000_000).apply(other)
    found = bench(partial(diff, tree, other, by_path=by_path))
    assert len(found) == len(nodes)


def test_comparing_a_group_of_20000_new_users(bench: Benchmark) -> None:
    """Not a look at every sibling for each."""
    before, after = ShareTree(), ShareTree()
    for number in range(20_000):
        after.add(after.root.id, f"u{number}")
    found = bench(diff, before, after)
    assert len(found) == 20_000


def _peak_of_reading(path: str, answer: Queue[float]) -> None:
    import psutil  # type: ignore[import-untyped]

    before = psutil.Process().memory_info().rss
    peak = before
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.01):
            peak = max(peak, psutil.Process().memory_info().rss)

    thread = threading.Thread(target=watch)
    thread.start()
    scenario = read_scenario(Path(path))
    FlatTree.of(scenario.tree).machine_share()
    done.set()
    thread.join()
    answer.put((peak - before) / 2**20)


def test_memory_of_a_large_tree(bench: Benchmark, text: str, tmp_path: Path) -> None:
    """Goal: below 250 MB at the peak of reading, of the 400 MB that the console may have."""
    path = tmp_path / "large.yaml"
    path.write_text(text)
    context = mp.get_context("spawn")
    answer: Queue[float] = context.Queue()
    process = context.Process(target=_peak_of_reading, args=(str(path), answer))

    def run() -> float:
        process.start()
        peak = answer.get(timeout=120)
        process.join()
        return peak

    peak = run()
    bench.megabytes(peak)
    assert peak < 250


def test_dividing_the_machine_by_demands(bench: Benchmark, tree: ShareTree) -> None:
    """A what-if follows a border that is dragged."""
    flat = FlatTree.of(tree)
    demands = np.random.default_rng(1).choice([0.0, 1e-6, 1e-5, SATURATED], len(flat))
    demands[~flat.is_leaf] = SATURATED
    result = bench(lambda: split(flat, demands), of=SORT)
    assert result.what_if[0] == pytest.approx(1)
