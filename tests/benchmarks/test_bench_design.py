"""Design with 100,000 nodes: into the editor, finding, an edit, moving; and what it takes of memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from fsconsole.app.tree.rearrange import Place, moves_to
from fsconsole.console.design.parameters_dialog import ParametersDialog
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.share_map import ShareMap
from fsconsole.console.design.tree_filter import NodeTexts, find
from fsconsole.console.design.tree_view import ShareTreeView
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.application_style import install_look
from fsconsole.figures.map_geometry import boxes
from fsconsole.resources import examples
from fsconsole.shares.edits import SetShares
from fsconsole.shares.scenario.read import read_scenario
from fsconsole.shares.scenario.spec import Scenario
from fsconsole.shares.tree import ShareTree
from tests.benchmarks.calibrators import BOXES, SORT
from tests.benchmarks.measure import Benchmark
from tests.shares.big_trees import big_tree

NODES = 100_000


class Editor:
    """Tree and map over one session, without a machine: only the tree matters here."""

    def __init__(self, qtbot: QtBot | None) -> None:
        self.session = ConsoleSession()
        self.session.restart = lambda: None  # type: ignore[method-assign]
        self.preview = SharePreview(self.session)
        self.view = ShareTreeView(self.session, self.preview)
        self.map = ShareMap(self.session, self.preview)
        for widget in (self.view, self.map):
            if qtbot is not None:
                qtbot.addWidget(widget)
            widget.resize(1000, 400)
            widget.show()

    @property
    def document(self) -> Document:
        assert self.session.document is not None
        return self.session.document

    def open(self, tree: ShareTree) -> None:
        """Until table and map are drawn."""
        self.session.open(Document(Scenario(tree)))
        self.draw()

    def draw(self) -> None:
        self.view.grab()
        self.map.grab()


@pytest.fixture(scope="module")
def tree() -> ShareTree:
    return big_tree(NODES)


@pytest.fixture
def editor(qtbot: QtBot, qapp: object) -> Iterator[Editor]:
    install_look(qapp, "light")  # type: ignore[arg-type]
    made = Editor(qtbot)
    yield made
    made.session.open(None)
    made.session.close()


def test_a_parsed_tree_into_the_editor(bench: Benchmark, editor: Editor, tree: ShareTree) -> None:
    bench(editor.open, tree, clock=time.thread_time)


@pytest.mark.parametrize("text", ["u1", "u4711", "g", "nothing like it"])
def test_find_as_you_type(bench: Benchmark, editor: Editor, tree: ShareTree, text: str) -> None:
    editor.open(tree)
    texts = NodeTexts()
    texts.of(editor.document)

    def search() -> None:
        editor.view.show_found(find(editor.document.flat, texts.of(editor.document), text))
        editor.view.grab()

    bench(search, setup=lambda: editor.view.show_found(None), of=BOXES, clock=time.thread_time)


def test_one_step_of_a_dragged_border(bench: Benchmark, editor: Editor, tree: ShareTree) -> None:
    editor.open(tree)
    group = tree.children(0)[0].id
    values = iter(range(1, 1_000_000))

    def step() -> None:
        editor.preview.show([(group, next(values))])
        editor.draw()

    bench(step, of=BOXES, clock=time.thread_time)


def test_arithmetic_after_an_edit(bench: Benchmark, editor: Editor, tree: ShareTree) -> None:
    editor.open(tree)
    group = tree.children(0)[0].id
    bench(lambda: editor.document.flat.with_shares([(group, 17)]).machine_share(), of=SORT)


def test_an_edit_of_shares(bench: Benchmark, editor: Editor, tree: ShareTree) -> None:
    editor.open(tree)
    group = tree.children(0)[0].id
    values = iter(range(1, 1_000_000))

    def edit() -> None:
        editor.document.edit("Set shares", [SetShares.of(group, next(values))])
        editor.draw()

    bench(edit, of=BOXES, clock=time.thread_time)


def test_a_move(bench: Benchmark, editor: Editor, tree: ShareTree) -> None:
    editor.open(tree)
    first, second = (node.id for node in tree.children(0)[:2])
    child = tree.children(first)[0].id

    def move() -> None:
        parent = second if tree.node(child).parent == first else first
        editor.document.edit("Move", moves_to(tree, [child], Place(parent, 0)))
        editor.draw()

    bench(move, clock=time.thread_time)


def test_boxes_of_the_map(bench: Benchmark, editor: Editor, tree: ShareTree) -> None:
    editor.open(tree)
    figures = editor.preview.shown
    bench(lambda: boxes(figures.flat, figures.machine, 1000), of=SORT)


def test_parameters_open(bench: Benchmark, editor: Editor) -> None:
    """Processor time of the window's thread until the dialog is painted."""
    editor.session.open(Document(read_scenario(examples() / "convex-series-1.yaml")))

    def show() -> float:
        began = time.thread_time()
        dialog = ParametersDialog(editor.document)
        dialog.show()
        dialog.grab()
        used_s = time.thread_time() - began
        dialog.close()
        return used_s

    show()
    bench.seconds_of(show, clock=time.thread_time, rounds=10)


_MEMORY = """
import psutil
from PySide6.QtWidgets import QApplication
app = QApplication([])
from tests.benchmarks.test_bench_design import NODES, Editor
from tests.shares.big_trees import big_tree
editor = Editor(None)
editor.open(big_tree(NODES))
print(psutil.Process().memory_info().rss)
"""


def test_memory(bench: Benchmark) -> None:
    """In a process of its own, everything counted."""
    measured = subprocess.run([sys.executable, "-c", _MEMORY], check=True, capture_output=True, text=True)
    used = int(measured.stdout.split()[-1])
    bench.megabytes(used / 1e6)
    assert used < 400e6
