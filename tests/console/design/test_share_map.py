from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from fsconsole.console.design.map_painter import ticks
from fsconsole.console.design.preview import SharePreview
from fsconsole.console.design.readouts import dragging_hint
from fsconsole.console.design.share_map import ShareMap
from fsconsole.console.document import Document
from fsconsole.console.session import ConsoleSession
from fsconsole.console.style.theme import colour
from fsconsole.figures.map_geometry import Boundary, BoundaryDrag, Box, Zoom
from fsconsole.shares.edits import Remove
from fsconsole.text import numbers
from tests.texts import says, wording

Key, Button = Qt.Key, Qt.MouseButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def document(design: ConsoleSession) -> Document:
    assert design.document is not None
    return design.document


@pytest.fixture
def preview(design: ConsoleSession) -> SharePreview:
    return SharePreview(design)


@pytest.fixture
def share_map(qtbot: QtBot, design: ConsoleSession, preview: SharePreview) -> Iterator[ShareMap]:
    made = ShareMap(design, preview)
    qtbot.addWidget(made)
    made.resize(1024, 300)
    made.show()
    yield made
    made.hide()


def node(document: Document, name: str) -> int:
    return document.tree.find(name).id


def box_of(share_map: ShareMap, document: Document, name: str) -> Box:
    found = share_map.layout_of_boxes.of_row(document.flat.row_of[node(document, name)])
    assert found is not None
    return found


def middle(box: Box) -> QPoint:
    return QPoint(round(box.x + box.w / 2), round(box.y + box.h / 2))


def grab_border(qtbot: QtBot, share_map: ShareMap, document: Document) -> QPoint:
    """Take the border between Army and Navy R&D."""
    box = box_of(share_map, document, "Navy R&D")
    at = QPoint(round(box.x) + 2, round(box.y) + 8)
    QTest.mousePress(share_map, Button.LeftButton, NONE, at)
    return at


def to_share(share_map: ShareMap, document: Document, shares: float) -> QPoint:
    """Where the border stands when Army has so many of the 60 shares."""
    left, right = box_of(share_map, document, "Army"), box_of(share_map, document, "Navy R&D")
    return QPoint(round(left.x + shares / 60 * (right.right - left.x)), round(left.y) + 8)


def test_dragging_a_border_shares_anew(
    qtbot: QtBot, share_map: ShareMap, document: Document, preview: SharePreview, design: ConsoleSession
) -> None:
    """The figures of the mock-up: 30, 30 become 26, 34."""
    army, navy = node(document, "Army"), node(document, "Navy R&D")
    grab_border(qtbot, share_map, document)
    goal = to_share(share_map, document, 26)
    QTest.mouseMove(share_map, goal)
    assert list(preview.pairs) == [(army, 26), (navy, 34)]
    assert preview.shown.machine_share(army) == pytest.approx(0.16575)
    expected = [
        "Army 30 26 shares   16.575\xa0%",
        "Navy R&D 30 34 shares   21.675\xa0%",
    ]
    assert share_map.readout.text().splitlines()[:2] == expected
    assert document.tree.node(army).shares == 30
    assert list(design.selection) == [army, navy]
    QTest.mouseRelease(share_map, Button.LeftButton, NONE, goal)
    assert [document.tree.node(one).shares for one in (army, navy)] == [26, 34]
    assert document.stack.count() == 1
    assert document.stack.undoText() == "Set shares"
    assert list(preview.pairs) == []
    assert not share_map.readout.isVisible()


def test_the_handle_stands_at_the_border_where_it_is_now(
    qtbot: QtBot, share_map: ShareMap, document: Document
) -> None:
    box = box_of(share_map, document, "Navy R&D")
    old = QPoint(round(box.x), round(box.y + box.h / 2))
    QTest.mouseMove(share_map, old)
    ink = colour("accent")
    assert share_map.grab().toImage().pixelColor(old) == ink
    QTest.mousePress(share_map, Button.LeftButton, NONE, old)
    goal = to_share(share_map, document, 20)
    QTest.mouseMove(share_map, goal)
    QTest.mouseRelease(share_map, Button.LeftButton, NONE, goal)
    new = QPoint(round(box_of(share_map, document, "Navy R&D").x), old.y())
    assert abs(new.x() - goal.x()) <= 1
    picture = share_map.grab().toImage()
    assert picture.pixelColor(new) == ink
    assert picture.pixelColor(old) != ink
    document.stack.undo()
    assert share_map.grab().toImage().pixelColor(new) != ink
    assert share_map.cursor().shape() is Qt.CursorShape.ArrowCursor


def test_esc_puts_the_border_back(
    qtbot: QtBot, share_map: ShareMap, document: Document, preview: SharePreview
) -> None:
    grab_border(qtbot, share_map, document)
    goal = to_share(share_map, document, 10)
    QTest.mouseMove(share_map, goal)
    assert len(preview.pairs) == 2
    QTest.keyClick(share_map, Key.Key_Escape)
    QTest.mouseRelease(share_map, Button.LeftButton, NONE, goal)
    assert document.stack.count() == 0


def test_a_border_that_comes_back_is_no_edit(qtbot: QtBot, share_map: ShareMap, document: Document) -> None:
    at = grab_border(qtbot, share_map, document)
    QTest.mouseMove(share_map, to_share(share_map, document, 20))
    QTest.mouseMove(share_map, at)
    QTest.mouseRelease(share_map, Button.LeftButton, NONE, at)
    assert document.stack.count() == 0


