"""Reference curves under the live plots: kept, read, hidden and cleared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from fsconsole.console.live.plots.layer import Reference
from fsconsole.console.live.plots.reference import ReferenceEntry
from fsconsole.console.live.workspace import LiveWorkspace
from tests.console.conftest import Answers
from tests.console.live.running import Until, go_to
from tests.texts import says, span, wording


def drawn(observe: LiveWorkspace, name: str) -> list[int]:
    layer = observe.panel.rows[name].plot._layers[1]
    return sorted(
        node for node, line in layer._lines.items() if line.isVisible() and np.isfinite(line.yData).any()
    )


def entry_of(observe: LiveWorkspace) -> ReferenceEntry:
    found = observe.legend.findChild(ReferenceEntry)
    assert isinstance(found, ReferenceEntry)
    return found


def test_what_is_there_now_stays_under_what_follows(observe: LiveWorkspace, until: Until) -> None:
    entry, reference = entry_of(observe), observe.panel.references
    assert entry.isHidden()
    go_to(observe.session, 100, until)
    observe.table.refresh()
    observe.table.trigger("reference.keep")
    assert entry.isVisible()
    length = span(min=1, s=40)
    up_to = wording("console.live.plots.up-to", name="convex-series-6.yaml", now_s=length)
    assert entry.name.text() == f"Reference: {up_to}"
    node = observe.panel.drawn.nodes[0]
    until(lambda: node in drawn(observe, "charge"))
    times, values = observe.panel.rows["charge"].plot.curve_data(node)
    assert reference.reference is not None
    kept = reference.reference.curves.curves("charge", [node], 0, 100, 1000)
    assert np.interp(50, kept[0], kept[1][0]) == np.interp(50, times, values)
    QTest.mouseClick(entry.switch, Qt.MouseButton.LeftButton)
    assert drawn(observe, "charge") == []
    assert entry.isVisible()
    QTest.mouseClick(entry.switch, Qt.MouseButton.LeftButton)
    assert node in drawn(observe, "charge")
    QTest.mouseClick(entry.remove, Qt.MouseButton.LeftButton)
    assert drawn(observe, "charge") == []
    assert entry.isHidden()


def test_a_run_started_over_is_the_reference_of_the_next(observe: LiveWorkspace, until: Until) -> None:
    go_to(observe.session, 100, until)
    observe.session.restart()
    until(lambda: observe.session.snapshot is not None and observe.session.snapshot.time_s == 0)
    until(lambda: drawn(observe, "cpu_rate") == sorted(observe.panel.drawn.nodes))
    assert entry_of(observe).name.text() == ("Reference" + ": " + "Run before" + ", " + span(min=1, s=40))


def test_a_file_is_laid_under_the_plots_and_a_bad_one_is_reported(
    observe: LiveWorkspace, until: Until, tmp_path: Path
) -> None:
    reference, shown = observe.panel.references, list[str]()
    observe.session.message.connect(shown.append)
    path = tmp_path / "x.csv"
    path.write_text("time_s,u11 cpu_rate\n0,0.5\n60,much\n")
    reference.questions = answers = Answers()
    answers.to_open = path
    reference.ask_csv()
    until(lambda: shown[-1].startswith("No reference: x.csv:3: 'much' is not a number"))
    path.write_text("time_s,u11 cpu_rate\n0,0.5\n60,0.75\n")
    reference.ask_csv()
    document = observe.session.document
    assert document is not None
    until(lambda: drawn(observe, "cpu_rate") == [document.tree.find("u11").id])
    assert drawn(observe, "charge") == []
    assert entry_of(observe).name.text() == "Reference: x.csv"


def test_at_the_beginning_curves_are_kept_and_where_there_are_none_that_is_reported(
    observe: LiveWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = observe.session
    assert observe.table.trigger("reference.keep")  # at 0 s charges are known and rates are not
    assert entry_of(observe).isVisible()
    assert observe.table.trigger("reference.clear")

    def nothing(
        _column: str, nodes: Sequence[int], _start_s: float, _end_s: float, _points: int, /
    ) -> tuple[np.ndarray, np.ndarray]:
        return np.empty(0), np.empty((len(nodes), 0))

    messages: list[str] = []
    session.message.connect(messages.append)
    monkeypatch.setattr(session.target, "curves", nothing)
    assert observe.table.trigger("reference.keep")
    assert entry_of(observe).isHidden()
    assert says(messages[-1], "app.has-no-curve-for-node")


def test_a_branch_and_the_reference_are_drawn_together(observe: LiveWorkspace, until: Until) -> None:
    session = observe.session
    go_to(session, 100, until)
    observe.table.refresh()
    observe.table.trigger("reference.keep")
    node = observe.panel.drawn.nodes[0]
    until(lambda: node in drawn(observe, "charge"))
    kept = observe.panel.references.reference
    assert kept is not None
    other = Reference("Branch 1", kept.curves, 20.0)
    observe.panel.show_reference(other, 100.0)
    branch, reference = observe.panel.rows["charge"].plot._layers
    assert branch._lines[node].isVisible()
    assert node in drawn(observe, "charge")
    assert not any(shade.isVisible() for shade in reference._shades.values())
    figure = observe.exports.figure("charge")
    assert figure is not None
    dotted = wording("console.live.plots.dotted-with-difference-shaded").format("Branch 1")
    assert figure.caption.partition(dotted)[2].split()[:2] == ["Dashed:", "convex-series-6.yaml"]
    observe.panel.show_reference(None)
    assert not branch._lines[node].isVisible()
    assert node in drawn(observe, "charge")
    figure = observe.exports.figure("charge")
    assert figure is not None
    assert figure.caption.startswith(
        "Dotted: " + wording("console.live.plots.up-to", name="convex-series-6.yaml", now_s=span(min=1, s=40))
    )