def test_shift_takes_steps_of_a_thousandth_of_the_machine() -> None:
    boundary = Boundary(Box(1, 0, 0, 500, 30), Box(2, 500, 0, 500, 30))
    drag = BoundaryDrag.at(boundary, (1, 2), (5_000, 5_000), 0.4)
    assert drag.moved_to(503.1) == ((1, 5031), (2, 4969))
    assert drag.moved_to(503.1, snap=True) == ((1, 5025), (2, 4975))
    assert drag.moved_to(-40) == ((1, 0), (2, 10_000))
    assert drag.moved_to(2000) == ((1, 10_000), (2, 0))


def test_shift_is_named_where_it_does_something() -> None:
    boundary = Boundary(Box(1, 0, 0, 500, 30), Box(2, 500, 0, 500, 30))
    coarse, fine = (BoundaryDrag.at(boundary, (1, 2), (n, n), 0.3825) for n in (30, 5_000))
    assert says(
        dragging_hint(coarse.machine_per_share),
        "console.design.whole-shares-of-machine-each",
        machine_per_share="0.638\xa0%",
    )
    assert says(dragging_hint(fine.machine_per_share), "console.design.shift-steps-of-0-1")


def test_a_click_selects_and_ctrl_adds(
    qtbot: QtBot, share_map: ShareMap, document: Document, design: ConsoleSession
) -> None:
    army, dod = node(document, "Army"), node(document, "DoD")
    QTest.mouseClick(share_map, Button.LeftButton, NONE, middle(box_of(share_map, document, "Army")))
    assert list(design.selection) == [army]
    ctrl = Qt.KeyboardModifier.ControlModifier
    QTest.mouseClick(share_map, Button.LeftButton, ctrl, middle(box_of(share_map, document, "DoD")))
    assert list(design.selection) == [dod, army]  # the last one clicked is the primary one
    QTest.mouseClick(share_map, Button.LeftButton, NONE, QPoint(2, 200))
    assert not design.selection


def test_arrows_walk(qtbot: QtBot, share_map: ShareMap, document: Document, design: ConsoleSession) -> None:
    design.select([node(document, "Army")])
    walked = []
    for key in (Key.Key_Right, Key.Key_Right, Key.Key_Down, Key.Key_Down, Key.Key_Up, Key.Key_Left):
        QTest.keyClick(share_map, key)
        walked.append(document.tree.node(design.selection[0]).name)
    assert walked == ["Navy R&D", "Air Force", "Lab A1", "p2101", "Lab A1", "Lab A1"]
    part = wording("text.percent", what=wording("console.design.share-of-machine"), text="11.475")
    described = share_map.accessibleDescription()
    assert described.partition(", ")[0] == "Lab A1"
    assert described.partition(", ")[2].startswith(f"{part}. ")


def test_the_right_border_moves_by_one_share(
    share_map: ShareMap, document: Document, design: ConsoleSession
) -> None:
    design.select([node(document, "Army")])
    share_map.move_right_border(1)
    share_map.move_right_border(1)
    assert [document.tree.find(name).shares for name in ("Army", "Navy R&D")] == [32, 28]
    design.select([node(document, "DoD Other")])
    share_map.move_right_border(1)
    assert document.stack.count() == 2


def test_zoom_in_and_out(qtbot: QtBot, share_map: ShareMap, document: Document) -> None:
    QTest.mouseDClick(share_map, Button.LeftButton, NONE, middle(box_of(share_map, document, "Air Force")))
    assert share_map.top == node(document, "Air Force")
    assert box_of(share_map, document, "Air Force").w == pytest.approx(1000)
    assert box_of(share_map, document, "Lab A1").w == pytest.approx(600)
    share_map.grab()
    QTest.keyClick(share_map, Key.Key_Backspace)
    assert share_map.top == node(document, "DoD")
    document.edit("Remove", [Remove(node(document, "DoD"))])
    assert share_map.top == 0


def test_the_way_of_a_zoom_begins_and_ends_at_the_two_views() -> None:
    wide = [Box(0, 0, 0, 1000, 30), Box(1, 0, 30, 250, 30), Box(2, 250, 30, 750, 30)]
    zoom = Zoom(wide, wide[2], is_inwards=True)
    assert zoom.boxes(0.0) == wide
    [into] = [box for box in zoom.boxes(1.0) if box.row == 2]
    assert (into.x, into.y, into.w) == pytest.approx((0, 0, 1000))
    assert Zoom(wide, wide[2], is_inwards=False).boxes(1.0) == wide


def test_hovering_says_what_is_there(qtbot: QtBot, share_map: ShareMap, document: Document) -> None:
    QTest.mouseMove(share_map, middle(box_of(share_map, document, "Army")))
    assert share_map.toolTip() == (
        "Machine/User/DoD/Army\n" + wording("console.design.share-of-machine-2") + ": 19.125\xa0%"
    )
    border = box_of(share_map, document, "Navy R&D")
    QTest.mouseMove(share_map, QPoint(round(border.x) + 1, round(border.y) + 5))
    assert share_map.cursor().shape() is Qt.CursorShape.SplitHCursor
    assert share_map.node_at(QPointF(middle(border))) == node(document, "Navy R&D")


def test_the_axis() -> None:
    assert [word for _, word in ticks(1.0, 900)][-2:] == ["90", "100\xa0%"]
    assert [place for place, _ in ticks(1.0, 900)][:3] == pytest.approx([0, 0.1, 0.2])
    assert ticks(0.0, 900) == []
    for machine in (1.0, 0.75, 0.19125, 0.001):
        assert 2 <= len(ticks(machine, 700)) <= 12
    assert numbers.short_percent(0.125) == "12.5\xa0%"
    assert numbers.short_percent(1.0) == "100\xa0%"
    assert numbers.short_percent(0.19125) == "19.125\xa0%"
